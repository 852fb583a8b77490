//! Linear maps and products of matrices.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html>

use crate::args::Arg;
use crate::dim::Dim;
use crate::error::Result;
use crate::op::{replaced, Call, Cost, Op, Outputs};

const LINEAR: &[Arg] =
    &[Arg::whole("in_features").min(0).optional(), Arg::whole("out_features").min(0), Arg::flag("bias", true)];

pub const fn linear(name: &'static str) -> Op {
    Op::new(name, "linear", "x W' + b over the last dimension", linear_rule).args(LINEAR).cost(linear_cost)
}

/// (*, in_features) -> (*, out_features)
fn linear_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let last = input.len() - 1;
    call.agree("in_features", 0, last)?;
    Ok(replaced(input, last, Dim::known(call.args.whole("out_features"))).into())
}

/// Every output element takes in_features multiply-adds.
fn linear_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let input = call.input(0);
    let in_features = call.agree("in_features", 0, input.len() - 1).unwrap_or(Dim::UNKNOWN);
    let out_features = call.args.whole("out_features");
    let bias = if call.args.flag("bias") { out_features } else { 0 };
    let elements = outputs[0].iter().fold(Dim::ONE, |product, &size| product * size);
    Cost { params: in_features * out_features + bias, macs: elements * in_features }
}
