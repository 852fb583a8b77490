//! A size, and what can be said of it.
//!
//! This is the only file that knows how an unknown size is represented. Rules do arithmetic on [`Dim`] and ask questions
//! that are answered by a [`Certainty`].

use std::fmt;
use std::ops::{Add, Mul, Sub};

/// The largest size: whole numbers up to here are exact in a double.
pub const MAX_SIZE: i64 = 1 << 53;

const INFINITE: i64 = i64::MAX;

/// The whole numbers that a size may be: one of them (a known size), or an interval (an unknown one).
///
/// Arithmetic is interval arithmetic, so that `min(n, 1)` of an unknown `n >= 1` is known to be 1. It saturates; a size
/// beyond [`MAX_SIZE`] is refused where a result leaves the core ([`Dim::is_representable`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Dim {
    low: i64,
    high: i64,
}

/// The answer to a question about sizes, over all values they may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certainty {
    Yes,
    No,
    Maybe,
}

impl Certainty {
    pub fn is_yes(self) -> bool {
        self == Certainty::Yes
    }

    pub fn is_no(self) -> bool {
        self == Certainty::No
    }

    fn of(always: bool, ever: bool) -> Certainty {
        match (always, ever) {
            (true, _) => Certainty::Yes,
            (false, true) => Certainty::Maybe,
            (false, false) => Certainty::No,
        }
    }
}

impl Dim {
    /// A size of which nothing is known: any whole number >= 1.
    pub const UNKNOWN: Dim = Dim::at_least(1);
    pub const ONE: Dim = Dim::known(1);
    pub const ZERO: Dim = Dim::known(0);

    pub const fn known(size: i64) -> Dim {
        Dim { low: size, high: size }
    }

    /// Any whole number from `low` on.
    pub const fn at_least(low: i64) -> Dim {
        Dim { low, high: INFINITE }
    }

    /// Any whole number in `low..=high`.
    pub const fn between(low: i64, high: i64) -> Dim {
        Dim { low, high }
    }

    /// The size, if it is known. For showing it and for sizes that decide how many outputs there are; a rule about sizes
    /// asks [`Dim::equals`] and its kin instead.
    pub fn value(self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }

    /// The smallest size it may be, for messages.
    pub fn lowest(self) -> i64 {
        self.low
    }

    /// Whether a double holds the size exactly.
    pub fn is_representable(self) -> bool {
        self.low <= MAX_SIZE
    }

    pub fn floor_div(self, divisor: impl Into<Dim>) -> Dim {
        self.by_corners(divisor.into(), floor_div)
    }

    pub fn ceil_div(self, divisor: impl Into<Dim>) -> Dim {
        self.by_corners(divisor.into(), |a, b| floor_div(a.saturating_add(b - 1), b))
    }

    /// `self / divisor` where it must come out even; `None` if no size does.
    pub fn exact_div(self, divisor: i64) -> Option<Dim> {
        if divisor == 0 {
            return self.may_be(0).then_some(Dim::between(0, INFINITE));
        }
        let low = -floor_div(self.low.saturating_neg(), divisor);
        let high = floor_div(self.high, divisor);
        (low <= high).then_some(Dim { low, high })
    }

    pub fn min(self, other: impl Into<Dim>) -> Dim {
        let other = other.into();
        Dim { low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    pub fn max(self, other: impl Into<Dim>) -> Dim {
        let other = other.into();
        Dim { low: self.low.max(other.low), high: self.high.max(other.high) }
    }

    /// The image under a function that never decreases, for sizes worked out in floating point.
    pub fn map_increasing(self, f: impl Fn(i64) -> i64) -> Dim {
        let high = if self.high == INFINITE { INFINITE } else { f(self.high) };
        Dim { low: f(self.low), high }
    }

    /// The image under a function of two sizes that in each of them only rises or only falls, for sizes worked out in
    /// floating point. It is asked about `i64::MAX` where a size has no end.
    pub fn map_monotone(self, other: Dim, f: impl Fn(i64, i64) -> i64) -> Dim {
        self.by_corners(other, f)
    }

    /// What is left where a condition holds that changes at most once over growing sizes; `None` if it never holds.
    pub fn keep_where(self, holds: impl Fn(i64) -> bool) -> Option<Dim> {
        let end = self.high.min(MAX_SIZE).max(self.low);
        let at_low = holds(self.low);
        match (at_low, holds(end)) {
            (true, true) => return Some(self),
            (false, false) => return None,
            _ => {}
        }
        // it holds at one of the ends; the other moves towards it
        let (mut low, mut high) = (self.low, end);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if holds(middle) == at_low {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(if at_low { Dim { low: self.low, high: low } } else { Dim { low: high, high: self.high } })
    }

    pub fn equals(self, other: impl Into<Dim>) -> Certainty {
        let other = other.into();
        let always = self.value().is_some() && self == other;
        Certainty::of(always, self.unify(other).is_some())
    }

    pub fn is_at_least(self, bound: impl Into<Dim>) -> Certainty {
        let bound = bound.into();
        Certainty::of(self.low >= bound.high, self.high >= bound.low)
    }

    pub fn is_at_most(self, bound: impl Into<Dim>) -> Certainty {
        bound.into().is_at_least(self)
    }

    pub fn is_multiple_of(self, divisor: i64) -> Certainty {
        let ever = self.exact_div(divisor).is_some();
        Certainty::of(ever && (divisor == 1 || self.value().is_some()), ever)
    }

    /// What is left when the two sizes must be equal; `None` if they cannot be.
    pub fn unify(self, other: impl Into<Dim>) -> Option<Dim> {
        let other = other.into();
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (low <= high).then_some(Dim { low, high })
    }

    /// What is left when the size must be at least `bound`; `None` if it cannot be.
    pub fn keep_at_least(self, bound: impl Into<Dim>) -> Option<Dim> {
        self.unify(Dim::at_least(bound.into().low))
    }

    /// What is left when the size must be at most `bound`; `None` if it cannot be.
    pub fn keep_at_most(self, bound: impl Into<Dim>) -> Option<Dim> {
        self.unify(Dim::between(-INFINITE, bound.into().high))
    }

    /// A size that is one or the other.
    pub fn or(self, other: Dim) -> Dim {
        Dim { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn may_be(self, size: i64) -> bool {
        self.low <= size && size <= self.high
    }

    /// The size that `self` and `other` broadcast to: equal, or one of them 1. `None` if they never do.
    pub fn broadcast(self, other: Dim) -> Option<Dim> {
        let equal = self.unify(other);
        let left = other.may_be(1).then_some(self);
        let right = self.may_be(1).then_some(other);
        [equal, left, right].into_iter().flatten().reduce(Dim::or)
    }

    /// The target sizes to which `self` expands: equal to it, or `self` is 1. `None` if it never does.
    pub fn expand_to(self, target: Dim) -> Option<Dim> {
        if self.may_be(1) {
            Some(target)
        } else {
            self.unify(target)
        }
    }

    /// The product of sizes; `None` beyond [`MAX_SIZE`].
    pub fn product<'a>(sizes: impl IntoIterator<Item = &'a Dim>) -> Option<Dim> {
        let mut any_zero = false;
        let mut product = Dim::ONE;
        for &size in sizes {
            any_zero |= size == Dim::ZERO;
            // a zero further on makes any product fit
            product = product * size;
        }
        if any_zero {
            return Some(Dim::ZERO);
        }
        product.is_representable().then_some(product)
    }

    /// The sizes that times `other` can give `self`.
    fn quotient(self, other: Dim) -> Dim {
        let high = if other.low == 0 { INFINITE } else { floor_div(self.high, other.low) };
        let low =
            if other.high == INFINITE { i64::from(self.low > 0) } else { -floor_div(-self.low, other.high.max(1)) };
        Dim { low, high }
    }

    fn by_corners(self, other: Dim, f: impl Fn(i64, i64) -> i64) -> Dim {
        if let (Some(a), Some(b)) = (self.value(), other.value()) {
            return Dim::known(f(a, b));
        }
        let corners =
            [f(self.low, other.low), f(self.low, other.high), f(self.high, other.low), f(self.high, other.high)];
        let low = corners.into_iter().min().unwrap_or(0);
        let high = corners.into_iter().max().unwrap_or(0);
        Dim { low, high }
    }
}

/// Rounds towards minus infinity; an infinite dividend stays infinite.
fn floor_div(a: i64, b: i64) -> i64 {
    if a == INFINITE && b > 0 {
        return INFINITE;
    }
    if b == INFINITE {
        return if a < 0 { -1 } else { 0 };
    }
    let quotient = a.wrapping_div(b);
    if a % b != 0 && (a < 0) != (b < 0) {
        quotient - 1
    } else {
        quotient
    }
}

impl From<i64> for Dim {
    fn from(size: i64) -> Dim {
        Dim::known(size)
    }
}

impl<D: Into<Dim>> Add<D> for Dim {
    type Output = Dim;
    fn add(self, other: D) -> Dim {
        let other = other.into();
        Dim { low: self.low.saturating_add(other.low), high: self.high.saturating_add(other.high) }
            .unbounded_if(self, other)
    }
}

impl<D: Into<Dim>> Sub<D> for Dim {
    type Output = Dim;
    fn sub(self, other: D) -> Dim {
        let other = other.into();
        let low = if other.high == INFINITE { -INFINITE } else { self.low.saturating_sub(other.high) };
        let high = if self.high == INFINITE { INFINITE } else { self.high.saturating_sub(other.low) };
        Dim { low, high }
    }
}

impl<D: Into<Dim>> Mul<D> for Dim {
    type Output = Dim;
    fn mul(self, other: D) -> Dim {
        self.by_corners(other.into(), i64::saturating_mul)
    }
}

impl Dim {
    /// A sum with an unbounded size is unbounded, even if the other is negative.
    fn unbounded_if(mut self, a: Dim, b: Dim) -> Dim {
        if a.high == INFINITE || b.high == INFINITE {
            self.high = INFINITE;
        }
        self
    }
}

/// How many elements a shape has: the product of its known sizes, times that of its unknown ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Elements {
    known: i64,
    unknown: Dim,
}

impl Elements {
    /// The elements of a shape of these sizes; `None` if the known sizes alone are beyond [`MAX_SIZE`].
    pub fn of(sizes: &[Dim]) -> Option<Elements> {
        let (known, unknown): (Vec<Dim>, Vec<Dim>) = sizes.iter().partition(|size| size.value().is_some());
        let known = Dim::product(&known)?.low;
        Some(Elements { known, unknown: unknown.into_iter().fold(Dim::ONE, Dim::mul) })
    }

    pub fn count(self) -> Dim {
        self.unknown * self.known
    }

    /// The product of the known sizes, for messages.
    pub fn known(self) -> i64 {
        self.known
    }

    /// Whether two shapes may have as many elements.
    pub fn equals(self, other: Elements) -> Certainty {
        let ever = match (self.known, other.known) {
            (0, _) => other.count().may_be(0),
            (_, 0) => self.count().may_be(0),
            _ => self.needed(other).is_some(),
        };
        Certainty::of(ever && self.count().value().is_some() && other.count().value().is_some(), ever)
    }

    /// What is left of `sizes` when they must hold this many elements; `None` if they never do.
    pub fn fill(self, sizes: &[Dim]) -> Option<Vec<Dim>> {
        let wanted = Elements::of(sizes)?;
        let mut sizes = sizes.to_vec();
        match (self.known, wanted.known) {
            (0, 0) => Some(sizes),
            (_, 0) => self.unknown.may_be(0).then_some(sizes),
            (0, _) => {
                // one size must be 0; which one is known if only one can be
                let mut zeros = sizes.iter_mut().filter(|size| size.may_be(0));
                let zero = zeros.next()?;
                if zeros.next().is_none() {
                    *zero = Dim::ZERO;
                }
                Some(sizes)
            }
            _ => {
                let needed = self.needed(wanted)?;
                let unknown: Vec<usize> = (0..sizes.len()).filter(|&i| sizes[i].value().is_none()).collect();
                let mut after = vec![Dim::ONE; unknown.len() + 1];
                for (place, &i) in unknown.iter().enumerate().rev() {
                    after[place] = after[place + 1] * sizes[i];
                }
                let mut before = Dim::ONE;
                for (place, &i) in unknown.iter().enumerate() {
                    let others = before * after[place + 1];
                    before = before * sizes[i];
                    sizes[i] = sizes[i].unify(needed.quotient(others))?;
                }
                Some(sizes)
            }
        }
    }

    /// The product that the unknown sizes of `wanted` must have, none of the known ones being 0.
    fn needed(self, wanted: Elements) -> Option<Dim> {
        let common = greatest_common_divisor(self.known, wanted.known);
        // self.known * self.unknown = wanted.known * wanted.unknown where both sides are a multiple of this many
        let (ours, theirs) = (self.known / common, wanted.known / common);
        let times = wanted.unknown.exact_div(ours)?.unify(self.unknown.exact_div(theirs)?)?;
        Some(times * ours)
    }
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

macro_rules! left_operand {
    ($($trait:ident $method:ident),*) => {$(
        impl $trait<Dim> for i64 {
            type Output = Dim;
            fn $method(self, other: Dim) -> Dim {
                Dim::known(self).$method(other)
            }
        }
    )*};
}
left_operand!(Add add, Sub sub, Mul mul);

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            Some(size) => f.pad_integral(size >= 0, "", &size.unsigned_abs().to_string()),
            None => f.pad("NA"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(elements: &[Dim], sizes: &[Dim]) -> Option<Vec<Option<i64>>> {
        let filled = Elements::of(elements)?.fill(sizes)?;
        Some(filled.into_iter().map(Dim::value).collect())
    }

    #[test]
    fn functions_of_two_sizes_map_their_corners() {
        let ratio = |a: i64, b: i64| (7.0 * a as f64 / b as f64) as i64;
        assert_eq!(Dim::known(4).map_monotone(Dim::known(2), ratio), Dim::known(14));
        assert_eq!(Dim::between(1, 4).map_monotone(Dim::between(2, 7), ratio), Dim::between(1, 14));
        assert_eq!(Dim::ONE.map_monotone(Dim::at_least(8), ratio), Dim::ZERO);
        assert_eq!(Dim::UNKNOWN.map_monotone(Dim::known(7), ratio).lowest(), 1);
    }

    #[test]
    fn elements_fill_sizes() {
        let (n, free) = (Dim::UNKNOWN, Dim::at_least(0));
        let d = Dim::known;
        assert_eq!(filled(&[n, d(3), d(4)], &[d(5), d(12)]), Some(vec![Some(5), Some(12)]));
        assert_eq!(filled(&[n, d(3), d(4)], &[d(5), d(6)]), None);
        assert_eq!(filled(&[n, d(3), d(4)], &[free, d(5)]), Some(vec![None, Some(5)]));
        assert_eq!(filled(&[d(2), d(6)], &[d(3), free]), Some(vec![Some(3), Some(4)]));
        assert_eq!(filled(&[d(0), d(6)], &[d(3), free]), Some(vec![Some(3), Some(0)]));
        assert_eq!(filled(&[n, d(0)], &[n, d(5)]), None);
        assert_eq!(filled(&[n], &[]), Some(vec![]));
        assert_eq!(filled(&[n, d(2)], &[]), None);
        // every unknown factor of 1 is 1
        assert_eq!(filled(&[d(1)], &[n, n]), Some(vec![Some(1), Some(1)]));
        assert_eq!(filled(&[d(6)], &[n, d(2), n]), Some(vec![None, Some(2), None]));
        assert_eq!(filled(&[d(4)], &[Dim::at_least(2), Dim::at_least(2)]), Some(vec![Some(2), Some(2)]));
        let multiples = Elements::of(&[n, d(6)]).and_then(|elements| elements.fill(&[d(4), n])).expect("12 fits");
        assert_eq!(multiples[1].lowest(), 3);
    }

    #[test]
    fn elements_may_be_equal() {
        let n = Dim::UNKNOWN;
        let of = |sizes: &[Dim]| Elements::of(sizes).expect("small");
        let d = Dim::known;
        assert_eq!(of(&[d(6)]).equals(of(&[d(2), d(3)])), Certainty::Yes);
        assert_eq!(of(&[d(6)]).equals(of(&[d(2), n])), Certainty::Maybe);
        assert_eq!(of(&[d(6)]).equals(of(&[d(4), n])), Certainty::No);
        assert_eq!(of(&[n, d(0)]).equals(of(&[n])), Certainty::No);
        assert_eq!(of(&[n, d(0)]).equals(of(&[n, d(0)])), Certainty::Yes);
    }

    #[test]
    fn keep_where_finds_the_switch() {
        let any = Dim::UNKNOWN;
        assert_eq!(any.keep_where(|n| n >= 1000), Some(Dim::at_least(1000)));
        assert_eq!(any.keep_where(|n| n <= 1000), Some(Dim::between(1, 1000)));
        assert_eq!(any.keep_where(|_| true), Some(any));
        assert_eq!(any.keep_where(|n| n > MAX_SIZE), None);
        assert_eq!(Dim::known(5).keep_where(|n| n == 5), Some(Dim::known(5)));
        assert_eq!(Dim::known(5).keep_where(|n| n < 5), None);
        assert_eq!(Dim::between(3, 9).keep_where(|n| n > 8), Some(Dim::known(9)));
    }
}
