//! Linear maps and products of matrices.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html>,
//! <https://docs.pytorch.org/docs/stable/generated/torch.matmul.html>

use crate::args::{Arg, Value};
use crate::broadcast::{broadcast, expand_into};
use crate::dim::Dim;
use crate::error::{counted, Error, Kind, Result};
use crate::op::{replaced, Call, Cost, Inputs, Op, Outputs, Rule};
use crate::shape::Dims;

const LINEAR: &[Arg] =
    &[Arg::whole("in_features").min(0).optional(), Arg::whole("out_features").min(0), Arg::flag("bias", true)];
const BILINEAR: &[Arg] = &[
    Arg::whole("in1_features").min(1).optional(),
    Arg::whole("in2_features").min(1).optional(),
    Arg::whole("out_features").min(1),
    Arg::flag("bias", true),
];
const BETA_ALPHA: &[Arg] = &[Arg::number("beta").default_number(1.0), Arg::number("alpha").default_number(1.0)];
const TENSORDOT: &[Arg] = &[Arg::any("dims")];

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

pub const fn matmul(name: &'static str) -> Op {
    product(name, "product of matrices; dimensions before the last two are broadcast", matmul_rule)
}

pub const fn mm(name: &'static str) -> Op {
    product(name, "product of two matrices", mm_rule)
}

pub const fn bmm(name: &'static str) -> Op {
    product(name, "product of two batches of matrices", bmm_rule)
}

pub const fn mv(name: &'static str) -> Op {
    product(name, "product of a matrix and a vector", mv_rule)
}

pub const fn dot(name: &'static str) -> Op {
    product(name, "product of two vectors", dot_rule)
}

pub const fn outer(name: &'static str) -> Op {
    Op::new(name, "linear", "all products of the elements of two vectors", outer_rule)
        .inputs(Inputs::TWO)
        .cost(elements_cost)
}

const fn product(name: &'static str, summary: &'static str, rule: Rule) -> Op {
    Op::new(name, "linear", summary, rule).inputs(Inputs::TWO).cost(contraction_cost)
}

pub const fn addmm(name: &'static str) -> Op {
    sum_of_product(name, "beta a + alpha b c, of matrices", addmm_rule, &["self", "mat1", "mat2"])
}

pub const fn addmv(name: &'static str) -> Op {
    sum_of_product(name, "beta a + alpha B c, of a matrix and vectors", addmv_rule, &["self", "mat", "vec"])
}

pub const fn addr(name: &'static str) -> Op {
    sum_of_product(name, "beta A + alpha b c', of vectors", addr_rule, &["self", "vec1", "vec2"])
}

pub const fn baddbmm(name: &'static str) -> Op {
    sum_of_product(name, "beta a + alpha b c, of batches of matrices", baddbmm_rule, &["self", "batch1", "batch2"])
}

pub const fn addbmm(name: &'static str) -> Op {
    sum_of_product(
        name,
        "beta a + alpha times the sum of b c over the batch",
        addbmm_rule,
        &["self", "batch1", "batch2"],
    )
}

const fn sum_of_product(name: &'static str, summary: &'static str, rule: Rule, inputs: &'static [&'static str]) -> Op {
    Op::new(name, "linear", summary, rule).args(BETA_ALPHA).inputs(Inputs::named(inputs)).cost(added_product_cost)
}

pub const fn tensordot(name: &'static str) -> Op {
    Op::new(name, "linear", "sums products over dimensions of both inputs", tensordot_rule)
        .args(TENSORDOT)
        .inputs(Inputs::named(&["a", "b"]))
        .cost(tensordot_cost)
}

pub const fn kron(name: &'static str) -> Op {
    Op::new(name, "linear", "Kronecker product", kron_rule).inputs(Inputs::TWO).cost(elements_cost)
}

pub const fn chain_matmul(name: &'static str) -> Op {
    Op::new(name, "linear", "product of several matrices", chain_rule).inputs(Inputs::ANY)
}

pub const fn multi_dot(name: &'static str) -> Op {
    Op::new(name, "linear", "product of several matrices, a vector at either end", multi_dot_rule)
        .inputs(Inputs::Any { min: 2 })
}

fn last(dims: &[Dim]) -> usize {
    dims.len() - 1
}

fn elements(dims: &[Dim]) -> Dim {
    dims.iter().fold(Dim::ONE, |product, &size| product * size)
}

/// (*, in_features) -> (*, out_features)
fn linear_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    call.agree("in_features", 0, last(input))?;
    Ok(replaced(input, last(input), Dim::known(call.args.whole("out_features"))).into())
}

/// Every output element takes in_features multiply-adds.
fn linear_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let input = call.input(0);
    let in_features = call.agree("in_features", 0, last(input)).unwrap_or(Dim::UNKNOWN);
    let out_features = call.args.whole("out_features");
    let bias = if call.args.flag("bias") { out_features } else { 0 };
    Cost { params: in_features * out_features + bias, macs: elements(outputs[0]) * in_features }
}

/// (*, in), (out, in), [(out)] -> (*, out); a weight of one dimension leaves (*).
fn nnf_linear_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let weight = call.input_of_rank(1, &[1, 2])?;
    call.common_size("the features", &[(0, last(input)), (1, last(weight))])?;
    let mut output = input[..last(input)].to_vec();
    output.extend_from_slice(&weight[..last(weight)]);
    let Some(bias) = call.get_input(2) else { return Ok(output.into()) };
    Ok(expand_into(bias, &output)?.into())
}

/// Every output element takes as many multiply-adds as there are features.
fn nnf_linear_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let (input, weight) = (call.input(0), call.input(1));
    let features = call.common_size("the features", &[(0, last(input)), (1, last(weight))]).unwrap_or(Dim::UNKNOWN);
    Cost { macs: elements(outputs[0]) * features, ..Cost::FREE }
}

/// (*, in1), (*, in2) -> (*, out_features)
fn bilinear_rule(call: &Call) -> Result<Outputs> {
    let mut output = common_leading(call)?;
    call.agree("in1_features", 0, output.len())?;
    call.agree("in2_features", 1, output.len())?;
    output.push(Dim::known(call.args.whole("out_features")));
    Ok(output.into())
}

/// All dimensions but the last of two inputs, which must be equal.
fn common_leading(call: &Call) -> Result<Dims> {
    let first = call.input_of_at_least(0, 1)?;
    call.input_of_rank(1, &[first.len()])?;
    (0..last(first)).map(|d| call.common_size("all sizes but the last", &[(0, d), (1, d)])).collect()
}

/// Every output element takes in1_features in2_features multiply-adds.
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
    call.common_size("the features", &[(0, d), (2, 1)])?;
    call.common_size("the features", &[(1, d), (2, 2)])?;
    output.push(match call.get_input(3) {
        Some(_) => {
            call.input_of_rank(3, &[1])?;
            call.common_size("the output features", &[(2, 0), (3, 0)])?
        }
        None => weight[0],
    });
    Ok(output.into())
}

fn nnf_bilinear_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let d = last(call.input(0));
    let in1 = call.common_size("the features", &[(0, d), (2, 1)]).unwrap_or(Dim::UNKNOWN);
    let in2 = call.common_size("the features", &[(1, d), (2, 2)]).unwrap_or(Dim::UNKNOWN);
    Cost { macs: elements(outputs[0]) * in1 * in2, ..Cost::FREE }
}

/// (*, n, m), (*, m, p) -> (*, n, p); a vector is a matrix of one row on the left and of one column on the right, and loses
/// that again.
fn matmul_rule(call: &Call) -> Result<Outputs> {
    let (x, y) = (call.input_of_at_least(0, 1)?, call.input_of_at_least(1, 1)?);
    let (rows, x_batch) = if x.len() > 1 { (Some(x[x.len() - 2]), &x[..x.len() - 2]) } else { (None, &x[..0]) };
    let (columns, y_batch) = if y.len() > 1 { (Some(y[y.len() - 1]), &y[..y.len() - 2]) } else { (None, &y[..0]) };
    let y_inner = if y.len() > 1 { y.len() - 2 } else { 0 };
    call.common_size("the size that is summed over", &[(0, last(x)), (1, y_inner)])?;
    let mut output = broadcast(&[x_batch, y_batch])?;
    output.extend(rows);
    output.extend(columns);
    Ok(output.into())
}

/// (n, m), (m, p) -> (n, p)
fn mm_rule(call: &Call) -> Result<Outputs> {
    Ok(matrix_product(call, 0, 1)?.into())
}

fn matrix_product(call: &Call, i: usize, j: usize) -> Result<Dims> {
    let (x, y) = (call.input_of_rank(i, &[2])?, call.input_of_rank(j, &[2])?);
    call.common_size("the size that is summed over", &[(i, 1), (j, 0)])?;
    Ok(vec![x[0], y[1]])
}

/// (b, n, m), (b, m, p) -> (b, n, p)
fn bmm_rule(call: &Call) -> Result<Outputs> {
    Ok(batch_product(call, 0, 1)?.into())
}

fn batch_product(call: &Call, i: usize, j: usize) -> Result<Dims> {
    let (x, y) = (call.input_of_rank(i, &[3])?, call.input_of_rank(j, &[3])?);
    let batch = call.common_size("the batch", &[(i, 0), (j, 0)])?;
    call.common_size("the size that is summed over", &[(i, 2), (j, 1)])?;
    Ok(vec![batch, x[1], y[2]])
}

/// (n, m), (m) -> (n)
fn mv_rule(call: &Call) -> Result<Outputs> {
    Ok(matrix_vector(call, 0, 1)?.into())
}

fn matrix_vector(call: &Call, i: usize, j: usize) -> Result<Dims> {
    let x = call.input_of_rank(i, &[2])?;
    call.input_of_rank(j, &[1])?;
    call.common_size("the size that is summed over", &[(i, 1), (j, 0)])?;
    Ok(vec![x[0]])
}

/// (n), (n) -> ()
fn dot_rule(call: &Call) -> Result<Outputs> {
    call.input_of_rank(0, &[1])?;
    call.input_of_rank(1, &[1])?;
    call.common_size("the size that is summed over", &[(0, 0), (1, 0)])?;
    Ok(Dims::new().into())
}

/// (n), (m) -> (n, m)
fn outer_rule(call: &Call) -> Result<Outputs> {
    Ok(vectors(call, 0, 1)?.into())
}

fn vectors(call: &Call, i: usize, j: usize) -> Result<Dims> {
    Ok(vec![call.input_of_rank(i, &[1])?[0], call.input_of_rank(j, &[1])?[0]])
}

/// What is added expands to (n, p).
fn addmm_rule(call: &Call) -> Result<Outputs> {
    Ok(expand_into(call.input(0), &matrix_product(call, 1, 2)?)?.into())
}

/// What is added expands to (n).
fn addmv_rule(call: &Call) -> Result<Outputs> {
    Ok(expand_into(call.input(0), &matrix_vector(call, 1, 2)?)?.into())
}

/// What is added expands to (n, m).
fn addr_rule(call: &Call) -> Result<Outputs> {
    Ok(expand_into(call.input(0), &vectors(call, 1, 2)?)?.into())
}

/// What is added expands to (b, n, p).
fn baddbmm_rule(call: &Call) -> Result<Outputs> {
    Ok(expand_into(call.input(0), &batch_product(call, 1, 2)?)?.into())
}

/// What is added expands to (n, p).
fn addbmm_rule(call: &Call) -> Result<Outputs> {
    let product = batch_product(call, 1, 2)?;
    Ok(expand_into(call.input(0), &product[1..])?.into())
}

/// Every output element takes one multiply-add for each element that is summed over: the last size of the first input.
fn contraction_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let (x, y) = (call.input(0), call.input(1));
    let inner = x[last(x)].unify(y[if y.len() > 1 { y.len() - 2 } else { 0 }]).unwrap_or(x[last(x)]);
    Cost { macs: elements(outputs[0]) * inner, ..Cost::FREE }
}

fn added_product_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let (x, y) = (call.input(1), call.input(2));
    if x.len() == 1 && y.len() == 1 {
        return elements_cost(call, outputs);
    }
    let inner = x[last(x)].unify(y[if y.len() > 1 { y.len() - 2 } else { 0 }]).unwrap_or(x[last(x)]);
    // addbmm sums over the batch too
    let batch = if x.len() > outputs[0].len() && x.len() == 3 { x[0].unify(y[0]).unwrap_or(x[0]) } else { Dim::ONE };
    Cost { macs: elements(outputs[0]) * inner * batch, ..Cost::FREE }
}

/// Every output element takes one multiply-add.
fn elements_cost(_: &Call, outputs: &[&[Dim]]) -> Cost {
    Cost { macs: elements(outputs[0]), ..Cost::FREE }
}

/// The dimensions of both inputs that are summed over, counted from 0.
fn tensordot_dims(call: &Call) -> Result<(Vec<usize>, Vec<usize>)> {
    let (a, b) = (call.input(0), call.input(1));
    let wrong = || {
        let problem =
            "needs for argument 'dims' one whole number >= 0, or a list of two vectors of as many dimensions.";
        Error::new(Kind::Argument, problem).argument("dims")
    };
    let wholes = |value: &Value| match value {
        Value::Numbers(numbers) => numbers
            .iter()
            .map(|n| n.filter(|n| n.fract() == 0.0 && n.abs() < 1e9).map(|n| n as i64))
            .collect::<Option<Vec<i64>>>()
            .ok_or_else(wrong),
        _ => Err(wrong()),
    };
    match call.args.get_raw("dims").unwrap_or(&Value::whole(2)) {
        Value::List(items) if items.len() == 2 => {
            let resolve = |value: &Value, rank: usize| -> Result<Vec<usize>> {
                let dims: Vec<usize> =
                    wholes(value)?.into_iter().map(|dim| call.resolve("dims", dim, rank)).collect::<Result<_>>()?;
                match (1..dims.len()).find(|&i| dims[..i].contains(&dims[i])) {
                    Some(i) => {
                        let problem = format!("has dimension {} twice in dims.", dims[i] + 1);
                        Err(Error::new(Kind::Dim, problem).argument("dims"))
                    }
                    None => Ok(dims),
                }
            };
            let (x, y) = (resolve(&items[0].1, a.len())?, resolve(&items[1].1, b.len())?);
            if x.len() == y.len() {
                Ok((x, y))
            } else {
                Err(wrong())
            }
        }
        value => match wholes(value)?.as_slice() {
            &[n] if n >= 0 => {
                let n = n as usize;
                if n > a.len().min(b.len()) {
                    let problem = format!(
                        "cannot sum over {}: its inputs have {} and {}.",
                        counted(n, "dimension"),
                        a.len(),
                        b.len()
                    );
                    return Err(Error::new(Kind::Dim, problem).argument("dims"));
                }
                Ok(((a.len() - n..a.len()).collect(), (0..n).collect()))
            }
            _ => Err(wrong()),
        },
    }
}

/// What is not summed over, of a and then of b; sizes summed over are equal or 1.
fn tensordot_rule(call: &Call) -> Result<Outputs> {
    let (a, b) = (call.input(0), call.input(1));
    let (x, y) = tensordot_dims(call)?;
    for (&i, &j) in x.iter().zip(&y) {
        if a[i].broadcast(b[j]).is_none() {
            let problem = format!(
                "cannot sum over dimension {} of input 1 and dimension {} of input 2: they are {} and {}.",
                i + 1,
                j + 1,
                a[i],
                b[j]
            );
            return Err(Error::new(Kind::Size, problem).sizes([a[i], b[j]]).inputs([1, 2]));
        }
    }
    let kept = |dims: &[Dim], summed: &[usize]| -> Dims {
        dims.iter().enumerate().filter(|(d, _)| !summed.contains(d)).map(|(_, &size)| size).collect()
    };
    let mut output = kept(a, &x);
    output.extend(kept(b, &y));
    Ok(output.into())
}

fn tensordot_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let (a, b) = (call.input(0), call.input(1));
    let summed = tensordot_dims(call).map_or(Dim::ONE, |(x, y)| {
        x.iter().zip(&y).filter_map(|(&i, &j)| a[i].broadcast(b[j])).fold(Dim::ONE, |product, size| product * size)
    });
    Cost { macs: elements(outputs[0]) * summed, ..Cost::FREE }
}

/// Sizes are multiplied, aligned at the last dimension.
fn kron_rule(call: &Call) -> Result<Outputs> {
    let (x, y) = (call.input(0), call.input(1));
    let rank = x.len().max(y.len());
    let (x, y) = (crate::broadcast::pad_left(x, rank), crate::broadcast::pad_left(y, rank));
    Ok(x.iter().zip(&y).map(|(&a, &b)| a * b).collect::<Dims>().into())
}

/// (a, b), (b, c), (c, d), ... -> (a, d)
fn chain_rule(call: &Call) -> Result<Outputs> {
    let n = call.inputs().len();
    for i in 0..n {
        call.input_of_rank(i, &[2])?;
        if i > 0 {
            call.common_size("the size that is summed over", &[(i - 1, 1), (i, 0)])?;
        }
    }
    Ok(vec![call.input(0)[0], call.input(n - 1)[1]].into())
}

/// As a chain of matrices; a vector at either end leaves no dimension there.
fn multi_dot_rule(call: &Call) -> Result<Outputs> {
    let n = call.inputs().len();
    for i in 0..n {
        call.input_of_rank(i, if i == 0 || i == n - 1 { &[1, 2] } else { &[2] })?;
        if i > 0 {
            call.common_size("the size that is summed over", &[(i - 1, last(call.input(i - 1))), (i, 0)])?;
        }
    }
    let (first, end) = (call.input(0), call.input(n - 1));
    let mut output = first[..last(first)].to_vec();
    output.extend_from_slice(&end[1..]);
    Ok(output.into())
}
