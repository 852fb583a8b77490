//! Vectors for numbers and for categories.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html>

use crate::args::{Arg, Value};
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{said, Call, Cost, Inputs, Op, Outputs};

const MAX_NORM: Arg = Arg::number("max_norm").optional();
const NORM_TYPE: Arg = Arg::number("norm_type").default_number(2.0);
const SCALE: Arg = Arg::flag("scale_grad_by_freq", false);
const SPARSE: Arg = Arg::flag("sparse", false);
const PADDING: Arg = Arg::whole("padding_idx").optional();
const MODES: Arg = Arg::choice("mode", &["mean", "sum", "max"]);
const LAST_OFFSET: Arg = Arg::flag("include_last_offset", false);

const NUM: Arg = Arg::whole("num_embeddings").min(0);
const DIM: Arg = Arg::whole("embedding_dim").min(0);
const EMBEDDING: &[Arg] = &[NUM, DIM, PADDING, MAX_NORM, NORM_TYPE, SCALE, SPARSE, Arg::any(".weight")];
const NNF_EMBEDDING: &[Arg] = &[PADDING, MAX_NORM, NORM_TYPE, SCALE, SPARSE];
const BAG: &[Arg] = &[NUM, DIM, MAX_NORM, NORM_TYPE, SCALE, MODES, SPARSE, LAST_OFFSET, PADDING, Arg::any(".weight")];
const NNF_BAG: &[Arg] = &[MAX_NORM, NORM_TYPE, SCALE, MODES, SPARSE, LAST_OFFSET, PADDING];

const INITIALIZATION: Arg = Arg::choice("initialization", &["uniform", "normal"]);
const TOKENIZER_NUM: &[Arg] = &[
    Arg::whole("n_features").min(1).optional(),
    Arg::whole("d_token").min(1),
    Arg::flag("bias", true),
    INITIALIZATION,
];
const TOKENIZER_CATEG: &[Arg] = &[
    Arg::wholes("cardinalities").min(1).optional(),
    Arg::whole("d_token").min(1),
    Arg::flag("bias", true),
    INITIALIZATION,
    // where the cardinalities are left out, those of a task
    Arg::any("task"),
];

pub const fn embedding(name: &'static str) -> Op {
    Op::new(name, "embedding", "a vector for each number", embedding_rule).args(EMBEDDING).cost(embedding_cost)
}

pub const fn nnf_embedding(name: &'static str) -> Op {
    Op::new(name, "embedding", "a row of a matrix for each number", nnf_embedding_rule)
        .args(NNF_EMBEDDING)
        .inputs(Inputs::named(&["input", "weight"]))
}

pub const fn embedding_bag(name: &'static str) -> Op {
    Op::new(name, "embedding", "sum, mean or maximum of the vectors of each bag of numbers", bag_rule)
        .args(BAG)
        .inputs(Inputs::optional(&["input", "offsets", "per_sample_weights"], 2))
        .cost(embedding_cost)
}

pub const fn nnf_embedding_bag(name: &'static str) -> Op {
    Op::new(name, "embedding", "sum, mean or maximum of the rows of each bag of numbers", nnf_bag_rule)
        .args(NNF_BAG)
        .inputs(Inputs::optional(&["input", "weight", "offsets", "per_sample_weights"], 2))
}

pub const fn tokenizer_num(name: &'static str) -> Op {
    Op::new(name, "embedding", "a vector for each numeric feature", tokenizer_num_rule)
        .args(TOKENIZER_NUM)
        .cost(tokenizer_num_cost)
}

pub const fn tokenizer_categ(name: &'static str) -> Op {
    Op::new(name, "embedding", "a vector for each categorical feature", tokenizer_categ_rule)
        .args(TOKENIZER_CATEG)
        .cost(tokenizer_categ_cost)
}

/// (*) -> (*, embedding_dim)
fn embedding_rule(call: &Call) -> Result<Outputs> {
    let rows = check_padding(call)?;
    let input = call.input(0);
    not_without_rows(call, rows)?;
    let mut output = input.to_vec();
    output.push(Dim::known(call.args.whole("embedding_dim")));
    Ok(output.into())
}

/// (*) and (num, dim) -> (*, dim)
fn nnf_embedding_rule(call: &Call) -> Result<Outputs> {
    let weight = call.input_of_rank(1, &[2])?;
    not_without_rows(call, weight[0])?;
    let mut output = call.input(0).to_vec();
    output.push(weight[1]);
    Ok(output.into())
}

/// num_embeddings, where padding_idx is one of them.
fn check_padding(call: &Call) -> Result<Dim> {
    let rows = call.args.whole("num_embeddings");
    if let Some(padding) = call.args.get_whole("padding_idx") {
        if padding == 0 || padding > rows || padding <= -rows {
            let problem = format!("has padding_idx = {padding}, but num_embeddings = {rows}.");
            return Err(Error::new(Kind::Argument, problem)
                .argument("padding_idx")
                .hint(format!("It can be 1 to {rows}.")));
        }
    }
    Ok(Dim::known(rows))
}

/// Numbers to look up need a row to be found in.
fn not_without_rows(call: &Call, rows: Dim) -> Result<()> {
    let elements = call.input(0).iter().fold(Dim::ONE, |product, &size| product * size);
    if rows.equals(0).is_yes() && elements.equals(0).is_no() {
        let problem = "has no embeddings at all, but its input has numbers to look up.";
        return Err(Error::new(Kind::Size, problem).argument("num_embeddings").sizes([rows]));
    }
    Ok(())
}

/// num_embeddings vectors of embedding_dim elements
fn embedding_cost(call: &Call, _: &[&[Dim]]) -> Cost {
    let params = Dim::known(call.args.whole("num_embeddings")) * call.args.whole("embedding_dim");
    Cost { params, ..Cost::FREE }
}

/// (B, n) -> (B, embedding_dim), or (n) with offsets (B) -> (B, embedding_dim)
fn bag_rule(call: &Call) -> Result<Outputs> {
    let rows = check_padding(call)?;
    bags(call, rows, Dim::known(call.args.whole("embedding_dim")), 1, 2)
}

/// As the module, with a weight (num, dim).
fn nnf_bag_rule(call: &Call) -> Result<Outputs> {
    let weight = call.input_of_rank(1, &[2])?;
    bags(call, weight[0], weight[1], 2, 3)
}

/// The bags' vectors, where `offsets` and `weights` say the places of these inputs.
fn bags(call: &Call, rows: Dim, size: Dim, offsets: usize, weights: usize) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[1, 2])?;
    not_without_rows(call, rows)?;
    let has_offsets = call.get_input(offsets).is_some();
    let mut count = match (input.len(), has_offsets) {
        (1, true) => call.input_of_rank(offsets, &[1])?[0],
        (1, false) => {
            let problem = "needs an input 'offsets' that says where the bags of a 1-dimensional input start.";
            return Err(Error::new(Kind::Argument, problem));
        }
        (_, true) => {
            let problem = "cannot have offsets for a 2-dimensional input: each of its rows is a bag.";
            return Err(Error::new(Kind::Argument, problem).inputs([1, offsets + 1]));
        }
        (_, false) => input[0],
    };
    if input.len() == 2 && input[1].equals(0).is_yes() {
        return Err(call.size_error(0, 1, "needs at least one number in each bag, but dimension 2 of its input is 0."));
    }
    if call.args.flag("include_last_offset") {
        count = (count - 1).keep_at_least(0).ok_or_else(|| {
            let problem = "needs at least one offset with include_last_offset = TRUE: the last one is the end.";
            Error::new(Kind::Size, problem).argument("include_last_offset").sizes([count])
        })?;
    }
    if call.get_input(weights).is_some() {
        if call.args.get_text("mode") != Some("sum") {
            let problem = "takes per_sample_weights with mode = \"sum\" only.";
            return Err(Error::new(Kind::Argument, problem).argument("mode"));
        }
        call.input_of_rank(weights, &[input.len()])?;
        for d in 0..input.len() {
            call.common_size("shape of its input and of per_sample_weights", &[(0, d), (weights, d)])?;
        }
    }
    Ok(vec![count, size].into())
}

/// (N, features) -> (N, features, d_token)
fn tokenizer_num_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[2])?;
    let features = call
        .agree("n_features", 0, 1)?
        .keep_at_least(1)
        .ok_or_else(|| call.size_error(0, 1, "needs at least one feature, but dimension 2 of its input is 0."))?;
    Ok(vec![input[0], features, Dim::known(call.args.whole("d_token"))].into())
}

/// A weight and a bias of d_token elements for each feature.
fn tokenizer_num_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let vectors = if call.args.flag("bias") { 2 } else { 1 };
    Cost { params: outputs[0][1] * outputs[0][2] * vectors, ..Cost::FREE }
}

/// (N, features) -> (N, features, d_token) with one cardinality a feature; a single one of either stands for all.
fn tokenizer_categ_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[2])?;
    let cardinalities = cardinalities(call)?;
    let count = Dim::known(cardinalities.len() as i64);
    let tokens = input[1].broadcast(count).ok_or_else(|| {
        let problem = format!("has {count} cardinalities, but dimension 2 of its input is {}.", said(input[1]));
        call.size_error(0, 1, problem)
            .argument("cardinalities")
            .sizes([count, input[1]])
            .hint("There must be one for each feature.")
    })?;
    Ok(vec![input[0], tokens, Dim::known(call.args.whole("d_token"))].into())
}

/// The numbers of categories: as given, or those of the task.
fn cardinalities(call: &Call) -> Result<Vec<i64>> {
    let from_task = || -> Option<Vec<i64>> {
        let Some(Value::List(items)) = call.args.get_raw("task") else { return None };
        let (_, value) = items.iter().find(|(name, _)| name == "cardinalities")?;
        let Value::Numbers(numbers) = value else { return None };
        numbers.iter().map(|n| n.filter(|n| n.fract() == 0.0 && *n >= 1.0).map(|n| n as i64)).collect()
    };
    match call.args.get_wholes("cardinalities").map(<[i64]>::to_vec).or_else(from_task) {
        Some(cardinalities) if !cardinalities.is_empty() => Ok(cardinalities),
        _ => {
            let problem = "needs argument 'cardinalities': the number of categories of each feature.";
            Err(Error::new(Kind::Argument, problem).argument("cardinalities"))
        }
    }
}

/// A vector of d_token elements for each category, and a bias for each feature.
fn tokenizer_categ_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let cardinalities = cardinalities(call).unwrap_or_default();
    let categories = cardinalities.iter().fold(Dim::ZERO, |sum, &n| sum + n);
    let biases = if call.args.flag("bias") { cardinalities.len() as i64 } else { 0 };
    Cost { params: (categories + biases) * outputs[0][2], ..Cost::FREE }
}
