//! Operators that join tensors or take them apart.
//! <https://docs.pytorch.org/docs/stable/generated/torch.cat.html>

use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{counted, Error, Kind, Result};
use crate::op::{replaced, Call, Inputs, Op, Outputs};
use crate::shape::Dims;

/// More outputs than any network has, so that no argument can take the machine's memory.
const MOST_OUTPUTS: i64 = 65_536;

const CAT: &[Arg] = &[Arg::whole("dim").default(1)];
const MERGE_CAT: &[Arg] = &[Arg::whole("dim").default(-1), Arg::whole("innum").min(1).optional()];
const CHUNK: &[Arg] = &[Arg::whole("chunks").min(1), Arg::whole("dim").default(1)];
const SPLIT: &[Arg] = &[Arg::wholes("split_size").min(0), Arg::whole("dim").default(1)];
const SPLIT_SIZES: &[Arg] = &[Arg::wholes("split_sizes").min(0), Arg::whole("dim").default(1)];
const TENSOR_SPLIT: &[Arg] = &[Arg::wholes("indices_or_sections").min(0), Arg::whole("dim").default(1)];
const MESHGRID: &[Arg] = &[Arg::choice("indexing", &["ij", "xy"])];
const COMBINATIONS: &[Arg] = &[Arg::whole("r").min(0).default(2), Arg::flag("with_replacement", false)];

pub const fn cat(name: &'static str) -> Op {
    Op::new(name, "join", "joins tensors along a dimension", cat_rule).args(CAT).inputs(Inputs::ANY)
}

/// mlr3torch's merge, which joins along the last dimension.
pub const fn merge_cat(name: &'static str) -> Op {
    Op::new(name, "join", "joins the inputs along a dimension", merge_cat_rule).args(MERGE_CAT).inputs(Inputs::ANY)
}

pub const fn stack(name: &'static str) -> Op {
    Op::new(name, "join", "joins tensors along a new dimension", stack_rule).args(CAT).inputs(Inputs::ANY)
}

pub const fn hstack(name: &'static str) -> Op {
    Op::new(name, "join", "joins tensors column by column", hstack_rule).inputs(Inputs::ANY)
}

pub const fn vstack(name: &'static str) -> Op {
    Op::new(name, "join", "joins tensors row by row", vstack_rule).inputs(Inputs::ANY)
}

pub const fn dstack(name: &'static str) -> Op {
    Op::new(name, "join", "joins tensors along the third dimension", dstack_rule).inputs(Inputs::ANY)
}

pub const fn column_stack(name: &'static str) -> Op {
    Op::new(name, "join", "joins vectors and matrices as columns", column_stack_rule).inputs(Inputs::ANY)
}

pub const fn chunk(name: &'static str) -> Op {
    Op::new(name, "join", "takes a tensor apart into at most so many parts", chunk_rule).args(CHUNK).outputs(&["..."])
}

pub const fn split(name: &'static str) -> Op {
    Op::new(name, "join", "takes a tensor apart into parts of a size, or of several sizes", split_rule)
        .args(SPLIT)
        .outputs(&["..."])
}

pub const fn split_with_sizes(name: &'static str) -> Op {
    Op::new(name, "join", "takes a tensor apart into parts of several sizes", split_sizes_rule)
        .args(SPLIT_SIZES)
        .outputs(&["..."])
}

pub const fn tensor_split(name: &'static str) -> Op {
    Op::new(name, "join", "takes a tensor apart into so many parts, or at places", tensor_split_rule)
        .args(TENSOR_SPLIT)
        .outputs(&["..."])
}

pub const fn unbind(name: &'static str) -> Op {
    Op::new(name, "join", "takes a tensor apart along a dimension, which goes", unbind_rule).args(CAT).outputs(&["..."])
}

pub const fn meshgrid(name: &'static str) -> Op {
    Op::new(name, "join", "grids of the coordinates of vectors", meshgrid_rule)
        .args(MESHGRID)
        .inputs(Inputs::ANY)
        .outputs(&["..."])
}

pub const fn cartesian_prod(name: &'static str) -> Op {
    Op::new(name, "join", "all tuples of the elements of vectors", cartesian_rule).inputs(Inputs::ANY)
}

pub const fn combinations(name: &'static str) -> Op {
    Op::new(name, "join", "all combinations of r elements of a vector", combinations_rule).args(COMBINATIONS)
}

pub const fn block_diag(name: &'static str) -> Op {
    Op::new(name, "join", "a matrix with the inputs along its diagonal", block_diag_rule).inputs(Inputs::ANY)
}

/// All sizes but those along `dim` are equal; along `dim` they add up. A tensor of shape (0) is left out, as PyTorch does.
fn cat_rule(call: &Call) -> Result<Outputs> {
    let inputs: Vec<(usize, Dims)> = call.inputs().iter().map(|input| input.to_vec()).enumerate().collect();
    let all_empty = inputs.iter().all(|(_, input)| input.as_slice() == [Dim::ZERO]);
    let joined: Vec<(usize, Dims)> =
        inputs.into_iter().filter(|(_, input)| all_empty || input.as_slice() != [Dim::ZERO]).collect();
    same_rank(&joined)?;
    let dim = call.dim("dim", joined[0].1.len())?;
    Ok(concatenate(&joined, dim)?.into())
}

/// All sizes but those along `dim` are equal; along `dim` they add up.
fn merge_cat_rule(call: &Call) -> Result<Outputs> {
    right_number_of_inputs(call)?;
    cat_rule(call)
}

/// mlr3torch's merges say how many inputs they have.
pub fn right_number_of_inputs(call: &Call) -> Result<()> {
    match call.args.get_whole("innum") {
        Some(innum) if innum != call.inputs().len() as i64 => {
            let problem = format!("has innum = {innum}, but gets {}.", counted(call.inputs().len(), "input"));
            Err(Error::new(Kind::Argument, problem).argument("innum"))
        }
        _ => Ok(()),
    }
}

fn same_rank(inputs: &[(usize, Dims)]) -> Result<()> {
    let (first, input) = &inputs[0];
    match inputs.iter().find(|(_, other)| other.len() != input.len()) {
        None => Ok(()),
        Some((i, other)) => {
            let problem = format!(
                "cannot join its inputs: input {} has {}, input {} has {}.",
                first + 1,
                counted(input.len(), "dimension"),
                i + 1,
                counted(other.len(), "dimension")
            );
            Err(Error::new(Kind::Rank, problem).inputs([first + 1, i + 1]).table())
        }
    }
}

/// Joins shapes along `dim` (counted from 0), each with the place of its input.
fn concatenate(inputs: &[(usize, Dims)], dim: usize) -> Result<Dims> {
    same_rank(inputs)?;
    let mut output = inputs[0].1.clone();
    for (i, other) in &inputs[1..] {
        for d in 0..output.len() {
            if d == dim {
                output[d] = output[d] + other[d];
                continue;
            }
            output[d] = output[d].unify(other[d]).ok_or_else(|| {
                let clash = inputs.iter().find(|(_, earlier)| earlier[d].equals(other[d]).is_no());
                let (j, earlier) = clash.unwrap_or(&inputs[0]);
                let problem = format!(
                    "cannot join its inputs along dimension {}: dimension {} is {} in input {} and {} in input {}.",
                    dim + 1,
                    d + 1,
                    earlier[d],
                    j + 1,
                    other[d],
                    i + 1
                );
                Error::new(Kind::Size, problem)
                    .hint(format!("Sizes must be equal in every dimension but {}.", dim + 1))
                    .dim(d + 1)
                    .sizes([earlier[d], other[d]])
                    .inputs([j + 1, i + 1])
                    .table()
            })?;
        }
    }
    Ok(output)
}

/// All sizes are equal; the new dimension counts the inputs.
fn stack_rule(call: &Call) -> Result<Outputs> {
    let rank = call.input(0).len();
    let dim = call.dim("dim", rank + 1)?;
    let stacked: Vec<(usize, Dims)> = call
        .inputs()
        .iter()
        .enumerate()
        .map(|(i, input)| {
            let mut dims = input.to_vec();
            dims.insert(dim.min(dims.len()), Dim::ONE);
            (i, dims)
        })
        .collect();
    Ok(concatenate(&stacked, dim)?.into())
}

/// Vectors along their dimension, others along the second; a scalar is a vector of one.
fn hstack_rule(call: &Call) -> Result<Outputs> {
    let dim = usize::from(call.input(0).len() > 1);
    join_as(call, dim, |input| if input.is_empty() { vec![Dim::ONE] } else { input.to_vec() })
}

/// Along the first dimension; a vector is one row.
fn vstack_rule(call: &Call) -> Result<Outputs> {
    join_as(call, 0, at_least_2d)
}

/// Along the third dimension; a vector (n) is (1, n, 1), a matrix (n, m) is (n, m, 1).
fn dstack_rule(call: &Call) -> Result<Outputs> {
    join_as(call, 2, |input| {
        let mut dims = at_least_2d(input);
        if dims.len() == 2 {
            dims.push(Dim::ONE);
        }
        dims
    })
}

/// Along the second dimension; a vector is one column.
fn column_stack_rule(call: &Call) -> Result<Outputs> {
    join_as(call, 1, |input| match input {
        [] => vec![Dim::ONE, Dim::ONE],
        [n] => vec![*n, Dim::ONE],
        _ => input.to_vec(),
    })
}

fn at_least_2d(input: &[Dim]) -> Dims {
    match input {
        [] => vec![Dim::ONE, Dim::ONE],
        [n] => vec![Dim::ONE, *n],
        _ => input.to_vec(),
    }
}

fn join_as(call: &Call, dim: usize, seen: impl Fn(&[Dim]) -> Dims) -> Result<Outputs> {
    let inputs: Vec<(usize, Dims)> = call.inputs().iter().map(|input| seen(input)).enumerate().collect();
    let all_empty = inputs.iter().all(|(_, input)| input.as_slice() == [Dim::ZERO]);
    // torch_cat() leaves these out
    let inputs: Vec<_> = inputs.into_iter().filter(|(_, input)| all_empty || input.as_slice() != [Dim::ZERO]).collect();
    Ok(concatenate(&inputs, dim)?.into())
}

/// Parts along `dim` (counted from 0), each of its size.
fn parts(input: &[Dim], dim: usize, sizes: impl IntoIterator<Item = Dim>) -> Outputs {
    sizes.into_iter().map(|size| replaced(input, dim, size)).collect::<Vec<Dims>>().into()
}

fn too_many(count: i64) -> Box<Error> {
    Error::new(Kind::Size, format!("would give {count} outputs, more than {MOST_OUTPUTS}."))
}

/// Parts of `size` along `dim`, the last one smaller; nothing where their number depends on an unknown size.
fn equal_parts(input: &[Dim], dim: usize, size: i64) -> Result<Outputs> {
    let Some(length) = input[dim].value() else { return Ok(Outputs::Unknown) };
    if length == 0 {
        return Ok(parts(input, dim, [Dim::ZERO]));
    }
    let count = (length + size - 1) / size;
    if count > MOST_OUTPUTS {
        return Err(too_many(count));
    }
    Ok(parts(input, dim, (0..count).map(|i| Dim::known(size.min(length - i * size)))))
}

/// ceil(length / chunks) each, the last one smaller; there may be fewer parts than asked for.
fn chunk_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let dim = call.dim("dim", input.len())?;
    let chunks = call.args.whole("chunks");
    if chunks == 1 {
        return Ok(input.to_vec().into());
    }
    match input[dim].value() {
        None => Ok(Outputs::Unknown),
        Some(0) if chunks > MOST_OUTPUTS => Err(too_many(chunks)),
        Some(0) => Ok(parts(input, dim, (0..chunks).map(|_| Dim::ZERO))),
        Some(length) => equal_parts(input, dim, (length + chunks - 1) / chunks),
    }
}

/// Parts of one size, or of sizes that add up to the length.
fn split_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let dim = call.dim("dim", input.len())?;
    match call.args.wholes("split_size") {
        [] => Err(Error::new(Kind::Argument, "needs at least one split_size.").argument("split_size")),
        [0] if !input[dim].equals(0).is_yes() => {
            Err(Error::new(Kind::Argument, "cannot split into parts of split_size 0.").argument("split_size"))
        }
        [size] => equal_parts(input, dim, *size),
        sizes => parts_of_sizes(call, input, dim, "split_size", sizes),
    }
}

fn split_sizes_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let dim = call.dim("dim", input.len())?;
    parts_of_sizes(call, input, dim, "split_sizes", call.args.wholes("split_sizes"))
}

fn parts_of_sizes(call: &Call, input: &[Dim], dim: usize, argument: &str, sizes: &[i64]) -> Result<Outputs> {
    let sum: i64 = sizes.iter().fold(0, |sum: i64, &size| sum.saturating_add(size));
    if input[dim].equals(sum).is_no() {
        let problem =
            format!("has {argument} that add up to {sum}, but dimension {} of its input is {}.", dim + 1, input[dim]);
        return Err(call.size_error(0, dim, problem).argument(argument));
    }
    Ok(parts(input, dim, sizes.iter().map(|&size| Dim::known(size))))
}

/// So many parts, the first ones larger by 1; or parts that end at places, as far as those are there.
fn tensor_split_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let dim = call.dim("dim", input.len())?;
    let length = input[dim];
    match call.args.wholes("indices_or_sections") {
        [0] => Err(Error::new(Kind::Argument, "needs at least one section.").argument("indices_or_sections")),
        [sections] if *sections > MOST_OUTPUTS => Err(too_many(*sections)),
        [sections] => Ok(parts(input, dim, (0..*sections).map(|i| (length + (sections - 1 - i)).floor_div(*sections)))),
        places => {
            let starts = std::iter::once(0).chain(places.iter().copied());
            let ends = places.iter().copied().map(Some).chain([None]);
            Ok(parts(
                input,
                dim,
                starts.zip(ends).map(|(start, end)| {
                    let rest = (length - start).max(0);
                    end.map_or(rest, |end| rest.min((end - start).max(0)))
                }),
            ))
        }
    }
}

/// One part for each place along the dimension, without it.
fn unbind_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_at_least(0, 1)?;
    let dim = call.dim("dim", input.len())?;
    let mut part = input.to_vec();
    part.remove(dim);
    match input[dim].value() {
        None => Ok(Outputs::Unknown),
        Some(count) if count > MOST_OUTPUTS => Err(too_many(count)),
        Some(count) => Ok(vec![part; usize::try_from(count).unwrap_or(0)].into()),
    }
}

/// (n1), (n2), ... -> each (n1, n2, ...); with "xy" the first two change places.
fn meshgrid_rule(call: &Call) -> Result<Outputs> {
    let mut grid = Dims::new();
    for i in 0..call.inputs().len() {
        grid.push(*call.input_of_rank(i, &[0, 1])?.first().unwrap_or(&Dim::ONE));
    }
    if call.args.get_text("indexing") == Some("xy") && grid.len() > 1 {
        grid.swap(0, 1);
    }
    Ok(vec![grid; call.inputs().len()].into())
}

/// (n1), (n2), ..., k of them -> (n1 n2 ..., k); one vector stays as it is.
fn cartesian_rule(call: &Call) -> Result<Outputs> {
    let mut sizes = Dims::new();
    for i in 0..call.inputs().len() {
        sizes.push(call.input_of_rank(i, &[1])?[0]);
    }
    if sizes.len() == 1 {
        return Ok(sizes.into());
    }
    let tuples = sizes.iter().fold(Dim::ONE, |product, &size| product * size);
    Ok(vec![tuples, Dim::known(sizes.len() as i64)].into())
}

/// (n) -> (n over r, r), or (n + r - 1 over r, r) with replacement; r = 0 gives (0).
fn combinations_rule(call: &Call) -> Result<Outputs> {
    let n = call.input_of_rank(0, &[1])?[0];
    let r = call.args.whole("r");
    if r == 0 {
        return Ok(vec![Dim::ZERO].into());
    }
    let extra = if call.args.flag("with_replacement") { r - 1 } else { 0 };
    Ok(vec![n.map_increasing(|n| over(n.saturating_add(if n > 0 { extra } else { 0 }), r)), Dim::known(r)].into())
}

/// The binomial coefficient; huge ones end as one that no shape holds.
fn over(n: i64, r: i64) -> i64 {
    let r = r.min(n - r);
    if r < 0 {
        return 0;
    }
    let mut result: i128 = 1;
    for i in 1..=i128::from(r) {
        result = result * (i128::from(n - r) + i) / i;
        if result > i128::from(crate::dim::MAX_SIZE) {
            return i64::MAX - 1;
        }
    }
    result as i64
}

/// Rows and columns add up; a vector is one row, a scalar a matrix of one element.
fn block_diag_rule(call: &Call) -> Result<Outputs> {
    let mut output = vec![Dim::ZERO, Dim::ZERO];
    for i in 0..call.inputs().len() {
        let matrix = at_least_2d(call.input_of_rank(i, &[0, 1, 2])?);
        output = vec![output[0] + matrix[0], output[1] + matrix[1]];
    }
    Ok(output.into())
}
