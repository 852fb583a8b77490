//! One use of an operator to put the laws to, and how it is made smaller once it breaks one.

use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::{TestRng, TestRunner};
use shapes::args::Value;
use shapes::dim::Certainty;
use shapes::error::Kind;
use shapes::op::{Incoming, Op, Outcome};
use shapes::{Dim, Shape};
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A size, or an unknown one.
pub type Size = Option<i64>;

#[derive(Clone)]
pub struct Case {
    pub op: &'static Op,
    pub params: Vec<(String, Value)>,
    pub shapes: Vec<Vec<Size>>,
    /// The inputs of which not even the number of dimensions is known, where unknown ranks are tested.
    pub unknown_ranks: Vec<usize>,
    /// Sizes that fitted before they were hidden.
    pub hidden: Vec<i64>,
}

pub enum Answer {
    Fits(Outcome),
    Fails(Kind, String),
    Panics(String),
}

/// What the operator says; a panic is an answer too.
pub fn answer(op: &'static Op, params: &[(String, Value)], shapes: &[Shape]) -> Answer {
    match catch_unwind(AssertUnwindSafe(|| op.run(Incoming { shapes, names: None }, params))) {
        Ok(Ok(outcome)) => Answer::Fits(outcome),
        Ok(Err(error)) => Answer::Fails(error.kind, error.to_string()),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            Answer::Panics(text.or(panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default())
        }
    }
}

pub fn shape(sizes: &[Size]) -> Shape {
    sizes.iter().map(|size| size.map_or(Dim::UNKNOWN, Dim::known)).collect::<Vec<_>>().into()
}

impl Case {
    pub fn shapes(&self) -> Vec<Shape> {
        self.shapes.iter().map(|sizes| shape(sizes)).collect()
    }

    /// Where the unknown sizes are: input and dimension.
    pub fn holes(&self) -> Vec<(usize, usize)> {
        let places = self.shapes.iter().enumerate().flat_map(|(i, sizes)| (0..sizes.len()).map(move |d| (i, d)));
        places.filter(|&(i, d)| self.shapes[i][d].is_none()).collect()
    }

    /// The same with one thing less to look at, most telling first.
    fn simpler(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        let mut add = |change: &dyn Fn(&mut Case)| {
            let mut case = self.clone();
            change(&mut case);
            cases.push(case);
        };
        if !self.unknown_ranks.is_empty() {
            add(&|case| case.unknown_ranks.clear());
        }
        for i in 0..self.params.len() {
            add(&|case| drop(case.params.remove(i)));
        }
        if self.shapes.len() > 1 {
            add(&|case| {
                case.shapes.pop();
                case.unknown_ranks.retain(|&i| i < case.shapes.len());
            });
        }
        for (i, sizes) in self.shapes.iter().enumerate() {
            for (d, &size) in sizes.iter().enumerate() {
                add(&|case| {
                    case.shapes[i].remove(d);
                });
                for smaller in size.map_or(vec![1, 2], smaller) {
                    add(&|case| case.shapes[i][d] = Some(smaller));
                }
            }
        }
        for (i, (_, value)) in self.params.iter().enumerate() {
            let Value::Numbers(numbers) = value else { continue };
            for k in 0..numbers.len() {
                if numbers.len() > 1 {
                    add(&|case| {
                        if let Value::Numbers(numbers) = &mut case.params[i].1 {
                            numbers.remove(k);
                        }
                    });
                }
                for smaller in smaller(numbers[k].unwrap_or(0.0) as i64) {
                    add(&|case| {
                        if let Value::Numbers(numbers) = &mut case.params[i].1 {
                            numbers[k] = Some(smaller as f64);
                        }
                    });
                }
            }
        }
        cases
    }
}

fn smaller(n: i64) -> Vec<i64> {
    let mut smaller: Vec<i64> = [1, 2, 3, n / 2, n - 1].into_iter().filter(|&m| 0 < m && m < n).collect();
    smaller.dedup();
    smaller
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.op.name)?;
        let params: Vec<String> =
            self.params.iter().map(|(name, value)| format!("{name} = {}", shown(value))).collect();
        write!(f, "({}) on ", params.join(", "))?;
        let shapes: Vec<String> = self
            .shapes()
            .iter()
            .enumerate()
            .map(|(i, shape)| if self.unknown_ranks.contains(&i) { "<unknown>".to_string() } else { shape.to_string() })
            .collect();
        f.write_str(&shapes.join(" "))
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::List(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|(name, item)| if name.is_empty() { shown(item) } else { format!("{name} = {}", shown(item)) })
                .collect();
            format!("list({})", items.join(", "))
        }
        value => value.shown(),
    }
}

/// Whether `all` may be everything that `part` may be.
pub fn covers(all: Dim, part: Dim) -> bool {
    all.or(part) == all
}

/// Whether two answers about a size cannot both be right.
pub fn contradict(a: Dim, b: Dim) -> bool {
    a.equals(b) == Certainty::No
}

/// Cases of an operator, made by `make`.
pub struct Cases<F: Fn(&mut TestRng) -> Case>(pub F);

impl<F: Fn(&mut TestRng) -> Case> fmt::Debug for Cases<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cases")
    }
}

impl<F: Fn(&mut TestRng) -> Case> Strategy for Cases<F> {
    type Tree = Shrinking;
    type Value = Case;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let case = (self.0)(runner.rng());
        Ok(Shrinking { best: case.clone(), current: case, left: Vec::new() })
    }
}

/// A case that breaks a law, and the simpler ones still to be tried.
pub struct Shrinking {
    best: Case,
    current: Case,
    left: Vec<Case>,
}

impl ValueTree for Shrinking {
    type Value = Case;

    fn current(&self) -> Case {
        self.current.clone()
    }

    /// `current` breaks a law too: go on from there.
    fn simplify(&mut self) -> bool {
        self.best = self.current.clone();
        self.left = self.best.simpler();
        self.left.reverse();
        self.complicate()
    }

    /// `current` keeps the laws: try the next one.
    fn complicate(&mut self) -> bool {
        let next = self.left.pop();
        let any = next.is_some();
        self.current = next.unwrap_or_else(|| self.best.clone());
        any
    }
}
