//! Generators of operators and arguments that say too little by name and type.

use crate::make::{Dice, Draft, World};
use shapes::args::{Arg, Takes, Value};
use shapes::op::{Inputs, Op};

/// Changes a draft that the defaults made.
pub type Own = fn(&mut Draft, &World, &mut Dice);

/// The generator of an operator, if it has one of its own.
pub fn generator(op: &Op) -> Option<Own> {
    match bare(op.name) {
        "batch_norm" | "instance_norm" => Some(statistics),
        "einsum" => Some(einsum),
        "linalg_tensorinv" => Some(tensorinv),
        "linalg_tensorsolve" => Some(tensorsolve),
        "tensordot" => Some(tensordot),
        "transformer_encoder" => Some(transformer_encoder),
        _ => None,
    }
}

/// The name of an operator without `nn_`, `nnf_`, `torch_`.
fn bare(name: &str) -> &str {
    ["nn_", "nnf_", "torch_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// A value for an argument whose name says more than its type.
pub fn argument(op: &Op, arg: &Arg, world: &World, dice: &mut Dice) -> Option<Value> {
    let number = |x: f64| Value::Numbers(vec![Some(x)]);
    match (arg.name, arg.takes) {
        ("size", _) if op.name == "nnf_affine_grid" => {
            let n = dice.between(4, 5);
            let sizes = (0..n).map(|_| (!dice.chance(1, 5)).then(|| world.size(dice) as f64));
            Some(Value::Numbers(sizes.collect()))
        }
        ("mean" | "std" | "weight" | "pos_weight", _) => {
            let n = if dice.chance(1, 2) { 1 } else { world.size(dice) };
            Some(Value::Numbers((0..n).map(|i| Some(0.5 + i as f64)).collect()))
        }
        ("transforms", _) => Some(Value::List(vec![(String::new(), Value::Other("function".to_string()))])),
        // so that the first size that fits is not far away
        ("dilation", _) => Some(Value::wholes(&[dice.between(1, 3)])),
        ("padding", Takes::Wholes) if op.name.ends_with("_fold") => Some(Value::wholes(&[dice.between(0, 1)])),
        ("task", _) => Some(task(world, dice)),
        ("ord" | "p", Takes::Anything) => Some(match dice.between(0, 5) {
            0 => Value::text(dice.one_of(&["fro", "nuc"])),
            1 => number(f64::INFINITY),
            _ => number(dice.one_of(&[-1.0, 0.0, 1.0, 2.0, 3.0, -2.0])),
        }),
        ("q", Takes::Anything) => {
            let n = dice.one_of(&[1, 1, 2, 3]);
            Some(Value::Numbers((0..n).map(|i| Some(f64::from(i) / 4.0)).collect()))
        }
        ("ffn_activation", _) => Some(Value::text(dice.one_of(&["nn_reglu", "nn_geglu", "nn_relu"]))),
        (name, Takes::Anything) if name.ends_with("_normalization") => Some(Value::text("nn_layer_norm")),
        ("side", Takes::Text) => Some(Value::text(dice.one_of(&["left", "right"]))),
        // an operand that is a number, or several, in the place of an input
        (name, Takes::Anything) if takes_input(op, name) => {
            let n = if dice.chance(3, 4) { 1 } else { world.size(dice) };
            dice.chance(1, 2).then(|| Value::wholes(&vec![2; n as usize]))
        }
        _ => None,
    }
}

/// Whether an input has that name, or is missing and could have it.
fn takes_input(op: &Op, name: &str) -> bool {
    matches!(op.inputs, Inputs::Named { names, .. } if names.contains(&name))
}

fn task(world: &World, dice: &mut Dice) -> Value {
    let kind = Value::text(dice.one_of(&["classif", "regr"]));
    let cardinalities: Vec<i64> = (0..world.size(dice)).map(|_| dice.between(1, 4)).collect();
    Value::List(vec![
        ("type".to_string(), kind),
        ("n_classes".to_string(), Value::whole(dice.between(2, 4))),
        ("cardinalities".to_string(), Value::wholes(&cardinalities)),
    ])
}

/// Statistics and weights of the channels, which come in pairs.
fn statistics(draft: &mut Draft, _: &World, dice: &mut Dice) {
    let n = dice.one_of(&[0, 2, 2, 4]);
    draft.shapes.truncate(1);
    draft.shapes.extend(vec![vec![None]; n]);
}

/// Labels that inputs share, and an output of some of them.
fn einsum(draft: &mut Draft, _: &World, dice: &mut Dice) {
    const LABELS: &[char] = &['a', 'b', 'c', 'd'];
    let mut terms = Vec::new();
    let mut used: Vec<char> = Vec::new();
    for sizes in &mut draft.shapes {
        let n = dice.between(0, 3) as usize;
        let dots = dice.chance(1, 5);
        let mut term: String = (0..n).map(|_| dice.one_of(LABELS)).collect();
        used.extend(term.chars());
        sizes.resize(n, None);
        if dots {
            let places = dice.between(0, 2) as usize;
            term.push_str("...");
            sizes.resize(n + places, None);
        }
        terms.push(term);
    }
    used.sort_unstable();
    used.dedup();
    let mut equation = terms.join(if dice.chance(1, 4) { ", " } else { "," });
    if dice.chance(2, 3) {
        dice.shuffle(&mut used);
        used.truncate(dice.between(0, used.len() as i64) as usize);
        let dots = if equation.contains("...") && dice.chance(3, 4) { "..." } else { "" };
        equation = format!("{equation}->{dots}{}", used.iter().collect::<String>());
    }
    draft.set("equation", Value::text(&equation));
}

/// Layers that are described by their arguments.
fn transformer_encoder(draft: &mut Draft, world: &World, dice: &mut Dice) {
    if dice.chance(1, 2) {
        let mut layer = vec![("nhead".to_string(), Value::whole(dice.one_of(&[1, 2, 2, 3])))];
        if dice.chance(1, 2) {
            layer.push(("d_model".to_string(), Value::whole(world.size(dice))));
        }
        if dice.chance(1, 2) {
            layer.push(("batch_first".to_string(), Value::flag(true)));
        }
        draft.set("encoder_layer", Value::List(layer));
    }
}

/// How many dimensions are summed over, or which.
fn tensordot(draft: &mut Draft, world: &World, dice: &mut Dice) {
    if dice.chance(1, 2) {
        draft.set("dims", Value::whole(dice.between(0, 2)));
        return;
    }
    let first = dice.dims(world.rank);
    let mut second = dice.dims(draft.shapes.get(1).map_or(0, Vec::len));
    second.truncate(first.len());
    let first = first[..second.len()].to_vec();
    let dims = [first, second].map(|dims| (String::new(), Value::wholes(&dims)));
    draft.set("dims", Value::List(dims.to_vec()));
}

/// Two shapes of as many elements, few of them, so that a filling is not far away.
fn as_many_elements(dice: &mut Dice) -> [&'static [i64]; 2] {
    const WAYS: &[&[&[i64]]] = &[&[&[2], &[1, 2], &[2, 1]], &[&[4], &[2, 2], &[1, 4]], &[&[6], &[2, 3], &[3, 2]]];
    let ways = dice.one_of(WAYS);
    [dice.one_of(ways), dice.one_of(ways)]
}

fn known(sizes: &[i64]) -> Vec<Option<i64>> {
    sizes.iter().map(|&size| Some(size)).collect()
}

fn tensorinv(draft: &mut Draft, _: &World, dice: &mut Dice) {
    let [first, rest] = as_many_elements(dice);
    draft.shapes = vec![known(&[first, rest].concat())];
    draft.set("ind", Value::whole(if dice.chance(1, 16) { 1 } else { first.len() as i64 + 1 }));
}

fn tensorsolve(draft: &mut Draft, _: &World, dice: &mut Dice) {
    let [first, rest] = as_many_elements(dice);
    draft.params.clear();
    draft.shapes = vec![known(&[first, rest].concat()), known(first)];
    if dice.chance(1, 4) {
        draft.shapes[0].rotate_right(1);
        draft.set("dims", Value::whole(1));
    }
}
