//! What PyTorch cannot answer of convolution and pooling: texts, costs, huge arguments.

use shapes::args::Value;
use shapes::op::{Incoming, Outcome, Outputs};
use shapes::{ops, Dim, Shape};

fn dims(sizes: &[i64]) -> Shape {
    // -1 is an unknown size
    sizes.iter().map(|&size| if size < 0 { Dim::UNKNOWN } else { Dim::known(size) }).collect::<Vec<_>>().into()
}

fn run(op: &str, shapes: &[Shape], params: &[(&str, Value)]) -> Result<Outcome, String> {
    let params: Vec<(String, Value)> = params.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    let op = ops::find(op).unwrap();
    op.run(Incoming { shapes, names: None }, &params).map_err(|error| error.to_string())
}

fn output(op: &str, shapes: &[Shape], params: &[(&str, Value)]) -> String {
    match run(op, shapes, params).map(|outcome| outcome.outputs) {
        Ok(Outputs::Shapes(shapes)) => shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(" "),
        Ok(Outputs::Unknown) => "unknown".to_string(),
        Err(text) => text,
    }
}

fn whole(n: i64) -> Value {
    Value::whole(n)
}

#[test]
fn long_signals_keep_their_length() {
    let params = [("out_channels", whole(1)), ("kernel_size", whole(1921)), ("padding", whole(960))];
    assert_eq!(output("nn_conv1d", &[dims(&[-1, 1, 19_199_998])], &params), "(NA,1,19199998)");
    let params = [("kernel_size", whole(1921)), ("padding", whole(960)), ("stride", whole(1))];
    assert_eq!(output("nn_max_pool1d", &[dims(&[-1, 1, 19_199_998])], &params), "(NA,1,19199998)");
    let params = [("output_ratio", Value::Numbers(vec![Some(0.5)])), ("kernel_size", whole(2))];
    let large = dims(&[-1, 1, 1 << 40, 3_000_000_001]);
    assert_eq!(output("nn_fractional_max_pool2d", &[large], &params), "(NA,1,549755813888,1500000000)");
}

#[test]
fn huge_arguments_are_no_panic() {
    let huge = || whole(1 << 53);
    for op in ops::OPERATORS.iter().filter(|op| ["conv", "pool"].contains(&op.family)) {
        for name in op.args.iter().map(|arg| arg.name) {
            let mut params: Vec<(&str, Value)> = vec![(name, huge())];
            for required in ["out_channels", "kernel_size", "norm_type", "output_size"] {
                let declared = op.args.iter().any(|arg| arg.name == required);
                if declared && required != name && !(required == "output_size" && op.name.contains("transpose")) {
                    params.push((required, whole(3)));
                }
            }
            for rank in 2..=5 {
                for size in [-1, 0, 1, 7, 1 << 53] {
                    let shapes = vec![dims(&vec![size; rank]); op.inputs.signature().split(", ").count()];
                    let _ = run(op.name, &shapes, &params);
                }
            }
        }
        let every: Vec<(&str, Value)> = op.args.iter().map(|arg| (arg.name, huge())).collect();
        let _ = run(op.name, &[dims(&[-1, 4, 7, 7])], &every);
    }
}

#[test]
fn channels_follow_from_an_input_with_a_batch() {
    let params = [("out_channels", whole(8)), ("kernel_size", whole(3))];
    assert_eq!(output("nn_conv2d", &[dims(&[-1, -1, 9, 9])], &params), "(NA,8,7,7)");
    assert_eq!(
        output("nn_conv2d", &[dims(&[3, 9, 9])], &params),
        "Operator 'nn_conv2d' needs an input of 4 dimensions, not 3.\nInput shape: (3,9,9).\n\
         Without a batch, 'in_channels' must be given."
    );
}

#[test]
fn shapes_of_which_nothing_is_known() {
    let outcome = run("nnf_conv2d", &[Shape::Unknown, Shape::Unknown, Shape::Unknown], &[]).unwrap();
    assert_eq!(outcome.outputs, Outputs::Shapes(vec![Shape::Unknown]));
    let weight = [dims(&[4, 3, 2, 2]), Shape::Unknown];
    assert_eq!(output("nnf_conv2d", &[dims(&[-1, 3, 8, 8]), weight[0].clone(), Shape::Unknown], &[]), "(NA,4,7,7)");
    assert_eq!(output("torch_conv_tbc", &[Shape::Unknown, dims(&[2, 3, 4]), Shape::Unknown], &[]), "(NA,NA,4)");
}

#[test]
fn costs() {
    let cost = |op: &str, shapes: &[Shape], params: &[(&str, Value)]| {
        let cost = run(op, shapes, params).unwrap().cost;
        (cost.params.value(), cost.macs.value())
    };
    let image = [dims(&[2, 4, 9, 8])];
    let module = [("out_channels", whole(6)), ("kernel_size", whole(3)), ("groups", whole(2))];
    // weights (6, 2, 3, 3) and 6 for the bias; every one of 2 x 6 x 7 x 6 elements takes 2 x 3 x 3
    assert_eq!(cost("nn_conv2d", &image, &module), (Some(6 * 18 + 6), Some(2 * 6 * 7 * 6 * 18)));
    let groups = [("groups", whole(2))];
    assert_eq!(
        cost("nnf_conv2d", &[image[0].clone(), dims(&[6, 2, 3, 3])], &groups),
        (Some(0), Some(2 * 6 * 7 * 6 * 18))
    );
    // weights (4, 3, 3, 3); every one of 2 x 4 x 9 x 8 elements goes into 3 x 3 x 3
    assert_eq!(cost("nn_conv_transpose2d", &image, &module), (Some(4 * 27 + 6), Some(2 * 4 * 9 * 8 * 27)));
    assert_eq!(
        cost("torch_conv_transpose2d", &[image[0].clone(), dims(&[4, 3, 3, 3])], &groups),
        (Some(0), Some(2 * 4 * 9 * 8 * 27))
    );
    let sequence = [dims(&[5, 2, 3]), dims(&[2, 3, 4]), dims(&[4])];
    assert_eq!(cost("nnf_conv_tbc", &sequence, &[]), (Some(0), Some(4 * 2 * 4 * 3 * 2)));
    assert_eq!(cost("nn_max_pool2d", &image, &[("kernel_size", whole(2))]), (Some(0), Some(0)));
}

#[test]
fn errors_say_what_would_fit() {
    let conv = |shape: &[i64], params: &[(&str, Value)]| {
        let mut all = vec![("in_channels", whole(3)), ("out_channels", whole(4)), ("kernel_size", whole(3))];
        all.extend(params.iter().cloned());
        output("nn_conv2d", &[dims(shape)], &all)
    };
    assert_eq!(
        conv(&[-1, 5, 9, 9], &[]),
        "Operator 'nn_conv2d' needs in_channels = 3, but gets 5 in dimension 2 of its input.\nInput shape: (NA,5,9,9).\n\
         An input of shape (NA,3,9,9) or in_channels = 5 would fit."
    );
    assert_eq!(
        conv(&[-1, 3, 9, 2], &[("dilation", whole(2))]),
        "Operator 'nn_conv2d' has a kernel of size 3 (reaching over 5 by its dilation) that does not fit: dimension 4 of \
         its input (NA,3,9,2) is 2 with 0 of padding.\nA size of at least 5 would fit."
    );
    assert_eq!(
        conv(&[-1, 3, 9, 2], &[("padding", whole(2)), ("padding_mode", Value::text("reflect"))]),
        "Operator 'nn_conv2d' has padding 2 in mode \"reflect\", but dimension 4 of its input is 2.\n\
         Input shape: (NA,3,9,2).\nA size of at least 3 would fit."
    );
    assert_eq!(
        output("nnf_conv2d", &[dims(&[-1, 5, 9, 9]), dims(&[4, 2, 3, 3])], &[("groups", whole(2))]),
        "Operator 'nnf_conv2d' has a weight (input 2) for 4 input channels in 2 groups, but dimension 2 of input 1 is 5.\n\
         Input shapes: [(NA,5,9,9);(4,2,3,3)].\nDimension 2 of the weight says how many channels come in a group."
    );
    let transposed = [
        ("out_channels", whole(4)),
        ("kernel_size", whole(3)),
        ("stride", whole(2)),
        ("output_size", Value::wholes(&[12])),
    ];
    assert_eq!(
        output("nn_conv_transpose1d", &[dims(&[-1, 3, 4])], &transposed),
        "Operator 'nn_conv_transpose1d' cannot give output_size 12: dimension 3 of its input is 4.\nInput shape: (NA,3,4).\n\
         A size of 9 to 10 would fit."
    );
    assert_eq!(
        output("nn_max_pool2d", &[dims(&[-1, 0, 4, 4])], &[("kernel_size", whole(2))]),
        "Operator 'nn_max_pool2d' has nothing to pool: dimension 2 of its input is 0.\nInput shape: (NA,0,4,4).\n\
         A size of at least 1 would fit."
    );
    assert_eq!(
        output("nnf_adaptive_avg_pool2d", &[dims(&[-1, 3, 4, 4])], &[("output_size", whole(2))]),
        "Operator 'nnf_adaptive_avg_pool2d' needs 2 numbers for argument 'output_size', not 1."
    );
    assert_eq!(
        output(
            "nnf_fold",
            &[dims(&[-1, 12, 8])],
            &[("output_size", Value::wholes(&[4, 5])), ("kernel_size", Value::wholes(&[2, 3]))]
        ),
        "Operator 'nnf_fold' needs 3 x 3 = 9 columns for an image of 4 x 5, but dimension 3 of its input is 8.\n\
         Input shape: (NA,12,8)."
    );
}
