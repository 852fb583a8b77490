//! Why a pipeline does not fit: the facts, and the sentences made of them.

use crate::dim::Dim;
use crate::shape::{line_up, shown_list, Shape};
use std::fmt;

pub type Result<T> = std::result::Result<T, Box<Error>>;

/// What kind of mistake it is; the R side makes a condition class `torchshape_error_<kind>` of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Broadcast,
    Rank,
    Dim,
    Size,
    Argument,
    Op,
    Memory,
    Type,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Broadcast => "broadcast",
            Kind::Rank => "rank",
            Kind::Dim => "dim",
            Kind::Size => "size",
            Kind::Argument => "argument",
            Kind::Op => "op",
            Kind::Memory => "memory",
            Kind::Type => "type",
        }
    }
}

/// An error with its facts. `problem` continues the subject: "needs 3 dimensions", "cannot broadcast ...".
#[derive(Clone, Debug, thiserror::Error)]
pub struct Error {
    pub kind: Kind,
    /// Who complains, where neither `id` nor `op` says it: the name of a function.
    pub function: Option<&'static str>,
    pub problem: String,
    /// What would fit.
    pub hint: Option<String>,
    /// Whether the shapes are shown one under the other.
    pub table: bool,
    /// The subject of the text, where it is neither the PipeOp nor the operator: a layer of a network, or nothing.
    pub layer: Option<String>,
    /// What the rows of the table are called, where the inputs have names of their own.
    pub labels: Vec<String>,
    /// How the layer was reached, or other lines that follow.
    pub trace: Vec<String>,

    pub id: Option<String>,
    pub op: Option<String>,
    pub argument: Option<String>,
    pub shapes: Vec<Shape>,
    /// The dimension, counted from 1; in a table, of the longest shape.
    pub dim: Option<usize>,
    pub sizes: Vec<Dim>,
    /// The inputs at fault, counted from 1.
    pub input: Vec<usize>,
}

impl Error {
    pub fn new(kind: Kind, problem: impl Into<String>) -> Box<Error> {
        Box::new(Error {
            kind,
            function: None,
            problem: problem.into(),
            hint: None,
            table: false,
            layer: None,
            labels: Vec::new(),
            trace: Vec::new(),
            id: None,
            op: None,
            argument: None,
            shapes: Vec::new(),
            dim: None,
            sizes: Vec::new(),
            input: Vec::new(),
        })
    }

    pub fn function(mut self: Box<Self>, name: &'static str) -> Box<Error> {
        self.function = Some(name);
        self
    }

    pub fn id(mut self: Box<Self>, id: Option<&str>) -> Box<Error> {
        self.id = id.map(str::to_string);
        self
    }

    /// The id as a fact only: the text has a subject of its own.
    pub fn id_fact(self: Box<Self>, id: Option<&str>) -> Box<Error> {
        let mut error = self.id(id);
        error.layer = Some(String::new());
        error
    }

    pub fn op(mut self: Box<Self>, op: &str) -> Box<Error> {
        self.op = Some(op.to_string());
        self
    }

    pub fn hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Error> {
        self.hint = Some(hint.into());
        self
    }

    pub fn table(mut self: Box<Self>) -> Box<Error> {
        self.table = true;
        self
    }

    pub fn argument(mut self: Box<Self>, name: &str) -> Box<Error> {
        self.argument = Some(name.to_string());
        self
    }

    pub fn shapes(mut self: Box<Self>, shapes: Vec<Shape>) -> Box<Error> {
        self.shapes = shapes;
        self
    }

    /// The shapes, unless the error has some already.
    pub fn with_shapes(mut self: Box<Self>, shapes: &[Shape]) -> Box<Error> {
        if self.shapes.is_empty() {
            self.shapes = shapes.to_vec();
        }
        self
    }

    /// `dim` counts from 1.
    pub fn dim(mut self: Box<Self>, dim: usize) -> Box<Error> {
        self.dim = Some(dim);
        self
    }

    pub fn sizes(mut self: Box<Self>, sizes: impl IntoIterator<Item = Dim>) -> Box<Error> {
        self.sizes = sizes.into_iter().collect();
        self
    }

    /// `inputs` count from 1.
    pub fn inputs(mut self: Box<Self>, inputs: impl IntoIterator<Item = usize>) -> Box<Error> {
        self.input = inputs.into_iter().collect();
        self
    }

    fn subject(&self) -> Option<String> {
        if let Some(layer) = &self.layer {
            return Some(layer.clone());
        }
        match (&self.id, &self.op, self.function) {
            (Some(id), _, _) => Some(format!("PipeOp '{id}'")),
            (None, Some(op), _) => Some(format!("Operator '{op}'")),
            (None, None, Some(function)) => Some(format!("{function}()")),
            (None, None, None) => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(subject) = self.subject().filter(|subject| !subject.is_empty()) {
            write!(f, "{subject} ")?;
        }
        f.write_str(&self.problem)?;
        let about_shapes = !matches!(self.kind, Kind::Argument | Kind::Op | Kind::Type);
        if about_shapes && !self.shapes.is_empty() && !self.table {
            let shapes = shown_list(&self.shapes);
            // the problem may have shown them already
            if !self.problem.contains(&shapes) {
                match self.shapes.as_slice() {
                    [shape] if !self.problem.contains(&shape.to_string()) => write!(f, "\nInput shape: {shape}.")?,
                    [_] => {}
                    _ => write!(f, "\nInput shapes: {shapes}.")?,
                }
            }
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n{hint}")?;
        }
        if self.table {
            let name = |i: usize| match self.labels.get(i) {
                Some(label) => format!("input {} from {label}", i + 1),
                None => format!("input {}", i + 1),
            };
            let names: Vec<String> = (0..self.shapes.len()).map(name).collect();
            let rows: Vec<_> =
                names.into_iter().zip(&self.shapes).filter_map(|(name, shape)| Some((name, shape.dims()?))).collect();
            for line in line_up(&rows, self.dim) {
                write!(f, "\n{line}")?;
            }
        }
        for line in &self.trace {
            write!(f, "\n{line}")?;
        }
        Ok(())
    }
}

/// `a`, `a or b`, `a, b or c`.
pub fn one_of<T: fmt::Display>(items: &[T]) -> String {
    list(items, "or")
}

/// `a`, `a and b`, `a, b and c`.
pub fn all_of<T: fmt::Display>(items: &[T]) -> String {
    list(items, "and")
}

fn list<T: fmt::Display>(items: &[T], word: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.to_string(),
        [head @ .., last] => {
            let head: Vec<String> = head.iter().map(T::to_string).collect();
            format!("{} {word} {last}", head.join(", "))
        }
    }
}

/// `1 dimension`, `2 dimensions`.
pub fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Names of dimensions: `dimension 2`, `dimensions 2 and 3`.
pub fn dimension(dims: &[usize]) -> String {
    format!("dimension{} {}", if dims.len() == 1 { "" } else { "s" }, all_of(dims))
}

/// The candidate that looks most like `word`, if any looks like it at all.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 128;
    if word.len() > LONGEST {
        return None;
    }
    let lower = word.to_lowercase();
    let unlikeness = |candidate: &str| match candidate.to_lowercase() {
        // what was begun, or left out at the front, is meant before what is only spelled alike
        longer if lower.len() >= 3 && (longer.starts_with(&lower) || longer.ends_with(&lower)) => 1,
        other => distance(&lower, &other),
    };
    candidates
        .into_iter()
        .map(|candidate| (unlikeness(candidate), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.chars().count().max(lower.chars().count()).div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two words (Damerau, 1964).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: [Vec<usize>; 3] = [Vec::new(), (0..=b.len()).collect(), Vec::new()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = rows[1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[0][j - 2] + 1);
            }
            row.push(best);
        }
        rows.rotate_left(1);
        rows[1] = row;
    }
    rows[1][b.len()]
}
