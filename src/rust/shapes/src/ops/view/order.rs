//! The same elements in another order: dimensions swapped, flipped, rolled, rotated.
//! <https://docs.pytorch.org/docs/stable/generated/torch.permute.html>

use super::{is_empty, nameable};
use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{counted, dimension, Error, Kind, Result};
use crate::op::{Call, Op, Outputs};
use crate::shape::Dims;

const DIMS: &[Arg] = &[Arg::wholes("dims")];
const TRANSPOSE: &[Arg] = &[Arg::whole("dim0"), Arg::whole("dim1")];
const SWAPAXES: &[Arg] = &[Arg::whole("axis0"), Arg::whole("axis1")];
const MOVEDIM: &[Arg] = &[Arg::wholes("source"), Arg::wholes("destination")];
const ROLL: &[Arg] = &[Arg::wholes("shifts"), Arg::wholes("dims").optional()];
// R torch's default for dims, c(0, 1), is an error there: dimensions count from 1
const ROT90: &[Arg] = &[Arg::whole("k").default(1), Arg::wholes("dims")];

/// All dimensions in the order of `dims`.
pub const fn permute(name: &'static str) -> Op {
    Op::new(name, "view", "the dimensions in another order", permute_rule).args(DIMS)
}

/// Two dimensions swapped.
pub const fn transpose(name: &'static str) -> Op {
    Op::new(name, "view", "two dimensions swapped", transpose_rule::<false>).args(TRANSPOSE)
}

/// [`transpose`] under NumPy's name.
pub const fn swapaxes(name: &'static str) -> Op {
    Op::new(name, "view", "two dimensions swapped", transpose_rule::<true>).args(SWAPAXES)
}

/// The transpose of a matrix.
pub const fn t(name: &'static str) -> Op {
    Op::new(name, "view", "the transpose of a matrix", t_rule)
}

/// The conjugate transpose of matrices.
pub const fn adjoint(name: &'static str) -> Op {
    Op::new(name, "view", "the conjugate transpose of the last two dimensions", adjoint_rule)
}

/// Dimensions moved to other places, the others in their order.
pub const fn movedim(name: &'static str) -> Op {
    Op::new(name, "view", "dimensions moved to other places", movedim_rule).args(MOVEDIM)
}

/// Elements in reverse along `dims`.
pub const fn flip(name: &'static str) -> Op {
    Op::new(name, "view", "the elements in reverse along dimensions", flip_rule).args(DIMS)
}

/// Elements in reverse along the second dimension.
pub const fn fliplr(name: &'static str) -> Op {
    Op::new(name, "view", "the elements in reverse along dimension 2", same_with_at_least::<2>)
}

/// Elements in reverse along the first dimension.
pub const fn flipud(name: &'static str) -> Op {
    Op::new(name, "view", "the elements in reverse along dimension 1", same_with_at_least::<1>)
}

/// Elements shifted along dimensions, those that leave at one end enter at the other.
pub const fn roll(name: &'static str) -> Op {
    Op::new(name, "view", "the elements shifted round along dimensions", roll_rule).args(ROLL)
}

/// `k` quarter turns in the plane of two dimensions.
pub const fn rot90(name: &'static str) -> Op {
    Op::new(name, "view", "quarter turns in the plane of two dimensions", rot90_rule).args(ROT90)
}

/// (S_1, ..., S_n) -> (S_dims[1], ..., S_dims[n])
fn permute_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let given = call.args.wholes("dims").len();
    if given != input.len() {
        let problem =
            format!("needs {} in argument 'dims', not {given}: it orders them all.", counted(input.len(), "dimension"));
        return Err(Error::new(Kind::Dim, problem).argument("dims"));
    }
    let dims = call.dims("dims", input.len())?;
    Ok(dims.into_iter().map(|dim| input[dim]).collect::<Dims>().into())
}

/// (*, S, *, T, *) -> (*, T, *, S, *)
fn transpose_rule<const AXES: bool>(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let (first, second) = if AXES { ("axis0", "axis1") } else { ("dim0", "dim1") };
    let (first, second) = (call.dim(first, nameable(input))?, call.dim(second, nameable(input))?);
    Ok(swapped(input, first, second).into())
}

fn swapped(input: &[Dim], first: usize, second: usize) -> Dims {
    let mut output = input.to_vec();
    // a scalar has nothing to swap
    if first != second {
        output.swap(first, second);
    }
    output
}

/// (N, M) -> (M, N); a vector or a scalar stays.
fn t_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[0, 1, 2])?;
    Ok(input.iter().rev().copied().collect::<Dims>().into())
}

/// (*, N, M) -> (*, M, N); a scalar stays.
fn adjoint_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    if input.is_empty() {
        return Ok(Dims::new().into());
    }
    let rank = call.input_of_at_least(0, 2)?.len();
    Ok(swapped(input, rank - 2, rank - 1).into())
}

/// Dimension source[i] of the input is dimension destination[i] of the output.
fn movedim_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let (source, destination) = (call.args.wholes("source").len(), call.args.wholes("destination").len());
    if source != destination {
        let problem =
            format!("needs as many dimensions in 'destination' as in 'source', not {destination} and {source}.");
        return Err(Error::new(Kind::Argument, problem).argument("destination"));
    }
    let source = call.dims("source", nameable(input))?;
    let destination = call.dims("destination", nameable(input))?;
    let mut moved = vec![None; nameable(input)];
    let mut stays = vec![true; nameable(input)];
    for (&from, &to) in source.iter().zip(&destination) {
        moved[to] = Some(from);
        stays[from] = false;
    }
    let mut others = (0..stays.len()).filter(|&dim| stays[dim]);
    let order = moved.into_iter().filter_map(|from| from.or_else(|| others.next()));
    Ok(order.filter_map(|dim| input.get(dim).copied()).collect::<Dims>().into())
}

/// (*) -> the same
fn flip_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    call.dims("dims", nameable(input))?;
    Ok(input.to_vec().into())
}

fn same_with_at_least<const RANK: usize>(call: &Call) -> Result<Outputs> {
    Ok(call.input_of_at_least(0, RANK)?.to_vec().into())
}

/// (*) -> the same; one shift for each of dims, or one for the elements in a row.
fn roll_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let shifts = call.args.wholes("shifts").len();
    let dims = call.args.get_wholes("dims").unwrap_or(&[]);
    if shifts == 0 || (shifts != dims.len() && !(shifts == 1 && dims.is_empty())) {
        let problem = format!("needs as many shifts as dimensions, not {shifts} and {}.", dims.len());
        return Err(Error::new(Kind::Argument, problem).argument("shifts").hint("Without 'dims' one shift fits."));
    }
    for &dim in dims {
        // PyTorch does not look at dims where there is nothing to roll; R torch knows no dimension 0
        if dim == 0 || !is_empty(input) {
            call.resolve("dims", dim, input.len())?;
        }
    }
    Ok(input.to_vec().into())
}

/// (*, N, *, M, *) -> (*, M, *, N, *) for an odd number of turns, else the same
fn rot90_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 2)?;
    if call.args.wholes("dims").len() != 2 {
        let problem = format!("needs 2 dimensions in argument 'dims', not {}.", call.args.wholes("dims").len());
        return Err(Error::new(Kind::Argument, problem).argument("dims"));
    }
    let plane = call.dims("dims", input.len())?;
    let [first, second] = plane[..] else {
        let problem = format!("cannot turn in the plane of {}.", dimension(&plane));
        return Err(Error::new(Kind::Dim, problem).argument("dims"));
    };
    let turned = call.args.whole("k") % 2 != 0;
    Ok(if turned { swapped(input, first, second) } else { input.to_vec() }.into())
}
