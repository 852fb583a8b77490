//! Norms, distances and numbers of matrices.
//! <https://docs.pytorch.org/docs/stable/linalg.html#matrix-properties>

use super::{has_elements, reduced};
use crate::args::{Arg, Value};
use crate::broadcast::broadcast;
use crate::dim::Dim;
use crate::error::{counted, Error, Kind, Result};
use crate::op::{Call, Inputs, Op, Outputs};
use crate::shape::{Dims, Shown};

/// Which norm: a number, or a word.
#[derive(Clone, PartialEq, Debug)]
pub enum Order {
    Number(f64),
    Word(String),
}

impl Order {
    /// The order in argument `name`.
    pub fn given(call: &Call, name: &str) -> Result<Option<Order>> {
        match call.args.get_raw(name) {
            None => Ok(None),
            Some(Value::Numbers(numbers)) => match numbers.as_slice() {
                [Some(p)] if !p.is_nan() => Ok(Some(Order::Number(*p))),
                _ => Err(unfit(call, name, "one number")),
            },
            Some(Value::Texts(texts)) => match texts.as_slice() {
                [Some(word)] if word == "fro" || word == "nuc" => Ok(Some(Order::Word(word.clone()))),
                _ => Err(unfit(call, name, "a number, \"fro\" or \"nuc\"")),
            },
            Some(_) => Err(unfit(call, name, "a number, \"fro\" or \"nuc\"")),
        }
    }

    /// The order of a vector norm: a number.
    pub fn of(call: &Call, name: &str, default: f64) -> Result<Order> {
        match Order::given(call, name)? {
            Some(Order::Word(_)) => Err(unfit(call, name, "one number")),
            order => Ok(order.unwrap_or(Order::Number(default))),
        }
    }

    /// A negative or infinite vector norm of nothing does not exist.
    pub fn needs_elements(&self) -> bool {
        matches!(self, Order::Number(p) if *p < 0.0 || p.is_infinite())
    }
}

fn unfit(call: &Call, name: &str, wanted: &str) -> Box<Error> {
    let shown = call.args.get_raw(name).map_or(String::new(), Value::shown);
    Error::new(Kind::Argument, format!("needs {wanted} for argument '{name}', not {shown}.")).argument(name)
}

/// The p-norm over some dimensions or all.
pub const fn norm(name: &'static str) -> Op {
    const ARGS: &[Arg] =
        &[Arg::any("p"), Arg::wholes("dim").optional(), Arg::flag("keepdim", false), Arg::any("dtype")];
    Op::new(name, "reduce", "p-norm over dim or of all elements", norm_rule).args(ARGS)
}

pub const fn vector_norm(name: &'static str) -> Op {
    const ARGS: &[Arg] =
        &[Arg::any("ord"), Arg::wholes("dim").optional(), Arg::flag("keepdim", false), Arg::any("dtype")];
    Op::new(name, "reduce", "vector norm over dim or of all elements", vector_norm_rule).args(ARGS).inputs(A)
}

pub const fn matrix_norm(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[
        Arg::any("ord"),
        Arg::wholes("dim").default_wholes(&[-2, -1]),
        Arg::flag("keepdim", false),
        Arg::any("dtype"),
    ];
    Op::new(name, "reduce", "norm of each matrix", matrix_norm_rule).args(ARGS).inputs(A)
}

/// A vector norm or a matrix norm, as ord and dim say.
pub const fn linalg_norm(name: &'static str) -> Op {
    const ARGS: &[Arg] =
        &[Arg::any("ord"), Arg::wholes("dim").optional(), Arg::flag("keepdim", false), Arg::any("dtype")];
    Op::new(name, "reduce", "vector or matrix norm", linalg_norm_rule).args(ARGS).inputs(A)
}

pub const fn dist(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("p")];
    Op::new(name, "reduce", "p-norm of the difference, broadcast", dist_rule).args(ARGS).inputs(Inputs::TWO)
}

pub const fn trace(name: &'static str) -> Op {
    Op::new(name, "reduce", "sum of the diagonal", trace_rule)
}

/// A number of each square matrix.
pub const fn det(name: &'static str, summary: &'static str) -> Op {
    Op::new(name, "reduce", summary, det_rule)
}

/// Sign and logarithm of the determinant of each square matrix.
pub const fn slogdet(name: &'static str) -> Op {
    Op::new(name, "reduce", "sign and logarithm of the determinant", slogdet_rule).outputs(&["sign", "logabsdet"])
}

pub const fn cond(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("p")];
    Op::new(name, "reduce", "condition number of each matrix", cond_rule).args(ARGS).inputs(A)
}

pub const fn matrix_rank(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("atol"), Arg::any("rtol"), Arg::any("tol"), Arg::flag("hermitian", false)];
    Op::new(name, "reduce", "rank of each matrix", matrix_rank_rule).args(ARGS).inputs(A)
}

const A: Inputs = Inputs::named(&["A"]);

fn all_dims(input: &[Dim]) -> Vec<usize> {
    (0..input.len()).collect()
}

/// (*) -> without the dims
fn vector(call: &Call, order: &Order, dims: &[usize], keepdim: bool) -> Result<Outputs> {
    if order.needs_elements() {
        has_elements(call, 0, dims)?;
    }
    Ok(reduced(call.input(0), dims, keepdim).into())
}

/// As a vector norm; without dim R torch has no keepdim.
fn norm_rule(call: &Call) -> Result<Outputs> {
    let keepdim = call.args.is_given("dim") && call.args.flag("keepdim");
    vector(call, &Order::of(call, "p", 2.0)?, &super::dims_or_all(call)?, keepdim)
}

fn vector_norm_rule(call: &Call) -> Result<Outputs> {
    vector(call, &Order::of(call, "ord", 2.0)?, &super::dims_or_all(call)?, call.args.flag("keepdim"))
}

/// (*, M, *, N, *) -> without the two dims
fn matrix(call: &Call, order: &Order, dims: &[i64]) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 2)?;
    let resolved = call.resolve_all_or_scalar("dim", dims, input.len())?;
    let [rows, columns] = resolved.as_slice() else {
        let problem = format!("needs 2 dimensions in argument 'dim', not {}.", dims.len());
        return Err(Error::new(Kind::Argument, problem).argument("dim"));
    };
    match order {
        Order::Word(_) => {}
        Order::Number(p) if ![1.0, 2.0, f64::INFINITY].contains(&p.abs()) => {
            let problem = format!("has no matrix norm of order {}.", crate::args::shown_number(*p));
            let hint = "There are 1, -1, 2, -2, Inf, -Inf, \"fro\" and \"nuc\".";
            return Err(Error::new(Kind::Argument, problem).argument("ord").hint(hint));
        }
        // the smallest of the sums, or of the singular values
        Order::Number(p) if *p == -1.0 => has_elements(call, 0, &[*columns])?,
        Order::Number(p) if *p == f64::NEG_INFINITY => has_elements(call, 0, &[*rows])?,
        Order::Number(p) if *p == -2.0 => has_elements(call, 0, &resolved)?,
        Order::Number(_) => {}
    }
    Ok(reduced(input, &resolved, call.args.flag("keepdim")).into())
}

fn matrix_norm_rule(call: &Call) -> Result<Outputs> {
    let order = Order::given(call, "ord")?.unwrap_or(Order::Word("fro".to_string()));
    matrix(call, &order, call.args.wholes("dim"))
}

/// Without ord the 2-norm over the dims or all of them; with ord a norm of vectors (one dim) or of matrices (two).
fn linalg_norm_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let order = Order::given(call, "ord")?;
    let dims = call.args.get_wholes("dim");
    if let Some(dims) = dims {
        if !(1..=2).contains(&dims.len()) {
            let problem = format!("needs 1 or 2 dimensions in argument 'dim', not {}.", dims.len());
            return Err(Error::new(Kind::Argument, problem).argument("dim"));
        }
    }
    match (order, dims) {
        (None, _) => vector(call, &Order::Number(2.0), &super::dims_or_all(call)?, call.args.flag("keepdim")),
        (Some(order), None) => match (input.len(), &order) {
            (1, Order::Number(_)) => vector(call, &order, &all_dims(input), call.args.flag("keepdim")),
            (2, _) => matrix(call, &order, &[1, 2]),
            (_, Order::Word(_)) => {
                call.input_of_rank(0, &[2])?;
                matrix(call, &order, &[1, 2])
            }
            _ => {
                call.input_of_rank(0, &[1, 2])?;
                vector(call, &order, &all_dims(input), call.args.flag("keepdim"))
            }
        },
        (Some(order @ Order::Number(_)), Some([_])) => {
            vector(call, &order, &super::dims_or_all(call)?, call.args.flag("keepdim"))
        }
        (Some(order), Some(dims)) => matrix(call, &order, dims),
    }
}

/// () of two inputs that broadcast
fn dist_rule(call: &Call) -> Result<Outputs> {
    let both = broadcast(call.inputs())?;
    if Order::of(call, "p", 2.0)?.needs_elements() && both.iter().any(|size| size.equals(0).is_yes()) {
        let problem = format!("has no such norm of nothing: its inputs broadcast to {}.", Shown(&both));
        return Err(Error::new(Kind::Size, problem).argument("p"));
    }
    Ok(Dims::new().into())
}

fn trace_rule(call: &Call) -> Result<Outputs> {
    call.input_of_rank(0, &[2])?;
    Ok(Dims::new().into())
}

/// (*, N, N) -> (*)
fn of_square_matrices(call: &Call) -> Result<Dims> {
    let input = call.input_of_at_least(0, 2)?;
    let (batch, matrix) = input.split_at(input.len() - 2);
    if let [rows, columns] = matrix {
        if rows.unify(*columns).is_none() {
            let d = input.len() - 1;
            let problem = format!("needs square matrices, but dimensions {d} and {} are {rows} and {columns}.", d + 1);
            return Err(call.size_error(0, d, problem).sizes([*rows, *columns]));
        }
    }
    Ok(batch.to_vec())
}

fn det_rule(call: &Call) -> Result<Outputs> {
    Ok(of_square_matrices(call)?.into())
}

fn slogdet_rule(call: &Call) -> Result<Outputs> {
    Ok(vec![of_square_matrices(call)?; 2].into())
}

/// (*, M, N) -> (*); only the 2-norm has a condition number of matrices that are not square. That of nothing is 0.
fn cond_rule(call: &Call) -> Result<Outputs> {
    let nothing = call.input(0).iter().any(|size| size.equals(0).is_yes());
    match Order::given(call, "p")? {
        None => matrix_rank_rule(call),
        Some(Order::Number(p)) if p.abs() == 2.0 => matrix_rank_rule(call),
        Some(Order::Number(p)) if p.abs() != 1.0 && p.is_finite() => {
            Err(unfit(call, "p", "1, 2, Inf, -1, -2, -Inf, \"fro\" or \"nuc\""))
        }
        Some(Order::Number(_)) if nothing => matrix_rank_rule(call),
        Some(_) => det_rule(call),
    }
}

/// (*, M, N) -> (*)
fn matrix_rank_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 2)?;
    Ok(input[..input.len() - 2].to_vec().into())
}

/// The cross product along one dimension of size 3.
pub const fn cross(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::whole("dim").optional()];
    Op::new(name, "reduce", "cross product along a dimension of size 3", cross_rule).args(ARGS).inputs(Inputs::TWO)
}

/// The broadcast of two inputs of one number of dimensions, both 3 at dim: the first dimension of size 3 if dim is not given.
fn cross_rule(call: &Call) -> Result<Outputs> {
    let (input, other) = (call.input(0), call.input(1));
    let candidates: Vec<usize> = match call.args.get_whole("dim") {
        Some(dim) => vec![call.resolve("dim", dim, input.len())?],
        None => {
            let sure = input.iter().position(|size| size.equals(3).is_yes());
            // more dimensions than PyTorch has need no answer that takes long
            let last = sure.map_or(input.len(), |d| d + 1).min(64);
            (0..last).filter(|&d| !input[d].equals(3).is_no()).collect()
        }
    };
    if candidates.is_empty() {
        let problem = format!("needs a dimension of size 3, but its first input is {}.", Shown(input));
        return Err(Error::new(Kind::Size, problem).inputs([1]));
    }
    if input.len() != other.len() {
        let problem = format!(
            "needs inputs of one number of dimensions, but input 1 has {} and input 2 has {}.",
            counted(input.len(), "dimension"),
            other.len()
        );
        return Err(Error::new(Kind::Rank, problem).inputs([1, 2]));
    }
    let mut found: Option<Dims> = None;
    let mut failure = None;
    for dim in candidates {
        match cross_along(call, dim) {
            Ok(output) => {
                found = Some(match found {
                    Some(before) => before.into_iter().zip(output).map(|(a, b)| a.or(b)).collect(),
                    None => output,
                })
            }
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    match (found, failure) {
        (None, Some(error)) => Err(error),
        (found, _) => Ok(found.unwrap_or_default().into()),
    }
}

fn cross_along(call: &Call, dim: usize) -> Result<Dims> {
    let mut shapes = [call.input(0).to_vec(), call.input(1).to_vec()];
    for (i, shape) in shapes.iter_mut().enumerate() {
        shape[dim] = shape[dim].unify(3).ok_or_else(|| {
            let problem = format!("needs size 3 at dimension {}, but input {} has {}.", dim + 1, i + 1, shape[dim]);
            call.size_error(i, dim, problem).argument("dim")
        })?;
    }
    broadcast(&[&shapes[0], &shapes[1]])
}
