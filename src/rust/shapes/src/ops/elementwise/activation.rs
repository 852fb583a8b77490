//! Activations that look at one dimension: softmax and its kin, gated units, prelu, normalising to length 1.
//! <https://docs.pytorch.org/docs/stable/nn.html#non-linear-activations-other>

use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{replaced, said, Call, Cost, Inputs, Op, Outputs};
use crate::ops::reduce::{has_elements, Order};

pub const DIM: &[Arg] = &[Arg::whole("dim")];
pub const DIM_DTYPE: &[Arg] = &[Arg::whole("dim"), Arg::any("dtype")];

/// A softmax along one dimension.
pub const fn softmax(name: &'static str, summary: &'static str, args: &'static [Arg]) -> Op {
    Op::new(name, "elementwise", summary, along_dim).args(args)
}

/// (*) -> the same, for a dim of it; a scalar passes for one dimension.
fn along_dim(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    call.resolve_or_scalar("dim", call.args.whole("dim"), input.len())?;
    Ok(input.to_vec().into())
}

pub const fn gumbel_softmax(name: &'static str) -> Op {
    const ARGS: &[Arg] =
        &[Arg::number("tau").default_number(1.0), Arg::flag("hard", false), Arg::whole("dim").default(-1)];
    Op::new(name, "elementwise", "softmax with Gumbel noise along one dimension", gumbel_softmax_rule)
        .args(ARGS)
        .inputs(Inputs::named(&["logits"]))
}

/// (*) -> the same. A hard choice needs something to choose from.
fn gumbel_softmax_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let dim = call.resolve_or_scalar("dim", call.args.whole("dim"), input.len())?;
    if call.args.flag("hard") {
        has_elements(call, 0, &[dim])?;
    }
    Ok(input.to_vec().into())
}

pub const fn sparsemax(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::whole("dim").default(-1)];
    Op::new(name, "elementwise", "sparse softmax along one dimension", sparsemax_rule).args(ARGS)
}

/// (*) -> the same; with more than 2 dimensions R torch's code swaps the first one and dim.
fn sparsemax_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let dim = call.resolve("dim", call.args.whole("dim"), input.len())?;
    let mut output = input.to_vec();
    if input.len() > 2 {
        has_elements(call, 0, &[dim])?;
        output.swap(0, dim);
    } else {
        has_elements(call, 0, &[input.len() - 1])?;
    }
    Ok(output.into())
}

/// A gated unit along `dim`.
pub const fn glu(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::whole("dim").default(-1)];
    Op::new(name, "elementwise", "first half times the sigmoid of the second", glu_rule).args(ARGS)
}

/// A gated unit of mlr3torch, along the last dimension.
pub const fn gated(name: &'static str, summary: &'static str) -> Op {
    Op::new(name, "elementwise", summary, gated_rule)
}

/// (*, D, *) -> (*, D / 2, *)
fn glu_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    halved(call, call.dim("dim", input.len())?)
}

/// (*, D) -> (*, D / 2)
fn gated_rule(call: &Call) -> Result<Outputs> {
    halved(call, call.input_of_at_least(0, 1)?.len() - 1)
}

fn halved(call: &Call, dim: usize) -> Result<Outputs> {
    let input = call.input(0);
    let half = input[dim].exact_div(2).ok_or_else(|| {
        let problem = format!("cannot halve dimension {} of its input: its size {} is odd.", dim + 1, said(input[dim]));
        call.size_error(0, dim, problem).hint("An even size would fit.")
    })?;
    Ok(replaced(input, dim, half).into())
}

/// max(x, 0) + weight min(x, 0) with a learned weight.
pub const fn prelu(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::whole("num_parameters").min(0).default(1), Arg::number("init").default_number(0.25)];
    Op::new(name, "elementwise", PRELU, prelu_rule).args(ARGS).cost(prelu_cost)
}

/// The same with the weight as an input.
pub const fn prelu_function(name: &'static str) -> Op {
    Op::new(name, "elementwise", PRELU, prelu_function_rule).inputs(Inputs::named(&["input", "weight"]))
}

const PRELU: &str = "max(x, 0) + weight min(x, 0), one weight for all or one a channel";

/// (N, C, *) -> the same, with 1 weight or C of them.
fn prelu_rule(call: &Call) -> Result<Outputs> {
    weighted(call, Dim::known(call.args.whole("num_parameters"))).map_err(|error| error.argument("num_parameters"))
}

fn prelu_function_rule(call: &Call) -> Result<Outputs> {
    match call.input(1) {
        [] => Ok(call.input(0).to_vec().into()),
        [weights] => weighted(call, *weights),
        weight => {
            let problem = format!("needs a weight of 0 or 1 dimensions, not {}.", weight.len());
            Err(Error::new(Kind::Rank, problem).inputs([2]))
        }
    }
}

/// The input with as many channels as there are weights, if there are several; without a channel dimension there is 1.
fn weighted(call: &Call, weights: Dim) -> Result<Outputs> {
    let input = call.input(0);
    let channels = input.get(1).copied().unwrap_or(Dim::ONE);
    let agreed = weights.expand_to(channels).ok_or_else(|| {
        let (place, hint) = match input.len() {
            0 | 1 => ("but its input has no channels (dimension 2)".to_string(), "A single weight would fit."),
            _ => (
                format!("but dimension 2 of its input is {channels}"),
                "A weight for each channel, or one for all, would fit.",
            ),
        };
        let problem = format!("has {weights} weights, {place}.");
        Error::new(Kind::Size, problem).dim(2).sizes([weights, channels]).inputs([1]).hint(hint)
    })?;
    Ok(if input.len() > 1 { replaced(input, 1, agreed) } else { input.to_vec() }.into())
}

/// num_parameters weights.
fn prelu_cost(call: &Call, _: &[&[Dim]]) -> Cost {
    Cost { params: Dim::known(call.args.whole("num_parameters")), ..Cost::FREE }
}

pub const fn normalize(name: &'static str) -> Op {
    const ARGS: &[Arg] =
        &[Arg::any("p"), Arg::wholes("dim").default(2), Arg::number("eps").default_number(1e-12), Arg::any("out")];
    Op::new(name, "elementwise", "divides by the p-norm along dim", normalize_rule).args(ARGS)
}

/// (*) -> the same, for dims of it.
fn normalize_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let mut dims = call.resolve_all_or_scalar("dim", call.args.wholes("dim"), input.len())?;
    if dims.is_empty() {
        dims = (0..input.len()).collect();
    }
    if Order::of(call, "p", 2.0)?.needs_elements() {
        has_elements(call, 0, &dims)?;
    }
    Ok(input.to_vec().into())
}
