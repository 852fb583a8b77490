//! The three laws, by brute force: random operators, arguments and shapes with unknown sizes, which are filled in every
//! way a small search can; what the rule says of the unknown sizes must follow from what it says of the filled ones.
//!
//! A new operator is tested as soon as it stands in the registry. If its arguments cannot be guessed the test names it,
//! and it gets a few lines in `own.rs`. `TORCHSHAPE_OP=nn_conv` narrows a run, `TORCHSHAPE_LAWS=10` makes it ten times
//! as long, and `--nocapture` shows how many cases of each operator fitted.

mod broken;
mod case;
mod check;
mod extremes;
mod make;
mod own;

use case::{answer, Answer, Case, Cases};
use check::{check, Law};
use make::Maker;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use shapes::op::{Inputs, Op};
use shapes::ops::OPERATORS;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// What came of the cases of one operator.
pub struct Report {
    pub broken: Vec<(Law, String)>,
    pub cases: u32,
    pub fitting: u32,
}

/// Puts `laws` to `cases` cases of an operator, and makes the first that breaks each law smaller in up to `steps` steps.
pub fn examine(op: &'static Op, laws: &[Law], cases: u32, steps: u32) -> Report {
    let mut report = Report { broken: Vec::new(), cases: 0, fitting: 0 };
    loop {
        let left: Vec<Law> =
            laws.iter().copied().filter(|law| report.broken.iter().all(|(found, _)| found != law)).collect();
        if left.is_empty() {
            return report;
        }
        let maker = Maker::new(op);
        let (seen, fitting, failed) = (Cell::new(0), Cell::new(0), Cell::new(false));
        let test = |case: Case| {
            let verdict = check(&case);
            if !failed.get() {
                seen.set(seen.get() + 1);
                fitting.set(fitting.get() + u32::from(verdict.fits));
            }
            match verdict.broken.into_iter().find(|(law, _)| left.contains(law)) {
                Some((law, text)) => {
                    failed.set(true);
                    Err(TestCaseError::fail(format!("{law:?}: {text}")))
                }
                None => Ok(()),
            }
        };
        let config = Config { cases, failure_persistence: None, max_shrink_iters: steps, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed(op.name)));
        let outcome = runner.run(&Cases(|rng: &mut TestRng| maker.make(rng)), test);
        if report.broken.is_empty() {
            report.cases = seen.get();
            report.fitting = fitting.get();
        }
        match outcome {
            Ok(()) => return report,
            Err(TestError::Fail(reason, case)) => {
                let broken = check(&case).broken.into_iter().find(|(law, _)| left.contains(law));
                report.broken.push(broken.unwrap_or((Law::NoPanic, format!("{case}: {reason}"))));
            }
            Err(TestError::Abort(reason)) => {
                report.broken.push((Law::NoPanic, format!("{}: {reason}", op.name)));
                return report;
            }
        }
    }
}

/// The same cases every time, whatever other operators there are.
pub fn seed(name: &str) -> [u8; 32] {
    let mut seed = [7_u8; 32];
    for (i, byte) in name.bytes().enumerate() {
        let place = &mut seed[i % 32];
        *place = place.wrapping_mul(31).wrapping_add(byte);
    }
    seed
}

/// How many cases an operator gets: the operators that share a rule and arguments share its cases.
fn cases_of(op: &Op, sharing: &HashMap<(usize, usize), u32>) -> u32 {
    const A_RULE: u32 = 60;
    const AN_OPERATOR: u32 = 8;
    let longer: u32 = std::env::var("TORCHSHAPE_LAWS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    (A_RULE / sharing[&kin(op)]).max(AN_OPERATOR) * longer
}

fn kin(op: &Op) -> (usize, usize) {
    (op.rule as usize, op.args.as_ptr() as usize)
}

/// The operators of this run.
pub fn selected() -> Vec<&'static Op> {
    let only = std::env::var("TORCHSHAPE_OP").unwrap_or_default();
    OPERATORS.iter().filter(|op| op.name.contains(&only)).collect()
}

#[test]
fn every_operator_keeps_the_laws() {
    let mut sharing = HashMap::new();
    for op in OPERATORS {
        *sharing.entry(kin(op)).or_insert(0) += 1;
    }
    let operators = selected();
    let next = AtomicUsize::new(0);
    let reports = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(&op) = operators.get(i) else { break };
                let start = std::time::Instant::now();
                let report = examine(op, Law::ALL, cases_of(op, &sharing), 300);
                reports.lock().expect("no thread panics").push((i, report, start.elapsed()));
            });
        }
    });
    let mut reports = reports.into_inner().expect("no thread panics");
    reports.sort_by_key(|&(i, ..)| i);
    let mut complaints = Vec::new();
    for (i, report, time) in reports {
        let op = operators[i];
        let share = 100 * report.fitting / report.cases.max(1);
        println!("{:40} {:5} cases, {share:3}% fit, {:4} ms", op.name, report.cases, time.as_millis());
        complaints.extend(report.broken.iter().map(|(law, text)| format!("{law:?}: {text}")));
        if !report.broken.is_empty() {
            continue;
        }
        if let Some(name) = Maker::missing(op) {
            complaints.push(format!("{}: no generator makes its argument '{name}'; own.rs needs one", op.name));
        }
        if share < 5 {
            complaints.push(format!("{}: only {share}% of its cases fit; own.rs needs a generator", op.name));
        }
        if report.fitting == report.cases && can_fail(op) && !Maker::new(op).ever_fails(&seed(op.name)) {
            complaints.push(format!("{}: none of its cases fails; own.rs needs a generator", op.name));
        }
    }
    assert!(complaints.is_empty(), "{} laws are broken:\n{}", complaints.len(), complaints.join("\n"));
}

/// Whether some number of dimensions is refused, so that cases that fail are to be expected.
fn can_fail(op: &'static Op) -> bool {
    let n = match op.inputs {
        Inputs::Any { min } => min.max(2),
        Inputs::Named { names, .. } => names.len(),
    };
    (0..6).any(|rank| {
        let shapes = vec![case::shape(&vec![None; rank]); n];
        matches!(answer(op, &[], &shapes), Answer::Fails(shapes::Kind::Rank, _))
    })
}

/// So that no argument and no input is left out of the tests for want of a generator.
#[test]
fn every_argument_is_given_in_some_case_that_fits() {
    const CASES: usize = 600;
    let mut complaints = Vec::new();
    for op in selected() {
        let maker = Maker::new(op);
        let rng = &mut TestRng::from_seed(RngAlgorithm::ChaCha, &seed(op.name));
        let mut arguments: Vec<&str> = op.args.iter().map(|arg| arg.name).collect();
        let inputs = match op.inputs {
            Inputs::Named { names, .. } => names.len(),
            Inputs::Any { min } => min,
        };
        let mut most = 0;
        for _ in 0..CASES {
            if arguments.is_empty() && most >= inputs {
                break;
            }
            let case = maker.make(rng);
            if let Answer::Fits(_) = answer(op, &case.params, &case.shapes()) {
                arguments.retain(|argument| case.params.iter().all(|(name, _)| name != argument));
                most = most.max(case.shapes.len());
            }
        }
        if !arguments.is_empty() {
            complaints.push(format!("{}: no case that fits has {}", op.name, arguments.join(", ")));
        }
        if most < inputs {
            complaints.push(format!("{}: no case that fits has more than {most} inputs", op.name));
        }
    }
    assert!(complaints.is_empty(), "own.rs needs generators:\n{}", complaints.join("\n"));
}

#[test]
fn every_operator_has_a_name_of_its_own() {
    let mut names: Vec<&str> = OPERATORS.iter().map(|op| op.name).collect();
    names.sort_unstable();
    let twice: Vec<&str> = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    assert!(twice.is_empty(), "twice in the registry: {}", twice.join(", "));
}
