//! How cases are made: arguments from their declarations, then shapes that fit them, some of whose sizes are hidden.
//!
//! An operator whose arguments say too little by name and type has a generator of its own in [`crate::own`].

use crate::case::{answer, shape, Answer, Case, Size};
use crate::own;
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use shapes::args::{Arg, Default, Takes, Value};
use shapes::op::{Inputs, Op};
use std::cell::RefCell;

/// Where chance comes from.
pub struct Dice<'a>(pub &'a mut TestRng);

impl Dice<'_> {
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        self.0.random_range(low..=high.max(low))
    }

    pub fn chance(&mut self, n: u32, of: u32) -> bool {
        self.0.random_range(0..of) < n
    }

    pub fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.0.random_range(0..items.len())]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.0.random_range(0..=i));
        }
    }

    /// A dimension of `rank`, from either end; now and then one that is not there.
    pub fn dim(&mut self, rank: usize) -> i64 {
        let rank = rank as i64;
        if rank == 0 || self.chance(1, 16) {
            return self.one_of(&[0, rank + 1, -rank - 1, 1, -1]);
        }
        let dim = self.between(1, rank);
        if self.chance(1, 3) {
            dim - 1 - rank
        } else {
            dim
        }
    }

    /// Some dimensions of `rank`, seldom one of them twice.
    pub fn dims(&mut self, rank: usize) -> Vec<i64> {
        let mut dims: Vec<i64> = (1..=rank as i64).collect();
        self.shuffle(&mut dims);
        let least = if self.chance(1, 8) { 0 } else { 1 };
        let n = self.between(least, rank as i64) as usize;
        dims.truncate(n);
        for dim in &mut dims {
            if self.chance(1, 4) {
                *dim -= rank as i64 + 1;
            }
        }
        if self.chance(1, 16) {
            dims.push(self.dim(rank));
        }
        dims
    }
}

/// What one case is made from: few sizes, so that they meet.
pub struct World {
    pub pool: Vec<i64>,
    /// The number of dimensions of the first input.
    pub rank: usize,
}

impl World {
    fn new(dice: &mut Dice, rank: usize) -> World {
        const SIZES: &[i64] = &[1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 6, 8, 8, 9, 10, 12];
        World { pool: (0..3).map(|_| dice.one_of(SIZES)).collect(), rank }
    }

    pub fn size(&self, dice: &mut Dice) -> i64 {
        dice.one_of(&self.pool)
    }
}

/// A case before its sizes are known: `None` is yet to be found.
#[derive(Clone)]
pub struct Draft {
    pub params: Vec<(String, Value)>,
    pub shapes: Vec<Vec<Size>>,
}

impl Draft {
    pub fn set(&mut self, name: &str, value: Value) {
        self.params.retain(|(given, _)| given != name);
        self.params.push((name.to_string(), value));
    }
}

/// Makes cases of one operator, and learns which numbers of dimensions fit.
pub struct Maker {
    op: &'static Op,
    ranks: RefCell<Vec<Vec<usize>>>,
}

impl Maker {
    pub fn new(op: &'static Op) -> Maker {
        Maker { op, ranks: RefCell::default() }
    }

    /// An argument that the defaults cannot make.
    pub fn missing(op: &Op) -> Option<&'static str> {
        let makes = |arg: &Arg| match arg.takes {
            Takes::Text => !arg.words.is_empty(),
            Takes::Anything => true,
            _ => true,
        };
        let needed = |arg: &&Arg| arg.default == Default::Required && !makes(arg);
        op.args.iter().find(needed).filter(|_| own::generator(op).is_none()).map(|arg| arg.name)
    }

    pub fn make(&self, rng: &mut TestRng) -> Case {
        const TRIES: usize = 40;
        let dice = &mut Dice(rng);
        // what no rule has been asked about, so that a rule that refuses too much is found too
        let careless = dice.chance(1, 8);
        let (mut world, mut draft) = self.draft(dice);
        for _ in 0..TRIES {
            if careless || self.fits(&draft) {
                break;
            }
            (world, draft) = self.draft(dice);
        }
        if !careless {
            self.add_inputs(&mut draft, dice);
            self.remember(&draft);
        }
        let full = self.fill(&world, &draft, careless, dice);
        self.hide(full, dice)
    }

    /// Whether some of many cases fail.
    pub fn ever_fails(&self, seed: &[u8; 32]) -> bool {
        const MANY: usize = 500;
        let rng = &mut TestRng::from_seed(RngAlgorithm::ChaCha, seed);
        (0..MANY).any(|_| {
            let case = self.make(rng);
            matches!(answer(case.op, &case.params, &case.shapes()), Answer::Fails(..))
        })
    }

    /// Adds optional inputs whose number of dimensions fits.
    fn add_inputs(&self, draft: &mut Draft, dice: &mut Dice) {
        let Inputs::Named { names, .. } = self.op.inputs else { return };
        while draft.shapes.len() < names.len() && dice.chance(4, 5) && self.fits(draft) {
            let mut ranks = [0, 1, 2, 3, 4];
            dice.shuffle(&mut ranks);
            let with = |rank: usize| {
                let mut more = draft.clone();
                more.shapes.push(vec![None; rank]);
                more
            };
            match ranks.into_iter().map(with).find(|more| self.fits(more)) {
                Some(more) => *draft = more,
                None => break,
            }
        }
    }

    fn remember(&self, draft: &Draft) {
        let ranks: Vec<usize> = draft.shapes.iter().map(Vec::len).collect();
        let mut known = self.ranks.borrow_mut();
        if known.len() < 32 && !known.contains(&ranks) && self.fits(draft) {
            known.push(ranks);
        }
    }

    fn fits(&self, draft: &Draft) -> bool {
        let shapes: Vec<_> = draft.shapes.iter().map(|sizes| shape(sizes)).collect();
        // a panic is left in, to be found
        !matches!(answer(self.op, &draft.params, &shapes), Answer::Fails(..))
    }

    fn draft(&self, dice: &mut Dice) -> (World, Draft) {
        let known = self.ranks.borrow();
        let ranks = if !known.is_empty() && dice.chance(2, 3) {
            known[dice.between(0, known.len() as i64 - 1) as usize].clone()
        } else {
            self.any_ranks(dice)
        };
        let world = World::new(dice, ranks.first().copied().unwrap_or(0));
        let params = self.op.args.iter().filter_map(|arg| {
            let value = argument(self.op, arg, &world, dice)?;
            Some((arg.name.to_string(), value))
        });
        let params = params.collect();
        let mut draft = Draft { params, shapes: ranks.into_iter().map(|rank| vec![None; rank]).collect() };
        if let Some(own) = own::generator(self.op) {
            own(&mut draft, &world, dice);
        }
        (world, draft)
    }

    fn any_ranks(&self, dice: &mut Dice) -> Vec<usize> {
        const RANKS: &[usize] = &[0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5];
        let n = match self.op.inputs {
            Inputs::Any { min } => dice.between(min.max(1) as i64, min.max(1) as i64 + 2) as usize,
            Inputs::Named { names, optional } => {
                let optional = if dice.chance(1, 2) { optional } else { dice.between(0, optional as i64) as usize };
                names.len() - dice.one_of(&[0, optional])
            }
        };
        let rank = dice.one_of(RANKS);
        let near = |dice: &mut Dice| match dice.between(0, 9) {
            0 => dice.one_of(RANKS),
            1 => rank + 1,
            2 | 3 => rank.saturating_sub(1),
            _ => rank,
        };
        (0..n).map(|i| if i == 0 { rank } else { near(dice) }).collect()
    }

    /// Finds sizes that fit.
    fn fill(&self, world: &World, draft: &Draft, careless: bool, dice: &mut Dice) -> Draft {
        let random = |dice: &mut Dice| {
            let mut full = draft.clone();
            for size in full.shapes.iter_mut().flatten() {
                *size = size.or_else(|| Some(any_size(world, dice)));
            }
            full
        };
        if careless {
            return random(dice);
        }
        // without a word of the rule about unknown sizes first
        for _ in 0..if dice.chance(1, 3) { 10 } else { 1 } {
            let full = random(dice);
            if self.fits(&full) {
                return full;
            }
        }
        // then one size after the other
        let mut full = draft.clone();
        let places = full.shapes.iter().enumerate().flat_map(|(i, sizes)| (0..sizes.len()).map(move |d| (i, d)));
        let mut places: Vec<(usize, usize)> = places.collect();
        dice.shuffle(&mut places);
        for (i, d) in places {
            if full.shapes[i][d].is_some() {
                continue;
            }
            let mut tries: Vec<i64> = (0..3).map(|_| any_size(world, dice)).collect();
            tries.extend(&world.pool);
            tries.extend([
                dice.between(1, 12),
                dice.between(1, 40),
                1,
                2,
                3,
                4,
                6,
                5,
                7,
                8,
                9,
                12,
                10,
                11,
                15,
                16,
                20,
                24,
            ]);
            for size in tries {
                full.shapes[i][d] = Some(size);
                if self.fits(&full) {
                    break;
                }
            }
        }
        full
    }

    /// Hides up to three sizes, and now and then spoils one.
    fn hide(&self, full: Draft, dice: &mut Dice) -> Case {
        let Draft { params, mut shapes } = full;
        let spoil = dice.chance(1, 8);
        if spoil {
            spoil_one(&mut shapes, dice);
        }
        let mut places: Vec<(usize, usize)> =
            shapes.iter().enumerate().flat_map(|(i, sizes)| (0..sizes.len()).map(move |d| (i, d))).collect();
        dice.shuffle(&mut places);
        let holes = dice.one_of(&[0, 1, 1, 1, 1, 1, 2, 2, 2, 3]);
        let mut hidden = Vec::new();
        for (i, d) in places.into_iter().take(holes) {
            if let Some(size) = shapes[i][d].filter(|&size| size >= 1) {
                hidden.push(size);
                shapes[i][d] = None;
            }
        }
        let mut unknown_ranks = Vec::new();
        if !shapes.is_empty() && dice.chance(1, 8) {
            unknown_ranks = (0..shapes.len()).filter(|_| dice.chance(1, 2)).collect();
            unknown_ranks.truncate(3);
        }
        Case { op: self.op, params, shapes, unknown_ranks, hidden }
    }
}

fn any_size(world: &World, dice: &mut Dice) -> i64 {
    match dice.between(0, 39) {
        0 => 0,
        1..=4 => 1,
        5..=8 => dice.between(1, 12),
        9..=12 => world.size(dice) * world.size(dice),
        _ => world.size(dice),
    }
}

fn spoil_one(shapes: &mut [Vec<Size>], dice: &mut Dice) {
    if shapes.is_empty() {
        return;
    }
    let i = dice.between(0, shapes.len() as i64 - 1) as usize;
    let sizes = &mut shapes[i];
    if sizes.is_empty() || dice.chance(1, 6) {
        sizes.push(Some(dice.between(1, 3)));
        return;
    }
    let d = dice.between(0, sizes.len() as i64 - 1) as usize;
    if dice.chance(1, 6) {
        sizes.remove(d);
    } else {
        sizes[d] = Some(dice.one_of(&[0, 1, 2, 3, 5, 7, 11]));
    }
}

/// A value for an argument, by its name and its declaration; `None` leaves it out.
fn argument(op: &Op, arg: &Arg, world: &World, dice: &mut Dice) -> Option<Value> {
    if arg.default != Default::Required && dice.chance(2, 5) {
        return None;
    }
    if let Some(value) = own::argument(op, arg, world, dice) {
        return Some(value);
    }
    Some(match arg.takes {
        Takes::Flag => Value::flag(dice.chance(1, 2)),
        Takes::Whole => Value::whole(whole(arg, world, dice)),
        Takes::Wholes => Value::wholes(&wholes(arg, world, dice)),
        Takes::WholesOrMissing => {
            let wholes = wholes(arg, world, dice);
            Value::Numbers(wholes.into_iter().map(|n| (!dice.chance(1, 5)).then_some(n as f64)).collect())
        }
        Takes::WholesOrWord if dice.chance(1, 3) => Value::text(dice.one_of(arg.words)),
        Takes::WholesOrWord => Value::wholes(&wholes(arg, world, dice)),
        Takes::Number => Value::Numbers(vec![Some(number(dice))]),
        Takes::Numbers => {
            let n = dice.one_of(&[1, 1, 2, 3]);
            Value::Numbers((0..n).map(|_| Some(number(dice))).collect())
        }
        Takes::Text if !arg.words.is_empty() => Value::text(dice.one_of(arg.words)),
        Takes::Anything => anything(dice),
        Takes::Text => return None,
    })
}

/// A type, a module, a number: most rules do not look at it.
fn anything(dice: &mut Dice) -> Value {
    match dice.between(0, 2) {
        0 => Value::whole(1),
        1 => Value::text("mean"),
        _ => Value::Other("torch_dtype".to_string()),
    }
}

fn number(dice: &mut Dice) -> f64 {
    dice.one_of(&[0.5, 1.0, 1.5, 2.0, 3.0, 0.7, 1.0 / 3.0, 2.5])
}

/// Whether the argument names one dimension, or several.
fn names_dims(arg: &Arg) -> bool {
    const NAMES: &[&str] = &["dim", "dims", "axis", "axis0", "axis1", "dim0", "dim1", "dim2", "start_dim", "end_dim"];
    NAMES.contains(&arg.name)
}

fn whole(arg: &Arg, world: &World, dice: &mut Dice) -> i64 {
    if names_dims(arg) {
        return dice.dim(world.rank);
    }
    let low = if arg.min == i64::MIN { -2 } else { arg.min };
    let n = match dice.between(0, 9) {
        0..=3 => dice.between(low, low + 2),
        4 => dice.between(low, low + 5),
        _ => world.size(dice),
    };
    n.max(low)
}

fn wholes(arg: &Arg, world: &World, dice: &mut Dice) -> Vec<i64> {
    if names_dims(arg) {
        return dice.dims(world.rank);
    }
    let n = match dice.between(0, 9) {
        0..=2 => 1,
        3..=5 => world.rank.saturating_sub(2).max(1),
        6 => world.rank,
        7 => world.rank.saturating_sub(1),
        _ => dice.between(0, 3) as usize,
    };
    let low = if arg.min == i64::MIN { -1 } else { arg.min };
    (0..n).map(|_| if dice.chance(1, 2) { dice.between(low, low + 2) } else { world.size(dice).max(low) }).collect()
}
