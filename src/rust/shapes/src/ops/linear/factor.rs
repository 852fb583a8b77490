//! Factors of matrices.
//! <https://docs.pytorch.org/docs/stable/linalg.html#matrix-decompositions>

use super::{batch_of, matrices, square_matrices};
use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{Call, Inputs, Op, Outputs, Rule};
use crate::shape::Dims;

const NONE: &[Arg] = &[];
const UPPER: &[Arg] = &[Arg::flag("upper", false)];
const CHECK_ERRORS: &[Arg] = &[Arg::flag("check_errors", false)];
const MODE: &[Arg] = &[Arg::choice("mode", &["reduced", "complete", "r"])];
const SOME: &[Arg] = &[Arg::flag("some", true)];
const SOME_UV: &[Arg] = &[Arg::flag("some", true), Arg::flag("compute_uv", true)];
const FULL: &[Arg] = &[Arg::flag("full_matrices", true)];
const TRIANGLE: &[Arg] = &[Arg::choice("UPLO", &["L", "U", "l", "u"])];
const LU: &[Arg] = &[Arg::flag("pivot", true), Arg::flag("get_infos", false), Arg::any("out")];
const UNPACK: &[Arg] = &[Arg::flag("unpack_data", true), Arg::flag("unpack_pivots", true)];
const ORMQR: &[Arg] = &[Arg::flag("left", true), Arg::flag("transpose", false)];

const A: Inputs = Inputs::named(&["A"]);
const SELF: Inputs = Inputs::named(&["self"]);

const fn factor(name: &'static str, summary: &'static str, inputs: Inputs, args: &'static [Arg], rule: Rule) -> Op {
    Op::new(name, "linear", summary, rule).inputs(inputs).args(args)
}

const CHOLESKY: &str = "Cholesky factor of each matrix";

pub const fn cholesky(name: &'static str) -> Op {
    factor(name, CHOLESKY, SELF, UPPER, same_square_rule)
}

pub const fn linalg_cholesky(name: &'static str) -> Op {
    factor(name, CHOLESKY, A, NONE, same_square_rule)
}

/// With a number for each matrix that says whether it went well.
pub const fn cholesky_ex(name: &'static str) -> Op {
    factor(name, CHOLESKY, A, CHECK_ERRORS, square_and_info_rule).outputs(&["L", "info"])
}

const QR: &str = "each matrix as an orthogonal times an upper triangular one";

pub const fn qr(name: &'static str) -> Op {
    factor(name, QR, SELF, SOME, qr_rule).outputs(&["Q", "R"])
}

pub const fn linalg_qr(name: &'static str) -> Op {
    factor(name, QR, A, MODE, linalg_qr_rule).outputs(&["Q", "R"])
}

pub const fn geqrf(name: &'static str) -> Op {
    factor(name, "the QR factors as Householder reflectors", SELF, NONE, geqrf_rule).outputs(&["a", "tau"])
}

const HOUSEHOLDER: &str = "product of Householder reflectors";

pub const fn orgqr(name: &'static str) -> Op {
    factor(name, HOUSEHOLDER, Inputs::named(&["self", "input2"]), NONE, householder_rule)
}

pub const fn householder_product(name: &'static str) -> Op {
    factor(name, HOUSEHOLDER, Inputs::named(&["A", "tau"]), NONE, householder_rule)
}

pub const fn ormqr(name: &'static str) -> Op {
    let inputs = Inputs::named(&["self", "input2", "input3"]);
    factor(name, "product of a matrix with Householder reflectors", inputs, ORMQR, ormqr_rule)
}

const SVD: &str = "singular values and vectors of each matrix";

pub const fn svd(name: &'static str) -> Op {
    factor(name, SVD, SELF, SOME_UV, svd_rule).outputs(&["U", "S", "V"])
}

pub const fn linalg_svd(name: &'static str) -> Op {
    factor(name, SVD, A, FULL, linalg_svd_rule).outputs(&["U", "S", "Vh"])
}

pub const fn svdvals(name: &'static str) -> Op {
    factor(name, "singular values of each matrix", A, NONE, svdvals_rule)
}

const EIGEN: &str = "eigenvalues and eigenvectors of each matrix";
const EIGENVALUES: &str = "eigenvalues of each matrix";

pub const fn eig(name: &'static str) -> Op {
    factor(name, EIGEN, A, NONE, eigen_rule).outputs(&["eigenvalues", "eigenvectors"])
}

/// Of symmetric matrices, of which one triangle is read.
pub const fn eigh(name: &'static str) -> Op {
    factor(name, EIGEN, A, TRIANGLE, eigen_rule).outputs(&["eigenvalues", "eigenvectors"])
}

pub const fn eigvals(name: &'static str) -> Op {
    factor(name, EIGENVALUES, A, NONE, eigenvalues_rule)
}

/// Of symmetric matrices, of which one triangle is read.
pub const fn eigvalsh(name: &'static str) -> Op {
    factor(name, EIGENVALUES, A, TRIANGLE, eigenvalues_rule)
}

pub const fn lu(name: &'static str) -> Op {
    factor(name, "triangular factors of each matrix, in one", A, LU, lu_rule).outputs(&["LU", "pivots", "[infos]"])
}

pub const fn lu_unpack(name: &'static str) -> Op {
    factor(
        name,
        "the factors that torch_lu() gives, apart",
        Inputs::named(&["LU_data", "LU_pivots"]),
        UNPACK,
        unpack_rule,
    )
    .outputs(&["P", "L", "U"])
}

/// (*, n, n) -> (*, n, n)
pub fn same_square_rule(call: &Call) -> Result<Outputs> {
    let (batch, n) = square_matrices(call, 0)?;
    Ok(batch_of(batch, &[n, n]).into())
}

/// (*, n, n) -> (*, n, n), (*)
pub fn square_and_info_rule(call: &Call) -> Result<Outputs> {
    let (batch, n) = square_matrices(call, 0)?;
    Ok(vec![batch_of(batch, &[n, n]), batch.to_vec()].into())
}

/// (*, m, n) -> (*, m, k), (*, k, n) with k = min(m, n), or m if not some
fn qr_rule(call: &Call) -> Result<Outputs> {
    qr_factors(call, call.args.flag("some"))
}

/// (*, m, n) -> (*, m, k), (*, k, n) with k = min(m, n), or m if complete; in mode "r" Q is (0)
fn linalg_qr_rule(call: &Call) -> Result<Outputs> {
    match call.args.get_text("mode") {
        Some("r") => {
            let (batch, m, n) = matrices(call, 0)?;
            Ok(vec![vec![Dim::ZERO], batch_of(batch, &[m.min(n), n])].into())
        }
        mode => qr_factors(call, mode != Some("complete")),
    }
}

fn qr_factors(call: &Call, reduced: bool) -> Result<Outputs> {
    let (batch, m, n) = matrices(call, 0)?;
    let k = if reduced { m.min(n) } else { m };
    Ok(vec![batch_of(batch, &[m, k]), batch_of(batch, &[k, n])].into())
}

/// (*, m, n) -> (*, m, n), (*, min(m, n))
fn geqrf_rule(call: &Call) -> Result<Outputs> {
    let (batch, m, n) = matrices(call, 0)?;
    Ok(vec![batch_of(batch, &[m, n]), batch_of(batch, &[m.min(n)])].into())
}

/// (*, m, n), (*, k) -> (*, m, n) with m >= n >= k
fn householder_rule(call: &Call) -> Result<Outputs> {
    let (batch, m, n) = matrices(call, 0)?;
    let tau = call.input_of_rank(1, &[batch.len() + 1])?;
    let batch = common_batch(call, batch.len(), &[0, 1])?;
    let k = tau[batch.len()];
    let n = n.keep_at_least(k).ok_or_else(|| {
        let d = batch.len() + 1;
        let problem = format!("has {k} reflectors in input 2, but only {n} columns in dimension {} of input 1.", d + 1);
        call.size_error(0, d, problem).sizes([n, k]).inputs([1, 2])
    })?;
    let n = n.keep_at_most(m).ok_or_else(|| {
        let d = batch.len() + 1;
        let problem = format!(
            "needs at least as many rows as columns, but dimensions {d} and {} of input 1 are {m} and {n}.",
            d + 1
        );
        call.size_error(0, d, problem).sizes([m, n])
    })?;
    let m = m.keep_at_least(n).unwrap_or(m);
    Ok(batch_of(&batch, &[m, n]).into())
}

/// The first `n` dimensions of `inputs`, which must be equal.
fn common_batch(call: &Call, n: usize, inputs: &[usize]) -> Result<Dims> {
    let places = |d: usize| inputs.iter().map(|&i| (i, d)).collect::<Vec<_>>();
    (0..n).map(|d| call.common_size("batch size", &places(d))).collect()
}

/// (*, q, p), (*, k), (*, m, n) -> (*, m, n) with q = m, or n if not left, and k = min(p, q)
fn ormqr_rule(call: &Call) -> Result<Outputs> {
    let (batch, _, p) = matrices(call, 0)?;
    let rank = batch.len() + 2;
    let tau = call.input_of_rank(1, &[rank - 1])?;
    call.input_of_rank(2, &[rank])?;
    let (_, m, n) = matrices(call, 2)?;
    let batch = common_batch(call, rank - 2, &[0, 1, 2])?;
    let (left, k) = (call.args.flag("left"), tau[rank - 2]);
    let d = if left { rank - 2 } else { rank - 1 };
    let q = call.common_size("order of the orthogonal matrix", &[(0, rank - 2), (2, d)])?;
    let (q, _, _) = with_smaller(q, p, k).ok_or_else(|| {
        let problem = format!("needs as many reflectors as the smaller of {q} and {p}, but input 2 has {k}.");
        Error::new(Kind::Size, problem).inputs([2]).sizes([q.min(p), k])
    })?;
    Ok(batch_of(&batch, &if left { [q, n] } else { [m, q] }).into())
}

/// (*, m, n) -> (*, m, k), (*, k), (*, n, k) with k = min(m, n), or m and n if not some
fn svd_rule(call: &Call) -> Result<Outputs> {
    let (batch, m, n) = matrices(call, 0)?;
    let k = m.min(n);
    let (u, v) = if call.args.flag("some") && call.args.flag("compute_uv") { (k, k) } else { (m, n) };
    Ok(vec![batch_of(batch, &[m, u]), batch_of(batch, &[k]), batch_of(batch, &[n, v])].into())
}

/// (*, m, n) -> (*, m, k), (*, k), (*, k, n) with k = min(m, n), or m and n with full matrices
fn linalg_svd_rule(call: &Call) -> Result<Outputs> {
    let (batch, m, n) = matrices(call, 0)?;
    let k = m.min(n);
    let (u, v) = if call.args.flag("full_matrices") { (m, n) } else { (k, k) };
    Ok(vec![batch_of(batch, &[m, u]), batch_of(batch, &[k]), batch_of(batch, &[v, n])].into())
}

/// (*, m, n) -> (*, min(m, n))
fn svdvals_rule(call: &Call) -> Result<Outputs> {
    let (batch, m, n) = matrices(call, 0)?;
    Ok(batch_of(batch, &[m.min(n)]).into())
}

/// (*, n, n) -> (*, n), (*, n, n)
fn eigen_rule(call: &Call) -> Result<Outputs> {
    let (batch, n) = square_matrices(call, 0)?;
    Ok(vec![batch_of(batch, &[n]), batch_of(batch, &[n, n])].into())
}

/// (*, n, n) -> (*, n)
fn eigenvalues_rule(call: &Call) -> Result<Outputs> {
    let (batch, n) = square_matrices(call, 0)?;
    Ok(batch_of(batch, &[n]).into())
}

/// (*, m, n) -> (*, m, n), (*, min(m, n)), and (*) with infos
fn lu_rule(call: &Call) -> Result<Outputs> {
    let (batch, m, n) = matrices(call, 0)?;
    let mut outputs = vec![batch_of(batch, &[m, n]), batch_of(batch, &[m.min(n)])];
    if call.args.flag("get_infos") {
        outputs.push(batch.to_vec());
    }
    Ok(outputs.into())
}

/// (*, m, n), (*, k) -> (*, m, m), (*, m, k), (*, k, n) with k = min(m, n); what is not asked for is (0)
fn unpack_rule(call: &Call) -> Result<Outputs> {
    let (batch, mut m, mut n) = matrices(call, 0)?;
    let mut k = m.min(n);
    let mut batch = batch.to_vec();
    let nothing = || vec![Dim::ZERO];
    let mut permutation = nothing();
    if call.args.flag("unpack_pivots") {
        let rank = batch.len() + 1;
        let pivots = call.input_of_rank(1, &[rank])?[rank - 1];
        batch = common_batch(call, rank - 1, &[0, 1])?;
        (m, n, k) = with_smaller(m, n, pivots).ok_or_else(|| {
            let problem =
                format!("needs as many pivots as the smaller of {m} rows and {n} columns, but input 2 has {pivots}.");
            Error::new(Kind::Size, problem).inputs([2]).sizes([k, pivots])
        })?;
        permutation = batch_of(&batch, &[m, m]);
    }
    if !call.args.flag("unpack_data") {
        return Ok(vec![permutation, nothing(), nothing()].into());
    }
    Ok(vec![permutation, batch_of(&batch, &[m, k]), batch_of(&batch, &[k, n])].into())
}

/// What is left of `m`, `n` and `k` when min(m, n) must be `k`.
fn with_smaller(m: Dim, n: Dim, k: Dim) -> Option<(Dim, Dim, Dim)> {
    let smaller = m.min(n).unify(k)?;
    let (m, n) = (m.keep_at_least(smaller)?, n.keep_at_least(smaller)?);
    let one = |size: Dim, other: Dim| if other.equals(k).is_no() { size.unify(k) } else { Some(size) };
    Some((one(m, n)?, one(n, m)?, smaller))
}
