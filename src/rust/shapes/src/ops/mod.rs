//! The registry: one line an operator, one file a family.

mod attention;
mod conv;
mod elementwise;
mod embedding;
mod join;
mod linear;
mod norm;
mod pool;
mod recurrent;
mod tabular;
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
    // pool
    pool::max("nn_max_pool1d", 1),
    pool::max("nn_max_pool2d", 2),
    pool::max("nn_max_pool3d", 3),
    pool::avg("nn_avg_pool1d", 1),
    pool::avg("nn_avg_pool2d", 2),
    pool::avg("nn_avg_pool3d", 3),
    pool::adaptive_avg("nn_adaptive_avg_pool1d", 1),
    pool::adaptive_avg("nn_adaptive_avg_pool2d", 2),
    pool::adaptive_avg("nn_adaptive_avg_pool3d", 3),
    pool::adaptive_avg("nnf_adaptive_avg_pool1d", 1),
    pool::adaptive_avg("nnf_adaptive_avg_pool2d", 2),
    pool::adaptive_avg("nnf_adaptive_avg_pool3d", 3),
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
    norm::nnf_batch_norm("nnf_batch_norm"),
    norm::instance_norm("nn_instance_norm1d", 1),
    norm::instance_norm("nn_instance_norm2d", 2),
    norm::instance_norm("nn_instance_norm3d", 3),
    norm::nnf_instance_norm("nnf_instance_norm"),
    norm::layer_norm("nn_layer_norm"),
    norm::nnf_layer_norm("nnf_layer_norm"),
    norm::group_norm("nn_group_norm"),
    norm::nnf_group_norm("nnf_group_norm"),
    norm::local_response_norm("nnf_local_response_norm"),
    // recurrent
    recurrent::rnn("nn_rnn"),
    recurrent::lstm("nn_lstm"),
    recurrent::gru("nn_gru"),
    recurrent::pad_sequence("nn_utils_rnn_pad_sequence"),
    // attention
    attention::multihead_attention("nn_multihead_attention"),
    attention::multi_head_attention_forward("nnf_multi_head_attention_forward"),
    attention::scaled_dot_product_attention("torch_scaled_dot_product_attention"),
    attention::transformer_encoder_layer("nn_transformer_encoder_layer"),
    attention::transformer_encoder("nn_transformer_encoder"),
    attention::ft_cls("nn_ft_cls"),
    attention::ft_transformer_block("nn_ft_transformer_block"),
    // embedding
    embedding::embedding("nn_embedding"),
    embedding::nnf_embedding("nnf_embedding"),
    embedding::embedding_bag("nn_embedding_bag"),
    embedding::nnf_embedding_bag("nnf_embedding_bag"),
    embedding::tokenizer_num("nn_tokenizer_num"),
    embedding::tokenizer_categ("nn_tokenizer_categ"),
    // tabular
    tabular::head("nn_head"),
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
