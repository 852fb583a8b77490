//! What PyTorch and mlr3torch answer: every row of the fixtures.

use serde_json::Value as Json;
use shapes::args::Value;
use shapes::op::{Incoming, Outcome, Outputs};
use shapes::{ops, Dim, Result, Shape};
use std::path::PathBuf;

fn rows(file: &str) -> Vec<Json> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/testthat/fixtures").join(file);
    let text = std::fs::read_to_string(path).expect("the fixture is there");
    text.lines().map(|line| serde_json::from_str(line).expect("a row is JSON")).collect()
}

fn shape(json: &Json) -> Shape {
    let size = |size: &Json| size.as_i64().map_or(Dim::UNKNOWN, Dim::known);
    json.as_array().map_or(Shape::Unknown, |sizes| sizes.iter().map(size).collect::<Vec<_>>().into())
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::flag(*flag),
        Json::Number(n) => Value::Numbers(vec![n.as_f64()]),
        Json::String(text) => Value::text(text),
        Json::Array(items) if items.iter().all(|item| item.is_null() || item.is_number()) => {
            Value::Numbers(items.iter().map(Json::as_f64).collect())
        }
        Json::Array(items) => Value::List(items.iter().map(|item| (String::new(), value(item))).collect()),
        Json::Object(items) => Value::List(items.iter().map(|(name, item)| (name.clone(), value(item))).collect()),
    }
}

fn outcome(row: &Json) -> Result<Outcome> {
    let mut params: Vec<(String, Value)> =
        row["params"].as_object().map_or(Vec::new(), |p| p.iter().map(|(k, v)| (k.clone(), value(v))).collect());
    if row["task"].is_object() {
        params.push(("task".to_string(), value(&row["task"])));
    }
    let shapes: Vec<Shape> = row["in"].as_array().expect("in is an array").iter().map(shape).collect();
    let op = ops::find(row["op"].as_str().expect("op is a text"))?;
    op.run(Incoming { shapes: &shapes, names: None }, &params)
}

/// What a row says, and what we say, as texts; unknown sizes as NA.
fn answers(row: &Json) -> (String, String) {
    let shown = |shapes: &[Shape]| shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(" ");
    let wanted = match (&row["error"], &row["out"]) {
        (Json::Bool(true), _) => "error".to_string(),
        (_, Json::Null) => "unknown outputs".to_string(),
        (_, out) => shown(&out.as_array().expect("out is an array").iter().map(shape).collect::<Vec<_>>()),
    };
    let got = match outcome(row).map(|outcome| outcome.outputs) {
        Ok(Outputs::Unknown) => "unknown outputs".to_string(),
        Ok(Outputs::Shapes(shapes)) => shown(&shapes),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            "error".to_string()
        }
    };
    (wanted, got)
}

/// Helpers that are no operators have tests of their own.
const NO_OPERATORS: &[&str] = &["reshape_output_shape"];

/// Operators of the fixtures that have no rule yet.
fn has_rule(row: &Json) -> bool {
    let op = row["op"].as_str().unwrap_or_default();
    !NO_OPERATORS.contains(&op) && ops::find(op).is_ok()
}

fn check(file: &str) {
    // TORCHSHAPE_OP=nn_conv narrows a run to the operators whose name holds that text
    let only = std::env::var("TORCHSHAPE_OP").unwrap_or_default();
    let mut checked = 0;
    let wrong: Vec<String> = rows(file)
        .iter()
        .filter(|row| has_rule(row) && row["op"].as_str().unwrap_or_default().contains(&only))
        .filter_map(|row| {
            checked += 1;
            let (wanted, got) = answers(row);
            (wanted != got).then(|| format!("{row}\n    wanted {wanted}, got {got}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {checked} rows of {file} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked > 0 || !only.is_empty(), "{file} has no row for any operator");
}

#[test]
fn operators_answer_as_pytorch() {
    check("op_shapes.jsonl");
}

#[test]
fn pipeops_answer_as_mlr3torch() {
    check("pipeop_shapes.jsonl");
}

#[test]
fn cases_of_public_reports() {
    check("cases.jsonl");
}

/// Rows of PyTorch that tell most of each family, with what the layers learn and their multiply-adds where a row says it.
fn check_family(family: &str) {
    let file = format!("pytorch_{family}.jsonl");
    check(&file);
    for row in rows(&file).iter().filter(|row| row["learned"].is_i64()) {
        let cost = outcome(row).expect("a row with costs has no error").cost;
        assert_eq!(cost.params.value(), row["learned"].as_i64(), "learned: {row}");
        assert_eq!(cost.macs.value(), row["macs"].as_i64(), "macs: {row}");
    }
}

#[test]
fn elementwise_answers_as_pytorch() {
    check_family("elementwise");
}

#[test]
fn reduce_answers_as_pytorch() {
    check_family("reduce");
}

#[test]
fn norm_answers_as_pytorch() {
    check_family("norm");
}

#[test]
fn recurrent_answers_as_pytorch() {
    check_family("recurrent");
}

#[test]
fn attention_answers_as_pytorch() {
    check_family("attention");
}

#[test]
fn embedding_answers_as_pytorch() {
    check_family("embedding");
}

#[test]
fn image_answers_as_pytorch() {
    check_family("image");
}

#[test]
fn loss_answers_as_pytorch() {
    check_family("loss");
}

#[test]
fn view_family_answers_as_pytorch() {
    check_family("view");
}

#[test]
fn convolutions_answer_as_pytorch() {
    check("pytorch_conv.jsonl");
}

#[test]
fn pools_answer_as_pytorch() {
    check("pytorch_pool.jsonl");
}

#[test]
fn linear_answers_as_pytorch() {
    check_family("linear");
}

#[test]
fn join_answers_as_pytorch() {
    check_family("join");
}
