//! Pooling into as many windows as the output has elements.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool2d.html>

use super::{filled, with_indices, RETURN_INDICES, WITH_INDICES};
use crate::args::{in_full, spread, Arg};
use crate::dim::Dim;
use crate::error::Result;
use crate::op::{Call, Op, Outputs};
use crate::shape::Dims;

const MEAN: &str = "mean of as many windows as the output has elements";
const MAXIMUM: &str = "maximum of as many windows as the output has elements";

const OUTPUT_SIZE: Arg = Arg::wholes_or_missing("output_size").min(0);
const AVG: &[Arg] = &[OUTPUT_SIZE];
const MAX: &[Arg] = &[OUTPUT_SIZE, RETURN_INDICES];

/// The mean of as many windows as the output has elements, over `n` spatial dimensions; a module.
pub const fn adaptive_avg(name: &'static str, n: usize) -> Op {
    let rule = match n {
        1 => avg_rule::<1, true>,
        2 => avg_rule::<2, true>,
        _ => avg_rule::<3, true>,
    };
    Op::new(name, "pool", MEAN, rule).args(AVG)
}

/// The same as a function.
pub const fn adaptive_avg_function(name: &'static str, n: usize) -> Op {
    let rule = match n {
        1 => avg_rule::<1, false>,
        2 => avg_rule::<2, false>,
        _ => avg_rule::<3, false>,
    };
    Op::new(name, "pool", MEAN, rule).args(AVG)
}

/// The maximum of as many windows as the output has elements, over `n` spatial dimensions; a module.
pub const fn adaptive_max(name: &'static str, n: usize) -> Op {
    let rule = match n {
        1 => max_rule::<1, true>,
        2 => max_rule::<2, true>,
        _ => max_rule::<3, true>,
    };
    Op::new(name, "pool", MAXIMUM, rule).args(MAX).outputs(WITH_INDICES)
}

/// The same as a function.
pub const fn adaptive_max_function(name: &'static str, n: usize) -> Op {
    let rule = match n {
        1 => max_rule::<1, false>,
        2 => max_rule::<2, false>,
        _ => max_rule::<3, false>,
    };
    Op::new(name, "pool", MAXIMUM, rule).args(MAX).outputs(WITH_INDICES)
}

fn avg_rule<const N: usize, const MODULE: bool>(call: &Call) -> Result<Outputs> {
    let output_size = output_size::<N, MODULE>(call)?;
    if output_size.iter().all(|&size| size == Some(1)) {
        // a plain mean, which in 2 and 3 dimensions asks nothing of the others
        let input = if N == 1 { call.input_of_rank(0, &[2, 3])? } else { call.input_of_at_least(0, N)? };
        return Ok(resized(input.to_vec(), output_size).into());
    }
    let rank = call.input_of_rank(0, &[N + 1, N + 2])?.len();
    let first = if N == 3 { 1 } else { rank - N };
    Ok(resized(filled(call, first)?, output_size).into())
}

fn max_rule<const N: usize, const MODULE: bool>(call: &Call) -> Result<Outputs> {
    let output_size = output_size::<N, MODULE>(call)?;
    call.input_of_rank(0, &[N + 1, N + 2])?;
    Ok(with_indices(call, resized(filled(call, 1)?, output_size)))
}

/// The size of the output, NA where the input keeps its own. A module of R torch repeats a single number, a function does not.
fn output_size<const N: usize, const MODULE: bool>(call: &Call) -> Result<[Option<i64>; N]> {
    let sizes = call.args.get_wholes_or_missing("output_size").unwrap_or(&[]);
    if MODULE {
        spread("output_size", sizes)
    } else {
        in_full("output_size", sizes)
    }
}

/// (N, C, L...) -> (N, C, output_size...); an NA in output_size keeps that length; N may be missing.
fn resized<const N: usize>(mut sizes: Dims, output_size: [Option<i64>; N]) -> Dims {
    let first = sizes.len().saturating_sub(N);
    for (length, size) in sizes[first..].iter_mut().zip(output_size) {
        *length = size.map_or(*length, Dim::known);
    }
    sizes
}
