//! Generators of operators and arguments that say too little by name and type.

use crate::make::{Dice, Draft, World};
use shapes::args::{Arg, Value};
use shapes::op::Op;

/// Changes a draft that the defaults made.
pub type Own = fn(&mut Draft, &World, &mut Dice);

/// The generator of an operator, if it has one of its own.
pub fn generator(op: &Op) -> Option<Own> {
    let name = op.name.trim_start_matches("nn_").trim_start_matches("nnf_").trim_start_matches("torch_");
    match name {
        _ => None,
    }
}

/// A value for an argument whose name says more than its type.
pub fn argument(op: &Op, arg: &Arg, _world: &World, dice: &mut Dice) -> Option<Value> {
    let _ = op;
    match arg.name {
        "task" => {
            let class = Value::text(dice.one_of(&["classif", "regr"]));
            Some(Value::List(vec![("type".to_string(), class), ("n_classes".to_string(), Value::whole(3))]))
        }
        // so that the first size that fits is not far away
        "dilation" => Some(Value::wholes(&[dice.between(1, 3)])),
        _ => None,
    }
}
