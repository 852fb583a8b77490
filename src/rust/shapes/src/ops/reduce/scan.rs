//! Along one dimension: running sums, differences, integrals.
//! <https://docs.pytorch.org/docs/stable/generated/torch.cumsum.html>

use crate::args::Arg;
use crate::broadcast::{broadcast, pad_left};
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{replaced, said, Call, Inputs, Op, Outputs};
use crate::shape::Dims;

const CUMSUM: &[Arg] = &[Arg::whole("dim"), Arg::any("dtype")];
const CUMMAX: &[Arg] = &[Arg::whole("dim")];

/// A running sum or product.
pub const fn cumsum(name: &'static str, summary: &'static str) -> Op {
    Op::new(name, "reduce", summary, scan_rule).args(CUMSUM)
}

pub const fn logcumsumexp(name: &'static str) -> Op {
    Op::new(name, "reduce", "running logarithm of the sum of exponentials along dim", scan_rule).args(CUMMAX)
}

/// A running extreme and its place.
pub const fn cummax(name: &'static str, summary: &'static str) -> Op {
    Op::new(name, "reduce", summary, scan_twice_rule).args(CUMMAX).outputs(&["values", "indices"])
}

/// (*) -> the same, for a dim of it; a scalar passes for one dimension.
pub fn along_dim(call: &Call) -> Result<Dims> {
    let input = call.input(0);
    call.resolve_or_scalar("dim", call.args.whole("dim"), input.len())?;
    Ok(input.to_vec())
}

fn scan_rule(call: &Call) -> Result<Outputs> {
    Ok(along_dim(call)?.into())
}

fn scan_twice_rule(call: &Call) -> Result<Outputs> {
    Ok(vec![along_dim(call)?; 2].into())
}

/// Scales down the parts along dim whose norm is too large.
pub const fn renorm(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::number("p"), Arg::whole("dim"), Arg::number("maxnorm")];
    Op::new(name, "reduce", "scales down each part along dim to a norm of at most maxnorm", renorm_rule).args(ARGS)
}

/// (*) of at least 2 dimensions -> the same
fn renorm_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 2)?;
    call.dim("dim", input.len())?;
    let number = |name: &str| call.args.get_number(name).unwrap_or(0.0);
    if number("p") <= 0.0 {
        let problem = format!("needs a positive norm for argument 'p', not {}.", number("p"));
        return Err(Error::new(Kind::Argument, problem).argument("p"));
    }
    if number("maxnorm") < 0.0 {
        let problem = format!("needs a maxnorm from 0 on, not {}.", number("maxnorm"));
        return Err(Error::new(Kind::Argument, problem).argument("maxnorm"));
    }
    Ok(input.to_vec().into())
}

/// Differences of neighbours, n times.
pub const fn diff(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::whole("n").min(0).default(1), Arg::whole("dim").default(-1)];
    Op::new(name, "reduce", "differences of neighbours along dim, n times", diff_rule)
        .args(ARGS)
        .inputs(Inputs::optional(&["self", "prepend", "append"], 2))
}

/// (*, L, *) -> (*, max(L_prepend + L + L_append - n, 0), *)
fn diff_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let n = call.args.whole("n");
    if n == 0 && call.inputs().len() == 1 && call.args.whole("dim") != 0 {
        // PyTorch does not look at dim then
        return Ok(input.to_vec().into());
    }
    let dim = call.dim("dim", input.len())?;
    let mut output = input.to_vec();
    let mut length = input[dim];
    for i in [1, 2] {
        let Some(more) = call.get_input(i) else { continue };
        call.input_of_rank(i, &[input.len()])?;
        length = length + more[dim];
        for (d, size) in output.iter_mut().enumerate().filter(|&(d, _)| d != dim) {
            *size = size.unify(more[d]).ok_or_else(|| {
                let problem = format!(
                    "needs equal sizes but along dimension {}: dimension {} is {size} in input 1 and {} in input {}.",
                    dim + 1,
                    d + 1,
                    more[d],
                    i + 1
                );
                call.size_error(i, d, problem).sizes([*size, more[d]]).inputs([1, i + 1])
            })?;
        }
    }
    if n > 0 {
        output[dim] = (length - n).max(0);
    }
    Ok(output.into())
}

/// The integral along dim by the trapezoidal rule.
pub const fn trapezoid(name: &'static str) -> Op {
    Op::new(name, "reduce", "integral along dim by the trapezoidal rule", trapezoid_rule)
        .args(TRAPEZOID)
        .inputs(Y_AND_X)
}

pub const fn cumulative_trapezoid(name: &'static str) -> Op {
    Op::new(name, "reduce", "running integral along dim by the trapezoidal rule", cumulative_trapezoid_rule)
        .args(TRAPEZOID)
        .inputs(Y_AND_X)
}

const TRAPEZOID: &[Arg] = &[Arg::any("dx"), Arg::whole("dim").default(-1)];
const Y_AND_X: Inputs = Inputs::optional(&["y", "x"], 1);

/// (*, L, *) -> (*, *)
fn trapezoid_rule(call: &Call) -> Result<Outputs> {
    let y = call.input_of_at_least(0, 1)?;
    let dim = call.dim("dim", y.len())?;
    if y[dim].equals(0).is_yes() {
        return Ok(super::reduced(y, &[dim], false).into());
    }
    Ok(super::reduced(&intervals(call, dim)?, &[dim], false).into())
}

/// (*, L, *) -> (*, L - 1, *)
fn cumulative_trapezoid_rule(call: &Call) -> Result<Outputs> {
    let y = call.input_of_at_least(0, 1)?;
    let dim = call.dim("dim", y.len())?;
    Ok(intervals(call, dim)?.into())
}

/// The broadcast of y and x, each with one element less at dim; an x of one dimension lies along dim.
fn intervals(call: &Call, dim: usize) -> Result<Dims> {
    let y = call.input(0);
    let gaps = |shape: &[Dim], dim: usize| replaced(shape, dim, (shape[dim] - 1).max(0));
    let Some(x) = call.get_input(1) else { return Ok(gaps(y, dim)) };
    let (y, x) = match x {
        [points] => {
            let length = points.unify(y[dim]).ok_or_else(|| {
                let problem = format!(
                    "needs an x for each of the {} samples along dimension {}, not {}.",
                    said(y[dim]),
                    dim + 1,
                    said(*points)
                );
                call.size_error(1, 0, problem).sizes([y[dim], *points])
            })?;
            (replaced(y, dim, length), replaced(&vec![Dim::ONE; y.len()], dim, length))
        }
        _ => (y.to_vec(), pad_left(x, y.len())),
    };
    broadcast(&[&gaps(&y, dim), &gaps(&x, dim)])
}
