//! Padding, and moving elements between channels and space.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pad.html>

use super::is_empty;
use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{counted, one_of, Error, Kind, Result};
use crate::op::{replaced, Call, Op, Outputs};

const PAD: &[Arg] = &[
    Arg::wholes("pad"),
    Arg::choice("mode", &["constant", "reflect", "replicate", "circular"]),
    Arg::number("value").optional(),
];
const PIXEL_SHUFFLE: &[Arg] = &[Arg::whole("upscale_factor").min(1)];
const PIXEL_UNSHUFFLE: &[Arg] = &[Arg::whole("downscale_factor").min(1)];
const CHANNEL_SHUFFLE: &[Arg] = &[Arg::whole("groups").min(1)];

/// Elements added or, with negative numbers, cut off at both ends of the last dimensions.
pub const fn pad(name: &'static str) -> Op {
    Op::new(name, "view", "adds elements at the ends of the last dimensions; negative numbers cut off", pad_rule)
        .args(PAD)
}

/// Channels made space.
pub const fn pixel_shuffle(name: &'static str) -> Op {
    Op::new(name, "view", "makes space of channels", pixel_shuffle_rule).args(PIXEL_SHUFFLE)
}

/// Space made channels.
pub const fn pixel_unshuffle(name: &'static str) -> Op {
    Op::new(name, "view", "makes channels of space", pixel_unshuffle_rule).args(PIXEL_UNSHUFFLE)
}

/// Channels of several groups interleaved.
pub const fn channel_shuffle(name: &'static str) -> Op {
    Op::new(name, "view", "interleaves groups of channels", channel_shuffle_rule).args(CHANNEL_SHUFFLE)
}

/// (*, L_k, ..., L_1) -> (*, left_k + L_k + right_k, ..., left_1 + L_1 + right_1) with pad = left_1, right_1, ..., left_k, right_k
fn pad_rule(call: &Call) -> Result<Outputs> {
    let (input, pad) = (call.input(0), call.args.wholes("pad"));
    if pad.len() % 2 != 0 || pad.len() > 2 * input.len() {
        let problem = format!(
            "needs 2 numbers in argument 'pad' for each dimension it pads, at most {} for {}, not {}.",
            2 * input.len(),
            counted(input.len(), "dimension"),
            pad.len()
        );
        return Err(Error::new(Kind::Argument, problem).argument("pad"));
    }
    let mode = call.args.get_text("mode").unwrap_or("constant");
    let padded = match mode {
        "reflect" => reflected,
        "replicate" => replicated,
        "circular" => wrapped,
        _ => filled_up,
    };
    if mode != "constant" {
        spatial_only(call, mode, pad.len() / 2)?;
    }
    let mut output = input.to_vec();
    for (i, sides) in pad.chunks_exact(2).enumerate() {
        let (d, left, right) = (input.len() - 1 - i, sides[0], sides[1]);
        output[d] = padded(input[d], left, right).ok_or_else(|| {
            let problem = format!(
                "cannot pad dimension {} of its input, which is {}, by {left} and {right} in mode \"{mode}\".",
                d + 1,
                input[d]
            );
            call.size_error(0, d, problem).argument("pad").hint(limit(mode))
        })?;
    }
    Ok(output.into())
}

/// No more can be cut off than there is.
pub(crate) fn filled_up(size: Dim, left: i64, right: i64) -> Option<Dim> {
    Some((size + left.min(0) + right.min(0)).keep_at_least(0)? + left.max(0) + right.max(0))
}

/// The elements are mirrored at the first and the last one, which do not take part.
pub(crate) fn reflected(size: Dim, left: i64, right: i64) -> Option<Dim> {
    let size = size.keep_at_least((left.max(right) + 1).max(1))?;
    (size + left + right).keep_at_least(1)
}

/// The first and the last element are repeated.
pub(crate) fn replicated(size: Dim, left: i64, right: i64) -> Option<Dim> {
    (size.keep_at_least(1)? + left + right).keep_at_least(1)
}

/// Elements come in from the other end, each once at most.
fn wrapped(size: Dim, left: i64, right: i64) -> Option<Dim> {
    filled_up(size.keep_at_least(left.max(right))?, left, right)
}

fn limit(mode: &str) -> &'static str {
    match mode {
        "reflect" => "Both numbers must be less than the size, and at least one element must be left.",
        "replicate" => "There must be an element, and one at least must be left.",
        "circular" => "No number can be more than the size, and no more can be cut off than there is.",
        _ => "No more can be cut off than there is.",
    }
}

/// Every mode but "constant" pads the last 1, 2 or 3 dimensions, all that come after the channels, and takes no value.
fn spatial_only(call: &Call, mode: &str, n: usize) -> Result<()> {
    let input = call.input(0);
    if !(1..=3).contains(&n) {
        let problem = format!("needs 2, 4 or 6 numbers in argument 'pad' in mode \"{mode}\", not {}.", 2 * n);
        return Err(Error::new(Kind::Argument, problem).argument("pad"));
    }
    if input.len() != n + 1 && input.len() != n + 2 {
        let problem = format!(
            "needs an input of {} dimensions for {} numbers in argument 'pad' in mode \"{mode}\", not {}.",
            one_of(&[n + 1, n + 2]),
            2 * n,
            input.len()
        );
        return Err(Error::new(Kind::Rank, problem).argument("pad").inputs([1]));
    }
    let channels = input.len() - n - 1;
    if mode != "circular" && input[channels].is_at_least(1).is_no() {
        let problem = format!("has no elements to pad with: dimension {} of its input is 0.", channels + 1);
        return Err(call.size_error(0, channels, problem));
    }
    if call.args.get_number("value").is_some_and(|value| value != 0.0) {
        let problem = format!("takes no value in mode \"{mode}\".");
        return Err(Error::new(Kind::Argument, problem).argument("value"));
    }
    Ok(())
}

/// (*, C r r, H, W) -> (*, C, H r, W r) with r = upscale_factor
fn pixel_shuffle_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 3)?;
    let factor = call.args.whole("upscale_factor");
    let channels = input.len() - 3;
    let mut output = input.to_vec();
    output[channels] = divided(call, channels, factor.saturating_mul(factor), "upscale_factor")?;
    for size in &mut output[channels + 1..] {
        *size = *size * factor;
    }
    Ok(output.into())
}

/// (*, C, H r, W r) -> (*, C r r, H, W) with r = downscale_factor
fn pixel_unshuffle_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 3)?;
    let factor = call.args.whole("downscale_factor");
    let channels = input.len() - 3;
    let mut output = input.to_vec();
    output[channels] = output[channels] * factor.saturating_mul(factor);
    for (d, size) in output.iter_mut().enumerate().skip(channels + 1) {
        *size = divided(call, d, factor, "downscale_factor")?;
    }
    // PyTorch gives an input without elements back as it is
    Ok(if is_empty(input) { input.to_vec() } else { output }.into())
}

/// Dimension `d` divided by `divisor`, which follows from argument `name`.
fn divided(call: &Call, d: usize, divisor: i64, name: &str) -> Result<Dim> {
    let size = call.input(0)[d];
    size.exact_div(divisor).ok_or_else(|| {
        let problem = format!(
            "has {name} = {}, but dimension {} of its input is {size}, not a multiple of {divisor}.",
            call.args.whole(name),
            d + 1
        );
        call.size_error(0, d, problem).argument(name)
    })
}

/// (N, C, *) -> the same, with C a multiple of groups
fn channel_shuffle_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 3)?;
    let groups = call.args.whole("groups");
    let channels = divided(call, 1, groups, "groups")? * groups;
    Ok(replaced(input, 1, channels).into())
}
