//! Losses. Distances and similarities stand in `loss/distance.rs`.
//! <https://docs.pytorch.org/docs/stable/nn.html#loss-functions>

mod classes;
mod distance;

pub use classes::*;
pub use distance::*;

use crate::args::{Arg, Value};
use crate::broadcast::{broadcast, expand_into};
use crate::dim::{Dim, Elements};
use crate::error::{counted, Error, Kind, Result};
use crate::op::{Call, Inputs, Op, Outputs, Rule};
use crate::shape::{Dims, Shown};

const REDUCTION: Arg = Arg::choice("reduction", &["mean", "sum", "none"]);
const KL_REDUCTION: Arg = Arg::choice("reduction", &["mean", "sum", "none", "batchmean"]);
const WEIGHT: Arg = Arg::any("weight");
const SWAP: Arg = Arg::flag("swap", false);

const PLAIN: &[Arg] = &[REDUCTION];
const KL_DIV: &[Arg] = &[KL_REDUCTION];
const WEIGHTED: &[Arg] = &[WEIGHT, REDUCTION];
const WITH_LOGITS: &[Arg] = &[WEIGHT, REDUCTION, Arg::any("pos_weight")];
const HINGE: &[Arg] = &[Arg::number("margin").default_number(1.0), REDUCTION];
const MARGIN: &[Arg] = &[Arg::number("margin").default_number(0.0), REDUCTION];
const POISSON: &[Arg] =
    &[Arg::flag("log_input", true), Arg::flag("full", false), Arg::number("eps").default_number(1e-8), REDUCTION];
const TRIPLET: &[Arg] = &[
    Arg::number("margin").default_number(1.0),
    Arg::number("p").default_number(2.0),
    Arg::number("eps").default_number(1e-6),
    SWAP,
    REDUCTION,
];
const TRIPLET_WITH_DISTANCE: &[Arg] =
    &[Arg::any("distance_function"), Arg::number("margin").default_number(1.0), SWAP, REDUCTION];
const CTC: &[Arg] = &[
    Arg::wholes("input_lengths").min(0).optional(),
    Arg::wholes("target_lengths").min(0).optional(),
    Arg::whole("blank").min(0).default(0),
    REDUCTION,
    Arg::flag("zero_infinity", false),
];

const INPUT_AND_TARGET: Inputs = Inputs::named(&["input", "target"]);
const AND_WEIGHT: Inputs = Inputs::optional(&["input", "target", "weight"], 1);
const AND_WEIGHTS: Inputs = Inputs::optional(&["input", "target", "weight", "pos_weight"], 2);
const TWO_AND_TARGET: Inputs = Inputs::named(&["input1", "input2", "target"]);
const ANCHOR: Inputs = Inputs::named(&["anchor", "positive", "negative"]);

const fn loss(name: &'static str, summary: &'static str, rule: Rule, inputs: Inputs, args: &'static [Arg]) -> Op {
    Op::new(name, "loss", summary, rule).inputs(inputs).args(args).outputs(&["loss"])
}

/// A loss of each pair of elements.
pub const fn elementwise(name: &'static str, summary: &'static str) -> Op {
    loss(name, summary, elementwise_rule, INPUT_AND_TARGET, PLAIN)
}

/// The divergence of Kullback and Leibler, which knows one more reduction.
pub const fn kl_div(name: &'static str) -> Op {
    loss(name, "divergence of Kullback and Leibler", kl_div_rule, INPUT_AND_TARGET, KL_DIV)
}

/// The hinge of targets that are 1 or -1.
pub const fn hinge_embedding(name: &'static str) -> Op {
    loss(name, "hinge of distances to targets 1 or -1", elementwise_rule, INPUT_AND_TARGET, HINGE)
}

/// The likelihood of counts; the module's input has another name.
pub const fn poisson_nll(name: &'static str, is_function: bool) -> Op {
    let inputs = if is_function { INPUT_AND_TARGET } else { Inputs::named(&["log_input", "target"]) };
    loss(name, "negative log likelihood of counts", elementwise_rule, inputs, POISSON)
}

/// The hinge of a ranking.
pub const fn margin_ranking(name: &'static str) -> Op {
    loss(name, "hinge of which of two inputs ranks higher", elementwise_rule, TWO_AND_TARGET, MARGIN)
}

/// The logistic loss of targets that are 1 or -1.
pub const fn soft_margin(name: &'static str) -> Op {
    loss(name, "logistic loss of targets 1 or -1", soft_margin_rule, INPUT_AND_TARGET, PLAIN)
}

/// The binary cross entropy; a function takes its weight as an input too.
pub const fn bce(name: &'static str, is_function: bool) -> Op {
    let inputs = if is_function { AND_WEIGHT } else { INPUT_AND_TARGET };
    loss(name, "binary cross entropy of probabilities", bce_rule, inputs, WEIGHTED)
}

/// The binary cross entropy of logits.
pub const fn bce_with_logits(name: &'static str, is_function: bool) -> Op {
    let inputs = if is_function { AND_WEIGHTS } else { INPUT_AND_TARGET };
    loss(name, "binary cross entropy of logits", bce_rule, inputs, WITH_LOGITS)
}

/// The cosine of two inputs, or its hinge.
pub const fn cosine_embedding(name: &'static str) -> Op {
    loss(name, "cosine of two inputs for targets 1 or -1", cosine_embedding_rule, TWO_AND_TARGET, MARGIN)
}

/// The hinge of two distances.
pub const fn triplet_margin(name: &'static str) -> Op {
    loss(name, "hinge of the distances to a positive and a negative", triplet_margin_rule, ANCHOR, TRIPLET)
}

/// The module, which does not pass its reduction on: R torch always takes the mean.
pub const fn nn_triplet_margin(name: &'static str) -> Op {
    loss(
        name,
        "hinge of the distances to a positive and a negative, always the mean",
        mean_of_triplets,
        ANCHOR,
        TRIPLET,
    )
}

/// The hinge of two distances of any kind.
pub const fn triplet_margin_with_distance(name: &'static str) -> Op {
    let summary = "hinge of the distances to a positive and a negative, by a function";
    loss(name, summary, triplet_with_distance_rule, ANCHOR, TRIPLET_WITH_DISTANCE)
}

/// Connectionist temporal classification; the lengths are inputs or arguments.
pub const fn ctc(name: &'static str) -> Op {
    let inputs = Inputs::optional(&["log_probs", "targets", "input_lengths", "target_lengths"], 2);
    loss(name, "connectionist temporal classification", ctc_rule, inputs, CTC)
}

/// The area under the lesser of two error rates.
pub const fn aum(name: &'static str) -> Op {
    loss(name, "area under the lesser of false positive and false negative rate", aum_rule, INPUT_AND_TARGET, &[])
}

/// One number, or with reduction "none" the losses of shape `each`.
fn reduced(call: &Call, each: Dims) -> Outputs {
    match call.args.get_text("reduction") {
        Some("none") => each.into(),
        _ => Dims::new().into(),
    }
}

/// (*), (*) -> the broadcast of all
fn elementwise_rule(call: &Call) -> Result<Outputs> {
    Ok(reduced(call, broadcast(call.inputs())?))
}

fn kl_div_rule(call: &Call) -> Result<Outputs> {
    if call.args.get_text("reduction") == Some("batchmean") {
        call.input_of_at_least(0, 1)?;
    }
    elementwise_rule(call)
}

/// (*), (*) -> the shape of the input, to which the target expands
fn soft_margin_rule(call: &Call) -> Result<Outputs> {
    Ok(reduced(call, expanded("target", call.input(1), call.input(0))?))
}

/// (*), the same -> the same, to which the weights expand. R torch's documentation asks for equal shapes; it does not
/// look whether they are, and computes something else where they are not.
fn bce_rule(call: &Call) -> Result<Outputs> {
    let mut each = equal_shapes(call, 0, 1)?;
    for (i, name) in [(2, "weight"), (3, "pos_weight")] {
        if let Some(weight) = weight(call, i, name)? {
            each = expanded(name, &weight, &each).map_err(|error| error.argument(name))?;
        }
    }
    Ok(reduced(call, each))
}

/// What is left of `target`, to which `shape` of the input or argument `name` must expand.
fn expanded(name: &str, shape: &[Dim], target: &[Dim]) -> Result<Dims> {
    expand_into(shape, target).map_err(|error| {
        let problem = format!("needs a {name} that expands to {}, not {}.", Shown(target), Shown(shape));
        Error::new(error.kind, problem)
            .argument(name)
            .sizes(error.sizes)
            .hint("Sizes must be equal, or 1 in the latter.")
    })
}

/// What two shapes broadcast to, which are called `names`.
fn broadcast_pair(names: [&str; 2], a: &[Dim], b: &[Dim]) -> Result<Dims> {
    broadcast(&[a, b]).map_err(|error| {
        let problem = format!("cannot broadcast {} {} and {} {}.", names[0], Shown(a), names[1], Shown(b));
        Error::new(error.kind, problem).sizes(error.sizes).hint("Sizes must be equal or 1.")
    })
}

/// What inputs `i` and `j` are, which must be of one shape.
fn equal_shapes(call: &Call, i: usize, j: usize) -> Result<Dims> {
    let rank = call.input(i).len();
    let other = call.input(j).len();
    if rank != other {
        let problem = format!(
            "needs inputs of one shape, but input {} has {} and input {} has {}.",
            i + 1,
            counted(rank, "dimension"),
            j + 1,
            counted(other, "dimension")
        );
        return Err(Error::new(Kind::Rank, problem).inputs([i + 1, j + 1]));
    }
    (0..rank).map(|d| call.common_size(&format!("size of dimension {}", d + 1), &[(i, d), (j, d)])).collect()
}

/// The shape of a weight, which is an input or an argument; `None` if there is none, or its shape is not known.
fn weight(call: &Call, i: usize, name: &str) -> Result<Option<Dims>> {
    if let Some(weight) = call.get_input(i) {
        return Ok(Some(weight.to_vec()));
    }
    let raw = if call.args.declares(name) { call.args.get_raw(name) } else { None };
    match raw {
        Some(Value::Numbers(numbers)) => Ok(Some(vec![Dim::known(numbers.len() as i64)])),
        None | Some(Value::Other(_)) => Ok(None),
        Some(value) => {
            let problem = format!("needs numbers or a tensor for argument '{name}', not {}.", value.shown());
            Err(Error::new(Kind::Argument, problem).argument(name))
        }
    }
}

/// (N, D), (N, D), (N) -> (N), or (D), (D), () -> (); sizes broadcast
fn cosine_embedding_rule(call: &Call) -> Result<Outputs> {
    let target = call.input_of_rank(2, &[0, 1])?;
    let summed = target.len();
    let first = call.input_of_rank(0, &[summed + 1])?;
    let second = call.input_of_rank(1, &[summed + 1])?;
    let without = |shape: &[Dim]| [&shape[..summed], &shape[summed + 1..]].concat();
    let products = without(&broadcast(&[first, second])?);
    Ok(reduced(call, broadcast_pair(["the cosines of shape", "targets of shape"], &products, target)?))
}

/// (*, D), (*, D), (*, D) -> (*); sizes broadcast
fn triplet_margin_rule(call: &Call) -> Result<Outputs> {
    Ok(reduced(call, triplets(call)?))
}

fn mean_of_triplets(call: &Call) -> Result<Outputs> {
    triplets(call)?;
    Ok(Dims::new().into())
}

fn triplets(call: &Call) -> Result<Dims> {
    let rank = call.input(0).len();
    call.input_of_rank(1, &[rank])?;
    call.input_of_rank(2, &[rank])?;
    distances(call)
}

/// The distances from the anchor, input 1, to inputs 2 and 3, and with swap between these, broadcast.
fn distances(call: &Call) -> Result<Dims> {
    let names = ["the anchor", "the positive", "the negative"];
    let distance = |i: usize, j: usize| {
        broadcast_pair([names[i], names[j]], call.input(i), call.input(j)).map(|pairs| without_last(&pairs))
    };
    let distances = ["distances", "distances"];
    let each = broadcast_pair(distances, &distance(0, 1)?, &distance(0, 2)?)?;
    if !call.args.flag("swap") {
        return Ok(each);
    }
    broadcast_pair(distances, &each, &distance(1, 2)?)
}

fn without_last(shape: &[Dim]) -> Dims {
    shape[..shape.len().saturating_sub(1)].to_vec()
}

/// As [`triplet_margin_rule`], but numbers of dimensions broadcast too; of a function, nothing is known but that it can
/// be reduced.
fn triplet_with_distance_rule(call: &Call) -> Result<Outputs> {
    if !call.args.is_given("distance_function") {
        return Ok(reduced(call, distances(call)?));
    }
    Ok(match call.args.get_text("reduction") {
        Some("none") => Outputs::Shapes(vec![crate::shape::Shape::Unknown]),
        _ => Dims::new().into(),
    })
}

/// (T, N, C), (N, S), (N), (N) -> (N); targets may stand in one row (sum of target_lengths); N may be missing
fn ctc_rule(call: &Call) -> Result<Outputs> {
    let log_probs = call.input_of_rank(0, &[2, 3])?;
    let targets = call.input_of_rank(1, &[1, 2])?;
    if let Some(d) = (0..log_probs.len()).find(|&d| log_probs[d].is_at_least(1).is_no()) {
        return Err(call.size_error(0, d, format!("gets no probabilities: dimension {} of input 1 is 0.", d + 1)));
    }
    let (time, labels) = (log_probs[0], log_probs[log_probs.len() - 1]);
    let blank = call.args.whole("blank");
    if labels.is_at_least(blank + 1).is_no() {
        let problem = format!("has blank = {blank}, but input 1 has {labels} labels, counted from 0.");
        return Err(call.size_error(0, log_probs.len() - 1, problem).argument("blank"));
    }
    let mut batch = if log_probs.len() == 3 { log_probs[1] } else { Dim::ONE };
    for (i, name) in [(2, "input_lengths"), (3, "target_lengths")] {
        let Some(count) = count_of_lengths(call, i, name)? else { continue };
        batch = batch.unify(count).ok_or_else(|| of_other_batch(call, batch, name, count))?;
    }
    if let Some(length) = lengths(call, 2, "input_lengths").iter().copied().find(|&n| time.is_at_least(n).is_no()) {
        let problem = format!("has an input of length {length}, but input 1 is {time} long.");
        return Err(call.size_error(0, 0, problem).argument("input_lengths"));
    }
    let target_lengths = lengths(call, 3, "target_lengths");
    let (d, is_enough, wanted) = if targets.len() == 2 {
        batch = batch.unify(targets[0]).ok_or_else(|| of_other_batch(call, batch, "targets", targets[0]))?;
        let longest = target_lengths.iter().copied().max().unwrap_or(0);
        (1, !targets[1].is_at_least(longest).is_no(), format!("at least {longest}"))
    } else {
        let sum = target_lengths.iter().fold(0, |sum: i64, &n| sum.saturating_add(n));
        (0, target_lengths.is_empty() || !targets[0].equals(sum).is_no(), sum.to_string())
    };
    if !is_enough {
        let problem =
            format!("needs {wanted} targets by target_lengths, but dimension {} of input 2 is {}.", d + 1, targets[d]);
        return Err(call.size_error(1, d, problem).argument("target_lengths"));
    }
    // lengths in several dimensions count as if they stood in one
    let counted = Elements::of(&[batch]);
    for (i, name) in [(2, "input_lengths"), (3, "target_lengths")] {
        let Some(given) = call.get_input(i) else { continue };
        let fits = matches!((counted, Elements::of(given)), (Some(a), Some(b)) if !a.equals(b).is_no());
        if !fits {
            return Err(of_other_batch(
                call,
                batch,
                name,
                given.iter().fold(Dim::ONE, |product, &size| product * size),
            ));
        }
    }
    Ok(reduced(call, if log_probs.len() == 3 { vec![batch] } else { vec![] }))
}

fn of_other_batch(call: &Call, batch: Dim, name: &str, count: Dim) -> Box<Error> {
    let problem = format!("has {batch} sequences, but {name} are for {count}.");
    let of = if call.input(0).len() == 3 { 1 } else { 0 };
    call.size_error(0, of, problem).sizes([batch, count])
}

/// How many lengths there are; `None` if that is not known.
fn count_of_lengths(call: &Call, i: usize, name: &str) -> Result<Option<Dim>> {
    let too_many = || Error::new(Kind::Size, format!("has more {name} than can be counted.")).inputs([i + 1]);
    match (call.get_input(i), call.args.get_wholes(name)) {
        (Some(lengths), _) => Ok(Some(Dim::product(lengths).ok_or_else(too_many)?)),
        (None, Some(lengths)) => Ok(Some(Dim::known(lengths.len() as i64))),
        (None, None) => {
            let problem = format!("needs '{name}', an input or an argument.");
            Err(Error::new(Kind::Argument, problem).argument(name))
        }
    }
}

/// The lengths, where they are numbers.
fn lengths<'a>(call: &'a Call, i: usize, name: &str) -> &'a [i64] {
    match call.get_input(i) {
        Some(_) => &[],
        None => call.args.get_wholes(name).unwrap_or(&[]),
    }
}

/// (*), (*) -> (); what fits depends on the labels, of which there must be one
fn aum_rule(call: &Call) -> Result<Outputs> {
    let target = call.input(1);
    if let Some(d) = (0..target.len()).find(|&d| target[d].is_at_least(1).is_no()) {
        return Err(call.size_error(1, d, format!("needs a label, but dimension {} of input 2 is 0.", d + 1)));
    }
    Ok(Dims::new().into())
}
