//! Some of the elements: by place, by index, by mask.
//! <https://docs.pytorch.org/docs/stable/generated/torch.gather.html>

use super::{elements, is_empty, nameable, with_dimensions};
use crate::args::Arg;
use crate::broadcast::{broadcast, expand_into};
use crate::dim::Dim;
use crate::error::{counted, Error, Kind, Result};
use crate::op::{replaced, Call, Inputs, Op, Outputs};
use crate::shape::{shown_list, Dims, Shape, Shown};

const NARROW: &[Arg] = &[Arg::whole("dim"), Arg::whole("start"), Arg::whole("length").min(0)];
const SELECT: &[Arg] = &[Arg::whole("dim"), Arg::whole("index")];
const SLICE: &[Arg] = &[
    Arg::whole("dim").default(1),
    Arg::whole("start").optional(),
    Arg::whole("end").optional(),
    Arg::whole("step").min(1).default(1),
];
const DIM: &[Arg] = &[Arg::whole("dim")];
const GATHER: &[Arg] = &[Arg::whole("dim"), Arg::flag("sparse_grad", false)];
const OPTIONAL_DIM: &[Arg] = &[Arg::whole("dim").optional()];
const NONZERO: &[Arg] = &[Arg::flag("as_list", false)];
const INDEX_PUT: &[Arg] = &[Arg::flag("accumulate", false)];
const SELF_INDEX: Inputs = Inputs::named(&["self", "index"]);

/// Some neighbours along a dimension.
pub const fn narrow(name: &'static str) -> Op {
    Op::new(name, "view", "length elements along a dimension, from start on", narrow_rule).args(NARROW)
}

/// One place of a dimension, which is dropped.
pub const fn select(name: &'static str) -> Op {
    Op::new(name, "view", "the elements at one place of a dimension, which is dropped", select_rule).args(SELECT)
}

/// Python's slice of a dimension.
pub const fn slice(name: &'static str) -> Op {
    let summary =
        "every step-th element along a dimension; start and end count from 0 and end is left out, as R torch has it";
    Op::new(name, "view", summary, slice_rule).args(SLICE)
}

/// Places of a dimension by a vector of them.
pub const fn index_select(name: &'static str) -> Op {
    Op::new(name, "view", "the places of a dimension that an index lists", index_select_rule)
        .inputs(SELF_INDEX)
        .args(DIM)
}

/// One element for each element of the index.
pub const fn gather(name: &'static str) -> Op {
    Op::new(name, "view", "for each element of the index the one at that place of a dimension", gather_rule)
        .inputs(SELF_INDEX)
        .args(GATHER)
}

/// [`gather`] with input and index broadcast.
pub const fn take_along_dim(name: &'static str) -> Op {
    let summary = "for each element of the index the one at that place of a dimension, broadcast";
    Op::new(name, "view", summary, take_along_dim_rule).inputs(Inputs::named(&["self", "indices"])).args(OPTIONAL_DIM)
}

/// Elements by their place among all.
pub const fn take(name: &'static str) -> Op {
    Op::new(name, "view", "the elements that an index lists, counted through all", take_rule).inputs(SELF_INDEX)
}

/// Elements where a mask is TRUE.
pub const fn masked_select(name: &'static str) -> Op {
    Op::new(name, "view", "the elements where a mask is TRUE; how many is unknown", masked_select_rule)
        .inputs(Inputs::named(&["self", "mask"]))
}

/// Places of the elements that are not 0.
pub const fn nonzero(name: &'static str) -> Op {
    Op::new(name, "view", "the places of the elements that are not 0; how many is unknown", nonzero_rule)
        .args(NONZERO)
        .outputs(&["..."])
}

/// [`nonzero`] as the tensor method has it.
pub const fn argwhere(name: &'static str) -> Op {
    Op::new(name, "view", "the places of the elements that are not 0; how many is unknown", argwhere_rule)
}

/// Places of the first dimensions by whole-number tensors, one for each.
pub const fn index(name: &'static str) -> Op {
    Op::new(name, "view", "the places of the first dimensions that whole-number tensors list, one each", index_rule)
        .inputs(Inputs::Any { min: 2 })
}

/// The values, the last input, written where [`index`] reads.
pub const fn index_put(name: &'static str) -> Op {
    let summary = "writes the last input where torch_index reads";
    Op::new(name, "view", summary, index_put_rule).inputs(Inputs::Any { min: 3 }).args(INDEX_PUT)
}

/// (*, S, *) -> (*, length, *)
fn narrow_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let dim = call.dim("dim", input.len())?;
    let (start, length) = (call.args.whole("start"), call.args.whole("length"));
    // R torch takes 1 from the start whatever its sign, so that -1 is the last element but one
    let (shortest, room) = match start {
        0 => return Err(counted_from_one("start")),
        start if start > 0 => (start - 1 + length, length),
        start => (1 - start, 1 - start),
    };
    if length > room || input[dim].is_at_least(shortest).is_no() {
        let problem = format!(
            "has start = {start} and length = {length}, but dimension {} of its input {} is {}.",
            dim + 1,
            Shown(input),
            input[dim]
        );
        return Err(call.size_error(0, dim, problem).argument("length"));
    }
    Ok(replaced(input, dim, Dim::known(length)).into())
}

fn counted_from_one(name: &str) -> Box<Error> {
    Error::new(Kind::Argument, format!("has {name} = 0; it counts from 1, or from -1 at the end.")).argument(name)
}

/// (*, S, *) -> (*, *)
fn select_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let dim = call.dim("dim", input.len())?;
    let index = call.args.whole("index");
    if index == 0 {
        return Err(counted_from_one("index"));
    }
    if input[dim].is_at_least(index.abs()).is_no() {
        let problem =
            format!("has index = {index}, but dimension {} of its input {} is {}.", dim + 1, Shown(input), input[dim]);
        return Err(call.size_error(0, dim, problem).argument("index"));
    }
    let mut output = input.to_vec();
    output.remove(dim);
    Ok(output.into())
}

/// (*, S, *) -> (*, ceil((end - start) / step), *) with start and end inside 0 to S; negative ones count from S.
fn slice_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let dim = call.dim("dim", input.len())?;
    let size = input[dim];
    let start = call.args.get_whole("start").unwrap_or(0);
    // written so that the size stands in each formula once, wherever that can be
    let length = match (start, call.args.get_whole("end")) {
        (0.., None) => size - start,
        (0.., Some(end)) if end >= 0 => (size - start).min(end - start),
        (0.., Some(end)) => size + end - start,
        (_, None) => size.min(-start),
        (_, Some(end)) if end >= 0 => size.min(end).min(-start).min(end - start - size),
        (_, Some(end)) => (size + end).min(end - start),
    };
    Ok(replaced(input, dim, length.max(0).ceil_div(call.args.whole("step"))).into())
}

/// How many places an index lists that must be a vector or one number.
pub(super) fn listed(call: &Call, i: usize) -> Result<Dim> {
    match *call.input(i) {
        [] => Ok(Dim::ONE),
        [length] => Ok(length),
        ref index => {
            let problem = format!("needs an index of at most 1 dimension as input {}, not {}.", i + 1, index.len());
            Err(Error::new(Kind::Rank, problem).inputs([i + 1]))
        }
    }
}

/// What is left of `count`, a number of elements picked from among `size` ones: from nothing, nothing.
pub(super) fn picked(count: Dim, size: Dim) -> Result<Dim> {
    let left = if size.equals(0).is_yes() { count.unify(0) } else { Some(count) };
    left.ok_or_else(|| Error::new(Kind::Size, "cannot pick anything: there is no element to pick from."))
}

/// (*, S, *), (N) -> (*, N, *); of a scalar only one
fn index_select_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let dim = call.dim("dim", nameable(input))?;
    let listed = listed(call, 1)?;
    if input.is_empty() {
        return match listed.unify(1) {
            Some(_) => Ok(Dims::new().into()),
            None => {
                let problem = format!("can pick one element of a scalar, not {listed}.");
                Err(Error::new(Kind::Size, problem).inputs([2]).sizes([listed]))
            }
        };
    }
    let listed = picked(listed, input[dim]).map_err(|error| error.dim(dim + 1).inputs([1]).sizes([input[dim]]))?;
    Ok(replaced(input, dim, listed).into())
}

/// What is left of an index whose sizes are at most those of input `i`, but for dimension `except`.
pub(super) fn fits_into(call: &Call, index: &[Dim], i: usize, except: Option<usize>) -> Result<Dims> {
    let other = with_dimensions(call.input(i));
    if index.len() != other.len() {
        let (wanted, given) = (call.input(i).len(), call.input(1).len());
        let problem = format!("needs an index of as many dimensions as input {}, {wanted}, not {given}.", i + 1);
        return Err(Error::new(Kind::Rank, problem).inputs([i + 1, 2]));
    }
    let mut index = index.to_vec();
    for (d, (size, &most)) in index.iter_mut().zip(other).enumerate().filter(|&(d, _)| Some(d) != except) {
        *size = size.keep_at_most(most).ok_or_else(|| {
            let problem =
                format!("has an index that is larger than input {} in dimension {}: {size} and {most}.", i + 1, d + 1);
            call.size_error(1, d, problem).sizes([*size, most]).inputs([i + 1, 2])
        })?;
    }
    Ok(index)
}

/// Whether an index lists anything whatever its unknown sizes are; PyTorch checks no other.
pub(super) fn lists_something(index: &[Dim]) -> bool {
    index.iter().all(|size| size.is_at_least(1).is_yes())
}

/// (S...), (N...) -> (N...), with N at most S but for dim
fn gather_rule(call: &Call) -> Result<Outputs> {
    let (input, index) = (with_dimensions(call.input(0)), call.input(1));
    let dim = call.dim("dim", input.len())?;
    if !lists_something(index) {
        return Ok(index.to_vec().into());
    }
    let mut output = fits_into(call, with_dimensions(index), 0, Some(dim))?;
    picked(Dim::ONE, input[dim]).map_err(|error| error.dim(dim + 1).inputs([1]).sizes([input[dim]]))?;
    // a scalar stays one
    output.truncate(index.len());
    Ok(output.into())
}

/// (*, S, *), (*, N, *) -> (*, N, *), the other dimensions broadcast; without dim (number of elements of the index)
fn take_along_dim_rule(call: &Call) -> Result<Outputs> {
    let (input, index) = (call.input(0), call.input(1));
    let Some(dim) = call.args.get_whole("dim") else {
        let count = elements(call, 1)?.count();
        let count = picked(count, elements(call, 0)?.count()).map_err(|error| error.inputs([1, 2]))?;
        return Ok(vec![count].into());
    };
    if input.len() != index.len() {
        let problem = format!(
            "needs inputs of one number of dimensions with argument 'dim', not {} and {}.",
            input.len(),
            index.len()
        );
        return Err(Error::new(Kind::Rank, problem).inputs([1, 2]));
    }
    let dim = call.resolve("dim", dim, input.len())?;
    // along dim both keep their sizes
    let mut output = broadcast(&[&replaced(input, dim, Dim::ONE), &replaced(index, dim, index[dim])])?;
    if lists_something(&output) {
        output[dim] = picked(index[dim], input[dim])
            .map_err(|error| error.dim(dim + 1).inputs([1, 2]).sizes([input[dim], index[dim]]))?;
    }
    Ok(output.into())
}

/// (*), (N...) -> (N...)
fn take_rule(call: &Call) -> Result<Outputs> {
    if elements(call, 0)?.count().equals(0).is_yes() && lists_something(call.input(1)) {
        let problem = "cannot pick anything: there is no element to pick from.";
        return Err(Error::new(Kind::Size, problem).inputs([1]));
    }
    Ok(call.input(1).to_vec().into())
}

/// Anything from none to all of the elements that the inputs broadcast to.
fn masked_select_rule(call: &Call) -> Result<Outputs> {
    let all = broadcast(call.inputs())?.iter().fold(Dim::ONE, |product, &size| product * size);
    Ok(vec![Dim::at_least(0).min(all)].into())
}

/// (*) -> (found, number of dimensions); as a list, one (found) for each dimension
fn nonzero_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    if !call.args.flag("as_list") {
        return argwhere_rule(call);
    }
    let found = vec![Dim::at_least(0).min(elements(call, 0)?.count())];
    Ok(vec![found; nameable(input)].into())
}

fn argwhere_rule(call: &Call) -> Result<Outputs> {
    let found = Dim::at_least(0).min(elements(call, 0)?.count());
    Ok(vec![found, Dim::known(call.input(0).len() as i64)].into())
}

/// What `indices` pick: their broadcast, then the dimensions of `input` after the ones they name.
fn indexed(call: &Call, indices: &[&[Dim]]) -> Result<Dims> {
    let input = call.input(0);
    if indices.len() > input.len() {
        let problem = format!(
            "has {} for an input of {}.",
            counted(indices.len(), "index tensor"),
            counted(input.len(), "dimension")
        );
        return Err(Error::new(Kind::Rank, problem)
            .inputs([1])
            .hint("One index tensor picks places of one dimension."));
    }
    let mut output = broadcast(indices).map_err(|error| {
        let shapes: Vec<Shape> = indices.iter().map(|&index| index.into()).collect();
        let problem = format!("has index tensors that do not broadcast: {}.", shown_list(&shapes));
        Error::new(error.kind, problem).hint("Sizes must be equal or 1.").inputs(error.input.iter().map(|i| i + 1))
    })?;
    if is_empty(&input[..indices.len()]) && lists_something(&output) {
        let problem = "cannot pick anything: there is no element to pick from.";
        return Err(Error::new(Kind::Size, problem).inputs([1]));
    }
    output.extend_from_slice(&input[indices.len()..]);
    Ok(output)
}

/// (S_1, ..., S_k, *), k index tensors -> (their broadcast, *)
fn index_rule(call: &Call) -> Result<Outputs> {
    Ok(indexed(call, &call.inputs()[1..])?.into())
}

/// (S...), index tensors, values that expand to what the index tensors pick -> (S...)
fn index_put_rule(call: &Call) -> Result<Outputs> {
    let (values, indices) = (call.inputs().len() - 1, call.inputs().len() - 2);
    let picked = indexed(call, &call.inputs()[1..values])?;
    let picked = expand_into(call.input(values), &picked).map_err(|error| {
        let problem = format!(
            "cannot write input {} of shape {} where its index tensors pick {}.",
            values + 1,
            Shown(call.input(values)),
            Shown(&picked)
        );
        Error::new(error.kind, problem).inputs([values + 1]).sizes(error.sizes)
    })?;
    // what the values say of the dimensions without an index tensor
    let rest = call.input(0).len() - indices;
    let mut output = call.input(0)[..indices].to_vec();
    output.extend_from_slice(&picked[picked.len() - rest..]);
    Ok(output.into())
}
