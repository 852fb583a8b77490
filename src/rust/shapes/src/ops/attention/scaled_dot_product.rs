//! Scaled dot product attention.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html>

use crate::args::Arg;
use crate::broadcast::{broadcast, expand_into};
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{replaced, said, Call, Cost, Inputs, Op, Outputs};
use crate::shape::{Dims, Shown};

const ARGS: &[Arg] = &[
    Arg::number("dropout_p").default_number(0.0),
    Arg::flag("is_causal", false),
    Arg::number("scale").optional(),
    Arg::flag("enable_gqa", false),
];

pub const fn scaled_dot_product_attention(name: &'static str) -> Op {
    Op::new(name, "attention", "softmax(Q K' / sqrt(E)) V", rule)
        .args(ARGS)
        .inputs(Inputs::optional(&["query", "key", "value", "attn_mask"], 1))
        .cost(cost)
}

/// (*, L, E), (*, S, E), (*, S, V) -> (*, L, V); the dimensions before are broadcast. A mask expands to the scores (*, L, S).
fn rule(call: &Call) -> Result<Outputs> {
    for i in 0..3 {
        call.input_of_at_least(i, 2)?;
    }
    if call.get_input(3).is_some() && call.args.flag("is_causal") {
        let problem = "cannot have an attn_mask with is_causal = TRUE, which is a mask of its own.";
        return Err(Error::new(Kind::Argument, problem).argument("is_causal"));
    }
    if let Some(output) = of_nothing(call) {
        return Ok(output.into());
    }
    let grouped = call.args.flag("enable_gqa");
    if grouped {
        for i in 0..3 {
            call.input_of_at_least(i, 3)?;
        }
    }
    let last = |i: usize, back: usize| (i, call.input(i).len() - back);
    call.common_size("size of queries and keys", &[last(0, 1), last(1, 1)])?;
    // one of PyTorch's kernels forgets to compare these two, and reads what is not there
    let source = call.common_size("length of keys and values", &[last(1, 2), last(2, 2)])?;
    let [query, key, value] = batches(call, grouped)?;

    let mut scores = broadcast(&[&query, &key])?;
    scores.extend([call.input(0)[last(0, 2).1], source]);
    if let Some(mask) = call.get_input(3) {
        scores = expand_into(mask, &scores).map_err(|error| {
            let problem = format!("has a mask {} that does not expand to its scores {}.", Shown(mask), Shown(&scores));
            Error::new(error.kind, problem).inputs([4]).sizes(error.sizes)
        })?;
    }
    if grouped {
        // a mask may have said how many heads there are
        check_groups(call, scores[scores.len() - 3])?;
    }
    let target = scores[scores.len() - 2];
    let mut output = broadcast(&[&scores[..scores.len() - 2], &value])?;
    output.extend([target, call.input(2)[last(2, 1).1]]);
    Ok(output.into())
}

/// Where there are no values or the output has no elements, PyTorch compares no sizes: the query's with the values' last one.
fn of_nothing(call: &Call) -> Option<Dims> {
    let (query, value) = (call.input(0), call.input(2));
    let output = replaced(query, query.len() - 1, value[value.len() - 1]);
    let is_empty = |shape: &[Dim]| shape.iter().any(|size| size.equals(0).is_yes());
    (is_empty(value) || is_empty(&output)).then_some(output)
}

/// The dimensions before the last two. With `grouped` the heads of keys and values, in the third dimension from the end, are
/// repeated until there are as many as the query has.
fn batches(call: &Call, grouped: bool) -> Result<[Dims; 3]> {
    let mut batches = [0, 1, 2].map(|i| call.input(i)[..call.input(i).len() - 2].to_vec());
    if grouped {
        let heads = batches[0][batches[0].len() - 1];
        check_groups(call, heads)?;
        for batch in &mut batches[1..] {
            let d = batch.len() - 1;
            batch[d] = heads;
        }
    }
    Ok(batches)
}

/// The heads of queries are a multiple of those of keys and of those of values.
fn check_groups(call: &Call, heads: Dim) -> Result<()> {
    for i in 1..3 {
        let d = call.input(i).len() - 3;
        let group = call.input(i)[d];
        let fits = match group.value() {
            Some(group) => !heads.is_multiple_of(group).is_no(),
            None => !group.is_at_most(heads).is_no() || heads.equals(0).is_yes(),
        };
        if !fits {
            let problem = format!(
                "needs heads of queries that are a multiple of those of keys and values, but {} is none of {}.",
                said(heads),
                said(group)
            );
            return Err(call.size_error(i, d, problem).argument("enable_gqa").sizes([heads, group]));
        }
    }
    Ok(())
}

/// Scores take L S E multiply-adds, their use L S V, for each matrix of the output.
fn cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    if of_nothing(call).is_some() {
        return Cost::FREE;
    }
    let [query, key, value] = [0, 1, 2].map(|i| call.input(i));
    let both = |a: Dim, b: Dim| a.unify(b).unwrap_or(a);
    let embed = both(key[key.len() - 1], query[query.len() - 1]);
    let source = both(key[key.len() - 2], value[value.len() - 2]);
    let mask = call.get_input(3).and_then(|mask| mask.last()).copied().unwrap_or(Dim::ONE);
    let source = mask.expand_to(source).unwrap_or(source);
    let rows = outputs[0][..outputs[0].len() - 1].iter().fold(Dim::ONE, |product, &size| product * size);
    Cost { macs: rows * source * (embed + value[value.len() - 1]), ..Cost::FREE }
}
