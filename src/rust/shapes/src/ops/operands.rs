//! Operands of functions that take a tensor or a plain number in the same place, as `torch_add(x, 2)` does.

use crate::args::Value;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::Call;
use crate::shape::Dims;

/// What a number given for an operand is to R torch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// A number: it has no dimensions.
    Scalar,
    /// It is made a tensor first, of shape (1).
    Vector,
}

/// One operand.
#[derive(Clone, PartialEq, Eq)]
pub struct Operand {
    pub shape: Dims,
    /// Whether it is a plain number rather than a tensor.
    pub is_number: bool,
}

/// The operands in the order of [`crate::op::Op::inputs`]. Each is an input, or an argument of that name; inputs fill the
/// places that arguments leave. `numbers` says for each what a number means; operands beyond it are tensors.
pub fn operands(call: &Call, numbers: &[Number]) -> Result<Vec<Option<Operand>>> {
    let names = call.op.inputs.names();
    let given: Vec<Option<&Value>> =
        names.iter().map(|name| call.args.declares(name).then(|| call.args.get_raw(name)).flatten()).collect();
    let taken: Vec<bool> = given.iter().map(Option::is_some).collect();
    let inputs = call.inputs_beside(&taken)?;
    let mut operands = Vec::new();
    for (i, (value, input)) in given.into_iter().zip(inputs).enumerate() {
        operands.push(match (value, input) {
            (Some(value), _) => Some(number(names[i], value, numbers.get(i).copied().unwrap_or(Number::Vector))?),
            (None, Some(shape)) => Some(Operand { shape: shape.to_vec(), is_number: false }),
            (None, None) => None,
        });
    }
    Ok(operands)
}

/// The shapes of operands that must all be there.
pub fn operand_shapes(call: &Call, numbers: &[Number]) -> Result<Vec<Dims>> {
    let names = call.op.inputs.names();
    operands(call, numbers)?
        .into_iter()
        .zip(names)
        .map(|(operand, name)| operand.map(|operand| operand.shape).ok_or_else(|| missing(name)))
        .collect()
}

/// The error where an operand is neither an input nor an argument.
pub fn missing(name: &str) -> Box<Error> {
    let problem = format!("needs '{name}': another input, or a number for argument '{name}'.");
    Error::new(Kind::Argument, problem).argument(name)
}

fn number(name: &str, value: &Value, number: Number) -> Result<Operand> {
    match (value, value.count()) {
        (Value::Numbers(_) | Value::Flags(_), 1) if number == Number::Scalar => {
            Ok(Operand { shape: Vec::new(), is_number: true })
        }
        (Value::Numbers(_) | Value::Flags(_), n) => Ok(Operand { shape: vec![Dim::known(n as i64)], is_number: false }),
        _ => {
            let problem = format!("needs a number or numbers for argument '{name}', not {}.", value.shown());
            Err(Error::new(Kind::Argument, problem).argument(name).hint("The shape of a tensor is given as an input."))
        }
    }
}
