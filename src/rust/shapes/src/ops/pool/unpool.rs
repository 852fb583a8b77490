//! Pooling undone.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxUnpool2d.html>

use super::{filled, stride, KERNEL_SIZE, PADDING, STRIDE};
use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{Call, Inputs, Op, Outputs};
use crate::shape::{Dims, Shown};

const ARGS: &[Arg] = &[KERNEL_SIZE, STRIDE, PADDING, Arg::wholes("output_size").min(0).optional()];

/// The elements of a pooled input where they came from, zeros elsewhere, over `n` spatial dimensions.
pub const fn max_unpool(name: &'static str, n: usize) -> Op {
    let rule = match n {
        1 => rule::<1>,
        2 => rule::<2>,
        _ => rule::<3>,
    };
    Op::new(name, "pool", "elements put back where a maximum was taken, zeros elsewhere", rule)
        .inputs(Inputs::named(&["input", "indices"]))
        .args(ARGS)
}

/// (N, C, L...) -> (N, C, L_out...) with L_out = (L - 1) stride + kernel_size - 2 padding, or output_size; N may be missing
/// where output_size is given.
fn rule<const N: usize>(call: &Call) -> Result<Outputs> {
    let rank = call.input_of_rank(0, &[N + 1, N + 2])?.len();
    let mut output = same_shape(call, filled(call, 1)?)?;
    let sizes = match output_size::<N>(call, rank)? {
        Some(sizes) => sizes.map(Dim::known),
        None => unpooled(call, &output)?,
    };
    output.truncate(rank - N);
    output.extend(sizes);
    if N == 1 {
        as_r_torch_unpools_1_dimension(&mut output);
    }
    Ok(output.into())
}

/// The indices have the shape of the input.
fn same_shape(call: &Call, input: Dims) -> Result<Dims> {
    let indices = call.input(1);
    let both: Option<Dims> = input.iter().zip(indices).map(|(a, &b)| a.unify(b)).collect();
    both.filter(|both| both.len() == indices.len() && input.len() == indices.len()).ok_or_else(|| {
        let (input, indices) = (Shown(call.input(0)), Shown(indices));
        let problem = format!("needs indices of the shape of its input, not {input} and {indices}.");
        Error::new(Kind::Size, problem).inputs([1, 2])
    })
}

/// The argument `output_size`, with or without the first two dimensions. R torch takes any size.
fn output_size<const N: usize>(call: &Call, rank: usize) -> Result<Option<[i64; N]>> {
    let wrong = |problem: String, kind| Err(Error::new(kind, problem).argument("output_size").inputs([1]));
    let Some(sizes) = call.args.get_wholes("output_size") else {
        if rank == N + 1 {
            // R torch looks for the lengths behind a batch
            return wrong("needs argument 'output_size' for an input without a batch.".to_string(), Kind::Rank);
        }
        return Ok(None);
    };
    let spatial = if sizes.len() == N + 2 { &sizes[2..] } else { sizes };
    match spatial.try_into() {
        Ok(sizes) => Ok(Some(sizes)),
        Err(_) => wrong(
            format!("needs {N} or {} numbers for argument 'output_size', not {}.", N + 2, sizes.len()),
            Kind::Argument,
        ),
    }
}

fn unpooled<const N: usize>(call: &Call, input: &[Dim]) -> Result<[Dim; N]> {
    let kernel_size = call.args.spatial::<N>("kernel_size")?;
    let stride = stride(call, kernel_size)?;
    let padding = call.args.spatial::<N>("padding")?;
    let mut sizes = [Dim::ZERO; N];
    for (i, size) in sizes.iter_mut().enumerate() {
        let d = i + 2;
        let length = (input[d] - 1) * stride[i] + kernel_size[i] - 2 * padding[i];
        *size = length.keep_at_least(0).ok_or_else(|| {
            let problem = format!("has padding {} that leaves nothing of dimension {} of input 1.", padding[i], d + 1);
            call.size_error(0, d, problem).argument("padding")
        })?;
    }
    Ok(sizes)
}

/// R torch puts the dimension of 1 that it adds before the length, not behind it, takes it for the length, and so gives
/// (N, C, L_out, 1) unless L_out is 1. An unknown L_out stays, as wherever an unknown size is squeezed.
fn as_r_torch_unpools_1_dimension(output: &mut Dims) {
    if output.len() == 3 && !output[2].equals(1).is_yes() {
        output.push(Dim::ONE);
    }
}
