//! Copies of the elements: repeated, tiled, expanded, or as windows that overlap.
//! <https://docs.pytorch.org/docs/stable/generated/torch.tile.html>

use super::{elements, is_empty, with_dimensions};
use crate::args::Arg;
use crate::broadcast::{expand_into, pad_left};
use crate::dim::{Dim, Elements};
use crate::error::{counted, Error, Kind, Result};
use crate::helpers::{expand_shape, Wanted};
use crate::op::{replaced, said, Call, Inputs, Op, Outputs};
use crate::shape::{Dims, Shown};

const REPEAT: &[Arg] = &[Arg::wholes("repeats")];
const TILE: &[Arg] = &[Arg::wholes("dims")];
const REPEAT_INTERLEAVE: &[Arg] = &[
    Arg::wholes("repeats").min(0).optional(),
    Arg::whole("dim").optional(),
    Arg::whole("output_size").min(0).optional(),
];
const EXPAND: &[Arg] = &[Arg::wholes("size").min(-1), Arg::flag("implicit", false)];
const BROADCAST_TO: &[Arg] = &[Arg::wholes("size").min(-1)];
const UNFOLD: &[Arg] = &[Arg::whole("dimension"), Arg::whole("size").min(0), Arg::whole("step").min(1)];

/// The whole tensor again and again; a count for each dimension at least.
pub const fn repeat(name: &'static str) -> Op {
    Op::new(name, "view", "the whole again and again along each dimension", repeat_rule).args(REPEAT)
}

/// [`repeat`] with counts that may be missing for the first dimensions.
pub const fn tile(name: &'static str) -> Op {
    Op::new(name, "view", "the whole again and again along the last dimensions", tile_rule).args(TILE)
}

/// Each element again and again.
pub const fn repeat_interleave(name: &'static str) -> Op {
    Op::new(name, "view", "each element again and again along a dimension, or of all in a row", repeat_interleave_rule)
        .inputs(Inputs::optional(&["self", "repeats"], 1))
        .args(REPEAT_INTERLEAVE)
}

/// Dimensions of size 1 made larger.
pub const fn expand(name: &'static str) -> Op {
    Op::new(name, "view", "dimensions of size 1 expanded, new ones first; -1 keeps a size", expand_rule).args(EXPAND)
}

/// [`expand`] under NumPy's name.
pub const fn broadcast_to(name: &'static str) -> Op {
    Op::new(name, "view", "dimensions of size 1 expanded, new ones first; -1 keeps a size", expand_rule)
        .args(BROADCAST_TO)
}

/// Expanded to the shape of another tensor.
pub const fn expand_as(name: &'static str) -> Op {
    Op::new(name, "view", "expanded to the shape of the other input", expand_as_rule).inputs(Inputs::TWO)
}

/// Several tensors, each expanded to what they broadcast to.
pub const fn broadcast_tensors(name: &'static str) -> Op {
    Op::new(name, "view", "each input expanded to what all broadcast to", broadcast_tensors_rule)
        .inputs(Inputs::ANY)
        .outputs(&["..."])
}

/// Windows over one dimension.
pub const fn unfold(name: &'static str) -> Op {
    Op::new(name, "view", "windows over a dimension, as a new last one", unfold_rule).args(UNFOLD)
}

/// (S_1, ..., S_n) -> (repeats_1 S_1, ..., repeats_n S_n); with more repeats the S are preceded by 1s.
fn repeat_rule(call: &Call) -> Result<Outputs> {
    let (input, repeats) = (call.input(0), call.args.wholes("repeats"));
    if repeats.len() < input.len() {
        let problem = format!(
            "needs a number in argument 'repeats' for each of the {} of its input, not {}.",
            counted(input.len(), "dimension"),
            repeats.len()
        );
        return Err(Error::new(Kind::Rank, problem).argument("repeats"));
    }
    Ok(repeated(call, "repeats", repeats)?.into())
}

/// As repeat, but missing counts are 1s before the others.
fn tile_rule(call: &Call) -> Result<Outputs> {
    let (input, dims) = (call.input(0), call.args.wholes("dims"));
    let mut repeats = vec![1; input.len().saturating_sub(dims.len())];
    repeats.extend_from_slice(dims);
    Ok(repeated(call, "dims", &repeats)?.into())
}

fn repeated(call: &Call, name: &str, repeats: &[i64]) -> Result<Dims> {
    let padded = pad_left(call.input(0), repeats.len());
    let times = |(size, &times): (Dim, &i64)| {
        // PyTorch minds the product only, so a size of 0 may be repeated -1 times
        (size * times).keep_at_least(0).ok_or_else(|| {
            let problem = format!("has {times} in argument '{name}': nothing can be repeated so often.");
            Error::new(Kind::Argument, problem).argument(name)
        })
    };
    padded.into_iter().zip(repeats).map(times).collect()
}

/// (*, S, *) -> (*, repeats S, *), or the sum of repeats where there is one for each element; without dim all elements are
/// taken in a row.
fn repeat_interleave_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let row = [elements(call, 0)?.count()];
    let (along, dim, repeated) = match call.args.get_whole("dim") {
        Some(dim) => {
            let dim = call.resolve("dim", dim, input.len())?;
            (input, dim, &input[dim..=dim])
        }
        None => (&row[..], 0, input),
    };
    // what the output's size is the product of
    let mut factors = repeated.to_vec();
    match (call.get_input(1), call.args.get_wholes("repeats")) {
        (Some(repeats), None) => {
            let length = only_dimension(repeats)?;
            one_for_each(call, length, repeated)?;
            // a tensor without elements stays so whatever output_size says
            if is_empty(repeated) {
                return Ok(replaced(along, dim, Dim::ZERO).into());
            }
            if !length.equals(1).is_yes() {
                factors.clear();
            }
            factors.push(Dim::at_least(0));
        }
        (None, Some(&[times])) => factors.push(Dim::known(times)),
        (None, Some(times)) => {
            one_for_each(call, Dim::known(times.len() as i64), repeated)?;
            factors = vec![times.iter().fold(Dim::ZERO, |sum, &times| sum + times)];
        }
        (Some(_), Some(_)) => {
            let problem = "has 'repeats' both as an input and as an argument.";
            return Err(Error::new(Kind::Argument, problem).argument("repeats"));
        }
        (None, None) => {
            let problem = "needs argument 'repeats', or a second input.";
            return Err(Error::new(Kind::Argument, problem).argument("repeats"));
        }
    }
    Ok(replaced(along, dim, repeated_size(call, &factors)?).into())
}

/// How many repeats there are: a tensor of them has one dimension or none.
fn only_dimension(repeats: &[Dim]) -> Result<Dim> {
    if repeats.len() > 1 {
        let problem = format!("needs repeats of at most 1 dimension, not {}.", repeats.len());
        return Err(Error::new(Kind::Rank, problem).inputs([2]));
    }
    Ok(with_dimensions(repeats)[0])
}

/// The repeats are one for all elements or one for each.
fn one_for_each(call: &Call, repeats: Dim, repeated: &[Dim]) -> Result<()> {
    let (Some(elements), Some(each)) = (Elements::of(repeated), Elements::of(&[repeats])) else { return Ok(()) };
    if repeats.equals(1).is_no() && each.equals(elements).is_no() {
        let count = elements.count();
        let problem = format!("needs 1 repeat or one for each element, not {repeats}: there are {}.", said(count));
        return Err(Error::new(Kind::Size, problem)
            .argument("repeats")
            .sizes([repeats, count])
            .shapes(vec![call.input(0).into()]));
    }
    Ok(())
}

/// The product of `factors`, which must be output_size where that is given.
fn repeated_size(call: &Call, factors: &[Dim]) -> Result<Dim> {
    let Some(product) = Elements::of(factors) else {
        return Err(Error::new(Kind::Size, "repeats its elements beyond 2^53.").argument("repeats"));
    };
    let Some(wanted) = call.args.get_whole("output_size") else { return Ok(product.count()) };
    if product.equals(Elements::of(&[Dim::known(wanted)]).unwrap_or(product)).is_no() {
        let problem = format!("has output_size = {wanted}, which the repeats do not make of its input.");
        return Err(Error::new(Kind::Size, problem)
            .argument("output_size")
            .sizes([Dim::known(wanted), product.count()]));
    }
    Ok(Dim::known(wanted))
}

/// (*) -> size, where an existing dimension has that size or is 1; -1 keeps it.
fn expand_rule(call: &Call) -> Result<Outputs> {
    let size = call.args.wholes("size");
    let wanted: Vec<Wanted> =
        size.iter().map(|&size| if size == -1 { Wanted::Kept } else { Wanted::Size(Dim::known(size)) }).collect();
    let output = expand_shape(call.input(0), &wanted).map_err(|error| cannot_expand(error).argument("size"))?;
    Ok(output.into())
}

/// (*), (S...) -> (S...)
fn expand_as_rule(call: &Call) -> Result<Outputs> {
    Ok(expand_into(call.input(0), call.input(1)).map_err(cannot_expand)?.into())
}

/// PyTorch's sentence made to follow the operator's name.
fn cannot_expand(mut error: Box<Error>) -> Box<Error> {
    if error.kind == Kind::Broadcast {
        error.problem.insert_str(0, "cannot expand its input: ");
    }
    error
}

/// Every output is the broadcast of all inputs.
fn broadcast_tensors_rule(call: &Call) -> Result<Outputs> {
    let output = crate::broadcast::broadcast(call.inputs())?;
    Ok(vec![output; call.inputs().len()].into())
}

/// (*, L, *) -> (*, floor((L - size) / step) + 1, *, size)
fn unfold_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let dim = call.dim("dimension", with_dimensions(input).len())?;
    let (size, step) = (call.args.whole("size"), call.args.whole("step"));
    let length = with_dimensions(input)[dim];
    let windows = ((length - size).floor_div(step) + 1).keep_at_least(1).ok_or_else(|| {
        let problem =
            format!("has windows of size {size}, but dimension {} of its input {} is {length}.", dim + 1, Shown(input));
        call.size_error(0, dim, problem).argument("size").hint(format!("A size of at least {size} would fit."))
    })?;
    // a scalar gives one window
    let mut output = if input.is_empty() { Dims::new() } else { replaced(input, dim, windows) };
    output.push(Dim::known(size));
    Ok(output.into())
}
