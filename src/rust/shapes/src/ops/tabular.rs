//! What mlr3torch builds for a task.
//! <https://mlr3torch.mlr-org.com/reference/mlr_pipeops_nn_head.html>

use crate::args::{Arg, Value};
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{Call, Cost, Op, Outputs};

const HEAD: &[Arg] = &[Arg::flag("bias", true), Arg::any("task")];

pub const fn head(name: &'static str) -> Op {
    Op::new(name, "tabular", "linear map to what the task predicts", head_rule).args(HEAD).cost(head_cost)
}

/// (N, features) -> (N, classes), or (N, 1) for two classes and for regression; without a task that size is unknown.
fn head_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[2])?;
    Ok(vec![input[0], predicted(call)?].into())
}

/// How many numbers an observation's prediction takes.
fn predicted(call: &Call) -> Result<Dim> {
    let wrong = |problem: String| {
        let hint = "It is a task, or list(type = \"classif\", n_classes = 3), or list(type = \"regr\").";
        Err(Error::new(Kind::Argument, problem).argument("task").hint(hint))
    };
    let items = match call.args.get_raw("task") {
        None => return Ok(Dim::UNKNOWN),
        Some(Value::List(items)) => items,
        Some(other) => return wrong(format!("needs a task for argument 'task', not {}.", other.shown())),
    };
    let item = |name: &str| items.iter().find(|(item, _)| item == name).map(|(_, value)| value);
    match item("type") {
        Some(kind) if *kind == Value::text("regr") => Ok(Dim::ONE),
        Some(kind) if *kind == Value::text("classif") => match item("n_classes") {
            Some(Value::Numbers(n)) => match n.as_slice() {
                // one number tells two classes apart
                [Some(n)] if *n == 2.0 => Ok(Dim::ONE),
                [Some(n)] if n.fract() == 0.0 && (1.0..=1e15).contains(n) => Ok(Dim::known(*n as i64)),
                _ => wrong("needs one whole number >= 1 for n_classes in argument 'task'.".to_string()),
            },
            _ => wrong("needs n_classes in argument 'task' of type \"classif\".".to_string()),
        },
        Some(kind) => wrong(format!("needs a task of type \"classif\" or \"regr\", not {}.", kind.shown())),
        None => wrong("needs a type in argument 'task'.".to_string()),
    }
}

/// features outputs + outputs; every output element takes as many multiply-adds as there are features.
fn head_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let features = call.input(0)[1];
    let (batch, predicted) = (outputs[0][0], outputs[0][1]);
    let bias = if call.args.flag("bias") { predicted } else { Dim::ZERO };
    Cost { params: features * predicted + bias, macs: batch * predicted * features }
}
