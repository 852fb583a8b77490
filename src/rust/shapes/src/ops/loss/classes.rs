//! Losses of classes: each observation has one, or several, or a probability for each.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html>

use super::{
    broadcast_pair, equal_shapes, loss, reduced, weight, AND_WEIGHT, INPUT_AND_TARGET, PLAIN, REDUCTION, WEIGHT,
    WEIGHTED,
};
use crate::args::Arg;
use crate::broadcast::broadcast;
use crate::dim::{Dim, Elements};
use crate::error::{one_of, Error, Kind, Result};
use crate::op::{Call, Op, Outputs};
use crate::shape::{Dims, Shown};

const NLL: &[Arg] = &[WEIGHT, Arg::number("ignore_index").default_number(-100.0), REDUCTION];
const MULTI_MARGIN: &[Arg] =
    &[Arg::whole("p").default(1), Arg::number("margin").default_number(1.0), WEIGHT, REDUCTION];

/// The likelihood of one class each; a function takes its weight as an input too.
pub const fn nll(name: &'static str, is_function: bool) -> Op {
    let inputs = if is_function { AND_WEIGHT } else { INPUT_AND_TARGET };
    loss(name, "negative log likelihood of a class for each place", nll_rule, inputs, NLL)
}

/// The cross entropy of one class each, or of probabilities.
pub const fn cross_entropy(name: &'static str, is_function: bool) -> Op {
    let inputs = if is_function { AND_WEIGHT } else { INPUT_AND_TARGET };
    loss(name, "cross entropy of a class for each place, or of probabilities", cross_entropy_rule, inputs, NLL)
}

/// The hinge of one class each.
pub const fn multi_margin(name: &'static str, is_function: bool) -> Op {
    let inputs = if is_function { AND_WEIGHT } else { INPUT_AND_TARGET };
    loss(name, "hinge of one class against the others", multi_margin_rule, inputs, MULTI_MARGIN)
}

/// The hinge of several classes each.
pub const fn multilabel_margin(name: &'static str) -> Op {
    loss(name, "hinge of several classes against the others", multilabel_margin_rule, INPUT_AND_TARGET, PLAIN)
}

/// The binary cross entropy of each class.
pub const fn multilabel_soft_margin(name: &'static str, is_function: bool) -> Op {
    let inputs = if is_function { AND_WEIGHT } else { INPUT_AND_TARGET };
    let summary = "mean binary cross entropy of several classes";
    loss(name, summary, multilabel_soft_margin_rule, inputs, WEIGHTED)
}

/// (N, C, L...), (N, L...) -> (N, L...), or (C), () -> (); with a weight (C)
fn nll_rule(call: &Call) -> Result<Outputs> {
    ignored(call)?;
    let places = places(call)?;
    Ok(reduced(call, places))
}

/// As [`nll_rule`], or with probabilities (N, C, L...), (N, C, L...) -> (N, L...)
fn cross_entropy_rule(call: &Call) -> Result<Outputs> {
    let ignored = ignored(call)?;
    let (input, target) = (call.input_of_at_least(0, 1)?, call.input(1));
    if input.len() == 1 || target.len() != input.len() {
        // one row of classes may have a probability for each
        if let ([classes], [targets]) = (input, target) {
            if let Some(classes) = targets.expand_to(*classes) {
                fitting_weight(call, &[1], classes)?;
                return Ok(reduced(call, vec![]));
            }
        }
        let places = places(call)?;
        return Ok(reduced(call, places));
    }
    let mut each = equal_shapes(call, 0, 1)?;
    let classes = each.remove(1);
    if ignored >= 0.0 {
        let problem = format!("cannot ignore class {ignored} where the targets are probabilities.");
        return Err(Error::new(Kind::Argument, problem).argument("ignore_index"));
    }
    fitting_weight(call, &[1], classes)?;
    Ok(reduced(call, each))
}

/// Classes count from 1, so that 0 is none to ignore.
fn ignored(call: &Call) -> Result<f64> {
    match call.args.get_number("ignore_index") {
        Some(0.0) => {
            let problem = "cannot have ignore_index = 0: classes count from 1.";
            let hint = "A negative number ignores nothing.";
            Err(Error::new(Kind::Argument, problem).argument("ignore_index").hint(hint))
        }
        other => Ok(other.unwrap_or(-100.0)),
    }
}

/// The places that have a class: (N, L...) of (N, C, L...) and (N, L...).
fn places(call: &Call) -> Result<Dims> {
    let input = call.input_of_at_least(0, 1)?;
    if input.len() == 1 {
        let target = call.input_of_rank(1, &[0, 1])?;
        if let Some(size) = target.first().filter(|size| size.equals(1).is_no()) {
            let problem = format!("needs 1 class for an input without a batch, not {size}.");
            return Err(call.size_error(1, 0, problem));
        }
        fitting_weight(call, &[1], input[0])?;
        return Ok(vec![]);
    }
    let target = call.input_of_rank(1, &[input.len() - 1]).map_err(|error| {
        error.hint(format!(
            "Targets are input 1 without its dimension 2: {}.",
            Shown(&[&input[..1], &input[2..]].concat())
        ))
    })?;
    let batch = call.common_size("batch size", &[(0, 0), (1, 0)])?;
    let mut places = vec![batch];
    for d in 1..target.len() {
        places.push(call.common_size(&format!("size of dimension {} of the targets", d + 1), &[(0, d + 1), (1, d)])?);
    }
    // of one dimension for places, or of three and more, PyTorch makes two, and of no elements none
    let is_reshaped = input.len() != 2 && input.len() != 4;
    let nothing_to_say = places.iter().any(|size| size.equals(0).is_yes());
    if is_reshaped && input[1].equals(0).is_yes() && !nothing_to_say {
        return Err(call.size_error(0, 1, "needs a class: dimension 2 of input 1 is 0."));
    }
    let ranks: &[usize] = if input.len() == 2 { &[1] } else { &[] };
    fitting_weight(call, ranks, input[1])?;
    Ok(places)
}

/// The weight, if there is one, has a number for each class and one of `ranks` dimensions; any if there are none.
fn fitting_weight(call: &Call, ranks: &[usize], classes: Dim) -> Result<()> {
    let Some(weight) = weight(call, 2, "weight")? else { return Ok(()) };
    let counted = matches!(
        (Elements::of(&weight), Elements::of(&[classes])),
        (Some(weights), Some(classes)) if !weights.equals(classes).is_no()
    );
    if counted && (ranks.is_empty() || ranks.contains(&weight.len())) {
        return Ok(());
    }
    let of = if ranks.is_empty() { String::new() } else { format!(" in {} dimension", one_of(ranks)) };
    let problem =
        format!("needs a weight for each of {classes} classes{of}, but the weight has shape {}.", Shown(&weight));
    Err(Error::new(Kind::Size, problem).argument("weight").sizes([classes]))
}

/// An observation, or a batch of them: (N, C), (C) or (). How many there are, and how many classes.
fn observations(call: &Call) -> Result<(Dim, Dim)> {
    let (observations, classes) = match *call.input_of_rank(0, &[0, 1, 2])? {
        [n, c] => (n, c),
        [c] => (Dim::ONE, c),
        _ => (Dim::ONE, Dim::ONE),
    };
    match classes.keep_at_least(1) {
        Some(classes) => Ok((observations, classes)),
        None => {
            let d = call.input(0).len() - 1;
            Err(call.size_error(0, d, format!("needs a class: dimension {} of input 1 is 0.", d + 1)))
        }
    }
}

/// (N, C), (N) -> (N), or (C), () -> ()
fn multi_margin_rule(call: &Call) -> Result<Outputs> {
    let p = call.args.whole("p");
    if p != 1 && p != 2 {
        return Err(Error::new(Kind::Argument, format!("needs p = 1 or 2, not {p}.")).argument("p"));
    }
    let (observations, classes) = observations(call)?;
    let target = call.input_of_rank(1, &[0, 1])?;
    let targets = target.first().copied().unwrap_or(Dim::ONE);
    let each = observations.unify(targets).ok_or_else(|| {
        let problem = format!("needs a class for each of {observations} observations, but input 2 has {targets}.");
        Error::new(Kind::Size, problem).sizes([observations, targets]).inputs([1, 2])
    })?;
    fitting_weight(call, &[0, 1], classes)?;
    Ok(reduced(call, target.iter().map(|_| each).collect()))
}

/// (N, C), (N, C) -> (N), or (C), (C) -> ()
fn multilabel_margin_rule(call: &Call) -> Result<Outputs> {
    let (_, classes) = observations(call)?;
    if call.input(0).len() == 2 {
        let mut each = equal_shapes(call, 0, 1)?;
        each.truncate(1);
        return Ok(reduced(call, each));
    }
    let target = call.input_of_rank(1, &[0, 1])?;
    let targets = target.first().copied().unwrap_or(Dim::ONE);
    if classes.unify(targets).is_none() {
        let problem = format!("needs a target for each of {classes} classes, but input 2 has {targets}.");
        return Err(Error::new(Kind::Size, problem).sizes([classes, targets]).inputs([1, 2]));
    }
    Ok(reduced(call, vec![]))
}

/// (*, C, K), (*, C, K) -> (*, K); sizes and weight broadcast. R torch counts one dimension too few, so that the last
/// stays and the one before it is the classes.
fn multilabel_soft_margin_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 2)?;
    let classes = input.len() - 2;
    let mut each = broadcast(&[input, call.input(1)])?;
    if let Some(weight) = weight(call, 2, "weight")? {
        let names = ["the losses of shape", "the weight of shape"];
        each = broadcast_pair(names, &each, &weight).map_err(|error| error.argument("weight"))?;
    }
    each.remove(classes);
    Ok(reduced(call, each))
}
