//! What PyTorch cannot answer of the view family: texts of errors, R's own ways to write arguments, mlr3torch's modules.

use shapes::args::Value;
use shapes::op::{Incoming, Outputs};
use shapes::{ops, Dim, Result, Shape};

const NA: i64 = -1;

fn run(op: &str, shapes: &[&[i64]], params: &[(&str, Value)]) -> Result<String> {
    let size = |&size: &i64| if size == NA { Dim::UNKNOWN } else { Dim::known(size) };
    let shapes: Vec<Shape> = shapes.iter().map(|sizes| sizes.iter().map(size).collect::<Vec<Dim>>().into()).collect();
    let params: Vec<(String, Value)> = params.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    Ok(match ops::find(op)?.shapes_out(Incoming { shapes: &shapes, names: None }, &params)? {
        Outputs::Unknown => "unknown outputs".to_string(),
        Outputs::Shapes(shapes) => shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(" "),
    })
}

fn shape(op: &str, shapes: &[&[i64]], params: &[(&str, Value)]) -> String {
    run(op, shapes, params).unwrap_or_else(|error| panic!("{error}"))
}

fn error(op: &str, shapes: &[&[i64]], params: &[(&str, Value)]) -> String {
    match run(op, shapes, params) {
        Ok(shape) => panic!("{op} gives {shape}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_list_of_numbers_is_a_vector() {
    let numbers = |ns: &[i64]| Value::List(ns.iter().map(|&n| (String::new(), Value::whole(n))).collect());
    assert_eq!(shape("torch_reshape", &[&[2, 6]], &[("shape", numbers(&[3, 4]))]), "(3,4)");
    assert_eq!(shape("torch_roll", &[&[2, 6]], &[("shifts", Value::whole(1)), ("dims", numbers(&[]))]), "(2,6)");
    let words = Value::List(vec![(String::new(), Value::text("a"))]);
    assert!(error("torch_reshape", &[&[2, 6]], &[("shape", words)]).contains("not a list of 1."));
}

#[test]
fn modules_of_mlr3torch() {
    let twice = [("dim", Value::wholes(&[1, -2]))];
    assert_eq!(shape("nn_squeeze", &[&[1, 3]], &twice), "(3)");
    assert!(error("torch_squeeze", &[&[1, 3]], &twice).contains("dimension 1 twice"));
    assert_eq!(shape("nn_squeeze", &[&[1, 3]], &[("dim", Value::wholes(&[]))]), "(1,3)");
    assert!(error("nn_squeeze", &[&[1, 3]], &[]).contains("needs argument 'dim'"));
    assert!(error("nn_reshape", &[&[1]], &[("shape", Value::wholes(&[]))]).contains("at least one number"));
    assert_eq!(shape("torch_reshape", &[&[1]], &[("shape", Value::wholes(&[]))]), "()");
}

#[test]
fn dimensions_and_places_count_from_one() {
    assert!(error("torch_rot90", &[&[2, 3]], &[]).contains("needs argument 'dims'"));
    assert!(error("torch_unsqueeze", &[&[2, 3]], &[("dim", Value::whole(0))])
        .contains("has dim = 0, but its output has 3 dimensions."));
    let second_to_last = [("dim", Value::whole(1)), ("start", Value::whole(-1)), ("length", Value::whole(2))];
    assert_eq!(shape("torch_narrow", &[&[5]], &second_to_last), "(2)");
}

#[test]
fn errors_say_what_does_not_fit() {
    let reshape = |sizes: &[i64], shape: &[i64]| error("torch_reshape", &[sizes], &[("shape", Value::wholes(shape))]);
    assert_eq!(
        reshape(&[NA, 3, 4], &[5, 6]),
        "Operator 'torch_reshape' cannot reshape its input (NA,3,4) to c(5, 6): it has a multiple of 12 elements, which do \
         not make 30 elements.\nA -1 in place of one of the sizes is worked out from the others."
    );
    assert!(reshape(&[4, 3], &[-1, -1]).contains("has -1 2 times in shape = c(-1, -1)."));
    assert!(reshape(&[0, 3], &[0, -1]).contains("beside a 0 any size fits"));
    assert!(reshape(&[3], &[1 << 30, 1 << 30]).contains("beyond 2^53"));
    assert!(error("torch_expand", &[&[3]], &[("size", Value::wholes(&[2, 4]))])
        .contains("cannot expand its input: The expanded size of the tensor (4) must match the existing size (3)"));
    assert!(error("nnf_pad", &[&[2, 3, 4]], &[("pad", Value::wholes(&[4, 0])), ("mode", Value::text("reflect"))])
        .contains("Both numbers must be less than the size"));
    assert!(error("torch_put", &[&[9], &[4], &[NA, 3]], &[]).contains("not 4 elements and a multiple of 3 elements."));
}
