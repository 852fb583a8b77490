//! What PyTorch cannot answer: modules of mlr3torch, names of inputs, arguments that are modules, sentences.

use shapes::args::Value;
use shapes::op::{Incoming, Outcome, Outputs};
use shapes::{ops, Dim, Result, Shape};

/// A size that is not known.
const NA: i64 = -1;

fn shape(sizes: &[i64]) -> Shape {
    sizes.iter().map(|&size| if size == NA { Dim::UNKNOWN } else { Dim::known(size) }).collect::<Vec<_>>().into()
}

fn list(items: &[(&str, Value)]) -> Vec<(String, Value)> {
    items.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
}

fn run(op: &str, inputs: &[(&str, &[i64])], params: &[(&str, Value)]) -> Result<Outcome> {
    let shapes: Vec<Shape> = inputs.iter().map(|(_, sizes)| shape(sizes)).collect();
    let names: Vec<String> = inputs.iter().map(|(name, _)| name.to_string()).collect();
    ops::find(op)?.run(Incoming { shapes: &shapes, names: Some(&names) }, &list(params))
}

fn shapes_out(op: &str, inputs: &[(&str, &[i64])], params: &[(&str, Value)]) -> String {
    match run(op, inputs, params).map(|outcome| outcome.outputs) {
        Ok(Outputs::Shapes(shapes)) => shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(" "),
        Ok(Outputs::Unknown) => "unknown outputs".to_string(),
        Err(error) => error.to_string().lines().next().unwrap_or_default().to_string(),
    }
}

fn learned(op: &str, input: &[i64], params: &[(&str, Value)]) -> Option<i64> {
    run(op, &[("", input)], params).expect("it fits").cost.params.value()
}

#[test]
fn inputs_are_found_by_name() {
    let heads = [("num_heads", Value::whole(2))];
    let (q, k): (&[i64], &[i64]) = (&[5, NA, 4], &[7, 3, 4]);
    assert_eq!(
        shapes_out(
            "nn_multihead_attention",
            &[("attn_mask", &[6, NA, 7]), ("value", k), ("key", k), ("query", q)],
            &heads
        ),
        "(5,3,4) (3,5,7)"
    );
    // mlr3torch's names
    assert_eq!(shapes_out("nn_multihead_attention", &[("query", q), ("key_value", &[5, 3, 4])], &heads), "(5,NA,4)");
    assert_eq!(
        shapes_out("nn_multihead_attention", &[("key", k), ("value", k)], &heads),
        "Operator 'nn_multihead_attention' needs input 'query' (query, [key], [value], [key_padding_mask], [attn_mask])."
    );
    let encoder = [("nhead", Value::whole(2))];
    let masked: [(&str, &[i64]); 2] = [("src", &[NA, NA, 4]), ("src_key_padding_mask", &[3, 5])];
    assert_eq!(shapes_out("nn_transformer_encoder_layer", &masked, &encoder), "(3,5,4)");
}

#[test]
fn inputs_of_which_nothing_is_known_may_differ_in_their_dimensions() {
    let op = ops::find("nn_multihead_attention").expect("it is there");
    let shapes = vec![Shape::Unknown; 5];
    let params = list(&[("num_heads", Value::whole(2)), ("embed_dim", Value::whole(4))]);
    let outputs = op.shapes_out(Incoming { shapes: &shapes, names: None }, &params).expect("it fits");
    assert_eq!(outputs, Outputs::Shapes(vec![shape(&[NA, NA, 4]), shape(&[NA, NA, NA])]));
}

#[test]
fn an_encoder_is_as_its_layer() {
    let layer = Value::List(list(&[("d_model", Value::whole(4)), ("nhead", Value::whole(2))]));
    let params = [("encoder_layer", layer.clone()), ("num_layers", Value::whole(2))];
    let inputs: [(&str, &[i64]); 2] = [("src", &[NA, 3, NA]), ("mask", &[5, NA])];
    assert_eq!(shapes_out("nn_transformer_encoder", &inputs, &params), "(5,3,4)");
    // a module of which only the class is known
    let params = [("encoder_layer", Value::Other("nn_module".to_string())), ("num_layers", Value::whole(2))];
    assert_eq!(shapes_out("nn_transformer_encoder", &[("src", &[NA, 3, NA])], &params), "(NA,3,NA)");
    let one = learned("nn_transformer_encoder_layer", &[5, 3, 4], &[("nhead", Value::whole(2))]);
    let normed = [("encoder_layer", layer), ("num_layers", Value::whole(2)), ("norm", Value::flag(true))];
    assert_eq!(learned("nn_transformer_encoder", &[5, 3, 4], &normed), one.map(|one| 2 * one + 8));
}

#[test]
fn what_mlr3torchs_modules_learn() {
    let token = ("d_token", Value::whole(3));
    assert_eq!(learned("nn_tokenizer_num", &[NA, 4], std::slice::from_ref(&token)), Some(2 * 4 * 3));
    assert_eq!(learned("nn_tokenizer_num", &[NA, 4], &[token.clone(), ("bias", Value::flag(false))]), Some(4 * 3));
    let cardinalities = ("cardinalities", Value::wholes(&[5, 2]));
    assert_eq!(learned("nn_tokenizer_categ", &[NA, 2], &[token, cardinalities]), Some((5 + 2 + 2) * 3));
    assert_eq!(learned("nn_ft_cls", &[NA, 4, 6], &[]), Some(6));

    let block = [("attention_n_heads", Value::whole(2)), ("ffn_d_hidden", Value::whole(5))];
    let (attention, norm, maps) = (4 * 36 + 4 * 6, 2 * 6, 6 * 10 + 10 + 5 * 6 + 6);
    assert_eq!(learned("nn_ft_transformer_block", &[NA, 4, 6], &block), Some(attention + 2 * norm + maps));
    // the first block has no normalisation before its attention
    let first = [&block[..], &[("is_first_layer", Value::flag(true))]].concat();
    assert_eq!(learned("nn_ft_transformer_block", &[NA, 4, 6], &first), Some(attention + norm + maps));
    // an activation that keeps its input's size
    let relu = [&block[..], &[("ffn_activation", Value::Other("nn_relu".to_string()))]].concat();
    assert_eq!(
        learned("nn_ft_transformer_block", &[NA, 4, 6], &relu),
        Some(attention + 2 * norm + 6 * 5 + 5 + 5 * 6 + 6)
    );

    let task = Value::List(list(&[("type", Value::text("classif")), ("n_classes", Value::whole(3))]));
    assert_eq!(learned("nn_head", &[NA, 7], &[("task", task)]), Some(7 * 3 + 3));
}

#[test]
fn a_head_needs_no_task_but_then_says_less() {
    assert_eq!(shapes_out("nn_head", &[("", &[NA, 7])], &[]), "(NA,NA)");
    let task = Value::List(list(&[("type", Value::text("surv"))]));
    assert_eq!(
        shapes_out("nn_head", &[("", &[NA, 7])], &[("task", task)]),
        "Operator 'nn_head' needs a task of type \"classif\" or \"regr\", not \"surv\"."
    );
}

#[test]
fn the_task_may_say_the_cardinalities() {
    let task = Value::List(list(&[("cardinalities", Value::wholes(&[5, 2]))]));
    let params = [("d_token", Value::whole(3)), ("task", task)];
    assert_eq!(shapes_out("nn_tokenizer_categ", &[("", &[NA, NA])], &params), "(NA,2,3)");
}

#[test]
fn sentences_show_both_sizes() {
    let lstm = [("hidden_size", Value::whole(5)), ("batch_first", Value::flag(true))];
    let inputs: [(&str, &[i64]); 3] = [("input", &[3, 9, 4]), ("h_0", &[1, 9, 5]), ("c_0", &[1, 9, 5])];
    let error = run("nn_lstm", &inputs, &lstm).expect_err("a state is never batch first").to_string();
    assert!(error.contains("dimension 2 is the size of the batch, 3, but in input 2 it is 9."), "{error}");
    assert!(error.contains("A state is never batch first."), "{error}");

    let heads = [("num_heads", Value::whole(2)), ("embed_dim", Value::whole(4))];
    let inputs: [(&str, &[i64]); 3] = [("query", &[5, 3, 4]), ("key", &[7, 3, 4]), ("value", &[8, 3, 4])];
    assert_eq!(
        shapes_out("nn_multihead_attention", &inputs, &heads),
        "Operator 'nn_multihead_attention' needs one length of keys and values, but dimension 1 of input 2 is 7 and dimension 1 of input 3 is 8."
    );
}

#[test]
fn huge_arguments_are_refused() {
    let huge = Value::whole(1 << 53);
    let lstm = [("hidden_size", huge.clone()), ("num_layers", huge), ("bidirectional", Value::flag(true))];
    let error = run("nn_lstm", &[("", &[3, 3])], &lstm).expect_err("no double holds it");
    assert_eq!(error.kind, shapes::Kind::Size);
}

#[test]
fn chance_and_functions_leave_sizes_unknown() {
    let image: [(&str, &[i64]); 1] = [("input", &[NA, 3, 20, 30])];
    let one = [("size", Value::whole(8))];
    assert_eq!(shapes_out("augment_random_resized_crop", &image, &one), "(NA,3,NA,NA)");
    let two = [("size", Value::wholes(&[8, 9]))];
    assert_eq!(shapes_out("augment_random_resized_crop", &image, &two), "(NA,3,8,9)");
    assert_eq!(
        shapes_out("augment_random_resized_crop", &[("input", &[NA, 3, 1, 30])], &two),
        "Operator 'augment_random_resized_crop' cannot cut a part out: dimension 3 of its input is 1."
    );
    let functions = [("transforms", Value::List(vec![(String::new(), Value::Other("function".to_string()))]))];
    assert_eq!(shapes_out("augment_random_choice", &image, &functions), "(<unknown>)");
    assert_eq!(
        shapes_out("augment_random_order", &image, &[("transforms", Value::List(vec![]))]),
        "Operator 'augment_random_order' needs argument 'transforms': a list of functions, at least one."
    );
    // a symmetric border adds dimensions to images of width 1, of which a part of their own size loses 1
    let symmetric =
        [("size", Value::whole(1)), ("padding", Value::whole(1)), ("padding_mode", Value::text("symmetric"))];
    assert_eq!(shapes_out("augment_random_crop", &[("input", &[NA, 3, 4, NA])], &symmetric), "(NA,3,6,3,0,0)");
    let triplet: [(&str, &[i64]); 3] = [("anchor", &[NA, 4]), ("positive", &[NA, 4]), ("negative", &[NA, 4])];
    let distance = ("distance_function", Value::Other("function".to_string()));
    assert_eq!(shapes_out("nn_triplet_margin_with_distance_loss", &triplet, std::slice::from_ref(&distance)), "()");
    let none = [distance, ("reduction", Value::text("none"))];
    assert_eq!(shapes_out("nn_triplet_margin_with_distance_loss", &triplet, &none), "(<unknown>)");
}

#[test]
fn preprocessing_takes_its_stages_and_columns() {
    let image: [(&str, &[i64]); 1] = [("input", &[NA, 3, 20, 30])];
    let params = [
        ("stages", Value::text("both")),
        ("affect_columns", Value::Other("Selector".to_string())),
        ("padding", Value::wholes(&[1, 2])),
    ];
    assert_eq!(shapes_out("trafo_pad", &image, &params), "(NA,3,24,32)");
    assert_eq!(
        shapes_out("trafo_nop", &image, &[("stages", Value::text("test"))]),
        "Operator 'trafo_nop' needs \"train\", \"predict\" or \"both\" for argument 'stages', not \"test\"."
    );
    assert_eq!(
        shapes_out("trafo_pad", &image, &[("padding", Value::wholes(&[1, 2, 3]))]),
        "Operator 'trafo_pad' needs 1, 2 or 4 numbers for argument 'padding', not 3."
    );
}

#[test]
fn losses_say_what_does_not_fit() {
    let weighted = [("weight", Value::Numbers(vec![Some(0.5); 3]))];
    assert_eq!(
        shapes_out("nn_nll_loss", &[("input", &[NA, 4]), ("target", &[NA])], &weighted),
        "Operator 'nn_nll_loss' needs a weight for each of 4 classes in 1 dimension, but the weight has shape (3)."
    );
    assert_eq!(
        shapes_out("nnf_soft_margin_loss", &[("target", &[2, 3]), ("input", &[NA, 1])], &[]),
        "Operator 'nnf_soft_margin_loss' needs a target that expands to (NA,1), not (2,3)."
    );
    assert_eq!(
        shapes_out(
            "nnf_triplet_margin_loss",
            &[("anchor", &[2, 3]), ("positive", &[2, 3]), ("negative", &[2, 4])],
            &[]
        ),
        "Operator 'nnf_triplet_margin_loss' cannot broadcast the anchor (2,3) and the negative (2,4)."
    );
    // where a tensor is an argument, its shape is not known
    let tensor = [("weight", Value::Other("torch_tensor".to_string()))];
    assert_eq!(shapes_out("nn_cross_entropy_loss", &[("input", &[NA, 4]), ("target", &[NA])], &tensor), "()");
}

#[test]
fn huge_arguments_of_images_are_refused() {
    let image: [(&str, &[i64]); 1] = [("input", &[NA, 3, 20, 30])];
    let factor = [("scale_factor", Value::Numbers(vec![Some(1e300)]))];
    assert!(shapes_out("nnf_interpolate", &image, &factor).contains("beyond 2^53"));
    let size = [("size", Value::whole(1 << 52))];
    assert!(shapes_out("trafo_resize", &image, &size).contains("cannot resize"));
    assert!(shapes_out("torch_pdist", &[("input", &[1 << 53, 3])], &[]).contains("beyond 2^53"));
    let crop = ["top", "left", "height", "width"].map(|name| (name, Value::whole(1 << 53)));
    assert_eq!(shapes_out("augment_crop", &image, &crop), "(NA,3,0,0)");
    let border = [("padding", Value::whole(1 << 53))];
    assert!(shapes_out("trafo_pad", &image, &border).contains("beyond 2^53"));
}
