//! Sums of products over dimensions of two tensors.
//! <https://docs.pytorch.org/docs/stable/generated/torch.tensordot.html>,
//! <https://docs.pytorch.org/docs/stable/generated/torch.inner.html>

use super::{batch_of, elements, last};
use crate::args::{Arg, Value};
use crate::dim::Dim;
use crate::error::{counted, Error, Kind, Result};
use crate::op::{Call, Cost, Inputs, Op, Outputs};
use crate::shape::Dims;

const TENSORDOT: &[Arg] = &[Arg::any("dims")];

pub const fn tensordot(name: &'static str) -> Op {
    Op::new(name, "linear", "sums products over dimensions of both inputs", tensordot_rule)
        .args(TENSORDOT)
        .inputs(Inputs::named(&["a", "b"]))
        .cost(tensordot_cost)
}

pub const fn inner(name: &'static str) -> Op {
    Op::new(name, "linear", "sums products over the last dimensions", inner_rule).inputs(Inputs::TWO).cost(inner_cost)
}

/// (*, m), (+, m) -> (*, +); a scalar multiplies the other.
fn inner_rule(call: &Call) -> Result<Outputs> {
    let (x, y) = (call.input(0), call.input(1));
    if !x.is_empty() && !y.is_empty() {
        call.common_size("size to sum over", &[(0, last(x)), (1, last(y))])?;
        return Ok(batch_of(&x[..last(x)], &y[..last(y)]).into());
    }
    Ok(batch_of(x, y).into())
}

/// macs = the last size an output element.
fn inner_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let (x, y) = (call.input(0), call.input(1));
    let summed = match (x.last(), y.last()) {
        (Some(a), Some(&b)) => a.unify(b).unwrap_or(b),
        _ => Dim::ONE,
    };
    Cost { macs: elements(outputs[0]) * summed, ..Cost::FREE }
}

/// What is not summed over, of a and then of b; sizes summed over are equal or 1.
fn tensordot_rule(call: &Call) -> Result<Outputs> {
    let (a, b) = (call.input(0), call.input(1));
    let (x, y) = tensordot_dims(call)?;
    for (&i, &j) in x.iter().zip(&y) {
        if a[i].broadcast(b[j]).is_none() {
            let problem = format!(
                "cannot sum over dimension {} of input 1 and dimension {} of input 2: they are {} and {}.",
                i + 1,
                j + 1,
                a[i],
                b[j]
            );
            return Err(Error::new(Kind::Size, problem)
                .argument("dims")
                .sizes([a[i], b[j]])
                .inputs([1, 2])
                .hint("Sizes must be equal or 1."));
        }
    }
    let kept = |dims: &[Dim], summed: &[usize]| -> Dims {
        dims.iter().enumerate().filter(|(d, _)| !summed.contains(d)).map(|(_, &size)| size).collect()
    };
    Ok(batch_of(&kept(a, &x), &kept(b, &y)).into())
}

/// macs = the sizes summed over an output element.
fn tensordot_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let (a, b) = (call.input(0), call.input(1));
    let summed = tensordot_dims(call).map_or(Dim::ONE, |(x, y)| {
        x.iter().zip(&y).filter_map(|(&i, &j)| a[i].broadcast(b[j])).fold(Dim::ONE, |product, size| product * size)
    });
    Cost { macs: elements(outputs[0]) * summed, ..Cost::FREE }
}

fn wrong_dims(given: &Value) -> Box<Error> {
    let problem = format!(
        "needs for argument 'dims' one whole number >= 1, or a list of the dimensions of each input, not {}.",
        given.shown()
    );
    Error::new(Kind::Argument, problem).argument("dims")
}

/// The dimensions of both inputs that are summed over, counted from 0: the last of a and the first of b, or those listed.
fn tensordot_dims(call: &Call) -> Result<(Vec<usize>, Vec<usize>)> {
    let (a, b) = (call.input(0), call.input(1));
    let two = Value::whole(2);
    let given = call.args.get_raw("dims").unwrap_or(&two);
    match given {
        Value::List(items) => {
            let [(_, of_a), (_, of_b), ..] = items.as_slice() else { return Err(wrong_dims(given)) };
            let (x, y) = (listed(call, given, of_a, 0)?, listed(call, given, of_b, 1)?);
            if x.len() != y.len() {
                let problem =
                    format!("has {} of input 1 in dims, but {} of input 2.", counted(x.len(), "dimension"), y.len());
                return Err(Error::new(Kind::Argument, problem).argument("dims"));
            }
            Ok((x, y))
        }
        Value::Numbers(numbers) => {
            let [Some(n)] = numbers[..] else { return Err(wrong_dims(given)) };
            if n.fract() != 0.0 || n < 1.0 {
                return Err(wrong_dims(given));
            }
            let least = a.len().min(b.len());
            if n > least as f64 {
                let problem = format!(
                    "cannot sum over {n} dimensions: its inputs have {} and {}.",
                    counted(a.len(), "dimension"),
                    b.len()
                );
                return Err(Error::new(Kind::Dim, problem).argument("dims"));
            }
            let n = n as usize;
            Ok(((a.len() - n..a.len()).collect(), (0..n).collect()))
        }
        _ => Err(wrong_dims(given)),
    }
}

/// The dimensions of input `i`, each at most once.
fn listed(call: &Call, given: &Value, dims: &Value, i: usize) -> Result<Vec<usize>> {
    let dims: Option<Vec<i64>> = match dims {
        Value::Null => Some(Vec::new()),
        Value::Numbers(numbers) => {
            let whole = |n: &Option<f64>| n.filter(|n| n.fract() == 0.0).map(|n| n as i64);
            numbers.iter().map(whole).collect()
        }
        _ => None,
    };
    call.resolve_all("dims", &dims.ok_or_else(|| wrong_dims(given))?, call.input(i).len())
}
