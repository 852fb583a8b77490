//! By size: sorting, the largest k, the k-th, quantiles, places in a sorted sequence.
//! <https://docs.pytorch.org/docs/stable/generated/torch.topk.html>

use super::{has_elements, reduced};
use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{replaced, Call, Inputs, Op, Outputs};
use crate::ops::operands::{operand_shapes, Number};
use crate::ops::reduce::scan::along_dim;
use crate::shape::{Dims, Shown};

/// Sorted elements and their places.
pub const fn sort(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::whole("dim").default(-1), Arg::flag("descending", false), Arg::any("stable")];
    Op::new(name, "reduce", "sorted along dim, and the places", sort_rule).args(ARGS).outputs(&["values", "indices"])
}

/// The places of sorted elements.
pub const fn argsort(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::whole("dim").default(-1), Arg::flag("descending", false)];
    Op::new(name, "reduce", "places that sort along dim", argsort_rule).args(ARGS)
}

/// Sorted along the first dimension.
pub const fn msort(name: &'static str) -> Op {
    Op::new(name, "reduce", "sorted along the first dimension", |call| Ok(call.input(0).to_vec().into()))
}

fn sort_rule(call: &Call) -> Result<Outputs> {
    Ok(vec![along_dim(call)?; 2].into())
}

fn argsort_rule(call: &Call) -> Result<Outputs> {
    Ok(along_dim(call)?.into())
}

/// The k largest or smallest elements and their places.
pub const fn topk(name: &'static str) -> Op {
    const ARGS: &[Arg] =
        &[Arg::whole("k").min(0), Arg::whole("dim").default(-1), Arg::flag("largest", true), Arg::flag("sorted", true)];
    Op::new(name, "reduce", "k largest or smallest elements along dim, and their places", topk_rule)
        .args(ARGS)
        .outputs(&["values", "indices"])
}

/// The k-th smallest element and its place.
pub const fn kthvalue(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::whole("k").min(1), Arg::whole("dim").default(-1), Arg::flag("keepdim", false)];
    Op::new(name, "reduce", "k-th smallest element along dim, and its place", kthvalue_rule)
        .args(ARGS)
        .outputs(&["values", "indices"])
}

/// There are at least k elements along dim; a scalar has 1.
fn at_least_k(call: &Call, dim: usize) -> Result<i64> {
    let k = call.args.whole("k");
    let size = call.input(0).get(dim).copied().unwrap_or(Dim::ONE);
    if size.is_at_least(k).is_no() {
        let problem = format!("has k = {k}, but dimension {} of its input is {size}.", dim + 1);
        let error = call.size_error(0, dim, problem).argument("k").sizes([Dim::known(k), size]);
        return Err(error.hint(format!("A k of at most {size} would fit.")));
    }
    Ok(k)
}

/// (*, L, *) -> (*, k, *) twice
fn topk_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let dim = call.resolve_or_scalar("dim", call.args.whole("dim"), input.len())?;
    let k = at_least_k(call, dim)?;
    let output = if input.is_empty() { Dims::new() } else { replaced(input, dim, Dim::known(k)) };
    Ok(vec![output; 2].into())
}

/// (*, L, *) -> (*, *) twice
fn kthvalue_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let dim = call.resolve_or_scalar("dim", call.args.whole("dim"), input.len())?;
    at_least_k(call, dim)?;
    Ok(vec![reduced(input, &[dim], call.args.flag("keepdim")); 2].into())
}

/// Quantiles over one dimension or all.
pub const fn quantile(name: &'static str, summary: &'static str) -> Op {
    const ARGS: &[Arg] = &[
        Arg::any("q"),
        Arg::whole("dim").optional(),
        Arg::flag("keepdim", false),
        Arg::choice("interpolation", &["linear", "lower", "higher", "midpoint", "nearest"]),
    ];
    Op::new(name, "reduce", summary, quantile_rule).args(ARGS).inputs(Inputs::optional(&["self", "q"], 1))
}

/// (*) -> without the dim, after a dimension for q if that is a tensor of one dimension
fn quantile_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let shapes = operand_shapes(call, &[Number::Vector, Number::Scalar])?;
    let q = shapes.get(1).map_or(&[][..], Vec::as_slice);
    if q.len() > 1 {
        let problem = format!("needs a q of 0 or 1 dimensions, not {}.", q.len());
        return Err(Error::new(Kind::Rank, problem).argument("q"));
    }
    if let Some(crate::args::Value::Numbers(numbers)) = call.args.get_raw("q") {
        if let Some(q) = numbers.iter().flatten().find(|q| !(0.0..=1.0).contains(*q)) {
            let problem = format!("has q = {}, which is not between 0 and 1.", crate::args::shown_number(*q));
            return Err(Error::new(Kind::Argument, problem).argument("q"));
        }
    }
    has_elements(call, 0, &(0..input.len()).collect::<Vec<_>>())?;
    let dims = super::dim_or_all(call)?;
    Ok([q, &reduced(input, &dims, call.args.flag("keepdim"))].concat().into())
}

/// The places of elements in a sorted sequence.
pub const fn searchsorted(name: &'static str) -> Op {
    const ARGS: &[Arg] =
        &[Arg::any("self"), Arg::flag("out_int32", false), Arg::flag("right", false), Arg::text("side").optional()];
    Op::new(name, "reduce", "places of elements in a sorted sequence", searchsorted_rule)
        .args(ARGS)
        .inputs(Inputs::optional(&["sorted_sequence", "self", "sorter"], 2))
}

/// The shape of the elements; the sequence has one dimension, or all but its last are those of the elements.
fn searchsorted_rule(call: &Call) -> Result<Outputs> {
    let operands = crate::ops::operands::operands(call, &[Number::Vector, Number::Scalar, Number::Vector])?;
    let mut shapes = operands.into_iter().map(|operand| operand.map(|operand| operand.shape));
    let sequence = shapes.next().flatten().unwrap_or_default();
    let Some(elements) = shapes.next().flatten() else { return Err(crate::ops::operands::missing("self")) };
    let sequence = match shapes.next().flatten() {
        Some(sorter) => same_as_sorter(&sequence, &sorter)?,
        None => sequence,
    };
    let [leading @ .., _] = sequence.as_slice() else {
        return Err(Error::new(Kind::Rank, "needs a sorted sequence of at least 1 dimension, not 0.").inputs([1]));
    };
    if leading.is_empty() {
        return Ok(elements.into());
    }
    let agreed: Option<Dims> = (elements.len() == sequence.len())
        .then(|| leading.iter().zip(&elements).map(|(a, &b)| a.unify(b)).collect())
        .flatten();
    let (Some(agreed), [.., last]) = (agreed, elements.as_slice()) else {
        let problem = format!(
            "cannot look up {} in a sequence of shape {}: it needs one dimension, or the same ones but for the last.",
            Shown(&elements),
            Shown(&sequence)
        );
        return Err(Error::new(Kind::Size, problem).inputs([1, 2]));
    };
    Ok([agreed, vec![*last]].concat().into())
}

fn same_as_sorter(sequence: &[Dim], sorter: &[Dim]) -> Result<Dims> {
    let same: Option<Dims> = (sequence.len() == sorter.len())
        .then(|| sequence.iter().zip(sorter).map(|(a, &b)| a.unify(b)).collect())
        .flatten();
    same.ok_or_else(|| {
        let problem = format!("needs a sorter of the sequence's shape {}, not {}.", Shown(sequence), Shown(sorter));
        Error::new(Kind::Size, problem).inputs([1, 3])
    })
}

/// The bucket of each element.
pub const fn bucketize(name: &'static str) -> Op {
    const ARGS: &[Arg] =
        &[Arg::any("self"), Arg::any("boundaries"), Arg::flag("out_int32", false), Arg::flag("right", false)];
    Op::new(name, "reduce", "bucket of each element between sorted boundaries", bucketize_rule)
        .args(ARGS)
        .inputs(Inputs::optional(&["self", "boundaries"], 2))
}

/// The shape of the elements; the boundaries have one dimension.
fn bucketize_rule(call: &Call) -> Result<Outputs> {
    let shapes = operand_shapes(call, &[Number::Scalar, Number::Vector])?;
    match shapes.as_slice() {
        [elements, boundaries] if boundaries.len() == 1 => Ok(elements.clone().into()),
        [_, boundaries] => {
            let problem = format!("needs boundaries of 1 dimension, not {}.", boundaries.len());
            Err(Error::new(Kind::Rank, problem).argument("boundaries"))
        }
        _ => Err(crate::ops::operands::missing("boundaries")),
    }
}
