//! The small helpers that operators of other packages call.

use crate::dim::{Dim, Elements};
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

/// A size of a target shape: a size, -1, or one that a function of the input shape left unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    Size(i64),
    Inferred,
    Unknown,
}

/// The shape of a reshape that keeps the batch, dimension 1: what one observation holds is put into another shape. A target
/// that names a batch size of its own is taken at its word, so long as the elements can be as many.
pub fn reshape_output_shape(shape_in: &[Dim], target: &[Target]) -> Result<Dims> {
    let written = shown_target(target);
    if let Some(Target::Size(size)) = target.iter().find(|size| matches!(size, Target::Size(size) if *size < 1)) {
        let problem = format!("cannot use the shape {written}: every size is at least 1, or -1 once, not {size}.");
        return Err(Error::new(Kind::Argument, problem).argument("shape"));
    }
    if target.iter().filter(|&&size| size == Target::Inferred).count() > 1 {
        let problem = format!("cannot use the shape {written}: -1 stands for one size only.");
        return Err(Error::new(Kind::Argument, problem).argument("shape"));
    }
    let (Some((&batch_in, rest_in)), Some((&batch, rest))) = (shape_in.split_first(), target.split_first()) else {
        let problem = format!("cannot reshape {} to {written}: both need a batch.", Shown(shape_in));
        return Err(Error::new(Kind::Rank, problem).shapes(vec![shape_in.into()]));
    };
    // an inferred size may be 0, where the input is empty
    let free = |size: &Target| match size {
        Target::Size(size) => Dim::known(*size),
        Target::Inferred => Dim::at_least(0),
        Target::Unknown => Dim::UNKNOWN,
    };
    let rest: Dims = rest.iter().map(free).collect();
    let keeps_batch = match batch {
        Target::Inferred | Target::Unknown => true,
        Target::Size(size) => batch_in.equals(size).is_yes(),
    };
    let (input, wanted): (&[Dim], Dims) =
        if keeps_batch { (rest_in, rest) } else { (shape_in, std::iter::once(free(&batch)).chain(rest).collect()) };
    let too_large = || {
        let problem = format!("cannot reshape {} to {written}: a product of sizes is beyond 2^53.", Shown(shape_in));
        Error::new(Kind::Size, problem).shapes(vec![shape_in.into()])
    };
    let elements = Elements::of(input).ok_or_else(too_large)?;
    let filled =
        elements.fill(&wanted).ok_or_else(|| does_not_fit(shape_in, &written, keeps_batch, elements, &wanted))?;
    Ok(if keeps_batch { std::iter::once(batch_in).chain(filled).collect() } else { filled })
}

fn does_not_fit(shape_in: &[Dim], written: &str, keeps_batch: bool, elements: Elements, wanted: &[Dim]) -> Box<Error> {
    let to = Elements::of(wanted).map_or("too many".to_string(), |wanted| wanted.known().to_string());
    let problem = if keeps_batch {
        format!(
            "cannot reshape {} to {written} and keep the batch: one observation has {} elements, and the target takes {to}.",
            Shown(shape_in),
            counted_elements(elements)
        )
    } else {
        format!(
            "cannot reshape {} to {written}: it has {} elements, and the target takes {to}.",
            Shown(shape_in),
            counted_elements(elements)
        )
    };
    Error::new(Kind::Size, problem).argument("shape").shapes(vec![shape_in.into()])
}

/// `12`, or `12 times an unknown number of`.
fn counted_elements(elements: Elements) -> String {
    match elements.count().value() {
        Some(count) => count.to_string(),
        None => format!("a multiple of {}", elements.known()),
    }
}

fn shown_target(target: &[Target]) -> String {
    let sizes: Vec<String> = target
        .iter()
        .take(64)
        .map(|size| match size {
            Target::Size(size) => size.to_string(),
            Target::Inferred => "-1".to_string(),
            Target::Unknown => "NA".to_string(),
        })
        .collect();
    format!("({})", sizes.join(","))
}
