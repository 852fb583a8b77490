//! New tensors of an old one's shape, and other copies.
//! <https://docs.pytorch.org/docs/stable/generated/torch.zeros_like.html>

use super::is_empty;
use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{Call, Inputs, Op, Outputs};
use crate::shape::Dims;

pub const NO_ARGS: &[Arg] = &[];
pub const MEMORY_FORMAT: &[Arg] = &[Arg::any("memory_format")];
pub const LIKE: &[Arg] = &[
    Arg::any("dtype"),
    Arg::any("layout"),
    Arg::any("device"),
    Arg::flag("requires_grad", false),
    Arg::any("memory_format"),
];
pub const FULL_LIKE: &[Arg] = &[
    Arg::number("fill_value"),
    Arg::any("dtype"),
    Arg::any("layout"),
    Arg::any("device"),
    Arg::flag("requires_grad", false),
    Arg::any("memory_format"),
];
pub const RANDINT_LIKE: &[Arg] = &[
    Arg::number("low"),
    Arg::number("high"),
    Arg::any("dtype"),
    Arg::any("layout"),
    Arg::any("device"),
    Arg::flag("requires_grad", false),
];
pub const TO: &[Arg] = &[
    Arg::any("dtype"),
    Arg::any("device"),
    Arg::flag("non_blocking", false),
    Arg::flag("copy", false),
    Arg::any("memory_format"),
];
pub const NEW: &[Arg] = &[Arg::wholes("size").min(0), Arg::any("options")];
pub const NEW_FULL: &[Arg] = &[Arg::wholes("size").min(0), Arg::number("fill_value"), Arg::any("options")];
const ONE_HOT: &[Arg] = &[Arg::whole("num_classes").default(-1)];
const MULTINOMIAL: &[Arg] = &[Arg::whole("num_samples").min(1), Arg::flag("replacement", false), Arg::any("generator")];
const VANDER: &[Arg] = &[Arg::whole("N").min(0).optional(), Arg::flag("increasing", false)];

/// A tensor of the shape of the input.
pub const fn same(name: &'static str, summary: &'static str, args: &'static [Arg]) -> Op {
    Op::new(name, "view", summary, same_rule).args(args)
}

/// The first input in the type and on the device of the other.
pub const fn type_as(name: &'static str) -> Op {
    Op::new(name, "view", "gives its input in the type of the other input", same_rule).inputs(Inputs::TWO)
}

/// A new tensor of a shape given, of the type of the input.
pub const fn new(name: &'static str, summary: &'static str, args: &'static [Arg]) -> Op {
    Op::new(name, "view", summary, new_rule).args(args)
}

/// Complex numbers as pairs.
pub const fn view_as_real(name: &'static str) -> Op {
    Op::new(name, "view", "complex numbers as pairs of real ones, in a new last dimension", view_as_real_rule)
}

/// Pairs as complex numbers.
pub const fn view_as_complex(name: &'static str) -> Op {
    Op::new(name, "view", "pairs of real numbers in the last dimension as complex ones", view_as_complex_rule)
}

/// Classes as vectors of one 1 and 0s.
pub const fn one_hot(name: &'static str, inputs: Inputs) -> Op {
    Op::new(name, "view", "classes as vectors of 0 with one 1", one_hot_rule).inputs(inputs).args(ONE_HOT)
}

/// Classes drawn with the weights given.
pub const fn multinomial(name: &'static str) -> Op {
    Op::new(name, "view", "draws places of the last dimension, with their elements as weights", multinomial_rule)
        .args(MULTINOMIAL)
}

/// Powers of a vector's elements.
pub const fn vander(name: &'static str) -> Op {
    Op::new(name, "view", "the powers of each element, as rows of a matrix", vander_rule).args(VANDER)
}

/// (*) -> the same
fn same_rule(call: &Call) -> Result<Outputs> {
    Ok(call.input(0).to_vec().into())
}

/// (*) -> size
fn new_rule(call: &Call) -> Result<Outputs> {
    Ok(call.args.wholes("size").iter().map(|&size| Dim::known(size)).collect::<Dims>().into())
}

/// (*) -> (*, 2)
fn view_as_real_rule(call: &Call) -> Result<Outputs> {
    let mut output = call.input(0).to_vec();
    output.push(Dim::known(2));
    Ok(output.into())
}

/// (*, 2) -> (*)
fn view_as_complex_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let (pairs, last) = input.split_at(input.len() - 1);
    if last[0].equals(2).is_no() {
        let problem = format!("needs a last dimension of size 2, not {}.", last[0]);
        return Err(call.size_error(0, pairs.len(), problem));
    }
    Ok(pairs.to_vec().into())
}

/// (*) -> (*, num_classes), or as many classes as there are elements' values
fn one_hot_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let classes = match call.args.whole("num_classes") {
        -1 if is_empty(input) => {
            let problem = "cannot count the classes of an input without elements.";
            return Err(Error::new(Kind::Size, problem).argument("num_classes").hint("Give num_classes."));
        }
        -1 => Dim::UNKNOWN,
        classes if classes >= 1 => Dim::known(classes),
        classes => {
            let problem = format!("needs a whole number >= 1 or -1 for argument 'num_classes', not {classes}.");
            return Err(Error::new(Kind::Argument, problem).argument("num_classes"));
        }
    };
    let mut output = input.to_vec();
    output.push(classes);
    Ok(output.into())
}

/// (N, classes) -> (N, num_samples); N may be missing. Without replacement there are classes enough.
fn multinomial_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[1, 2])?;
    let samples = call.args.whole("num_samples");
    let least = if call.args.flag("replacement") { 1 } else { samples };
    let last = input.len() - 1;
    // nothing is drawn for no rows, but without replacement PyTorch counts first
    let draws = !call.args.flag("replacement") || last == 0 || !input[0].equals(0).is_yes();
    if draws && input[last].is_at_least(least).is_no() {
        let problem =
            format!("cannot draw {samples} of {}: dimension {} of its input is too small.", input[last], last + 1);
        return Err(call.size_error(0, last, problem).argument("num_samples"));
    }
    Ok(crate::op::replaced(input, last, Dim::known(samples)).into())
}

/// (L) -> (L, N), or (L, L)
fn vander_rule(call: &Call) -> Result<Outputs> {
    let length = call.input_of_rank(0, &[1])?[0];
    Ok(vec![length, call.args.get_whole("N").map_or(length, Dim::known)].into())
}
