//! The small helpers that operators of other packages call.

use crate::dim::Dim;
use crate::error::{counted, Error, Kind, Result};
use crate::shape::{Dims, Shown};

/// A negative dimension counted from the end of `rank` dimensions (with `insert`, of the `rank + 1` places for a new one);
/// any other stays as it is, in range or not.
pub fn resolve_dim(dim: i64, rank: usize, insert: bool) -> i64 {
    if dim < 0 {
        rank as i64 + i64::from(insert) + 1 + dim
    } else {
        dim
    }
}

/// The 1-based place, in column-major order, of the element that `index` reaches in `shape` when its 1-sized dimensions
/// wrap around. `index` is aligned with the shape at the last dimension. `None` where the place depends on an unknown size.
pub fn wrap_index(shape: &[Dim], index: &[i64]) -> Result<Option<i64>> {
    let Some(offset) = index.len().checked_sub(shape.len()) else {
        let problem = format!(
            "needs an index of at least {} for shape {}, not {}.",
            counted(shape.len(), "number"),
            Shown(shape),
            index.len()
        );
        return Err(Error::new(Kind::Rank, problem));
    };
    let mut place = Dim::ONE;
    let mut stride = Dim::ONE;
    for (d, (&size, &i)) in shape.iter().zip(&index[offset..]).enumerate() {
        if i < 1 || (size.equals(1).is_no() && size.is_at_least(i).is_no()) {
            let problem = format!(
                "cannot reach element {i} of dimension {} of shape {}: its size is {size}.",
                d + 1,
                Shown(shape)
            );
            return Err(Error::new(Kind::Size, problem).dim(d + 1).sizes([size, Dim::known(i)]));
        }
        // an unknown size is 1 and wraps, or is larger and does not
        let wrapped = if size.equals(1).is_yes() {
            Dim::ONE
        } else if size.equals(1).is_no() {
            Dim::known(i)
        } else {
            Dim::ONE.or(Dim::known(i))
        };
        place = place + (wrapped - 1) * stride;
        stride = stride * size;
    }
    if !place.is_representable() {
        return Err(Error::new(
            Kind::Size,
            format!("cannot count the elements of shape {}: beyond 2^53.", Shown(shape)),
        ));
    }
    Ok(place.value())
}

/// What `shape` expands to when `size` is asked for: -1 keeps a size, new dimensions come first.
/// <https://docs.pytorch.org/docs/stable/generated/torch.Tensor.expand.html>
pub fn expand_shape(shape: &[Dim], size: &[Wanted]) -> Result<Dims> {
    let new = size.len().saturating_sub(shape.len());
    let mut target = Vec::with_capacity(size.len());
    for (d, &wanted) in size.iter().enumerate() {
        target.push(match wanted {
            Wanted::Size(size) => size,
            Wanted::Kept if d < new || shape.is_empty() => {
                let problem = format!(
                    "cannot keep the size of dimension {} with -1: shape {} does not have it.",
                    d + 1,
                    Shown(shape)
                );
                return Err(Error::new(Kind::Dim, problem).dim(d + 1));
            }
            Wanted::Kept => *shape.get(d - new).unwrap_or(&Dim::ONE),
        });
    }
    crate::broadcast::expand_into(shape, &target)
}

/// A size asked for, or -1.
#[derive(Clone, Copy, Debug)]
pub enum Wanted {
    Size(Dim),
    Kept,
}
