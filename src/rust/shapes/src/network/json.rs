//! Network files.

use super::Node;
use crate::args::Value;
use crate::error::{Error, Kind, Result};
use serde_json::{Map, Number, Value as Json};

/// A network as a file holds it.
#[derive(Clone, PartialEq, Debug)]
pub struct File {
    pub name: Option<String>,
    /// The shapes of the inputs; a missing size is unknown.
    pub input: Vec<Vec<Option<i64>>>,
    pub nodes: Vec<Node>,
}

/// Reads the text of a network file.
pub fn read(text: &str) -> Result<File> {
    let json: Json = serde_json::from_str(text).map_err(|error| {
        let problem = format!("is no JSON: {}.", strip_place(&error.to_string()));
        Error::new(Kind::Argument, format!("Line {}, column {} {problem}", error.line(), error.column()))
    })?;
    let Json::Object(file) = json else {
        return Err(wrong("The file holds no network: it must be an object with \"input\" and \"nodes\"."));
    };
    let Some(Json::Array(nodes)) = file.get("nodes") else {
        return Err(wrong("The file holds no network: it has no array \"nodes\"."));
    };
    let name = match file.get("name") {
        None | Some(Json::Null) => None,
        Some(Json::String(name)) => Some(name.clone()),
        Some(_) => return Err(wrong("The \"name\" of the network must be a text.")),
    };
    Ok(File {
        name,
        input: input(file.get("input"))?,
        nodes: nodes.iter().enumerate().map(node).collect::<Result<_>>()?,
    })
}

/// serde_json ends its messages with the place, which is said before.
fn strip_place(message: &str) -> &str {
    message.rfind(" at line ").map_or(message, |end| &message[..end])
}

fn wrong(problem: impl Into<String>) -> Box<Error> {
    Error::new(Kind::Argument, problem)
}

/// One shape, or an array of shapes.
fn input(json: Option<&Json>) -> Result<Vec<Vec<Option<i64>>>> {
    let bad =
        || wrong("The \"input\" of the network must be a shape, or an array of shapes: whole numbers >= 0 or null.");
    match json {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::Array(items)) if !items.is_empty() && items.iter().all(Json::is_array) => {
            items.iter().map(|item| shape(item.as_array().map_or(&[][..], Vec::as_slice)).ok_or_else(bad)).collect()
        }
        Some(Json::Array(items)) => Ok(vec![shape(items).ok_or_else(bad)?]),
        Some(_) => Err(bad()),
    }
}

fn shape(items: &[Json]) -> Option<Vec<Option<i64>>> {
    items
        .iter()
        .map(|item| match item {
            Json::Null => Some(None),
            Json::Number(n) => n.as_i64().filter(|n| (0..=crate::dim::MAX_SIZE).contains(n)).map(Some),
            _ => None,
        })
        .collect()
}

fn node((i, json): (usize, &Json)) -> Result<Node> {
    let number = i + 1;
    let Json::Object(node) = json else {
        return Err(wrong(format!("Node {number} of the network must be an object.")));
    };
    let Some(Json::String(id)) = node.get("id") else {
        return Err(wrong(format!("Node {number} of the network has no \"id\".")));
    };
    let at = || format!("Node {number} ('{}') of the network", crate::args::shortened(id));
    let Some(Json::String(op)) = node.get("op") else {
        return Err(wrong(format!("{} has no \"op\".", at())));
    };
    let args = match node.get("args") {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::Object(args)) => args
            .iter()
            .map(|(name, json)| match value(json) {
                Some(value) => Ok((name.clone(), value)),
                None => Err(wrong(format!("{} has an array of mixed values for \"{name}\".", at()))),
            })
            .collect::<Result<_>>()?,
        Some(_) => return Err(wrong(format!("{} must have an object as its \"args\".", at()))),
    };
    let inputs = match node.get("inputs") {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::Array(inputs)) => inputs
            .iter()
            .map(|input| match input {
                Json::String(input) => Ok(input.clone()),
                _ => Err(wrong(format!("{} must have an array of texts as its \"inputs\".", at()))),
            })
            .collect::<Result<_>>()?,
        Some(Json::String(input)) => vec![input.clone()],
        Some(_) => return Err(wrong(format!("{} must have an array of texts as its \"inputs\".", at()))),
    };
    let block = match node.get("block") {
        None | Some(Json::Null) => None,
        Some(Json::String(block)) => Some(block.clone()),
        Some(_) => return Err(wrong(format!("{} must have a text as its \"block\".", at()))),
    };
    Ok(Node { id: id.clone(), op: op.clone(), args, inputs, block, given: None })
}

fn value(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::flag(*flag),
        Json::Number(n) => Value::Numbers(vec![Some(n.as_f64()?)]),
        Json::String(text) => Value::text(text),
        Json::Array(items) => return vector(items),
        Json::Object(items) => {
            Value::List(items.iter().map(|(name, item)| Some((name.clone(), value(item)?))).collect::<Option<_>>()?)
        }
    })
}

/// An array of one type, with null for a missing value; arrays of arrays are lists.
fn vector(items: &[Json]) -> Option<Value> {
    fn all<'a, T>(items: &'a [Json], get: impl Fn(&'a Json) -> Option<T>) -> Option<Vec<Option<T>>> {
        items.iter().map(|item| if item.is_null() { Some(None) } else { get(item).map(Some) }).collect()
    }
    if let Some(numbers) = all(items, Json::as_f64) {
        return Some(Value::Numbers(numbers));
    }
    if let Some(flags) = all(items, Json::as_bool) {
        return Some(Value::Flags(flags));
    }
    if let Some(texts) = all(items, |item| item.as_str().map(str::to_string)) {
        return Some(Value::Texts(texts));
    }
    items.iter().map(|item| Some((String::new(), value(item)?))).collect::<Option<Vec<_>>>().map(Value::List)
}

/// The text of a network file.
pub fn write(file: &File) -> Result<String> {
    let mut out = Map::new();
    if let Some(name) = &file.name {
        out.insert("name".into(), Json::String(name.clone()));
    }
    let shapes: Vec<Json> =
        file.input.iter().map(|shape| shape.iter().map(|&size| Json::from(size)).collect()).collect();
    let input = match shapes.as_slice() {
        [one] if !file.input[0].is_empty() => one.clone(),
        _ => Json::Array(shapes),
    };
    out.insert("input".into(), input);
    let nodes: Result<Vec<Json>> = file.nodes.iter().map(node_to_json).collect();
    out.insert("nodes".into(), Json::Array(nodes?));
    serde_json::to_string_pretty(&out).map_err(|error| wrong(format!("The network cannot be written: {error}.")))
}

fn node_to_json(node: &Node) -> Result<Json> {
    let mut args = Map::new();
    for (name, value) in &node.args {
        let json = to_json(value).ok_or_else(|| {
            let id = crate::args::shortened(&node.id);
            wrong(format!("Argument '{name}' of layer '{id}' is {} and cannot be written.", value.shown()))
        })?;
        args.insert(name.clone(), json);
    }
    let mut out = Map::new();
    out.insert("id".into(), Json::String(node.id.clone()));
    out.insert("op".into(), Json::String(node.op.clone()));
    out.insert("args".into(), Json::Object(args));
    out.insert("inputs".into(), node.inputs.iter().cloned().collect());
    if let Some(block) = &node.block {
        out.insert("block".into(), Json::String(block.clone()));
    }
    Ok(Json::Object(out))
}

fn to_json(value: &Value) -> Option<Json> {
    fn vector<T>(items: &[Option<T>], json: impl Fn(&T) -> Option<Json>) -> Option<Json> {
        let all: Option<Vec<Json>> = items.iter().map(|item| item.as_ref().map_or(Some(Json::Null), &json)).collect();
        match all?.as_slice() {
            [one] if !one.is_null() => Some(one.clone()),
            all => Some(Json::Array(all.to_vec())),
        }
    }
    match value {
        Value::Null => Some(Json::Null),
        Value::Flags(flags) => vector(flags, |&flag| Some(Json::Bool(flag))),
        Value::Numbers(numbers) => vector(numbers, |&n| number_to_json(n)),
        Value::Texts(texts) => vector(texts, |text| Some(Json::String(text.clone()))),
        Value::List(items) if items.iter().all(|(name, _)| name.is_empty()) => {
            items.iter().map(|(_, item)| to_json(item)).collect::<Option<Vec<_>>>().map(Json::Array)
        }
        Value::List(items) => items
            .iter()
            .map(|(name, item)| Some((name.clone(), to_json(item)?)))
            .collect::<Option<Map<_, _>>>()
            .map(Json::Object),
        Value::Other(_) => None,
    }
}

fn number_to_json(n: f64) -> Option<Json> {
    if n.fract() == 0.0 && n.abs() <= crate::dim::MAX_SIZE as f64 {
        return Some(Json::from(n as i64));
    }
    Number::from_f64(n).map(Json::Number)
}
