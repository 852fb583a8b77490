//! Diagonals of matrices.
//! <https://docs.pytorch.org/docs/stable/generated/torch.diagonal.html>

use super::{elements, reshape::new_dim};
use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{dimension, Error, Kind, Result};
use crate::op::{Call, Op, Outputs};

const DIAGONAL: &[Arg] =
    &[Arg::whole("dim1").default(1), Arg::whole("dim2").default(2), Arg::whole("offset").default(0)];
const DIAG_EMBED: &[Arg] =
    &[Arg::whole("offset").default(0), Arg::whole("dim1").default(-2), Arg::whole("dim2").default(-1)];
const DIAG: &[Arg] = &[Arg::whole("diagonal").default(0)];
const OFFSET: &[Arg] = &[Arg::whole("offset").default(0)];

/// The diagonals of the matrices in two dimensions.
pub const fn diagonal(name: &'static str) -> Op {
    Op::new(name, "view", "the diagonals in the plane of two dimensions, as the last one", diagonal_rule).args(DIAGONAL)
}

/// Matrices with the last dimension as their diagonals.
pub const fn diag_embed(name: &'static str) -> Op {
    Op::new(name, "view", "matrices that have the last dimension as their diagonals", diag_embed_rule).args(DIAG_EMBED)
}

/// The diagonal of a matrix, or a matrix with the diagonal given.
pub const fn diag(name: &'static str) -> Op {
    Op::new(name, "view", "the diagonal of a matrix, or the matrix of a diagonal", diag_rule).args(DIAG)
}

/// A matrix with all elements as its diagonal.
pub const fn diagflat(name: &'static str) -> Op {
    Op::new(name, "view", "the matrix that has all elements as its diagonal", diagflat_rule).args(OFFSET)
}

/// Matrices with zeros on one side of a diagonal.
pub const fn triangle(name: &'static str, summary: &'static str) -> Op {
    Op::new(name, "view", summary, triangle_rule).args(DIAG)
}

/// max(min(rows, columns - offset), 0), or max(min(rows + offset, columns), 0) below the main diagonal
fn diagonal_length(rows: Dim, columns: Dim, offset: i64) -> Dim {
    (rows + offset.min(0)).min(columns - offset.max(0)).max(0)
}

/// (*, N, *, M, *) -> (*, *, *, length of the diagonal)
fn diagonal_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let (first, second) = plane(call, |name| call.dim(name, input.len()))?;
    let others = input.iter().enumerate().filter(|&(dim, _)| dim != first && dim != second);
    let mut output: Vec<Dim> = others.map(|(_, &size)| size).collect();
    output.push(diagonal_length(input[first], input[second], call.args.whole("offset")));
    Ok(output.into())
}

/// The two dimensions that the arguments dim1 and dim2 name.
fn plane(call: &Call, resolve: impl Fn(&str) -> Result<usize>) -> Result<(usize, usize)> {
    let (first, second) = (resolve("dim1")?, resolve("dim2")?);
    if first == second {
        let problem = format!(
            "needs two dimensions, but dim1 = {} and dim2 = {} are both {}.",
            call.args.whole("dim1"),
            call.args.whole("dim2"),
            dimension(&[first + 1])
        );
        return Err(Error::new(Kind::Dim, problem).argument("dim2"));
    }
    Ok((first, second))
}

/// (*, N) -> (*, N + |offset|, *, N + |offset|, *), these two at dim1 and dim2
fn diag_embed_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let rank = input.len() + 1;
    let (first, second) = plane(call, |name| new_dim(call, name, rank))?;
    let (others, length) = input.split_at(input.len() - 1);
    let side = length[0] + call.args.whole("offset").abs();
    let mut output = others.to_vec();
    output.insert(first.min(second), side);
    output.insert(first.max(second), side);
    Ok(output.into())
}

/// (N) -> (N + |diagonal|, N + |diagonal|); (N, M) -> (length of the diagonal)
fn diag_rule(call: &Call) -> Result<Outputs> {
    let offset = call.args.whole("diagonal");
    Ok(match *call.input_of_rank(0, &[1, 2])? {
        [rows, columns] => vec![diagonal_length(rows, columns, offset)],
        [length, ..] => vec![length + offset.abs(); 2],
        [] => Vec::new(),
    }
    .into())
}

/// (*) -> (number of elements + |offset|, the same)
fn diagflat_rule(call: &Call) -> Result<Outputs> {
    Ok(vec![elements(call, 0)?.count() + call.args.whole("offset").abs(); 2].into())
}

/// (*, N, M) -> the same
fn triangle_rule(call: &Call) -> Result<Outputs> {
    Ok(call.input_of_at_least(0, 2)?.to_vec().into())
}
