//! Operators that work element by element: one input keeps its shape, several are broadcast.
//! <https://docs.pytorch.org/docs/stable/notes/broadcasting.html>

use crate::args::Arg;
use crate::broadcast::broadcast;
use crate::error::Result;
use crate::op::{Call, Inputs, Op, Outputs};

pub const INPLACE: &[Arg] = &[Arg::flag("inplace", false)];
pub const DROPOUT: &[Arg] = &[Arg::number("p").default_number(0.5), Arg::flag("inplace", false)];
pub const IDENTITY: &[Arg] = &[];
pub const ADD: &[Arg] = &[Arg::number("alpha").default_number(1.0)];

/// An operator of one input, whose shape it keeps.
pub const fn unary(name: &'static str, summary: &'static str, args: &'static [Arg]) -> Op {
    Op::new(name, "elementwise", summary, same_shape).args(args)
}

/// An operator of two inputs that are broadcast.
pub const fn binary(name: &'static str, summary: &'static str, args: &'static [Arg]) -> Op {
    Op::new(name, "elementwise", summary, broadcast_inputs).args(args).inputs(Inputs::TWO)
}

fn same_shape(call: &Call) -> Result<Outputs> {
    Ok(call.input(0).to_vec().into())
}

fn broadcast_inputs(call: &Call) -> Result<Outputs> {
    Ok(broadcast(call.inputs())?.into())
}
