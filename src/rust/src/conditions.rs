//! One way out: an error of the core becomes an R condition here and nowhere else.

use crate::r::{self, SEXP};
use crate::shapes::{dims_to_sexp, shapes_to_list};
use shapes::{Error, Kind, Result};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// How a routine ends.
enum End {
    Value(SEXP),
    Condition(SEXP),
    Unwind(SEXP),
}

/// Runs a routine: its result, or its error as an R condition, raised when no Rust value is left.
pub fn guard(f: impl FnOnce() -> Result<SEXP>) -> SEXP {
    match end(f) {
        End::Value(value) => value,
        // SAFETY: nothing is alive here but pointers
        End::Condition(condition) => unsafe { r::stop(condition) },
        End::Unwind(token) => unsafe { r::R_ContinueUnwind(token) },
    }
}

fn end(f: impl FnOnce() -> Result<SEXP>) -> End {
    let made = catch_unwind(AssertUnwindSafe(|| match f() {
        Ok(value) => End::Value(value),
        Err(error) => End::Condition(condition(&error)),
    }));
    made.or_else(|panic| {
        catch_unwind(AssertUnwindSafe(|| match panic.downcast_ref::<r::Unwinding>() {
            Some(r::Unwinding(token)) => End::Unwind(*token),
            None => End::Condition(condition(&mistake_of_ours(&*panic))),
        }))
    })
    // only R itself, out of memory while the condition is built, gets here
    .unwrap_or_else(|panic| match panic.downcast_ref::<r::Unwinding>() {
        Some(r::Unwinding(token)) => End::Unwind(*token),
        None => End::Value(r::null()),
    })
}

fn mistake_of_ours(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    *Error::new(Kind::Argument, format!("torchshape made a mistake: {text}."))
        .hint("Please report it, with the call that led here.")
}

/// The condition with its facts as fields.
fn condition(error: &Error) -> SEXP {
    let message = error.to_string();
    let class = format!("torchshape_error_{}", error.kind.name());
    let inputs: Vec<i32> = error.input.iter().map(|&i| i as i32).collect();
    let names = ["message", "call", "id", "op", "argument", "shapes", "dim", "sizes", "input"];
    let text = |text: &Option<String>| unsafe { text.as_deref().map_or(r::null(), |text| r::string(text)) };
    r::protected(|| unsafe {
        let out = libR_sys::Rf_protect(r::named_list(&names, |i| match names[i] {
            "message" => r::string(&message),
            "id" => text(&error.id),
            "op" => text(&error.op),
            "argument" => text(&error.argument),
            "shapes" if !error.shapes.is_empty() => shapes_to_list(&error.shapes),
            "dim" => error.dim.map_or(r::null(), |dim| r::integers(&[dim as i32])),
            "sizes" if !error.sizes.is_empty() => dims_to_sexp(&error.sizes),
            "input" if !inputs.is_empty() => r::integers(&inputs),
            _ => r::null(),
        }));
        let classes = [class.as_str(), "torchshape_error", "error", "condition"];
        r::set_class(out, libR_sys::Rf_protect(r::strings(classes.iter().copied())));
        libR_sys::Rf_unprotect(2);
        out
    })
}
