//! Arguments of operators: what an operator takes, and the checked values of one call.

use crate::error::{counted, nearest, one_of, Error, Kind, Result};

/// Whole numbers beyond this are refused as arguments: sizes are exact up to 2^53.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// A value as the user gave it.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Null,
    Flags(Vec<Option<bool>>),
    /// Whole or not; a missing value is `None`.
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
    List(Vec<(String, Value)>),
    /// Something that no shape depends on, or a mistake: its class.
    Other(String),
}

impl Value {
    pub fn whole(n: i64) -> Value {
        Value::Numbers(vec![Some(n as f64)])
    }

    pub fn wholes(ns: &[i64]) -> Value {
        Value::Numbers(ns.iter().map(|&n| Some(n as f64)).collect())
    }

    pub fn text(text: &str) -> Value {
        Value::Texts(vec![Some(text.to_string())])
    }

    pub fn flag(flag: bool) -> Value {
        Value::Flags(vec![Some(flag)])
    }

    /// `3`, `c(1, 2)`, `"same"`: for messages.
    pub fn shown(&self) -> String {
        fn vector<T>(items: &[Option<T>], show: impl Fn(&T) -> String) -> String {
            const SHOWN: usize = 8;
            let texts: Vec<String> =
                items.iter().take(SHOWN).map(|item| item.as_ref().map_or("NA".to_string(), &show)).collect();
            match texts.as_slice() {
                [one] => one.clone(),
                _ if items.len() > SHOWN => format!("c({}, ...)", texts.join(", ")),
                _ => format!("c({})", texts.join(", ")),
            }
        }
        match self {
            Value::Null => "NULL".to_string(),
            Value::Flags(flags) => vector(flags, |&flag| if flag { "TRUE" } else { "FALSE" }.to_string()),
            Value::Numbers(numbers) => vector(numbers, |&number| shown_number(number)),
            Value::Texts(texts) => vector(texts, |text| format!("\"{}\"", shortened(text))),
            Value::List(items) => format!("a list of {}", items.len()),
            Value::Other(class) => format!("a {class}"),
        }
    }

    /// `c(1, 2)` for `list(1, 2)`: R torch takes one as the other. `None` for anything else.
    fn unlisted(&self) -> Option<Value> {
        let Value::List(items) = self else { return None };
        let number = |(_, item): &(String, Value)| match item {
            Value::Numbers(numbers) if numbers.len() == 1 => Some(numbers[0]),
            _ => None,
        };
        items.iter().map(number).collect::<Option<Vec<_>>>().map(Value::Numbers)
    }

    /// How many values it holds.
    pub fn count(&self) -> usize {
        match self {
            Value::Null => 0,
            Value::Flags(items) => items.len(),
            Value::Numbers(items) => items.len(),
            Value::Texts(items) => items.len(),
            Value::List(items) => items.len(),
            Value::Other(_) => 1,
        }
    }
}

pub fn shown_number(number: f64) -> String {
    match number {
        n if n.is_nan() => "NaN".to_string(),
        n if n.is_infinite() => if n > 0.0 { "Inf" } else { "-Inf" }.to_string(),
        n => format!("{n}"),
    }
}

/// A text for a message, cut short.
pub fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return text.escape_debug().to_string();
    }
    format!("{}...", text.chars().take(LONGEST).collect::<String>().escape_debug())
}

/// What kind of value an argument takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Takes {
    Flag,
    /// One whole number.
    Whole,
    /// Whole numbers.
    Wholes,
    /// Whole numbers or NA.
    WholesOrMissing,
    Number,
    Numbers,
    Text,
    /// Whole numbers, or one of some words.
    WholesOrWord,
    /// Anything; the rule looks at it, or no shape depends on it.
    Anything,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Default {
    /// Must be given.
    Required,
    /// May be left out: follows from the input, or is not there.
    Absent,
    Flag(bool),
    Whole(i64),
    Wholes(&'static [i64]),
    Number(f64),
    Text(&'static str),
}

/// One argument of an operator.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    pub name: &'static str,
    pub takes: Takes,
    pub default: Default,
    pub min: i64,
    pub words: &'static [&'static str],
}

impl Arg {
    const fn new(name: &'static str, takes: Takes, default: Default) -> Arg {
        Arg { name, takes, default, min: i64::MIN, words: &[] }
    }

    /// TRUE or FALSE.
    pub const fn flag(name: &'static str, default: bool) -> Arg {
        Arg::new(name, Takes::Flag, Default::Flag(default))
    }

    /// TRUE or FALSE, which must be given.
    pub const fn required_flag(name: &'static str) -> Arg {
        Arg::new(name, Takes::Flag, Default::Required)
    }

    /// A whole number that must be given.
    pub const fn whole(name: &'static str) -> Arg {
        Arg::new(name, Takes::Whole, Default::Required)
    }

    /// Whole numbers that must be given.
    pub const fn wholes(name: &'static str) -> Arg {
        Arg::new(name, Takes::Wholes, Default::Required)
    }

    /// Whole numbers or NA that must be given.
    pub const fn wholes_or_missing(name: &'static str) -> Arg {
        Arg::new(name, Takes::WholesOrMissing, Default::Required)
    }

    /// Whole numbers, or one of `words`.
    pub const fn wholes_or_word(name: &'static str, words: &'static [&'static str]) -> Arg {
        let mut arg = Arg::new(name, Takes::WholesOrWord, Default::Required);
        arg.words = words;
        arg
    }

    /// One number, whole or not, that must be given.
    pub const fn number(name: &'static str) -> Arg {
        Arg::new(name, Takes::Number, Default::Required)
    }

    /// Numbers, whole or not, that must be given.
    pub const fn numbers(name: &'static str) -> Arg {
        Arg::new(name, Takes::Numbers, Default::Required)
    }

    /// A text that must be given.
    pub const fn text(name: &'static str) -> Arg {
        Arg::new(name, Takes::Text, Default::Required)
    }

    /// One of `words`; the first is the default.
    pub const fn choice(name: &'static str, words: &'static [&'static str]) -> Arg {
        let mut arg = Arg::new(name, Takes::Text, Default::Text(words[0]));
        arg.words = words;
        arg
    }

    /// Anything at all; the rule looks at it, or no shape depends on it.
    pub const fn any(name: &'static str) -> Arg {
        Arg::new(name, Takes::Anything, Default::Absent)
    }

    /// May be left out.
    pub const fn optional(mut self) -> Arg {
        self.default = Default::Absent;
        self
    }

    pub const fn default(mut self, value: i64) -> Arg {
        self.default = Default::Whole(value);
        self
    }

    pub const fn default_wholes(mut self, values: &'static [i64]) -> Arg {
        self.default = Default::Wholes(values);
        self
    }

    pub const fn default_number(mut self, value: f64) -> Arg {
        self.default = Default::Number(value);
        self
    }

    pub const fn default_text(mut self, value: &'static str) -> Arg {
        self.default = Default::Text(value);
        self
    }

    /// Every number is at least `min`.
    pub const fn min(mut self, min: i64) -> Arg {
        self.min = min;
        self
    }

    /// What it takes, for messages.
    fn expected(&self) -> String {
        let bound = |noun: &str| {
            if self.min == i64::MIN {
                noun.to_string()
            } else {
                format!("{noun} >= {}", self.min)
            }
        };
        match self.takes {
            Takes::Flag => "TRUE or FALSE".to_string(),
            Takes::Whole => bound("one whole number"),
            Takes::Wholes => bound("whole numbers"),
            Takes::WholesOrMissing => format!("{} or NA", bound("whole numbers")),
            Takes::Number => "one number".to_string(),
            Takes::Numbers => "numbers".to_string(),
            Takes::Text if self.words.is_empty() => "one text".to_string(),
            Takes::Text => self.quoted_words(),
            Takes::WholesOrWord => format!("{} or {}", bound("whole numbers"), self.quoted_words()),
            Takes::Anything => "anything".to_string(),
        }
    }

    fn quoted_words(&self) -> String {
        one_of(&self.words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>())
    }

    /// `stride = 1`, `kernel_size`: for the manual.
    pub fn signature(&self) -> String {
        let default = match self.default {
            Default::Required => return self.name.to_string(),
            Default::Absent => "NULL".to_string(),
            Default::Flag(flag) => Value::flag(flag).shown(),
            Default::Whole(n) => n.to_string(),
            Default::Wholes(ns) => Value::wholes(ns).shown(),
            Default::Number(x) => shown_number(x),
            Default::Text(text) => format!("\"{text}\""),
        };
        format!("{} = {default}", self.name)
    }

    fn check(&self, value: &Value) -> Result<Checked> {
        let wrong = || {
            let problem = format!("needs {} for argument '{}', not {}.", self.expected(), self.name, value.shown());
            Err(Error::new(Kind::Argument, problem).argument(self.name))
        };
        if let Value::Null = value {
            return Ok(Checked::Absent);
        }
        let unlisted = if self.takes == Takes::Anything { None } else { value.unlisted() };
        let value = unlisted.as_ref().unwrap_or(value);
        match (self.takes, value) {
            (Takes::Anything, _) => Ok(Checked::Raw(value.clone())),
            (Takes::Flag, Value::Flags(flags)) => match flags.as_slice() {
                [Some(flag)] => Ok(Checked::Flag(*flag)),
                _ => wrong(),
            },
            (Takes::Text, Value::Texts(texts)) => match texts.as_slice() {
                [Some(text)] if self.words.is_empty() || self.words.contains(&text.as_str()) => {
                    Ok(Checked::Text(text.clone()))
                }
                [Some(text)] => wrong().map_err(|error| match nearest(text, self.words.iter().copied()) {
                    Some(word) => error.hint(format!("Did you mean \"{word}\"?")),
                    None => error,
                }),
                _ => wrong(),
            },
            (Takes::WholesOrWord, Value::Texts(texts)) => match texts.as_slice() {
                [Some(text)] if self.words.contains(&text.as_str()) => Ok(Checked::Text(text.clone())),
                _ => wrong(),
            },
            (Takes::Number, Value::Numbers(numbers)) => match numbers.as_slice() {
                [Some(number)] if number.is_finite() => Ok(Checked::Numbers(vec![*number])),
                _ => wrong(),
            },
            (Takes::Numbers, Value::Numbers(numbers)) => {
                let all: Option<Vec<f64>> = numbers.iter().map(|n| n.filter(|n| n.is_finite())).collect();
                all.map_or_else(wrong, |all| Ok(Checked::Numbers(all)))
            }
            (Takes::Whole, Value::Numbers(numbers)) if numbers.len() == 1 => match whole(numbers[0]) {
                Some(n) if n >= self.min => Ok(Checked::Whole(n)),
                _ => wrong(),
            },
            (Takes::Wholes | Takes::WholesOrWord, Value::Numbers(numbers)) => {
                let fitting = |n| whole(n).filter(|&n| n >= self.min);
                if let [one] = numbers.as_slice() {
                    return fitting(*one).map_or_else(wrong, |one| Ok(Checked::Whole(one)));
                }
                let all: Option<Vec<i64>> = numbers.iter().copied().map(fitting).collect();
                all.map_or_else(wrong, |all| Ok(Checked::Wholes(all)))
            }
            // an empty vector has no type to be wrong
            (Takes::Wholes, Value::Flags(flags)) if flags.is_empty() => Ok(Checked::Wholes(Vec::new())),
            (Takes::WholesOrMissing, Value::Numbers(numbers)) => {
                let all: Option<Vec<Option<i64>>> = numbers
                    .iter()
                    .map(|&n| match n {
                        None => Some(None),
                        n => whole(n).filter(|&n| n >= self.min).map(Some),
                    })
                    .collect();
                all.map_or_else(wrong, |all| Ok(Checked::WholesOrMissing(all)))
            }
            // a bare NA is a logical in R
            (Takes::WholesOrMissing, Value::Flags(flags)) if flags.iter().all(Option::is_none) => {
                Ok(Checked::WholesOrMissing(vec![None; flags.len()]))
            }
            _ => wrong(),
        }
    }

    fn default_value(&self) -> Option<Checked> {
        Some(match self.default {
            Default::Required => return None,
            Default::Absent => Checked::Absent,
            Default::Flag(flag) => Checked::Flag(flag),
            Default::Whole(n) => match self.takes {
                Takes::WholesOrMissing => Checked::WholesOrMissing(vec![Some(n)]),
                _ => Checked::Whole(n),
            },
            Default::Wholes(ns) => Checked::Wholes(ns.to_vec()),
            Default::Number(x) => Checked::Numbers(vec![x]),
            Default::Text(text) => Checked::Text(text.to_string()),
        })
    }
}

fn whole(number: Option<f64>) -> Option<i64> {
    number.filter(|n| n.fract() == 0.0 && n.abs() <= LARGEST).map(|n| n as i64)
}

/// A value that fits its argument.
#[derive(Clone, PartialEq, Debug)]
enum Checked {
    Absent,
    Flag(bool),
    /// By far the most usual, so it is spared the heap.
    Whole(i64),
    Wholes(Vec<i64>),
    WholesOrMissing(Vec<Option<i64>>),
    Numbers(Vec<f64>),
    Text(String),
    Raw(Value),
}

/// The checked arguments of one call, defaults filled in. The accessors take a declared name; which accessor fits is said
/// by the declaration.
#[derive(Debug)]
pub struct Args {
    declared: &'static [Arg],
    values: Vec<Checked>,
}

impl Args {
    pub fn check(declared: &'static [Arg], given: &[(String, Value)]) -> Result<Args> {
        let mut values: Vec<Option<Checked>> = vec![None; declared.len()];
        for (name, value) in given {
            let Some(i) = declared.iter().position(|arg| arg.name == name) else {
                return Err(unknown(declared, name));
            };
            if values[i].is_some() {
                let problem = format!("has argument '{name}' twice.");
                return Err(Error::new(Kind::Argument, problem).argument(name));
            }
            values[i] = Some(declared[i].check(value)?);
        }
        let filled: Result<Vec<Checked>> = declared
            .iter()
            .zip(values)
            .map(|(arg, value)| match value {
                Some(value) if value != Checked::Absent => Ok(value),
                _ => arg.default_value().ok_or_else(|| {
                    let problem = format!("needs argument '{}': {}.", arg.name, arg.expected());
                    Error::new(Kind::Argument, problem).argument(arg.name)
                }),
            })
            .collect();
        Ok(Args { declared, values: filled? })
    }

    fn get(&self, name: &str) -> &Checked {
        match self.declared.iter().position(|arg| arg.name == name) {
            Some(i) => &self.values[i],
            None => unreachable!("argument '{name}' is not declared"),
        }
    }

    pub fn is_given(&self, name: &str) -> bool {
        *self.get(name) != Checked::Absent
    }

    pub fn declares(&self, name: &str) -> bool {
        self.declared.iter().any(|arg| arg.name == name)
    }

    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Checked::Flag(true))
    }

    /// A flag that has no default.
    pub fn get_flag(&self, name: &str) -> Option<bool> {
        match self.get(name) {
            Checked::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    pub fn get_whole(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            Checked::Whole(n) => Some(*n),
            Checked::Wholes(ns) => ns.first().copied(),
            _ => None,
        }
    }

    /// A whole number that is required or has a default.
    pub fn whole(&self, name: &str) -> i64 {
        self.get_whole(name).unwrap_or_else(|| unreachable!("argument '{name}' has no value"))
    }

    pub fn get_wholes(&self, name: &str) -> Option<&[i64]> {
        match self.get(name) {
            Checked::Whole(n) => Some(std::slice::from_ref(n)),
            Checked::Wholes(ns) => Some(ns),
            _ => None,
        }
    }

    /// Whole numbers that are required or have a default.
    pub fn wholes(&self, name: &str) -> &[i64] {
        self.get_wholes(name).unwrap_or_else(|| unreachable!("argument '{name}' has no value"))
    }

    pub fn get_wholes_or_missing(&self, name: &str) -> Option<&[Option<i64>]> {
        match self.get(name) {
            Checked::WholesOrMissing(ns) => Some(ns),
            _ => None,
        }
    }

    pub fn get_number(&self, name: &str) -> Option<f64> {
        self.get_numbers(name)?.first().copied()
    }

    pub fn get_numbers(&self, name: &str) -> Option<&[f64]> {
        match self.get(name) {
            Checked::Numbers(ns) => Some(ns),
            _ => None,
        }
    }

    pub fn get_text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Checked::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of an argument that takes anything.
    pub fn get_raw(&self, name: &str) -> Option<&Value> {
        match self.get(name) {
            Checked::Raw(value) => Some(value),
            _ => None,
        }
    }

    /// One number for each of `N` spatial dimensions: one value stands for all.
    pub fn spatial<const N: usize>(&self, name: &str) -> Result<[i64; N]> {
        spread(name, self.wholes(name))
    }
}

/// `values` for each of `N` spatial dimensions: one value stands for all.
pub fn spread<const N: usize, T: Copy>(name: &str, values: &[T]) -> Result<[T; N]> {
    match values {
        [one] => Ok([*one; N]),
        _ => values.try_into().map_err(|_| {
            let fits = if N == 1 { "1 number".to_string() } else { format!("1 or {N} numbers") };
            let problem = format!("needs {fits} for argument '{name}', not {}.", values.len());
            Error::new(Kind::Argument, problem).argument(name)
        }),
    }
}

/// `values` for each of `N` spatial dimensions, where R torch repeats no single value.
pub fn in_full<const N: usize, T: Copy>(name: &str, values: &[T]) -> Result<[T; N]> {
    values.try_into().map_err(|_| {
        let problem = format!("needs {} for argument '{name}', not {}.", counted(N, "number"), values.len());
        Error::new(Kind::Argument, problem).argument(name)
    })
}

fn unknown(declared: &[Arg], name: &str) -> Box<Error> {
    if name.is_empty() {
        let problem = "has an argument without a name; arguments are given by name.";
        return Error::new(Kind::Argument, problem);
    }
    let error = Error::new(Kind::Argument, format!("has no argument '{}'.", shortened(name))).argument(name);
    let names: Vec<&str> = declared.iter().map(|arg| arg.name).collect();
    match nearest(name, names.iter().copied()) {
        Some(near) => error.hint(format!("Did you mean '{near}'?")),
        None if names.is_empty() => error.hint("It takes none."),
        None => error.hint(format!("It takes {}.", names.join(", "))),
    }
}

impl Value {
    /// How many values it holds, for messages.
    pub fn counted(&self) -> String {
        counted(self.count(), "value")
    }
}
