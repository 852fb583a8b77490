//! Windows of an image as columns, and back.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.Unfold.html>
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.Fold.html>

use super::{extent, no_length};
use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{said, Call, Op, Outputs};
use crate::shape::Shown;

const KERNEL_SIZE: Arg = Arg::wholes("kernel_size").min(1);
const DILATION: Arg = Arg::wholes("dilation").min(1).default(1);
const PADDING: Arg = Arg::wholes("padding").min(0).default(0);
const STRIDE: Arg = Arg::wholes("stride").min(1).default(1);

const UNFOLD: &[Arg] = &[KERNEL_SIZE, DILATION, PADDING, STRIDE];
const FOLD: &[Arg] = &[Arg::wholes("output_size").min(1), KERNEL_SIZE, DILATION, PADDING, STRIDE];

pub const fn unfold(name: &'static str) -> Op {
    Op::new(name, "conv", "every window of an image as a column", unfold_rule).args(UNFOLD)
}

pub const fn fold(name: &'static str) -> Op {
    Op::new(name, "conv", "an image as the sum of the windows in its columns", fold_rule).args(FOLD)
}

/// (N, C, H, W) -> (N, C kernel_h kernel_w, windows_h windows_w); N may be missing.
fn unfold_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[3, 4])?;
    let channels = input.len() - 3;
    let mut sizes = input.to_vec();
    for (d, size) in sizes.iter_mut().enumerate().skip(channels) {
        *size = size.keep_at_least(1).ok_or_else(|| no_length(call, d))?;
    }
    let image = [sizes[channels + 1], sizes[channels + 2]];
    let windows = windows(call, image, |i| {
        let d = channels + 1 + i;
        let problem = format!(
            "has a kernel that does not fit: dimension {} of its input {} is {}.",
            d + 1,
            Shown(input),
            input[d]
        );
        call.size_error(0, d, problem).argument("kernel_size")
    })?;
    let [kernel_h, kernel_w] = call.args.spatial::<2>("kernel_size")?;
    let column = sizes[channels] * kernel_h * kernel_w;
    sizes.truncate(channels);
    sizes.extend([column, windows[0] * windows[1]]);
    Ok(sizes.into())
}

/// How many windows fit into an image: floor((size + 2 padding - dilation (kernel_size - 1) - 1) / stride) + 1 each way.
fn windows(call: &Call, image: [Dim; 2], none_fits: impl Fn(usize) -> Box<Error>) -> Result<[Dim; 2]> {
    let kernel_size = call.args.spatial::<2>("kernel_size")?;
    let dilation = call.args.spatial::<2>("dilation")?;
    let padding = call.args.spatial::<2>("padding")?;
    let stride = call.args.spatial::<2>("stride")?;
    let mut windows = image;
    for (i, size) in windows.iter_mut().enumerate() {
        let extent = extent(Dim::known(kernel_size[i]), dilation[i]);
        let fitting = (*size + 2 * padding[i] - extent).floor_div(stride[i]) + 1;
        *size = fitting.keep_at_least(1).ok_or_else(|| none_fits(i))?;
    }
    Ok(windows)
}

/// (N, C kernel_h kernel_w, windows_h windows_w) -> (N, C, output_size...); N may be missing.
fn fold_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[2, 3])?;
    let channels = input.len() - 2;
    for (d, size) in input.iter().enumerate().skip(channels) {
        size.keep_at_least(1).ok_or_else(|| no_length(call, d))?;
    }
    let [kernel_h, kernel_w] = call.args.spatial::<2>("kernel_size")?;
    let kernel = kernel_h.saturating_mul(kernel_w);
    let folded = input[channels].exact_div(kernel).ok_or_else(|| {
        let problem = format!(
            "has a kernel of {kernel_h} x {kernel_w} = {kernel} elements, but dimension {} of its input is {}, not a multiple.",
            channels + 1,
            said(input[channels])
        );
        call.size_error(0, channels, problem).argument("kernel_size")
    })?;
    let output_size = call.args.spatial::<2>("output_size")?;
    let windows = windows(call, output_size.map(Dim::known), |i| {
        let problem =
            format!("has a kernel that does not fit: number {} of its output_size is {}.", i + 1, output_size[i]);
        Error::new(Kind::Argument, problem).argument("output_size")
    })?;
    let columns = windows[0] * windows[1];
    if input[channels + 1].unify(columns).is_none() {
        let problem = format!(
            "needs {} x {} = {columns} columns for an image of {} x {}, but dimension {} of its input is {}.",
            windows[0],
            windows[1],
            output_size[0],
            output_size[1],
            channels + 2,
            said(input[channels + 1])
        );
        return Err(call
            .size_error(0, channels + 1, problem)
            .argument("output_size")
            .sizes([columns, input[channels + 1]]));
    }
    let mut output = input[..channels].to_vec();
    output.push(folded);
    output.extend(output_size.map(Dim::known));
    Ok(output.into())
}
