//! Pooling into windows at random places.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.FractionalMaxPool2d.html>

use super::{filled, with_indices, KERNEL_SIZE, RETURN_INDICES, WITH_INDICES};
use crate::args::{in_full, spread, Arg};
use crate::dim::{Dim, MAX_SIZE};
use crate::error::{Error, Kind, Result};
use crate::op::{said, Call, Inputs, Op, Outputs};

const ARGS: &[Arg] = &[
    KERNEL_SIZE,
    Arg::wholes("output_size").min(0).optional(),
    Arg::numbers("output_ratio").optional(),
    RETURN_INDICES,
];

/// The maximum of windows at random places, over `n` spatial dimensions.
pub const fn fractional_max(name: &'static str, n: usize) -> Op {
    let rule = if n == 2 { module::<2> } else { module::<3> };
    Op::new(name, "pool", "maximum of windows at random places", rule).args(ARGS).outputs(WITH_INDICES)
}

/// The maximum of windows at random places, or at those that `random_samples` gives.
pub const fn fractional_max_function(name: &'static str, n: usize) -> Op {
    let rule = if n == 2 { function::<2> } else { function::<3> };
    Op::new(name, "pool", "maximum of windows at random places", rule)
        .args(ARGS)
        .inputs(Inputs::optional(&["input", "random_samples"], 1))
        .outputs(WITH_INDICES)
}

/// What the output has of each spatial dimension.
enum Wanted<const N: usize> {
    Size([i64; N]),
    Ratio([f64; N]),
}

/// A module takes exactly one of output_size and output_ratio, and a single number for all dimensions.
fn module<const N: usize>(call: &Call) -> Result<Outputs> {
    let wanted = match (call.args.get_wholes("output_size"), call.args.get_numbers("output_ratio")) {
        (Some(size), None) => Wanted::Size(spread("output_size", size)?),
        (None, Some(ratio)) => Wanted::Ratio(spread("output_ratio", ratio)?),
        (Some(_), Some(_)) => return Err(neither_or_both("not both")),
        (None, None) => return Err(neither_or_both("not none")),
    };
    if let Wanted::Ratio(ratio) = &wanted {
        if let Some(ratio) = ratio.iter().find(|ratio| !(0.0..=1.0).contains(*ratio)) {
            let problem = format!("needs an output_ratio between 0 and 1, not {ratio}.");
            return Err(Error::new(Kind::Argument, problem).argument("output_ratio"));
        }
    }
    pooled(call, call.args.spatial::<N>("kernel_size")?, wanted)
}

/// A function goes by output_size where both are given, and takes a number for each dimension.
fn function<const N: usize>(call: &Call) -> Result<Outputs> {
    let wanted = match (call.args.get_wholes("output_size"), call.args.get_numbers("output_ratio")) {
        (Some(size), _) => Wanted::Size(in_full("output_size", size)?),
        (None, Some(ratio)) => Wanted::Ratio(spread("output_ratio", ratio)?),
        (None, None) => return Err(neither_or_both("not none")),
    };
    pooled(call, in_full::<N, _>("kernel_size", call.args.wholes("kernel_size"))?, wanted)
}

fn neither_or_both(not: &str) -> Box<Error> {
    let problem = format!("needs one of the arguments 'output_size' and 'output_ratio', {not}.");
    Error::new(Kind::Argument, problem).argument("output_size")
}

/// (N, C, L...) -> (N, C, output_size...) or, with a ratio, (N, C, trunc(L ratio)...); N may be missing.
fn pooled<const N: usize>(call: &Call, kernel_size: [i64; N], wanted: Wanted<N>) -> Result<Outputs> {
    let rank = match wanted {
        Wanted::Size(_) => call.input_of_rank(0, &[N + 1, N + 2])?.len(),
        // R torch looks for the lengths behind a batch
        Wanted::Ratio(_) => call.input_of_rank(0, &[N + 2])?.len(),
    };
    let mut output = filled(call, 1)?;
    samples_fit::<N>(call, &mut output)?;
    for i in 0..N {
        let d = rank - N + i;
        let length = output[d];
        // the kernel must fit behind the last window's first place; in 3 dimensions with one to spare
        let spare = kernel_size[i] - if N == 2 { 1 } else { 0 };
        let too_large = || {
            let problem = format!(
                "has a kernel of size {} that is too large for its output_size: dimension {} of {} is {}.",
                kernel_size[i],
                d + 1,
                call.the_input(0),
                said(length)
            );
            call.size_error(0, d, problem).argument("kernel_size")
        };
        output[d] = match wanted {
            Wanted::Size(size) => {
                let shortest = Dim::known(size[i]) + spare;
                length
                    .keep_at_least(shortest)
                    .ok_or_else(|| too_large().hint(format!("A size of at least {shortest} would fit.")))?;
                Dim::known(size[i])
            }
            Wanted::Ratio(ratio) => {
                let part = |length: i64| (length as f64 * ratio[i]) as i64;
                let fitting = length
                    .keep_where(|length| part(length) >= 0)
                    .and_then(|length| length.keep_where(|length| length - part(length) >= spare))
                    .ok_or_else(|| too_large().argument("output_ratio"))?;
                fitting.map_increasing(part).min(part(MAX_SIZE).max(0))
            }
        };
    }
    Ok(with_indices(call, output))
}

/// The samples are (at least N, C, number of spatial dimensions). Those R torch makes by itself take the first two dimensions of
/// the input for N and C, so they fit an input without a batch only if its first two dimensions are equal.
fn samples_fit<const N: usize>(call: &Call, sizes: &mut [Dim]) -> Result<()> {
    let channels = sizes.len() - N - 1;
    if call.get_input(1).is_none() {
        if channels == 0 {
            let both = sizes[0].unify(sizes[1]).ok_or_else(|| {
                let problem = format!(
                    "needs an input with a batch: without one, R torch makes samples that fit only if dimensions 1 and 2 are equal, not {} and {}.",
                    sizes[0], sizes[1]
                );
                call.size_error(0, 0, problem).sizes([sizes[0], sizes[1]])
            })?;
            sizes[0] = both;
            sizes[1] = both;
        }
        return Ok(());
    }
    let samples = call.input_of_rank(1, &[3])?;
    let clash = |d: usize, wanted: String| {
        let problem =
            format!("needs dimension {} of input 2 ('random_samples') to be {wanted}, not {}.", d + 1, samples[d]);
        call.size_error(1, d, problem)
    };
    let batch = if channels == 0 { Dim::ONE } else { sizes[0] };
    let batch = batch.keep_at_most(samples[0]).ok_or_else(|| clash(0, format!("at least {batch}")))?;
    let known_channels = sizes[channels];
    sizes[channels] = known_channels
        .unify(samples[1])
        .ok_or_else(|| clash(1, format!("{known_channels}, as many as its input has channels")))?;
    samples[2].unify(N as i64).ok_or_else(|| clash(2, N.to_string()))?;
    if channels == 1 {
        sizes[0] = batch;
    }
    Ok(())
}
