//! Convolutions.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html>

use crate::args::{spread, Arg};
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{replaced, Call, Cost, Op, Outputs};
use crate::shape::Shown;

const PADDING_MODES: &[&str] = &["zeros", "circular", "reflect", "replicate"];

const CONV: &[Arg] = &[
    Arg::whole("in_channels").min(1).optional(),
    Arg::whole("out_channels").min(1),
    Arg::wholes("kernel_size").min(1),
    Arg::wholes("stride").min(1).default(1),
    Arg::wholes_or_word("padding", &["same", "valid"]).min(0).default(0),
    Arg::wholes("dilation").min(1).default(1),
    Arg::whole("groups").min(1).default(1),
    Arg::flag("bias", true),
    Arg::choice("padding_mode", PADDING_MODES),
];

/// A convolution over `n` spatial dimensions.
pub const fn convolution(name: &'static str, n: usize) -> Op {
    let op = match n {
        1 => Op::new(name, "conv", "convolution over 1 dimension", conv::<1>).cost(conv_cost::<1>),
        2 => Op::new(name, "conv", "convolution over 2 dimensions", conv::<2>).cost(conv_cost::<2>),
        _ => Op::new(name, "conv", "convolution over 3 dimensions", conv::<3>).cost(conv_cost::<3>),
    };
    op.args(CONV)
}

/// (N, C_in, L...) -> (N, C_out, L_out...) with L_out = floor((L + 2 padding - dilation (kernel_size - 1) - 1) / stride) + 1;
/// N may be missing.
fn conv<const N: usize>(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[N + 1, N + 2])?;
    let channels = input.len() - N - 1;
    let kernel_size = call.args.spatial::<N>("kernel_size")?;
    let stride = call.args.spatial::<N>("stride")?;
    let dilation = call.args.spatial::<N>("dilation")?;
    let padding = padding::<N>(call, &kernel_size, &stride, &dilation)?;
    divisible_by_groups(call, channels)?;

    let mut output = replaced(input, channels, Dim::known(call.args.whole("out_channels")));
    for i in 0..N {
        let d = channels + 1 + i;
        let length = padded_length(call, d, padding[i])?;
        let extent = dilation[i] * (kernel_size[i] - 1) + 1;
        let output_length = (length - extent).floor_div(stride[i]) + 1;
        output[d] =
            output_length.keep_at_least(1).ok_or_else(|| too_short(call, d, kernel_size[i], extent, padding[i]))?;
    }
    Ok(output.into())
}

/// The zeros before and after each dimension, together.
fn padding<const N: usize>(
    call: &Call,
    kernel_size: &[i64; N],
    stride: &[i64; N],
    dilation: &[i64; N],
) -> Result<[i64; N]> {
    match call.args.get_text("padding") {
        Some("same") => {
            if stride.iter().any(|&s| s != 1) {
                let problem =
                    format!("cannot have padding = \"same\" with stride {}.", stride.iter().max().unwrap_or(&1));
                return Err(Error::new(Kind::Argument, problem)
                    .argument("padding")
                    .hint("\"same\" needs a stride of 1."));
            }
            Ok(std::array::from_fn(|i| dilation[i] * (kernel_size[i] - 1)))
        }
        Some(_) => Ok([0; N]),
        None => Ok(spread::<N, i64>("padding", call.args.wholes("padding"))?.map(|p| 2 * p)),
    }
}

/// The length of dimension `d` with its padding, where the padding mode allows that much of it.
fn padded_length(call: &Call, d: usize, padding: i64) -> Result<Dim> {
    let length = call.input(0)[d];
    let mode = call.args.get_text("padding_mode").unwrap_or("zeros");
    // both sides together; the larger side takes the odd one
    let one_side = (padding + 1) / 2;
    let shortest = match mode {
        "reflect" if padding > 0 => one_side + 1,
        "circular" if padding > 0 => one_side,
        _ => 0,
    };
    let length = length.keep_at_least(shortest).ok_or_else(|| {
        let problem =
            format!("has padding {one_side} in mode \"{mode}\", but dimension {} of its input is {length}.", d + 1);
        call.size_error(0, d, problem).argument("padding").hint(format!("A size of at least {shortest} would fit."))
    })?;
    Ok(length + padding)
}

fn too_short(call: &Call, d: usize, kernel_size: i64, extent: i64, padding: i64) -> Box<Error> {
    let input = call.input(0);
    let reach =
        if extent == kernel_size { String::new() } else { format!(" (reaching over {extent} by its dilation)") };
    let problem = format!(
        "has a kernel of size {kernel_size}{reach} that does not fit: dimension {} of its input {} is {} with {padding} of padding.",
        d + 1,
        Shown(input),
        input[d],
    );
    let shortest = extent - padding;
    call.size_error(0, d, problem).argument("kernel_size").hint(format!("A size of at least {shortest} would fit."))
}

/// The channels that come in and those that go out fall into `groups` of equal size.
fn divisible_by_groups(call: &Call, channels: usize) -> Result<()> {
    let groups = call.args.whole("groups");
    let in_channels = call.agree("in_channels", 0, channels)?;
    if in_channels.is_multiple_of(groups).is_no() {
        let problem = format!(
            "has groups = {groups}, but dimension {} of its input is {in_channels}, not a multiple.",
            channels + 1
        );
        return Err(call.size_error(0, channels, problem).argument("groups"));
    }
    let out_channels = call.args.whole("out_channels");
    if out_channels % groups != 0 {
        let problem = format!("has groups = {groups}, but out_channels = {out_channels} is not a multiple.");
        return Err(Error::new(Kind::Argument, problem).argument("out_channels"));
    }
    Ok(())
}

/// Every output element takes kernel_size... x C_in / groups multiply-adds.
fn conv_cost<const N: usize>(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let input = call.input(0);
    let channels = input.len() - N - 1;
    let in_channels = call.agree("in_channels", 0, channels).unwrap_or(input[channels]);
    let kernel: i64 = call.args.spatial::<N>("kernel_size").map_or(0, |sizes| sizes.iter().product());
    let weights_per_channel = in_channels.floor_div(call.args.whole("groups")) * kernel;
    let out_channels = call.args.whole("out_channels");
    let bias = if call.args.flag("bias") { out_channels } else { 0 };
    let elements = outputs[0].iter().fold(Dim::ONE, |product, &size| product * size);
    Cost { params: weights_per_channel * out_channels + bias, macs: elements * weights_per_channel }
}
