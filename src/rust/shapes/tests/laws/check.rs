//! The laws, put to one case by brute force.
//!
//! A rule is trusted where every size is known (the rows of PyTorch test that); the laws say how unknown sizes follow
//! from it.

use crate::case::{answer, contradict, covers, Answer, Case};
use shapes::args::Value;
use shapes::op::{Cost, Outcome, Outputs};
use shapes::{Dim, Shape};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Law {
    /// A size reported as known is right for every valid filling.
    Sound,
    /// A size is reported as unknown only if two valid fillings disagree about it.
    Tight,
    /// No error if a filling is valid.
    Complete,
    /// An error if no filling is valid.
    Refuses,
    /// Parameters and multiply-adds are sound and tight as well.
    Cost,
    /// An input of unknown rank stands for one of any rank.
    UnknownRank,
    /// Knowing less of a size makes no error and no other known size.
    Monotone,
    /// There is always an answer.
    NoPanic,
}

impl Law {
    pub const ALL: &'static [Law] = &[
        Law::Sound,
        Law::Tight,
        Law::Complete,
        Law::Refuses,
        Law::Cost,
        Law::UnknownRank,
        Law::Monotone,
        Law::NoPanic,
    ];
}

pub struct Verdict {
    pub fits: bool,
    pub broken: Vec<(Law, String)>,
}

/// Operators that squeeze: they keep an unknown size, as if it were never 1, so that a filling may have fewer dimensions.
const SQUEEZE: &[&str] = &["nn_squeeze", "torch_squeeze", "nn_max_unpool1d", "nnf_max_unpool1d"];

/// Whether a filling gives other numbers of dimensions because a size was squeezed.
fn is_squeezed(case: &Case, claim: &Outputs, truth: &Outputs) -> bool {
    let (Outputs::Shapes(claims), Outputs::Shapes(truths)) = (claim, truth) else { return false };
    let ranks = |shapes: &[Shape]| shapes.iter().map(|shape| shape.dims().map(<[Dim]>::len)).collect::<Vec<_>>();
    SQUEEZE.contains(&case.op.name) && ranks(claims) != ranks(truths)
}

pub fn check(case: &Case) -> Verdict {
    let mut broken = Vec::new();
    let shapes = case.shapes();
    let claim = match answer(case.op, &case.params, &shapes) {
        Answer::Panics(text) => {
            broken.push((Law::NoPanic, format!("{case}: panics: {text}")));
            return Verdict { fits: false, broken };
        }
        Answer::Fits(outcome) => Ok(outcome),
        Answer::Fails(_, text) => Err(text),
    };
    let holes = case.holes();
    if !holes.is_empty() {
        fillings(case, &holes, &claim, &mut broken);
    }
    if let Ok(claim) = &claim {
        monotone(case, claim, &mut broken);
    }
    if !case.unknown_ranks.is_empty() {
        unknown_ranks(case, &mut broken);
    }
    Verdict { fits: claim.is_ok(), broken }
}

/// Everything that the valid fillings say.
#[derive(Default)]
struct Seen {
    all: Option<Outcome>,
    /// The first and the last of them.
    first: Vec<i64>,
    last: Vec<i64>,
}

impl Seen {
    fn add(&mut self, filling: &[i64], outcome: Outcome) {
        self.last = filling.to_vec();
        self.all = Some(match self.all.take() {
            None => {
                self.first = filling.to_vec();
                outcome
            }
            Some(all) => Outcome {
                outputs: either(all.outputs, outcome.outputs),
                cost: Cost {
                    params: all.cost.params.or(outcome.cost.params),
                    macs: all.cost.macs.or(outcome.cost.macs),
                },
            },
        });
    }
}

fn either(a: Outputs, b: Outputs) -> Outputs {
    match (a, b) {
        (Outputs::Shapes(a), Outputs::Shapes(b)) if a.len() == b.len() => {
            Outputs::Shapes(a.into_iter().zip(b).map(|(x, y)| x.or(y)).collect())
        }
        _ => Outputs::Unknown,
    }
}

/// A case with unknown sizes, what the rule says of it, and what has been seen of its fillings.
struct Search<'a> {
    case: &'a Case,
    holes: &'a [(usize, usize)],
    claim: &'a Result<Outcome, String>,
    seen: Seen,
    unsound: Option<(Law, String)>,
}

/// Fills the unknown sizes and compares; searches further before it complains of what was not found.
fn fillings(case: &Case, holes: &[(usize, usize)], claim: &Result<Outcome, String>, broken: &mut Vec<(Law, String)>) {
    let mut search = Search { case, holes, claim, seen: Seen::default(), unsound: None };
    search.grid(&sizes_to_try(case, holes.len(), false));
    if search.complaint().is_some_and(|(law, _)| matches!(law, Law::Refuses | Law::Tight | Law::Cost)) {
        search.further();
    }
    broken.extend(search.complaint());
}

impl Search<'_> {
    fn filled(&self, filling: &[i64]) -> Vec<Shape> {
        let mut shapes = self.case.shapes();
        for (&(i, d), &size) in self.holes.iter().zip(filling) {
            if let Shape::Known(dims) = &mut shapes[i] {
                dims[d] = Dim::known(size);
            }
        }
        shapes
    }

    /// Applies the rule to one filling.
    fn fill(&mut self, filling: &[i64]) {
        let shapes = self.filled(filling);
        let case = self.case;
        match answer(case.op, &case.params, &shapes) {
            Answer::Fails(..) => {}
            Answer::Panics(text) => {
                self.unsound = Some((Law::NoPanic, format!("{case}: {} panics: {text}", shown(&shapes))));
            }
            Answer::Fits(outcome) => {
                if self.claim.as_ref().is_ok_and(|claim| is_squeezed(case, &claim.outputs, &outcome.outputs)) {
                    return;
                }
                if let (Ok(claim), None) = (self.claim, &self.unsound) {
                    let size = unsound(&claim.outputs, &outcome.outputs).map(|problem| (Law::Sound, problem));
                    let problem = size.or_else(|| unsound_cost(claim, &outcome).map(|problem| (Law::Cost, problem)));
                    self.unsound =
                        problem.map(|(law, problem)| (law, format!("{case}: {problem} for {}", shown(&shapes))));
                }
                self.seen.add(filling, outcome);
            }
        }
    }

    /// Every combination of sizes.
    fn grid(&mut self, sizes: &[i64]) {
        let n = self.holes.len();
        for code in 0..sizes.len().pow(n as u32) {
            let filling: Vec<i64> =
                (0..n).map(|place| sizes[code / sizes.len().pow(place as u32) % sizes.len()]).collect();
            self.fill(&filling);
            if self.unsound.is_some() {
                return;
            }
        }
    }

    /// More combinations, then fillings found one size after the other, then one size varied from fillings that fit.
    fn further(&mut self) {
        const LONGEST: i64 = 1500;
        self.grid(&sizes_to_try(self.case, self.holes.len(), true));
        let mut sizes = mentioned(self.case);
        sizes.truncate(40);
        sizes.extend(1..LONGEST);
        let mut order: Vec<usize> = (0..self.holes.len()).collect();
        for _ in 0..order.len() {
            self.descend(&order, &sizes, &mut vec![None; order.len()], &mut 8000);
            order.rotate_left(1);
        }
        for start in [self.seen.first.clone(), self.seen.last.clone()] {
            for place in 0..start.len() {
                let mut filling = start.clone();
                for n in 1..LONGEST {
                    if n % 64 == 0 && self.complaint().is_none() {
                        return;
                    }
                    filling[place] = n;
                    self.fill(&filling);
                }
            }
        }
    }

    /// Fills the first hole in `order` with sizes that the rule accepts while the others are unknown, then the next.
    fn descend(&mut self, order: &[usize], sizes: &[i64], filling: &mut [Option<i64>], left: &mut u32) {
        let Some((&place, rest)) = order.split_first() else {
            let filling: Vec<i64> = filling.iter().copied().flatten().collect();
            return self.fill(&filling);
        };
        let mut accepted = 0;
        for &n in sizes {
            if *left == 0 || accepted == 5 || self.complaint().is_none() {
                break;
            }
            *left -= 1;
            filling[place] = Some(n);
            let mut case = self.case.clone();
            for (&(i, d), &size) in self.holes.iter().zip(filling.iter()) {
                case.shapes[i][d] = size;
            }
            if matches!(answer(case.op, &case.params, &case.shapes()), Answer::Fits(_)) {
                accepted += 1;
                self.descend(rest, sizes, filling, left);
            }
        }
        filling[place] = None;
    }

    fn complaint(&self) -> Option<(Law, String)> {
        if self.unsound.is_some() {
            return self.unsound.clone();
        }
        let case = self.case;
        match (self.claim, &self.seen.all) {
            (Err(_), None) => None,
            (Err(error), Some(all)) => {
                let fitting = format!("{} fits and gives {}", self.first(), outputs(&all.outputs));
                Some((Law::Complete, format!("{case}: an error ({error}), but {fitting}")))
            }
            (Ok(claim), None) => {
                Some((Law::Refuses, format!("{case}: gives {}, but no filling fits", outputs(&claim.outputs))))
            }
            (Ok(claim), Some(all)) => {
                let (law, problem) = not_tight(claim, all)?;
                Some((law, format!("{case}: {problem}; {} is a filling", self.first())))
            }
        }
    }

    fn first(&self) -> String {
        shown(&self.filled(&self.seen.first))
    }
}

/// Sizes for each of `n` unknown ones: small ones, some with many divisors, and those that the case itself mentions.
fn sizes_to_try(case: &Case, n: usize, wide: bool) -> Vec<i64> {
    let mentioned = mentioned(case);
    let (small, large, most): (i64, &[i64], usize) = match (n, wide) {
        (1, false) => (12, &[16, 24, 30, 60, 64, 120], 12),
        (2, false) => (5, &[6, 8, 12, 30, 64], 5),
        (_, false) => (3, &[4, 6, 12], 3),
        (1, true) => (2500, &[3000, 4096, 5040, 7200, 65536], usize::MAX),
        (2, true) => (24, &[30, 36, 48, 60, 64, 72, 90, 120, 180, 240], 20),
        (_, true) => (10, &[12, 16, 24, 30, 60], 6),
    };
    let mut sizes: Vec<i64> = (1..=small).chain(large.iter().copied()).collect();
    sizes.extend(mentioned.iter().copied().take(most));
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Numbers that matter to the case: sizes that fitted, known sizes, arguments and their products.
fn mentioned(case: &Case) -> Vec<i64> {
    fn numbers(value: &Value, found: &mut Vec<i64>) {
        match value {
            Value::Numbers(numbers) => {
                let whole: Vec<i64> = numbers.iter().flatten().map(|&n| n.abs() as i64).filter(|&n| n > 0).collect();
                found.extend(&whole);
                if (2..=5).contains(&whole.len()) {
                    found.push(whole.iter().product());
                }
            }
            Value::List(items) => items.iter().for_each(|(_, item)| numbers(item, found)),
            _ => {}
        }
    }
    let elements: Vec<i64> = case
        .shapes
        .iter()
        .map(|sizes| sizes.iter().flatten().fold(1_i64, |product, &size| product.saturating_mul(size)))
        .collect();
    let mut found = case.hidden.clone();
    for (_, value) in &case.params {
        numbers(value, &mut found);
    }
    // so that one shape can have as many elements as another
    found.extend(elements.iter().flat_map(|&a| {
        let quotients = elements.iter().filter(move |&&b| a > 0 && b > 0).map(move |&b| a / common_divisor(a, b));
        quotients.flat_map(|n| [n, n.saturating_mul(2), n.saturating_mul(3)])
    }));
    found.extend(case.shapes.iter().flatten().flatten());
    let products: Vec<i64> = found.iter().flat_map(|a| found.iter().map(move |b| a.saturating_mul(*b))).collect();
    found.extend(products);
    let mut unique = Vec::new();
    for n in found {
        if (1..=100_000_000).contains(&n) && !unique.contains(&n) {
            unique.push(n);
        }
    }
    unique
}

fn common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 {
        a
    } else {
        common_divisor(b, a % b)
    }
}

/// What is wrong with `claim` where `truth` holds.
fn unsound(claim: &Outputs, truth: &Outputs) -> Option<String> {
    let problem = || Some(format!("gives {}, but {}", outputs(claim), outputs(truth)));
    let (claims, truths) = match (claim, truth) {
        (Outputs::Unknown, _) => return None,
        (_, Outputs::Unknown) => return problem(),
        (Outputs::Shapes(claims), Outputs::Shapes(truths)) => (claims, truths),
    };
    if claims.len() != truths.len() {
        return problem();
    }
    for (claim, truth) in claims.iter().zip(truths) {
        match (claim.dims(), truth.dims()) {
            (None, _) => {}
            (Some(claim), Some(truth))
                if claim.len() == truth.len() && claim.iter().zip(truth).all(|(&a, &b)| covers(a, b)) => {}
            _ => return problem(),
        }
    }
    None
}

fn unsound_cost(claim: &Outcome, truth: &Outcome) -> Option<String> {
    let pairs =
        [("parameters", claim.cost.params, truth.cost.params), ("multiply-adds", claim.cost.macs, truth.cost.macs)];
    let (what, claim, truth) = pairs.into_iter().find(|&(_, claim, truth)| !covers(claim, truth))?;
    Some(format!("says {claim:?} {what}, but {truth}"))
}

/// What `claim` leaves open although the valid fillings agree on it.
fn not_tight(claim: &Outcome, all: &Outcome) -> Option<(Law, String)> {
    let problem =
        || Some((Law::Tight, format!("gives {}, but always {}", outputs(&claim.outputs), outputs(&all.outputs))));
    match (&claim.outputs, &all.outputs) {
        (_, Outputs::Unknown) => {}
        (Outputs::Unknown, Outputs::Shapes(_)) => return problem(),
        (Outputs::Shapes(claims), Outputs::Shapes(truths)) => {
            for (claim, truth) in claims.iter().zip(truths) {
                match (claim.dims(), truth.dims()) {
                    (_, None) => {}
                    (None, Some(_)) => return problem(),
                    (Some(claim), Some(truth)) => {
                        if claim.iter().zip(truth).any(|(a, b)| a.value().is_none() && b.value().is_some()) {
                            return problem();
                        }
                    }
                }
            }
        }
    }
    // multiply-adds promise soundness only: a size that must be 1 counts there as unknown
    let (claim, all) = (claim.cost.params, all.cost.params);
    (claim.value().is_none() && all.value().is_some())
        .then(|| (Law::Cost, format!("leaves its parameters open, but they are always {all}")))
}

/// Makes each known size unknown in turn. A size of 0 is none that an unknown one could have.
fn monotone(case: &Case, claim: &Outcome, broken: &mut Vec<(Law, String)>) {
    for (i, sizes) in case.shapes.iter().enumerate() {
        for (d, size) in sizes.iter().enumerate() {
            if !size.is_some_and(|size| size >= 1) {
                continue;
            }
            let mut less = case.clone();
            less.shapes[i][d] = None;
            let problem = match answer(case.op, &case.params, &less.shapes()) {
                Answer::Panics(text) => {
                    broken.push((Law::NoPanic, format!("{less}: panics: {text}")));
                    return;
                }
                Answer::Fails(_, text) => format!("an error ({text}), but {case} gives {}", outputs(&claim.outputs)),
                Answer::Fits(outcome)
                    if differs(&outcome.outputs, &claim.outputs)
                        && !is_squeezed(case, &outcome.outputs, &claim.outputs) =>
                {
                    format!("gives {}, but {case} gives {}", outputs(&outcome.outputs), outputs(&claim.outputs))
                }
                Answer::Fits(_) => continue,
            };
            broken.push((Law::Monotone, format!("{less}: {problem}")));
            return;
        }
    }
}

/// Whether the two say different things, both as known.
fn differs(less: &Outputs, more: &Outputs) -> bool {
    let (Outputs::Shapes(less), Outputs::Shapes(more)) = (less, more) else {
        return *more == Outputs::Unknown && *less != Outputs::Unknown;
    };
    less.len() != more.len()
        || less.iter().zip(more).any(|(less, more)| match (less.dims(), more.dims()) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(less), Some(more)) => {
                less.len() != more.len()
                    || less
                        .iter()
                        .zip(more)
                        .any(|(&a, &b)| contradict(a, b) || (a.value().is_some() && b.value().is_none()))
            }
        })
}

/// Compares the answer to inputs of unknown rank with the answers to ranks 0 to 6.
fn unknown_ranks(case: &Case, broken: &mut Vec<(Law, String)>) {
    let mut shapes = case.shapes();
    for &i in &case.unknown_ranks {
        shapes[i] = Shape::Unknown;
    }
    let claim = match answer(case.op, &case.params, &shapes) {
        Answer::Panics(text) => return broken.push((Law::NoPanic, format!("{case}: panics: {text}"))),
        Answer::Fits(outcome) => Ok(outcome),
        Answer::Fails(_, text) => Err(text),
    };
    let mut complain = |problem: String| broken.push((Law::UnknownRank, format!("{case}: {problem}")));
    let mut seen = Seen::default();
    let n = case.unknown_ranks.len() as u32;
    for most in [6, if n == 1 { 20 } else { 9 }] {
        for code in 0..(most + 1_usize).pow(n) {
            for (place, &i) in case.unknown_ranks.iter().enumerate() {
                let rank = code / (most + 1).pow(place as u32) % (most + 1);
                shapes[i] = vec![Dim::UNKNOWN; rank].into();
            }
            let Answer::Fits(outcome) = answer(case.op, &case.params, &shapes) else { continue };
            match &claim {
                Err(error) => return complain(format!("an error ({error}), but {} fits", shown(&shapes))),
                Ok(claim) => {
                    let problem = unsound(&claim.outputs, &outcome.outputs).or_else(|| unsound_cost(claim, &outcome));
                    if let Some(problem) = problem {
                        return complain(format!("{problem} for {}", shown(&shapes)));
                    }
                }
            }
            seen.add(&[], outcome);
        }
        let problem = match (&claim, &seen.all) {
            (Err(_), _) => return,
            (Ok(claim), None) => format!("gives {}, but fits no rank", outputs(&claim.outputs)),
            (Ok(claim), Some(all)) => match not_tight(claim, all) {
                Some((_, problem)) => problem,
                None => return,
            },
        };
        if most > 6 {
            complain(problem);
        }
    }
}

fn outputs(outputs: &Outputs) -> String {
    match outputs {
        Outputs::Unknown => "unknown outputs".to_string(),
        Outputs::Shapes(shapes) if shapes.is_empty() => "nothing".to_string(),
        Outputs::Shapes(shapes) => shown(shapes),
    }
}

pub fn shown(shapes: &[Shape]) -> String {
    shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(" ")
}
