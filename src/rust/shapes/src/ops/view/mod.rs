//! Operators that give the same elements another shape or order, or pick some of them.
//! <https://docs.pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops>

mod diagonal;
mod like;
mod order;
mod pad;
mod pick;
mod repeat;
mod reshape;
mod scatter;

pub use diagonal::*;
pub use like::*;
pub use order::*;
pub use pad::*;
pub use pick::*;
pub use repeat::*;
pub use reshape::*;
pub use scatter::*;

use crate::dim::{Dim, Elements};
use crate::error::{counted, Error, Kind, Result};
use crate::op::Call;
use crate::shape::Shown;

/// The dimensions an argument can name: PyTorch takes a scalar as having one, of size 1.
fn with_dimensions(input: &[Dim]) -> &[Dim] {
    const SCALAR: &[Dim] = &[Dim::ONE];
    if input.is_empty() {
        SCALAR
    } else {
        input
    }
}

/// How many dimensions an argument can name.
fn nameable(input: &[Dim]) -> usize {
    with_dimensions(input).len()
}

/// Whether the shape holds no element at all, for the checks that PyTorch leaves out then.
fn is_empty(input: &[Dim]) -> bool {
    input.iter().any(|size| size.equals(0).is_yes())
}

/// How many elements input `i` has.
fn elements(call: &Call, i: usize) -> Result<Elements> {
    let input = call.input(i);
    Elements::of(input).ok_or_else(|| {
        let problem = format!("cannot count the elements of {} {}: beyond 2^53.", call.the_input(i), Shown(input));
        Error::new(Kind::Size, problem).inputs([i + 1]).sizes(input.iter().copied())
    })
}

/// `6 elements`, `a multiple of 6 elements`: in a sentence.
fn said_elements(elements: Elements) -> String {
    let known = counted(elements.known() as usize, "element");
    match elements.count().value() {
        Some(_) => known,
        None if elements.known() == 1 => "any number of elements".to_string(),
        None => format!("a multiple of {known}"),
    }
}
