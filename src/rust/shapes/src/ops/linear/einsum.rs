//! Einstein's summation.
//! <https://docs.pytorch.org/docs/stable/generated/torch.einsum.html>

use super::elements;
use crate::args::{shortened, Arg};
use crate::dim::Dim;
use crate::error::{counted, Error, Kind, Result};
use crate::op::{Call, Cost, Inputs, Op, Outputs};
use crate::shape::Dims;

const EINSUM: &[Arg] = &[Arg::text("equation"), Arg::wholes("path").optional()];

pub const fn einsum(name: &'static str) -> Op {
    Op::new(name, "linear", "sums products of elements over the labels that the output leaves out", einsum_rule)
        .args(EINSUM)
        .inputs(Inputs::ANY)
        .cost(einsum_cost)
}

/// A label of a dimension, or all dimensions that have none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    /// One of [`LETTERS`], upper case first.
    Letter(usize),
    Ellipsis,
}

const LETTERS: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

fn letter(i: usize) -> char {
    char::from(LETTERS[i])
}

/// The labels of one operand or of the output, with the place of each in the equation.
type Labels = Vec<(Label, usize)>;

/// An equation that makes sense whatever the sizes are.
struct Equation<'a> {
    text: &'a str,
    operands: Vec<Labels>,
    /// After the arrow; without one, the dimensions of the ellipsis and then the labels that stand once, in order.
    output: Labels,
}

/// The size of each label over all operands.
struct Sizes {
    letters: [Option<Dim>; 52],
    /// Of the dimensions that `...` stands for, aligned at the last.
    ellipsis: Dims,
}

/// Sizes under one label are equal or 1 (equal within an operand); the output has the labels after the arrow, or those that
/// stand once in alphabetical order.
fn einsum_rule(call: &Call) -> Result<Outputs> {
    let equation = Equation::read(call.args.get_text("equation").unwrap_or_default())?;
    let sizes = sizes(call, &equation)?;
    check_path(call)?;
    let mut output = Dims::new();
    for (label, _) in &equation.output {
        match *label {
            Label::Ellipsis => output.extend_from_slice(&sizes.ellipsis),
            Label::Letter(letter) => output.extend(sizes.letters[letter]),
        }
    }
    Ok(output.into())
}

/// macs = one for every combination of the labels.
fn einsum_cost(call: &Call, _: &[&[Dim]]) -> Cost {
    let equation = Equation::read(call.args.get_text("equation").unwrap_or_default());
    let macs = equation.and_then(|equation| sizes(call, &equation)).map_or(Dim::at_least(0), |sizes| {
        elements(&sizes.ellipsis) * elements(&sizes.letters.into_iter().flatten().collect::<Dims>())
    });
    Cost { macs, ..Cost::FREE }
}

impl<'a> Equation<'a> {
    fn read(text: &'a str) -> Result<Equation<'a>> {
        let arrow = text.find("->");
        let left = &text[..arrow.unwrap_or(text.len())];
        let mut operands = Vec::new();
        let mut start = 0;
        for operand in left.split(',') {
            operands.push(labels(text, operand, start)?);
            start += operand.len() + 1;
        }
        let output = match arrow {
            Some(arrow) => explicit_output(text, labels(text, &text[arrow + 2..], arrow + 2)?, &operands)?,
            None => implicit_output(&operands),
        };
        Ok(Equation { text, operands, output })
    }
}

/// An error about what stands at byte `place` of the equation.
fn wrong(text: &str, place: usize, problem: &str) -> Box<Error> {
    let error = Error::new(Kind::Argument, format!("cannot use the equation \"{}\": {problem}.", shortened(text)))
        .argument("equation");
    let before = text.get(..place).map_or(0, |before| before.chars().count());
    if text.chars().count() > 60 || text.chars().any(char::is_control) {
        return error;
    }
    error.hint(format!("  {text}\n  {}^", " ".repeat(before)))
}

/// The labels of a part of the equation that begins at byte `start`; spaces do not count.
fn labels(text: &str, part: &str, start: usize) -> Result<Labels> {
    let mut labels = Labels::new();
    let mut has_ellipsis = false;
    let mut rest = part;
    while let Some(c) = rest.chars().next() {
        let place = start + part.len() - rest.len();
        let mut length = c.len_utf8();
        match c {
            ' ' => {}
            '.' if !rest.starts_with("...") => {
                return Err(wrong(text, place, "a dot that is no part of an ellipsis (...)"));
            }
            '.' if has_ellipsis => return Err(wrong(text, place, "a second ellipsis (...) in one place")),
            '.' => {
                has_ellipsis = true;
                labels.push((Label::Ellipsis, place));
                length = 3;
            }
            c => match LETTERS.iter().position(|&letter| char::from(letter) == c) {
                Some(letter) => labels.push((Label::Letter(letter), place)),
                None => {
                    return Err(wrong(text, place, &format!("'{}' is no label", c.escape_debug())).labels_are_letters())
                }
            },
        }
        rest = &rest[length..];
    }
    Ok(labels)
}

impl Error {
    fn labels_are_letters(self: Box<Self>) -> Box<Error> {
        let pointer = self.hint.clone().map_or(String::new(), |pointer| pointer + "\n");
        self.hint(format!("{pointer}Labels are letters from a to z and A to Z."))
    }
}

/// Labels that stand once and in an input.
fn explicit_output(text: &str, output: Labels, operands: &[Labels]) -> Result<Labels> {
    let mut counts = counts(operands);
    for &(label, place) in &output {
        let Label::Letter(i) = label else { continue };
        match counts[i] {
            Some(0) => {
                return Err(wrong(text, place, &format!("label '{}' of the output stands in no input", letter(i))))
            }
            None => return Err(wrong(text, place, &format!("label '{}' stands twice in the output", letter(i)))),
            Some(_) => counts[i] = None,
        }
    }
    Ok(output)
}

fn implicit_output(operands: &[Labels]) -> Labels {
    let counts = counts(operands);
    let once = (0..LETTERS.len()).filter(|&letter| counts[letter] == Some(1)).map(Label::Letter);
    std::iter::once(Label::Ellipsis).chain(once).map(|label| (label, 0)).collect()
}

/// How often each letter stands in the inputs.
fn counts(operands: &[Labels]) -> [Option<usize>; 52] {
    let mut counts = [Some(0); 52];
    for (label, _) in operands.iter().flatten() {
        if let Label::Letter(letter) = *label {
            counts[letter] = counts[letter].map(|count| count + 1);
        }
    }
    counts
}

fn sizes(call: &Call, equation: &Equation) -> Result<Sizes> {
    let (labelled, given) = (equation.operands.len(), call.inputs().len());
    if labelled != given {
        let problem = format!("it has labels for {}, but there {}", counted(labelled, "input"), are(given));
        return Err(wrong(equation.text, 0, &problem).hint("Labels of different inputs are separated by commas."));
    }
    let mut sizes = Sizes { letters: [None; 52], ellipsis: Dims::new() };
    for (i, labels) in equation.operands.iter().enumerate() {
        sizes.take_in(call, equation, i, labels)?;
    }
    Ok(sizes)
}

fn are(n: usize) -> String {
    format!("{} {n}", if n == 1 { "is" } else { "are" })
}

impl Sizes {
    /// Takes the sizes of operand `i` in.
    fn take_in(&mut self, call: &Call, equation: &Equation, i: usize, labels: &Labels) -> Result<()> {
        let input = call.input(i);
        let letters = labels.iter().filter(|(label, _)| *label != Label::Ellipsis).count();
        let has_ellipsis = letters < labels.len();
        let covered = match input.len().checked_sub(letters) {
            Some(covered) if has_ellipsis || covered == 0 => covered,
            _ => {
                let place = labels.first().map_or(0, |&(_, place)| place);
                let problem = format!(
                    "input {} has {}, but {}",
                    i + 1,
                    counted(input.len(), "dimension"),
                    counted(letters, "label")
                );
                let mut error = wrong(equation.text, place, &problem).inputs([i + 1]);
                error.kind = Kind::Rank;
                return Err(error);
            }
        };
        // the sizes of this operand's labels, and where each stood first
        let mut own: [Option<(Dim, usize, usize)>; 52] = [None; 52];
        let mut d = 0;
        for &(label, place) in labels {
            let Label::Letter(letter) = label else {
                self.cover(equation, i, &input[d..d + covered], place)?;
                d += covered;
                continue;
            };
            own[letter] = Some(match own[letter] {
                None => (input[d], d, place),
                // the diagonal of an operand: no size stretches here
                Some((size, first, _)) => match size.unify(input[d]) {
                    Some(both) => (both, first, place),
                    None => {
                        return Err(clash(
                            equation,
                            i,
                            place,
                            d,
                            size,
                            input[d],
                            &format!("at dimension {}", first + 1),
                        ))
                    }
                },
            });
            d += 1;
        }
        for (letter, &found) in own.iter().enumerate() {
            let Some((size, d, place)) = found else { continue };
            let before = self.letters[letter].unwrap_or(Dim::ONE);
            let both = before.broadcast(size);
            let both = both.ok_or_else(|| clash(equation, i, place, d, before, size, "in an input before"));
            self.letters[letter] = Some(both?);
        }
        Ok(())
    }

    /// Takes in the dimensions that the ellipsis of operand `i` stands for.
    fn cover(&mut self, equation: &Equation, i: usize, covered: &[Dim], place: usize) -> Result<()> {
        let rank = self.ellipsis.len().max(covered.len());
        self.ellipsis = crate::broadcast::pad_left(&self.ellipsis, rank);
        for (before, &size) in self.ellipsis[rank - covered.len()..].iter_mut().zip(covered) {
            *before = before.broadcast(size).ok_or_else(|| {
                let problem = format!(
                    "the ellipsis (...) covers a dimension of size {size} in input {}, which is {before} in an input before",
                    i + 1
                );
                size_error(equation, place, &problem, [*before, size]).inputs([i + 1])
            })?;
        }
        Ok(())
    }
}

fn clash(equation: &Equation, i: usize, place: usize, d: usize, before: Dim, size: Dim, at: &str) -> Box<Error> {
    let label = equation.text.get(place..=place).unwrap_or_default();
    let problem = format!("label '{label}' is {size} at dimension {} of input {}, but {before} {at}", d + 1, i + 1);
    size_error(equation, place, &problem, [before, size]).inputs([i + 1]).dim(d + 1)
}

fn size_error(equation: &Equation, place: usize, problem: &str, sizes: [Dim; 2]) -> Box<Error> {
    let mut error = wrong(equation.text, place, problem).sizes(sizes);
    error.kind = Kind::Size;
    let pointer = error.hint.clone().map_or(String::new(), |pointer| pointer + "\n");
    error.hint(format!("{pointer}Sizes under one label must be equal or 1, in one input equal."))
}

/// The order of the products, in pairs of operands counted from 0; what two give stands last then.
fn check_path(call: &Call) -> Result<()> {
    let Some(path) = call.args.get_wholes("path") else { return Ok(()) };
    let n = call.inputs().len();
    let wanted = if n == 1 { 1 } else { 2 * (n - 1) };
    if path.len() != wanted {
        let problem = format!(
            "needs {} for argument 'path' of {}, not {}.",
            counted(wanted, "number"),
            counted(n, "input"),
            path.len()
        );
        return Err(Error::new(Kind::Argument, problem).argument("path"));
    }
    if n == 1 {
        return Ok(());
    }
    for (k, pair) in path.chunks(2).enumerate() {
        let left = (n - k) as i64;
        if pair[0] == pair[1] || pair.iter().any(|operand| !(0..left).contains(operand)) {
            let problem = format!(
                "cannot multiply the pair {}, {} of argument 'path': {left} operands are left there, counted from 0.",
                pair[0], pair[1]
            );
            return Err(Error::new(Kind::Argument, problem).argument("path"));
        }
    }
    Ok(())
}
