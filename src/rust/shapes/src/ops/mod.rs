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
use crate::op::{Inputs, Op};
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
    view::reshape("torch_reshape"),
    view::nn_reshape("nn_reshape"),
    view::view("torch_view"),
    view::reshape_as("torch_reshape_as"),
    view::reshape_as("torch_view_as"),
    view::flatten("torch_flatten", 1),
    view::flatten("nn_flatten", 2),
    view::ravel("torch_ravel"),
    view::unflatten("torch_unflatten"),
    view::nn_unflatten("nn_unflatten"),
    view::squeeze("torch_squeeze"),
    view::nn_squeeze("nn_squeeze"),
    view::unsqueeze("torch_unsqueeze"),
    view::unsqueeze("nn_unsqueeze"),
    view::atleast("torch_atleast_1d", 1),
    view::atleast("torch_atleast_2d", 2),
    view::atleast("torch_atleast_3d", 3),
    view::as_strided("torch_as_strided"),
    view::permute("torch_permute"),
    view::transpose("torch_transpose"),
    view::transpose("torch_swapdims"),
    view::swapaxes("torch_swapaxes"),
    view::t("torch_t"),
    view::adjoint("torch_adjoint"),
    view::movedim("torch_movedim"),
    view::movedim("torch_moveaxis"),
    view::flip("torch_flip"),
    view::fliplr("torch_fliplr"),
    view::flipud("torch_flipud"),
    view::roll("torch_roll"),
    view::rot90("torch_rot90"),
    view::diagonal("torch_diagonal"),
    view::diag("torch_diag"),
    view::diag_embed("torch_diag_embed"),
    view::diagflat("torch_diagflat"),
    view::triangle("torch_tril", "zeros above a diagonal"),
    view::triangle("torch_triu", "zeros below a diagonal"),
    view::narrow("torch_narrow"),
    view::narrow("torch_narrow_copy"),
    view::select("torch_select"),
    view::slice("torch_slice"),
    view::index_select("torch_index_select"),
    view::gather("torch_gather"),
    view::take("torch_take"),
    view::take_along_dim("torch_take_along_dim"),
    view::masked_select("torch_masked_select"),
    view::nonzero("torch_nonzero"),
    view::argwhere("torch_argwhere"),
    view::index("torch_index"),
    view::index_put("torch_index_put"),
    view::index_put("torch_index_put_"),
    view::index_add("torch_index_add"),
    view::index_copy("torch_index_copy"),
    view::index_fill("torch_index_fill"),
    view::index_reduce("torch_index_reduce"),
    view::put("torch_put"),
    view::scatter("torch_scatter"),
    view::scatter_add("torch_scatter_add"),
    view::scatter_reduce("torch_scatter_reduce"),
    view::masked_fill("torch_masked_fill"),
    view::masked_scatter("torch_masked_scatter"),
    view::repeat("torch_repeat"),
    view::tile("torch_tile"),
    view::repeat_interleave("torch_repeat_interleave"),
    view::expand("torch_expand"),
    view::expand_as("torch_expand_as"),
    view::broadcast_to("torch_broadcast_to"),
    view::broadcast_tensors("torch_broadcast_tensors"),
    view::unfold("torch_unfold"),
    view::pad("nnf_pad"),
    view::pad("torch_pad"),
    view::pixel_shuffle("nnf_pixel_shuffle"),
    view::pixel_shuffle("torch_pixel_shuffle"),
    view::pixel_unshuffle("torch_pixel_unshuffle"),
    view::channel_shuffle("torch_channel_shuffle"),
    view::one_hot("nnf_one_hot", Inputs::named(&["tensor"])),
    view::one_hot("torch_one_hot", Inputs::named(&["self"])),
    view::multinomial("torch_multinomial"),
    view::vander("torch_vander"),
    view::same("torch_clone", "a copy of its input", view::MEMORY_FORMAT),
    view::same("torch_contiguous", "its input, contiguous in memory", view::MEMORY_FORMAT),
    view::same("torch_detach", "its input, without gradient", view::NO_ARGS),
    view::same("torch_alias", "a view of its input", view::NO_ARGS),
    view::same("torch_real", "the real parts", view::NO_ARGS),
    view::same("torch_imag", "the imaginary parts", view::NO_ARGS),
    view::same("torch_resolve_conj", "its input, conjugated in memory", view::NO_ARGS),
    view::same("torch_resolve_neg", "its input, negated in memory", view::NO_ARGS),
    view::same("torch_to", "its input in another type or on another device", view::TO),
    view::type_as("torch_type_as"),
    view::view_as_real("torch_view_as_real"),
    view::view_as_complex("torch_view_as_complex"),
    view::same("torch_zeros_like", "zeros in the shape of its input", view::LIKE),
    view::same("torch_ones_like", "ones in the shape of its input", view::LIKE),
    view::same("torch_empty_like", "no values yet in the shape of its input", view::LIKE),
    view::same("torch_full_like", "one value in the shape of its input", view::FULL_LIKE),
    view::same("torch_rand_like", "uniform random numbers in the shape of its input", view::LIKE),
    view::same("torch_randn_like", "normal random numbers in the shape of its input", view::LIKE),
    view::same("torch_randint_like", "random whole numbers in the shape of its input", view::RANDINT_LIKE),
    view::new("torch_new_zeros", "zeros in the shape given, in the type of its input", view::NEW),
    view::new("torch_new_ones", "ones in the shape given, in the type of its input", view::NEW),
    view::new("torch_new_empty", "no values yet in the shape given, in the type of its input", view::NEW),
    view::new("torch_new_full", "one value in the shape given, in the type of its input", view::NEW_FULL),
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
