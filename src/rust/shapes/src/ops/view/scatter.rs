//! Tensors with some of their elements replaced.
//! <https://docs.pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html>

use super::pick::{fits_into, listed, lists_something, picked};
use super::{elements, is_empty, nameable, said_elements, with_dimensions};
use crate::args::Arg;
use crate::broadcast::broadcast;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{Call, Inputs, Op, Outputs};
use crate::shape::{Dims, Shown};

const SCATTER: &[Arg] = &[Arg::whole("dim"), Arg::any("src"), Arg::any("value"), Arg::any("reduce")];
const SCATTER_ADD: &[Arg] = &[Arg::whole("dim")];
const SCATTER_REDUCE: &[Arg] = &[Arg::whole("dim"), Arg::choice("reduce", REDUCTIONS), Arg::flag("include_self", true)];
const REDUCTIONS: &[&str] = &["sum", "prod", "mean", "amax", "amin"];
const INDEX_ADD: &[Arg] = &[Arg::whole("dim"), Arg::number("alpha").default_number(1.0)];
const INDEX_COPY: &[Arg] = &[Arg::whole("dim")];
const INDEX_FILL: &[Arg] = &[Arg::whole("dim"), Arg::any("value")];
const INDEX_REDUCE: &[Arg] =
    &[Arg::whole("dim"), Arg::choice("reduce", &["prod", "mean", "amax", "amin"]), Arg::flag("include_self", true)];
const PUT: &[Arg] = &[Arg::flag("accumulate", false)];
const VALUE: &[Arg] = &[Arg::any("value")];

const SOURCE: Inputs = Inputs::named(&["self", "index", "source"]);
const MASKED: Inputs = Inputs::optional(&["self", "mask", "value"], 1);

/// Elements replaced at the places of an index, by a number or by another tensor's.
pub const fn scatter(name: &'static str) -> Op {
    Op::new(name, "view", "replaces the elements at the places of an index", scatter_rule)
        .inputs(Inputs::optional(&["self", "index", "src"], 1))
        .args(SCATTER)
}

/// Another tensor's elements added at the places of an index.
pub const fn scatter_add(name: &'static str) -> Op {
    Op::new(name, "view", "adds to the elements at the places of an index", scatter_rule)
        .inputs(Inputs::named(&["self", "index", "src"]))
        .args(SCATTER_ADD)
}

/// Another tensor's elements reduced into those at the places of an index.
pub const fn scatter_reduce(name: &'static str) -> Op {
    Op::new(name, "view", "reduces into the elements at the places of an index", scatter_rule)
        .inputs(Inputs::named(&["self", "index", "src"]))
        .args(SCATTER_REDUCE)
}

/// Slices of another tensor added at the places of a dimension that an index lists.
pub const fn index_add(name: &'static str) -> Op {
    Op::new(name, "view", "adds slices at the places of a dimension that an index lists", index_add_rule::<false>)
        .inputs(SOURCE)
        .args(INDEX_ADD)
}

/// Slices of another tensor reduced into those that an index lists.
pub const fn index_reduce(name: &'static str) -> Op {
    Op::new(name, "view", "reduces slices into those that an index lists", index_add_rule::<true>)
        .inputs(SOURCE)
        .args(INDEX_REDUCE)
}

/// Slices replaced at the places of a dimension that an index lists.
pub const fn index_copy(name: &'static str) -> Op {
    Op::new(name, "view", "replaces slices at the places of a dimension that an index lists", index_copy_rule)
        .inputs(SOURCE)
        .args(INDEX_COPY)
}

/// One value at the places of a dimension that an index lists.
pub const fn index_fill(name: &'static str) -> Op {
    Op::new(name, "view", "fills slices at the places of a dimension that an index lists", index_fill_rule)
        .inputs(Inputs::optional(&["self", "index", "value"], 1))
        .args(INDEX_FILL)
}

/// Elements replaced by their place among all.
pub const fn put(name: &'static str) -> Op {
    Op::new(name, "view", "replaces the elements that an index lists, counted through all", put_rule)
        .inputs(SOURCE)
        .args(PUT)
}

/// One value where a mask is TRUE.
pub const fn masked_fill(name: &'static str) -> Op {
    Op::new(name, "view", "fills where a mask is TRUE, broadcast", masked_fill_rule).inputs(MASKED).args(VALUE)
}

/// Another tensor's elements where a mask is TRUE.
pub const fn masked_scatter(name: &'static str) -> Op {
    Op::new(name, "view", "replaces elements where a mask is TRUE, broadcast", masked_scatter_rule)
        .inputs(Inputs::named(&["self", "mask", "source"]))
}

/// (S...), (N...), (M...) -> (S...), with N at most M, and at most S but for dim
fn scatter_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let dim = call.dim("dim", nameable(input))?;
    let mut output = input.to_vec();
    if lists_something(call.input(1)) {
        let mut index = fits_into(call, with_dimensions(call.input(1)), 0, Some(dim))?;
        if call.get_input(2).is_some() {
            index = fits_into(call, &index, 2, None)?;
        }
        for (d, (size, &listed)) in output.iter_mut().zip(&index).enumerate() {
            let least = if d == dim { Dim::ONE } else { listed };
            *size = size.keep_at_least(least).ok_or_else(|| nowhere_to_write(call, d))?;
        }
    }
    Ok(output.into())
}

fn nowhere_to_write(call: &Call, d: usize) -> Box<Error> {
    let problem = format!("cannot write anything: dimension {} of its input 1 is {}.", d + 1, call.input(0)[d]);
    call.size_error(0, d, problem)
}

/// The sizes of `source` and of the input that must be equal, those but for `dim`, as they are left in the input.
fn slices_alike(call: &Call, source: &[Dim], dim: usize) -> Result<Dims> {
    let mut output = call.input(0).to_vec();
    for (d, (size, &other)) in output.iter_mut().zip(source).enumerate().filter(|&(d, _)| d != dim) {
        *size = size.unify(other).ok_or_else(|| {
            let problem =
                format!("needs equal sizes in every dimension but {}: dimension {} is {size} in input 1 and {other} in input 3.", dim + 1, d + 1);
            call.size_error(0, d, problem).sizes([*size, other]).inputs([1, 3])
        })?;
    }
    Ok(output)
}

/// The index lists as many places as `source` has slices.
fn one_slice_each(listed: Dim, slices: Dim) -> Result<Dim> {
    listed.unify(slices).ok_or_else(|| {
        let problem = format!("needs as many places in input 2 as slices in input 3, not {listed} and {slices}.");
        Error::new(Kind::Size, problem).inputs([2, 3]).sizes([listed, slices])
    })
}

/// (*, S, *), (N), (*, N, *) -> (*, S, *)
fn index_add_rule<const REDUCE: bool>(call: &Call) -> Result<Outputs> {
    let (input, source) = (call.input(0), call.input(2));
    let dim = call.dim("dim", nameable(input))?;
    let listed = listed(call, 1)?;
    if source.len() != input.len() {
        let problem =
            format!("needs as many dimensions in input 3 as in input 1, {}, not {}.", input.len(), source.len());
        return Err(Error::new(Kind::Rank, problem).inputs([1, 3]));
    }
    let output = slices_alike(call, source, dim)?;
    let listed = one_slice_each(listed, with_dimensions(source)[dim])?;
    // PyTorch returns an input of several dimensions without elements as it is
    if REDUCE || input.len() == 1 {
        picked(listed, with_dimensions(input)[dim]).map_err(|_| nowhere_to_write(call, dim))?;
    }
    Ok(output.into())
}

/// (*, S, *), (N), (*, N, *) -> (*, S, *); a scalar source is one slice of a vector
fn index_copy_rule(call: &Call) -> Result<Outputs> {
    let (input, source) = (call.input(0), call.input(2));
    let dim = call.dim("dim", nameable(input))?;
    let listed = listed(call, 1)?;
    if nameable(source) != nameable(input) {
        let problem =
            format!("needs as many dimensions in input 3 as in input 1, {}, not {}.", input.len(), source.len());
        return Err(Error::new(Kind::Rank, problem).inputs([1, 3]));
    }
    let output = slices_alike(call, source, dim)?;
    let listed = one_slice_each(listed, with_dimensions(source)[dim])?;
    somewhere_to_write(call, dim, listed)?;
    Ok(output.into())
}

/// (*, S, *), (N) -> (*, S, *); a value that is a tensor is a scalar
fn index_fill_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let dim = call.dim("dim", nameable(input))?;
    let listed = listed(call, 1)?;
    scalar_value(call)?;
    somewhere_to_write(call, dim, listed)?;
    Ok(input.to_vec().into())
}

/// PyTorch minds that there is nothing to write to only if the slices have elements.
fn somewhere_to_write(call: &Call, dim: usize, listed: Dim) -> Result<()> {
    let input = call.input(0);
    let Some(&size) = input.get(dim) else { return Ok(()) };
    if is_empty(&input[..dim]) || is_empty(&input[dim + 1..]) {
        return Ok(());
    }
    picked(listed, size).map(|_| ()).map_err(|_| nowhere_to_write(call, dim))
}

fn scalar_value(call: &Call) -> Result<()> {
    match call.get_input(2) {
        Some(value) if !value.is_empty() => {
            let problem = format!("needs a scalar as input 3 ('value'), not shape {}.", Shown(value));
            Err(Error::new(Kind::Rank, problem).inputs([3]))
        }
        _ => Ok(()),
    }
}

/// (*), (N...), (M...) -> (*), with as many elements in N as in M
fn put_rule(call: &Call) -> Result<Outputs> {
    let (index, source) = (elements(call, 1)?, elements(call, 2)?);
    if index.equals(source).is_no() {
        let problem = format!(
            "needs as many elements in input 2 as in input 3, not {} and {}.",
            said_elements(index),
            said_elements(source)
        );
        return Err(Error::new(Kind::Size, problem).inputs([2, 3]).sizes([index.count(), source.count()]));
    }
    picked(index.count(), elements(call, 0)?.count())
        .map_err(|_| Error::new(Kind::Size, "cannot write anything: input 1 has no elements.").inputs([1]))?;
    Ok(call.input(0).to_vec().into())
}

/// Input and mask are broadcast; a value that is a tensor is a scalar.
fn masked_fill_rule(call: &Call) -> Result<Outputs> {
    scalar_value(call)?;
    Ok(broadcast(&[call.input(0), call.input(1)])?.into())
}

/// Input and mask are broadcast; the mask may be FALSE as often as it takes.
fn masked_scatter_rule(call: &Call) -> Result<Outputs> {
    Ok(broadcast(&[call.input(0), call.input(1)])?.into())
}
