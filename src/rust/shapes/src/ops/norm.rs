//! Normalisation.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html>

use crate::args::{Arg, Args};
use crate::dim::Dim;
use crate::error::{counted, Error, Kind, Result};
use crate::op::{replaced, said, Call, Cost, Inputs, Op, Outputs};
use crate::shape::Shown;

const EPS: Arg = Arg::number("eps").default_number(1e-5);
const MOMENTUM: Arg = Arg::number("momentum").default_number(0.1);

const BATCH_NORM: &[Arg] = &[
    Arg::whole("num_features").min(0).optional(),
    EPS,
    MOMENTUM,
    Arg::flag("affine", true),
    Arg::flag("track_running_stats", true),
];
const NNF_BATCH_NORM: &[Arg] = &[Arg::flag("training", false), MOMENTUM, EPS];

const INSTANCE_NORM: &[Arg] = &[
    Arg::whole("num_features").min(0).optional(),
    EPS,
    MOMENTUM,
    Arg::flag("affine", false),
    Arg::flag("track_running_stats", false),
];
const NNF_INSTANCE_NORM: &[Arg] = &[Arg::flag("use_input_stats", true), MOMENTUM, EPS];

const GROUP_NORM: &[Arg] =
    &[Arg::whole("num_groups").min(1), Arg::whole("num_channels").min(1).optional(), EPS, Arg::flag("affine", true)];
const NNF_GROUP_NORM: &[Arg] = &[Arg::whole("num_groups").min(1), EPS];

const LAYER_NORM: &[Arg] = &[
    Arg::wholes("normalized_shape").min(0).optional(),
    EPS,
    Arg::flag("elementwise_affine", true),
    // mlr3torch: how many dimensions, counted from the last, are normalised
    Arg::whole("dims").min(1).optional(),
];
const NNF_LAYER_NORM: &[Arg] = &[Arg::wholes("normalized_shape").min(0), EPS];

const LOCAL_RESPONSE_NORM: &[Arg] = &[
    Arg::whole("size").min(1),
    Arg::number("alpha").default_number(1e-4),
    Arg::number("beta").default_number(0.75),
    Arg::number("k").default_number(1.0),
];

const BATCH_SUMMARY: &str = "normalises each channel over the batch";
const INSTANCE_SUMMARY: &str = "normalises each channel of each observation";
const GROUP_SUMMARY: &str = "normalises groups of channels of each observation";
const LAYER_SUMMARY: &str = "normalises over the last dimensions";

/// The weight and the bias that a function takes as tensors.
const WITH_WEIGHTS: Inputs = Inputs::optional(&["input", "weight", "bias"], 2);

/// Batch normalisation of inputs with one of `ranks` dimensions.
pub const fn batch_norm(name: &'static str, ranks: &'static [usize]) -> Op {
    let rule = match ranks[0] {
        2 => batch_norm_rule::<2, 3>,
        4 => batch_norm_rule::<4, 4>,
        _ => batch_norm_rule::<5, 5>,
    };
    Op::new(name, "norm", BATCH_SUMMARY, rule).args(BATCH_NORM).cost(channel_cost)
}

pub const fn nnf_batch_norm(name: &'static str) -> Op {
    let inputs = Inputs::optional(&["input", "running_mean", "running_var", "weight", "bias"], 4);
    Op::new(name, "norm", BATCH_SUMMARY, nnf_batch_norm_rule).args(NNF_BATCH_NORM).inputs(inputs)
}

/// Instance normalisation over `n` spatial dimensions.
pub const fn instance_norm(name: &'static str, n: usize) -> Op {
    let op = match n {
        1 => Op::new(name, "norm", INSTANCE_SUMMARY, instance_norm_rule::<1>).cost(instance_norm_cost::<1>),
        2 => Op::new(name, "norm", INSTANCE_SUMMARY, instance_norm_rule::<2>).cost(instance_norm_cost::<2>),
        _ => Op::new(name, "norm", INSTANCE_SUMMARY, instance_norm_rule::<3>).cost(instance_norm_cost::<3>),
    };
    op.args(INSTANCE_NORM)
}

pub const fn nnf_instance_norm(name: &'static str) -> Op {
    let inputs = Inputs::optional(&["input", "running_mean", "running_var", "weight", "bias"], 4);
    Op::new(name, "norm", INSTANCE_SUMMARY, nnf_instance_norm_rule).args(NNF_INSTANCE_NORM).inputs(inputs)
}

pub const fn group_norm(name: &'static str) -> Op {
    Op::new(name, "norm", GROUP_SUMMARY, group_norm_rule).args(GROUP_NORM).cost(channel_cost)
}

pub const fn nnf_group_norm(name: &'static str) -> Op {
    Op::new(name, "norm", GROUP_SUMMARY, group_norm_rule).args(NNF_GROUP_NORM).inputs(WITH_WEIGHTS)
}

pub const fn layer_norm(name: &'static str) -> Op {
    Op::new(name, "norm", LAYER_SUMMARY, layer_norm_rule).args(LAYER_NORM).cost(layer_norm_cost)
}

pub const fn nnf_layer_norm(name: &'static str) -> Op {
    Op::new(name, "norm", LAYER_SUMMARY, nnf_layer_norm_rule).args(NNF_LAYER_NORM).inputs(WITH_WEIGHTS)
}

pub const fn local_response_norm(name: &'static str) -> Op {
    Op::new(name, "norm", "normalises over neighbouring channels", local_response_norm_rule).args(LOCAL_RESPONSE_NORM)
}

/// The channels in dimension `dim` (counted from 0): as many as the module was made for, and as many as the vectors hold
/// that a function takes as its further inputs.
fn channels(call: &Call, dim: usize) -> Result<Dim> {
    let mut places = vec![(0, dim)];
    for i in (1..5).filter(|&i| call.get_input(i).is_some()) {
        call.input_of_rank(i, &[1])?;
        places.push((i, 0));
    }
    let channels = call.common_size("number of channels", &places)?;
    let argument = ["num_features", "num_channels"].into_iter().find(|name| call.args.declares(name));
    match argument {
        Some(name) => call.agree(name, 0, dim),
        None => Ok(channels),
    }
}

/// The running mean and the running variance are both there or both missing; an empty input is not looked at.
fn check_statistics(call: &Call) -> Result<()> {
    let is_empty = call.input(0).iter().any(|size| size.equals(0).is_yes());
    if is_empty || call.get_input(1).is_some() == call.get_input(2).is_some() {
        return Ok(());
    }
    Err(Error::new(Kind::Argument, "needs both running_mean and running_var, or none of them."))
}

/// A size at dimension `dim` that must not be 0: what is left of it.
fn not_empty(call: &Call, dim: usize, size: Dim) -> Result<Dim> {
    size.keep_at_least(1).ok_or_else(|| {
        let problem = format!("cannot normalise an input whose dimension {} is 0.", dim + 1);
        call.size_error(0, dim, problem)
    })
}

/// (N, C, *) -> the same
fn batch_norm_rule<const LEAST: usize, const MOST: usize>(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, if LEAST == MOST { &[MOST] } else { &[LEAST, MOST] })?;
    let mut channels = channels(call, 1)?;
    if call.args.flag("affine") {
        channels = not_empty(call, 1, channels)?;
    }
    Ok(replaced(input, 1, channels).into())
}

/// (N, C, *) -> the same; running_mean, running_var, weight and bias are vectors of C elements.
fn nnf_batch_norm_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 2)?;
    check_statistics(call)?;
    let mut channels = channels(call, 1)?;
    if call.get_input(3).is_some() || call.get_input(4).is_some() {
        channels = not_empty(call, 1, channels)?;
    }
    Ok(replaced(input, 1, channels).into())
}

/// A weight and a bias for each channel.
fn channel_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    affine_cost(call, outputs[0][1])
}

fn affine_cost(call: &Call, channels: Dim) -> Cost {
    let params = if call.args.flag("affine") { channels * 2 } else { Dim::ZERO };
    Cost { params, ..Cost::FREE }
}

/// (N, C, L...) -> the same; N may be missing. Without running statistics a channel needs more than one element.
fn instance_norm_rule<const N: usize>(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[N + 1, N + 2])?;
    let dim = input.len() - N - 1;
    let mut output = replaced(input, dim, channels(call, dim)?);
    if call.args.flag("affine") {
        // the weights are repeated for each observation, so there must be one
        for (d, size) in output[..=dim].iter_mut().enumerate() {
            *size = not_empty(call, d, *size)?;
        }
    }
    let elements = output[dim + 1..].iter().fold(Dim::ONE, |product, &size| product * size);
    if !call.args.flag("track_running_stats") && elements.equals(1).is_yes() {
        let problem = format!("needs more than one element in each channel of its input {}.", Shown(input));
        return Err(call.size_error(0, dim + 1, problem));
    }
    Ok(output.into())
}

fn instance_norm_cost<const N: usize>(call: &Call, outputs: &[&[Dim]]) -> Cost {
    affine_cost(call, outputs[0][outputs[0].len() - N - 1])
}

/// (N, C, *) -> the same; the vectors are as those of batch normalisation.
fn nnf_instance_norm_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 2)?;
    check_statistics(call)?;
    let mut output = replaced(input, 1, channels(call, 1)?);
    if call.get_input(3).is_some() || call.get_input(4).is_some() {
        for (d, size) in output[..2].iter_mut().enumerate() {
            *size = not_empty(call, d, *size)?;
        }
    }
    Ok(output.into())
}

/// (N, C, *) -> the same, where C falls into `num_groups` of equal size.
fn group_norm_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 2)?;
    let mut output = replaced(input, 1, channels(call, 1)?);
    for (d, size) in output.iter_mut().enumerate().skip(1) {
        *size = not_empty(call, d, *size)?;
    }
    let groups = call.args.whole("num_groups");
    if output[1].is_multiple_of(groups).is_no() {
        let problem =
            format!("has num_groups = {groups}, but its input has {} channels, not a multiple.", said(output[1]));
        return Err(call.size_error(0, 1, problem).argument("num_groups"));
    }
    Ok(output.into())
}

/// (*, normalized_shape) -> the same
fn layer_norm_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let shape = call.args.get_wholes("normalized_shape");
    let dims = call.args.get_whole("dims");
    match (shape, dims) {
        (Some(shape), Some(dims)) if shape.len() as i64 != dims => {
            let problem = format!("has dims = {dims}, but normalized_shape has {}.", counted(shape.len(), "size"));
            Err(Error::new(Kind::Argument, problem).argument("dims"))
        }
        (Some(shape), _) => Ok(normalised(call, shape)?.into()),
        (None, Some(dims)) if dims > input.len() as i64 => {
            let problem = format!("has dims = {dims}, but its input has {}.", counted(input.len(), "dimension"));
            let hint = format!("It can be at most {}.", input.len());
            Err(Error::new(Kind::Rank, problem).argument("dims").hint(hint))
        }
        (None, Some(_)) => Ok(input.to_vec().into()),
        (None, None) => {
            let problem =
                "needs argument 'normalized_shape' (the last sizes of its input) or 'dims' (how many they are).";
            Err(Error::new(Kind::Argument, problem).argument("normalized_shape"))
        }
    }
}

/// What is left of the input when its last sizes must be `shape`.
fn normalised(call: &Call, shape: &[i64]) -> Result<Vec<Dim>> {
    let input = call.input(0);
    if shape.is_empty() {
        let problem = "needs at least one size for argument 'normalized_shape'.";
        return Err(Error::new(Kind::Argument, problem).argument("normalized_shape"));
    }
    let wanted: Vec<Dim> = shape.iter().copied().map(Dim::known).collect();
    let Some(first) = input.len().checked_sub(shape.len()) else {
        let problem = format!(
            "has normalized_shape {}, but its input {} has {} only.",
            Shown(&wanted),
            Shown(input),
            counted(input.len(), "dimension")
        );
        return Err(Error::new(Kind::Rank, problem).argument("normalized_shape"));
    };
    let mut output = input.to_vec();
    for (d, &size) in (first..).zip(&wanted) {
        output[d] = input[d].unify(size).ok_or_else(|| {
            let problem = format!(
                "has normalized_shape {}, but dimension {} of its input is {}, not {size}.",
                Shown(&wanted),
                d + 1,
                said(input[d])
            );
            let fitting: Vec<Dim> = input[..first].iter().copied().chain(wanted.iter().copied()).collect();
            call.size_error(0, d, problem)
                .argument("normalized_shape")
                .hint(format!("An input of shape {} would fit.", Shown(&fitting)))
                .sizes([size, input[d]])
        })?;
    }
    Ok(output)
}

/// (*, normalized_shape) -> the same; weight and bias have the shape normalized_shape.
fn nnf_layer_norm_rule(call: &Call) -> Result<Outputs> {
    let shape = call.args.wholes("normalized_shape");
    let output = normalised(call, shape)?;
    for i in (1..3).filter(|&i| call.get_input(i).is_some()) {
        let weight = call.input_of_rank(i, &[shape.len()])?;
        for (d, (size, &wanted)) in weight.iter().zip(shape).enumerate() {
            if size.equals(wanted).is_no() {
                let problem = format!(
                    "has normalized_shape with {wanted} as size {}, but dimension {} of input {} is {}.",
                    d + 1,
                    d + 1,
                    i + 1,
                    said(*size)
                );
                return Err(call.size_error(i, d, problem).argument("normalized_shape"));
            }
        }
    }
    Ok(output.into())
}

/// A weight and a bias of shape normalized_shape.
fn layer_norm_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    if !call.args.flag("elementwise_affine") {
        return Cost::FREE;
    }
    let n = normalised_dims(call.args).min(outputs[0].len());
    let elements = outputs[0][outputs[0].len() - n..].iter().fold(Dim::ONE, |product, &size| product * size);
    Cost { params: elements * 2, ..Cost::FREE }
}

fn normalised_dims(args: &Args) -> usize {
    match (args.get_wholes("normalized_shape"), args.get_whole("dims")) {
        (Some(shape), _) => shape.len(),
        (None, dims) => dims.and_then(|dims| usize::try_from(dims).ok()).unwrap_or(0),
    }
}

/// (N, C, L...) -> the same; R torch slides a window over the channels, which takes no empty input.
fn local_response_norm_rule(call: &Call) -> Result<Outputs> {
    let mut output = call.input_of_at_least(0, 3)?.to_vec();
    for (d, size) in output.iter_mut().enumerate() {
        *size = not_empty(call, d, *size)?;
    }
    Ok(output.into())
}
