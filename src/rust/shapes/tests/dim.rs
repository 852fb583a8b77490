//! The arithmetic of sizes by brute force: what it says of intervals is the smallest interval around what it says of their
//! members, and a question is answered by all of them.

use shapes::broadcast::{broadcast, broadcast_same_rank, expand_into};
use shapes::dim::{Certainty, MAX_SIZE};
use shapes::Dim;

/// Far beyond every small number, with small divisors.
const FAR: i64 = 200 * 5040;

/// An interval whose members can be counted out; without an end, some members that are far away stand for the rest.
#[derive(Clone, Debug)]
struct Interval {
    dim: Dim,
    members: Vec<i64>,
}

fn intervals(low: i64, high: i64, unbounded: bool) -> Vec<Interval> {
    let mut intervals = Vec::new();
    for a in low..=high {
        for b in a..=high {
            intervals.push(Interval { dim: Dim::between(a, b), members: (a..=b).collect() });
        }
        if unbounded {
            let members = (a..=high + 40).chain([FAR]).collect();
            intervals.push(Interval { dim: Dim::at_least(a), members });
        }
    }
    intervals
}

/// The smallest interval around some numbers; far away ones mean that there is no end.
fn hull(numbers: impl IntoIterator<Item = i64>) -> Option<Dim> {
    let numbers: Vec<i64> = numbers.into_iter().collect();
    let (low, high) = (*numbers.iter().min()?, *numbers.iter().max()?);
    Some(match (low < -FAR / 1000, high > FAR / 1000) {
        (false, false) => Dim::between(low, high),
        (false, true) => Dim::at_least(low),
        (true, false) => Dim::between(-i64::MAX, high),
        (true, true) => Dim::between(-i64::MAX, i64::MAX),
    })
}

fn certainty(answers: impl IntoIterator<Item = bool>) -> Certainty {
    let answers: Vec<bool> = answers.into_iter().collect();
    match (answers.iter().all(|&yes| yes), answers.iter().any(|&yes| yes)) {
        (true, _) => Certainty::Yes,
        (_, true) => Certainty::Maybe,
        _ => Certainty::No,
    }
}

/// Every pair of members.
fn pairs<'a>(a: &'a Interval, b: &'a Interval) -> impl Iterator<Item = (i64, i64)> + 'a {
    a.members.iter().flat_map(move |&x| b.members.iter().map(move |&y| (x, y)))
}

fn check_binary(
    name: &str,
    (left, right): (&[Interval], &[Interval]),
    dims: impl Fn(Dim, Dim) -> Option<Dim>,
    numbers: impl Fn(i64, i64) -> Option<i64>,
) {
    for a in left {
        for b in right {
            let wanted = hull(pairs(a, b).filter_map(|(x, y)| numbers(x, y)));
            let got = dims(a.dim, b.dim);
            assert_eq!(got, wanted, "{name} of {:?} and {:?}", a.dim, b.dim);
        }
    }
}

fn check_question(
    name: &str,
    (left, right): (&[Interval], &[Interval]),
    dims: impl Fn(Dim, Dim) -> Certainty,
    numbers: impl Fn(i64, i64) -> bool,
) {
    for a in left {
        for b in right {
            let wanted = certainty(pairs(a, b).map(|(x, y)| numbers(x, y)));
            assert_eq!(dims(a.dim, b.dim), wanted, "{name} of {:?} and {:?}", a.dim, b.dim);
        }
    }
}

#[test]
fn arithmetic_is_exact() {
    let all = intervals(-4, 6, true);
    let sizes = intervals(0, 6, true);
    let positive = intervals(1, 5, false);
    check_binary("the sum", (&all, &all), |a, b| Some(a + b), |x, y| Some(x + y));
    check_binary("the product", (&sizes, &sizes), |a, b| Some(a * b), |x, y| Some(x * y));
    let bounded = intervals(-4, 6, false);
    check_binary("the product", (&bounded, &bounded), |a, b| Some(a * b), |x, y| Some(x * y));
    check_binary("the difference", (&all, &all), |a, b| Some(a - b), |x, y| Some(x - y));
    check_binary("the minimum", (&all, &all), |a, b| Some(a.min(b)), |x, y| Some(x.min(y)));
    check_binary("the maximum", (&all, &all), |a, b| Some(a.max(b)), |x, y| Some(x.max(y)));
    check_binary("the quotient", (&all, &positive), |a, b| Some(a.floor_div(b)), |x, y| Some(x.div_euclid(y)));
    check_binary("the quotient", (&all, &positive), |a, b| Some(a.ceil_div(b)), |x, y| Some(-(-x).div_euclid(y)));
}

#[test]
fn what_must_hold_is_exact() {
    let all = intervals(-3, 6, true);
    check_binary("what equals", (&all, &all), |a, b| a.unify(b), |x, y| (x == y).then_some(x));
    check_binary("what is at least", (&all, &all), |a, b| a.keep_at_least(b), |x, y| (x >= y).then_some(x));
    check_binary("what is at most", (&all, &all), |a, b| a.keep_at_most(b), |x, y| (x <= y).then_some(x));
    for a in &intervals(0, 9, true) {
        for divisor in 1..=7 {
            let wanted = hull(a.members.iter().filter(|&&x| x % divisor == 0).map(|&x| x / divisor));
            assert_eq!(a.dim.exact_div(divisor), wanted, "{:?} / {divisor}", a.dim);
        }
        assert_eq!(a.dim.exact_div(0).is_some(), a.members.contains(&0), "{:?} / 0", a.dim);
    }
}

#[test]
fn one_or_the_other_and_images() {
    let all = intervals(-3, 6, true);
    for a in &all {
        for b in &all {
            let wanted = hull(a.members.iter().chain(&b.members).copied());
            assert_eq!(Some(a.dim.or(b.dim)), wanted, "{:?} or {:?}", a.dim, b.dim);
        }
        let halve = |x: i64| (x as f64 * 0.5).floor() as i64;
        assert_eq!(Some(a.dim.map_increasing(halve)), hull(a.members.iter().map(|&x| halve(x))), "half {:?}", a.dim);
        let known = (a.members.len() == 1).then(|| a.members[0]);
        assert_eq!(a.dim.value(), known);
        assert_eq!(Some(a.dim.lowest()), a.members.iter().min().copied());
    }
}

#[test]
fn questions_are_answered_by_all_members() {
    let all = intervals(-3, 6, true);
    check_question("equality", (&all, &all), |a, b| a.equals(b), |x, y| x == y);
    check_question("at least", (&all, &all), |a, b| a.is_at_least(b), |x, y| x >= y);
    check_question("at most", (&all, &all), |a, b| a.is_at_most(b), |x, y| x <= y);
    for a in &intervals(0, 9, true) {
        for divisor in 0..=7 {
            let multiple = |&x: &i64| if divisor == 0 { x == 0 } else { x % divisor == 0 };
            let wanted = certainty(a.members.iter().map(multiple));
            assert_eq!(a.dim.is_multiple_of(divisor), wanted, "{:?} a multiple of {divisor}", a.dim);
        }
    }
}

fn broadcast_sizes(x: i64, y: i64) -> Option<i64> {
    match (x, y) {
        (1, y) => Some(y),
        (x, 1) => Some(x),
        (x, y) => (x == y).then_some(x),
    }
}

#[test]
fn broadcasting_is_exact() {
    let sizes = intervals(0, 6, true);
    check_binary("the broadcast", (&sizes, &sizes), |a, b| a.broadcast(b), broadcast_sizes);
    let expand = |x, y| (x == 1 || x == y).then_some(y);
    check_binary("the expansion", (&sizes, &sizes), |a, b| a.expand_to(b), expand);
    check_binary("the expansion", (&sizes, &sizes), |a, b| expand_into(&[a], &[b]).ok().map(|out| out[0]), expand);

    let few = intervals(0, 4, true);
    for a in &few {
        for b in &few {
            for c in &few {
                let triples = pairs(a, b).filter_map(|(x, y)| broadcast_sizes(x, y));
                let wanted = hull(triples.flat_map(|xy| c.members.iter().filter_map(move |&z| broadcast_sizes(xy, z))));
                let shapes: [&[Dim]; 3] = [&[a.dim], &[b.dim], &[c.dim]];
                let got = broadcast(&shapes).ok().map(|out| out[0]);
                assert_eq!(got, wanted, "the broadcast of {:?}, {:?} and {:?}", a.dim, b.dim, c.dim);
                let merged = broadcast_same_rank(&shapes).ok().map(|out| out[0]);
                assert_eq!(merged, wanted, "the merge of {:?}, {:?} and {:?}", a.dim, b.dim, c.dim);
            }
        }
    }
}

#[test]
fn products_are_exact() {
    let few = intervals(0, 3, true);
    for a in &few {
        for b in &few {
            for c in &few {
                let all = pairs(a, b).flat_map(|(x, y)| c.members.iter().map(move |&z| x * y * z));
                let got = Dim::product(&[a.dim, b.dim, c.dim]);
                assert_eq!(got, hull(all), "the product of {:?}, {:?} and {:?}", a.dim, b.dim, c.dim);
            }
        }
    }
    assert_eq!(Dim::product(&[Dim::known(MAX_SIZE), Dim::known(2)]), None);
    assert_eq!(Dim::product(&[Dim::known(MAX_SIZE), Dim::known(MAX_SIZE), Dim::ZERO]), Some(Dim::ZERO));
    assert_eq!(Dim::product(&[Dim::known(MAX_SIZE), Dim::UNKNOWN]), Some(Dim::at_least(MAX_SIZE)));
    assert_eq!(Dim::product(&[Dim::known(MAX_SIZE), Dim::at_least(2)]), None);
}

/// Nothing overflows, and no answer leaves out the true one, cut to what 64 bits hold.
#[test]
fn extremes_are_safe() {
    let numbers = [i64::MAX, i64::MAX - 1, MAX_SIZE + 1, MAX_SIZE, 1 << 31, 3, 1, 0, -1, -3, -MAX_SIZE, -i64::MAX];
    let dims: Vec<(Dim, i64, i64)> = numbers
        .iter()
        .flat_map(|&a| numbers.iter().map(move |&b| (a, b)))
        .filter(|(a, b)| a <= b)
        .map(|(a, b)| (Dim::between(a, b), a, b))
        .collect();
    let cut = |x: i128| x.clamp(i128::from(-i64::MAX), i128::from(i64::MAX)) as i64;
    let covers = |all: Dim, x: i128| all.or(Dim::known(cut(x))) == all || all.or(Dim::known(i64::MIN)) == all;
    for &(a, a_low, a_high) in &dims {
        for &(b, b_low, b_high) in &dims {
            for (x, y) in [(a_low, b_low), (a_low, b_high), (a_high, b_low), (a_high, b_high)] {
                let (wide_x, wide_y) = (i128::from(x), i128::from(y));
                assert!(covers(a * b, wide_x * wide_y), "{a:?} * {b:?}");
                // the end of an interval that has none is no number to add to
                if x.abs() < i64::MAX - 1 && y.abs() < i64::MAX - 1 {
                    assert!(covers(a + b, wide_x + wide_y), "{a:?} + {b:?}");
                    assert!(covers(a - b, wide_x - wide_y), "{a:?} - {b:?}");
                }
            }
            let _ = (a.min(b), a.max(b), a.or(b), a.unify(b), a.broadcast(b), a.expand_to(b), a.equals(b));
            let _ = (a.is_at_least(b), a.is_at_most(b), a.keep_at_least(b), a.keep_at_most(b));
            let _ = (Dim::product(&[a, b]), (a * b) - a, (a - b) * a, (a * b) + b, a.to_string());
            for divisor in [1, 2, 3, 1 << 31, MAX_SIZE] {
                let _ = (a.floor_div(divisor), a.ceil_div(divisor), a.exact_div(divisor), a.is_multiple_of(divisor));
                let worked_out = (a * b) - a;
                let _ = (worked_out.floor_div(divisor), worked_out.ceil_div(divisor), worked_out.exact_div(divisor));
            }
        }
    }
}
