//! In place on the first input, which keeps its shape: the others must expand to it.
//! <https://docs.pytorch.org/docs/stable/notes/broadcasting.html#in-place-semantics>

use super::{broadcasting, clamp_operands, same_shape, SELF_AND_OTHER};
use crate::args::Arg;
use crate::broadcast::expand_into;
use crate::dim::Dim;
use crate::error::{counted, Error, Kind, Result};
use crate::op::{Call, Inputs, Op, Outputs};
use crate::ops::operands::{missing, operand_shapes, operands, Number};
use crate::shape::{Dims, Shown};

/// The second operand may be a number.
pub const fn binary(name: &'static str, summary: &'static str, args: &'static [Arg]) -> Op {
    broadcasting(name, summary, args, SELF_AND_OTHER).rule(tensor_number)
}

/// A number is made a tensor of shape (1).
pub const fn binary_of_tensors(name: &'static str, summary: &'static str, args: &'static [Arg]) -> Op {
    broadcasting(name, summary, args, SELF_AND_OTHER).rule(tensors)
}

pub const fn power(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("exponent")];
    broadcasting(name, "x to the power of y, in place", ARGS, Inputs::optional(&["self", "exponent"], 1))
        .rule(tensor_number)
}

pub const fn addcmul(name: &'static str, summary: &'static str) -> Op {
    super::addcmul(name, summary).rule(tensors)
}

pub const fn lerp(name: &'static str) -> Op {
    super::lerp(name).rule(lerp_rule)
}

pub const fn clamp(name: &'static str) -> Op {
    super::clamp(name).rule(clamp_rule)
}

pub const fn clamp_min(name: &'static str) -> Op {
    super::clamp_min(name).rule(tensor_number)
}

pub const fn clamp_max(name: &'static str) -> Op {
    super::clamp_max(name).rule(tensor_number)
}

pub const fn heaviside(name: &'static str) -> Op {
    super::heaviside(name).rule(tensors)
}

pub const fn copy(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("src"), Arg::flag("non_blocking", false)];
    broadcasting(name, "the source's elements, broadcast into the input", ARGS, Inputs::optional(&["self", "src"], 1))
        .rule(tensors)
}

pub const fn fill(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("value")];
    broadcasting(name, "one value everywhere", ARGS, Inputs::optional(&["self", "value"], 1)).rule(fill_rule)
}

pub const fn masked_fill(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("value")];
    Op::new(name, "elementwise", "a value where the mask holds, in place", masked_fill_rule)
        .args(ARGS)
        .inputs(Inputs::optional(&["self", "mask", "value"], 1))
}

pub const fn masked_scatter(name: &'static str) -> Op {
    Op::new(name, "elementwise", "elements of the source where the mask holds, in place", masked_scatter_rule)
        .inputs(Inputs::named(&["self", "mask", "source"]))
}

pub const fn bernoulli(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("p"), Arg::any("generator")];
    Op::new(name, "elementwise", "0 or 1 at random, 1 with probability p", bernoulli_rule)
        .args(ARGS)
        .inputs(Inputs::optional(&["self", "p"], 1))
}

/// The first keeps its shape; the others must expand to it.
fn into_first(shapes: &[Dims]) -> Result<Outputs> {
    let [target, others @ ..] = shapes else { return Err(missing("self")) };
    let mut target = target.clone();
    for other in others {
        target = expand_into(other, &target).map_err(|mut error| {
            error.problem = format!("cannot write into its first input {}: {}", Shown(&target), error.problem);
            error
        })?;
    }
    Ok(target.into())
}

fn tensors(call: &Call) -> Result<Outputs> {
    into_first(&operand_shapes(call, &[])?)
}

fn tensor_number(call: &Call) -> Result<Outputs> {
    into_first(&operand_shapes(call, &[Number::Vector, Number::Scalar])?)
}

fn lerp_rule(call: &Call) -> Result<Outputs> {
    into_first(&operand_shapes(call, &[Number::Vector, Number::Vector, Number::Scalar])?)
}

fn clamp_rule(call: &Call) -> Result<Outputs> {
    into_first(&clamp_operands(call)?)
}

fn fill_rule(call: &Call) -> Result<Outputs> {
    if let Some(value) = operand_shapes(call, &[Number::Vector, Number::Scalar])?.get(1) {
        without_dimensions(call, 1, value)?;
    }
    same_shape(call)
}

/// The mask expands to the input; the value has no dimensions.
fn masked_fill_rule(call: &Call) -> Result<Outputs> {
    let mut shapes = operand_shapes(call, &[Number::Vector, Number::Vector, Number::Scalar])?;
    if let Some(value) = shapes.pop() {
        without_dimensions(call, 2, &value)?;
    }
    into_first(&shapes)
}

fn masked_scatter_rule(call: &Call) -> Result<Outputs> {
    into_first(&[call.input(0).to_vec(), call.input(1).to_vec()])
}

/// The probabilities expand to the input, if that has elements.
fn bernoulli_rule(call: &Call) -> Result<Outputs> {
    if call.input(0).iter().any(|size| size.equals(0).is_yes()) {
        return same_shape(call);
    }
    let shapes: Vec<Dims> =
        operands(call, &[Number::Vector, Number::Scalar])?.into_iter().flatten().map(|operand| operand.shape).collect();
    into_first(&shapes)
}

fn without_dimensions(call: &Call, i: usize, value: &[Dim]) -> Result<()> {
    if value.is_empty() {
        return Ok(());
    }
    let problem = format!("needs a 'value' without dimensions, not of {}.", counted(value.len(), "dimension"));
    let error = Error::new(Kind::Rank, problem).argument("value");
    Err(if call.inputs().len() > i { error.inputs([i + 1]) } else { error })
}
