//! The shape rules of torch: what shape an operator gives, with sizes that are still unknown.
//!
//! Every rule is sound (a size reported as known is right for every filling of the unknown sizes), tight (a size is
//! unknown only if two fillings disagree) and complete (an error if and only if no filling is valid).

#![forbid(unsafe_code)]

pub mod args;
pub mod assertions;
pub mod broadcast;
pub mod dim;
pub mod error;
pub mod helpers;
pub mod network;
pub mod op;
pub mod ops;
pub mod shape;

pub use dim::{Certainty, Dim};
pub use error::{Error, Kind, Result};
pub use shape::{Dims, Shape};
