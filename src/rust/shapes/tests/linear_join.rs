//! What linear and joining operators say of mistakes, and what no argument may do.

use shapes::args::Value;
use shapes::op::{Incoming, Outcome};
use shapes::{ops, Dim, Result, Shape};

/// Sizes below 0 are unknown.
fn run(op: &str, inputs: &[&[i64]], params: &[(&str, Value)]) -> Result<Outcome> {
    let size = |&size: &i64| if size < 0 { Dim::UNKNOWN } else { Dim::known(size) };
    let shapes: Vec<Shape> = inputs.iter().map(|sizes| sizes.iter().map(size).collect::<Vec<_>>().into()).collect();
    let params: Vec<(String, Value)> = params.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    ops::find(op)?.run(Incoming { shapes: &shapes, names: None }, &params)
}

fn error(op: &str, inputs: &[&[i64]], params: &[(&str, Value)]) -> String {
    run(op, inputs, params).expect_err("it does not fit").to_string()
}

fn einsum_error(equation: &str, inputs: &[&[i64]]) -> String {
    error("torch_einsum", inputs, &[("equation", Value::text(equation))])
}

#[test]
fn an_equation_is_pointed_at() {
    assert_eq!(
        einsum_error("ij,j1->i", &[&[2, 3], &[3, 4]]),
        "Operator 'torch_einsum' cannot use the equation \"ij,j1->i\": '1' is no label.\n  \
           ij,j1->i\n      ^\nLabels are letters from a to z and A to Z."
    );
    assert_eq!(
        einsum_error("ij->ik", &[&[2, 3]]),
        "Operator 'torch_einsum' cannot use the equation \"ij->ik\": label 'k' of the output stands in no input.\n  \
           ij->ik\n       ^"
    );
    assert_eq!(
        einsum_error("ij,jk", &[&[2, 3], &[4, 5]]),
        "Operator 'torch_einsum' cannot use the equation \"ij,jk\": label 'j' is 4 at dimension 1 of input 2, but 3 in an \
         input before.\nInput shapes: [(2,3);(4,5)].\n  ij,jk\n     ^\nSizes under one label must be equal or 1, in one \
         input equal."
    );
    assert_eq!(
        einsum_error("ij", &[&[2, 3, 4]]),
        "Operator 'torch_einsum' cannot use the equation \"ij\": input 1 has 3 dimensions, but 2 labels.\nInput shape: \
         (2,3,4).\n  ij\n  ^"
    );
    assert_eq!(
        einsum_error("ij,jk->ik", &[&[2, 3]]),
        "Operator 'torch_einsum' cannot use the equation \"ij,jk->ik\": it has labels for 2 inputs, but there is 1.\n\
         Labels of different inputs are separated by commas."
    );
}

#[test]
fn products_say_what_would_fit() {
    assert_eq!(
        error("torch_mm", &[&[2, 3], &[4, -1]], &[]),
        "Operator 'torch_mm' needs one size to sum over, but dimension 2 of input 1 is 3 and dimension 1 of input 2 is \
         4.\nInput shapes: [(2,3);(4,NA)].\nA shape (3,NA) of input 2 would fit."
    );
    assert_eq!(
        error("torch_matmul", &[&[2, 5, 3], &[4, 3, 6]], &[]),
        "Operator 'torch_matmul' cannot broadcast its batches: dimension 1 of input 1 is 2 and dimension 1 of input 2 is \
         4.\nInput shapes: [(2,5,3);(4,3,6)].\nSizes before the matrices must be equal or 1."
    );
    assert_eq!(
        error("linalg_inv", &[&[2, 3, 4]], &[]),
        "Operator 'linalg_inv' needs square matrices, but dimensions 2 and 3 of its input are 3 and 4.\nInput shape: \
         (2,3,4)."
    );
}

#[test]
fn joins_say_what_would_fit() {
    assert_eq!(
        error("torch_vstack", &[&[3], &[2, 4]], &[]),
        "Operator 'torch_vstack' cannot join its inputs along dimension 1: dimension 2 is 3 in input 1 and 4 in input \
         2.\nSizes must be equal in every dimension but 1.\n  input 1   1  3\n  input 2   2  4\n               ^"
    );
    assert_eq!(
        error("torch_split", &[&[-1, 4]], &[("split_size", Value::wholes(&[1, 2])), ("dim", Value::whole(2))]),
        "Operator 'torch_split' has split_size that add up to 3, but dimension 2 of its input is 4.\nInput shape: \
         (NA,4)."
    );
}

#[test]
fn no_argument_takes_the_memory() {
    let huge = || Value::whole(1_000_000_000);
    let refused = |op, inputs: &[&[i64]], params: &[(&str, Value)]| {
        assert!(error(op, inputs, params).contains("too many"), "{op}");
    };
    refused("torch_chunk", &[&[0]], &[("chunks", huge())]);
    refused("torch_chunk", &[&[1_000_000_000]], &[("chunks", huge())]);
    refused("torch_split", &[&[1_000_000_000]], &[("split_size", Value::whole(1))]);
    refused("torch_tensor_split", &[&[-1]], &[("sections", huge())]);
    refused("torch_unbind", &[&[1_000_000_000]], &[]);
    assert!(run("torch_combinations", &[&[1_000]], &[("r", huge())]).is_ok());
    assert!(run("torch_combinations", &[&[1_000]], &[("r", Value::whole(500))]).is_err());
    assert!(run("torch_matrix_power", &[&[2, 2]], &[("n", huge())]).is_ok());
}
