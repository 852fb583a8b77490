//! Counting: how many elements differ from zero, are distinct, or fall into a bin. Many sizes here depend on the elements.
//! <https://docs.pytorch.org/docs/stable/generated/torch.unique.html>

use super::reduced;
use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{replaced, Call, Inputs, Op, Outputs};
use crate::ops::elementwise::elements;
use crate::shape::{Dims, Shown};

/// How many elements are not zero.
pub const fn count_nonzero(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::wholes("dim").optional()];
    Op::new(name, "reduce", "how many elements are not zero, over dim or of all", count_nonzero_rule).args(ARGS)
}

fn count_nonzero_rule(call: &Call) -> Result<Outputs> {
    Ok(reduced(call.input(0), &super::dims_or_all(call)?, false).into())
}

const RETURNS: [Arg; 2] = [Arg::flag("return_inverse", false), Arg::flag("return_counts", false)];
const UNIQUE_OUTPUTS: &[&str] = &["output", "inverse_indices", "counts"];

/// Runs of equal elements made one.
pub const fn unique_consecutive(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[RETURNS[0], RETURNS[1], Arg::whole("dim").optional()];
    Op::new(name, "reduce", "each run of equal elements once", unique_consecutive_rule)
        .args(ARGS)
        .outputs(UNIQUE_OUTPUTS)
}

/// The distinct elements.
pub const fn unique(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::flag("sorted", true), RETURNS[0], RETURNS[1], Arg::whole("dim").optional()];
    Op::new(name, "reduce", "the distinct elements", unique_rule).args(ARGS).outputs(UNIQUE_OUTPUTS)
}

/// The distinct parts along a dimension.
pub const fn unique_dim(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::whole("dim"), Arg::flag("sorted", true), RETURNS[0], RETURNS[1]];
    Op::new(name, "reduce", "the distinct parts along dim", unique_rule).args(ARGS).outputs(UNIQUE_OUTPUTS)
}

/// One of `size` things is distinct, or several up to all of them.
fn distinct(size: Dim) -> Dim {
    size.min(1).or(size)
}

fn unique_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    match call.args.get_whole("dim") {
        None => distinct_elements(call),
        Some(dim) => distinct_parts(call, call.resolve("dim", dim, input.len())?),
    }
}

/// A vector has no parts but its elements; PyTorch sees that only where dim counts from the front.
fn unique_consecutive_rule(call: &Call) -> Result<Outputs> {
    match (call.args.get_whole("dim"), call.input(0)) {
        (Some(1), [_]) => distinct_elements(call),
        _ => unique_rule(call),
    }
}

/// (*) -> (n), inverse_indices (*), counts (n); what was not asked for is (0), as R torch gives all three.
fn distinct_elements(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let n = distinct(elements(input)?);
    let nothing = || vec![Dim::ZERO];
    let inverse = if call.args.flag("return_inverse") { input.to_vec() } else { nothing() };
    let counts = if call.args.flag("return_counts") { vec![n] } else { nothing() };
    Ok(vec![vec![n], inverse, counts].into())
}

/// (*, L, *) -> (*, n, *), inverse_indices (L), counts (n), asked for or not
fn distinct_parts(call: &Call, dim: usize) -> Result<Outputs> {
    let input = call.input(0);
    let empty = input.iter().enumerate().find(|&(d, size)| d != dim && size.equals(0).is_yes());
    if let Some((d, _)) = empty {
        let problem = format!("finds nothing to compare along dimension {}: dimension {} has size 0.", dim + 1, d + 1);
        return Err(call.size_error(0, d, problem).argument("dim"));
    }
    let n = distinct(input[dim]);
    Ok(vec![replaced(input, dim, n), vec![input[dim]], vec![n]].into())
}

/// How often each whole number occurs.
pub const fn bincount(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::whole("minlength").min(0).default(0)];
    Op::new(name, "reduce", "how often each whole number occurs", bincount_rule)
        .args(ARGS)
        .inputs(Inputs::optional(&["self", "weights"], 1))
}

/// (L) -> (n), where n is at least minlength, and the largest number if that is more; nothing gives minlength.
fn bincount_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[1])?;
    let minlength = call.args.whole("minlength");
    if input[0].equals(0).is_yes() {
        // PyTorch does not look at the weights then
        return Ok(vec![Dim::known(minlength)].into());
    }
    if let Some(weights) = call.get_input(1) {
        if !matches!(weights, [weights] if weights.unify(input[0]).is_some()) {
            let problem = format!("needs weights of its input's shape {}, not {}.", Shown(input), Shown(weights));
            return Err(Error::new(Kind::Size, problem).inputs([1, 2]));
        }
    }
    Ok(vec![Dim::at_least(minlength.max(1))].into())
}

/// How many elements fall into each bin.
pub const fn histc(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[
        Arg::whole("bins").min(1).default(100),
        Arg::number("min").default_number(0.0),
        Arg::number("max").default_number(0.0),
    ];
    Op::new(name, "reduce", "how many elements fall into each bin", histc_rule).args(ARGS)
}

/// (*) -> (bins)
fn histc_rule(call: &Call) -> Result<Outputs> {
    if let (Some(min), Some(max)) = (call.args.get_number("min"), call.args.get_number("max")) {
        if min > max {
            let problem = format!("has min = {min} above max = {max}.");
            return Err(Error::new(Kind::Argument, problem).argument("min"));
        }
    }
    let bins: Dims = vec![Dim::known(call.args.whole("bins"))];
    Ok(bins.into())
}
