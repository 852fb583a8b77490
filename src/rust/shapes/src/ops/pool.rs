//! Pooling.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html>

mod adaptive;
mod fractional;
mod unpool;

pub use adaptive::{adaptive_avg, adaptive_avg_function, adaptive_max, adaptive_max_function};
pub use fractional::{fractional_max, fractional_max_function};
pub use unpool::max_unpool;

use super::conv::extent;
use crate::args::{spread, Arg};
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{Call, Op, Outputs};
use crate::shape::{Dims, Shown};

const KERNEL_SIZE: Arg = Arg::wholes("kernel_size").min(1);
const STRIDE: Arg = Arg::wholes("stride").min(1).optional();
const PADDING: Arg = Arg::wholes("padding").min(0).default(0);
const CEIL_MODE: Arg = Arg::flag("ceil_mode", false);
const RETURN_INDICES: Arg = Arg::flag("return_indices", false);
const COUNT_INCLUDE_PAD: Arg = Arg::flag("count_include_pad", true);

const MAX: &[Arg] =
    &[KERNEL_SIZE, STRIDE, PADDING, Arg::wholes("dilation").min(1).default(1), RETURN_INDICES, CEIL_MODE];
const AVG_1D: &[Arg] = &[KERNEL_SIZE, STRIDE, PADDING, CEIL_MODE, COUNT_INCLUDE_PAD];
const AVG: &[Arg] =
    &[KERNEL_SIZE, STRIDE, PADDING, CEIL_MODE, COUNT_INCLUDE_PAD, Arg::number("divisor_override").optional()];
const LP: &[Arg] = &[Arg::number("norm_type"), KERNEL_SIZE, STRIDE, CEIL_MODE];

const WITH_INDICES: &[&str] = &["output", "[indices]"];

/// The maximum of each window over `n` spatial dimensions.
pub const fn max(name: &'static str, n: usize) -> Op {
    let rule = match n {
        1 => max_pool::<1>,
        2 => max_pool::<2>,
        _ => max_pool::<3>,
    };
    Op::new(name, "pool", "maximum of each window", rule).args(MAX).outputs(WITH_INDICES)
}

/// The mean of each window over `n` spatial dimensions.
pub const fn avg(name: &'static str, n: usize) -> Op {
    let rule = match n {
        1 => avg_pool::<1>,
        2 => avg_pool::<2>,
        _ => avg_pool::<3>,
    };
    Op::new(name, "pool", "mean of each window", rule).args(if n == 1 { AVG_1D } else { AVG })
}

/// The p-norm of each window over `n` spatial dimensions.
pub const fn lp(name: &'static str, n: usize) -> Op {
    let rule = if n == 1 { lp_pool::<1> } else { lp_pool::<2> };
    Op::new(name, "pool", "p-norm of each window", rule).args(LP)
}

fn max_pool<const N: usize>(call: &Call) -> Result<Outputs> {
    let output = pooled::<N>(call, call.args.spatial::<N>("padding")?, call.args.spatial::<N>("dilation")?)?;
    Ok(with_indices(call, output))
}

/// The output, and the indices of its elements in the input where they are asked for.
fn with_indices(call: &Call, output: Dims) -> Outputs {
    if call.args.flag("return_indices") {
        return vec![output.clone(), output].into();
    }
    output.into()
}

fn avg_pool<const N: usize>(call: &Call) -> Result<Outputs> {
    if N > 1 && call.args.get_number("divisor_override").is_some_and(|divisor| divisor.trunc() == 0.0) {
        let problem = "has divisor_override = 0, but it divides by it.";
        return Err(Error::new(Kind::Argument, problem).argument("divisor_override"));
    }
    Ok(pooled::<N>(call, call.args.spatial::<N>("padding")?, [1; N])?.into())
}

fn lp_pool<const N: usize>(call: &Call) -> Result<Outputs> {
    Ok(pooled::<N>(call, [0; N], [1; N])?.into())
}

/// (N, C, L...) -> (N, C, L_out...) with L_out = floor((L + 2 padding - dilation (kernel_size - 1) - 1) / stride) + 1, or ceil
/// with ceil_mode, where the last window must start inside the input or its left padding; N may be missing.
fn pooled<const N: usize>(call: &Call, padding: [i64; N], dilation: [i64; N]) -> Result<Dims> {
    let input = call.input_of_rank(0, &[N + 1, N + 2])?;
    let kernel_size = call.args.spatial::<N>("kernel_size")?;
    let stride = stride(call, kernel_size)?;
    let mut output = filled(call, input.len() - N - 1)?;
    for i in 0..N {
        at_most_half_the_kernel(padding[i], kernel_size[i])?;
        let d = input.len() - N + i;
        let padding = padding[i];
        let length =
            if averages_in_3_dimensions(call, N) { at_least_the_kernel(call, d, kernel_size[i])? } else { output[d] };
        let extent = extent(Dim::known(kernel_size[i]), dilation[i]);
        let room = length + 2 * padding - extent;
        let output_length = if call.args.flag("ceil_mode") {
            let last_start = (length + padding - 1).floor_div(stride[i]);
            room.ceil_div(stride[i]).min(last_start) + 1
        } else {
            room.floor_div(stride[i]) + 1
        };
        output[d] = output_length.keep_at_least(1).ok_or_else(|| {
            let problem = format!(
                "has a window of size {extent} that does not fit: dimension {} of its input {} is {} with {padding} of padding on each side.",
                d + 1,
                Shown(input),
                input[d],
            );
            let shortest = (extent - 2 * padding).lowest();
            call.size_error(0, d, problem).argument("kernel_size").hint(format!("A size of at least {shortest} would fit."))
        })?;
    }
    Ok(output)
}

/// The stride of the windows: as large as the kernel unless it is given.
fn stride<const N: usize>(call: &Call, kernel_size: [i64; N]) -> Result<[i64; N]> {
    match call.args.get_wholes("stride") {
        Some(stride) if !stride.is_empty() => spread("stride", stride),
        _ => Ok(kernel_size),
    }
}

/// The input where dimension `first` and those after it are not 0. PyTorch pools no empty image.
fn filled(call: &Call, first: usize) -> Result<Dims> {
    let mut input = call.input(0).to_vec();
    for (d, size) in input.iter_mut().enumerate().skip(first) {
        *size = size.keep_at_least(1).ok_or_else(|| {
            let problem = format!("has nothing to pool: dimension {} of {} is 0.", d + 1, call.the_input(0));
            call.size_error(0, d, problem).hint("A size of at least 1 would fit.")
        })?;
    }
    Ok(input)
}

fn averages_in_3_dimensions(call: &Call, n: usize) -> bool {
    n == 3 && call.args.declares("divisor_override")
}

/// PyTorch's mean over 3 dimensions wants the kernel to fit into the input without its padding.
fn at_least_the_kernel(call: &Call, d: usize, kernel_size: i64) -> Result<Dim> {
    let length = call.input(0)[d];
    length.keep_at_least(kernel_size).ok_or_else(|| {
        let problem = format!("has kernel_size {kernel_size}, but dimension {} of its input is {length}.", d + 1);
        let hint = format!("A size of at least {kernel_size} would fit; padding does not count here.");
        call.size_error(0, d, problem).argument("kernel_size").hint(hint)
    })
}

fn at_most_half_the_kernel(padding: i64, kernel_size: i64) -> Result<()> {
    if padding <= kernel_size / 2 {
        return Ok(());
    }
    let problem = format!("has padding {padding}, which is more than half of its kernel_size {kernel_size}.");
    let hint = format!("A padding of at most {} would fit.", kernel_size / 2);
    Err(Error::new(Kind::Argument, problem).argument("padding").hint(hint))
}
