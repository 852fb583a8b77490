//! Distances and similarities.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pairwise_distance.html>

use super::without_last;
use crate::args::{Arg, Value};
use crate::broadcast::broadcast;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{Call, Inputs, Op, Outputs};
use crate::shape::Shown;

const COSINE: &[Arg] = &[Arg::whole("dim").default(2), Arg::number("eps").default_number(1e-8)];
const PAIRWISE: &[Arg] = &[Arg::any("p"), Arg::number("eps").default_number(1e-6), Arg::flag("keepdim", false)];
const CDIST: &[Arg] = &[Arg::any("p"), Arg::any("compute_mode")];
const PDIST: &[Arg] = &[Arg::any("p")];
const TWO: Inputs = Inputs::named(&["x1", "x2"]);

/// The cosine of two inputs along a dimension.
pub const fn cosine_similarity(name: &'static str) -> Op {
    Op::new(name, "loss", "cosine of two inputs along a dimension", cosine_rule).inputs(TWO).args(COSINE)
}

/// The distance of two inputs along the last dimension.
pub const fn pairwise_distance(name: &'static str) -> Op {
    Op::new(name, "loss", "distance of two inputs along the last dimension", pairwise_rule).inputs(TWO).args(PAIRWISE)
}

/// The distances of all rows of one input to all rows of another.
pub const fn cdist(name: &'static str) -> Op {
    Op::new(name, "loss", "distances of all rows of one input to all of another", cdist_rule).inputs(TWO).args(CDIST)
}

/// The distances between all rows.
pub const fn pdist(name: &'static str) -> Op {
    Op::new(name, "loss", "distances of all rows to all others, each once", pdist_rule).args(PDIST)
}

/// (*, D, *), (*, D, *) -> (*, *); sizes broadcast
fn cosine_rule(call: &Call) -> Result<Outputs> {
    let mut output = broadcast(call.inputs())?;
    // a scalar is taken to have one dimension
    let dim = call.dim("dim", output.len().max(1))?;
    if dim < output.len() {
        output.remove(dim);
    }
    Ok(output.into())
}

/// (*, D), (*, D) -> (*), or (*, 1) with keepdim; sizes broadcast
fn pairwise_rule(call: &Call) -> Result<Outputs> {
    let pairs = broadcast(call.inputs())?;
    let p = power(call, f64::NEG_INFINITY)?;
    let is_empty = pairs.iter().any(|size| size.equals(0).is_yes());
    if is_empty && (p < 0.0 || p.is_infinite()) && pairs.last().is_some_and(|size| size.equals(0).is_yes()) {
        let problem = format!("has no largest difference for p = {p}: the last dimension of {} is 0.", Shown(&pairs));
        return Err(Error::new(Kind::Size, problem).argument("p").inputs([1, 2]));
    }
    let mut output = without_last(&pairs);
    if call.args.flag("keepdim") && !pairs.is_empty() {
        output.push(Dim::ONE);
    }
    Ok(output.into())
}

/// The p of a norm, which may be Inf.
fn power(call: &Call, least: f64) -> Result<f64> {
    match call.args.get_raw("p") {
        None => Ok(2.0),
        Some(Value::Numbers(numbers)) if matches!(numbers.as_slice(), [Some(p)] if *p >= least) => {
            Ok(numbers.first().copied().flatten().unwrap_or(2.0))
        }
        Some(value) => {
            let wanted = if least == 0.0 { "one number of at least 0" } else { "one number" };
            let problem = format!("needs {wanted} for argument 'p', not {}.", value.shown());
            Err(Error::new(Kind::Argument, problem).argument("p"))
        }
    }
}

/// (*, P, D), (*, R, D) -> (*, P, R); what comes before broadcasts
fn cdist_rule(call: &Call) -> Result<Outputs> {
    let (x1, x2) = (call.input_of_at_least(0, 2)?, call.input_of_at_least(1, 2)?);
    power(call, 0.0)?;
    call.common_size("number of columns", &[(0, x1.len() - 1), (1, x2.len() - 1)])?;
    let mut output = broadcast(&[&x1[..x1.len() - 2], &x2[..x2.len() - 2]])?;
    output.extend([x1[x1.len() - 2], x2[x2.len() - 2]]);
    Ok(output.into())
}

/// (N, D) -> (N (N - 1) / 2)
fn pdist_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[2])?;
    power(call, 0.0)?;
    let pairs =
        |n: i64| if n % 2 == 0 { (n / 2).saturating_mul((n - 1).max(0)) } else { n.saturating_mul((n - 1) / 2) };
    Ok(vec![input[0].map_increasing(pairs)].into())
}
