//! The assertions: what passes is given back as it came.

use crate::conditions::guard;
use crate::r::{self, SEXP};
use crate::shapes::{
    dims_to_sexp, read_dims, read_flag, read_id, read_shape, read_shapes, read_text, read_value, read_wholes,
    shape_to_sexp, shapes_to_list, wrong_argument,
};
use shapes::args::Value;
use shapes::assertions::{self, Demands};
use shapes::{Result, Shape};

/// Runs a check that passes its argument on; an error names the function, or the PipeOp of that `id`.
fn assertion(function: &'static str, id: Option<SEXP>, check: impl FnOnce() -> Result<SEXP>) -> SEXP {
    guard(|| {
        let id = match id {
            Some(id) => read_id(id).map_err(|error| error.function(function))?,
            None => None,
        };
        check().map_err(|error| error.function(function).id(id.as_deref()))
    })
}

fn read_demands(null_ok: SEXP, unknown_batch: SEXP, len: SEXP) -> Result<Demands> {
    let unknown_batch = if r::is_null(unknown_batch) { None } else { Some(read_flag(unknown_batch, "unknown_batch")?) };
    Ok(Demands { null_ok: read_flag(null_ok, "null_ok")?, unknown_batch, len: read_count(len, "len")? })
}

/// One whole number, or NULL.
fn read_count(x: SEXP, argument: &str) -> Result<Option<i64>> {
    if r::is_null(x) {
        return Ok(None);
    }
    match read_wholes(x, argument)?.as_slice() {
        [Some(n)] => Ok(Some(*n)),
        _ => Err(wrong_argument("one whole number or NULL", argument, x)),
    }
}

fn read_known_wholes(x: SEXP, argument: &str) -> Result<Vec<i64>> {
    let all: Option<Vec<i64>> = read_wholes(x, argument)?.into_iter().collect();
    all.ok_or_else(|| wrong_argument("whole numbers without NA", argument, x))
}

pub extern "C-unwind" fn assert_shape(
    shape: SEXP,
    null_ok: SEXP,
    coerce: SEXP,
    unknown_batch: SEXP,
    len: SEXP,
) -> SEXP {
    assertion("assert_shape", None, || {
        let demands = read_demands(null_ok, unknown_batch, len)?;
        let coerce = read_flag(coerce, "coerce")?;
        let read = read_shape(shape, &|| "argument 'shape'".to_string())?;
        assertions::shape(&read, demands, "argument 'shape'")?;
        Ok(if coerce { r::protected(|| unsafe { shape_to_sexp(&read) }) } else { shape })
    })
}

pub extern "C-unwind" fn assert_shapes(
    shapes: SEXP,
    coerce: SEXP,
    named: SEXP,
    null_ok: SEXP,
    unknown_batch: SEXP,
) -> SEXP {
    assertion("assert_shapes", None, || {
        let demands = read_demands(null_ok, unknown_batch, r::null())?;
        let coerce = read_flag(coerce, "coerce")?;
        let named = read_flag(named, "named")?;
        let (read, names) = read_shapes(shapes, "shapes")?;
        if read.is_empty() {
            return Err(wrong_argument("a list of at least one shape", "shapes", shapes));
        }
        if named {
            assertions::unique_names(names.as_deref())?;
        }
        for (i, shape) in read.iter().enumerate() {
            assertions::shape(shape, demands, &format!("shape {}", i + 1))?;
        }
        if !coerce {
            return Ok(shapes);
        }
        let names = r::names_attribute(shapes);
        Ok(r::protected(|| unsafe {
            let out = libR_sys::Rf_protect(shapes_to_list(&read));
            if !r::is_null(names) {
                r::set_names(out, names);
            }
            libR_sys::Rf_unprotect(1);
            out
        }))
    })
}

pub extern "C-unwind" fn assert_known_dims(shape: SEXP, dims: SEXP, what: SEXP, id: SEXP) -> SEXP {
    assertion("assert_known_dims", Some(id), || {
        let read = read_dims(shape, "shape")?;
        assertions::known_dims(&read, &read_known_wholes(dims, "dims")?, &read_text(what, "what")?)?;
        Ok(shape)
    })
}

pub extern "C-unwind" fn assert_dim_in_range(dim: SEXP, true_dim: SEXP, shape: SEXP, id: SEXP) -> SEXP {
    assertion("assert_dim_in_range", Some(id), || {
        let given = read_wholes(dim, "dim")?;
        let resolved = read_wholes(true_dim, "true_dim")?;
        assertions::dim_in_range(&given, &resolved, &read_dims(shape, "shape")?)?;
        Ok(true_dim)
    })
}

pub extern "C-unwind" fn assert_not_batch_dim(dim: SEXP, shape: SEXP, id: SEXP) -> SEXP {
    assertion("assert_not_batch_dim", Some(id), || {
        assertions::not_batch_dim(&read_wholes(dim, "dim")?, &read_dims(shape, "shape")?)?;
        Ok(dim)
    })
}

pub extern "C-unwind" fn assert_ndim(shape: SEXP, ndim: SEXP, id: SEXP, min: SEXP, max: SEXP) -> SEXP {
    assertion("assert_ndim", Some(id), || {
        let read = read_dims(shape, "shape")?;
        let ranks = if r::is_null(ndim) { None } else { Some(read_known_wholes(ndim, "ndim")?) };
        assertions::ndim(&read, ranks.as_deref(), read_count(min, "min")?, read_count(max, "max")?)?;
        Ok(shape)
    })
}

pub extern "C-unwind" fn assert_positive_extent(extent: SEXP, shape_in: SEXP, id: SEXP) -> SEXP {
    assertion("assert_positive_extent", Some(id), || {
        let sizes = match read_value(extent) {
            Value::Numbers(numbers) => numbers,
            Value::Flags(flags) if flags.iter().all(Option::is_none) => vec![None; flags.len()],
            _ => return Err(wrong_argument("numbers", "extent", extent)),
        };
        let shape_in = read_shape(shape_in, &|| "argument 'shape_in'".to_string())?;
        assertions::positive_extent(&sizes, &shape_in)?;
        Ok(extent)
    })
}

pub extern "C-unwind" fn assert_same_ndim(shapes: SEXP, id: SEXP) -> SEXP {
    assertion("assert_same_ndim", Some(id), || {
        assertions::same_ndim(&read_several(shapes)?)?;
        Ok(shapes)
    })
}

pub extern "C-unwind" fn assert_same_batch_size(shapes: SEXP, id: SEXP) -> SEXP {
    assertion("assert_same_batch_size", Some(id), || {
        let batch = assertions::same_batch_size(&read_several(shapes)?)?;
        Ok(r::protected(|| unsafe { dims_to_sexp(&[batch]) }))
    })
}

fn read_several(x: SEXP) -> Result<Vec<Shape>> {
    let (shapes, _) = read_shapes(x, "shapes")?;
    if shapes.is_empty() {
        return Err(wrong_argument("a list of at least one shape", "shapes", x));
    }
    Ok(shapes)
}
