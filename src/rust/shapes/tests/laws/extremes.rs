//! Huge and strange arguments and sizes: there is an answer, and soon.

use crate::case::{answer, Answer};
use crate::make::Maker;
use crate::{seed, selected};
use proptest::test_runner::{RngAlgorithm, TestRng};
use shapes::args::{Takes, Value};
use shapes::op::Op;
use shapes::{Dim, Shape};
use std::time::{Duration, Instant};

const LONG: usize = 65_536;

/// Far beyond what any answer takes, for slow machines.
const PATIENCE: Duration = Duration::from_secs(2);

/// Values that strain an argument.
fn strange(takes: Takes) -> Vec<Value> {
    let number = |x: f64| Value::Numbers(vec![Some(x)]);
    let mut values: Vec<Value> =
        [0.0, -1.0, 1e9, -1e9, 2147483648.0, 9007199254740992.0, -9007199254740992.0].into_iter().map(number).collect();
    values.push(Value::Numbers(Vec::new()));
    values.push(Value::List(Vec::new()));
    values.push(Value::text(""));
    values.push(Value::Other("function".to_string()));
    if takes != Takes::Whole {
        values.push(Value::Numbers(vec![Some(9007199254740992.0); 4]));
        values.push(Value::Numbers(vec![Some(1e9), Some(1e9), Some(0.0)]));
        values.push(Value::Numbers(vec![Some(1.0); LONG]));
        values.push(Value::Numbers(vec![None; 3]));
        values.push(Value::Numbers(vec![Some(1e-300), Some(1e300)]));
        values.push(Value::text(&"a".repeat(LONG)));
    }
    values
}

fn try_out(op: &'static Op, params: &[(String, Value)], shapes: &[Shape], complaints: &mut Vec<String>) {
    let start = Instant::now();
    let outcome = answer(op, params, shapes);
    let case = || {
        let params: Vec<String> = params.iter().map(|(name, value)| format!("{name} = {}", value.shown())).collect();
        let shapes: String =
            shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(" ").chars().take(200).collect();
        format!("{}({}) on {shapes}", op.name, params.join(", "))
    };
    if let Answer::Panics(text) = outcome {
        complaints.push(format!("{}: panics: {text}", case()));
    } else if start.elapsed() > PATIENCE {
        complaints.push(format!("{}: takes {:?}", case(), start.elapsed()));
    }
}

#[test]
fn nothing_is_too_large() {
    const CASES: usize = 3;
    let mut complaints = Vec::new();
    for op in selected() {
        let maker = Maker::new(op);
        let rng = &mut TestRng::from_seed(RngAlgorithm::ChaCha, &seed(op.name));
        let before = complaints.len();
        for _ in 0..CASES {
            let case = maker.make(rng);
            let shapes = case.shapes();
            for arg in op.args {
                for value in strange(arg.takes) {
                    let mut params = case.params.clone();
                    params.retain(|(name, _)| name != arg.name);
                    params.push((arg.name.to_string(), value));
                    try_out(op, &params, &shapes, &mut complaints);
                }
            }
            for size in [0, 1 << 31, (1 << 53) - 1, 1 << 53] {
                let size = |old: Dim| if old.value().is_some() { Dim::known(size) } else { old };
                let huge = |shape: &Shape| shape.dims().unwrap_or(&[]).iter().map(|&old| size(old)).collect::<Vec<_>>();
                let huge: Vec<Shape> = shapes.iter().map(|shape| huge(shape).into()).collect();
                try_out(op, &case.params, &huge, &mut complaints);
            }
            for rank in [7, 65, 5000] {
                for size in [Dim::known(2), Dim::UNKNOWN, Dim::ONE] {
                    let deep = vec![Shape::from(vec![size; rank]); shapes.len()];
                    try_out(op, &case.params, &deep, &mut complaints);
                }
            }
            try_out(op, &case.params, &vec![Shape::Unknown; shapes.len()], &mut complaints);
        }
        complaints.truncate(before + 3);
    }
    assert!(complaints.is_empty(), "{} answers are missing:\n{}", complaints.len(), complaints.join("\n"));
}
