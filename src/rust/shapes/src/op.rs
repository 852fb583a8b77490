//! What an operator is: its arguments, inputs and outputs, its rule and its cost.

use crate::args::{Arg, Args, Value};
use crate::dim::Dim;
use crate::error::{all_of, counted, dimension, one_of, Error, Kind, Result};
use crate::shape::{Dims, Shape};

/// What an operator takes as its input tensors.
#[derive(Clone, Copy, Debug)]
pub enum Inputs {
    /// These, in this order; the last `optional` may be left out.
    Named { names: &'static [&'static str], optional: usize },
    /// Any number of them from `min` on.
    Any { min: usize },
}

impl Inputs {
    pub const ONE: Inputs = Inputs::named(&["input"]);
    pub const TWO: Inputs = Inputs::named(&["self", "other"]);
    pub const ANY: Inputs = Inputs::Any { min: 1 };

    pub const fn named(names: &'static [&'static str]) -> Inputs {
        Inputs::Named { names, optional: 0 }
    }

    pub const fn optional(names: &'static [&'static str], optional: usize) -> Inputs {
        Inputs::Named { names, optional }
    }

    /// `input`, `query, key, value`, `...`: for the manual; optional ones in brackets.
    pub fn signature(&self) -> String {
        match *self {
            Inputs::Any { .. } => "...".to_string(),
            Inputs::Named { names, optional } => {
                let required = names.len() - optional;
                let show =
                    |(i, name): (usize, &&str)| if i < required { name.to_string() } else { format!("[{name}]") };
                names.iter().enumerate().map(show).collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// The names, where it has them.
    pub fn names(&self) -> &'static [&'static str] {
        match *self {
            Inputs::Named { names, .. } => names,
            Inputs::Any { .. } => &[],
        }
    }

    fn check(&self, n: usize) -> Result<()> {
        let wanted = match *self {
            Inputs::Any { min } if n < min => format!("at least {}", counted(min, "input")),
            Inputs::Named { names, optional } if n < names.len() - optional || n > names.len() => {
                let fewest = names.len() - optional;
                let count = if optional == 0 {
                    counted(fewest, "input")
                } else {
                    format!("{fewest} to {}", counted(names.len(), "input"))
                };
                format!("{count} ({})", self.signature())
            }
            _ => return Ok(()),
        };
        Err(Error::new(Kind::Argument, format!("needs {wanted}, not {n}.")))
    }

    /// Every required input is among those that were given by name.
    fn check_required(&self, places: &[usize]) -> Result<()> {
        let Inputs::Named { names, optional } = *self else { return Ok(()) };
        let required = &names[..names.len() - optional];
        match (0..required.len()).find(|i| !places.contains(i)) {
            None => Ok(()),
            Some(missing) => {
                let problem = format!("needs input '{}' ({}).", required[missing], self.signature());
                Err(Error::new(Kind::Argument, problem))
            }
        }
    }

    /// Inputs given under names stand in the operator's order; `None` where a name says nothing of the place.
    fn places(&self, names: &[String]) -> Option<Vec<usize>> {
        let Inputs::Named { names: declared, .. } = *self else { return None };
        let places: Option<Vec<usize>> =
            names.iter().map(|name| declared.iter().position(|declared| declared == name)).collect();
        let mut sorted = places.clone()?;
        sorted.sort_unstable();
        sorted.windows(2).all(|pair| pair[0] != pair[1]).then_some(places?)
    }
}

/// What a rule gives: a shape for each output, or nothing where even their number depends on an unknown size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outputs {
    Unknown,
    Shapes(Vec<Shape>),
}

impl Outputs {
    fn or(self, other: Outputs) -> Outputs {
        match (self, other) {
            (Outputs::Shapes(a), Outputs::Shapes(b)) if a.len() == b.len() => {
                Outputs::Shapes(a.into_iter().zip(b).map(|(x, y)| x.or(y)).collect())
            }
            _ => Outputs::Unknown,
        }
    }

    /// Whether nothing is left that more fillings could make unknown.
    fn is_settled(&self) -> bool {
        match self {
            Outputs::Unknown => true,
            Outputs::Shapes(shapes) => shapes.iter().all(|shape| *shape == Shape::Unknown),
        }
    }
}

impl From<Dims> for Outputs {
    fn from(dims: Dims) -> Outputs {
        Outputs::Shapes(vec![dims.into()])
    }
}

impl From<Vec<Dims>> for Outputs {
    fn from(shapes: Vec<Dims>) -> Outputs {
        Outputs::Shapes(shapes.into_iter().map(Shape::from).collect())
    }
}

pub type Rule = fn(&Call) -> Result<Outputs>;

/// Learned parameters and multiply-adds of one operator; a multiply-add counts once, bias is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cost {
    pub params: Dim,
    pub macs: Dim,
}

impl Cost {
    pub const FREE: Cost = Cost { params: Dim::ZERO, macs: Dim::ZERO };
}

pub type CostRule = fn(&Call, &[&[Dim]]) -> Cost;

/// An operator of R torch or mlr3torch.
#[derive(Clone, Copy)]
pub struct Op {
    pub name: &'static str,
    pub family: &'static str,
    /// What it does, for the manual.
    pub summary: &'static str,
    pub inputs: Inputs,
    /// The names of its outputs; `...` where their number depends on the arguments.
    pub outputs: &'static [&'static str],
    pub args: &'static [Arg],
    pub rule: Rule,
    pub cost: CostRule,
}

impl Op {
    pub const fn new(name: &'static str, family: &'static str, summary: &'static str, rule: Rule) -> Op {
        Op { name, family, summary, inputs: Inputs::ONE, outputs: &["output"], args: &[], rule, cost: free }
    }

    pub const fn inputs(mut self, inputs: Inputs) -> Op {
        self.inputs = inputs;
        self
    }

    pub const fn outputs(mut self, outputs: &'static [&'static str]) -> Op {
        self.outputs = outputs;
        self
    }

    pub const fn args(mut self, args: &'static [Arg]) -> Op {
        self.args = args;
        self
    }

    pub const fn rule(mut self, rule: Rule) -> Op {
        self.rule = rule;
        self
    }

    pub const fn cost(mut self, cost: CostRule) -> Op {
        self.cost = cost;
        self
    }
}

fn free(_: &Call, _: &[&[Dim]]) -> Cost {
    Cost::FREE
}

/// One use of an operator: its checked arguments and the shapes that come in, of known numbers of dimensions.
pub struct Call<'a> {
    pub op: &'static Op,
    pub args: &'a Args,
    inputs: Vec<&'a [Dim]>,
    /// The place of each input in [`Op::inputs`].
    places: Option<&'a [usize]>,
}

impl<'a> Call<'a> {
    pub fn inputs(&self) -> &[&'a [Dim]] {
        &self.inputs
    }

    /// Input `i`, counted from 0; it must be a required one.
    pub fn input(&self, i: usize) -> &'a [Dim] {
        self.get_input(i).unwrap_or_else(|| unreachable!("input {i} is required"))
    }

    /// Input `i`, counted from 0, if it was given.
    pub fn get_input(&self, i: usize) -> Option<&'a [Dim]> {
        let i = match self.places {
            Some(places) => places.iter().position(|&place| place == i)?,
            None => i,
        };
        self.inputs.get(i).copied()
    }

    /// The inputs in their places, where those in `taken` are filled by arguments.
    pub fn inputs_beside(&self, taken: &[bool]) -> Result<Vec<Option<&'a [Dim]>>> {
        let mut unplaced = self.inputs.iter().copied();
        let mut placed = Vec::with_capacity(taken.len());
        for (i, &taken) in taken.iter().enumerate() {
            let input = match self.places {
                Some(_) => self.get_input(i),
                None if taken => None,
                None => unplaced.next(),
            };
            if taken && input.is_some() {
                return Err(self.given_twice(i));
            }
            placed.push(input);
        }
        match taken.iter().rposition(|&taken| taken) {
            Some(i) if self.places.is_none() && unplaced.next().is_some() => Err(self.given_twice(i)),
            _ => Ok(placed),
        }
    }

    fn given_twice(&self, i: usize) -> Box<Error> {
        let name = self.op.inputs.names().get(i).copied().unwrap_or_default();
        let problem = format!("has '{name}' twice: as an input and as an argument.");
        Error::new(Kind::Argument, problem).argument(name)
    }

    /// Input `i` if its number of dimensions is one of `ranks`.
    pub fn input_of_rank(&self, i: usize, ranks: &[usize]) -> Result<&'a [Dim]> {
        let input = self.input(i);
        if ranks.contains(&input.len()) {
            return Ok(input);
        }
        Err(self.rank_error(i, &one_of(ranks)))
    }

    /// Input `i` if it has at least `rank` dimensions.
    pub fn input_of_at_least(&self, i: usize, rank: usize) -> Result<&'a [Dim]> {
        let input = self.input(i);
        if input.len() >= rank {
            return Ok(input);
        }
        Err(self.rank_error(i, &format!("at least {rank}")))
    }

    fn rank_error(&self, i: usize, wanted: &str) -> Box<Error> {
        let which = self.called(i);
        let n = self.input(i).len();
        let noun = if wanted == "1" || wanted == "at least 1" { "dimension" } else { "dimensions" };
        Error::new(Kind::Rank, format!("needs {which} of {wanted} {noun}, not {n}.")).inputs([i + 1])
    }

    /// `an input`, or `input 2 ('key')` where there are several.
    fn called(&self, i: usize) -> String {
        if self.inputs.len() == 1 {
            return "an input".to_string();
        }
        match self.op.inputs {
            Inputs::Named { names, .. } if i < names.len() => format!("input {} ('{}')", i + 1, names[i]),
            _ => format!("input {}", i + 1),
        }
    }

    /// An error about dimension `dim` (0-based) of input `i` (0-based).
    pub fn size_error(&self, i: usize, dim: usize, problem: impl Into<String>) -> Box<Error> {
        let size = self.input(i).get(dim).copied();
        Error::new(Kind::Size, problem).inputs([i + 1]).dim(dim + 1).sizes(size)
    }

    /// A size that must equal the argument `name`, where that is given: what is left of it.
    pub fn agree(&self, name: &str, i: usize, dim: usize) -> Result<Dim> {
        let size = self.input(i)[dim];
        let Some(wanted) = self.args.get_whole(name) else { return Ok(size) };
        size.unify(wanted).ok_or_else(|| {
            let problem = format!(
                "needs {name} = {wanted}, but gets {} in {} of {}.",
                said(size),
                dimension(&[dim + 1]),
                self.the_input(i)
            );
            let error = self.size_error(i, dim, problem).argument(name);
            let fitting = crate::shape::Shown(&replaced(self.input(i), dim, Dim::known(wanted))).to_string();
            match size.value() {
                Some(size) => error
                    .sizes([Dim::known(wanted), Dim::known(size)])
                    .hint(format!("An input of shape {fitting} or {name} = {size} would fit.")),
                None => error.hint(format!("An input of shape {fitting} would fit.")),
            }
        })
    }

    /// `its input`, or `input 2` where there are several.
    pub fn the_input(&self, i: usize) -> String {
        if self.inputs.len() == 1 {
            "its input".to_string()
        } else {
            format!("input {}", i + 1)
        }
    }

    /// The one size that the dimensions at `places` (input and dimension, counted from 0) must share; `what` names it.
    pub fn common_size(&self, what: &str, places: &[(usize, usize)]) -> Result<Dim> {
        let size_at = |&(i, d): &(usize, usize)| self.input(i)[d];
        let mut common: Option<Dim> = None;
        for (k, place) in places.iter().enumerate() {
            let size = size_at(place);
            common = Some(match common {
                None => size,
                Some(before) => before.unify(size).ok_or_else(|| {
                    let clash = places[..k].iter().find(|earlier| size_at(earlier).equals(size).is_no());
                    self.unequal(what, *clash.unwrap_or(&places[0]), *place)
                })?,
            });
        }
        Ok(common.unwrap_or(Dim::UNKNOWN))
    }

    fn unequal(&self, what: &str, (i, d): (usize, usize), (j, e): (usize, usize)) -> Box<Error> {
        let (a, b) = (self.input(i)[d], self.input(j)[e]);
        let problem = format!(
            "needs one {what}, but {} of {} is {} and {} of {} is {}.",
            dimension(&[d + 1]),
            self.the_input(i),
            said(a),
            dimension(&[e + 1]),
            self.the_input(j),
            said(b)
        );
        let error = Error::new(Kind::Size, problem).inputs([i + 1, j + 1]).dim(e + 1).sizes([a, b]);
        match a.value() {
            Some(_) if i != j => {
                let fitting = crate::shape::Shown(&replaced(self.input(j), e, a)).to_string();
                error.hint(format!("A shape {fitting} of {} would fit.", self.the_input(j)))
            }
            _ => error,
        }
    }

    /// The dimension that `dim` means in `rank` dimensions, counted from 0; -1 is the last.
    pub fn resolve(&self, name: &str, dim: i64, rank: usize) -> Result<usize> {
        let n = rank as i64;
        let resolved = if dim < 0 { n + 1 + dim } else { dim };
        if (1..=n).contains(&resolved) {
            return Ok(resolved as usize - 1);
        }
        let problem = format!("has {name} = {dim}, but its input has {}.", counted(rank, "dimension"));
        let range = match n {
            0 => "A scalar has none.".to_string(),
            1 => "It can be 1 or -1.".to_string(),
            _ => format!("It can be 1 to {n}, or -1 to -{n} from the end."),
        };
        Err(Error::new(Kind::Dim, problem).argument(name).hint(range))
    }

    /// The dimension that `dim` means where a scalar passes for one dimension, as in most of PyTorch's reductions.
    pub fn resolve_or_scalar(&self, name: &str, dim: i64, rank: usize) -> Result<usize> {
        if rank == 0 && (dim == 1 || dim == -1) {
            return Ok(0);
        }
        self.resolve(name, dim, rank).map_err(|error| match rank {
            0 => error.hint("For a scalar it can be 1 or -1."),
            _ => error,
        })
    }

    /// The dimensions that `dims` means, counted from 0, each at most once, where a scalar passes for one dimension.
    pub fn resolve_all_or_scalar(&self, name: &str, dims: &[i64], rank: usize) -> Result<Vec<usize>> {
        self.distinct(name, dims, |dim| self.resolve_or_scalar(name, dim, rank))
    }

    /// The dimension that argument `name` means in `rank` dimensions, counted from 0.
    pub fn dim(&self, name: &str, rank: usize) -> Result<usize> {
        self.resolve(name, self.args.whole(name), rank)
    }

    /// The dimensions that argument `name` means, counted from 0, each at most once.
    pub fn dims(&self, name: &str, rank: usize) -> Result<Vec<usize>> {
        self.resolve_all(name, self.args.wholes(name), rank)
    }

    /// The dimensions that `dims` means, counted from 0, each at most once.
    pub fn resolve_all(&self, name: &str, dims: &[i64], rank: usize) -> Result<Vec<usize>> {
        self.distinct(name, dims, |dim| self.resolve(name, dim, rank))
    }

    fn distinct(&self, name: &str, dims: &[i64], resolve: impl Fn(i64) -> Result<usize>) -> Result<Vec<usize>> {
        let mut resolved = Vec::new();
        for &dim in dims {
            let dim = resolve(dim)?;
            if resolved.contains(&dim) {
                let problem = format!("has {} twice in {name}.", dimension(&[dim + 1]));
                return Err(Error::new(Kind::Dim, problem).argument(name).dim(dim + 1));
            }
            resolved.push(dim);
        }
        Ok(resolved)
    }
}

/// `5`, `unknown`, `at least 3`: a size in a sentence.
pub fn said(size: Dim) -> String {
    match size.value() {
        Some(size) => size.to_string(),
        None if size.lowest() > 1 => format!("unknown, but at least {}", size.lowest()),
        None => "unknown".to_string(),
    }
}

/// `dims` with another size at `dim`.
pub fn replaced(dims: &[Dim], dim: usize, size: Dim) -> Dims {
    let mut dims = dims.to_vec();
    dims[dim] = size;
    dims
}

/// What comes out of an operator and what it costs.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub outputs: Outputs,
    pub cost: Cost,
}

/// The shapes that come into an operator, with their names where they have any.
#[derive(Clone, Copy)]
pub struct Incoming<'a> {
    pub shapes: &'a [Shape],
    pub names: Option<&'a [String]>,
}

impl Op {
    /// The shapes of the outputs.
    pub fn shapes_out(&'static self, inputs: Incoming, params: &[(String, Value)]) -> Result<Outputs> {
        Ok(self.run(inputs, params)?.outputs)
    }

    /// The shapes of the outputs, and the cost.
    pub fn run(&'static self, inputs: Incoming, params: &[(String, Value)]) -> Result<Outcome> {
        let args = self.check(params).map_err(|error| error.with_shapes(inputs.shapes))?;
        self.run_checked(inputs, &args)
    }

    /// The arguments of one use, for any number of runs.
    pub fn check(&'static self, params: &[(String, Value)]) -> Result<Args> {
        Args::check(self.args, params).map_err(|error| error.op(self.name))
    }

    pub fn run_checked(&'static self, inputs: Incoming, args: &Args) -> Result<Outcome> {
        self.dispatch(inputs, args).map_err(|error| error.op(self.name).with_shapes(inputs.shapes))
    }

    fn dispatch(&'static self, inputs: Incoming, args: &Args) -> Result<Outcome> {
        self.inputs.check(inputs.shapes.len())?;
        let places = inputs.names.and_then(|names| self.inputs.places(names));
        if let Some(places) = &places {
            self.inputs.check_required(places)?;
        }
        let known: Option<Vec<&[Dim]>> = inputs.shapes.iter().map(Shape::dims).collect();
        match known {
            Some(dims) => self.apply(args, dims, places.as_deref()),
            None => self.apply_to_unknown(args, inputs.shapes, places.as_deref()),
        }
    }

    fn apply(&'static self, args: &Args, inputs: Vec<&[Dim]>, places: Option<&[usize]>) -> Result<Outcome> {
        let call = Call { op: self, args, inputs, places };
        let outputs = (self.rule)(&call)?;
        // whatever costs something knows the rank of its first output
        let cost = match &outputs {
            Outputs::Shapes(shapes) if shapes.first().is_some_and(|shape| shape.dims().is_some()) => {
                let dims: Vec<&[Dim]> = shapes.iter().map(|shape| shape.dims().unwrap_or(&[])).collect();
                (self.cost)(&call, &dims)
            }
            _ => Cost::FREE,
        };
        if let Outputs::Shapes(shapes) = &outputs {
            let sizes = shapes.iter().filter_map(Shape::dims).flatten();
            if let Some(size) = sizes.copied().find(|size| !size.is_representable()) {
                let problem = "has an output with a size beyond 2^53, which no double holds.";
                return Err(Error::new(Kind::Size, problem).sizes([size]));
            }
        }
        Ok(Outcome { outputs, cost })
    }

    /// Nothing is known of some inputs, so every number of dimensions is tried, and what all that fit agree on is known.
    fn apply_to_unknown(&'static self, args: &Args, shapes: &[Shape], places: Option<&[usize]>) -> Result<Outcome> {
        /// PyTorch's own limit.
        const MOST_DIMS: usize = 64;
        let unknown: Vec<usize> = (0..shapes.len()).filter(|&i| shapes[i] == Shape::Unknown).collect();
        // every combination for inputs that have names, as many as time allows; others have one number of dimensions
        let most = match unknown.len() {
            1 => MOST_DIMS,
            2 | 3 => 8,
            4 => 5,
            5 => 4,
            _ => 3,
        };
        let is_few = match self.inputs {
            Inputs::Named { .. } => unknown.len() <= 5,
            Inputs::Any { .. } => unknown.len() <= 4,
        };
        let combinations: Vec<Vec<usize>> = if is_few {
            (0..(most + 1).pow(unknown.len() as u32))
                .map(|code| (0..unknown.len()).map(|i| code / (most + 1).pow(i as u32) % (most + 1)).collect())
                .collect()
        } else {
            (0..=8).map(|rank| vec![rank; unknown.len()]).collect()
        };
        let any = vec![Dim::UNKNOWN; MOST_DIMS];
        let mut found: Option<Outcome> = None;
        let mut failure = None;
        for ranks in combinations {
            let mut ranks = ranks.into_iter();
            let dims: Vec<&[Dim]> =
                shapes.iter().map(|shape| shape.dims().unwrap_or_else(|| &any[..ranks.next().unwrap_or(0)])).collect();
            match self.apply(args, dims, places) {
                Ok(outcome) => {
                    let mut merged = match found.take() {
                        Some(before) => Outcome {
                            outputs: before.outputs.or(outcome.outputs),
                            cost: Cost {
                                params: before.cost.params.or(outcome.cost.params),
                                macs: before.cost.macs.or(outcome.cost.macs),
                            },
                        },
                        None => outcome,
                    };
                    let settled = merged.outputs.is_settled();
                    if settled && !merged.cost.macs.equals(0).is_yes() {
                        // of an output of any shape
                        merged.cost.macs = Dim::at_least(0);
                    }
                    found = Some(merged);
                    if settled {
                        break;
                    }
                }
                Err(error) => failure = Some(error),
            }
        }
        match (found, failure) {
            // a merge of ranks that leaves a scalar cost known is not worth more tries
            (Some(outcome), _) => Ok(outcome),
            (None, Some(error)) => Err(error),
            (None, None) => Err(Error::new(Kind::Rank, "fits no number of dimensions.")),
        }
    }
}

/// `dimensions 3 and 4` of a list counted from 0.
pub fn named_dims(dims: &[usize]) -> String {
    dimension(&dims.iter().map(|dim| dim + 1).collect::<Vec<_>>())
}

/// `a`, `a and b`: sizes in a sentence.
pub fn named_sizes(sizes: &[Dim]) -> String {
    all_of(sizes)
}
