//! R's C API: what libR-sys does not declare, and how it is called safely.

use libR_sys::{
    cetype_t, R_MakeUnwindCont, R_NaString, R_NilValue, R_PreserveObject, Rboolean, Rf_allocVector, Rf_getAttrib,
    Rf_install, Rf_isObject, Rf_mkCharLenCE, Rf_protect, Rf_setAttrib, Rf_unprotect, Rf_xlength, R_CHAR,
    SET_STRING_ELT, SET_VECTOR_ELT, STRING_ELT, TYPEOF, VECTOR_ELT,
};
pub use libR_sys::{SEXP, SEXPTYPE};
use std::ffi::{c_int, c_void, CStr};
use std::sync::OnceLock;

// SEXPREC is opaque on both sides
#[allow(improper_ctypes)]
extern "C-unwind" {
    fn R_UnwindProtect(
        fun: unsafe extern "C-unwind" fn(*mut c_void) -> SEXP,
        data: *mut c_void,
        clean: unsafe extern "C-unwind" fn(*mut c_void, Rboolean),
        clean_data: *mut c_void,
        cont: SEXP,
    ) -> SEXP;
    pub fn R_ContinueUnwind(cont: SEXP) -> !;
    fn Rf_eval(expr: SEXP, env: SEXP) -> SEXP;
    fn Rf_lang2(function: SEXP, argument: SEXP) -> SEXP;
    fn INTEGER_RO(x: SEXP) -> *const c_int;
    fn LOGICAL_RO(x: SEXP) -> *const c_int;
    fn REAL_RO(x: SEXP) -> *const f64;
    fn INTEGER(x: SEXP) -> *mut c_int;
    fn REAL(x: SEXP) -> *mut f64;
    fn LOGICAL(x: SEXP) -> *mut c_int;
    fn INTEGER_GET_REGION(x: SEXP, start: isize, n: isize, buffer: *mut c_int) -> isize;
    fn LOGICAL_GET_REGION(x: SEXP, start: isize, n: isize, buffer: *mut c_int) -> isize;
    fn REAL_GET_REGION(x: SEXP, start: isize, n: isize, buffer: *mut f64) -> isize;
    fn ALTREP(x: SEXP) -> c_int;
    fn Rf_getCharCE(x: SEXP) -> cetype_t;
    static R_NamesSymbol: SEXP;
    static R_ClassSymbol: SEXP;
}

/// The token with which R goes on with an error that came through Rust, when every Rust value is dropped.
#[derive(Clone, Copy)]
pub struct Unwinding(pub SEXP);

// SAFETY: the object is preserved for ever and only used on R's thread
unsafe impl Send for Unwinding {}
unsafe impl Sync for Unwinding {}

/// One token serves all, since no protected call is entered from another.
fn token() -> Unwinding {
    static TOKEN: OnceLock<Unwinding> = OnceLock::new();
    *TOKEN.get_or_init(|| unsafe {
        let token = R_MakeUnwindCont();
        R_PreserveObject(token);
        Unwinding(token)
    })
}

/// Calls R where it may fail, as any allocation may: an R error becomes a panic that carries [`Unwinding`], so that Rust
/// values are dropped. The closure itself must hold none.
pub fn protected<F: FnOnce() -> SEXP>(f: F) -> SEXP {
    unsafe extern "C-unwind" fn call<F: FnOnce() -> SEXP>(data: *mut c_void) -> SEXP {
        let f = unsafe { &mut *data.cast::<Option<F>>() };
        f.take().map_or(std::ptr::null_mut(), |f| f())
    }
    unsafe extern "C-unwind" fn clean(_: *mut c_void, jump: Rboolean) {
        if jump != Rboolean::FALSE {
            std::panic::resume_unwind(Box::new(token()));
        }
    }
    let Unwinding(token) = token();
    let mut f = Some(f);
    // SAFETY: `f` outlives the call, and a jump leaves it as a panic
    unsafe { R_UnwindProtect(call::<F>, std::ptr::addr_of_mut!(f).cast(), clean, std::ptr::null_mut(), token) }
}

// Allocation; to be called within `protected`, or where no Rust value would be leaked.

pub unsafe fn alloc(kind: SEXPTYPE, n: usize) -> SEXP {
    unsafe { Rf_allocVector(kind, n as isize) }
}

pub unsafe fn char(text: &str) -> SEXP {
    let n = text.len().min(c_int::MAX as usize);
    unsafe { Rf_mkCharLenCE(text.as_ptr().cast(), n as c_int, cetype_t::CE_UTF8) }
}

pub unsafe fn string(text: &str) -> SEXP {
    unsafe {
        let out = Rf_protect(alloc(SEXPTYPE::STRSXP, 1));
        SET_STRING_ELT(out, 0, char(text));
        Rf_unprotect(1);
        out
    }
}

pub unsafe fn strings<'a>(texts: impl ExactSizeIterator<Item = &'a str>) -> SEXP {
    unsafe {
        let out = Rf_protect(alloc(SEXPTYPE::STRSXP, texts.len()));
        for (i, text) in texts.enumerate() {
            SET_STRING_ELT(out, i as isize, char(text));
        }
        Rf_unprotect(1);
        out
    }
}

/// A list whose elements are made one by one.
pub unsafe fn list(n: usize, mut element: impl FnMut(usize) -> SEXP) -> SEXP {
    unsafe {
        let out = Rf_protect(alloc(SEXPTYPE::VECSXP, n));
        for i in 0..n {
            SET_VECTOR_ELT(out, i as isize, element(i));
        }
        Rf_unprotect(1);
        out
    }
}

pub unsafe fn named_list(names: &[&str], element: impl FnMut(usize) -> SEXP) -> SEXP {
    unsafe {
        let out = Rf_protect(list(names.len(), element));
        set_names(out, Rf_protect(strings(names.iter().copied())));
        Rf_unprotect(2);
        out
    }
}

pub unsafe fn set_names(x: SEXP, names: SEXP) {
    unsafe { Rf_setAttrib(x, R_NamesSymbol, names) };
}

pub unsafe fn set_class(x: SEXP, class: SEXP) {
    unsafe { Rf_setAttrib(x, R_ClassSymbol, class) };
}

pub unsafe fn doubles(values: &[f64]) -> SEXP {
    unsafe {
        let out = alloc(SEXPTYPE::REALSXP, values.len());
        if !values.is_empty() {
            std::ptr::copy_nonoverlapping(values.as_ptr(), REAL(out), values.len());
        }
        out
    }
}

pub unsafe fn integers(values: &[i32]) -> SEXP {
    unsafe {
        let out = alloc(SEXPTYPE::INTSXP, values.len());
        if !values.is_empty() {
            std::ptr::copy_nonoverlapping(values.as_ptr(), INTEGER(out), values.len());
        }
        out
    }
}

/// The elements to be written of a new vector.
pub unsafe fn integers_mut<'a>(x: SEXP, n: usize) -> &'a mut [c_int] {
    if n == 0 {
        return &mut [];
    }
    unsafe { std::slice::from_raw_parts_mut(INTEGER(x), n) }
}

pub unsafe fn doubles_mut<'a>(x: SEXP, n: usize) -> &'a mut [f64] {
    if n == 0 {
        return &mut [];
    }
    unsafe { std::slice::from_raw_parts_mut(REAL(x), n) }
}

/// Leaves R with the condition; no Rust value may be alive.
pub unsafe fn stop(condition: SEXP) -> ! {
    unsafe {
        Rf_protect(condition);
        let call = Rf_protect(Rf_lang2(Rf_install(c"stop".as_ptr()), condition));
        Rf_eval(call, libR_sys::R_BaseEnv);
    }
    unreachable!("stop() does not return")
}

// Reading; none of it fails.

pub fn null() -> SEXP {
    unsafe { R_NilValue }
}

pub fn kind(x: SEXP) -> SEXPTYPE {
    unsafe { TYPEOF(x) }
}

pub fn is_null(x: SEXP) -> bool {
    kind(x) == SEXPTYPE::NILSXP
}

pub fn len(x: SEXP) -> usize {
    unsafe { Rf_xlength(x) as usize }
}

/// Whether it has a class of its own, as factors, dates and data frames have.
pub fn has_class(x: SEXP) -> bool {
    unsafe { Rf_isObject(x) != Rboolean::FALSE }
}

/// The elements of an atomic vector: a view where R holds them in memory, else a copy, so that compact sequences and
/// other deferred vectors are not expanded. The caller has checked the type and that the length is reasonable.
pub enum View<'a, T> {
    Memory(&'a [T]),
    Copy(Vec<T>),
}

impl<T> std::ops::Deref for View<'_, T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        match self {
            View::Memory(memory) => memory,
            View::Copy(copy) => copy,
        }
    }
}

fn view<'a, T: Clone + Default>(
    x: SEXP,
    memory: unsafe extern "C-unwind" fn(SEXP) -> *const T,
    region: unsafe extern "C-unwind" fn(SEXP, isize, isize, *mut T) -> isize,
) -> View<'a, T> {
    let n = len(x);
    if n == 0 {
        return View::Memory(&[]);
    }
    unsafe {
        if ALTREP(x) == 0 {
            return View::Memory(std::slice::from_raw_parts(memory(x), n));
        }
        let mut copy = vec![T::default(); n];
        let buffer = copy.as_mut_ptr();
        // a deferred vector may run R code
        protected(|| {
            region(x, 0, n as isize, buffer);
            R_NilValue
        });
        View::Copy(copy)
    }
}

/// Whether R does not hold the elements in memory.
pub fn is_deferred(x: SEXP) -> bool {
    unsafe { ALTREP(x) != 0 }
}

pub fn read_integers<'a>(x: SEXP) -> View<'a, c_int> {
    view(x, INTEGER_RO, INTEGER_GET_REGION)
}

pub fn read_logicals<'a>(x: SEXP) -> View<'a, c_int> {
    view(x, LOGICAL_RO, LOGICAL_GET_REGION)
}

pub fn read_doubles<'a>(x: SEXP) -> View<'a, f64> {
    view(x, REAL_RO, REAL_GET_REGION)
}

pub fn element(x: SEXP, i: usize) -> SEXP {
    unsafe { VECTOR_ELT(x, i as isize) }
}

/// Element `i` of a character vector; `None` is NA.
pub fn text(x: SEXP, i: usize) -> Option<String> {
    // a deferred string is made when it is asked for
    let char = unsafe {
        if ALTREP(x) == 0 {
            STRING_ELT(x, i as isize)
        } else {
            protected(|| STRING_ELT(x, i as isize))
        }
    };
    if char == unsafe { R_NaString } {
        return None;
    }
    let bytes = unsafe { CStr::from_ptr(R_CHAR(char)) }.to_bytes();
    Some(match unsafe { Rf_getCharCE(char) } {
        cetype_t::CE_LATIN1 => bytes.iter().map(|&byte| byte as char).collect(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    })
}

/// The one text of a character vector of length 1, if it is one and not NA.
pub fn one_text(x: SEXP) -> Option<String> {
    (kind(x) == SEXPTYPE::STRSXP && len(x) == 1 && !has_class(x)).then(|| text(x, 0)).flatten()
}

/// The names of a vector, empty where one has none; `None` if it has no names at all.
pub fn names(x: SEXP) -> Option<Vec<String>> {
    let names = unsafe { Rf_getAttrib(x, R_NamesSymbol) };
    if kind(names) != SEXPTYPE::STRSXP {
        return None;
    }
    Some((0..len(names)).map(|i| text(names, i).unwrap_or_default()).collect())
}

pub fn names_attribute(x: SEXP) -> SEXP {
    unsafe { Rf_getAttrib(x, R_NamesSymbol) }
}

/// Whether it is one text and not NA.
pub fn is_text(x: SEXP) -> bool {
    kind(x) == SEXPTYPE::STRSXP
        && len(x) == 1
        && !is_deferred(x)
        && !has_class(x)
        && unsafe { STRING_ELT(x, 0) != R_NaString }
}

/// The class or the type of a value, for messages.
pub fn class_name(x: SEXP) -> String {
    if has_class(x) {
        let class = unsafe { Rf_getAttrib(x, R_ClassSymbol) };
        if kind(class) == SEXPTYPE::STRSXP && len(class) > 0 {
            if let Some(class) = text(class, 0) {
                return class;
            }
        }
    }
    match kind(x) {
        SEXPTYPE::NILSXP => "NULL",
        SEXPTYPE::SYMSXP => "symbol",
        SEXPTYPE::CLOSXP | SEXPTYPE::BUILTINSXP | SEXPTYPE::SPECIALSXP => "function",
        SEXPTYPE::ENVSXP => "environment",
        SEXPTYPE::LANGSXP => "call",
        SEXPTYPE::LGLSXP => "logical vector",
        SEXPTYPE::INTSXP => "integer vector",
        SEXPTYPE::REALSXP => "numeric vector",
        SEXPTYPE::CPLXSXP => "complex vector",
        SEXPTYPE::STRSXP => "character vector",
        SEXPTYPE::VECSXP => "list",
        SEXPTYPE::EXPRSXP => "expression",
        SEXPTYPE::RAWSXP => "raw vector",
        SEXPTYPE::EXTPTRSXP => "external pointer",
        _ => "value of another type",
    }
    .to_string()
}

pub unsafe fn integer(value: i32) -> SEXP {
    unsafe { libR_sys::Rf_ScalarInteger(value) }
}

pub unsafe fn logical(value: bool) -> SEXP {
    unsafe {
        let out = alloc(SEXPTYPE::LGLSXP, 1);
        *LOGICAL(out) = c_int::from(value);
        out
    }
}

/// Makes every element of a logical vector NA.
pub unsafe fn fill_missing(x: SEXP) {
    for i in 0..len(x) {
        unsafe { *LOGICAL(x).add(i) = c_int::MIN };
    }
}

pub unsafe fn logicals(values: &[Option<bool>]) -> SEXP {
    unsafe {
        let out = alloc(SEXPTYPE::LGLSXP, values.len());
        for (i, value) in values.iter().enumerate() {
            *LOGICAL(out).add(i) = value.map_or(c_int::MIN, c_int::from);
        }
        out
    }
}

/// An integer vector, or a double one where a number needs it.
pub unsafe fn numbers(values: &[Option<f64>]) -> SEXP {
    let is_integer = |n: f64| n.fract() == 0.0 && n.abs() <= f64::from(c_int::MAX);
    unsafe {
        if values.iter().flatten().all(|&n| is_integer(n)) {
            let out = alloc(SEXPTYPE::INTSXP, values.len());
            for (to, n) in integers_mut(out, values.len()).iter_mut().zip(values) {
                *to = n.map_or(c_int::MIN, |n| n as c_int);
            }
            return out;
        }
        let out = alloc(SEXPTYPE::REALSXP, values.len());
        for (to, n) in doubles_mut(out, values.len()).iter_mut().zip(values) {
            *to = n.unwrap_or(libR_sys::R_NaReal);
        }
        out
    }
}

pub unsafe fn optional_strings(texts: &[Option<String>]) -> SEXP {
    unsafe {
        let out = Rf_protect(alloc(SEXPTYPE::STRSXP, texts.len()));
        for (i, text) in texts.iter().enumerate() {
            SET_STRING_ELT(out, i as isize, text.as_deref().map_or(R_NaString, |text| char(text)));
        }
        Rf_unprotect(1);
        out
    }
}

/// Whether element `i` of a character vector is `text`.
pub fn text_is(x: SEXP, i: usize, wanted: &str) -> bool {
    kind(x) == SEXPTYPE::STRSXP && i < len(x) && {
        let char = unsafe {
            if ALTREP(x) == 0 {
                STRING_ELT(x, i as isize)
            } else {
                protected(|| STRING_ELT(x, i as isize))
            }
        };
        unsafe { CStr::from_ptr(R_CHAR(char)) }.to_bytes() == wanted.as_bytes()
    }
}
