//! Rules that are broken on purpose, each a small change of a right one: the laws must find them.

use crate::check::Law;
use crate::examine;
use shapes::args::Arg;
use shapes::broadcast::broadcast;
use shapes::error::Kind;
use shapes::op::{replaced, Call, Cost, Inputs, Op, Outputs};
use shapes::{Dim, Error, Result};

const HALVE: &[Arg] = &[Arg::whole("stride").min(1).default(2)];
const SPLIT: &[Arg] = &[Arg::whole("groups").min(1)];

/// (*, L) -> (*, ceil(L / stride))
fn halve(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let last = input.len() - 1;
    Ok(replaced(input, last, input[last].ceil_div(call.args.whole("stride"))).into())
}

/// (*, L) -> (*, groups, L / groups)
fn split(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let last = input.len() - 1;
    let groups = call.args.whole("groups");
    let Some(length) = input[last].exact_div(groups) else {
        return Err(call.size_error(0, last, "cannot be split evenly."));
    };
    let mut output = replaced(input, last, Dim::known(groups));
    output.push(length);
    Ok(output.into())
}

fn sum(call: &Call) -> Result<Outputs> {
    Ok(broadcast(call.inputs())?.into())
}

fn elements(call: &Call, _: &[&[Dim]]) -> Cost {
    Cost { params: Dim::ZERO, macs: call.input(0).iter().fold(Dim::ONE, |product, &size| product * size) }
}

/// As if an unknown size were 1.
fn takes_unknown_for_one(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let last = input.len() - 1;
    let length = Dim::known(input[last].lowest()).ceil_div(call.args.whole("stride"));
    Ok(replaced(input, last, length).into())
}

/// (NA,2) and (3,1) give (NA,2).
fn forgets_what_it_knows(call: &Call) -> Result<Outputs> {
    let output = broadcast(call.inputs())?;
    let unknown = call.inputs().iter().any(|input| input.iter().any(|size| size.value().is_none()));
    Ok(output.into_iter().map(|size| if unknown { Dim::UNKNOWN } else { size }).collect::<Vec<_>>().into())
}

/// Wants to be sure that the length can be divided.
fn refuses_what_may_fit(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let last = input.len() - 1;
    if !input[last].is_multiple_of(call.args.whole("groups")).is_yes() {
        return Err(call.size_error(0, last, "may not be split evenly."));
    }
    split(call)
}

/// Compares sizes two by two, so that (2,3) joins (NA,NA) joins (4,3).
fn accepts_what_never_fits(call: &Call) -> Result<Outputs> {
    if call.inputs().iter().flat_map(|input| input.iter()).all(|size| size.value().is_some()) {
        return sum(call);
    }
    let output = broadcast(&call.inputs()[..1])?;
    Ok(output.iter().map(|_| Dim::UNKNOWN).collect::<Vec<_>>().into())
}

fn forgets_the_rank(call: &Call) -> Result<Outputs> {
    let output = call.input(0).to_vec();
    if output.iter().any(|size| size.value().is_none()) {
        return Ok(Outputs::Shapes(vec![shapes::Shape::Unknown]));
    }
    Ok(output.into())
}

fn panics_at_unknown(call: &Call) -> Result<Outputs> {
    let sizes: Vec<i64> = call.input(0).iter().filter_map(|size| size.value()).collect();
    Ok((0..call.input(0).len()).map(|d| Dim::known(sizes[d])).collect::<Vec<_>>().into())
}

fn costs_nothing_if_unknown(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let cost = elements(call, outputs);
    if cost.macs.value().is_some() {
        cost
    } else {
        Cost::FREE
    }
}

fn refuses_everything(_: &Call) -> Result<Outputs> {
    Err(Error::new(Kind::Size, "fits nothing."))
}

static RIGHT: [Op; 3] = [
    Op::new("halve", "test", "", halve).args(HALVE).cost(elements),
    Op::new("split", "test", "", split).args(SPLIT),
    Op::new("sum", "test", "", sum).inputs(Inputs::ANY),
];

static BROKEN: [(Op, Law); 7] = [
    (Op::new("halve", "test", "", takes_unknown_for_one).args(HALVE), Law::Sound),
    (Op::new("sum", "test", "", forgets_what_it_knows).inputs(Inputs::ANY), Law::Tight),
    (Op::new("same", "test", "", forgets_the_rank), Law::Tight),
    (Op::new("split", "test", "", refuses_what_may_fit).args(SPLIT), Law::Complete),
    (Op::new("sum", "test", "", accepts_what_never_fits).inputs(Inputs::ANY), Law::Refuses),
    (Op::new("halve", "test", "", halve).args(HALVE).cost(costs_nothing_if_unknown), Law::Cost),
    (Op::new("same", "test", "", panics_at_unknown), Law::NoPanic),
];

#[test]
fn right_rules_keep_the_laws() {
    for op in &RIGHT {
        let report = examine(op, Law::ALL, 60, 0);
        assert!(report.broken.is_empty(), "{}", report.broken[0].1);
        assert!(report.fitting * 4 > report.cases, "{}: {} of {} fit", op.name, report.fitting, report.cases);
    }
}

#[test]
fn broken_rules_are_found() {
    for (op, law) in &BROKEN {
        let report = examine(op, &[*law], 60, 0);
        assert_eq!(report.broken.len(), 1, "{law:?} is not found in {}", op.name);
    }
}

#[test]
fn a_rule_without_cases_that_fit_is_named() {
    static NOTHING: Op = Op::new("nothing", "test", "", refuses_everything);
    assert_eq!(examine(&NOTHING, Law::ALL, 20, 0).fitting, 0);
}
