//! Whole networks: the shapes, parameters and multiply-adds of every node.

mod json;

pub use json::{read, write, File};

use crate::args::{shortened, Args, Value};
use crate::dim::Dim;
use crate::error::{counted, nearest, one_of, Error, Kind, Result};
use crate::op::{Cost, Incoming, Op, Outputs};
use crate::ops;
use crate::shape::{Dims, Shape};
use std::collections::HashMap;

/// A node as it is written down.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    pub id: String,
    pub op: String,
    pub args: Vec<(String, Value)>,
    /// Ids of nodes; `"id:2"` is the second output of a node.
    pub inputs: Vec<String>,
    /// The block it stands in, as in `"stage1/unit2"`.
    pub block: Option<String>,
    /// What somebody else has worked out: the outputs of an operator that has no rule.
    pub given: Option<Given>,
}

/// The outputs of an operator that has no rule.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Given {
    pub shapes_out: Vec<Shape>,
    /// The same for one observation, where the batch is unknown.
    pub of_one: Option<Vec<Shape>>,
    pub params: Option<i64>,
}

/// What a node does.
enum Role {
    Input,
    Parameter(Dims),
    Operator(&'static Op, Args),
    /// Its outputs are given.
    Opaque,
}

/// A network whose references are found and whose nodes stand in an order in which they can be worked out.
pub struct Network<'a> {
    nodes: &'a [Node],
    roles: Vec<Role>,
    /// For each node the nodes and outputs (0-based) it takes.
    sources: Vec<Vec<(usize, usize)>>,
    order: Vec<usize>,
}

/// What is known of one node.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// The nodes and outputs (0-based) that come in.
    pub sources: Vec<(usize, usize)>,
    pub shapes_out: Vec<Shape>,
    pub cost: Cost,
    /// The memory of its outputs as 32-bit floats; of one observation where the batch is unknown.
    pub bytes: Dim,
}

impl Inferred {
    fn new(sources: Vec<(usize, usize)>, shapes_out: Vec<Shape>, cost: Cost) -> Inferred {
        const FLOAT: i64 = 4;
        let elements = |shape: &Shape| shape.dims().and_then(Dim::product).unwrap_or(Dim::at_least(0));
        let bytes = shapes_out.iter().fold(Dim::ZERO, |sum, shape| sum + elements(shape) * FLOAT);
        Inferred { sources, shapes_out, cost, bytes }
    }
}

impl<'a> Network<'a> {
    pub fn new(nodes: &'a [Node]) -> Result<Network<'a>> {
        let mut places: HashMap<&str, usize> = HashMap::with_capacity(nodes.len());
        for (i, node) in nodes.iter().enumerate() {
            if node.id.is_empty() {
                return Err(Error::new(Kind::Argument, format!("Node {} of the network has no id.", i + 1)));
            }
            if let Some(first) = places.insert(&node.id, i) {
                let problem = format!(
                    "Two nodes of the network are called '{}': {} and {}.",
                    shortened(&node.id),
                    first + 1,
                    i + 1
                );
                return Err(Error::new(Kind::Argument, problem).id_fact(Some(&node.id)));
            }
        }
        let roles = nodes.iter().map(role).collect::<Result<Vec<_>>>()?;
        let sources = nodes.iter().map(|node| sources(node, &places)).collect::<Result<Vec<_>>>()?;
        let order = order(nodes, &sources)?;
        Ok(Network { nodes, roles, sources, order })
    }

    /// The places of the input nodes.
    pub fn inputs(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|&i| matches!(self.roles[i], Role::Input)).collect()
    }

    /// Every node, given the shapes of the input nodes in their order.
    pub fn infer(&self, inputs: &[Shape]) -> Result<Vec<Inferred>> {
        let mut nodes = self.pass(inputs, false).map_err(|(i, error)| self.with_fitting_size(inputs, i, error))?;
        // multiply-adds and memory of an unknown batch are those of one observation
        if inputs.iter().any(has_unknown_batch) {
            let single: Vec<Shape> = inputs.iter().map(with_one_observation).collect();
            // where a batch of 1 does not fit, they stay unknown
            if let Ok(single) = self.pass(&single, true) {
                for (node, single) in nodes.iter_mut().zip(single) {
                    node.cost.macs = single.cost.macs;
                    node.bytes = single.bytes;
                }
            }
        }
        Ok(nodes)
    }

    /// Every node in turn; an error comes with the node it happened in.
    fn pass(&self, inputs: &[Shape], of_one: bool) -> std::result::Result<Vec<Inferred>, (usize, Box<Error>)> {
        let mut given = inputs.iter();
        let mut done: Vec<Option<Inferred>> = vec![None; self.nodes.len()];
        // inputs are taken in the order in which they are written
        for (i, role) in self.roles.iter().enumerate() {
            if let Role::Input = role {
                let shape = given.next().cloned().unwrap_or(Shape::Unknown);
                done[i] = Some(Inferred::new(Vec::new(), vec![shape], Cost::FREE));
            }
        }
        for &i in &self.order {
            if done[i].is_none() {
                done[i] = Some(self.node(i, &done, of_one).map_err(|error| (i, self.explain(i, &done, error)))?);
            }
        }
        Ok(done.into_iter().flatten().collect())
    }

    fn node(&self, i: usize, done: &[Option<Inferred>], of_one: bool) -> Result<Inferred> {
        let mut shapes_in = Vec::with_capacity(self.sources[i].len());
        for &(from, output) in &self.sources[i] {
            shapes_in.push(self.output(done, from, output)?);
        }
        let sources = self.sources[i].clone();
        match &self.roles[i] {
            Role::Operator(op, args) => {
                let outcome = op.run_checked(Incoming { shapes: &shapes_in, names: None }, args)?;
                let shapes_out = match outcome.outputs {
                    Outputs::Shapes(shapes) => shapes,
                    Outputs::Unknown => vec![Shape::Unknown],
                };
                Ok(Inferred::new(sources, shapes_out, outcome.cost))
            }
            Role::Parameter(shape) => {
                let params = Dim::product(shape).unwrap_or(Dim::UNKNOWN);
                Ok(Inferred::new(sources, vec![shape.clone().into()], Cost { params, macs: Dim::ZERO }))
            }
            Role::Opaque => {
                let given = self.nodes[i].given.clone().unwrap_or_default();
                let params = given.params.map_or(Dim::at_least(0), Dim::known);
                let shapes_out = if of_one { given.of_one.unwrap_or(given.shapes_out) } else { given.shapes_out };
                Ok(Inferred::new(sources, shapes_out, Cost { params, macs: Dim::at_least(0) }))
            }
            Role::Input => unreachable!("inputs are given"),
        }
    }

    fn output(&self, done: &[Option<Inferred>], from: usize, output: usize) -> Result<Shape> {
        let outputs = done[from].as_ref().map_or(&[][..], |node| &node.shapes_out);
        outputs.get(output).cloned().ok_or_else(|| {
            let problem = format!(
                "takes output {} of '{}', which has {}.",
                output + 1,
                shortened(&self.nodes[from].id),
                counted(outputs.len(), "output")
            );
            Error::new(Kind::Argument, problem)
        })
    }

    /// An error with the layer it happened in, where its inputs come from and the way there.
    fn explain(&self, i: usize, done: &[Option<Inferred>], error: Box<Error>) -> Box<Error> {
        const STEPS: usize = 4;
        let mut error = in_layer(error, &self.nodes[i]);
        let from = |&(from, _): &(usize, usize)| format!("'{}'", shortened(&self.nodes[from].id));
        error.labels = self.sources[i].iter().map(from).collect();
        if let [source] = error.labels.as_slice() {
            error.problem = error.problem.replacen("its input", &format!("its input from {source}"), 1);
        }
        let mut path = Vec::new();
        let mut at = self.sources[i].first().copied();
        while let Some((from, output)) = at {
            let shapes = done[from].as_ref().map_or(&[][..], |node| &node.shapes_out);
            let shape = shapes.get(output).or(shapes.first()).map_or(String::new(), Shape::to_string);
            path.push((shortened(&self.nodes[from].id), self.nodes[from].op.as_str(), shape));
            at = if path.len() == STEPS { None } else { self.sources[from].first().copied() };
        }
        if !path.is_empty() {
            error.trace.push("The way there:".to_string());
            let width = path.iter().map(|(id, _, _)| id.chars().count()).max().unwrap_or(0);
            let ops = path.iter().map(|(_, op, _)| op.chars().count()).max().unwrap_or(0);
            error.trace.extend(path.iter().rev().map(|(id, op, shape)| format!("  {id:<width$}  {op:<ops$}  {shape}")));
        }
        error
    }

    /// The error with the size of the network's input that would fit node `i`, where one input has spatial dimensions and a
    /// search is cheap.
    fn with_fitting_size(&self, inputs: &[Shape], i: usize, error: Box<Error>) -> Box<Error> {
        const LARGEST: i64 = 1024;
        const MOST_NODES: usize = 200_000;
        let [Shape::Known(dims)] = inputs else { return error };
        if error.kind != Kind::Size || dims.len() < 3 || self.nodes.len() * LARGEST as usize > MOST_NODES {
            return error;
        }
        let sized = |size: i64| {
            let mut dims = dims.clone();
            dims[2..].fill(Dim::known(size));
            Shape::Known(dims)
        };
        let gets_past = |size: &i64| match self.pass(&[sized(*size)], false) {
            Ok(_) => true,
            Err((at, _)) => self.place(at) > self.place(i),
        };
        match (1..=LARGEST).find(gets_past) {
            Some(size) => {
                let mut error = error;
                error.trace.push(format!("An input of {} to the network would fit.", sized(size)));
                error
            }
            None => error,
        }
    }

    /// When a node is worked out.
    fn place(&self, i: usize) -> usize {
        self.order.iter().position(|&at| at == i).unwrap_or(0)
    }
}

fn role(node: &Node) -> Result<Role> {
    match node.op.as_str() {
        "input" => Ok(Role::Input),
        _ if node.given.is_some() => Ok(Role::Opaque),
        "parameter" => parameter_shape(node).map(Role::Parameter).map_err(|error| in_layer(error, node)),
        name => {
            let op = ops::find(name).map_err(|mut error| {
                error.problem = format!("is of an operator that is not there: '{}'.", shortened(name));
                error = in_layer(error, node);
                error.layer = Some(format!("Layer '{}'", shortened(&node.id)));
                error
            })?;
            let args = op.check(&node.args).map_err(|error| in_layer(error, node))?;
            Ok(Role::Operator(op, args))
        }
    }
}

/// An error with the layer it happened in.
fn in_layer(mut error: Box<Error>, node: &Node) -> Box<Error> {
    error.id = Some(node.id.clone());
    error.op = Some(node.op.clone());
    let block = node.block.as_ref().map_or(String::new(), |block| format!(" in block '{}'", shortened(block)));
    error.layer = Some(format!("Layer '{}' ({}){block}", shortened(&node.id), shortened(&node.op)));
    error
}

fn sources(node: &Node, places: &HashMap<&str, usize>) -> Result<Vec<(usize, usize)>> {
    let fail = |problem: String| in_layer(Error::new(Kind::Argument, problem), node);
    if node.op == "input" && !node.inputs.is_empty() {
        return Err(fail("is an input of the network and cannot take inputs itself.".to_string()));
    }
    node.inputs
        .iter()
        .map(|reference| {
            if let Some(&place) = places.get(reference.as_str()) {
                return Ok((place, 0));
            }
            // an id may hold a colon itself, so the whole text is tried first
            let output =
                reference.rsplit_once(':').and_then(|(id, n)| Some((*places.get(id)?, n.parse::<usize>().ok()?)));
            match output {
                Some((place, n)) if n >= 1 => Ok((place, n - 1)),
                Some(_) => Err(fail(format!("takes '{}': outputs count from 1.", shortened(reference)))),
                None => {
                    let error = fail(format!("takes '{}', which is no layer of the network.", shortened(reference)));
                    Err(match nearest(reference, places.keys().copied().filter(|&id| id != node.id)) {
                        Some(near) => error.hint(format!("Did you mean '{near}'?")),
                        None => error,
                    })
                }
            }
        })
        .collect()
}

/// The nodes in an order in which every one comes after those it takes (Kahn, 1962); ties stay as they are written.
fn order(nodes: &[Node], sources: &[Vec<(usize, usize)>]) -> Result<Vec<usize>> {
    if sources.iter().enumerate().all(|(i, sources)| sources.iter().all(|&(from, _)| from < i)) {
        return Ok((0..nodes.len()).collect());
    }
    let mut waiting: Vec<usize> = sources.iter().map(Vec::len).collect();
    let mut takers: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (i, sources) in sources.iter().enumerate() {
        for &(from, _) in sources {
            takers[from].push(i);
        }
    }
    let mut ready: std::collections::BinaryHeap<_> =
        (0..nodes.len()).filter(|&i| waiting[i] == 0).map(std::cmp::Reverse).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(std::cmp::Reverse(i)) = ready.pop() {
        order.push(i);
        for &taker in &takers[i] {
            waiting[taker] -= 1;
            if waiting[taker] == 0 {
                ready.push(std::cmp::Reverse(taker));
            }
        }
    }
    if order.len() == nodes.len() {
        return Ok(order);
    }
    Err(cycle(nodes, sources, &waiting))
}

/// The error that shows a cycle: from any node that still waits, the ones it waits for lead into it.
fn cycle(nodes: &[Node], sources: &[Vec<(usize, usize)>], waiting: &[usize]) -> Box<Error> {
    const SHOWN: usize = 12;
    let mut path: Vec<usize> = Vec::new();
    let mut at = waiting.iter().position(|&n| n > 0).unwrap_or(0);
    while !path.contains(&at) {
        path.push(at);
        at = sources[at].iter().map(|&(from, _)| from).find(|&from| waiting[from] > 0).unwrap_or(at);
    }
    let start = path.iter().position(|&i| i == at).unwrap_or(0);
    let mut ids: Vec<String> = path[start..].iter().rev().map(|&i| format!("'{}'", shortened(&nodes[i].id))).collect();
    ids.push(ids[0].clone());
    if ids.len() > SHOWN {
        ids.splice(SHOWN / 2..ids.len() - SHOWN / 2, ["...".to_string()]);
    }
    let problem = format!("The network goes round in a circle: {}.", ids.join(" -> "));
    Error::new(Kind::Argument, problem).id_fact(Some(&nodes[at].id))
}

fn parameter_shape(node: &Node) -> Result<Vec<Dim>> {
    let wrong = || {
        let problem = "is a parameter and needs its size in argument 'shape': whole numbers >= 0.";
        Error::new(Kind::Argument, problem).argument("shape")
    };
    match node.args.as_slice() {
        [(name, Value::Numbers(sizes))] if name == "shape" => sizes
            .iter()
            .map(|size| match size {
                Some(size) if size.fract() == 0.0 && (0.0..=crate::dim::MAX_SIZE as f64).contains(size) => {
                    Ok(Dim::known(*size as i64))
                }
                _ => Err(wrong()),
            })
            .collect(),
        [(name, Value::Flags(flags))] if name == "shape" && flags.is_empty() => Ok(Vec::new()),
        _ => Err(wrong()),
    }
}

fn has_unknown_batch(shape: &Shape) -> bool {
    shape.dims().and_then(<[Dim]>::first).is_some_and(|batch| batch.value().is_none())
}

fn with_one_observation(shape: &Shape) -> Shape {
    let mut dims = match shape.dims() {
        Some(dims) if has_unknown_batch(shape) => dims.to_vec(),
        _ => return shape.clone(),
    };
    dims[0] = Dim::ONE;
    dims.into()
}

/// What an error says of shapes that are not the network's own.
pub fn wrong_number_of_inputs(given: usize, ids: &[&str]) -> Box<Error> {
    let names: Vec<String> = ids.iter().map(|id| format!("'{}'", shortened(id))).collect();
    let problem = format!(
        "The network has {} ({}), but {} given.",
        counted(ids.len(), "input"),
        one_of(&names),
        if given == 1 { "1 shape is".to_string() } else { format!("{given} shapes are") }
    );
    Error::new(Kind::Argument, problem)
}
