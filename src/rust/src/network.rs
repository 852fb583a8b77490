//! Operators and networks.

use crate::conditions::guard;
use crate::r::{self, SEXP, SEXPTYPE};
use crate::shapes::{
    dim_to_double, quoted, read_id, read_params, read_shapes_or_shape, read_text, read_value, shape_to_sexp,
    shapes_to_list, wrong_argument,
};
use shapes::args::Value;
use shapes::error::nearest;
use shapes::network::{self, Given, Inferred, Network, Node};
use shapes::op::{Incoming, Outputs};
use shapes::ops;
use shapes::{Dim, Error, Kind, Result, Shape};

pub extern "C-unwind" fn shapes_out(op: SEXP, shapes_in: SEXP, params: SEXP, id: SEXP) -> SEXP {
    guard(|| {
        let outputs = outputs(op, shapes_in, params, id)?;
        Ok(r::protected(|| match &outputs {
            Outputs::Unknown => r::null(),
            Outputs::Shapes(shapes) => unsafe { shapes_to_list(shapes) },
        }))
    })
}

fn outputs(op: SEXP, shapes_in: SEXP, params: SEXP, id: SEXP) -> Result<Outputs> {
    let here = |error: Box<Error>| error.function("shapes_out");
    let id = read_id(id).map_err(here)?;
    let op = ops::find(&read_text(op, "op").map_err(here)?).map_err(|error| error.id_fact(id.as_deref()))?;
    let read = || {
        let (shapes, names) = read_shapes_or_shape(shapes_in, "shapes_in")?;
        Ok((shapes, names, read_params(params, "params")?))
    };
    let (shapes, names, params) = read().map_err(|error: Box<Error>| error.op(op.name).id(id.as_deref()))?;
    let incoming = Incoming { shapes: &shapes, names: names.as_deref() };
    op.shapes_out(incoming, &params).map_err(|error| error.id(id.as_deref()))
}

pub extern "C-unwind" fn shape_ops() -> SEXP {
    guard(|| {
        let ops: Vec<[String; 6]> = ops::OPERATORS
            .iter()
            .map(|op| {
                let args: Vec<String> = op.args.iter().map(|arg| arg.signature()).collect();
                [
                    op.name.to_string(),
                    op.family.to_string(),
                    args.join(", "),
                    op.inputs.signature(),
                    op.outputs.join(", "),
                    op.summary.to_string(),
                ]
            })
            .collect();
        let columns = ["op", "family", "arguments", "inputs", "outputs", "summary"];
        Ok(r::protected(|| unsafe {
            r::named_list(&columns, |column| r::strings(ops.iter().map(|op| op[column].as_str())))
        }))
    })
}

pub extern "C-unwind" fn read_network_file(path: SEXP) -> SEXP {
    guard(|| {
        let path = read_text(path, "file").map_err(|error| error.function("read_network"))?;
        let failed = |problem: String| Error::new(Kind::Argument, problem).function("read_network");
        let bytes = std::fs::read(&path)
            .map_err(|error| failed(format!("cannot read the file {}: {error}.", quoted(&path))))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| failed(format!("cannot read the file {}: it is no UTF-8 text.", quoted(&path))))?;
        let file = network::read(&text).map_err(|mut error| {
            error.problem = format!("cannot read the file {}. {}", quoted(&path), error.problem);
            error.function("read_network")
        })?;
        let inputs: Vec<Shape> = file
            .input
            .iter()
            .map(|shape| shape.iter().map(|size| size.map_or(Dim::UNKNOWN, Dim::known)).collect::<Vec<_>>().into())
            .collect();
        Ok(r::protected(|| unsafe {
            r::named_list(&["name", "input", "nodes"], |i| match i {
                0 => file.name.as_deref().map_or(r::null(), |name| r::string(name)),
                1 => shapes_to_list(&inputs),
                _ => r::list(file.nodes.len(), |i| node_to_list(&file.nodes[i])),
            })
        }))
    })
}

pub extern "C-unwind" fn write_network_file(network: SEXP, path: SEXP) -> SEXP {
    guard(|| {
        write_file(network, path).map_err(|error| error.function("write_network"))?;
        Ok(r::null())
    })
}

fn write_file(network: SEXP, path: SEXP) -> Result<()> {
    let path = read_text(path, "file")?;
    if r::kind(network) != SEXPTYPE::VECSXP {
        return Err(wrong_argument("a network", "net", network));
    }
    let nodes = read_nodes(field(network, "nodes"))?;
    // a network that makes no sense is not written
    Network::new(&nodes)?;
    let (shapes, _) = read_shapes_or_shape(field(network, "input"), "input")?;
    let sizes = |shape: &Shape| shape.dims().map(|dims| dims.iter().map(|dim| dim.value()).collect());
    let input: Option<Vec<Vec<Option<i64>>>> = shapes.iter().map(sizes).collect();
    let input = input.ok_or_else(|| wrong_argument("shapes that are not NULL", "input", field(network, "input")))?;
    let file = network::File { name: r::one_text(field(network, "name")), input, nodes };
    std::fs::write(&path, network::write(&file)?)
        .map_err(|error| Error::new(Kind::Argument, format!("cannot write the file {}: {error}.", quoted(&path))))
}

unsafe fn node_to_list(node: &Node) -> SEXP {
    let fields: &[&str] = &["id", "op", "args", "inputs", "block"][..if node.block.is_some() { 5 } else { 4 }];
    unsafe {
        r::named_list(fields, |i| match i {
            0 => r::string(&node.id),
            1 => r::string(&node.op),
            2 => named_values(&node.args),
            3 => r::strings(node.inputs.iter().map(String::as_str)),
            _ => node.block.as_deref().map_or(r::null(), |block| r::string(block)),
        })
    }
}

unsafe fn named_values(values: &[(String, Value)]) -> SEXP {
    unsafe {
        let out = libR_sys::Rf_protect(r::list(values.len(), |i| value_to_sexp(&values[i].1)));
        if values.iter().any(|(name, _)| !name.is_empty()) {
            r::set_names(out, libR_sys::Rf_protect(r::strings(values.iter().map(|(name, _)| name.as_str()))));
            libR_sys::Rf_unprotect(1);
        }
        libR_sys::Rf_unprotect(1);
        out
    }
}

unsafe fn value_to_sexp(value: &Value) -> SEXP {
    unsafe {
        match value {
            Value::Null | Value::Other(_) => r::null(),
            Value::Flags(flags) => r::logicals(flags),
            Value::Numbers(numbers) => r::numbers(numbers),
            Value::Texts(texts) => r::optional_strings(texts),
            Value::List(items) => named_values(items),
        }
    }
}

pub extern "C-unwind" fn infer_nodes(nodes: SEXP, input: SEXP) -> SEXP {
    guard(|| {
        let here = |error: Box<Error>| if error.layer.is_some() { error } else { error.function("infer_network") };
        let given = nodes;
        let nodes = read_nodes(given).map_err(here)?;
        let inferred = infer(&nodes, input).map_err(here)?;
        let names = ["id", "op", "block", "inputs", "shapes_in", "shapes_out", "params", "macs", "bytes"];
        let params: Vec<f64> = inferred.iter().map(|node| dim_to_double(node.cost.params)).collect();
        let macs: Vec<f64> = inferred.iter().map(|node| dim_to_double(node.cost.macs)).collect();
        let bytes: Vec<f64> = inferred.iter().map(|node| dim_to_double(node.bytes)).collect();
        let n = nodes.len();
        Ok(r::protected(|| unsafe {
            let shapes_out = libR_sys::Rf_protect(shared_shapes(&inferred));
            let out = r::named_list(&names, |column| match names[column] {
                "id" => r::strings(nodes.iter().map(|node| node.id.as_str())),
                "op" => r::strings(nodes.iter().map(|node| node.op.as_str())),
                "block" => r::strings(nodes.iter().map(|node| node.block.as_deref().unwrap_or(""))),
                "inputs" => r::list(n, |i| inputs_as_given(r::element(given, i), &nodes[i])),
                "shapes_in" => r::list(n, |i| {
                    let sources = &inferred[i].sources;
                    r::list(sources.len(), |k| r::element(r::element(shapes_out, sources[k].0), sources[k].1))
                }),
                "shapes_out" => shapes_out,
                "params" => r::doubles(&params),
                "macs" => r::doubles(&macs),
                _ => r::doubles(&bytes),
            });
            libR_sys::Rf_unprotect(1);
            out
        }))
    })
}

/// The shapes of all outputs; a shape like the one before is the same R object, which spares most of the memory.
unsafe fn shared_shapes(inferred: &[Inferred]) -> SEXP {
    let mut last: Option<(&Shape, SEXP)> = None;
    unsafe {
        r::list(inferred.len(), |i| {
            let shapes = &inferred[i].shapes_out;
            r::list(shapes.len(), |k| match last {
                // it is part of the list that is being made, and so it is protected
                Some((shape, made)) if *shape == shapes[k] => made,
                _ => {
                    let made = shape_to_sexp(&shapes[k]);
                    last = Some((&shapes[k], made));
                    made
                }
            })
        })
    }
}

/// The inputs of a node as the user gave them, where they are a character vector already.
unsafe fn inputs_as_given(given: SEXP, node: &Node) -> SEXP {
    let inputs = field(given, "inputs");
    if r::kind(inputs) == SEXPTYPE::STRSXP && r::is_null(r::names_attribute(inputs)) {
        return inputs;
    }
    unsafe { r::strings(node.inputs.iter().map(String::as_str)) }
}

/// The element of a list of that name, or NULL.
fn field(x: SEXP, name: &str) -> SEXP {
    let names = r::names_attribute(x);
    let at = (0..r::len(x)).find(|&i| r::text_is(names, i, name));
    at.map_or(r::null(), |i| r::element(x, i))
}

fn infer(nodes: &[Node], input: SEXP) -> Result<Vec<Inferred>> {
    let network = Network::new(nodes)?;
    let ids: Vec<&str> = network.inputs().into_iter().map(|i| nodes[i].id.as_str()).collect();
    let (shapes, names) = if r::is_null(input) { (Vec::new(), None) } else { read_shapes_or_shape(input, "input")? };
    if shapes.is_empty() && !ids.is_empty() {
        let problem = format!("needs the shape of the network's input '{}' as argument 'input'.", ids[0]);
        return Err(Error::new(Kind::Argument, problem).argument("input"));
    }
    if shapes.len() != ids.len() {
        return Err(network::wrong_number_of_inputs(shapes.len(), &ids));
    }
    network.infer(&in_order(shapes, names, &ids)?)
}

/// Shapes under the names of the inputs, in the order of the inputs.
fn in_order(shapes: Vec<Shape>, names: Option<Vec<String>>, ids: &[&str]) -> Result<Vec<Shape>> {
    let Some(names) = names.filter(|names| names.iter().any(|name| !name.is_empty())) else { return Ok(shapes) };
    ids.iter()
        .map(|id| match names.iter().position(|name| name == id) {
            Some(i) => Ok(shapes[i].clone()),
            None => {
                let error = Error::new(Kind::Argument, format!("has no shape for the network's input {}.", quoted(id)));
                Err(match nearest(id, names.iter().map(String::as_str)) {
                    Some(near) => error.hint(format!("Did you mean it by {}?", quoted(near))),
                    None => error,
                })
            }
        })
        .collect()
}

/// A node is a list of `id`, `op`, `args` and `inputs`.
fn read_nodes(x: SEXP) -> Result<Vec<Node>> {
    if r::kind(x) != SEXPTYPE::VECSXP {
        return Err(wrong_argument("a list of layers", "x", x));
    }
    (0..r::len(x)).map(|i| read_node(r::element(x, i), i + 1)).collect()
}

fn read_node(x: SEXP, number: usize) -> Result<Node> {
    let wrong = |what: &str| Error::new(Kind::Argument, format!("needs {what} for layer {number} of the network."));
    if r::kind(x) != SEXPTYPE::VECSXP {
        return Err(wrong("a list with id, op, args and inputs"));
    }
    let field = |name: &str| field(x, name);
    let id = r::one_text(field("id")).ok_or_else(|| wrong("one text as the id"))?;
    let op = r::one_text(field("op")).ok_or_else(|| wrong(&format!("one text as the op ({})", quoted(&id))))?;
    let args =
        read_params(field("args"), "args").map_err(|_| wrong(&format!("a list as the args ({})", quoted(&id))))?;
    let inputs = field("inputs");
    let inputs: Option<Vec<String>> = match r::kind(inputs) {
        SEXPTYPE::NILSXP => Some(Vec::new()),
        SEXPTYPE::STRSXP => (0..r::len(inputs)).map(|i| r::text(inputs, i)).collect(),
        SEXPTYPE::VECSXP => (0..r::len(inputs)).map(|i| r::one_text(r::element(inputs, i))).collect(),
        _ => None,
    };
    let inputs = inputs.ok_or_else(|| wrong(&format!("texts as the inputs ({})", quoted(&id))))?;
    let block = match field("block") {
        none if r::is_null(none) => None,
        block => Some(r::one_text(block).ok_or_else(|| wrong(&format!("one text as the block ({})", quoted(&id))))?),
    };
    let block = block.filter(|block| !block.is_empty());
    let given = read_given(field("shapes_out"), field("shapes_out_of_one"), field("params"))
        .map_err(|_| wrong(&format!("a list of shapes as the shapes_out ({})", quoted(&id))))?;
    Ok(Node { id, op, args, inputs, block, given })
}

/// What a node says of its outputs itself, where no rule can.
fn read_given(shapes_out: SEXP, of_one: SEXP, params: SEXP) -> Result<Option<Given>> {
    if r::is_null(shapes_out) {
        return Ok(None);
    }
    let (shapes_out, _) = read_shapes_or_shape(shapes_out, "shapes_out")?;
    let of_one = if r::is_null(of_one) { None } else { Some(read_shapes_or_shape(of_one, "shapes_out")?.0) };
    let params = match read_value(params) {
        Value::Numbers(numbers) => numbers.first().copied().flatten().map(|n| n as i64),
        _ => None,
    };
    Ok(Some(Given { shapes_out, of_one, params }))
}

/// The shape of one output, for the print methods.
pub extern "C-unwind" fn format_shapes(shapes: SEXP) -> SEXP {
    guard(|| {
        if r::kind(shapes) != SEXPTYPE::VECSXP {
            return Err(wrong_argument("a list of lists of shapes", "shapes", shapes));
        }
        let texts: Result<Vec<String>> = (0..r::len(shapes))
            .map(|i| {
                let (shapes, _) = read_shapes_or_shape(r::element(shapes, i), "shapes")?;
                Ok(shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(" "))
            })
            .collect();
        let texts = texts?;
        Ok(r::protected(|| unsafe { r::strings(texts.iter().map(String::as_str)) }))
    })
}
