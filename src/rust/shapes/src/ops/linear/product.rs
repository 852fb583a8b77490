//! Products of two matrices or vectors, and sums with them.
//! <https://docs.pytorch.org/docs/stable/generated/torch.matmul.html>,
//! <https://docs.pytorch.org/docs/stable/generated/torch.addmm.html>

use super::{broadcast_batches, elements, last, stretched};
use crate::args::Arg;
use crate::broadcast::{expand_into, pad_left};
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{Call, Cost, CostRule, Inputs, Op, Outputs, Rule};
use crate::shape::{Dims, Shown};

const OUT_DTYPE: &[Arg] = &[Arg::any("out_dtype")];
const BETA_ALPHA: &[Arg] =
    &[Arg::any("out_dtype"), Arg::number("beta").default_number(1.0), Arg::number("alpha").default_number(1.0)];

const MATRICES: Inputs = Inputs::named(&["self", "mat2"]);
const MATRIX_AND_VECTOR: Inputs = Inputs::named(&["self", "vec"]);
const VECTORS: Inputs = Inputs::named(&["self", "vec2"]);

const fn product(name: &'static str, summary: &'static str, rule: Rule) -> Op {
    Op::new(name, "linear", summary, rule).inputs(Inputs::TWO).cost(product_cost)
}

pub const fn matmul(name: &'static str) -> Op {
    product(name, "product of matrices; dimensions before the last two are broadcast", matmul_rule)
}

pub const fn mm(name: &'static str) -> Op {
    product(name, "product of two matrices", mm_rule).inputs(MATRICES).args(OUT_DTYPE)
}

pub const fn bmm(name: &'static str) -> Op {
    product(name, "product of two batches of matrices", bmm_rule).inputs(MATRICES).args(OUT_DTYPE)
}

pub const fn mv(name: &'static str) -> Op {
    product(name, "product of a matrix and a vector", mv_rule).inputs(MATRIX_AND_VECTOR)
}

pub const fn dot(name: &'static str) -> Op {
    product(name, "product of two vectors", dot_rule).inputs(Inputs::named(&["self", "tensor"]))
}

/// The dot product that conjugates complex numbers.
pub const fn vdot(name: &'static str) -> Op {
    product(name, "product of two vectors, the first one conjugated", dot_rule)
}

pub const fn outer(name: &'static str) -> Op {
    product(name, "all products of the elements of two vectors", outer_rule).inputs(VECTORS).cost(elements_cost)
}

pub const fn kron(name: &'static str) -> Op {
    product(name, "Kronecker product", kron_rule).cost(elements_cost)
}

const fn sum(name: &'static str, summary: &'static str, rule: Rule, inputs: Inputs, cost: CostRule) -> Op {
    Op::new(name, "linear", summary, rule).args(BETA_ALPHA).inputs(inputs).cost(cost)
}

const SUM_OF_MATRICES: Inputs = Inputs::named(&["self", "mat1", "mat2"]);
const SUM_OF_BATCHES: Inputs = Inputs::named(&["self", "batch1", "batch2"]);
const SUM_OF_VECTORS: Inputs = Inputs::named(&["self", "vec1", "vec2"]);
const SUM_OF_MATRIX_AND_VECTOR: Inputs = Inputs::named(&["self", "mat", "vec"]);

pub const fn addmm(name: &'static str) -> Op {
    sum(name, "beta A + alpha B C, of matrices", addmm_rule, SUM_OF_MATRICES, added_product_cost)
}

pub const fn addmv(name: &'static str) -> Op {
    sum(name, "beta a + alpha B c, of a matrix and vectors", addmv_rule, SUM_OF_MATRIX_AND_VECTOR, added_product_cost)
}

pub const fn addr(name: &'static str) -> Op {
    sum(name, "beta A + alpha b c', of vectors", addr_rule, SUM_OF_VECTORS, elements_cost)
}

pub const fn baddbmm(name: &'static str) -> Op {
    sum(name, "beta A + alpha B C, of batches of matrices", baddbmm_rule, SUM_OF_BATCHES, added_product_cost)
}

pub const fn addbmm(name: &'static str) -> Op {
    sum(name, "beta A + alpha times the sum of B C over the batch", addbmm_rule, SUM_OF_BATCHES, addbmm_cost)
}

/// The sums in place, whose first input has the shape of the result already.
pub const fn addmm_in_place(name: &'static str) -> Op {
    addmm(name).rule(addmm_in_place_rule)
}

pub const fn addmv_in_place(name: &'static str) -> Op {
    addmv(name).rule(addmv_in_place_rule)
}

pub const fn addr_in_place(name: &'static str) -> Op {
    addr(name).rule(addr_in_place_rule)
}

pub const fn baddbmm_in_place(name: &'static str) -> Op {
    baddbmm(name).rule(baddbmm_in_place_rule)
}

pub const fn sampled_addmm(name: &'static str) -> Op {
    sum(
        name,
        "beta A + alpha B C at the nonzero elements of a sparse A",
        sampled_addmm_rule,
        SUM_OF_MATRICES,
        added_product_cost,
    )
}

const SUMMED: &str = "size to sum over";
const BATCH: &str = "batch size";

/// (*, n, m), (*, m, p) -> (*, n, p); a vector is a matrix of one row on the left and of one column on the right, and loses
/// that again.
fn matmul_rule(call: &Call) -> Result<Outputs> {
    let (x, y) = (call.input_of_at_least(0, 1)?, call.input_of_at_least(1, 1)?);
    call.common_size(SUMMED, &[(0, last(x)), (1, rows_of(y))])?;
    let rows = &x[x.len().saturating_sub(2)..last(x)];
    let columns = if y.len() > 1 { &y[last(y)..] } else { &[] };
    let mut output = broadcast_batches(call, (0, 2), (1, 2))?;
    output.extend_from_slice(rows);
    output.extend_from_slice(columns);
    Ok(output.into())
}

/// The dimension of a right factor that is summed over: its rows, or all of a vector.
fn rows_of(y: &[Dim]) -> usize {
    y.len().saturating_sub(2)
}

/// (n, m), (m, p) -> (n, p)
fn mm_rule(call: &Call) -> Result<Outputs> {
    Ok(matrix_product(call, 0, 1)?.into())
}

fn matrix_product(call: &Call, i: usize, j: usize) -> Result<Dims> {
    let (x, y) = (call.input_of_rank(i, &[2])?, call.input_of_rank(j, &[2])?);
    call.common_size(SUMMED, &[(i, 1), (j, 0)])?;
    Ok(vec![x[0], y[1]])
}

/// (b, n, m), (b, m, p) -> (b, n, p)
fn bmm_rule(call: &Call) -> Result<Outputs> {
    Ok(batch_product(call, 0, 1)?.into())
}

fn batch_product(call: &Call, i: usize, j: usize) -> Result<Dims> {
    let (x, y) = (call.input_of_rank(i, &[3])?, call.input_of_rank(j, &[3])?);
    let batch = call.common_size(BATCH, &[(i, 0), (j, 0)])?;
    call.common_size(SUMMED, &[(i, 2), (j, 1)])?;
    Ok(vec![batch, x[1], y[2]])
}

/// (n, m), (m) -> (n)
fn mv_rule(call: &Call) -> Result<Outputs> {
    Ok(matrix_vector(call, 0, 1)?.into())
}

fn matrix_vector(call: &Call, i: usize, j: usize) -> Result<Dims> {
    let x = call.input_of_rank(i, &[2])?;
    call.input_of_rank(j, &[1])?;
    call.common_size(SUMMED, &[(i, 1), (j, 0)])?;
    Ok(vec![x[0]])
}

/// (n), (n) -> ()
fn dot_rule(call: &Call) -> Result<Outputs> {
    call.input_of_rank(0, &[1])?;
    call.input_of_rank(1, &[1])?;
    call.common_size(SUMMED, &[(0, 0), (1, 0)])?;
    Ok(Dims::new().into())
}

/// (n), (m) -> (n, m)
fn outer_rule(call: &Call) -> Result<Outputs> {
    Ok(vectors(call, 0, 1)?.into())
}

fn vectors(call: &Call, i: usize, j: usize) -> Result<Dims> {
    Ok(vec![call.input_of_rank(i, &[1])?[0], call.input_of_rank(j, &[1])?[0]])
}

/// Sizes are multiplied, aligned at the last dimension.
fn kron_rule(call: &Call) -> Result<Outputs> {
    let (x, y) = (call.input(0), call.input(1));
    let rank = x.len().max(y.len());
    Ok(pad_left(x, rank).iter().zip(&pad_left(y, rank)).map(|(&a, &b)| a * b).collect::<Dims>().into())
}

/// (n, m), (m, p) -> (n, p), to which what is added expands
fn addmm_rule(call: &Call) -> Result<Outputs> {
    added(call, &matrix_product(call, 1, 2)?)
}

/// (n, m), (m) -> (n), to which what is added expands; an empty matrix leaves the shape of what is added, unless beta is 0
fn addmv_rule(call: &Call) -> Result<Outputs> {
    let product = matrix_vector(call, 1, 2)?;
    let output = added(call, &product)?;
    let is_empty = elements(call.input(1)).equals(0).is_yes();
    if !is_empty || call.args.get_number("beta") == Some(0.0) {
        return Ok(output);
    }
    Ok(stretched(call.input(0), &product, &product).into())
}

/// (n), (m) -> (n, m), to which what is added expands
fn addr_rule(call: &Call) -> Result<Outputs> {
    added(call, &vectors(call, 1, 2)?)
}

/// (b, n, m), (b, m, p) -> (b, n, p), to which what is added expands
fn baddbmm_rule(call: &Call) -> Result<Outputs> {
    added(call, &batch_product(call, 1, 2)?)
}

/// (b, n, m), (b, m, p) -> (n, p), to which what is added expands
fn addbmm_rule(call: &Call) -> Result<Outputs> {
    added(call, &batch_product(call, 1, 2)?[1..])
}

/// What is left of the product when the first input must expand to it.
fn added(call: &Call, product: &[Dim]) -> Result<Outputs> {
    Ok(expand_into(call.input(0), product)?.into())
}

fn addmm_in_place_rule(call: &Call) -> Result<Outputs> {
    added_in_place(call, &matrix_product(call, 1, 2)?)
}

fn addmv_in_place_rule(call: &Call) -> Result<Outputs> {
    added_in_place(call, &matrix_vector(call, 1, 2)?)
}

fn addr_in_place_rule(call: &Call) -> Result<Outputs> {
    added_in_place(call, &vectors(call, 1, 2)?)
}

fn baddbmm_in_place_rule(call: &Call) -> Result<Outputs> {
    added_in_place(call, &batch_product(call, 1, 2)?)
}

/// What is left of the product when the first input must have its shape.
fn added_in_place(call: &Call, product: &[Dim]) -> Result<Outputs> {
    let target = call.input_of_rank(0, &[product.len()])?;
    let both: Option<Dims> = target.iter().zip(product).map(|(a, &b)| a.unify(b)).collect();
    both.map(Outputs::from).ok_or_else(|| {
        let problem =
            format!("cannot add in place: input 1 is {} and the product is {}.", Shown(target), Shown(product));
        Error::new(Kind::Size, problem)
            .inputs([1])
            .hint(format!("A first input of shape {} would fit.", Shown(product)))
    })
}

/// (*, n, p), (*, n, m), (*, m, p) -> (*, n, p)
fn sampled_addmm_rule(call: &Call) -> Result<Outputs> {
    let rank = call.input_of_at_least(0, 2)?.len();
    call.input_of_rank(1, &[rank])?;
    call.input_of_rank(2, &[rank])?;
    let mut output: Dims =
        (0..rank - 2).map(|d| call.common_size(BATCH, &[(0, d), (1, d), (2, d)])).collect::<Result<_>>()?;
    call.common_size(SUMMED, &[(1, rank - 1), (2, rank - 2)])?;
    output.push(call.common_size("number of rows", &[(0, rank - 2), (1, rank - 2)])?);
    output.push(call.common_size("number of columns", &[(0, rank - 1), (2, rank - 1)])?);
    Ok(output.into())
}

/// The size that inputs `i` and `j` are summed over.
fn summed(call: &Call, i: usize, j: usize) -> Dim {
    let places = [(i, last(call.input(i))), (j, rows_of(call.input(j)))];
    call.common_size(SUMMED, &places).unwrap_or(Dim::UNKNOWN)
}

/// macs = the size summed over an output element.
fn product_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    Cost { macs: elements(outputs[0]) * summed(call, 0, 1), ..Cost::FREE }
}

/// macs = the size summed over an output element.
fn added_product_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    Cost { macs: elements(outputs[0]) * summed(call, 1, 2), ..Cost::FREE }
}

/// macs = the batch times the size summed over an output element.
fn addbmm_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let batch = call.common_size(BATCH, &[(1, 0), (2, 0)]).unwrap_or(Dim::UNKNOWN);
    Cost { macs: elements(outputs[0]) * summed(call, 1, 2) * batch, ..Cost::FREE }
}

/// macs = one an output element.
fn elements_cost(_: &Call, outputs: &[&[Dim]]) -> Cost {
    Cost { macs: elements(outputs[0]), ..Cost::FREE }
}
