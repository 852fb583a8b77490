//! Reductions: sums, means, extremes, norms over some dimensions or all of them.
//! <https://docs.pytorch.org/docs/stable/torch.html#reduction-ops>

pub mod count;
pub mod norm;
pub mod order;
pub mod scan;

pub use norm::Order;

use crate::args::Arg;
use crate::broadcast::broadcast;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{Call, Inputs, Op, Outputs};
use crate::shape::{Dims, Shown};

const DIMS: &[Arg] = &[Arg::wholes("dim").optional(), Arg::flag("keepdim", false), Arg::any("dtype")];
const UNBIASED: &[Arg] = &[Arg::wholes("dim").optional(), Arg::flag("unbiased", true), Arg::flag("keepdim", false)];
const ONE_DIM: &[Arg] = &[Arg::whole("dim").optional(), Arg::flag("keepdim", false)];
const ONE_DIM_DTYPE: &[Arg] = &[Arg::whole("dim").optional(), Arg::flag("keepdim", false), Arg::any("dtype")];

/// A sum or mean.
pub const fn sum(name: &'static str, summary: &'static str) -> Op {
    Op::new(name, "reduce", summary, sum_rule).args(DIMS)
}

/// A sum or mean that leaves NaN out.
pub const fn nansum(name: &'static str, summary: &'static str) -> Op {
    Op::new(name, "reduce", summary, nansum_rule).args(DIMS)
}

pub const fn std(name: &'static str, summary: &'static str) -> Op {
    Op::new(name, "reduce", summary, sum_rule).args(UNBIASED)
}

/// The deviation or variance, and the mean.
pub const fn std_mean(name: &'static str, summary: &'static str, outputs: &'static [&'static str]) -> Op {
    Op::new(name, "reduce", summary, std_mean_rule).args(UNBIASED).outputs(outputs)
}

pub const fn prod(name: &'static str) -> Op {
    Op::new(name, "reduce", "product over one dimension or all", prod_rule).args(ONE_DIM_DTYPE)
}

/// Whether all or any elements are true.
pub const fn all(name: &'static str, summary: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::wholes("dim").optional(), Arg::flag("keepdim", false)];
    Op::new(name, "reduce", summary, all_rule).args(ARGS)
}

pub const fn logsumexp(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::wholes("dim"), Arg::flag("keepdim", false)];
    Op::new(name, "reduce", "logarithm of the sum of exponentials over dim", logsumexp_rule).args(ARGS)
}

/// The largest or smallest element over several dimensions.
pub const fn amax(name: &'static str, summary: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::wholes("dim").optional(), Arg::flag("keepdim", false)];
    Op::new(name, "reduce", summary, amax_rule).args(ARGS)
}

pub const fn aminmax(name: &'static str) -> Op {
    let summary = "smallest and largest element over one dimension or all";
    Op::new(name, "reduce", summary, aminmax_rule).args(ONE_DIM).outputs(&["min", "max"])
}

/// The place of the largest or smallest element.
pub const fn argmax(name: &'static str, summary: &'static str) -> Op {
    Op::new(name, "reduce", summary, argmax_rule).args(ONE_DIM)
}

/// The largest or smallest element of all, or over a dimension with its place, or of each pair of two inputs.
pub const fn max(name: &'static str, summary: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::whole("dim").optional(), Arg::any("other"), Arg::flag("keepdim", false)];
    Op::new(name, "reduce", summary, max_rule)
        .args(ARGS)
        .inputs(Inputs::optional(&["self", "other"], 1))
        .outputs(&["output", "[indices]"])
}

/// The middle element of all, or over a dimension with its place.
pub const fn median(name: &'static str, summary: &'static str) -> Op {
    Op::new(name, "reduce", summary, median_rule).args(ONE_DIM).outputs(&["output", "[indices]"])
}

pub const fn mode(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::whole("dim").default(-1), Arg::flag("keepdim", false)];
    Op::new(name, "reduce", "most frequent element over dim, and its place", mode_rule)
        .args(ARGS)
        .outputs(&["values", "indices"])
}

/// The reduced dimensions, or all if none is named.
fn dims_or_all(call: &Call) -> Result<Vec<usize>> {
    let rank = call.input(0).len();
    match call.args.get_wholes("dim") {
        None | Some([]) => Ok((0..rank).collect()),
        Some(dims) => call.resolve_all_or_scalar("dim", dims, rank),
    }
}

/// `input` without `dims`, or with 1s in their places. A scalar keeps its shape.
pub fn reduced(input: &[Dim], dims: &[usize], keepdim: bool) -> Dims {
    let mut gone = vec![false; input.len()];
    for &dim in dims {
        if let Some(gone) = gone.get_mut(dim) {
            *gone = true;
        }
    }
    let sizes = input.iter().zip(gone);
    if keepdim {
        sizes.map(|(&size, gone)| if gone { Dim::ONE } else { size }).collect()
    } else {
        sizes.filter(|(_, gone)| !gone).map(|(&size, _)| size).collect()
    }
}

/// There is at least one element along each of `dims` of input `i`, as an extreme needs.
pub fn has_elements(call: &Call, i: usize, dims: &[usize]) -> Result<()> {
    let input = call.input(i);
    match dims.iter().find(|&&dim| input.get(dim).is_some_and(|size| size.equals(0).is_yes())) {
        None => Ok(()),
        Some(&dim) => {
            let problem = format!(
                "finds nothing along dimension {} of {}, {}, whose size is 0.",
                dim + 1,
                call.the_input(i),
                Shown(input)
            );
            Err(call.size_error(i, dim, problem).hint("A size of at least 1 would fit."))
        }
    }
}

/// Whether dim was given; without it R torch calls the function that has no keepdim.
fn keepdim_with_dim(call: &Call) -> bool {
    call.args.is_given("dim") && call.args.flag("keepdim")
}

/// (*) -> without the dims, or () without dim
fn over_dims(call: &Call) -> Result<Dims> {
    Ok(reduced(call.input(0), &dims_or_all(call)?, keepdim_with_dim(call)))
}

fn sum_rule(call: &Call) -> Result<Outputs> {
    Ok(over_dims(call)?.into())
}

fn std_mean_rule(call: &Call) -> Result<Outputs> {
    Ok(vec![over_dims(call)?; 2].into())
}

/// As a sum, but keepdim counts without dim too.
fn nansum_rule(call: &Call) -> Result<Outputs> {
    Ok(reduced(call.input(0), &dims_or_all(call)?, call.args.flag("keepdim")).into())
}

fn amax_rule(call: &Call) -> Result<Outputs> {
    has_elements(call, 0, &dims_or_all(call)?)?;
    nansum_rule(call)
}

/// (*) -> without the dims; a dim that names none leaves every element as it is.
fn all_rule(call: &Call) -> Result<Outputs> {
    if call.args.get_wholes("dim") == Some(&[]) {
        return Ok(call.input(0).to_vec().into());
    }
    sum_rule(call)
}

/// (*) -> without the dims. PyTorch stumbles over a dim that names none, unless keepdim is TRUE or there is nothing to sum.
fn logsumexp_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let nothing = input.iter().any(|size| size.equals(0).is_yes());
    if call.args.wholes("dim").is_empty() && !call.args.flag("keepdim") && !input.is_empty() && !nothing {
        return Err(Error::new(Kind::Argument, "needs at least one dimension in argument 'dim'.").argument("dim"));
    }
    nansum_rule(call)
}

/// The one reduced dimension, or all.
fn dim_or_all(call: &Call) -> Result<Vec<usize>> {
    let rank = call.input(0).len();
    match call.args.get_whole("dim") {
        None => Ok((0..rank).collect()),
        Some(dim) => Ok(vec![call.resolve_or_scalar("dim", dim, rank)?]),
    }
}

fn prod_rule(call: &Call) -> Result<Outputs> {
    Ok(reduced(call.input(0), &dim_or_all(call)?, keepdim_with_dim(call)).into())
}

/// (*) -> without the dim, or () without dim; there must be an element to find.
fn found(call: &Call, keepdim: bool) -> Result<Dims> {
    let dims = dim_or_all(call)?;
    has_elements(call, 0, &dims)?;
    Ok(reduced(call.input(0), &dims, keepdim))
}

fn argmax_rule(call: &Call) -> Result<Outputs> {
    Ok(found(call, call.args.flag("keepdim"))?.into())
}

fn aminmax_rule(call: &Call) -> Result<Outputs> {
    Ok(vec![found(call, call.args.flag("keepdim"))?; 2].into())
}

/// () of all; values and indices without the dim; the broadcast of two inputs.
fn max_rule(call: &Call) -> Result<Outputs> {
    let mut operands = crate::ops::operands::operands(call, &[])?.into_iter().flatten();
    let (input, other) = (operands.next(), operands.next());
    if let (Some(input), Some(other)) = (input, other) {
        if call.args.is_given("dim") {
            let problem = "cannot have both 'other' and 'dim': it compares two tensors, or looks along one dimension.";
            return Err(Error::new(Kind::Argument, problem).argument("dim"));
        }
        return Ok(broadcast(&[&input.shape, &other.shape])?.into());
    }
    let output = found(call, keepdim_with_dim(call))?;
    Ok(vec![output; if call.args.is_given("dim") { 2 } else { 1 }].into())
}

/// () of all, also of none; values and indices without the dim.
fn median_rule(call: &Call) -> Result<Outputs> {
    if call.args.is_given("dim") {
        return Ok(vec![found(call, call.args.flag("keepdim"))?; 2].into());
    }
    Ok(Dims::new().into())
}

fn mode_rule(call: &Call) -> Result<Outputs> {
    Ok(vec![found(call, call.args.flag("keepdim"))?; 2].into())
}
