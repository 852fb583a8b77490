//! The helpers that pipelines call once a layer, straight on R's C API.

use crate::conditions::guard;
use crate::r::{self, SEXP, SEXPTYPE};
use crate::shapes::{
    dims_to_sexp, read_dims, read_flag, read_id, read_shape, read_shapes, read_wholes, wrong_argument, SmallShape,
};
use shapes::broadcast;
use shapes::helpers::{self, Target, Wanted};
use shapes::shape::{dims_to_string, shapes_to_string};
use shapes::{Dim, Error, Kind, Result, Shape};

pub extern "C-unwind" fn broadcast_shapes(shapes: SEXP, id: SEXP) -> SEXP {
    guard(|| {
        if let Some(out) = broadcast_small(shapes).filter(|_| r::is_null(id) || r::is_text(id)) {
            // SAFETY: no Rust value is alive that needs to be dropped
            return Ok(unsafe { dims_to_sexp(out.dims()) });
        }
        let name = read_id(id).map_err(|error| error.function("broadcast_shapes"))?;
        let out = broadcast_list(shapes).map_err(|error| error.function("broadcast_shapes").id(name.as_deref()))?;
        Ok(r::protected(|| unsafe { dims_to_sexp(&out) }))
    })
}

/// The usual case without the heap: few dimensions, nothing wrong.
fn broadcast_small(x: SEXP) -> Option<SmallShape> {
    if r::kind(x) != SEXPTYPE::VECSXP || r::has_class(x) || r::len(x) == 0 {
        return None;
    }
    let mut out = SmallShape::read(r::element(x, 0))?;
    for i in 1..r::len(x) {
        let shape = SmallShape::read(r::element(x, i))?;
        if shape.dims().len() != out.dims().len() {
            return None;
        }
        for (both, &size) in out.dims_mut().iter_mut().zip(shape.dims()) {
            *both = both.broadcast(size)?;
        }
    }
    Some(out)
}

fn broadcast_list(x: SEXP) -> Result<Vec<Dim>> {
    let (shapes, _) = read_shapes(x, "shapes")?;
    let dims: Option<Vec<&[Dim]>> = shapes.iter().map(Shape::dims).collect();
    match dims {
        Some(dims) => broadcast::broadcast_same_rank(&dims),
        None => {
            let i = shapes.iter().position(|shape| *shape == Shape::Unknown).unwrap_or(0);
            let problem = format!("cannot broadcast shapes of which one is unknown: input {} is NULL.", i + 1);
            Err(Error::new(Kind::Rank, problem).inputs([i + 1]).shapes(shapes))
        }
    }
}

pub extern "C-unwind" fn resolve_dim(dim: SEXP, shape: SEXP, insert: SEXP) -> SEXP {
    guard(|| {
        if let Some(resolved) = resolve_one(dim, shape, insert) {
            // SAFETY: no Rust value is alive that needs to be dropped
            return Ok(unsafe { r::integer(resolved) });
        }
        resolve(dim, shape, insert).map_err(|error| error.function("resolve_dim"))
    })
}

/// The usual case without the heap: one integer, nothing wrong.
fn resolve_one(dim: SEXP, shape: SEXP, insert: SEXP) -> Option<i32> {
    let one = r::kind(dim) == SEXPTYPE::INTSXP && r::len(dim) == 1 && !r::is_deferred(dim);
    let plain = one && !r::has_class(dim) && r::is_null(r::names_attribute(dim));
    let dim = if plain { r::read_integers(dim)[0] } else { return None };
    let insert = read_flag(insert, "insert").ok()?;
    let rank = SmallShape::read(shape)?.dims().len();
    (dim != i32::MIN).then_some(helpers::resolve_dim(i64::from(dim), rank, insert) as i32)
}

fn resolve(dim: SEXP, shape: SEXP, insert: SEXP) -> Result<SEXP> {
    let insert = read_flag(insert, "insert")?;
    let shape = read_shape(shape, &|| "argument 'shape'".to_string())?;
    if r::is_null(dim) {
        return Ok(r::null());
    }
    let dims = read_wholes(dim, "dim")?;
    let rank = match shape.dims() {
        Some(dims) => dims.len(),
        None => match dims.iter().flatten().find(|&&dim| dim < 0) {
            Some(dim) => {
                let problem =
                    format!("cannot count dimension {dim} from the end of a shape of which nothing is known.");
                return Err(Error::new(Kind::Rank, problem));
            }
            // nothing is counted from the end
            None => 0,
        },
    };
    let kind = r::kind(dim);
    Ok(r::protected(|| unsafe {
        let out = libR_sys::Rf_protect(r::alloc(kind, dims.len()));
        let resolved = |dim: i64| helpers::resolve_dim(dim, rank, insert);
        match kind {
            SEXPTYPE::REALSXP => {
                for (to, dim) in r::doubles_mut(out, dims.len()).iter_mut().zip(&dims) {
                    *to = dim.map_or(libR_sys::R_NaReal, |dim| resolved(dim) as f64);
                }
            }
            SEXPTYPE::INTSXP => {
                for (to, dim) in r::integers_mut(out, dims.len()).iter_mut().zip(&dims) {
                    *to = dim.map_or(i32::MIN, |dim| resolved(dim) as i32);
                }
            }
            // a logical vector holds nothing but NA here
            _ => r::fill_missing(out),
        }
        let names = r::names_attribute(dim);
        if !r::is_null(names) {
            r::set_names(out, names);
        }
        libR_sys::Rf_unprotect(1);
        out
    }))
}

pub extern "C-unwind" fn shape_to_str(x: SEXP) -> SEXP {
    guard(|| {
        let text = shape_text(x).map_err(|error| error.function("shape_to_str"))?;
        Ok(r::protected(|| unsafe { r::string(&text) }))
    })
}

fn shape_text(x: SEXP) -> Result<String> {
    if r::kind(x) == SEXPTYPE::VECSXP {
        let (shapes, names) = read_shapes(x, "x")?;
        let named = names.filter(|names| !names.is_empty() && names.iter().all(|name| !name.is_empty()));
        return Ok(shapes_to_string(&shapes, named.as_deref()));
    }
    match read_shape(x, &|| "argument 'x'".to_string())? {
        Shape::Known(dims) => Ok(dims_to_string(&dims)),
        unknown => Ok(unknown.to_string()),
    }
}

pub extern "C-unwind" fn is_broadcastable(x: SEXP, y: SEXP) -> SEXP {
    guard(|| {
        let pair = read_pair(x, y, "is_broadcastable")?;
        let fits = broadcast::broadcast(&[&pair.0, &pair.1]).is_ok();
        Ok(r::protected(|| unsafe { r::logical(fits) }))
    })
}

pub extern "C-unwind" fn align_shapes(x: SEXP, y: SEXP) -> SEXP {
    guard(|| {
        let pair = read_pair(x, y, "align_shapes")?;
        let (x, y, out) = broadcast::align(&pair.0, &pair.1)?;
        Ok(r::protected(|| unsafe { r::named_list(&["x", "y", "out"], |i| dims_to_sexp([&x, &y, &out][i])) }))
    })
}

fn read_pair(x: SEXP, y: SEXP, function: &'static str) -> Result<(Vec<Dim>, Vec<Dim>)> {
    let read = || Ok((read_dims(x, "x")?, read_dims(y, "y")?));
    read().map_err(|error: Box<Error>| error.function(function))
}

pub extern "C-unwind" fn wrap_index(shape: SEXP, index: SEXP) -> SEXP {
    guard(|| {
        let place = place(shape, index).map_err(|error| error.function("wrap_index"))?;
        let place = place.map_or(Dim::UNKNOWN, Dim::known);
        Ok(r::protected(|| unsafe { dims_to_sexp(&[place]) }))
    })
}

fn place(shape: SEXP, index: SEXP) -> Result<Option<i64>> {
    let dims = read_dims(shape, "shape")?;
    let index: Option<Vec<i64>> = match r::is_null(index) {
        true => None,
        false => read_wholes(index, "index")?.into_iter().collect(),
    };
    match index {
        Some(index) => helpers::wrap_index(&dims, &index),
        None => {
            Err(Error::new(Kind::Argument, "needs whole numbers >= 1 for argument 'index', without NA.")
                .argument("index"))
        }
    }
}

pub extern "C-unwind" fn expand_shape(shape: SEXP, size: SEXP) -> SEXP {
    guard(|| {
        let out = expanded(shape, size)?;
        Ok(r::protected(|| unsafe { dims_to_sexp(&out) }))
    })
}

fn expanded(shape: SEXP, size: SEXP) -> Result<Vec<Dim>> {
    let read = || {
        let dims = read_dims(shape, "shape")?;
        if r::is_null(size) {
            return Err(wrong_argument("whole numbers >= 0, -1 or NA", "size", size));
        }
        let wanted: Result<Vec<Wanted>> = read_wholes(size, "size")?
            .into_iter()
            .map(|wanted| match wanted {
                None => Ok(Wanted::Size(Dim::UNKNOWN)),
                Some(-1) => Ok(Wanted::Kept),
                Some(wanted) if wanted >= 0 => Ok(Wanted::Size(Dim::known(wanted))),
                Some(_) => Err(wrong_argument("whole numbers >= 0, -1 or NA", "size", size)),
            })
            .collect();
        Ok((dims, wanted?))
    };
    let (dims, wanted) = read().map_err(|error: Box<Error>| error.function("expand_shape"))?;
    helpers::expand_shape(&dims, &wanted).map_err(|error| match error.kind {
        // PyTorch's sentence stands for itself
        Kind::Broadcast => error,
        _ => error.function("expand_shape"),
    })
}

pub extern "C-unwind" fn reshape_output_shape(shape_in: SEXP, shape: SEXP, from_function: SEXP, id: SEXP) -> SEXP {
    guard(|| {
        let name = read_id(id).map_err(|error| error.function("reshape_output_shape"))?;
        let out = reshaped(shape_in, shape, from_function)
            .map_err(|error| error.function("reshape_output_shape").id(name.as_deref()))?;
        Ok(r::protected(|| unsafe { dims_to_sexp(&out) }))
    })
}

fn reshaped(shape_in: SEXP, shape: SEXP, from_function: SEXP) -> Result<Vec<Dim>> {
    let shape_in = read_dims(shape_in, "shape_in")?;
    let from_function = read_flag(from_function, "from_function")?;
    let wanted = if from_function {
        "a function for argument 'shape' that returns whole numbers >= 1, -1 or NA"
    } else {
        "whole numbers >= 1, -1 once, or a function that returns them"
    };
    if r::is_null(shape) || r::len(shape) == 0 {
        return Err(wrong_argument(wanted, "shape", shape));
    }
    let target: Result<Vec<Target>> = read_wholes(shape, "shape")
        .map_err(|_| wrong_argument(wanted, "shape", shape))?
        .into_iter()
        .map(|size| match size {
            Some(-1) => Ok(Target::Inferred),
            Some(size) => Ok(Target::Size(size)),
            None if from_function => Ok(Target::Unknown),
            None => {
                let problem = "cannot use NA in argument 'shape': -1 stands for the size that is worked out.";
                Err(Error::new(Kind::Argument, problem).argument("shape"))
            }
        })
        .collect();
    helpers::reshape_output_shape(&shape_in, &target?)
}

/// Does nothing: what a call costs at least, for the benchmark.
pub extern "C-unwind" fn nothing(_x: SEXP, _y: SEXP) -> SEXP {
    r::null()
}
