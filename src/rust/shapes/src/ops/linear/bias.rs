//! How a bias is added to the product with a weight, which in PyTorch depends on the shape of the bias.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.linear.html>

use super::{batch_of, elements};
use crate::broadcast::expand_into;
use crate::dim::{Dim, Elements};
use crate::error::{Error, Kind, Result};
use crate::op::Call;
use crate::shape::{Dims, Shown};

/// What is left of the output of `nnf_linear` when the bias can be added to it. With one size other than 1, as a bias should
/// have it, the bias is added to all rows in one matrix; with none or several it expands to the output.
pub fn added(call: &Call, output: &[Dim], bias: &[Dim]) -> Result<Dims> {
    if call.input(0).len() == 2 || bias.len() == 1 {
        return added_to_matrix(call, output, bias);
    }
    // beyond what PyTorch can hold
    const MOST_DIMS: usize = 64;
    let n = bias.len().min(MOST_DIMS);
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| [i, j]));
    let expanded = pairs.filter_map(|pair| not_ones(bias, &pair)).chain(only(bias, None));
    let mut found: Vec<Result<Dims>> = expanded.map(|bias| expand_into(&bias, output)).collect();
    found.extend((0..n).filter_map(|d| only(bias, Some(d))).map(|bias| added_to_matrix(call, output, &bias)));
    let (fitting, failed): (Vec<_>, Vec<_>) = found.into_iter().partition(Result::is_ok);
    let merged = fitting.into_iter().flatten().reduce(|a, b| a.iter().zip(b).map(|(a, b)| a.or(b)).collect());
    match (merged, failed.into_iter().next()) {
        (Some(output), _) => Ok(output),
        (None, Some(error)) => error,
        (None, None) => expand_into(bias, output),
    }
}

/// (out) or what expands to (rows, out), where all dimensions before the last are the rows
fn added_to_matrix(call: &Call, output: &[Dim], bias: &[Dim]) -> Result<Dims> {
    if call.input(1).len() == 1 {
        let problem = "cannot add this bias to the product with a weight of one dimension.";
        return Err(Error::new(Kind::Rank, problem).inputs([2, 3]).hint("A weight of shape (1,features) would fit."));
    }
    let (before, features) = output.split_at(call.input(0).len() - 1);
    let matrix = expand_into(bias, &batch_of(&[elements(before)], features))?;
    let (rows, features) = matrix.split_at(1);
    let before = Elements::of(rows).and_then(|rows| rows.fill(before)).ok_or_else(|| {
        let problem = format!("cannot add the bias {} to {}.", Shown(bias), Shown(output));
        Error::new(Kind::Size, problem).inputs([3])
    })?;
    Ok(batch_of(&before, features))
}

/// What is left of the bias if the sizes at `places` are not 1.
fn not_ones(bias: &[Dim], places: &[usize]) -> Option<Dims> {
    let size = |(d, &size): (usize, &Dim)| if places.contains(&d) { not_one(size) } else { Some(size) };
    bias.iter().enumerate().map(size).collect()
}

/// What is left of the bias if all sizes are 1, but that at `place` is not.
fn only(bias: &[Dim], place: Option<usize>) -> Option<Dims> {
    let size = |(d, &size): (usize, &Dim)| if Some(d) == place { not_one(size) } else { size.unify(1) };
    bias.iter().enumerate().map(size).collect()
}

fn not_one(size: Dim) -> Option<Dim> {
    if size.equals(0).is_yes() {
        Some(size)
    } else {
        size.keep_at_least(2)
    }
}
