//! The blocks of the FT-Transformer, as mlr3torch has them.
//! <https://mlr3torch.mlr-org.com/reference/nn_ft_transformer_block.html>

use super::Attention;
use crate::args::{Arg, Value};
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{replaced, said, Call, Cost, Op, Outputs};

const CLS: &[Arg] = &[Arg::whole("d_token").min(1).optional(), Arg::choice("initialization", &["uniform", "normal"])];

const BLOCK: &[Arg] = &[
    Arg::whole("d_token").min(1).optional(),
    Arg::whole("attention_n_heads").min(1).default(8),
    Arg::number("attention_dropout").default_number(0.2),
    Arg::choice("attention_initialization", &["kaiming", "xavier"]),
    Arg::any("attention_normalization"),
    Arg::whole("ffn_d_hidden").min(1).optional(),
    Arg::number("ffn_d_hidden_multiplier").optional(),
    Arg::number("ffn_dropout").default_number(0.1),
    Arg::any("ffn_activation"),
    Arg::any("ffn_normalization"),
    Arg::number("residual_dropout").default_number(0.0),
    Arg::flag("prenormalization", true),
    Arg::flag("is_first_layer", false),
    Arg::wholes("query_idx").optional(),
    Arg::flag("attention_bias", true),
    Arg::flag("ffn_bias_first", true),
    Arg::flag("ffn_bias_second", true),
];

pub const fn ft_cls(name: &'static str) -> Op {
    Op::new(name, "attention", "adds a learned token at the end", cls_rule).args(CLS).cost(cls_cost)
}

pub const fn ft_transformer_block(name: &'static str) -> Op {
    Op::new(name, "attention", "one block of the FT-Transformer", block_rule).args(BLOCK).cost(block_cost)
}

/// (N, tokens, d_token) -> (N, tokens + 1, d_token)
fn cls_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[3])?;
    let output = replaced(input, 2, call.agree("d_token", 0, 2)?);
    Ok(replaced(&output, 1, input[1] + 1).into())
}

fn cls_cost(_: &Call, outputs: &[&[Dim]]) -> Cost {
    Cost { params: outputs[0][2], ..Cost::FREE }
}

/// (N, tokens, d_token) -> the same, or with query_idx as many tokens as it names
fn block_rule(call: &Call) -> Result<Outputs> {
    let attention = attention(call)?;
    hidden(call, attention.embed)?;
    Ok(attention.output().into())
}

/// Attention of the tokens that query_idx names, or of all, to all.
fn attention(call: &Call) -> Result<Attention> {
    let mut attention = Attention::of(call, [0, 0, 0], call.args.whole("attention_n_heads"), 0, true)?;
    attention.embed = call.agree("d_token", 0, 2)?;
    (attention.kdim, attention.vdim) = (attention.embed, attention.embed);
    attention.check_heads(call, "attention_n_heads")?;
    if let Some(tokens) = call.args.get_wholes("query_idx") {
        if tokens.is_empty() {
            let problem = "needs at least one token in argument 'query_idx'.";
            return Err(Error::new(Kind::Argument, problem).argument("query_idx"));
        }
        for &token in tokens {
            let reach = token.saturating_abs();
            let left = attention.source.keep_at_least(reach).filter(|_| token != 0);
            attention.source = left.ok_or_else(|| {
                let size = attention.source;
                let problem = format!("has {token} in query_idx, but its input has {} tokens.", said(size));
                let hint = "Tokens count from 1, and from -1 at the end.";
                call.size_error(0, 1, problem).argument("query_idx").hint(hint)
            })?;
        }
        attention.target = Dim::known(tokens.len() as i64);
    }
    Ok(attention)
}

/// The hidden size between the two linear maps.
fn hidden(call: &Call, embed: Dim) -> Result<Dim> {
    let wrong = |problem: String| Err(Error::new(Kind::Argument, problem).argument("ffn_d_hidden"));
    match (call.args.get_whole("ffn_d_hidden"), call.args.get_number("ffn_d_hidden_multiplier")) {
        (Some(hidden), None) => Ok(Dim::known(hidden)),
        (None, Some(multiplier)) => {
            // a half goes to the even side, as round() does in R
            let times = |size: i64| round_half_even(multiplier * size as f64);
            embed.map_increasing(times).keep_at_least(1).filter(|_| multiplier > 0.0).ok_or_else(|| {
                let problem = format!(
                    "has ffn_d_hidden_multiplier = {multiplier}, which leaves nothing of tokens of size {}.",
                    said(embed)
                );
                Error::new(Kind::Argument, problem).argument("ffn_d_hidden_multiplier")
            })
        }
        (None, None) => wrong("needs argument 'ffn_d_hidden' or 'ffn_d_hidden_multiplier'.".to_string()),
        (Some(_), Some(_)) => {
            wrong("has both ffn_d_hidden and ffn_d_hidden_multiplier; one must be left out.".to_string())
        }
    }
}

fn round_half_even(x: f64) -> i64 {
    x.round_ties_even() as i64
}

/// Normalisation before the attention (not in the first layer, if it comes before) and before the linear maps, 2 d each; the
/// attention; the maps d h c + h d with their biases h c and d, where c is 2 for an activation that halves its input, else 1.
fn block_cost(call: &Call, _: &[&[Dim]]) -> Cost {
    let sizes = attention(call).and_then(|attention| Ok((hidden(call, attention.embed)?, attention)));
    let Ok((hidden, attention)) = sizes else { return Cost::FREE };
    let args = call.args;
    let halves = args.get_raw("ffn_activation").map_or(true, |value| is_named(value, &["nn_reglu", "nn_geglu"]));
    let widened = hidden * if halves { 2 } else { 1 };
    let embed = attention.embed;
    let maps = embed * widened + hidden * embed;
    let mut params = attention.params(args.flag("attention_bias")) + maps;
    if args.flag("ffn_bias_first") {
        params = params + widened;
    }
    if args.flag("ffn_bias_second") {
        params = params + embed;
    }
    let has_attention_norm = !args.flag("is_first_layer") || !args.flag("prenormalization");
    for (name, is_there) in [("attention_normalization", has_attention_norm), ("ffn_normalization", true)] {
        let is_layer_norm = args.get_raw(name).map_or(true, |value| is_named(value, &["nn_layer_norm"]));
        params = match (is_there, is_layer_norm) {
            (false, _) => params,
            (true, true) => params + embed * 2,
            // another module: nobody knows what it learns
            (true, false) => params + Dim::at_least(0),
        };
    }
    Cost { params, macs: attention.macs() + attention.batch * attention.target * maps }
}

/// Whether a module is one of `names`: by its class, or by its name as a text.
fn is_named(value: &Value, names: &[&str]) -> bool {
    match value {
        Value::Other(class) => names.contains(&class.as_str()),
        Value::Texts(texts) => matches!(texts.as_slice(), [Some(text)] if names.contains(&text.as_str())),
        _ => false,
    }
}
