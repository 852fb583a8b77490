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
pub fn argument(op: &Op, arg: &Arg, world: &World, dice: &mut Dice) -> Option<Value> {
    match arg.name {
        "task" => {
            let class = Value::text(dice.one_of(&["classif", "regr"]));
            Some(Value::List(vec![("type".to_string(), class), ("n_classes".to_string(), Value::whole(3))]))
        }
        "size" if op.name == "nnf_affine_grid" => {
            let n = dice.between(4, 5);
            let sizes = (0..n).map(|_| (!dice.chance(1, 5)).then(|| world.size(dice) as f64));
            Some(Value::Numbers(sizes.collect()))
        }
        "mean" | "std" | "weight" | "pos_weight" => {
            let n = if dice.chance(1, 2) { 1 } else { world.size(dice) };
            Some(Value::Numbers((0..n).map(|i| Some(0.5 + i as f64)).collect()))
        }
        "transforms" => Some(Value::List(vec![(String::new(), Value::Other("function".to_string()))])),
        // so that the first size that fits is not far away
        "dilation" => Some(Value::wholes(&[dice.between(1, 3)])),
        _ => None,
    }
}
