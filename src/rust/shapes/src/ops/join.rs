//! Operators that join tensors or take them apart.
//! <https://docs.pytorch.org/docs/stable/generated/torch.cat.html>

use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{counted, Error, Kind, Result};
use crate::op::{Call, Inputs, Op, Outputs};

const CAT: &[Arg] = &[Arg::whole("dim").default(1)];

pub const fn cat(name: &'static str) -> Op {
    Op::new(name, "join", "joins tensors along a dimension", cat_rule).args(CAT).inputs(Inputs::ANY)
}

/// All sizes but those along `dim` are equal; along `dim` they add up. A tensor of shape (0) is left out, as PyTorch does.
fn cat_rule(call: &Call) -> Result<Outputs> {
    let inputs: Vec<(usize, &[Dim])> = call.inputs().iter().copied().enumerate().collect();
    let all_empty = inputs.iter().all(|(_, input)| *input == [Dim::ZERO]);
    let joined: Vec<(usize, &[Dim])> =
        inputs.into_iter().filter(|(_, input)| all_empty || *input != [Dim::ZERO]).collect();
    let (first, input) = joined[0];
    if let Some((i, other)) = joined.iter().find(|(_, other)| other.len() != input.len()) {
        let problem = format!(
            "cannot join its inputs: input {} has {}, input {} has {}.",
            first + 1,
            counted(input.len(), "dimension"),
            i + 1,
            counted(other.len(), "dimension")
        );
        return Err(Error::new(Kind::Rank, problem).inputs([first + 1, i + 1]).table());
    }
    let dim = call.dim("dim", input.len())?;
    let mut output = input.to_vec();
    for &(i, other) in &joined[1..] {
        for d in 0..output.len() {
            if d == dim {
                output[d] = output[d] + other[d];
                continue;
            }
            output[d] = output[d].unify(other[d]).ok_or_else(|| {
                let clash = joined.iter().find(|(_, earlier)| earlier[d].equals(other[d]).is_no());
                let &(j, earlier) = clash.unwrap_or(&joined[0]);
                let problem = format!(
                    "cannot join its inputs along dimension {}: dimension {} is {} in input {} and {} in input {}.",
                    dim + 1,
                    d + 1,
                    earlier[d],
                    j + 1,
                    other[d],
                    i + 1
                );
                Error::new(Kind::Size, problem)
                    .hint(format!("Sizes must be equal in every dimension but {}.", dim + 1))
                    .dim(d + 1)
                    .sizes([earlier[d], other[d]])
                    .inputs([j + 1, i + 1])
                    .table()
            })?;
        }
    }
    Ok(output.into())
}
