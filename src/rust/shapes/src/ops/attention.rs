//! Attention, and the blocks that are built on it.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html>

mod ft;
mod scaled_dot_product;
mod transformer;

pub use ft::{ft_cls, ft_transformer_block};
pub use scaled_dot_product::scaled_dot_product_attention;
pub use transformer::{transformer_encoder, transformer_encoder_layer};

use crate::args::Arg;
use crate::dim::{Certainty, Dim};
use crate::error::{Error, Kind, Result};
use crate::op::{said, Call, Cost, Inputs, Op, Outputs};
use crate::shape::{Dims, Shape, Shown};

const MULTIHEAD: &[Arg] = &[
    Arg::whole("embed_dim").min(1).optional(),
    Arg::whole("num_heads").min(1),
    Arg::number("dropout").default_number(0.0),
    Arg::flag("bias", true),
    Arg::flag("add_bias_kv", false),
    Arg::flag("add_zero_attn", false),
    Arg::whole("kdim").min(0).optional(),
    Arg::whole("vdim").min(0).optional(),
    // FALSE in R torch, TRUE in mlr3torch
    Arg::flag("batch_first", false).optional(),
    // TRUE in R torch, FALSE in mlr3torch
    Arg::flag("need_weights", true).optional(),
    Arg::flag("avg_weights", true),
    // mlr3torch's
    Arg::choice("mode", &["self", "cross", "general"]).optional(),
];

const FORWARD: &[Arg] = &[
    Arg::whole("embed_dim_to_check").min(1).optional(),
    Arg::whole("num_heads").min(1),
    Arg::flag("add_zero_attn", false),
    Arg::number("dropout_p").default_number(0.0),
    Arg::flag("training", true),
    Arg::flag("need_weights", true),
    Arg::flag("avg_weights", true),
    Arg::flag("use_separate_proj_weight", false),
    Arg::flag("batch_first", false),
];
const FORWARD_INPUTS: &[&str] = &[
    "query",
    "key",
    "value",
    "in_proj_weight",
    "in_proj_bias",
    "bias_k",
    "bias_v",
    "out_proj_weight",
    "out_proj_bias",
    "key_padding_mask",
    "attn_mask",
    "q_proj_weight",
    "k_proj_weight",
    "v_proj_weight",
];

pub const fn multihead_attention(name: &'static str) -> Op {
    Op::new(name, "attention", "weighs values by how well queries and keys agree", multihead_rule)
        .args(MULTIHEAD)
        .inputs(Inputs::optional(&["query", "key", "value", "key_padding_mask", "attn_mask"], 4))
        .outputs(&["output", "[weights]"])
        .cost(multihead_cost)
}

pub const fn multi_head_attention_forward(name: &'static str) -> Op {
    Op::new(name, "attention", "weighs values by how well queries and keys agree", forward_rule)
        .args(FORWARD)
        .inputs(Inputs::optional(FORWARD_INPUTS, 11))
        .outputs(&["output", "[weights]"])
}

/// The sizes of multi-head attention.
struct Attention {
    batch: Dim,
    /// The length of the queries.
    target: Dim,
    /// The length of the keys and values, without those that the layer adds.
    source: Dim,
    embed: Dim,
    kdim: Dim,
    vdim: Dim,
    /// Whether kdim and vdim are the embedding's size, known or not.
    one_size: bool,
    heads: i64,
    /// The keys that the layer adds.
    added: i64,
    batch_first: bool,
}

impl Attention {
    /// Queries, keys and values are the inputs at `places`: of one batch size, keys and values of one length.
    fn of(call: &Call, places: [usize; 3], heads: i64, added: i64, batch_first: bool) -> Result<Attention> {
        let [query, key, value] = places;
        for i in places {
            call.input_of_rank(i, &[3])?;
        }
        let (batch, length) = if batch_first { (0, 1) } else { (1, 0) };
        let batch_size = call.common_size("batch size", &[(query, batch), (key, batch), (value, batch)])?;
        let batch_size = batch_size.keep_at_least(1).ok_or_else(|| {
            let problem = format!("cannot attend in a batch of size 0: input {}.", Shown(call.input(query)));
            call.size_error(query, batch, problem)
        })?;
        Ok(Attention {
            batch: batch_size,
            target: call.input(query)[length],
            source: call.common_size("length of keys and values", &[(key, length), (value, length)])?,
            embed: call.input(query)[2],
            kdim: call.input(key)[2],
            vdim: call.input(value)[2],
            one_size: query == key && query == value,
            heads,
            added,
            batch_first,
        })
    }

    /// The embedding is cut into heads of equal size.
    fn check_heads(&self, call: &Call, argument: &str) -> Result<()> {
        if self.embed.is_multiple_of(self.heads).is_no() || self.embed.is_at_least(1).is_no() {
            let problem = format!(
                "has {argument} = {}, but an embedding of size {} does not fall into as many heads.",
                self.heads,
                said(self.embed)
            );
            return Err(call.size_error(0, 2, problem).argument(argument).sizes([self.embed, Dim::known(self.heads)]));
        }
        Ok(())
    }

    /// A mask of keys (N, S), which expands to the batch and the keys.
    fn mask_keys(&mut self, call: &Call, i: usize) -> Result<()> {
        let mask = call.input_of_rank(i, &[2])?;
        self.batch = expanded(call, i, 0, mask[0], self.batch, "the batch size")?;
        self.mask_source(call, i, 1, mask[1])
    }

    /// A mask of scores (L, S) or (N heads, L, S), which expands to the scores.
    fn mask_scores(&mut self, call: &Call, i: usize) -> Result<()> {
        let mask = call.input_of_rank(i, &[2, 3])?;
        let n = mask.len();
        if n == 3 {
            let scores = self.batch * self.heads;
            let scores = expanded(call, i, 0, mask[0], scores, "the batch size times the number of heads")?;
            self.batch = scores.exact_div(self.heads).ok_or_else(|| {
                let problem = format!(
                    "needs a mask for each of its {} heads, but dimension 1 of input {} is {}, not a multiple.",
                    self.heads,
                    i + 1,
                    said(mask[0])
                );
                call.size_error(i, 0, problem)
            })?;
        }
        self.target = expanded(call, i, n - 2, mask[n - 2], self.target, "the length of the queries")?;
        self.mask_source(call, i, n - 1, mask[n - 1])
    }

    /// A mask is padded by the keys that the layer adds.
    fn mask_source(&mut self, call: &Call, i: usize, dim: usize, size: Dim) -> Result<()> {
        let what = "the length of the keys";
        let padded = (size + self.added).expand_to(self.source + self.added);
        let padded = padded.ok_or_else(|| unlike_mask(call, i, dim, size, self.source, what))?;
        self.source = padded - self.added;
        Ok(())
    }

    /// Whether R torch has one weight for queries, keys and values; otherwise it always averages over the heads.
    fn projects_together(&self) -> Certainty {
        let equal = [self.kdim, self.vdim].map(|size| size.equals(self.embed));
        let common = self.embed.unify(self.kdim).and_then(|size| size.unify(self.vdim));
        match common {
            _ if self.one_size || equal.iter().all(|equal| equal.is_yes()) => Certainty::Yes,
            Some(size) if !size.is_multiple_of(self.heads).is_no() => Certainty::Maybe,
            _ => Certainty::No,
        }
    }

    fn output(&self) -> Dims {
        if self.batch_first {
            vec![self.batch, self.target, self.embed]
        } else {
            vec![self.target, self.batch, self.embed]
        }
    }

    /// The weights of each query for each key, averaged over the heads or not.
    fn weights(&self, averaged: Certainty) -> Shape {
        let source = self.source + self.added;
        match averaged {
            Certainty::Yes => vec![self.batch, self.target, source].into(),
            Certainty::No => vec![self.batch, Dim::known(self.heads), self.target, source].into(),
            Certainty::Maybe => Shape::Unknown,
        }
    }

    /// E (E + kdim + vdim) to project queries, keys and values, E E for the output, with a bias 4 E more.
    fn params(&self, bias: bool) -> Dim {
        let weights = self.embed * (self.embed + self.kdim + self.vdim) + self.embed * self.embed;
        if bias {
            weights + self.embed * 4
        } else {
            weights
        }
    }

    /// N (2 L E E + S E (kdim + vdim) + 2 L S' E): projections of queries, output, keys and values; scores and their use, with
    /// the added keys in S'.
    fn macs(&self) -> Dim {
        let projections =
            self.target * self.embed * self.embed * 2 + self.source * self.embed * (self.kdim + self.vdim);
        let scores = self.target * (self.source + self.added) * self.embed * 2;
        self.batch * (projections + scores)
    }
}

/// What is left of `target` when dimension `dim` of mask `i` must expand to it.
fn expanded(call: &Call, i: usize, dim: usize, size: Dim, target: Dim, what: &str) -> Result<Dim> {
    size.expand_to(target).ok_or_else(|| unlike_mask(call, i, dim, size, target, what))
}

fn unlike_mask(call: &Call, i: usize, dim: usize, size: Dim, target: Dim, what: &str) -> Box<Error> {
    let problem = format!(
        "needs a mask whose dimension {} is {what}, {}, but in input {} it is {}.",
        dim + 1,
        said(target),
        i + 1,
        said(size)
    );
    call.size_error(i, dim, problem).sizes([target, size])
}

/// Keys or values have another size than the embedding, and no argument says so.
fn unlike_embedding(call: &Call, embed: Dim, name: &str, i: usize) -> Box<Error> {
    let size = call.input(i)[2];
    let problem = format!(
        "has an embedding of size {}, but dimension 3 of {} is {}.",
        said(embed),
        call.the_input(i),
        said(size)
    );
    let error = call.size_error(i, 2, problem).sizes([embed, size]);
    match size.value() {
        Some(size) => error.hint(format!("With {name} = {size} it would fit.")),
        None => error,
    }
}

/// Self-attention of one input, attention of queries to one input of keys and values, or to two.
fn attention(call: &Call) -> Result<Attention> {
    let mode = call.args.get_text("mode");
    let (places, found) = match (call.get_input(1).is_some(), call.get_input(2).is_some()) {
        (false, false) => ([0, 0, 0], "self"),
        (true, false) => ([0, 1, 1], "cross"),
        (true, true) => ([0, 1, 2], "general"),
        (false, true) => return Err(Error::new(Kind::Argument, "needs an input 'key' beside its input 'value'.")),
    };
    if let Some(mode) = mode.filter(|&mode| mode != found) {
        let wanted = match mode {
            "self" => "1 input",
            "cross" => "2 inputs (query, key_value)",
            _ => "3 inputs (query, key, value)",
        };
        let problem = format!("needs {wanted} with mode = \"{mode}\", not {}.", call.inputs().len());
        return Err(Error::new(Kind::Argument, problem).argument("mode"));
    }
    let is_pipeop = is_pipeop(call);
    let args = call.args;
    let added = i64::from(args.flag("add_bias_kv")) + i64::from(args.flag("add_zero_attn"));
    let batch_first = args.get_flag("batch_first").unwrap_or(is_pipeop);
    let mut attention = Attention::of(call, places, args.whole("num_heads"), added, batch_first)?;

    // R torch takes the embedding's size for keys and values unless told otherwise, mlr3torch the inputs' own
    let is_embed = |name: &str, i: usize| i == 0 || !(is_pipeop || args.is_given(name));
    let mut embed = call.agree("embed_dim", 0, 2)?;
    let mut kdim = call.agree("kdim", places[1], 2)?;
    let mut vdim = call.agree("vdim", places[2], 2)?;
    if places[1] == places[2] {
        kdim = kdim.unify(vdim).ok_or_else(|| {
            let problem = format!("has kdim = {kdim} and vdim = {vdim}, but one input is both keys and values.");
            Error::new(Kind::Argument, problem).argument("vdim").sizes([kdim, vdim])
        })?;
        vdim = kdim;
    }
    for (name, i, size) in [("kdim", places[1], kdim), ("vdim", places[2], vdim)] {
        if is_embed(name, i) {
            embed = embed.unify(size).ok_or_else(|| unlike_embedding(call, embed, name, i))?;
        }
    }
    let (keys_are, values_are) = (is_embed("kdim", places[1]), is_embed("vdim", places[2]));
    if keys_are {
        kdim = embed;
    }
    if values_are {
        vdim = embed;
    }
    attention.one_size = keys_are && values_are;
    (attention.embed, attention.kdim, attention.vdim) = (embed, kdim, vdim);
    attention.check_heads(call, "num_heads")?;
    if call.get_input(3).is_some() {
        attention.mask_keys(call, 3)?;
    }
    if call.get_input(4).is_some() {
        attention.mask_scores(call, 4)?;
    }
    Ok(attention)
}

/// Whether mlr3torch's PipeOp is meant, not R torch's module.
fn is_pipeop(call: &Call) -> bool {
    call.args.is_given("mode") || call.get_input(1).is_none() || call.get_input(2).is_none()
}

/// (L, N, E), (S, N, kdim), (S, N, vdim) -> (L, N, E) and the weights (N, L, S) or (N, heads, L, S); N first with batch_first.
fn multihead_rule(call: &Call) -> Result<Outputs> {
    let attention = attention(call)?;
    let need_weights = call.args.get_flag("need_weights").unwrap_or(!is_pipeop(call));
    Ok(attended(&attention, need_weights, call.args.flag("avg_weights"), attention.projects_together()))
}

fn attended(attention: &Attention, need_weights: bool, average: bool, projects_together: Certainty) -> Outputs {
    let mut outputs = vec![attention.output().into()];
    if need_weights {
        // R torch hands avg_weights on only where the projection is one
        let averaged = match projects_together {
            _ if average => Certainty::Yes,
            Certainty::Yes => Certainty::No,
            Certainty::No => Certainty::Yes,
            Certainty::Maybe => Certainty::Maybe,
        };
        outputs.push(attention.weights(averaged));
    }
    Outputs::Shapes(outputs)
}

/// E (2 E + kdim + vdim), 4 E with a bias, 2 E with a learned key and value.
fn multihead_cost(call: &Call, _: &[&[Dim]]) -> Cost {
    attention(call).map_or(Cost::FREE, |attention| {
        let learned_keys = if call.args.flag("add_bias_kv") { attention.embed * 2 } else { Dim::ZERO };
        Cost { params: attention.params(call.args.flag("bias")) + learned_keys, macs: attention.macs() }
    })
}

/// As the module, with the weights as inputs: in_proj_weight (3 E, E), or q_proj_weight (E, E), k_proj_weight (E, kdim) and
/// v_proj_weight (E, vdim); bias_k and bias_v (1, 1, E).
fn forward_rule(call: &Call) -> Result<Outputs> {
    let place = |name: &str| FORWARD_INPUTS.iter().position(|input| *input == name).unwrap_or(0);
    let given = |name: &str| Some(place(name)).filter(|&i| call.get_input(i).is_some());
    let args = call.args;
    let learned_key = given("bias_k").is_some() && given("bias_v").is_some();
    let added = i64::from(learned_key) + i64::from(args.flag("add_zero_attn"));
    let heads = args.whole("num_heads");
    let mut attention = Attention::of(call, [0, 1, 2], heads, added, args.flag("batch_first"))?;
    attention.embed = call.agree("embed_dim_to_check", 0, 2)?;
    let separate = args.flag("use_separate_proj_weight");
    if !separate {
        attention.embed =
            call.common_size("embedding size", &[(0, 2), (1, 2), (2, 2)])?.unify(attention.embed).ok_or_else(|| {
                call.size_error(0, 2, "has embed_dim_to_check that is not the size of its keys and values.")
            })?;
    }
    let (kdim, vdim) = (attention.kdim, attention.vdim);
    // each size: how many times the embedding's, or another size
    let weights: &[(&str, &[(i64, Dim)])] = &[
        ("in_proj_weight", &[(3, Dim::ZERO), (1, Dim::ZERO)]),
        ("in_proj_bias", &[(3, Dim::ZERO)]),
        ("bias_k", &[(0, Dim::ONE), (0, Dim::ONE), (1, Dim::ZERO)]),
        ("bias_v", &[(0, Dim::ONE), (0, Dim::ONE), (1, Dim::ZERO)]),
        ("out_proj_weight", &[(1, Dim::ZERO), (1, Dim::ZERO)]),
        ("out_proj_bias", &[(1, Dim::ZERO)]),
        ("q_proj_weight", &[(1, Dim::ZERO), (1, Dim::ZERO)]),
        ("k_proj_weight", &[(1, Dim::ZERO), (0, kdim)]),
        ("v_proj_weight", &[(1, Dim::ZERO), (0, vdim)]),
    ];
    for (name, wanted) in weights {
        let Some(i) = given(name) else { continue };
        let weight = call.input_of_rank(i, &[wanted.len()])?;
        for (d, &(times, other)) in wanted.iter().enumerate() {
            let fits = if times == 0 {
                weight[d].unify(other).map(|_| attention.embed)
            } else {
                weight[d].exact_div(times).and_then(|size| size.unify(attention.embed))
            };
            attention.embed = fits.ok_or_else(|| {
                let sizes: Dims = wanted.iter().map(|&(times, other)| attention.embed * times + other).collect();
                let problem =
                    format!("needs input {} ('{name}') of shape {}, not {}.", i + 1, Shown(&sizes), Shown(weight));
                call.size_error(i, d, problem).sizes([sizes[d], weight[d]])
            })?;
        }
    }
    attention.check_heads(call, "num_heads")?;
    if let Some(i) = given("key_padding_mask") {
        attention.mask_keys(call, i)?;
    }
    if let Some(i) = given("attn_mask") {
        attention.mask_scores(call, i)?;
    }
    let averages = args.flag("avg_weights");
    Ok(attended(&attention, args.flag("need_weights"), averages, Certainty::Yes))
}
