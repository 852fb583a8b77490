//! What operators demand of shapes: the checks that `shapes_out()` methods make before they work anything out.

use crate::dim::Dim;
use crate::error::{counted, one_of, Error, Kind, Result};
use crate::shape::{shown_list, Shape, Shown};

/// What a shape must be besides a shape.
#[derive(Clone, Copy, Default)]
pub struct Demands {
    pub null_ok: bool,
    /// Whether the first size must be unknown, or must be known.
    pub unknown_batch: Option<bool>,
    pub len: Option<i64>,
}

/// A shape with at least one dimension that meets the demands.
pub fn shape(shape: &Shape, demands: Demands, what: &str) -> Result<()> {
    let Shape::Known(dims) = shape else {
        if demands.null_ok {
            return Ok(());
        }
        return Err(Error::new(Kind::Type, format!("needs {what} to be a shape, not NULL.")));
    };
    let Some(batch) = dims.first() else {
        return Err(Error::new(Kind::Rank, format!("needs {what} to have at least one dimension.")));
    };
    if let Some(len) = demands.len.filter(|&len| len != dims.len() as i64) {
        let wanted = counted(usize::try_from(len).unwrap_or(0), "dimension");
        let problem = format!("needs {what} to have {wanted}, but {} has {}.", Shown(dims), dims.len());
        return Err(Error::new(Kind::Rank, problem).shapes(vec![shape.clone()]));
    }
    let unknown = batch.value().is_none();
    match demands.unknown_batch {
        Some(wanted) if wanted != unknown => {
            let (must, is) = if wanted { ("unknown (NA)", batch.to_string()) } else { ("known", "NA".to_string()) };
            let problem = format!("needs the batch of {what} to be {must}, but in {} it is {is}.", Shown(dims));
            Err(Error::new(Kind::Size, problem).dim(1).sizes([*batch]).shapes(vec![shape.clone()]))
        }
        _ => Ok(()),
    }
}

/// Names that are there and stand for one shape each; `...` may stand for several.
pub fn unique_names(names: Option<&[String]>) -> Result<()> {
    let wrong = |problem: String| Err(Error::new(Kind::Argument, problem).argument("shapes"));
    let Some(names) = names else {
        return wrong("needs names on the list of shapes.".to_string());
    };
    for (i, name) in names.iter().enumerate().filter(|(_, name)| *name != "...") {
        if name.is_empty() {
            return wrong(format!("needs a name for shape {}.", i + 1));
        }
        if let Some(first) = names[..i].iter().position(|earlier| earlier == name) {
            return wrong(format!(
                "needs unique names, but shapes {} and {} are both called '{name}'.",
                first + 1,
                i + 1
            ));
        }
    }
    Ok(())
}

/// None of the sizes at `dims` (counted from 1) is unknown.
pub fn known_dims(shape: &[Dim], dims: &[i64], what: &str) -> Result<()> {
    for &dim in dims {
        let at = usize::try_from(dim - 1).ok().filter(|&at| at < shape.len());
        let Some(at) = at else {
            return Err(no_such_dim(dim, shape));
        };
        if shape[at].value().is_none() {
            let problem = format!("needs {what} of its input shape {} to be known.", Shown(shape));
            return Err(Error::new(Kind::Size, problem).dim(at + 1).sizes([shape[at]]).shapes(vec![shape.into()]));
        }
    }
    Ok(())
}

/// Every resolved dimension is in the shape; the message shows `given` as the user wrote it.
pub fn dim_in_range(given: &[Option<i64>], resolved: &[Option<i64>], shape: &[Dim]) -> Result<()> {
    for (i, &dim) in resolved.iter().enumerate() {
        if !dim.is_some_and(|dim| (1..=shape.len() as i64).contains(&dim)) {
            let shown = given.get(i).copied().flatten().or(dim);
            return Err(match shown {
                Some(shown) => no_such_dim(shown, shape),
                None => Error::new(Kind::Dim, "needs a dimension, not NA.").shapes(vec![shape.into()]),
            });
        }
    }
    Ok(())
}

fn no_such_dim(dim: i64, shape: &[Dim]) -> Box<Error> {
    let problem = format!(
        "cannot use dimension {dim} of the input shape {}, which has {}.",
        Shown(shape),
        counted(shape.len(), "dimension")
    );
    let error = Error::new(Kind::Dim, problem).argument("dim").shapes(vec![shape.into()]);
    match shape.len() {
        0 => error,
        n => error.hint(format!("It can be 1 to {n}, or -1 to -{n} from the end.")),
    }
}

/// No dimension is the batch.
pub fn not_batch_dim(dims: &[Option<i64>], shape: &[Dim]) -> Result<()> {
    if !dims.contains(&Some(1)) {
        return Ok(());
    }
    let problem = format!("would change dimension 1 of the input shape {}, which is the batch.", Shown(shape));
    Err(Error::new(Kind::Dim, problem).dim(1).shapes(vec![shape.into()]))
}

/// The number of dimensions is one of `ranks`, and within the bounds.
pub fn ndim(shape: &[Dim], ranks: Option<&[i64]>, min: Option<i64>, max: Option<i64>) -> Result<()> {
    let n = shape.len() as i64;
    let fits = ranks.map_or(true, |ranks| ranks.contains(&n))
        && min.map_or(true, |min| n >= min)
        && max.map_or(true, |max| n <= max);
    if fits {
        return Ok(());
    }
    let bounds = match (min, max) {
        (Some(min), Some(max)) if min == max => Some(min.to_string()),
        (Some(min), Some(max)) if max == min + 1 => Some(format!("{min} or {max}")),
        (Some(min), Some(max)) => Some(format!("{min} to {max}")),
        (Some(min), None) => Some(format!("at least {min}")),
        (None, Some(max)) => Some(format!("at most {max}")),
        (None, None) => None,
    };
    let wanted: Vec<String> = ranks.map(one_of).into_iter().chain(bounds).collect();
    let wanted = wanted.join(" and ");
    let noun = if wanted == "1" || wanted.ends_with(" 1") { "dimension" } else { "dimensions" };
    let problem =
        format!("needs an input with {wanted} {noun}, the batch included, but the shape {} has {n}.", Shown(shape));
    Err(Error::new(Kind::Rank, problem).shapes(vec![shape.into()]))
}

/// Every known entry is a size that a tensor can have.
pub fn positive_extent(extent: &[Option<f64>], shape_in: &Shape) -> Result<()> {
    if extent.iter().flatten().all(|&size| size.is_finite() && size >= 1.0) {
        return Ok(());
    }
    let sizes: Vec<String> =
        extent.iter().map(|size| size.map_or("NA".to_string(), crate::args::shown_number)).collect();
    let problem = format!(
        "cannot be applied to the input shape {shape_in}: its output would have the size {}, which no tensor has.",
        sizes.join(", ")
    );
    Err(Error::new(Kind::Size, problem)
        .hint("Look at kernel_size, stride, padding and dilation.")
        .shapes(vec![shape_in.clone()]))
}

/// All shapes have one number of dimensions.
pub fn same_ndim(shapes: &[Shape]) -> Result<()> {
    let ranks: Option<Vec<usize>> = shapes.iter().map(|shape| shape.dims().map(<[Dim]>::len)).collect();
    let Some(ranks) = ranks else {
        let i = shapes.iter().position(|shape| *shape == Shape::Unknown).unwrap_or(0);
        let problem = format!("needs inputs with one number of dimensions, but input {} is NULL.", i + 1);
        return Err(Error::new(Kind::Rank, problem).inputs([i + 1]).shapes(shapes.to_vec()));
    };
    match ranks.iter().position(|&rank| rank != ranks[0]) {
        None => Ok(()),
        Some(i) => {
            let problem = format!(
                "needs inputs with one number of dimensions, but of {} input 1 has {}, input {} has {}.",
                shown_list(shapes),
                counted(ranks[0], "dimension"),
                i + 1,
                counted(ranks[i], "dimension")
            );
            Err(Error::new(Kind::Rank, problem).inputs([1, i + 1]).shapes(shapes.to_vec()))
        }
    }
}

/// The batch size that all shapes have in common; an unknown one agrees with any other.
pub fn same_batch_size(shapes: &[Shape]) -> Result<Dim> {
    let mut first_known: Option<(usize, Dim)> = None;
    for (i, shape) in shapes.iter().enumerate() {
        let batch = *shape.dims().and_then(<[Dim]>::first).ok_or_else(|| {
            let problem = format!("needs inputs with a batch, but input {} is {shape}.", i + 1);
            Error::new(Kind::Rank, problem).inputs([i + 1]).shapes(shapes.to_vec())
        })?;
        match first_known {
            Some((j, common)) if batch.value().is_some() && batch != common => {
                let problem = format!(
                    "needs inputs with one batch size, but of {} input {} has {common}, input {} has {batch}.",
                    shown_list(shapes),
                    j + 1,
                    i + 1
                );
                return Err(Error::new(Kind::Size, problem)
                    .dim(1)
                    .sizes([common, batch])
                    .inputs([j + 1, i + 1])
                    .shapes(shapes.to_vec()));
            }
            None if batch.value().is_some() => first_known = Some((i, batch)),
            _ => {}
        }
    }
    Ok(first_known.map_or(Dim::UNKNOWN, |(_, common)| common))
}
