//! Normalisation.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html>

use crate::args::Arg;
use crate::dim::Dim;
use crate::error::Result;
use crate::op::{replaced, Call, Cost, Op, Outputs};

const BATCH_NORM: &[Arg] = &[
    Arg::whole("num_features").min(0).optional(),
    Arg::number("eps").default_number(1e-5),
    Arg::number("momentum").default_number(0.1),
    Arg::flag("affine", true),
    Arg::flag("track_running_stats", true),
];

/// Batch normalisation of inputs with one of `ranks` dimensions.
pub const fn batch_norm(name: &'static str, ranks: &'static [usize]) -> Op {
    let rule = match ranks[0] {
        2 => batch_norm_rule::<2, 3>,
        4 => batch_norm_rule::<4, 4>,
        _ => batch_norm_rule::<5, 5>,
    };
    Op::new(name, "norm", "normalises each channel over the batch", rule).args(BATCH_NORM).cost(batch_norm_cost)
}

/// (N, C, *) -> the same
fn batch_norm_rule<const LEAST: usize, const MOST: usize>(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, if LEAST == MOST { &[MOST] } else { &[LEAST, MOST] })?;
    Ok(replaced(input, 1, call.agree("num_features", 0, 1)?).into())
}

/// A weight and a bias for each channel.
fn batch_norm_cost(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let params = if call.args.flag("affine") { outputs[0][1] * 2 } else { Dim::ZERO };
    Cost { params, ..Cost::FREE }
}
