//! Counting: how many elements differ from zero, are distinct, or fall into a bin. Many sizes here depend on the elements.
//! <https://docs.pytorch.org/docs/stable/generated/torch.unique.html>

use super::reduced;
use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{replaced, Call, Inputs, Op, Outputs};
use crate::ops::elementwise::{elements, nonzero};
use crate::shape::{Dims, Shown};

/// How many elements are not zero.
pub const fn count_nonzero(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::wholes("dim").optional()];
    Op::new(name, "reduce", "how many elements are not zero, over dim or of all", count_nonzero_rule).args(ARGS)
}

fn count_nonzero_rule(call: &Call) -> Result<Outputs> {
    Ok(reduced(call.input(0), &super::dims_or_all(call)?, false).into())
}

/// The places of elements that are not zero.
pub const fn places(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::flag("as_list", false)];
    Op::new(name, "reduce", "places of the elements that are not zero", places_rule).args(ARGS).outputs(&["..."])
}

pub const fn argwhere(name: &'static str) -> Op {
    Op::new(name, "reduce", "places of the elements that are not zero", argwhere_rule)
}

/// (n, rank), or (n) for each dimension; n depends on the elements.
fn places_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    if call.args.flag("as_list") {
        return Ok(vec![vec![nonzero(input)?]; input.len().max(1)].into());
    }
    argwhere_rule(call)
}

fn argwhere_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    Ok(vec![nonzero(input)?, Dim::known(input.len() as i64)].into())
}

const RETURNS: [Arg; 2] = [Arg::flag("return_inverse", false), Arg::flag("return_counts", false)];
const UNIQUE_OUTPUTS: &[&str] = &["output", "inverse_indices", "counts"];

/// Runs of equal elements made one.
pub const fn unique_consecutive(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[RETURNS[0], RETURNS[1], Arg::whole("dim").optional()];
    Op::new(name, "reduce", "each run of equal elements once", unique_rule).args(ARGS).outputs(UNIQUE_OUTPUTS)
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

/// (*) -> (n), places of the shape of the input, counts (n); along dim (*, n, *), places (L), counts (n). R torch gives all three,
/// the places and counts that were not asked for as (0), but along dim always in full.
fn unique_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let Some(dim) = call.args.get_whole("dim") else {
        let n = distinct(elements(input)?);
        let nothing = || vec![Dim::ZERO];
        let inverse = if call.args.flag("return_inverse") { input.to_vec() } else { nothing() };
        let counts = if call.args.flag("return_counts") { vec![n] } else { nothing() };
        return Ok(vec![vec![n], inverse, counts].into());
    };
    let dim = call.resolve("dim", dim, input.len())?;
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
    let mut length = input[0];
    if let Some(weights) = call.get_input(1) {
        let agreed = match weights {
            [weights] => weights.unify(length),
            _ => None,
        };
        length = agreed.ok_or_else(|| {
            let problem = format!("needs weights of its input's shape {}, not {}.", Shown(input), Shown(weights));
            Error::new(Kind::Size, problem).inputs([1, 2])
        })?;
    }
    let n = if length.equals(0).is_yes() { Dim::known(minlength) } else { Dim::at_least(minlength.max(1)) };
    Ok(vec![n].into())
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
