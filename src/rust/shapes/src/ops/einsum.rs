//! Einstein's summation.
//! <https://docs.pytorch.org/docs/stable/generated/torch.einsum.html>

use crate::args::{shortened, Arg};
use crate::dim::Dim;
use crate::error::{counted, Error, Kind, Result};
use crate::op::{Call, Cost, Inputs, Op, Outputs};

const EINSUM: &[Arg] = &[Arg::text("equation")];

pub const fn einsum(name: &'static str) -> Op {
    Op::new(name, "linear", "sums products of elements over the labels that the output leaves out", einsum_rule)
        .args(EINSUM)
        .inputs(Inputs::ANY)
        .cost(einsum_cost)
}

/// A label of a dimension, or all dimensions that have none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Label {
    Letter(char),
    Ellipsis,
}

/// The sizes of an equation's labels over all operands.
struct Sizes {
    letters: Vec<(char, Dim)>,
    /// The dimensions that `...` stands for, aligned at the last.
    ellipsis: Vec<Dim>,
    output: Vec<Label>,
}

/// Sizes under one label are equal or 1; the output has the labels after the arrow, or those that stand once in alphabetical
/// order.
fn einsum_rule(call: &Call) -> Result<Outputs> {
    let sizes = sizes(call)?;
    let mut output = Vec::new();
    for label in &sizes.output {
        match label {
            Label::Ellipsis => output.extend_from_slice(&sizes.ellipsis),
            Label::Letter(letter) => output.extend(sizes.size(*letter)),
        }
    }
    Ok(output.into())
}

/// One multiply-add for every combination of the labels.
fn einsum_cost(call: &Call, _: &[&[Dim]]) -> Cost {
    let macs = sizes(call).map_or(Dim::ZERO, |sizes| {
        sizes.letters.iter().map(|(_, size)| *size).chain(sizes.ellipsis).fold(Dim::ONE, |product, size| product * size)
    });
    Cost { macs, ..Cost::FREE }
}

impl Sizes {
    fn size(&self, letter: char) -> Option<Dim> {
        self.letters.iter().find(|(known, _)| *known == letter).map(|(_, size)| *size)
    }
}

fn sizes(call: &Call) -> Result<Sizes> {
    let equation = call.args.get_text("equation").unwrap_or_default();
    let (left, right) = match equation.split_once("->") {
        Some((left, right)) => (left, Some(right)),
        None => (equation, None),
    };
    let operands = left.split(',').map(|text| labels(equation, text)).collect::<Result<Vec<_>>>()?;
    if operands.len() != call.inputs().len() {
        let given = counted(call.inputs().len(), "input");
        return Err(wrong(
            equation,
            &format!("it has labels for {}, but gets {given}", counted(operands.len(), "input")),
        ));
    }
    let mut sizes = Sizes { letters: Vec::new(), ellipsis: Vec::new(), output: Vec::new() };
    for (i, labels) in operands.iter().enumerate() {
        operand(call, equation, i, labels, &mut sizes)?;
    }
    sizes.output = match right {
        Some(right) => explicit_output(equation, right, &sizes)?,
        None => implicit_output(&operands),
    };
    Ok(sizes)
}

fn wrong(equation: &str, problem: &str) -> Box<Error> {
    Error::new(Kind::Argument, format!("cannot use the equation \"{}\": {problem}.", shortened(equation)))
        .argument("equation")
}

/// The labels of one operand or of the output; spaces do not count.
fn labels(equation: &str, text: &str) -> Result<Vec<Label>> {
    let mut labels = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("...") {
            if labels.contains(&Label::Ellipsis) {
                return Err(wrong(equation, &format!("'{}' has two ellipses", text.trim())));
            }
            labels.push(Label::Ellipsis);
            rest = after;
            continue;
        }
        match c {
            ' ' => {}
            c if c.is_ascii_alphabetic() => labels.push(Label::Letter(c)),
            '.' => {
                return Err(wrong(
                    equation,
                    &format!("'{}' has a dot that is no part of an ellipsis (...)", text.trim()),
                ))
            }
            c => return Err(wrong(equation, &format!("'{}' is no label; labels are letters", c.escape_debug()))),
        }
        rest = &rest[c.len_utf8()..];
    }
    Ok(labels)
}

/// Takes the sizes of operand `i` in.
fn operand(call: &Call, equation: &str, i: usize, labels: &[Label], sizes: &mut Sizes) -> Result<()> {
    let input = call.input(i);
    let letters = labels.iter().filter(|label| **label != Label::Ellipsis).count();
    let has_ellipsis = letters < labels.len();
    if input.len() < letters || (!has_ellipsis && input.len() > letters) {
        let problem = format!(
            "input {} has {} and the equation {} for it",
            i + 1,
            counted(input.len(), "dimension"),
            counted(letters, "label")
        );
        let mut error = wrong(equation, &problem);
        error.kind = Kind::Rank;
        return Err(error.inputs([i + 1]));
    }
    let mut own: Vec<(char, Dim, usize)> = Vec::new();
    let mut d = 0;
    for label in labels {
        let Label::Letter(letter) = *label else {
            let covered = &input[d..d + input.len() - letters];
            sizes.ellipsis = crate::broadcast::broadcast(&[&sizes.ellipsis, covered])?;
            d += covered.len();
            continue;
        };
        match own.iter_mut().find(|(known, _, _)| *known == letter) {
            // the diagonal of an operand: no size stretches here
            Some((_, size, first)) => {
                *size = size.unify(input[d]).ok_or_else(|| {
                    let problem = format!(
                        "label '{letter}' is {size} at dimension {} of input {} and {} at dimension {}",
                        *first + 1,
                        i + 1,
                        input[d],
                        d + 1
                    );
                    clash(equation, &problem, d, [*size, input[d]]).inputs([i + 1])
                })?;
            }
            None => own.push((letter, input[d], d)),
        }
        d += 1;
    }
    for (letter, size, d) in own {
        match sizes.letters.iter_mut().find(|(known, _)| *known == letter) {
            Some((_, known)) => {
                *known = known.broadcast(size).ok_or_else(|| {
                    let problem = format!("label '{letter}' is {size} in input {}, but {known} before", i + 1);
                    clash(equation, &problem, d, [*known, size]).inputs([i + 1])
                })?;
            }
            None => sizes.letters.push((letter, size)),
        }
    }
    Ok(())
}

fn clash(equation: &str, problem: &str, d: usize, sizes: [Dim; 2]) -> Box<Error> {
    let mut error = wrong(equation, problem);
    error.kind = Kind::Size;
    error.dim(d + 1).sizes(sizes).hint("Sizes under one label must be equal or 1.")
}

fn explicit_output(equation: &str, right: &str, sizes: &Sizes) -> Result<Vec<Label>> {
    let output = labels(equation, right)?;
    for (i, label) in output.iter().enumerate() {
        if let Label::Letter(letter) = *label {
            if output[..i].contains(label) {
                return Err(wrong(equation, &format!("label '{letter}' stands twice in the output")));
            }
            if sizes.size(letter).is_none() {
                return Err(wrong(equation, &format!("label '{letter}' of the output stands in no input")));
            }
        }
    }
    if !sizes.ellipsis.is_empty() && !output.contains(&Label::Ellipsis) {
        return Err(wrong(equation, "the output leaves out the dimensions of the ellipsis (...)"));
    }
    Ok(output)
}

/// The dimensions of the ellipsis, then the labels that stand once.
fn implicit_output(operands: &[Vec<Label>]) -> Vec<Label> {
    let all: Vec<char> = operands
        .iter()
        .flatten()
        .filter_map(|label| match label {
            Label::Letter(letter) => Some(*letter),
            Label::Ellipsis => None,
        })
        .collect();
    let mut once: Vec<char> =
        all.iter().copied().filter(|letter| all.iter().filter(|c| *c == letter).count() == 1).collect();
    // upper case comes before lower case
    once.sort_unstable();
    std::iter::once(Label::Ellipsis).chain(once.into_iter().map(Label::Letter)).collect()
}
