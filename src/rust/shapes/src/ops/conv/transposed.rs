//! Transposed convolutions.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose2d.html>

use super::{
    elements, extent, may_be_empty, no_length, own_params, weights, DILATION, GROUPS, IN_CHANNELS, KERNEL_SIZE,
    OUT_CHANNELS, STRIDE, WEIGHTED,
};
use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{replaced, said, Call, Cost, Op, Outputs};
use crate::shape::Shown;

const PADDING: Arg = Arg::wholes("padding").min(0).default(0);
const OUTPUT_PADDING: Arg = Arg::wholes("output_padding").min(0).default(0);

const MODULE: &[Arg] = &[
    IN_CHANNELS,
    OUT_CHANNELS,
    KERNEL_SIZE,
    STRIDE,
    PADDING,
    OUTPUT_PADDING,
    GROUPS,
    Arg::flag("bias", true),
    DILATION,
    Arg::choice("padding_mode", &["zeros"]),
    Arg::wholes("output_size").min(0).optional(),
];

const FUNCTION: &[Arg] = &[STRIDE, PADDING, OUTPUT_PADDING, GROUPS, DILATION];

/// A transposed convolution over `n` spatial dimensions, with weights of its own.
pub const fn transposed(name: &'static str, n: usize) -> Op {
    transposed_of(name, n).args(MODULE)
}

/// A transposed convolution over `n` spatial dimensions with the weights it is given.
pub const fn transposed_function(name: &'static str, n: usize) -> Op {
    transposed_of(name, n).inputs(WEIGHTED).args(FUNCTION)
}

const fn transposed_of(name: &'static str, n: usize) -> Op {
    match n {
        1 => Op::new(name, "conv", "transposed convolution over 1 dimension", rule::<1>).cost(cost::<1>),
        2 => Op::new(name, "conv", "transposed convolution over 2 dimensions", rule::<2>).cost(cost::<2>),
        _ => Op::new(name, "conv", "transposed convolution over 3 dimensions", rule::<3>).cost(cost::<3>),
    }
}

/// (N, C_in, L...) -> (N, C_out, L_out...) with
/// L_out = (L - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1; N may be missing.
fn rule<const N: usize>(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[N + 1, N + 2])?;
    let channels = input.len() - N - 1;
    let batch = if channels == 0 { Dim::ONE } else { input[0] };
    let stride = call.args.spatial::<N>("stride")?;
    let padding = call.args.spatial::<N>("padding")?;
    let dilation = call.args.spatial::<N>("dilation")?;
    let weights = weights::<N>(call, channels, true)?;
    let may_be_empty = may_be_empty(input, channels);
    let mut lengths = input.to_vec();
    let output_padding = match wanted_size(call)? {
        Some(size) => padding_for_size::<N>(call, size, &mut lengths)?,
        None => call.args.spatial::<N>("output_padding")?,
    };
    let no_batch = batch.equals(0).is_yes();
    let padded_beyond_stride = (0..N).any(|i| output_padding[i] >= stride[i]);
    let one_by_one = batch.equals(1).is_yes() && weights.groups == 1;
    // PyTorch on the CPU lets an output without elements pass, but not for one observation in one group, nor with much
    // output padding
    let may_vanish = no_batch || !(one_by_one || padded_beyond_stride);

    let mut output = replaced(input, channels, weights.out_channels());
    for i in 0..N {
        let d = channels + 1 + i;
        let length = lengths[d].keep_at_least(if may_be_empty { 0 } else { 1 }).ok_or_else(|| no_length(call, d))?;
        // nothing is checked where there are no observations
        if output_padding[i] >= stride[i].max(dilation[i]) && !no_batch {
            return Err(too_much_output_padding(output_padding[i], stride[i], dilation[i]));
        }
        let extent = extent(weights.kernel_size[i], dilation[i]);
        let output_length = (length - 1) * stride[i] - 2 * padding[i] + extent + output_padding[i];
        output[d] = output_length.keep_at_least(if may_vanish { 0 } else { 1 }).ok_or_else(|| {
            let problem = format!(
                "cuts off more than there is: padding {} on each side leaves nothing of dimension {} of {} {}.",
                padding[i],
                d + 1,
                call.the_input(0),
                Shown(input)
            );
            call.size_error(0, d, problem).argument("padding")
        })?;
    }
    Ok(output.into())
}

fn too_much_output_padding(output_padding: i64, stride: i64, dilation: i64) -> Box<Error> {
    let problem = format!(
        "has output_padding {output_padding}, which is not smaller than its stride ({stride}) or its dilation ({dilation})."
    );
    let hint = format!("An output_padding of at most {} would fit.", stride.max(dilation) - 1);
    Error::new(Kind::Argument, problem).argument("output_padding").hint(hint)
}

/// The argument `output_size`, of a module that is given one.
fn wanted_size<'a>(call: &'a Call) -> Result<Option<&'a [i64]>> {
    if !call.args.declares("output_size") {
        return Ok(None);
    }
    let Some(size) = call.args.get_wholes("output_size") else { return Ok(None) };
    let rank = call.input(0).len();
    if size.len() == rank {
        return Ok(Some(&size[2..]));
    }
    if size.len() == rank - 2 {
        return Ok(Some(size));
    }
    let problem = format!("needs {} or {rank} numbers for argument 'output_size', not {}.", rank - 2, size.len());
    Err(Error::new(Kind::Argument, problem).argument("output_size"))
}

/// The output padding with which R torch gives an output of `size`; leaves the lengths for which it does.
///
/// It leaves the dilation out of account, and takes the input to have a batch.
fn padding_for_size<const N: usize>(call: &Call, size: &[i64], lengths: &mut [Dim]) -> Result<[i64; N]> {
    let kernel_size = call.args.spatial::<N>("kernel_size")?;
    let stride = call.args.spatial::<N>("stride")?;
    let padding = call.args.spatial::<N>("padding")?;
    let mut output_padding = Vec::with_capacity(size.len());
    for (i, &size) in size.iter().enumerate() {
        // size = (length - 1) stride - 2 padding + kernel_size + output_padding, with 0 <= output_padding < stride
        let room = size + 2 * padding[i] - kernel_size[i];
        output_padding.push(room.rem_euclid(stride[i]));
        let needed = Dim::known(room).floor_div(stride[i]) + 1;
        let length = lengths[i + 2];
        lengths[i + 2] = length.unify(needed).ok_or_else(|| {
            let least = (length - 1) * stride[i] - 2 * padding[i] + kernel_size[i];
            let problem =
                format!("cannot give output_size {size}: dimension {} of its input is {}.", i + 3, said(length));
            let hint = format!("A size of {} to {} would fit.", least.lowest(), (least + (stride[i] - 1)).lowest());
            call.size_error(0, i + 2, problem).argument("output_size").hint(hint)
        })?;
    }
    crate::args::spread("output_size", &output_padding).map_err(|_| {
        let problem = "needs an input with a batch where output_size is given.";
        Error::new(Kind::Rank, problem).argument("output_size").inputs([1])
    })
}

/// Every input element takes C_out / groups x kernel_size... multiply-adds.
fn cost<const N: usize>(call: &Call, _: &[&[Dim]]) -> Cost {
    let input = call.input(0);
    let channels = input.len().saturating_sub(N + 1);
    let Ok(weights) = weights::<N>(call, channels, true) else { return Cost::FREE };
    let macs = elements(input) * (weights.out_per_group * weights.kernel_elements());
    Cost { params: own_params(call, &weights), macs }
}
