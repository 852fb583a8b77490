//! Layers of transformers.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoderLayer.html>

use super::Attention;
use crate::args::{Arg, Args, Value};
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{Call, Cost, Inputs, Op, Outputs};

const LAYER: &[Arg] = &[
    Arg::whole("d_model").min(1).optional(),
    Arg::whole("nhead").min(1),
    Arg::whole("dim_feedforward").min(1).default(2048),
    Arg::number("dropout").default_number(0.1),
    Arg::any("activation"),
    Arg::number("layer_norm_eps").default_number(1e-5),
    // FALSE in R torch, TRUE in mlr3torch
    Arg::flag("batch_first", false).optional(),
    Arg::flag("norm_first", false),
    Arg::flag("bias", true),
    Arg::flag("is_causal", false),
    // mlr3torch: which masks are inputs
    Arg::flag("src_mask", false),
    Arg::flag("src_key_padding_mask", false),
];

const ENCODER: &[Arg] = &[
    // the arguments of a layer as a list
    Arg::any("encoder_layer"),
    Arg::whole("num_layers").min(0),
    Arg::any("norm"),
    Arg::flag("is_causal", false),
];

pub const fn transformer_encoder_layer(name: &'static str) -> Op {
    Op::new(name, "attention", "self-attention and two linear maps, each added to its input", layer_rule)
        .args(LAYER)
        .inputs(Inputs::optional(&["src", "src_mask", "src_key_padding_mask"], 2))
        .cost(layer_cost)
}

pub const fn transformer_encoder(name: &'static str) -> Op {
    Op::new(name, "attention", "several layers of a transformer's encoder", encoder_rule)
        .args(ENCODER)
        .inputs(Inputs::optional(&["src", "mask", "src_key_padding_mask"], 2))
        .cost(encoder_cost)
}

/// (L, N, E) -> the same, N first with batch_first; the masks expand to (L, L) or (N heads, L, L), and to (N, L).
fn layer_rule(call: &Call) -> Result<Outputs> {
    let (scores, keys) = masks(call)?;
    Ok(encoded(call, call.args, batch_first(call.args), scores, keys)?.output().into())
}

/// The places of the masks; mlr3torch has only those inputs that are asked for.
fn masks(call: &Call) -> Result<(Option<usize>, Option<usize>)> {
    let given = |i: usize| call.get_input(i).map(|_| i);
    let wants = |name: &str| call.args.flag(name);
    let (scores, keys) = match (given(1), given(2)) {
        (mask, None) if wants("src_key_padding_mask") && !wants("src_mask") => (None, mask),
        found => found,
    };
    for (name, mask) in [("src_mask", scores), ("src_key_padding_mask", keys)] {
        if wants(name) && mask.is_none() {
            let problem = format!("needs an input for its {name}.");
            return Err(Error::new(Kind::Argument, problem).argument(name));
        }
    }
    Ok((scores, keys))
}

/// R torch's module cannot do without d_model; mlr3torch's never has it and is batch first.
fn batch_first(args: &Args) -> bool {
    args.get_flag("batch_first").unwrap_or(!args.is_given("d_model"))
}

/// Self-attention of the first input with the arguments of a layer, and what the masks leave of its sizes.
fn encoded(
    call: &Call,
    args: &Args,
    batch_first: bool,
    scores: Option<usize>,
    keys: Option<usize>,
) -> Result<Attention> {
    if call.args.flag("is_causal") && scores.is_some() {
        let problem = "cannot have a src_mask with is_causal = TRUE, which is a mask of its own.";
        return Err(Error::new(Kind::Argument, problem).argument("is_causal"));
    }
    let mut attention = Attention::of(call, [0, 0, 0], args.whole("nhead"), 0, batch_first)?;
    if let Some(d_model) = args.get_whole("d_model") {
        attention.embed = attention.embed.unify(d_model).ok_or_else(|| {
            let problem = format!("has d_model = {d_model}, but dimension 3 of its input is {}.", attention.embed);
            call.size_error(0, 2, problem).argument("d_model").sizes([Dim::known(d_model), attention.embed])
        })?;
    }
    (attention.kdim, attention.vdim) = (attention.embed, attention.embed);
    attention.check_heads(call, "nhead")?;
    if let Some(i) = scores {
        attention.mask_scores(call, i)?;
    }
    if let Some(i) = keys {
        attention.mask_keys(call, i)?;
    }
    let length = attention.target.unify(attention.source).ok_or_else(|| {
        let problem = format!(
            "needs masks for one length of its input, but they are for {} and {}.",
            attention.target, attention.source
        );
        Error::new(Kind::Size, problem).sizes([attention.target, attention.source])
    })?;
    (attention.target, attention.source) = (length, length);
    Ok(attention)
}

/// The attention, 2 E F for the linear maps, with bias F + E more for these and 4 E for the normalisations;
/// 2 E F multiply-adds for each of the N L positions beside those of the attention.
fn cost_of_layer(attention: &Attention, args: &Args) -> Cost {
    let (embed, feedforward) = (attention.embed, Dim::known(args.whole("dim_feedforward")));
    let bias = args.flag("bias");
    let maps = embed * feedforward * 2;
    let biases = if bias { feedforward + embed * 5 } else { Dim::ZERO };
    Cost {
        params: attention.params(bias) + maps + biases,
        macs: attention.macs() + attention.batch * attention.target * maps,
    }
}

fn layer_cost(call: &Call, _: &[&[Dim]]) -> Cost {
    let attention =
        masks(call).and_then(|(scores, keys)| encoded(call, call.args, batch_first(call.args), scores, keys));
    attention.map_or(Cost::FREE, |attention| cost_of_layer(&attention, call.args))
}

/// (L, N, E) -> the same, as every layer.
fn encoder_rule(call: &Call) -> Result<Outputs> {
    if call.args.whole("num_layers") == 0 {
        return Ok(call.input(0).to_vec().into());
    }
    match layer_args(call)? {
        Some(args) => Ok(encode(call, &args)?.output().into()),
        None => Ok(call.input_of_rank(0, &[3])?.to_vec().into()),
    }
}

fn encode(call: &Call, args: &Args) -> Result<Attention> {
    let given = |i: usize| call.get_input(i).map(|_| i);
    encoded(call, args, args.flag("batch_first"), given(1), given(2))
}

/// The arguments of the layers, where they are given as a list.
fn layer_args(call: &Call) -> Result<Option<Args>> {
    match call.args.get_raw("encoder_layer") {
        Some(Value::List(items)) => {
            Args::check(LAYER, items).map(Some).map_err(|error| error.argument("encoder_layer"))
        }
        _ => Ok(None),
    }
}

/// num_layers times the cost of one, and a weight and a bias of E elements each for a normalisation at the end.
fn encoder_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let layers = call.args.whole("num_layers");
    let embed = outputs[0].last().copied().unwrap_or(Dim::ZERO);
    let norm = if call.args.is_given("norm") { embed * 2 } else { Dim::ZERO };
    let unknown = Cost { params: Dim::at_least(0), macs: Dim::at_least(0) };
    let layer = match layer_args(call) {
        _ if layers == 0 => Cost::FREE,
        Ok(Some(args)) => encode(call, &args).map_or(unknown, |attention| cost_of_layer(&attention, &args)),
        _ => unknown,
    };
    Cost { params: layer.params * layers + norm, macs: layer.macs * layers }
}
