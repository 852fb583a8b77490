//! The registry: one line an operator, one file a family.

mod conv;
mod elementwise;
mod join;
mod linear;
mod norm;
mod pool;
mod view;

use crate::error::{nearest, Error, Kind, Result};
use crate::op::Op;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Every operator, family by family.
pub static OPERATORS: &[Op] = &[
    // elementwise
    elementwise::unary("nn_dropout", "sets elements to zero at random while training", elementwise::DROPOUT),
    elementwise::unary("nn_identity", "gives its input back", elementwise::IDENTITY),
    elementwise::unary("nn_relu", "max(x, 0)", elementwise::INPLACE),
    elementwise::unary("nnf_relu", "max(x, 0)", elementwise::INPLACE),
    elementwise::binary("torch_add", "x + alpha y, broadcast", elementwise::ADD),
    // conv
    conv::convolution("nn_conv1d", 1),
    conv::convolution("nn_conv2d", 2),
    conv::convolution("nn_conv3d", 3),
    conv::convolution_function("nnf_conv1d", 1),
    conv::convolution_function("nnf_conv2d", 2),
    conv::convolution_function("nnf_conv3d", 3),
    conv::convolution_function("torch_conv1d", 1),
    conv::convolution_function("torch_conv2d", 2),
    conv::convolution_function("torch_conv3d", 3),
    conv::transposed("nn_conv_transpose1d", 1),
    conv::transposed("nn_conv_transpose2d", 2),
    conv::transposed("nn_conv_transpose3d", 3),
    conv::transposed_function("nnf_conv_transpose1d", 1),
    conv::transposed_function("nnf_conv_transpose2d", 2),
    conv::transposed_function("nnf_conv_transpose3d", 3),
    conv::transposed_function("torch_conv_transpose1d", 1),
    conv::transposed_function("torch_conv_transpose2d", 2),
    conv::transposed_function("torch_conv_transpose3d", 3),
    conv::conv_tbc("nnf_conv_tbc", &["input", "weight", "bias"]),
    conv::conv_tbc("torch_conv_tbc", &["self", "weight", "bias"]),
    conv::fold("nnf_fold"),
    conv::unfold("nnf_unfold"),
    // pool
    pool::max("nn_max_pool1d", 1),
    pool::max("nn_max_pool2d", 2),
    pool::max("nn_max_pool3d", 3),
    pool::max("nnf_max_pool1d", 1),
    pool::max("nnf_max_pool2d", 2),
    pool::max("nnf_max_pool3d", 3),
    pool::avg("nn_avg_pool1d", 1),
    pool::avg("nn_avg_pool2d", 2),
    pool::avg("nn_avg_pool3d", 3),
    pool::avg("nnf_avg_pool1d", 1),
    pool::avg("nnf_avg_pool2d", 2),
    pool::avg("nnf_avg_pool3d", 3),
    pool::avg("torch_avg_pool1d", 1),
    pool::lp("nn_lp_pool1d", 1),
    pool::lp("nn_lp_pool2d", 2),
    pool::lp("nnf_lp_pool1d", 1),
    pool::lp("nnf_lp_pool2d", 2),
    pool::fractional_max("nn_fractional_max_pool2d", 2),
    pool::fractional_max("nn_fractional_max_pool3d", 3),
    pool::fractional_max_function("nnf_fractional_max_pool2d", 2),
    pool::fractional_max_function("nnf_fractional_max_pool3d", 3),
    pool::adaptive_avg("nn_adaptive_avg_pool1d", 1),
    pool::adaptive_avg("nn_adaptive_avg_pool2d", 2),
    pool::adaptive_avg("nn_adaptive_avg_pool3d", 3),
    pool::adaptive_avg_function("nnf_adaptive_avg_pool1d", 1),
    pool::adaptive_avg_function("nnf_adaptive_avg_pool2d", 2),
    pool::adaptive_avg_function("nnf_adaptive_avg_pool3d", 3),
    pool::adaptive_avg_function("torch_adaptive_avg_pool1d", 1),
    pool::adaptive_max("nn_adaptive_max_pool1d", 1),
    pool::adaptive_max("nn_adaptive_max_pool2d", 2),
    pool::adaptive_max("nn_adaptive_max_pool3d", 3),
    pool::adaptive_max_function("nnf_adaptive_max_pool1d", 1),
    pool::adaptive_max_function("nnf_adaptive_max_pool2d", 2),
    pool::adaptive_max_function("nnf_adaptive_max_pool3d", 3),
    pool::max_unpool("nn_max_unpool1d", 1),
    pool::max_unpool("nn_max_unpool2d", 2),
    pool::max_unpool("nn_max_unpool3d", 3),
    pool::max_unpool("nnf_max_unpool1d", 1),
    pool::max_unpool("nnf_max_unpool2d", 2),
    pool::max_unpool("nnf_max_unpool3d", 3),
    // linear
    linear::linear("nn_linear"),
    // view
    view::flatten("torch_flatten", 1),
    view::flatten("nn_flatten", 2),
    // join
    join::cat("torch_cat"),
    // norm
    norm::batch_norm("nn_batch_norm1d", &[2, 3]),
    norm::batch_norm("nn_batch_norm2d", &[4]),
    norm::batch_norm("nn_batch_norm3d", &[5]),
];

static BY_NAME: LazyLock<HashMap<&'static str, &'static Op>> =
    LazyLock::new(|| OPERATORS.iter().map(|op| (op.name, op)).collect());

/// The operator of that name.
pub fn find(name: &str) -> Result<&'static Op> {
    BY_NAME.get(name).copied().ok_or_else(|| {
        let error = Error::new(Kind::Op, format!("There is no operator '{}'.", crate::args::shortened(name)));
        match nearest(name, OPERATORS.iter().map(|op| op.name)) {
            Some(near) => error.hint(format!("Did you mean '{near}'?")),
            None => error.hint("shape_ops() lists them all."),
        }
    })
}
