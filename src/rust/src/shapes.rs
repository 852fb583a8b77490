//! One way in: R values become shapes, names and arguments here and nowhere else; and shapes become R values.

use crate::r::{self, SEXP, SEXPTYPE};
use shapes::args::{shortened, shown_number, Value};
use shapes::dim::MAX_SIZE;
use shapes::error::counted;
use shapes::shape::MAX_DIMS;
use shapes::{Dim, Dims, Error, Kind, Result, Shape};

const NA_INTEGER: i32 = i32::MIN;

/// A shape: NULL, or whole numbers >= 0 and NA. `what` names it in messages: "a shape", "shape 2".
pub fn read_shape(x: SEXP, what: &dyn Fn() -> String) -> Result<Shape> {
    if r::is_null(x) {
        return Ok(Shape::Unknown);
    }
    let atomic = matches!(r::kind(x), SEXPTYPE::INTSXP | SEXPTYPE::REALSXP | SEXPTYPE::LGLSXP);
    if !atomic || r::has_class(x) {
        let class = r::class_name(x);
        let problem = format!("needs whole numbers or NA for {}, not a {class}.", what());
        return Err(Error::new(Kind::Type, problem));
    }
    let n = r::len(x);
    if n > MAX_DIMS {
        let problem = format!("has {n} dimensions for {}, more than {MAX_DIMS}.", what());
        return Err(Error::new(Kind::Rank, problem));
    }
    let wrong = |i: usize, shown: String| {
        let problem = format!("needs whole numbers >= 0 or NA for {}, but dimension {} is {shown}.", what(), i + 1);
        Error::new(Kind::Size, problem).dim(i + 1)
    };
    fn all<T: Copy>(
        sizes: &[T],
        size: impl Fn(T) -> Option<Dim>,
        wrong: impl Fn(usize, T) -> Box<Error>,
    ) -> Result<Dims> {
        sizes.iter().enumerate().map(|(i, &x)| size(x).ok_or_else(|| wrong(i, x))).collect()
    }
    let dims = match r::kind(x) {
        SEXPTYPE::INTSXP => all(&r::read_integers(x), integer_size, |i, size| wrong(i, size.to_string())),
        SEXPTYPE::REALSXP => all(&r::read_doubles(x), double_size, |i, size| wrong(i, shown_number(size))),
        _ => all(&r::read_logicals(x), logical_size, |i, size| wrong(i, Value::flag(size != 0).shown())),
    };
    Ok(Shape::Known(dims?))
}

fn integer_size(size: i32) -> Option<Dim> {
    match size {
        NA_INTEGER => Some(Dim::UNKNOWN),
        size => (size >= 0).then_some(Dim::known(i64::from(size))),
    }
}

fn double_size(size: f64) -> Option<Dim> {
    if is_missing(size) {
        return Some(Dim::UNKNOWN);
    }
    (size >= 0.0 && size.fract() == 0.0 && size <= MAX_SIZE as f64).then_some(Dim::known(size as i64))
}

/// A logical vector is a shape only where every entry is NA.
fn logical_size(size: i32) -> Option<Dim> {
    (size == NA_INTEGER).then_some(Dim::UNKNOWN)
}

/// A shape of few dimensions, held without the heap.
#[derive(Clone, Copy)]
pub struct SmallShape {
    dims: [Dim; SmallShape::MOST],
    rank: usize,
}

impl SmallShape {
    const MOST: usize = 8;

    /// A plain shape of few dimensions. Anything else, mistakes too, is for [`read_shape`].
    pub fn read(x: SEXP) -> Option<SmallShape> {
        let rank = if r::has_class(x) { return None } else { r::len(x) };
        if rank > SmallShape::MOST || r::is_deferred(x) {
            return None;
        }
        let mut dims = [Dim::ONE; SmallShape::MOST];
        fn fill<T: Copy>(dims: &mut [Dim], sizes: &[T], size: impl Fn(T) -> Option<Dim>) -> Option<()> {
            for (dim, &x) in dims.iter_mut().zip(sizes) {
                *dim = size(x)?;
            }
            Some(())
        }
        match r::kind(x) {
            SEXPTYPE::INTSXP => fill(&mut dims, &r::read_integers(x), integer_size)?,
            SEXPTYPE::REALSXP => fill(&mut dims, &r::read_doubles(x), double_size)?,
            SEXPTYPE::LGLSXP => fill(&mut dims, &r::read_logicals(x), logical_size)?,
            _ => return None,
        }
        Some(SmallShape { dims, rank })
    }

    pub fn dims(&self) -> &[Dim] {
        &self.dims[..self.rank]
    }

    pub fn dims_mut(&mut self) -> &mut [Dim] {
        &mut self.dims[..self.rank]
    }
}

/// NA, but not NaN.
fn is_missing(x: f64) -> bool {
    // SAFETY: looks at the bits of a number
    unsafe { libR_sys::R_IsNA(x) != 0 }
}

/// A list of shapes, with its names where it has any.
pub fn read_shapes(x: SEXP, argument: &str) -> Result<(Vec<Shape>, Option<Vec<String>>)> {
    if r::kind(x) != SEXPTYPE::VECSXP || r::has_class(x) {
        let class = r::class_name(x);
        let problem = format!("needs a list of shapes for argument '{argument}', not a {class}.");
        return Err(Error::new(Kind::Type, problem).argument(argument));
    }
    let shapes: Result<Vec<Shape>> =
        (0..r::len(x)).map(|i| read_shape(r::element(x, i), &|| format!("shape {} of '{argument}'", i + 1))).collect();
    Ok((shapes?, r::names(x)))
}

/// A list of shapes, or one shape for a list of one.
pub fn read_shapes_or_shape(x: SEXP, argument: &str) -> Result<(Vec<Shape>, Option<Vec<String>>)> {
    match r::kind(x) {
        SEXPTYPE::INTSXP | SEXPTYPE::REALSXP | SEXPTYPE::LGLSXP => {
            Ok((vec![read_shape(x, &|| format!("argument '{argument}'"))?], None))
        }
        _ => read_shapes(x, argument),
    }
}

/// A shape whose number of dimensions must be known.
pub fn read_dims(x: SEXP, argument: &str) -> Result<Dims> {
    match read_shape(x, &|| format!("argument '{argument}'"))? {
        Shape::Known(dims) => Ok(dims),
        Shape::Unknown => {
            let problem = format!("needs a shape for argument '{argument}', not NULL.");
            Err(Error::new(Kind::Type, problem).argument(argument))
        }
    }
}

/// The id of a PipeOp: one text, or NULL.
pub fn read_id(x: SEXP) -> Result<Option<String>> {
    if r::is_null(x) {
        return Ok(None);
    }
    match r::one_text(x) {
        Some(id) => Ok(Some(id)),
        None => Err(wrong_argument("one text or NULL", "id", x)),
    }
}

pub fn read_text(x: SEXP, argument: &str) -> Result<String> {
    r::one_text(x).ok_or_else(|| wrong_argument("one text", argument, x))
}

pub fn read_flag(x: SEXP, argument: &str) -> Result<bool> {
    if r::kind(x) == SEXPTYPE::LGLSXP && r::len(x) == 1 && !r::has_class(x) {
        match r::read_logicals(x)[0] {
            NA_INTEGER => {}
            flag => return Ok(flag != 0),
        }
    }
    Err(wrong_argument("TRUE or FALSE", argument, x))
}

/// The error that says what an argument takes and what it got.
pub fn wrong_argument(wanted: &str, argument: &str, x: SEXP) -> Box<Error> {
    let got = match read_value(x) {
        Value::Other(class) => format!("a {class}"),
        value @ (Value::Null | Value::List(_)) => value.shown(),
        value => {
            let shown = value.shown();
            if shown.starts_with("c(") {
                format!("{shown}, which has {}", value.counted())
            } else {
                shown
            }
        }
    };
    Error::new(Kind::Argument, format!("needs {wanted} for argument '{argument}', not {got}.")).argument(argument)
}

/// Whole numbers, NA where allowed (`None`).
pub fn read_wholes(x: SEXP, argument: &str) -> Result<Vec<Option<i64>>> {
    match read_value(x) {
        Value::Numbers(numbers) => numbers
            .into_iter()
            .map(|number| match number {
                None => Ok(None),
                Some(n) if n.fract() == 0.0 && n.abs() <= MAX_SIZE as f64 => Ok(Some(n as i64)),
                Some(_) => Err(wrong_argument("whole numbers", argument, x)),
            })
            .collect(),
        Value::Flags(flags) if flags.iter().all(Option::is_none) => Ok(vec![None; flags.len()]),
        _ => Err(wrong_argument("whole numbers", argument, x)),
    }
}

/// Any R value, as far as arguments of operators can be made of it.
pub fn read_value(x: SEXP) -> Value {
    read_nested_value(x, 0)
}

fn read_nested_value(x: SEXP, depth: usize) -> Value {
    const DEEPEST: usize = 8;
    let vector = matches!(
        r::kind(x),
        SEXPTYPE::INTSXP | SEXPTYPE::REALSXP | SEXPTYPE::LGLSXP | SEXPTYPE::STRSXP | SEXPTYPE::VECSXP
    );
    if r::is_null(x) {
        return Value::Null;
    }
    if !vector || (r::has_class(x) && r::kind(x) != SEXPTYPE::VECSXP) {
        return Value::Other(r::class_name(x));
    }
    let n = r::len(x);
    if n > MAX_DIMS {
        return Value::Other(format!("{} with {}", r::class_name(x), counted(n, "value")));
    }
    match r::kind(x) {
        SEXPTYPE::LGLSXP => {
            Value::Flags(r::read_logicals(x).iter().map(|&flag| (flag != NA_INTEGER).then_some(flag != 0)).collect())
        }
        SEXPTYPE::INTSXP => {
            Value::Numbers(r::read_integers(x).iter().map(|&n| (n != NA_INTEGER).then_some(f64::from(n))).collect())
        }
        SEXPTYPE::REALSXP => {
            Value::Numbers(r::read_doubles(x).iter().map(|&n| (!is_missing(n)).then_some(n)).collect())
        }
        SEXPTYPE::STRSXP => Value::Texts((0..n).map(|i| r::text(x, i)).collect()),
        _ if depth == DEEPEST => Value::Other("deeply nested list".to_string()),
        _ => {
            let mut names = r::names(x).unwrap_or_default();
            names.resize(n, String::new());
            Value::List(
                names
                    .into_iter()
                    .enumerate()
                    .map(|(i, name)| (name, read_nested_value(r::element(x, i), depth + 1)))
                    .collect(),
            )
        }
    }
}

/// The arguments of an operator: a list with names, or NULL for none.
pub fn read_params(x: SEXP, argument: &str) -> Result<Vec<(String, Value)>> {
    if r::is_null(x) {
        return Ok(Vec::new());
    }
    if r::kind(x) != SEXPTYPE::VECSXP || r::has_class(x) {
        return Err(wrong_argument("a list of named arguments", argument, x));
    }
    match read_value(x) {
        Value::List(params) => Ok(params),
        _ => Err(wrong_argument("a list of named arguments", argument, x)),
    }
}

// Out.

pub fn dim_to_double(dim: Dim) -> f64 {
    // SAFETY: a constant of R
    dim.value().map_or(unsafe { libR_sys::R_NaReal }, |size| size as f64)
}

/// An integer vector, or a double one where a size needs it.
pub unsafe fn dims_to_sexp(dims: &[Dim]) -> SEXP {
    unsafe {
        let n = dims.len();
        if dims.iter().all(|dim| dim.value().map_or(true, |size| i32::try_from(size).is_ok())) {
            let out = r::alloc(SEXPTYPE::INTSXP, n);
            for (to, dim) in r::integers_mut(out, n).iter_mut().zip(dims) {
                *to = dim.value().map_or(NA_INTEGER, |size| size as i32);
            }
            return out;
        }
        let out = r::alloc(SEXPTYPE::REALSXP, n);
        for (to, dim) in r::doubles_mut(out, n).iter_mut().zip(dims) {
            *to = dim_to_double(*dim);
        }
        out
    }
}

pub unsafe fn shape_to_sexp(shape: &Shape) -> SEXP {
    match shape {
        Shape::Unknown => r::null(),
        Shape::Known(dims) => unsafe { dims_to_sexp(dims) },
    }
}

pub unsafe fn shapes_to_list(shapes: &[Shape]) -> SEXP {
    unsafe { r::list(shapes.len(), |i| shape_to_sexp(&shapes[i])) }
}

/// A name for a message.
pub fn quoted(name: &str) -> String {
    format!("'{}'", shortened(name))
}
