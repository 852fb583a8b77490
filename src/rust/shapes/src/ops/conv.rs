//! Convolutions.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html>

mod fold;
mod transposed;

pub use fold::{fold, unfold};
pub use transposed::{transposed, transposed_function};

use crate::args::{spread, Arg};
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{replaced, said, Call, Cost, Inputs, Op, Outputs};
use crate::shape::Shown;

const PADDING_MODES: &[&str] = &["zeros", "circular", "reflect", "replicate"];

const IN_CHANNELS: Arg = Arg::whole("in_channels").min(1).optional();
const OUT_CHANNELS: Arg = Arg::whole("out_channels").min(1);
const KERNEL_SIZE: Arg = Arg::wholes("kernel_size").min(1);
const STRIDE: Arg = Arg::wholes("stride").min(1).default(1);
const DILATION: Arg = Arg::wholes("dilation").min(1).default(1);
const GROUPS: Arg = Arg::whole("groups").min(1).default(1);

const MODULE: &[Arg] = &[
    IN_CHANNELS,
    OUT_CHANNELS,
    KERNEL_SIZE,
    STRIDE,
    // below 0 it cuts off, in every mode but "zeros"
    Arg::wholes_or_word("padding", &["same", "valid"]).default(0),
    DILATION,
    GROUPS,
    Arg::flag("bias", true),
    Arg::choice("padding_mode", PADDING_MODES),
];

const FUNCTION: &[Arg] =
    &[STRIDE, Arg::wholes_or_word("padding", &["same", "valid"]).min(0).default(0), DILATION, GROUPS];

const WEIGHTED: Inputs = Inputs::optional(&["input", "weight", "bias"], 1);

/// A convolution over `n` spatial dimensions, with weights of its own.
pub const fn convolution(name: &'static str, n: usize) -> Op {
    convolution_of(name, n).args(MODULE)
}

/// A convolution over `n` spatial dimensions with the weights it is given.
pub const fn convolution_function(name: &'static str, n: usize) -> Op {
    convolution_of(name, n).inputs(WEIGHTED).args(FUNCTION)
}

const fn convolution_of(name: &'static str, n: usize) -> Op {
    match n {
        1 => Op::new(name, "conv", "convolution over 1 dimension", conv::<1>).cost(conv_cost::<1>),
        2 => Op::new(name, "conv", "convolution over 2 dimensions", conv::<2>).cost(conv_cost::<2>),
        _ => Op::new(name, "conv", "convolution over 3 dimensions", conv::<3>).cost(conv_cost::<3>),
    }
}

/// (N, C_in, L...) -> (N, C_out, L_out...) with L_out = floor((L + 2 padding - dilation (kernel_size - 1) - 1) / stride) + 1;
/// N may be missing.
fn conv<const N: usize>(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[N + 1, N + 2])?;
    let channels = input.len() - N - 1;
    let stride = call.args.spatial::<N>("stride")?;
    let dilation = call.args.spatial::<N>("dilation")?;
    let padding = padding::<N>(call, &stride)?;
    let weights = weights::<N>(call, channels, false)?;
    let may_be_empty = may_be_empty(input, channels);

    let out_channels = weights.out_channels();
    // where no channels come in none go out
    let mut output = replaced(input, channels, out_channels.min(weights.in_per_group * out_channels));
    for i in 0..N {
        let d = channels + 1 + i;
        let length = length(call, d, padding.map(|sides| sides[i]), may_be_empty)?;
        let Some(padding) = padding.map(|sides| 2 * sides[i]) else {
            output[d] = length;
            continue;
        };
        let kernel_size = weights.kernel_size[i];
        let largest_kernel = (length + padding - 1).floor_div(dilation[i]) + 1;
        output[d] = kernel_size
            .keep_at_most(largest_kernel)
            .map(|kernel_size| (length + padding - extent(kernel_size, dilation[i])).floor_div(stride[i]) + 1)
            .and_then(|length| length.keep_at_least(1))
            .ok_or_else(|| too_short(call, d, kernel_size, extent(kernel_size, dilation[i]), padding))?;
    }
    Ok(output.into())
}

/// The padding of each side; `None` where it is as much as keeps the length.
fn padding<const N: usize>(call: &Call, stride: &[i64; N]) -> Result<Option<[i64; N]>> {
    let wrong = |problem: String| Err(Error::new(Kind::Argument, problem).argument("padding"));
    let mode = padding_mode(call);
    let sides = match call.args.get_text("padding") {
        Some(word) if mode != "zeros" => {
            return wrong(format!("cannot have padding = \"{word}\" with padding_mode = \"{mode}\"."))
                .map_err(|error| error.hint(format!("Mode \"{mode}\" needs the padding as a number.")));
        }
        Some("same") => {
            if stride.iter().any(|&s| s != 1) {
                let stride = stride.iter().max().unwrap_or(&1);
                return wrong(format!("cannot have padding = \"same\" with stride {stride}."))
                    .map_err(|error| error.hint("\"same\" needs a stride of 1."));
            }
            return Ok(None);
        }
        Some(_) => [0; N],
        None => spread::<N, i64>("padding", call.args.wholes("padding"))?,
    };
    match sides.iter().find(|&&side| side < 0 && mode == "zeros") {
        Some(side) => wrong(format!("needs whole numbers >= 0 for argument 'padding', not {side}.")),
        None => Ok(Some(sides)),
    }
}

fn padding_mode<'a>(call: &'a Call) -> &'a str {
    if !call.args.declares("padding_mode") {
        return "zeros";
    }
    call.args.get_text("padding_mode").unwrap_or("zeros")
}

/// Whether the input may have no observations or no channels. Only then PyTorch takes a length of 0.
fn may_be_empty(input: &[Dim], channels: usize) -> bool {
    input[..=channels].iter().any(|size| !size.is_at_least(1).is_yes())
}

/// The length of dimension `d`, where the padding mode allows `padding` on each side of it (`None`: as much as keeps it).
fn length(call: &Call, d: usize, padding: Option<i64>, may_be_empty: bool) -> Result<Dim> {
    let length = call.input(0)[d];
    let mode = padding_mode(call);
    let shortest = match (mode, padding) {
        ("reflect", Some(padding)) => padding.max(0) + 1,
        ("circular", Some(padding)) => padding.max(1),
        ("zeros", Some(_)) if may_be_empty => 0,
        _ => 1,
    };
    length.keep_at_least(shortest).ok_or_else(|| match padding {
        Some(padding) if shortest > 1 => {
            let problem =
                format!("has padding {padding} in mode \"{mode}\", but dimension {} of its input is {length}.", d + 1);
            call.size_error(0, d, problem).argument("padding").hint(format!("A size of at least {shortest} would fit."))
        }
        _ => no_length(call, d),
    })
}

fn no_length(call: &Call, d: usize) -> Box<Error> {
    let problem = format!("has nothing to work on: dimension {} of {} is 0.", d + 1, call.the_input(0));
    call.size_error(0, d, problem).hint("A size of at least 1 would fit.")
}

fn too_short(call: &Call, d: usize, kernel_size: Dim, extent: Dim, padding: i64) -> Box<Error> {
    let input = call.input(0);
    let reach =
        if extent == kernel_size { String::new() } else { format!(" (reaching over {extent} by its dilation)") };
    let problem = format!(
        "has a kernel of size {kernel_size}{reach} that does not fit: dimension {} of {} {} is {} with {padding} of padding.",
        d + 1,
        call.the_input(0),
        Shown(input),
        input[d],
    );
    let shortest = (extent - padding).lowest();
    call.size_error(0, d, problem).argument("kernel_size").hint(format!("A size of at least {shortest} would fit."))
}

/// The weights of a convolution over `N` dimensions.
struct Weights<const N: usize> {
    in_per_group: Dim,
    out_per_group: Dim,
    groups: i64,
    kernel_size: [Dim; N],
}

impl<const N: usize> Weights<N> {
    fn out_channels(&self) -> Dim {
        self.out_per_group * self.groups
    }

    /// The weights that one channel of a group has.
    fn kernel_elements(&self) -> Dim {
        elements(&self.kernel_size)
    }
}

/// The weights that fit an input with its channels at dimension `channels`: those of a module follow from its arguments, a
/// function takes them as its second input.
fn weights<const N: usize>(call: &Call, channels: usize, transposed: bool) -> Result<Weights<N>> {
    if call.args.declares("kernel_size") {
        own_weights(call, channels)
    } else {
        given_weights(call, channels, transposed)
    }
}

fn own_weights<const N: usize>(call: &Call, channels: usize) -> Result<Weights<N>> {
    let groups = call.args.whole("groups");
    if channels == 0 && !call.args.is_given("in_channels") {
        // mlr3torch takes them from dimension 2
        call.input_of_rank(0, &[N + 2]).map_err(|error| error.hint("Without a batch, 'in_channels' must be given."))?;
    }
    let in_channels = call.agree("in_channels", 0, channels)?;
    let in_channels = in_channels.keep_at_least(1).ok_or_else(|| no_length(call, channels))?;
    let in_per_group = in_channels.exact_div(groups).ok_or_else(|| unequal_groups(call, 0, channels, groups))?;
    let out_channels = call.args.whole("out_channels");
    if out_channels % groups != 0 {
        let problem = format!("has groups = {groups}, but out_channels = {out_channels} is not a multiple.");
        return Err(Error::new(Kind::Argument, problem).argument("out_channels"));
    }
    let kernel_size = call.args.spatial::<N>("kernel_size")?.map(Dim::known);
    Ok(Weights { in_per_group, out_per_group: Dim::known(out_channels / groups), groups, kernel_size })
}

/// A weight is (C_out, C_in / groups, kernel...), of a transposed convolution (C_in, C_out / groups, kernel...); a bias (C_out).
fn given_weights<const N: usize>(call: &Call, channels: usize, transposed: bool) -> Result<Weights<N>> {
    let groups = call.args.whole("groups");
    let weight = call.input_of_rank(1, &[N + 2])?;
    let in_channels = call.input(0)[channels];
    let whole_groups = |size: Dim| size.exact_div(groups)?.keep_at_least(1);

    let (in_per_group, mut out_per_group) = if transposed {
        let in_channels =
            in_channels.unify(weight[0]).ok_or_else(|| other_channels(call, channels, 0, weight[0], groups))?;
        let in_per_group = whole_groups(in_channels).ok_or_else(|| unequal_groups(call, 1, 0, groups))?;
        (in_per_group, weight[1].keep_at_least(1).ok_or_else(|| no_weights(call, 1))?)
    } else {
        let in_per_group = in_channels.exact_div(groups).and_then(|size| size.unify(weight[1]));
        let out_per_group = whole_groups(weight[0]).ok_or_else(|| unequal_groups(call, 1, 0, groups))?;
        (in_per_group.ok_or_else(|| other_channels(call, channels, 1, weight[1] * groups, groups))?, out_per_group)
    };
    if call.get_input(2).is_some() {
        let bias = call.input_of_rank(2, &[1])?[0];
        let fitting = bias.exact_div(groups).and_then(|size| size.unify(out_per_group));
        out_per_group = fitting.ok_or_else(|| {
            let wanted = out_per_group * groups;
            let problem = format!("has a weight for {wanted} output channels, but a bias (input 3) of size {bias}.");
            call.size_error(2, 0, problem).inputs([2, 3]).sizes([wanted, bias])
        })?;
    }
    let mut kernel_size = [Dim::ONE; N];
    for (i, size) in kernel_size.iter_mut().enumerate() {
        *size = weight[i + 2].keep_at_least(1).ok_or_else(|| no_weights(call, i + 2))?;
    }
    Ok(Weights { in_per_group, out_per_group, groups, kernel_size })
}

fn no_weights(call: &Call, d: usize) -> Box<Error> {
    let problem = format!("needs a weight (input 2) with a size of at least 1 in dimension {}, not 0.", d + 1);
    call.size_error(1, d, problem)
}

/// The channels that come in, or those that go out, do not fall into groups of equal size.
fn unequal_groups(call: &Call, i: usize, d: usize, groups: i64) -> Box<Error> {
    let size = call.input(i)[d];
    let which = call.the_input(i);
    let problem =
        format!("has groups = {groups}, but dimension {} of {which} is {}, not a multiple.", d + 1, said(size));
    call.size_error(i, d, problem).argument("groups")
}

/// Dimension `d` of the weight is for `wanted` channels in all.
fn other_channels(call: &Call, channels: usize, d: usize, wanted: Dim, groups: i64) -> Box<Error> {
    let size = call.input(0)[channels];
    let groups = if groups == 1 { String::new() } else { format!(" in {groups} groups") };
    let problem = format!(
        "has a weight (input 2) for {} input channels{groups}, but dimension {} of input 1 is {}.",
        said(wanted),
        channels + 1,
        said(size),
    );
    let hint = format!(
        "Dimension {} of the weight says how many channels come in{}.",
        d + 1,
        if groups.is_empty() { "" } else { " a group" }
    );
    call.size_error(0, channels, problem).inputs([1, 2]).sizes([size, wanted]).hint(hint)
}

/// Every output element takes C_in / groups x kernel_size... multiply-adds; there are as many weights for each of C_out.
fn conv_cost<const N: usize>(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let channels = call.input(0).len().saturating_sub(N + 1);
    let Ok(weights) = weights::<N>(call, channels, false) else { return Cost::FREE };
    let macs = elements(outputs[0]) * (weights.in_per_group * weights.kernel_elements());
    Cost { params: own_params(call, &weights), macs }
}

/// C_out x C_in / groups x kernel_size..., and C_out for the bias; a function has none.
fn own_params<const N: usize>(call: &Call, weights: &Weights<N>) -> Dim {
    if !call.args.declares("kernel_size") {
        return Dim::ZERO;
    }
    let bias = if call.args.flag("bias") { weights.out_channels() } else { Dim::ZERO };
    weights.out_channels() * weights.in_per_group * weights.kernel_elements() + bias
}

/// The length that a kernel reaches over: dilation (kernel_size - 1) + 1.
pub(super) fn extent(kernel_size: Dim, dilation: i64) -> Dim {
    (kernel_size - 1) * dilation + 1
}

fn elements(sizes: &[Dim]) -> Dim {
    sizes.iter().fold(Dim::ONE, |product, &size| product * size)
}

const TBC: &[Arg] = &[Arg::whole("pad").default(0)];

/// A convolution of sequences whose first dimension is time.
pub const fn conv_tbc(name: &'static str, inputs: &'static [&'static str]) -> Op {
    Op::new(name, "conv", "convolution over time, of (time, batch, channel)", tbc)
        .inputs(Inputs::named(inputs))
        .args(TBC)
        .cost(tbc_cost)
}

/// (T, B, C_in), a weight (kernel, C_in, C_out) and a bias (C_out) -> (T + 2 pad - kernel + 1, B, C_out).
fn tbc(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[3])?;
    let weight = call.input_of_rank(1, &[3])?;
    call.input_of_rank(2, &[1])?;
    call.common_size("number of input channels", &[(0, 2), (1, 1)])?;
    let out_channels = call.common_size("number of output channels", &[(1, 2), (2, 0)])?;
    let pad = call.args.whole("pad");
    let length = input[0] + 2 * pad - weight[0] + 1;
    let length = length.keep_at_least(0).ok_or_else(|| {
        let (length, kernel_size) = (input[0], weight[0]);
        let problem = format!(
            "has a kernel of size {kernel_size} that does not fit: dimension 1 of input 1 is {length} with {} of padding.",
            2 * pad
        );
        call.size_error(0, 0, problem).inputs([1, 2]).sizes([length, kernel_size])
    })?;
    Ok(vec![length, input[1], out_channels].into())
}

/// Every output element takes C_in x kernel multiply-adds.
fn tbc_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let per_element = elements(&call.input(1)[..2]);
    Cost { params: Dim::ZERO, macs: elements(outputs[0]) * per_element }
}
