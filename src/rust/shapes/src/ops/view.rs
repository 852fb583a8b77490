//! Operators that give the same elements another shape.
//! <https://docs.pytorch.org/docs/stable/generated/torch.flatten.html>

use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{named_dims, Call, Op, Outputs};
use crate::shape::Shown;

const FLATTEN: &[Arg] = &[Arg::whole("start_dim").default(1), Arg::whole("end_dim").default(-1)];
const NN_FLATTEN: &[Arg] = &[Arg::whole("start_dim").default(2), Arg::whole("end_dim").default(-1)];

/// Flattening from dimension `start_dim` on, unless told otherwise.
pub const fn flatten(name: &'static str, start_dim: usize) -> Op {
    let args = if start_dim == 1 { FLATTEN } else { NN_FLATTEN };
    Op::new(name, "view", "makes one dimension of several", flatten_rule).args(args)
}

/// (*, S_start, ..., S_end, *) -> (*, product of S, *); a scalar becomes (1).
fn flatten_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    // PyTorch takes a scalar as one dimension here
    let scalar = [Dim::ONE];
    let input = if input.is_empty() { &scalar } else { input };
    let start = call.dim("start_dim", input.len())?;
    let end = call.dim("end_dim", input.len())?;
    if start > end {
        let problem = format!("has its start_dim (dimension {}) after its end_dim (dimension {}).", start + 1, end + 1);
        return Err(Error::new(Kind::Dim, problem).argument("start_dim"));
    }
    let flat = Dim::product(&input[start..=end]).ok_or_else(|| {
        let dims: Vec<usize> = (start..=end).collect();
        let problem =
            format!("cannot flatten {} of {}: their product is beyond 2^53.", named_dims(&dims), Shown(input));
        Error::new(Kind::Size, problem).sizes(input[start..=end].iter().copied())
    })?;
    let mut output = input[..start].to_vec();
    output.push(flat);
    output.extend_from_slice(&input[end + 1..]);
    Ok(output.into())
}
