//! What R torch and mlr3torch do of their own in elementwise operators and reductions, and what mistakes say.

use shapes::args::Value;
use shapes::op::{Incoming, Outputs};
use shapes::{ops, Dim, Result, Shape};

/// A size that is not known.
const NA: i64 = -1;

fn run(op: &str, shapes: &[&[i64]], names: Option<&[&str]>, params: &[(&str, Value)]) -> Result<Outputs> {
    let known = |&size: &i64| if size == NA { Dim::UNKNOWN } else { Dim::known(size) };
    let shapes: Vec<Shape> = shapes.iter().map(|sizes| sizes.iter().map(known).collect::<Vec<_>>().into()).collect();
    let names: Option<Vec<String>> = names.map(|names| names.iter().map(|name| name.to_string()).collect());
    let params: Vec<_> = params.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    ops::find(op)?.shapes_out(Incoming { shapes: &shapes, names: names.as_deref() }, &params)
}

fn shown(outputs: Result<Outputs>) -> String {
    match outputs {
        Ok(Outputs::Shapes(shapes)) => shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(" "),
        Ok(Outputs::Unknown) => "unknown outputs".to_string(),
        Err(error) => error.to_string().lines().next().unwrap_or_default().to_string(),
    }
}

fn answer(op: &str, shapes: &[&[i64]], params: &[(&str, Value)]) -> String {
    shown(run(op, shapes, None, params))
}

fn number(x: f64) -> Value {
    Value::Numbers(vec![Some(x)])
}

#[test]
fn every_name_stands_once_in_the_registry() {
    let mut names: Vec<&str> = ops::OPERATORS.iter().map(|op| op.name).collect();
    names.sort_unstable();
    let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn operands_are_inputs_or_numbers() {
    let two = || Value::whole(2);
    assert_eq!(answer("torch_pow", &[&[NA, 3]], &[("self", two())]), "(NA,3)");
    assert_eq!(shown(run("torch_pow", &[&[NA, 3]], Some(&["exponent"]), &[("self", two())])), "(NA,3)");
    assert_eq!(shown(run("sub_", &[&[3], &[NA, 3]], Some(&["other", "self"]), &[])), "(NA,3)");
    assert_eq!(answer("add_", &[&[]], &[("other", two())]), "()");
    // made a tensor of shape (1), which does not fit into a scalar
    assert_eq!(
        answer("atan2_", &[&[]], &[("other", two())]),
        "Operator 'atan2_' cannot write into its first input (): cannot expand shape (1) to (): it has 1 dimension, the target 0."
    );
    assert_eq!(
        answer("add_", &[&[NA, 1], &[3]], &[]),
        "Operator 'add_' cannot write into its first input (NA,1): The expanded size of the tensor (1) must match the existing size (3) at non-singleton dimension 2."
    );
    assert_eq!(answer("torch_clamp", &[&[NA]], &[("min", Value::whole(0)), ("max", two())]), "(NA)");
}

#[test]
fn operands_that_are_missing_or_given_twice() {
    assert_eq!(
        answer("torch_add", &[&[NA, 3]], &[]),
        "Operator 'torch_add' needs 'other': another input, or a number for argument 'other'."
    );
    assert_eq!(
        answer("torch_add", &[&[3], &[3]], &[("other", Value::whole(2))]),
        "Operator 'torch_add' has 'other' twice: as an input and as an argument."
    );
    assert_eq!(
        answer("torch_where", &[&[3], &[3]], &[]),
        "Operator 'torch_where' needs 'other': another input, or a number for argument 'other'."
    );
    assert_eq!(
        answer("torch_where", &[&[3]], &[("other", Value::whole(0))]),
        "Operator 'torch_where' needs 'self': another input, or a number for argument 'self'."
    );
    assert_eq!(
        answer("torch_clamp", &[&[3], &[3]], &[("max", Value::whole(1))]),
        "Operator 'torch_clamp' has one bound that is a number and one that is a tensor; they must be alike."
    );
    assert_eq!(
        answer("torch_mul", &[&[3]], &[("other", Value::text("two"))]),
        "Operator 'torch_mul' needs a number or numbers for argument 'other', not \"two\"."
    );
}

#[test]
fn merges_take_as_many_inputs_as_innum_says() {
    assert_eq!(answer("nn_merge_sum", &[&[NA, 1], &[NA, 6]], &[("innum", Value::whole(2))]), "(NA,6)");
    assert_eq!(
        answer("nn_merge_prod", &[&[NA, 1], &[NA, 6]], &[("innum", Value::whole(3))]),
        "Operator 'nn_merge_prod' has innum = 3, but gets 2 inputs."
    );
}

#[test]
fn modules_as_r_torch_and_mlr3torch_have_them() {
    // no check of the number of dimensions
    assert_eq!(answer("nn_softmax2d", &[&[NA, 3]], &[]), "(NA,3)");
    // R torch's code gives the first dimension and dim in each other's places
    assert_eq!(answer("nn_contrib_sparsemax", &[&[NA, 3, 4]], &[("dim", Value::whole(2))]), "(3,NA,4)");
    assert_eq!(answer("nnf_contrib_sparsemax", &[&[NA, 3]], &[("dim", Value::whole(1))]), "(NA,3)");
    assert_eq!(answer("nn_geglu", &[&[NA, 6]], &[]), "(NA,3)");
    assert_eq!(
        answer("nn_reglu", &[&[6, 5]], &[]),
        "Operator 'nn_reglu' cannot halve dimension 2 of its input: its size 5 is odd."
    );
    // without dim R torch has no keepdim
    assert_eq!(answer("torch_sum", &[&[NA, 3]], &[("keepdim", Value::flag(true))]), "()");
    assert_eq!(answer("torch_norm", &[&[NA, 3]], &[("keepdim", Value::flag(true))]), "()");
    assert_eq!(answer("torch_nansum", &[&[NA, 3]], &[("keepdim", Value::flag(true))]), "(1,1)");
}

#[test]
fn prelu_learns_its_weights() {
    let shapes = [Shape::from(vec![Dim::UNKNOWN, Dim::known(4)])];
    let params = [("num_parameters".to_string(), Value::whole(4))];
    let op = ops::find("nn_prelu").expect("it is there");
    let outcome = op.run(Incoming { shapes: &shapes, names: None }, &params).expect("it fits");
    assert_eq!((outcome.cost.params, outcome.cost.macs), (Dim::known(4), Dim::ZERO));
    assert_eq!(
        answer("nn_prelu", &[&[NA, 5]], &[("num_parameters", Value::whole(4))]),
        "Operator 'nn_prelu' has 4 weights, but dimension 2 of its input is 5."
    );
}

#[test]
fn infinite_norms_need_elements() {
    for op in ["torch_norm", "linalg_vector_norm", "linalg_norm"] {
        let order = if op == "torch_norm" { "p" } else { "ord" };
        let over = |dim| vec![(order, number(f64::INFINITY)), ("dim", Value::whole(dim))];
        assert_eq!(answer(op, &[&[0, 3]], &over(2)), "(0)");
        assert!(answer(op, &[&[0, 3]], &over(1)).contains("finds nothing along dimension 1"), "{op}");
    }
    let order = |p| [("ord", number(p))];
    assert_eq!(answer("linalg_matrix_norm", &[&[0, 3]], &order(f64::INFINITY)), "()");
    assert!(answer("linalg_matrix_norm", &[&[0, 3]], &order(f64::NEG_INFINITY)).contains("dimension 1"));
    assert_eq!(answer("linalg_matrix_norm", &[&[3, 0]], &order(f64::NEG_INFINITY)), "()");
    assert_eq!(
        answer("linalg_matrix_norm", &[&[3, 3]], &order(3.0)),
        "Operator 'linalg_matrix_norm' has no matrix norm of order 3."
    );
}

#[test]
fn mistakes_in_reductions_say_what_fits() {
    let error = run("torch_sum", &[&[NA, 3]], None, &[("dim", Value::whole(3))]).expect_err("there are two");
    assert_eq!(
        error.to_string(),
        "Operator 'torch_sum' has dim = 3, but its input has 2 dimensions.\nInput shape: (NA,3).\nIt can be 1 to 2, or -1 to -2 from the end."
    );
    let error = run("torch_sum", &[&[]], None, &[("dim", Value::whole(2))]).expect_err("a scalar has none");
    assert!(error.to_string().ends_with("For a scalar it can be 1 or -1."), "{error}");
    assert_eq!(
        answer("torch_topk", &[&[NA, 3]], &[("k", Value::whole(4))]),
        "Operator 'torch_topk' has k = 4, but dimension 2 of its input is 3."
    );
    assert_eq!(
        answer("torch_max", &[&[3], &[3]], &[("dim", Value::whole(1))]),
        "Operator 'torch_max' cannot have both 'other' and 'dim': it compares two tensors, or looks along one dimension."
    );
}

#[test]
fn huge_arguments_are_no_trouble() {
    let huge = || Value::whole(9_007_199_254_740_992);
    assert_eq!(answer("torch_histc", &[&[NA]], &[("bins", huge())]), "(9007199254740992)");
    assert_eq!(answer("torch_topk", &[&[NA]], &[("k", huge())]), "(9007199254740992) (9007199254740992)");
    assert_eq!(answer("torch_diff", &[&[NA, 3]], &[("n", huge())]), "(NA,0)");
    assert!(answer("torch_unique", &[&[1 << 40, 1 << 40]], &[]).contains("more than 2^53 elements"));
}
