//! Broadcasting: what several shapes give together.
//! <https://docs.pytorch.org/docs/stable/notes/broadcasting.html>

use crate::dim::Dim;
use crate::error::{counted, Error, Kind, Result};
use crate::shape::{shown_list, Dims, Shape, Shown};

/// The broadcast of shapes of one number of dimensions, as a merge needs it: nothing is padded, dimension 1 is the batch.
pub fn broadcast_same_rank(shapes: &[&[Dim]]) -> Result<Dims> {
    let [first, rest @ ..] = shapes else {
        return Err(Error::new(Kind::Argument, "needs at least one shape."));
    };
    if let Some(i) = rest.iter().position(|shape| shape.len() != first.len()) {
        let problem = format!(
            "cannot broadcast its input shapes {}: input 1 has {}, input {} has {}.",
            shown(shapes),
            counted(first.len(), "dimension"),
            i + 2,
            counted(rest[i].len(), "dimension"),
        );
        return Err(Error::new(Kind::Rank, problem)
            .hint("The number of dimensions must be equal; dimension 1 is the batch, so none is added.")
            .inputs([1, i + 2])
            .shapes(owned(shapes)));
    }
    let mut out = first.to_vec();
    for shape in rest {
        for (d, &size) in shape.iter().enumerate() {
            match out[d].broadcast(size) {
                Some(both) => out[d] = both,
                None => return Err(clash(shapes, out.len(), d, false)),
            }
        }
    }
    Ok(out)
}

/// The broadcast of any shapes, aligned at the last dimension; missing dimensions count as 1.
pub fn broadcast(shapes: &[&[Dim]]) -> Result<Dims> {
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let mut out = vec![Dim::ONE; rank];
    for shape in shapes {
        let offset = rank - shape.len();
        for (d, &size) in shape.iter().enumerate() {
            match out[offset + d].broadcast(size) {
                Some(both) => out[offset + d] = both,
                None => return Err(clash(shapes, rank, offset + d, shapes.len() == 2)),
            }
        }
    }
    Ok(out)
}

/// The size of `shape` at dimension `d` of `rank` aligned ones.
fn aligned(shape: &[Dim], rank: usize, d: usize) -> Option<Dim> {
    (d + shape.len()).checked_sub(rank).map(|i| shape[i])
}

/// `shape` with 1s before it, so that it has `rank` dimensions.
pub fn pad_left(shape: &[Dim], rank: usize) -> Dims {
    let mut padded = vec![Dim::ONE; rank.saturating_sub(shape.len())];
    padded.extend_from_slice(shape);
    padded
}

/// The error that names the first two inputs that clash at dimension `d` (0-based) of `rank` aligned ones; of two tensors,
/// in PyTorch's sentence.
fn clash(shapes: &[&[Dim]], rank: usize, d: usize, tensors: bool) -> Box<Error> {
    let sizes: Vec<(usize, Dim)> =
        shapes.iter().enumerate().filter_map(|(i, shape)| Some((i + 1, aligned(shape, rank, d)?))).collect();
    let pair = sizes.iter().enumerate().find_map(|(k, &(j, b))| {
        let (i, a) = sizes[..k].iter().copied().find(|&(_, a)| a.broadcast(b).is_none())?;
        Some(((i, a), (j, b)))
    });
    let Some(((i, a), (j, b))) = pair else {
        // every pair fits, but not all together
        return Error::new(
            Kind::Broadcast,
            format!("cannot broadcast its input shapes {}: no size fits dimension {}.", shown(shapes), d + 1),
        )
        .dim(d + 1)
        .shapes(owned(shapes))
        .table();
    };
    let reason = if tensors {
        tensor_sentence(a, b, d)
    } else {
        format!("dimension {} is {a} in input {i} and {b} in input {j}.", d + 1)
    };
    Error::new(Kind::Broadcast, format!("cannot broadcast its input shapes {}: {reason}", shown(shapes)))
        .hint("Sizes must be equal or 1.")
        .dim(d + 1)
        .sizes([a, b])
        .inputs([i, j])
        .shapes(owned(shapes))
        .table()
}

/// The sentence PyTorch says, with dimensions counted from 1.
fn tensor_sentence(a: Dim, b: Dim, d: usize) -> String {
    format!("The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {}", d + 1)
}

/// The two shapes and what they broadcast to, all of one length.
pub fn align(x: &[Dim], y: &[Dim]) -> Result<(Dims, Dims, Dims)> {
    let out = broadcast(&[x, y]).map_err(|mut error| {
        if let (Some(dim), [a, b]) = (error.dim, error.sizes.as_slice()) {
            error.problem = tensor_sentence(*a, *b, dim - 1);
        }
        error
    })?;
    Ok((pad_left(x, out.len()), pad_left(y, out.len()), out))
}

/// What is left of `target` when `shape` must expand to it without changing it: the rule of in-place operators.
pub fn expand_into(shape: &[Dim], target: &[Dim]) -> Result<Dims> {
    let Some(offset) = target.len().checked_sub(shape.len()) else {
        let problem = format!(
            "cannot expand shape {} to {}: it has {}, the target {}.",
            Shown(shape),
            Shown(target),
            counted(shape.len(), "dimension"),
            target.len()
        );
        return Err(Error::new(Kind::Rank, problem).shapes(owned(&[target, shape])));
    };
    let mut out = target.to_vec();
    for (d, &size) in shape.iter().enumerate() {
        let wanted = target[offset + d];
        out[offset + d] = size.expand_to(wanted).ok_or_else(|| {
            Error::new(
                Kind::Broadcast,
                format!(
                    "The expanded size of the tensor ({wanted}) must match the existing size ({size}) at non-singleton dimension {}.",
                    offset + d + 1
                ),
            )
            .hint(format!("Target shape: {}. Existing shape: {}.", Shown(target), Shown(shape)))
            .dim(offset + d + 1)
            .sizes([wanted, size])
            .shapes(owned(&[target, shape]))
            .table()
        })?;
    }
    Ok(out)
}

fn owned(shapes: &[&[Dim]]) -> Vec<Shape> {
    shapes.iter().map(|&shape| shape.into()).collect()
}

fn shown(shapes: &[&[Dim]]) -> String {
    shown_list(&owned(shapes))
}
