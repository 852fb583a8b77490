//! Operators that work element by element: one input keeps its shape, several are broadcast.
//! <https://docs.pytorch.org/docs/stable/notes/broadcasting.html>

pub mod activation;
pub mod in_place;

use crate::args::Arg;
use crate::broadcast::{broadcast, broadcast_same_rank};
use crate::dim::Dim;
use crate::error::{counted, Error, Kind, Result};
use crate::op::{Call, Inputs, Op, Outputs};
use crate::ops::operands::{missing, operand_shapes, operands, Number, Operand};
use crate::shape::Dims;

pub const NONE: &[Arg] = &[];
pub const INPLACE: &[Arg] = &[Arg::flag("inplace", false)];
pub const DROPOUT: &[Arg] = &[P, Arg::flag("inplace", false)];
pub const NNF_DROPOUT: &[Arg] = &[P, Arg::flag("training", true), Arg::flag("inplace", false)];
pub const NNF_ALPHA_DROPOUT: &[Arg] = &[P, Arg::flag("training", false), Arg::flag("inplace", false)];
pub const TORCH_DROPOUT: &[Arg] = &[Arg::number("p"), Arg::flag("train", true)];
const P: Arg = Arg::number("p").default_number(0.5);

pub const ALPHA_INPLACE: &[Arg] = &[Arg::number("alpha").default_number(1.0), Arg::flag("inplace", false)];
pub const ALPHA: &[Arg] = &[Arg::number("alpha").default_number(1.0)];
pub const ELU: &[Arg] = &[
    Arg::number("alpha").default_number(1.0),
    Arg::number("scale").default_number(1.0),
    Arg::number("input_scale").default_number(1.0),
];
pub const APPROXIMATE: &[Arg] = &[Arg::choice("approximate", &["none", "tanh"])];
pub const LAMBD: &[Arg] = &[Arg::number("lambd").default_number(0.5)];
pub const SLOPE: &[Arg] = &[Arg::number("negative_slope").default_number(0.01)];
pub const SLOPE_INPLACE: &[Arg] = &[Arg::number("negative_slope").default_number(0.01), Arg::flag("inplace", false)];
pub const MIN_MAX: &[Arg] = &[Arg::any("min_val"), Arg::any("max_val")];
pub const MIN_MAX_INPLACE: &[Arg] = &[Arg::any("min_val"), Arg::any("max_val"), Arg::flag("inplace", false)];
pub const SOFTPLUS: &[Arg] = &[Arg::number("beta").default_number(1.0), Arg::number("threshold").default_number(20.0)];
pub const THRESHOLD: &[Arg] = &[Arg::number("threshold"), Arg::number("value")];
pub const THRESHOLD_INPLACE: &[Arg] = &[Arg::number("threshold"), Arg::number("value"), Arg::flag("inplace", false)];
pub const RRELU: &[Arg] = &[LOWER, UPPER, Arg::flag("inplace", false)];
pub const NNF_RRELU: &[Arg] = &[LOWER, UPPER, Arg::flag("training", false), Arg::flag("inplace", false)];
pub const TORCH_RRELU: &[Arg] = &[LOWER, UPPER, Arg::flag("training", false), Arg::any("generator")];
const LOWER: Arg = Arg::number("lower").default_number(0.125);
const UPPER: Arg = Arg::number("upper").default_number(1.0 / 3.0);
pub const DECIMALS: &[Arg] = &[Arg::whole("decimals").optional()];
pub const EPS: &[Arg] = &[Arg::number("eps").optional()];
pub const NAN: &[Arg] = &[Arg::any("nan"), Arg::any("posinf"), Arg::any("neginf")];
pub const ORDER: &[Arg] = &[Arg::whole("n").min(0)];
pub const DIMENSION: &[Arg] = &[Arg::whole("p").min(1)];
pub const GENERATOR: &[Arg] = &[Arg::any("generator")];
pub const QUANTIZE: &[Arg] = &[Arg::any("scale"), Arg::any("zero_point"), Arg::any("dtype")];
/// Parameters of a distribution that fills a tensor.
pub const RANDOM: &[Arg] = &[
    Arg::any("mean"),
    Arg::any("std"),
    Arg::any("from"),
    Arg::any("to"),
    Arg::any("lambd"),
    Arg::any("median"),
    Arg::any("sigma"),
    Arg::any("p"),
    Arg::any("generator"),
];

pub const SELF_OTHER: &[Arg] = &[Arg::any("self"), Arg::any("other")];
pub const OTHER: &[Arg] = &[Arg::any("other")];
pub const ADD: &[Arg] = &[Arg::any("self"), Arg::any("other"), Arg::number("alpha").default_number(1.0)];
pub const ADD_: &[Arg] = &[Arg::any("other"), Arg::number("alpha").default_number(1.0)];
pub const DIV: &[Arg] = &[Arg::any("self"), Arg::any("other"), ROUNDING];
pub const DIV_: &[Arg] = &[Arg::any("other"), ROUNDING];
const ROUNDING: Arg = Arg::choice("rounding_mode", &["trunc", "floor"]).optional();
pub const ISCLOSE: &[Arg] = &[
    Arg::any("self"),
    Arg::any("other"),
    Arg::number("rtol").default_number(1e-5),
    Arg::number("atol").default_number(1e-8),
    Arg::flag("equal_nan", false),
];

pub const SELF_AND_OTHER: Inputs = Inputs::optional(&["self", "other"], 1);

/// An operator of one input, whose shape it keeps.
pub const fn unary(name: &'static str, summary: &'static str, args: &'static [Arg]) -> Op {
    Op::new(name, "elementwise", summary, same_shape).args(args)
}

/// An operator of one input with two outputs of its shape.
pub const fn frexp(name: &'static str) -> Op {
    unary(name, "mantissa and exponent", NONE).outputs(&["mantissa", "exponent"]).rule(same_shape_twice)
}

/// Sets elements to zero at random.
pub const fn dropout(name: &'static str, args: &'static [Arg]) -> Op {
    unary(name, "sets elements to zero at random while training", args).rule(dropout_rule)
}

/// Sets whole channels to zero at random.
pub const fn feature_dropout(name: &'static str, args: &'static [Arg]) -> Op {
    unary(name, "sets whole channels to zero at random while training", args).rule(feature_dropout_rule)
}

pub const fn celu(name: &'static str, args: &'static [Arg]) -> Op {
    unary(name, "max(0, x) + min(0, alpha (exp(x / alpha) - 1))", args).rule(celu_rule)
}

pub const fn softshrink(name: &'static str) -> Op {
    unary(name, "x moved towards 0 by lambd", LAMBD).rule(softshrink_rule)
}

pub const fn rrelu(name: &'static str, args: &'static [Arg]) -> Op {
    unary(name, "max(x, 0) + a min(x, 0) with a random slope a", args).rule(rrelu_rule)
}

pub const fn bernoulli(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::number("p").optional(), Arg::any("generator")];
    unary(name, "0 or 1 at random, 1 with the probability of each element", ARGS).rule(bernoulli_rule)
}

/// An operator of two inputs that are broadcast; the second may be a number.
pub const fn binary(name: &'static str, summary: &'static str, args: &'static [Arg]) -> Op {
    broadcasting(name, summary, args, SELF_AND_OTHER).rule(broadcast_tensor_number)
}

/// An operator of two inputs that are broadcast; either may be a number.
pub const fn binary_of_numbers(name: &'static str, summary: &'static str, args: &'static [Arg]) -> Op {
    broadcasting(name, summary, args, Inputs::optional(&["self", "other"], 2)).rule(broadcast_numbers)
}

/// An operator of two inputs that are broadcast; a number is made a tensor of shape (1).
pub const fn binary_of_tensors(name: &'static str, summary: &'static str, args: &'static [Arg]) -> Op {
    broadcasting(name, summary, args, SELF_AND_OTHER)
}

/// A power: base and exponent are broadcast.
pub const fn power(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("self"), Arg::any("exponent")];
    broadcasting(name, "x to the power of y, broadcast", ARGS, Inputs::optional(&["self", "exponent"], 2))
        .rule(broadcast_numbers)
}

/// A family of polynomials: the point and the degree are broadcast.
pub const fn polynomial(name: &'static str, summary: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("x"), Arg::any("n")];
    broadcasting(name, summary, ARGS, Inputs::optional(&["x", "n"], 2)).rule(broadcast_numbers)
}

/// An operator of two tensors of other names that are broadcast.
pub const fn pair(name: &'static str, summary: &'static str, names: &'static [&'static str]) -> Op {
    broadcasting(name, summary, NONE, Inputs::named(names))
}

pub const fn heaviside(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("values")];
    broadcasting(
        name,
        "0 below zero, 1 above, a value at zero; broadcast",
        ARGS,
        Inputs::optional(&["self", "values"], 1),
    )
}

/// self + value tensor1 tensor2, or with a quotient.
pub const fn addcmul(name: &'static str, summary: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::number("value").default_number(1.0)];
    broadcasting(name, summary, ARGS, Inputs::named(&["self", "tensor1", "tensor2"]))
}

pub const fn lerp(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("weight")];
    broadcasting(name, "self + weight (end - self), broadcast", ARGS, Inputs::optional(&["self", "end", "weight"], 1))
        .rule(lerp_rule)
}

pub const fn clamp(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("min"), Arg::any("max")];
    Op::new(name, "elementwise", "elements brought between min and max, broadcast", clamp_rule)
        .args(ARGS)
        .inputs(Inputs::optional(&["self", "min", "max"], 2))
}

/// A lower bound.
pub const fn clamp_min(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("min")];
    broadcasting(name, "the larger of x and min, broadcast", ARGS, Inputs::optional(&["self", "min"], 1))
        .rule(broadcast_tensor_number)
}

/// An upper bound.
pub const fn clamp_max(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("max")];
    broadcasting(name, "the smaller of x and max, broadcast", ARGS, Inputs::optional(&["self", "max"], 1))
        .rule(broadcast_tensor_number)
}

pub const fn where_(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("self"), Arg::any("other")];
    Op::new(name, "elementwise", "self where the condition holds, else other, broadcast", where_rule)
        .args(ARGS)
        .inputs(Inputs::optional(&["condition", "self", "other"], 2))
        .outputs(&["output", "..."])
}

pub const fn isin(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[
        Arg::any("elements"),
        Arg::any("test_elements"),
        Arg::flag("assume_unique", false),
        Arg::flag("invert", false),
    ];
    Op::new(name, "elementwise", "whether each element is one of the test elements", first_operand)
        .args(ARGS)
        .inputs(Inputs::optional(&["elements", "test_elements"], 2))
}

pub const fn normal(name: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::any("mean"), Arg::any("std"), Arg::any("generator")];
    Op::new(name, "elementwise", "normal random numbers of these means and deviations, broadcast", normal_rule)
        .args(ARGS)
        .inputs(Inputs::optional(&["mean", "std"], 2))
}

/// An operator whose operands are broadcast; the optional inputs may be numbers, given as arguments.
pub const fn broadcasting(name: &'static str, summary: &'static str, args: &'static [Arg], inputs: Inputs) -> Op {
    Op::new(name, "elementwise", summary, broadcast_tensors).args(args).inputs(inputs)
}

pub fn same_shape(call: &Call) -> Result<Outputs> {
    Ok(call.input(0).to_vec().into())
}

fn same_shape_twice(call: &Call) -> Result<Outputs> {
    Ok(vec![call.input(0).to_vec(); 2].into())
}

/// p is a probability.
fn probability(call: &Call) -> Result<Option<f64>> {
    match call.args.get_number("p") {
        Some(p) if !(0.0..=1.0).contains(&p) => {
            let problem = format!("has p = {p}, which is no probability.");
            Err(Error::new(Kind::Argument, problem).argument("p").hint("It is a number between 0 and 1."))
        }
        p => Ok(p),
    }
}

fn dropout_rule(call: &Call) -> Result<Outputs> {
    probability(call)?;
    same_shape(call)
}

fn bernoulli_rule(call: &Call) -> Result<Outputs> {
    probability(call)?;
    same_shape(call)
}

/// (N, C, *) -> the same. PyTorch looks for the channels only where it draws at random.
fn feature_dropout_rule(call: &Call) -> Result<Outputs> {
    let p = probability(call)?.unwrap_or(0.5);
    let trains = ["training", "train"].iter().all(|name| !call.args.declares(name) || call.args.flag(name));
    let empty = call.input(0).iter().any(|size| size.equals(0).is_yes());
    if trains && !empty && p > 0.0 && p < 1.0 {
        call.input_of_at_least(0, 2)?;
    }
    same_shape(call)
}

fn celu_rule(call: &Call) -> Result<Outputs> {
    if call.args.get_number("alpha") == Some(0.0) {
        let problem = "cannot have alpha = 0: it divides by it.";
        return Err(Error::new(Kind::Argument, problem).argument("alpha"));
    }
    same_shape(call)
}

fn softshrink_rule(call: &Call) -> Result<Outputs> {
    match call.args.get_number("lambd") {
        Some(lambd) if lambd < 0.0 => {
            let problem = format!("has lambd = {lambd}, which is negative.");
            Err(Error::new(Kind::Argument, problem).argument("lambd").hint("It is a number from 0 on."))
        }
        _ => same_shape(call),
    }
}

fn rrelu_rule(call: &Call) -> Result<Outputs> {
    match (call.args.get_number("lower"), call.args.get_number("upper")) {
        (Some(lower), Some(upper)) if lower > upper => {
            let problem = format!("has lower = {lower} above upper = {upper}.");
            Err(Error::new(Kind::Argument, problem).argument("lower"))
        }
        _ => same_shape(call),
    }
}

fn broadcast_operands(call: &Call, numbers: &[Number]) -> Result<Outputs> {
    let shapes = operand_shapes(call, numbers)?;
    broadcast_of(&shapes).map(Outputs::from)
}

fn broadcast_of(shapes: &[Dims]) -> Result<Dims> {
    broadcast(&shapes.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

fn broadcast_tensors(call: &Call) -> Result<Outputs> {
    broadcast_operands(call, &[])
}

fn broadcast_tensor_number(call: &Call) -> Result<Outputs> {
    broadcast_operands(call, &[Number::Vector, Number::Scalar])
}

fn broadcast_numbers(call: &Call) -> Result<Outputs> {
    broadcast_operands(call, &[Number::Scalar, Number::Scalar])
}

fn lerp_rule(call: &Call) -> Result<Outputs> {
    broadcast_operands(call, &[Number::Vector, Number::Vector, Number::Scalar])
}

/// The broadcast of the input and its bounds, which are both tensors or both numbers.
fn clamp_rule(call: &Call) -> Result<Outputs> {
    let shapes = clamp_operands(call)?;
    broadcast_of(&shapes).map(Outputs::from)
}

pub fn clamp_operands(call: &Call) -> Result<Vec<Dims>> {
    let operands: Vec<Operand> =
        operands(call, &[Number::Vector, Number::Scalar, Number::Scalar])?.into_iter().flatten().collect();
    if let [_] = operands.as_slice() {
        let problem = "needs 'min', 'max' or both.";
        return Err(Error::new(Kind::Argument, problem).argument("min"));
    }
    if let [_, min, max] = operands.as_slice() {
        if min.is_number != max.is_number {
            let problem = "has one bound that is a number and one that is a tensor; they must be alike.";
            return Err(Error::new(Kind::Argument, problem).argument(if min.is_number { "min" } else { "max" }));
        }
    }
    Ok(operands.into_iter().map(|operand| operand.shape).collect())
}

/// The broadcast of the three; of a condition alone, the places where it holds: one output a dimension.
fn where_rule(call: &Call) -> Result<Outputs> {
    let operands = operands(call, &[Number::Vector, Number::Scalar, Number::Scalar])?;
    let present: Vec<Dims> = operands.iter().flatten().map(|operand| operand.shape.clone()).collect();
    match present.as_slice() {
        [condition] => Ok(vec![vec![nonzero(condition)?]; condition.len().max(1)].into()),
        [_, _] => Err(missing(if operands.get(1).is_some_and(Option::is_none) { "self" } else { "other" })),
        _ => broadcast_of(&present).map(Outputs::from),
    }
}

/// How many elements of a shape can be other than zero: 0 to all.
pub fn nonzero(shape: &[Dim]) -> Result<Dim> {
    Ok(Dim::ZERO.or(elements(shape)?))
}

/// The number of elements of a shape.
pub fn elements(shape: &[Dim]) -> Result<Dim> {
    Dim::product(shape).ok_or_else(|| {
        let problem = "has an input of more than 2^53 elements.";
        Error::new(Kind::Size, problem).sizes(shape.iter().copied())
    })
}

fn first_operand(call: &Call) -> Result<Outputs> {
    let shapes = operand_shapes(call, &[Number::Scalar, Number::Scalar])?;
    Ok(shapes.into_iter().next().unwrap_or_default().into())
}

/// The broadcast of the tensors among mean and std.
fn normal_rule(call: &Call) -> Result<Outputs> {
    let shapes: Vec<Dims> =
        operands(call, &[Number::Scalar, Number::Scalar])?.into_iter().flatten().map(|operand| operand.shape).collect();
    broadcast_of(&shapes).map(Outputs::from)
}

/// A merge of mlr3torch: any number of inputs of one number of dimensions.
pub const fn merge(name: &'static str, summary: &'static str) -> Op {
    const ARGS: &[Arg] = &[Arg::whole("innum").min(0).default(0)];
    Op::new(name, "elementwise", summary, merge_rule).args(ARGS).inputs(Inputs::ANY)
}

/// The broadcast of all inputs, where nothing is padded: dimension 1 is the batch. innum = 0 takes any number of them.
fn merge_rule(call: &Call) -> Result<Outputs> {
    let innum = call.args.whole("innum");
    let n = call.inputs().len();
    if innum != 0 && innum != n as i64 {
        let problem = format!("has innum = {innum}, but gets {}.", counted(n, "input"));
        return Err(Error::new(Kind::Argument, problem).argument("innum"));
    }
    Ok(broadcast_same_rank(call.inputs())?.into())
}
