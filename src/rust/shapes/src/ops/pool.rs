//! Pooling.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html>

use crate::args::{spread, Arg};
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{Call, Op, Outputs};
use crate::shape::Shown;

const MAX: &[Arg] = &[
    Arg::wholes("kernel_size").min(1),
    Arg::wholes("stride").min(1).optional(),
    Arg::wholes("padding").min(0).default(0),
    Arg::wholes("dilation").min(1).default(1),
    Arg::flag("return_indices", false),
    Arg::flag("ceil_mode", false),
];

const AVG: &[Arg] = &[
    Arg::wholes("kernel_size").min(1),
    Arg::wholes("stride").min(1).optional(),
    Arg::wholes("padding").min(0).default(0),
    Arg::flag("ceil_mode", false),
    Arg::flag("count_include_pad", true),
    Arg::number("divisor_override").optional(),
];

const ADAPTIVE: &[Arg] = &[Arg::wholes_or_missing("output_size").min(0)];

/// The maximum of each window over `n` spatial dimensions.
pub const fn max(name: &'static str, n: usize) -> Op {
    let rule = match n {
        1 => max_pool::<1>,
        2 => max_pool::<2>,
        _ => max_pool::<3>,
    };
    Op::new(name, "pool", "maximum of each window", rule).args(MAX).outputs(&["output", "[indices]"])
}

/// The mean of each window over `n` spatial dimensions.
pub const fn avg(name: &'static str, n: usize) -> Op {
    let rule = match n {
        1 => avg_pool::<1>,
        2 => avg_pool::<2>,
        _ => avg_pool::<3>,
    };
    Op::new(name, "pool", "mean of each window", rule).args(AVG)
}

/// The mean of as many windows as the output has elements.
pub const fn adaptive_avg(name: &'static str, n: usize) -> Op {
    let rule = match n {
        1 => adaptive_pool::<1>,
        2 => adaptive_pool::<2>,
        _ => adaptive_pool::<3>,
    };
    Op::new(name, "pool", "mean of as many windows as the output has elements", rule).args(ADAPTIVE)
}

fn max_pool<const N: usize>(call: &Call) -> Result<Outputs> {
    let output = pooled::<N>(call, call.args.spatial::<N>("dilation")?)?;
    if call.args.flag("return_indices") {
        return Ok(vec![output.clone(), output].into());
    }
    Ok(output.into())
}

fn avg_pool<const N: usize>(call: &Call) -> Result<Outputs> {
    let output = pooled::<N>(call, [1; N])?;
    if N == 3 {
        not_smaller_than_kernel::<N>(call)?;
    }
    Ok(output.into())
}

/// PyTorch's mean over 3 dimensions wants the kernel to fit into the input without its padding.
fn not_smaller_than_kernel<const N: usize>(call: &Call) -> Result<()> {
    let input = call.input(0);
    for (i, kernel_size) in call.args.spatial::<N>("kernel_size")?.into_iter().enumerate() {
        let d = input.len() - N + i;
        if input[d].is_at_least(kernel_size).is_no() {
            let problem =
                format!("has kernel_size {kernel_size}, but dimension {} of its input is {}.", d + 1, input[d]);
            let hint = format!("A size of at least {kernel_size} would fit; padding does not count here.");
            return Err(call.size_error(0, d, problem).argument("kernel_size").hint(hint));
        }
    }
    Ok(())
}

/// (N, C, L...) -> (N, C, L_out...) with L_out = floor((L + 2 padding - dilation (kernel_size - 1) - 1) / stride) + 1, or ceil
/// with ceil_mode, where the last window must start inside the input or its left padding; N may be missing.
fn pooled<const N: usize>(call: &Call, dilation: [i64; N]) -> Result<Vec<Dim>> {
    let input = call.input_of_rank(0, &[N + 1, N + 2])?;
    let kernel_size = call.args.spatial::<N>("kernel_size")?;
    let stride = match call.args.get_wholes("stride") {
        Some(stride) if !stride.is_empty() => spread::<N, i64>("stride", stride)?,
        _ => kernel_size,
    };
    let padding = call.args.spatial::<N>("padding")?;
    let mut output = input.to_vec();
    for i in 0..N {
        at_most_half_the_kernel(padding[i], kernel_size[i])?;
        let d = input.len() - N + i;
        let (length, padding) = (input[d], padding[i]);
        let extent = dilation[i] * (kernel_size[i] - 1) + 1;
        let room = length + 2 * padding - extent;
        let output_length = if call.args.flag("ceil_mode") {
            let last_start = (length + padding - 1).floor_div(stride[i]);
            room.ceil_div(stride[i]).min(last_start) + 1
        } else {
            room.floor_div(stride[i]) + 1
        };
        output[d] = output_length.keep_at_least(1).ok_or_else(|| {
            let problem = format!(
                "has a window of size {extent} that does not fit: dimension {} of its input {} is {length} with {padding} of padding on each side.",
                d + 1,
                Shown(input)
            );
            let shortest = extent - 2 * padding;
            call.size_error(0, d, problem).argument("kernel_size").hint(format!("A size of at least {shortest} would fit."))
        })?;
    }
    Ok(output)
}

fn at_most_half_the_kernel(padding: i64, kernel_size: i64) -> Result<()> {
    if padding <= kernel_size / 2 {
        return Ok(());
    }
    let problem = format!("has padding {padding}, which is more than half of its kernel_size {kernel_size}.");
    let hint = format!("A padding of at most {} would fit.", kernel_size / 2);
    Err(Error::new(Kind::Argument, problem).argument("padding").hint(hint))
}

/// (N, C, L...) -> (N, C, output_size...); an NA in output_size keeps that length; N may be missing.
fn adaptive_pool<const N: usize>(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[N + 1, N + 2])?;
    let output_size =
        spread::<N, Option<i64>>("output_size", call.args.get_wholes_or_missing("output_size").unwrap_or(&[]))?;
    let mut output = input.to_vec();
    for (length, size) in output[input.len() - N..].iter_mut().zip(output_size) {
        *length = size.map_or(*length, Dim::known);
    }
    Ok(output.into())
}
