//! Products of several matrices.
//! <https://docs.pytorch.org/docs/stable/generated/torch.linalg.multi_dot.html>

use super::last;
use crate::dim::Dim;
use crate::error::Result;
use crate::op::{Call, Cost, Inputs, Op, Outputs};
use crate::shape::Dims;

pub const fn chain_matmul(name: &'static str) -> Op {
    Op::new(name, "linear", "product of several matrices", chain_rule).inputs(Inputs::ANY).cost(chain_cost)
}

pub const fn multi_dot(name: &'static str) -> Op {
    Op::new(name, "linear", "product of several matrices, a vector at either end", multi_dot_rule)
        .inputs(Inputs::Any { min: 2 })
        .cost(chain_cost)
}

/// (a, b), (b, c), (c, d), ... -> (a, d)
fn chain_rule(call: &Call) -> Result<Outputs> {
    for i in 0..call.inputs().len() {
        call.input_of_rank(i, &[2])?;
    }
    chained(call)
}

/// As a chain of matrices; a vector at either end leaves no dimension there.
fn multi_dot_rule(call: &Call) -> Result<Outputs> {
    let end = last_input(call);
    for i in 0..=end {
        call.input_of_rank(i, if i == 0 || i == end { &[1, 2] } else { &[2] })?;
    }
    chained(call)
}

fn last_input(call: &Call) -> usize {
    call.inputs().len().saturating_sub(1)
}

fn chained(call: &Call) -> Result<Outputs> {
    let end = last_input(call);
    for i in 1..=end {
        joint(call, i)?;
    }
    let (first, second) = (call.input(0), call.input(end));
    let mut output: Dims = first[..last(first)].to_vec();
    output.extend_from_slice(&second[1..]);
    Ok(output.into())
}

/// The size that inputs `i - 1` and `i` are summed over.
fn joint(call: &Call, i: usize) -> Result<Dim> {
    call.common_size("size to sum over", &[(i - 1, last(call.input(i - 1))), (i, 0)])
}

/// macs = those of the cheapest order of the products.
fn chain_cost(call: &Call, _: &[&[Dim]]) -> Cost {
    /// The work grows with the third power.
    const MOST: usize = 128;
    let n = call.inputs().len();
    if n > MOST {
        return Cost { macs: Dim::at_least(0), ..Cost::FREE };
    }
    // matrix i is (sizes[i], sizes[i + 1])
    let side = |input: &[Dim], d: usize| if input.len() > 1 { input[d] } else { Dim::ONE };
    let mut sizes = vec![side(call.input(0), 0)];
    sizes.extend((1..n).map(|i| joint(call, i).unwrap_or(Dim::UNKNOWN)));
    sizes.push(side(call.input(n - 1), 1));
    // cheapest[i][j] is for the matrices i to i + j
    let mut cheapest = vec![vec![Dim::ZERO]; n];
    for length in 1..n {
        for i in 0..n - length {
            let split = |k: usize| {
                let product = sizes[i] * sizes[i + k + 1] * sizes[i + length + 1];
                cheapest[i][k] + cheapest[i + k + 1][length - k - 1] + product
            };
            let best = (1..length).map(split).fold(split(0), Dim::min);
            cheapest[i].push(best);
        }
    }
    Cost { macs: cheapest[0][n - 1], ..Cost::FREE }
}
