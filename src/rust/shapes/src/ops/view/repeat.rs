//! Copies of the elements: repeated, tiled, expanded, or as windows that overlap.
//! <https://docs.pytorch.org/docs/stable/generated/torch.tile.html>

use super::{elements, nameable};
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
    let (input, dim) = match call.args.get_whole("dim") {
        Some(dim) => {
            let input = call.input_of_at_least(0, 1)?;
            (input, call.resolve("dim", dim, input.len())?)
        }
        None => (if input.len() == 1 { input } else { &row[..] }, 0),
    };
    let size = input[dim];
    // the sizes whose product is repeated
    let factors = if call.args.is_given("dim") { vec![size] } else { call.input(0).to_vec() };
    let repeated = match (call.get_input(1), call.args.get_wholes("repeats")) {
        (Some(repeats), None) => repeated_by_tensor(call, repeats, size, &factors)?,
        (None, Some(&[times])) => size * times,
        (None, Some(times)) => {
            one_for_each(call, Dim::known(times.len() as i64), size, &factors)?;
            times.iter().fold(Dim::ZERO, |sum, &times| sum + times)
        }
        (Some(_), Some(_)) => {
            let problem = "has 'repeats' both as an input and as an argument.";
            return Err(Error::new(Kind::Argument, problem).argument("repeats"));
        }
        (None, None) => {
            let problem = "needs argument 'repeats', or a second input.";
            return Err(Error::new(Kind::Argument, problem).argument("repeats"));
        }
    };
    let repeated = match call.args.get_whole("output_size") {
        Some(wanted) => {
            // each element equally often: a multiple of that, and of the sizes that are known
            let is_multiple = match call.args.get_wholes("repeats") {
                Some(&[times]) => may_be_equal(&[&factors[..], &[Dim::known(times)]].concat(), Dim::known(wanted)),
                _ => true,
            };
            repeated.unify(wanted).filter(|_| is_multiple).ok_or_else(|| {
                let problem = format!("has output_size = {wanted}, but the repeats make {}.", said(repeated));
                Error::new(Kind::Size, problem).argument("output_size").sizes([Dim::known(wanted), repeated])
            })?
        }
        None => repeated,
    };
    Ok(replaced(input, dim, repeated).into())
}

/// The sum of the elements of `repeats`, none of which is negative; it is 0 if there is nothing to repeat.
fn repeated_by_tensor(call: &Call, repeats: &[Dim], size: Dim, factors: &[Dim]) -> Result<Dim> {
    match *repeats {
        [] => {}
        [length] => one_for_each(call, length, size, factors)?,
        _ => {
            let problem = format!("needs repeats of at most 1 dimension, not {}.", repeats.len());
            return Err(Error::new(Kind::Rank, problem).inputs([2]));
        }
    }
    Ok(size * Dim::at_least(0))
}

/// The repeats are one for all elements or one for each.
fn one_for_each(call: &Call, repeats: Dim, size: Dim, factors: &[Dim]) -> Result<()> {
    if !repeats.equals(1).is_no() || may_be_equal(factors, repeats) {
        return Ok(());
    }
    let problem = format!("needs 1 or {} repeats, one for each element, not {repeats}.", said(size));
    Err(Error::new(Kind::Size, problem).argument("repeats").sizes([repeats, size]).shapes(vec![call.input(0).into()]))
}

/// Whether the product of `factors` may be `product`.
fn may_be_equal(factors: &[Dim], product: Dim) -> bool {
    let (made, wanted) = (Elements::of(factors), Elements::of(&[product]));
    made.zip(wanted).is_some_and(|(made, wanted)| !made.equals(wanted).is_no())
}

/// (*) -> size, where an existing dimension has that size or is 1; -1 keeps it.
fn expand_rule(call: &Call) -> Result<Outputs> {
    let size = call.args.wholes("size");
    let wanted: Vec<Wanted> =
        size.iter().map(|&size| if size == -1 { Wanted::Kept } else { Wanted::Size(Dim::known(size)) }).collect();
    Ok(expand_shape(call.input(0), &wanted).map_err(|error| error.argument("size"))?.into())
}

/// (*), (S...) -> (S...)
fn expand_as_rule(call: &Call) -> Result<Outputs> {
    Ok(expand_into(call.input(0), call.input(1))?.into())
}

/// Every output is the broadcast of all inputs.
fn broadcast_tensors_rule(call: &Call) -> Result<Outputs> {
    let output = crate::broadcast::broadcast(call.inputs())?;
    Ok(vec![output; call.inputs().len()].into())
}

/// (*, L, *) -> (*, floor((L - size) / step) + 1, *, size)
fn unfold_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let dim = call.dim("dimension", nameable(input))?;
    let (size, step) = (call.args.whole("size"), call.args.whole("step"));
    let length = input.get(dim).copied().unwrap_or(Dim::ONE);
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
