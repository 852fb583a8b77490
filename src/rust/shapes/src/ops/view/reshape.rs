//! The same elements in the same order, in another shape.
//! <https://docs.pytorch.org/docs/stable/generated/torch.reshape.html>

use super::{elements, nameable, said_elements, with_dimensions};
use crate::args::{Arg, Value};
use crate::dim::{Dim, Elements};
use crate::error::{counted, Error, Kind, Result};
use crate::op::{named_dims, Call, Inputs, Op, Outputs};
use crate::shape::{Dims, Shown};

const SHAPE: &[Arg] = &[Arg::wholes("shape").min(-1)];
const SIZE: &[Arg] = &[Arg::wholes("size").min(-1)];
const FLATTEN: &[Arg] = &[Arg::whole("start_dim").default(1), Arg::whole("end_dim").default(-1)];
const NN_FLATTEN: &[Arg] = &[Arg::whole("start_dim").default(2), Arg::whole("end_dim").default(-1)];
const UNFLATTEN: &[Arg] = &[Arg::whole("dim"), Arg::wholes("sizes").min(-1), Arg::any("names")];
const NN_UNFLATTEN: &[Arg] = &[Arg::whole("dim"), Arg::wholes("unflattened_size").min(-1)];
const SQUEEZE: &[Arg] = &[Arg::wholes("dim").optional()];
const NN_SQUEEZE: &[Arg] = &[Arg::wholes("dim")];
const UNSQUEEZE: &[Arg] = &[Arg::whole("dim")];
const AS_STRIDED: &[Arg] =
    &[Arg::wholes("size").min(0), Arg::wholes("stride").min(0), Arg::whole("storage_offset").min(0).optional()];

/// The same elements in the shape that the argument asks for; one -1 is worked out.
pub const fn reshape(name: &'static str) -> Op {
    Op::new(name, "view", "the same elements in another shape; one -1 is worked out", reshape_rule).args(SHAPE)
}

/// mlr3torch's module, which takes no shape of a scalar.
pub const fn nn_reshape(name: &'static str) -> Op {
    Op::new(name, "view", "the same elements in another shape; one -1 is worked out", nn_reshape_rule).args(SHAPE)
}

/// The tensor method, whose argument has another name; the input is taken as contiguous.
pub const fn view(name: &'static str) -> Op {
    Op::new(name, "view", "the same elements in another shape; one -1 is worked out", view_rule).args(SIZE)
}

/// The same elements in the shape of another tensor.
pub const fn reshape_as(name: &'static str) -> Op {
    Op::new(name, "view", "the same elements in the shape of the other input", reshape_as_rule).inputs(Inputs::TWO)
}

/// Flattening from dimension `start_dim` on, unless told otherwise.
pub const fn flatten(name: &'static str, start_dim: usize) -> Op {
    let args = if start_dim == 1 { FLATTEN } else { NN_FLATTEN };
    Op::new(name, "view", "makes one dimension of several", flatten_rule).args(args)
}

/// All elements in one dimension.
pub const fn ravel(name: &'static str) -> Op {
    Op::new(name, "view", "makes one dimension of all", ravel_rule)
}

/// Several dimensions made of one; the sizes have another name in the module.
pub const fn unflatten(name: &'static str) -> Op {
    Op::new(name, "view", "makes several dimensions of one; one -1 is worked out", unflatten_rule::<false>)
        .args(UNFLATTEN)
}

/// The module of [`unflatten`].
pub const fn nn_unflatten(name: &'static str) -> Op {
    Op::new(name, "view", "makes several dimensions of one; one -1 is worked out", unflatten_rule::<true>)
        .args(NN_UNFLATTEN)
}

/// Dimensions of size 1 dropped.
pub const fn squeeze(name: &'static str) -> Op {
    Op::new(name, "view", "drops dimensions of size 1; an unknown size is kept", squeeze_rule).args(SQUEEZE)
}

/// mlr3torch's module: the same, but `dim` must be given and may name a dimension twice.
pub const fn nn_squeeze(name: &'static str) -> Op {
    Op::new(name, "view", "drops dimensions of size 1; an unknown size is kept", nn_squeeze_rule).args(NN_SQUEEZE)
}

/// A new dimension of size 1.
pub const fn unsqueeze(name: &'static str) -> Op {
    Op::new(name, "view", "adds a dimension of size 1", unsqueeze_rule).args(UNSQUEEZE)
}

/// At least `n` dimensions.
pub const fn atleast(name: &'static str, n: usize) -> Op {
    let rule = match n {
        1 => atleast_rule::<1>,
        2 => atleast_rule::<2>,
        _ => atleast_rule::<3>,
    };
    Op::new(name, "view", "adds dimensions of size 1 until there are enough", rule)
        .inputs(Inputs::ANY)
        .outputs(&["..."])
}

/// A window on the memory of a contiguous tensor.
pub const fn as_strided(name: &'static str) -> Op {
    Op::new(name, "view", "a view of the memory with the sizes and strides given", as_strided_rule).args(AS_STRIDED)
}

/// (*) -> shape, with as many elements; a -1 is what is left.
fn reshape_rule(call: &Call) -> Result<Outputs> {
    Ok(reshaped(call, "shape")?.into())
}

fn nn_reshape_rule(call: &Call) -> Result<Outputs> {
    if call.args.wholes("shape").is_empty() {
        let problem = "needs at least one number for argument 'shape'.";
        return Err(Error::new(Kind::Argument, problem).argument("shape"));
    }
    reshape_rule(call)
}

fn view_rule(call: &Call) -> Result<Outputs> {
    Ok(reshaped(call, "size")?.into())
}

/// (*), (S...) -> (S...)
fn reshape_as_rule(call: &Call) -> Result<Outputs> {
    let other = call.input(1);
    let output = elements(call, 0)?.fill(other).ok_or_else(|| {
        let (input, wanted) = (call.input(0), Shown(other).to_string());
        cannot_reshape(input, other, &wanted).inputs([1, 2])
    })?;
    Ok(output.into())
}

/// Input 1 in the shape that argument `name` gives.
fn reshaped(call: &Call, name: &str) -> Result<Dims> {
    let wanted = wanted_sizes(call, name)?;
    elements(call, 0)?.fill(&wanted).ok_or_else(|| {
        let shown = Value::wholes(call.args.wholes(name)).shown();
        let error = cannot_reshape(call.input(0), &wanted, &shown).inputs([1]).argument(name);
        if call.args.wholes(name).contains(&-1) {
            error
        } else {
            error.hint("A -1 in place of one of the sizes is worked out from the others.")
        }
    })
}

/// The sizes in argument `name`; a -1 stands for any size, if only one fits.
fn wanted_sizes(call: &Call, name: &str) -> Result<Dims> {
    let wanted = call.args.wholes(name);
    let shown = || Value::wholes(wanted).shown();
    let free = wanted.iter().filter(|&&size| size == -1).count();
    if free > 1 {
        let problem = format!("has -1 {free} times in {name} = {}.", shown());
        return Err(Error::new(Kind::Argument, problem).argument(name).hint("Only one size can be worked out."));
    }
    if free == 1 && wanted.contains(&0) {
        let problem = format!("cannot work out the -1 in {name} = {}: beside a 0 any size fits.", shown());
        return Err(Error::new(Kind::Size, problem).argument(name));
    }
    let sizes: Dims = wanted.iter().map(|&size| if size == -1 { Dim::at_least(0) } else { Dim::known(size) }).collect();
    if Elements::of(&sizes).is_none() {
        let problem = format!("has {name} = {}, whose product is beyond 2^53.", shown());
        return Err(Error::new(Kind::Size, problem).argument(name).sizes(sizes));
    }
    Ok(sizes)
}

/// The error that says why the elements of `input` do not make the `wanted` sizes.
fn cannot_reshape(input: &[Dim], wanted: &[Dim], shown: &str) -> Box<Error> {
    let problem = format!("cannot reshape its input {} to {shown}: ", Shown(input));
    let (Some(has), Some(needs)) = (Elements::of(input), Elements::of(wanted)) else {
        return Error::new(Kind::Size, problem + "these are too many elements.");
    };
    let reason = format!("it has {}, which do not make {}.", said_elements(has), said_elements(needs));
    Error::new(Kind::Size, problem + &reason).sizes([has, needs].map(Elements::count))
}

/// (*, S_start, ..., S_end, *) -> (*, product of S, *); a scalar becomes (1).
fn flatten_rule(call: &Call) -> Result<Outputs> {
    let input = with_dimensions(call.input(0));
    let start = call.dim("start_dim", input.len())?;
    let end = call.dim("end_dim", input.len())?;
    if start > end {
        let problem = format!("has its start_dim (dimension {}) after its end_dim (dimension {}).", start + 1, end + 1);
        return Err(Error::new(Kind::Dim, problem).argument("start_dim"));
    }
    let mut output = input[..start].to_vec();
    output.push(flat(input, start, end)?);
    output.extend_from_slice(&input[end + 1..]);
    Ok(output.into())
}

/// (*) -> (product of all)
fn ravel_rule(call: &Call) -> Result<Outputs> {
    let input = with_dimensions(call.input(0));
    Ok(vec![flat(input, 0, input.len() - 1)?].into())
}

/// The size of dimensions `start` to `end` made one.
fn flat(input: &[Dim], start: usize, end: usize) -> Result<Dim> {
    Dim::product(&input[start..=end]).ok_or_else(|| {
        let dims: Vec<usize> = (start..=end).collect();
        let problem =
            format!("cannot flatten {} of {}: their product is beyond 2^53.", named_dims(&dims), Shown(input));
        Error::new(Kind::Size, problem).sizes(input[start..=end].iter().copied())
    })
}

/// (*, S, *) -> (*, sizes..., *) with S the product of the sizes; a -1 is what is left of S.
fn unflatten_rule<const MODULE: bool>(call: &Call) -> Result<Outputs> {
    let name = if MODULE { "unflattened_size" } else { "sizes" };
    let input = call.input_of_at_least(0, 1)?;
    let dim = call.dim("dim", input.len())?;
    let wanted = wanted_sizes(call, name)?;
    if wanted.is_empty() {
        let problem = format!("needs at least one number for argument '{name}'.");
        return Err(Error::new(Kind::Argument, problem).argument(name));
    }
    let sizes = Elements::of(&input[dim..=dim]).and_then(|elements| elements.fill(&wanted)).ok_or_else(|| {
        let shown = Value::wholes(call.args.wholes(name)).shown();
        let relation = if call.args.wholes(name).contains(&-1) { "no multiple of" } else { "not the product of" };
        let problem = format!(
            "has {name} = {shown}, but dimension {} of its input is {}, {relation} these.",
            dim + 1,
            input[dim]
        );
        call.size_error(0, dim, problem).argument(name)
    })?;
    let mut output = input[..dim].to_vec();
    output.extend(sizes);
    output.extend_from_slice(&input[dim + 1..]);
    Ok(output.into())
}

/// (*, 1, *) -> (*, *) for each dimension in dim, or for all; other sizes stay.
fn squeeze_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let dims = if call.args.is_given("dim") { call.dims("dim", nameable(input))? } else { (0..input.len()).collect() };
    Ok(squeezed(input, &dims).into())
}

fn nn_squeeze_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let dims: Result<Vec<usize>> =
        call.args.wholes("dim").iter().map(|&dim| call.resolve("dim", dim, nameable(input))).collect();
    Ok(squeezed(input, &dims?).into())
}

/// An unknown size is kept: it may be larger than 1 when the network runs.
fn squeezed(input: &[Dim], dims: &[usize]) -> Dims {
    let mut drop = vec![false; nameable(input)];
    for &dim in dims {
        drop[dim] = true;
    }
    let kept = |(size, drop): (&Dim, bool)| (!(drop && size.equals(1).is_yes())).then_some(*size);
    input.iter().zip(drop).filter_map(kept).collect()
}

/// (*, *) -> (*, 1, *) with the 1 at dim; -1 appends it.
fn unsqueeze_rule(call: &Call) -> Result<Outputs> {
    let input = call.input(0);
    let dim = new_dim(call, "dim", input.len() + 1)?;
    let mut output = input.to_vec();
    output.insert(dim, Dim::ONE);
    Ok(output.into())
}

/// The place that argument `name` means in an output of `rank` dimensions, counted from 0.
pub(super) fn new_dim(call: &Call, name: &str, rank: usize) -> Result<usize> {
    call.dim(name, rank).map_err(|mut error| {
        error.problem =
            format!("has {name} = {}, but its output has {}.", call.args.whole(name), counted(rank, "dimension"));
        error
    })
}

/// () -> (1), (1,1), (1,1,1); (N) -> (N), (1,N), (1,N,1); (N,M) -> (N,M), (N,M), (N,M,1)
fn atleast_rule<const N: usize>(call: &Call) -> Result<Outputs> {
    let widened = |input: &&[Dim]| match (N, *input) {
        (3, [n]) => vec![Dim::ONE, *n, Dim::ONE],
        (3, [n, m]) => vec![*n, *m, Dim::ONE],
        (_, input) => crate::broadcast::pad_left(input, N),
    };
    Ok(call.inputs().iter().map(widened).collect::<Vec<Dims>>().into())
}

/// (*) -> size, where the last element reached, storage_offset + sum of (size - 1) stride, is one of the input's.
fn as_strided_rule(call: &Call) -> Result<Outputs> {
    let (size, stride) = (call.args.wholes("size"), call.args.wholes("stride"));
    if size.len() != stride.len() {
        let problem = format!(
            "needs as many numbers for argument 'stride' as for 'size', not {} and {}.",
            stride.len(),
            size.len()
        );
        return Err(Error::new(Kind::Argument, problem).argument("stride"));
    }
    let output: Dims = size.iter().map(|&size| Dim::known(size)).collect();
    if !size.contains(&0) {
        let offset = Dim::known(call.args.get_whole("storage_offset").unwrap_or(0));
        let steps = output.iter().zip(stride).map(|(&size, &stride)| (size - 1) * stride);
        let reached = steps.fold(offset, |reached, step| reached + step) + 1;
        let count = elements(call, 0)?.count();
        if count.is_at_least(reached).is_no() {
            let problem = format!(
                "reaches element {reached} with size = {} and stride = {}, but its input {} has {count}.",
                Value::wholes(size).shown(),
                Value::wholes(stride).shown(),
                Shown(call.input(0)),
            );
            return Err(Error::new(Kind::Size, problem).sizes([count, reached]).inputs([1]).argument("size"));
        }
    }
    Ok(output.into())
}
