//! Inverses, powers and the solutions of linear equations.
//! <https://docs.pytorch.org/docs/stable/linalg.html#inverses>

use super::factor::{same_square_rule, square_and_info_rule};
use super::{batch_of, broadcast_batches, broadcast_sizes, elements, matrices, square_matrices, stretched};
use crate::args::Arg;
use crate::broadcast::{expand_into, pad_left};
use crate::dim::{Dim, Elements};
use crate::error::{counted, Error, Kind, Result};
use crate::op::{Call, Inputs, Op, Outputs, Rule};
use crate::shape::{Dims, Shape, Shown};

const NONE: &[Arg] = &[];
const POWER: &[Arg] = &[Arg::whole("n")];
const CHECK_ERRORS: &[Arg] = &[Arg::flag("check_errors", false)];
const RCOND: &[Arg] = &[Arg::number("rcond").default_number(1e-15)];
const PINV: &[Arg] = &[
    Arg::number("rcond").optional(),
    Arg::flag("hermitian", false),
    Arg::number("atol").optional(),
    Arg::number("rtol").optional(),
];
const UPPER: &[Arg] = &[Arg::flag("upper", false)];
const TRIANGULAR: &[Arg] =
    &[Arg::flag("upper", true), Arg::flag("transpose", false), Arg::flag("unitriangular", false)];
const SOLVE_TRIANGULAR: &[Arg] =
    &[Arg::required_flag("upper"), Arg::flag("left", true), Arg::flag("unitriangular", false)];
const LSTSQ: &[Arg] = &[Arg::number("rcond").optional(), Arg::choice("driver", &["gelsy", "gels", "gelsd", "gelss"])];
const IND: &[Arg] = &[Arg::whole("ind").default(3)];
const DIMS: &[Arg] = &[Arg::wholes("dims").optional()];

const SELF: Inputs = Inputs::named(&["self"]);
const A: Inputs = Inputs::named(&["A"]);
const A_AND_B: Inputs = Inputs::named(&["A", "B"]);

const fn solver(name: &'static str, summary: &'static str, inputs: Inputs, args: &'static [Arg], rule: Rule) -> Op {
    Op::new(name, "linear", summary, rule).inputs(inputs).args(args)
}

const INVERSE: &str = "inverse of each matrix";

pub const fn inverse(name: &'static str) -> Op {
    solver(name, INVERSE, SELF, NONE, same_square_rule)
}

pub const fn linalg_inv(name: &'static str) -> Op {
    solver(name, INVERSE, A, NONE, same_square_rule)
}

/// With a number for each matrix that says whether it went well.
pub const fn inv_ex(name: &'static str) -> Op {
    solver(name, INVERSE, A, CHECK_ERRORS, square_and_info_rule).outputs(&["inverse", "info"])
}

pub const fn matrix_power(name: &'static str) -> Op {
    solver(name, "n-th power of each matrix", SELF, POWER, same_square_rule)
}

pub const fn linalg_matrix_power(name: &'static str) -> Op {
    matrix_power(name).inputs(A)
}

pub const fn matrix_exp(name: &'static str) -> Op {
    solver(name, "exponential of each matrix", SELF, NONE, same_square_rule)
}

const PSEUDOINVERSE: &str = "pseudoinverse of each matrix";

pub const fn pinverse(name: &'static str) -> Op {
    solver(name, PSEUDOINVERSE, SELF, RCOND, transposed_rule)
}

pub const fn linalg_pinv(name: &'static str) -> Op {
    solver(name, PSEUDOINVERSE, A, PINV, pinv_rule)
}

pub const fn cholesky_inverse(name: &'static str) -> Op {
    solver(name, "inverse of each matrix from its Cholesky factor", SELF, UPPER, same_square_rule)
}

pub const fn cholesky_solve(name: &'static str) -> Op {
    let inputs = Inputs::named(&["self", "input2"]);
    solver(name, "solves A X = B from the Cholesky factor of A", inputs, UPPER, cholesky_solve_rule)
}

pub const fn triangular_solve(name: &'static str) -> Op {
    solver(name, "solves A X = B for a triangular A", Inputs::named(&["self", "A"]), TRIANGULAR, triangular_solve_rule)
        .outputs(&["solution", "cloned_coefficient"])
}

pub const fn linalg_solve_triangular(name: &'static str) -> Op {
    solver(name, "solves A X = B for a triangular A", A_AND_B, SOLVE_TRIANGULAR, solve_triangular_rule)
}

pub const fn lu_solve(name: &'static str) -> Op {
    let inputs = Inputs::named(&["self", "LU_data", "LU_pivots"]);
    solver(name, "solves A X = B from what torch_lu() gives", inputs, NONE, lu_solve_rule)
}

pub const fn linalg_solve(name: &'static str) -> Op {
    solver(name, "solves A X = B; B may be vectors", A_AND_B, NONE, solve_rule)
}

pub const fn lstsq(name: &'static str) -> Op {
    solver(name, "least squares solution of A X = B; B may be vectors", A_AND_B, LSTSQ, lstsq_rule).outputs(&[
        "solution",
        "residuals",
        "rank",
        "singular_values",
    ])
}

pub const fn tensorinv(name: &'static str) -> Op {
    solver(name, "inverse of a tensor as a map between its first and its last dimensions", A, IND, tensorinv_rule)
}

pub const fn tensorsolve(name: &'static str) -> Op {
    solver(name, "solves A X = B for tensors", A_AND_B, DIMS, tensorsolve_rule)
}

/// (*, m, n) -> (*, n, m)
fn transposed_rule(call: &Call) -> Result<Outputs> {
    let (batch, m, n) = matrices(call, 0)?;
    Ok(batch_of(batch, &[n, m]).into())
}

/// (*, m, n) -> (*, n, m), with m = n if hermitian and not empty
fn pinv_rule(call: &Call) -> Result<Outputs> {
    if call.args.flag("hermitian") && !elements(call.input(0)).equals(0).is_yes() {
        return same_square_rule(call);
    }
    transposed_rule(call)
}

const ROWS: &str = "number of rows";

/// (*, n, k), (*, n, n) -> (*, n, k)
fn cholesky_solve_rule(call: &Call) -> Result<Outputs> {
    Ok(solution(call, 0, 1)?.into())
}

/// What solves A X = B of inputs `b` and `a`: (*, n, k).
fn solution(call: &Call, b: usize, a: usize) -> Result<Dims> {
    let (of_b, _, k) = matrices(call, b)?;
    let (of_a, n) = square_matrices(call, a)?;
    let rows = call.common_size(ROWS, &[(a, of_a.len()), (a, of_a.len() + 1), (b, of_b.len())])?;
    let batch = broadcast_batches(call, (b, 2), (a, 2))?;
    Ok(batch_of(&batch, &[rows.unify(n).unwrap_or(rows), k]))
}

/// (*, n, k), (*, n, n) -> (*, n, k), (*, n, n)
fn triangular_solve_rule(call: &Call) -> Result<Outputs> {
    let solution = solution(call, 0, 1)?;
    let (batch, n) = solution.split_at(solution.len() - 2);
    let coefficient = batch_of(batch, &[n[0], n[0]]);
    Ok(vec![solution, coefficient].into())
}

/// (*, n, n), (*, n, k) -> (*, n, k); X A = B if not left
fn solve_triangular_rule(call: &Call) -> Result<Outputs> {
    if call.args.flag("left") {
        return Ok(solution(call, 1, 0)?.into());
    }
    let (of_a, _) = square_matrices(call, 0)?;
    let (of_b, k, _) = matrices(call, 1)?;
    let places = [(0, of_a.len()), (0, of_a.len() + 1), (1, of_b.len() + 1)];
    let n = call.common_size("number of columns", &places)?;
    let batch = broadcast_batches(call, (1, 2), (0, 2))?;
    Ok(batch_of(&batch, &[k, n]).into())
}

/// (*, n, k), (*, n, n), (*, n) -> (*, n, k), where the pivots have the batch of the factors
fn lu_solve_rule(call: &Call) -> Result<Outputs> {
    let (of_b, _, k) = matrices(call, 0)?;
    let (of_lu, _) = square_matrices(call, 1)?;
    let batch = of_lu.len();
    call.input_of_rank(2, &[batch + 1])?;
    let places = [(1, batch), (1, batch + 1), (2, batch), (0, of_b.len())];
    let n = call.common_size(ROWS, &places)?;
    let own: Dims = (0..batch).map(|d| call.common_size("batch size", &[(1, d), (2, d)])).collect::<Result<_>>()?;
    let output = broadcast_sizes((0, of_b), (1, &own))?;
    Ok(batch_of(&output, &[n, k]).into())
}

/// Whether B of `A X = B` holds vectors: it has one dimension, or the shape of A without its last.
struct RightSide {
    /// What of A's dimensions but the last is left if B holds vectors.
    vectors: Option<Dims>,
    /// Whether B may hold matrices.
    matrices: bool,
}

fn right_side(call: &Call, rows: Dim) -> RightSide {
    let (a, b) = (call.input(0), call.input(1));
    if b.len() == 1 {
        return RightSide { vectors: Some(a[..a.len() - 1].to_vec()), matrices: false };
    }
    if b.len() + 1 != a.len() {
        return RightSide { vectors: None, matrices: true };
    }
    let batch = &a[..a.len() - 2];
    let as_vectors =
        |rows: Dim| -> Option<Dims> { batch.iter().chain([&rows]).zip(b).map(|(&x, &y)| x.unify(y)).collect() };
    // matrices have as many rows as A; if they would be vectors then for sure, they never are matrices
    let matrices = rows.unify(b[b.len() - 2]).is_some_and(|rows| {
        let mut b = b.to_vec();
        let place = b.len() - 2;
        b[place] = rows;
        !batch.iter().chain([&rows]).zip(&b).all(|(&x, &y)| x.equals(y).is_yes())
    });
    RightSide { vectors: as_vectors(rows), matrices: matrices || as_vectors(rows).is_none() }
}

/// (*, n, n), (*, n, k) -> (*, n, k), or (*, n, n), (*, n) -> (*, n)
fn solve_rule(call: &Call) -> Result<Outputs> {
    call.input_of_at_least(1, 1)?;
    let (_, n) = square_matrices(call, 0)?;
    either(right_side(call, n), |vectors| {
        if !vectors {
            let solution = solution(call, 1, 0)?;
            not_vectors(call, &solution)?;
            return Ok(vec![solution.into()]);
        }
        let (batch, rows) = vector_equations(call)?;
        let n = n.unify(rows).ok_or_else(|| unequal_rows(n, rows))?;
        Ok(vec![batch_of(&batch, &[n]).into()])
    })
}

/// An error if B has to be vectors for there to be a solution of matrices of that shape.
fn not_vectors(call: &Call, solution: &[Dim]) -> Result<()> {
    let ((of_a, _, _), (of_b, _, _)) = (matrices(call, 0)?, matrices(call, 1)?);
    if of_a.len() != of_b.len() + 1 {
        return Ok(());
    }
    let (batch, sizes) = solution.split_at(solution.len() - 2);
    let own = stretched(of_a, &pad_left(of_b, batch.len()), batch);
    let right_side = batch_of(&stretched(of_b, of_a, batch), sizes);
    not_equal(&own, sizes[0], &right_side)
}

/// An error if the right side is A without its last dimension for sure.
fn not_equal(of_a: &[Dim], rows: Dim, right_side: &[Dim]) -> Result<()> {
    if of_a.iter().chain([&rows]).zip(right_side).all(|(&a, &b)| a.equals(b).is_yes()) {
        return Err(Error::new(Kind::Size, "has vectors on the right side, not matrices.").inputs([2]));
    }
    Ok(())
}

fn unequal_rows(n: Dim, rows: Dim) -> Box<Error> {
    Error::new(Kind::Size, format!("needs one {ROWS}, but A has {n} and B has {rows}.")).inputs([1, 2]).sizes([n, rows])
}

/// The batch and the rows of equations whose right side is vectors.
fn vector_equations(call: &Call) -> Result<(Dims, Dim)> {
    let (a, b) = (call.input(0), call.input(1));
    let rank = a.len() - 1;
    if b.len() == 1 {
        let rows = call.common_size(ROWS, &[(0, rank - 1), (1, 0)])?;
        return Ok((a[..rank - 1].to_vec(), rows));
    }
    let batch = (0..rank - 1).map(|d| call.common_size("batch size", &[(0, d), (1, d)])).collect::<Result<_>>()?;
    Ok((batch, call.common_size(ROWS, &[(0, rank - 1), (1, rank - 1)])?))
}

/// What either reading of the right side gives, or both of them where it may be either.
fn either(side: RightSide, outputs: impl Fn(bool) -> Result<Vec<Shape>>) -> Result<Outputs> {
    let vectors = side.vectors.is_some().then(|| outputs(true));
    let matrices = side.matrices.then(|| outputs(false));
    match (vectors, matrices) {
        (Some(Ok(a)), Some(Ok(b))) => Ok(Outputs::Shapes(a.into_iter().zip(b).map(|(a, b)| a.or(b)).collect())),
        (_, Some(Ok(shapes))) | (Some(Ok(shapes)), _) => Ok(Outputs::Shapes(shapes)),
        (_, Some(Err(error))) | (Some(Err(error)), _) => Err(error),
        (None, None) => Err(Error::new(Kind::Size, "has a right side that fits neither as matrices nor as vectors.")),
    }
}

/// (*, m, n), (*, m, k) -> (*, n, k), or (*, m, n), (*, m) -> (*, n). The residuals (*, k) are there if m > n, for the
/// driver "gels"; for "gelsd" and "gelss" only if the ranks are full; the ranks (*) for all but "gels"; the singular values
/// (*, min(m, n)) for "gelsd" and "gelss". What is not there is (0).
fn lstsq_rule(call: &Call) -> Result<Outputs> {
    let (of_a, m, n) = matrices(call, 0)?;
    let rank = of_a.len() + 2;
    // of one dimension less are vectors
    call.input_of_rank(1, &[rank - 1, rank])?;
    either(right_side(call, m), |vectors| {
        if vectors {
            let (batch, m) = vector_equations(call)?;
            return Ok(least_squares(call, &batch, &batch, m, n, None));
        }
        let (of_b, _, k) = matrices(call, 1)?;
        let m = call.common_size(ROWS, &[(0, rank - 2), (1, of_b.len())])?;
        let (batch, of_a, m) = if of_b.len() == of_a.len() {
            let batch = broadcast_batches(call, (0, 2), (1, 2))?;
            let of_a = stretched(of_a, of_b, &batch);
            (batch, of_a, m)
        } else {
            front_aligned(of_a, of_b, [m, k])?
        };
        Ok(least_squares(call, &batch, &of_a, m, n, Some(k)))
    })
}

/// The batch, what is left of A's own, and the rows, where B has one dimension less than A and is no vectors. PyTorch aligns
/// the batches at the front then, which takes the rows of B for one of them, and expands B as usual after that.
fn front_aligned(of_a: &[Dim], of_b: &[Dim], [m, k]: [Dim; 2]) -> Result<(Dims, Dims, Dim)> {
    let front = batch_of(of_b, &[m]);
    let batch = expand_into(of_b, &broadcast_sizes((0, of_a), (1, &front))?)?;
    let (own, front) = (stretched(of_a, &front, &batch), stretched(&front, of_a, &batch));
    let rows = front[front.len() - 1];
    let right_side = batch_of(&stretched(of_b, &batch, &batch), &[rows, k]);
    not_equal(&own, rows, &right_side)?;
    Ok((batch, own, rows))
}

/// The outputs for a batch of right sides and a batch of `m` by `n` matrices.
fn least_squares(call: &Call, batch: &[Dim], of_a: &[Dim], m: Dim, n: Dim, k: Option<Dim>) -> Vec<Shape> {
    let driver = call.args.get_text("driver").unwrap_or("gelsy");
    let nothing = || Shape::from(vec![Dim::ZERO]);
    let mut solution = batch_of(batch, &[n]);
    solution.extend(k);
    let residuals = Shape::from(batch_of(batch, &[k.unwrap_or(Dim::ONE)]));
    let more_rows = m.is_at_least(n + 1);
    let residuals = if driver == "gelsy" || more_rows.is_no() {
        nothing()
    } else if driver == "gels" && more_rows.is_yes() {
        residuals
    } else {
        residuals.or(nothing())
    };
    let ranks = if driver == "gels" { nothing() } else { of_a.into() };
    let has_values = driver == "gelsd" || driver == "gelss";
    let values = if has_values { batch_of(of_a, &[m.min(n)]).into() } else { nothing() };
    vec![solution.into(), residuals, ranks, values]
}

/// (a..., b...) -> (b..., a...) with as many elements in the first ind - 1 dimensions as in the others
fn tensorinv_rule(call: &Call) -> Result<Outputs> {
    let (input, ind) = (call.input(0), call.args.whole("ind"));
    let split = usize::try_from(ind - 1).ok().filter(|split| (1..=input.len()).contains(split)).ok_or_else(|| {
        let problem = format!("has ind = {ind}, but its input has {}.", counted(input.len(), "dimension"));
        let hint = match input.len() {
            0 => "A scalar has no inverse of this kind.".to_string(),
            n => format!("It can be 2 to {}.", n + 1),
        };
        Error::new(Kind::Argument, problem).argument("ind").hint(hint)
    })?;
    let (first, rest) = input.split_at(split);
    let (first, rest) = as_many_elements(first, rest).ok_or_else(|| {
        let problem = format!(
            "needs as many elements in the first {} as in the others, but they are {} and {}.",
            counted(split, "dimension"),
            Shown(first),
            Shown(rest)
        );
        Error::new(Kind::Size, problem).argument("ind")
    })?;
    Ok(batch_of(&rest, &first).into())
}

/// What is left of two shapes that must have as many elements.
fn as_many_elements(x: &[Dim], y: &[Dim]) -> Option<(Dims, Dims)> {
    Some((Elements::of(y)?.fill(x)?, Elements::of(x)?.fill(y)?))
}

/// (b..., x...), (b...) -> (x...), all three of as many elements; dims are moved to the end of A first
fn tensorsolve_rule(call: &Call) -> Result<Outputs> {
    let (a, b) = (call.input(0), call.input(1));
    let dims = call.resolve_all("dims", call.args.get_wholes("dims").unwrap_or(&[]), a.len())?;
    let mut moved: Dims = (0..a.len()).filter(|d| !dims.contains(d)).map(|d| a[d]).collect();
    moved.extend(dims.iter().map(|&d| a[d]));
    if b.len() > moved.len() {
        let problem =
            format!("needs at least as many dimensions in A as in B, but they have {} and {}.", a.len(), b.len());
        return Err(Error::new(Kind::Rank, problem).inputs([1, 2]));
    }
    let (first, rest) = moved.split_at(b.len());
    let wrong = || {
        let problem = format!(
            "needs as many elements in {}, {} and {}: the first dimensions of A, the others, and B.",
            Shown(first),
            Shown(rest),
            Shown(b)
        );
        Error::new(Kind::Size, problem).inputs([1, 2])
    };
    let (_, rest) = as_many_elements(b, rest).ok_or_else(wrong)?;
    if elements(&rest).equals(0).is_yes() {
        return Ok(rest.into());
    }
    let (_, rest) = as_many_elements(first, &rest).ok_or_else(wrong)?;
    as_many_elements(b, first).ok_or_else(wrong)?;
    Ok(rest.into())
}
