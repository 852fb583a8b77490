//! Linear maps, products of matrices, and linear algebra.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html>,
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.Bilinear.html>

mod bias;
pub mod chain;
pub mod contract;
pub mod einsum;
pub mod factor;
pub mod product;
pub mod solve;

use crate::args::Arg;
use crate::broadcast::broadcast;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{replaced, Call, Cost, Inputs, Op, Outputs};
use crate::shape::Dims;

// R torch draws the first weights from an interval whose bounds divide by the features
const LINEAR: &[Arg] =
    &[Arg::whole("in_features").min(1).optional(), Arg::whole("out_features").min(0), Arg::flag("bias", true)];
const BILINEAR: &[Arg] = &[
    Arg::whole("in1_features").min(1).optional(),
    Arg::whole("in2_features").min(1).optional(),
    Arg::whole("out_features").min(0),
    Arg::flag("bias", true),
];

pub const fn linear(name: &'static str) -> Op {
    Op::new(name, "linear", "x W' + b over the last dimension", linear_rule).args(LINEAR).cost(linear_cost)
}

/// The function, which takes the weights as inputs.
pub const fn nnf_linear(name: &'static str) -> Op {
    Op::new(name, "linear", "x W' + b over the last dimension", nnf_linear_rule)
        .inputs(Inputs::optional(&["input", "weight", "bias"], 1))
        .cost(nnf_linear_cost)
}

pub const fn bilinear(name: &'static str) -> Op {
    Op::new(name, "linear", "x1' W x2 + b over the last dimensions", bilinear_rule)
        .args(BILINEAR)
        .inputs(Inputs::named(&["input1", "input2"]))
        .cost(bilinear_cost)
}

/// The function, which takes the weights as inputs.
pub const fn nnf_bilinear(name: &'static str) -> Op {
    Op::new(name, "linear", "x1' W x2 + b over the last dimensions", nnf_bilinear_rule)
        .inputs(Inputs::optional(&["input1", "input2", "weight", "bias"], 1))
        .cost(nnf_bilinear_cost)
}

fn last(dims: &[Dim]) -> usize {
    dims.len().saturating_sub(1)
}

fn elements(dims: &[Dim]) -> Dim {
    dims.iter().fold(Dim::ONE, |product, &size| product * size)
}

/// Input `i` as matrices: the dimensions before the last two, the rows and the columns.
fn matrices<'a>(call: &Call<'a>, i: usize) -> Result<(&'a [Dim], Dim, Dim)> {
    match call.input_of_at_least(i, 2)? {
        [batch @ .., rows, columns] => Ok((batch, *rows, *columns)),
        _ => Ok((&[], Dim::ONE, Dim::ONE)),
    }
}

/// Input `i` as square matrices: the dimensions before the last two, and the order.
fn square_matrices<'a>(call: &Call<'a>, i: usize) -> Result<(&'a [Dim], Dim)> {
    let (batch, rows, columns) = matrices(call, i)?;
    let order = rows.unify(columns).ok_or_else(|| {
        let d = batch.len() + 1;
        let which = call.the_input(i);
        let problem =
            format!("needs square matrices, but dimensions {d} and {} of {which} are {rows} and {columns}.", d + 1);
        call.size_error(i, d, problem).sizes([rows, columns])
    })?;
    Ok((batch, order))
}

/// `batch` followed by `sizes`.
fn batch_of(batch: &[Dim], sizes: &[Dim]) -> Dims {
    [batch, sizes].concat()
}

/// What the dimensions of inputs `i` and `j` broadcast to, the last `kept_i` and `kept_j` of them left out.
fn broadcast_batches(call: &Call, (i, kept_i): (usize, usize), (j, kept_j): (usize, usize)) -> Result<Dims> {
    let (x, y) = (call.input(i), call.input(j));
    broadcast_sizes((i, &x[..x.len().saturating_sub(kept_i)]), (j, &y[..y.len().saturating_sub(kept_j)]))
}

/// What the first dimensions `x` of input `i` and `y` of input `j` broadcast to.
fn broadcast_sizes((i, x): (usize, &[Dim]), (j, y): (usize, &[Dim])) -> Result<Dims> {
    let rank = x.len().max(y.len());
    let mut output = crate::broadcast::pad_left(x, rank);
    let offset = rank - y.len();
    for (d, &size) in y.iter().enumerate() {
        let before = output[offset + d];
        output[offset + d] = before.broadcast(size).ok_or_else(|| {
            let first = offset + d + x.len() - rank;
            let problem = format!(
                "cannot broadcast its batches: dimension {} of input {} is {before} and dimension {} of input {} is {size}.",
                first + 1,
                i + 1,
                d + 1,
                j + 1
            );
            Error::new(Kind::Broadcast, problem)
                .hint("Sizes before the matrices must be equal or 1.")
                .dim(d + 1)
                .sizes([before, size])
                .inputs([i + 1, j + 1])
        })?;
    }
    Ok(output)
}

/// What is left of sizes that are stretched to `to`, aligned at the last: equal, or 1 where the size `beside` is equal.
fn stretched(sizes: &[Dim], beside: &[Dim], to: &[Dim]) -> Dims {
    let offset = to.len().saturating_sub(sizes.len());
    let left = |((&size, &beside), &to): ((&Dim, &Dim), &Dim)| {
        let one = beside.unify(to).and_then(|_| size.unify(1));
        [size.unify(to), one].into_iter().flatten().reduce(Dim::or).unwrap_or(size)
    };
    sizes.iter().zip(&beside[offset..]).zip(&to[offset..]).map(left).collect()
}

/// (*, in_features) -> (*, out_features)
fn linear_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    at_least_one_feature(call, "in_features", 0)?;
    Ok(replaced(input, last(input), Dim::known(call.args.whole("out_features"))).into())
}

/// The last size of input `i` agrees with the argument and is not 0.
fn at_least_one_feature(call: &Call, name: &str, i: usize) -> Result<()> {
    let d = last(call.input(i));
    not_zero(call, i, call.agree(name, i, d)?)
}

/// The last size of input `i`, of which `features` is left, is not 0.
fn not_zero(call: &Call, i: usize, features: Dim) -> Result<()> {
    if !features.equals(0).is_yes() {
        return Ok(());
    }
    let d = last(call.input(i));
    let problem = format!("needs at least one feature, but dimension {} of {} is 0.", d + 1, call.the_input(i));
    Err(call.size_error(i, d, problem))
}

/// params = in_features out_features + out_features of bias; macs = in_features an output element.
fn linear_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let in_features = call.agree("in_features", 0, last(call.input(0))).unwrap_or(Dim::UNKNOWN);
    let out_features = call.args.whole("out_features");
    let bias = if call.args.flag("bias") { out_features } else { 0 };
    Cost { params: in_features * out_features + bias, macs: elements(outputs[0]) * in_features }
}

/// (*, in), (out, in), [(out)] -> (*, out); a weight of one dimension leaves (*).
fn nnf_linear_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let weight = call.input_of_rank(1, &[1, 2])?;
    call.common_size("number of features", &[(0, last(input)), (1, last(weight))])?;
    let output = batch_of(&input[..last(input)], &weight[..last(weight)]);
    match call.get_input(2) {
        None => Ok(output.into()),
        Some(bias) => Ok(bias::added(call, &output, bias)?.into()),
    }
}

/// macs = in_features an output element.
fn nnf_linear_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let features = call.common_size("number of features", &[(0, last(call.input(0))), (1, last(call.input(1)))]);
    Cost { macs: elements(outputs[0]) * features.unwrap_or(Dim::UNKNOWN), ..Cost::FREE }
}

/// (*, in1), (*, in2) -> (*, out_features)
fn bilinear_rule(call: &Call) -> Result<Outputs> {
    let mut output = common_leading(call)?;
    at_least_one_feature(call, "in1_features", 0)?;
    at_least_one_feature(call, "in2_features", 1)?;
    output.push(Dim::known(call.args.whole("out_features")));
    Ok(output.into())
}

/// All dimensions but the last of two inputs, which must be equal.
fn common_leading(call: &Call) -> Result<Dims> {
    let first = call.input_of_at_least(0, 1)?;
    call.input_of_rank(1, &[first.len()])?;
    (0..last(first)).map(|d| call.common_size("size before the features", &[(0, d), (1, d)])).collect()
}

/// params = in1_features in2_features out_features + out_features of bias; macs = in1_features in2_features an output
/// element.
fn bilinear_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let d = last(call.input(0));
    let in1 = call.agree("in1_features", 0, d).unwrap_or(Dim::UNKNOWN);
    let in2 = call.agree("in2_features", 1, d).unwrap_or(Dim::UNKNOWN);
    let out_features = call.args.whole("out_features");
    let bias = if call.args.flag("bias") { out_features } else { 0 };
    Cost { params: in1 * in2 * out_features + bias, macs: elements(outputs[0]) * in1 * in2 }
}

/// (*, in1), (*, in2), (out, in1, in2), [(out)] -> (*, out)
fn nnf_bilinear_rule(call: &Call) -> Result<Outputs> {
    let mut output = common_leading(call)?;
    let weight = call.input_of_rank(2, &[3])?;
    let d = output.len();
    not_zero(call, 0, call.common_size("number of features", &[(0, d), (2, 1)])?)?;
    not_zero(call, 1, call.common_size("number of features", &[(1, d), (2, 2)])?)?;
    if call.get_input(3).is_none() {
        output.push(weight[0]);
        return Ok(output.into());
    }
    // PyTorch looks at the first size of the bias only, and then broadcasts
    let bias = call.input_of_at_least(3, 1)?;
    let features = call.common_size("number of output features", &[(2, 0), (3, 0)])?;
    output.push(features);
    Ok(broadcast(&[&output, &replaced(bias, 0, features)])?.into())
}

/// macs = in1_features in2_features an element of what the bias is added to.
fn nnf_bilinear_cost(call: &Call, _: &[&[Dim]]) -> Cost {
    let d = last(call.input(0));
    let in1 = call.common_size("number of features", &[(0, d), (2, 1)]).unwrap_or(Dim::UNKNOWN);
    let in2 = call.common_size("number of features", &[(1, d), (2, 2)]).unwrap_or(Dim::UNKNOWN);
    let product = elements(&common_leading(call).unwrap_or_default()) * call.input(2)[0];
    Cost { macs: product * in1 * in2, ..Cost::FREE }
}
