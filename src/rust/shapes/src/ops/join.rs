//! Operators that join tensors or take them apart.
//! <https://docs.pytorch.org/docs/stable/generated/torch.cat.html>

use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{counted, Error, Kind, Result};
use crate::op::{replaced, said, Call, Inputs, Op, Outputs};
use crate::shape::{Dims, Shape};

/// More outputs, and more sizes in them, than any network has, so that no argument can take the machine's memory.
const MOST_OUTPUTS: i64 = 65_536;
const MOST_SIZES: i64 = 1 << 22;

const CAT: &[Arg] = &[Arg::whole("dim").default(1)];
const MERGE_CAT: &[Arg] = &[Arg::whole("dim").default(-1), Arg::whole("innum").min(0).default(0)];
const CHUNK: &[Arg] = &[Arg::whole("chunks").min(1), Arg::whole("dim").default(1)];
const SPLIT: &[Arg] = &[Arg::wholes("split_size").min(0), Arg::whole("dim").default(1)];
const SPLIT_SIZES: &[Arg] = &[Arg::wholes("split_sizes").min(0), Arg::whole("dim").default(1)];
const UNSAFE_SPLIT: &[Arg] = &[Arg::whole("split_size").min(0), Arg::whole("dim").default(1)];
const TENSOR_SPLIT: &[Arg] =
    &[Arg::wholes("indices").optional(), Arg::whole("sections").min(1).optional(), Arg::whole("dim").default(1)];
const SPLIT_ALONG: &[Arg] = &[Arg::wholes("indices").optional(), Arg::whole("sections").min(1).optional()];
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

/// R torch takes one size only here.
pub const fn unsafe_split(name: &'static str) -> Op {
    Op::new(name, "join", "takes a tensor apart into parts of a size", split_rule).args(UNSAFE_SPLIT).outputs(&["..."])
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

pub const fn hsplit(name: &'static str) -> Op {
    Op::new(name, "join", "takes a tensor apart column by column", hsplit_rule).args(SPLIT_ALONG).outputs(&["..."])
}

pub const fn vsplit(name: &'static str) -> Op {
    Op::new(name, "join", "takes a tensor apart row by row", vsplit_rule).args(SPLIT_ALONG).outputs(&["..."])
}

pub const fn dsplit(name: &'static str) -> Op {
    Op::new(name, "join", "takes a tensor apart along the third dimension", dsplit_rule)
        .args(SPLIT_ALONG)
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
    let joined = without_empty_vectors(shapes(call));
    let Some((_, first)) = joined.first() else {
        // there is nothing whose dimensions dim could count
        call.resolve("dim", call.args.whole("dim").signum(), 1)?;
        return Ok(vec![Dim::ZERO].into());
    };
    same_rank(&joined)?;
    let dim = call.dim("dim", first.len())?;
    Ok(concatenate(&joined, dim)?.into())
}

/// All sizes but those along `dim` are equal; along `dim` they add up.
fn merge_cat_rule(call: &Call) -> Result<Outputs> {
    right_number_of_inputs(call)?;
    let inputs = shapes(call);
    same_rank(&inputs)?;
    let dim = call.dim("dim", call.input(0).len())?;
    Ok(concatenate(&inputs, dim)?.into())
}

/// mlr3torch's merges say how many inputs they have; 0 is any number.
pub fn right_number_of_inputs(call: &Call) -> Result<()> {
    match call.args.get_whole("innum") {
        Some(innum) if innum != 0 && innum != call.inputs().len() as i64 => {
            let problem = format!("has innum = {innum}, but gets {}.", counted(call.inputs().len(), "input"));
            Err(Error::new(Kind::Argument, problem).argument("innum"))
        }
        _ => Ok(()),
    }
}

/// The shapes of the inputs with their places.
fn shapes(call: &Call) -> Vec<(usize, Dims)> {
    call.inputs().iter().map(|input| input.to_vec()).enumerate().collect()
}

fn without_empty_vectors(inputs: Vec<(usize, Dims)>) -> Vec<(usize, Dims)> {
    inputs.into_iter().filter(|(_, input)| input.as_slice() != [Dim::ZERO]).collect()
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
    let mut output = agreed(inputs, Some(dim))?;
    if let Some(size) = output.get_mut(dim) {
        *size = inputs.iter().fold(Dim::ZERO, |sum, (_, input)| sum + input[dim]);
    }
    Ok(output)
}

/// What is left of shapes that must be equal in every dimension but `free` (counted from 0).
fn agreed(inputs: &[(usize, Dims)], free: Option<usize>) -> Result<Dims> {
    same_rank(inputs)?;
    let mut output = inputs[0].1.clone();
    for (i, other) in &inputs[1..] {
        for d in (0..output.len()).filter(|&d| Some(d) != free) {
            output[d] = output[d].unify(other[d]).ok_or_else(|| {
                let clash = inputs.iter().find(|(_, earlier)| earlier[d].equals(other[d]).is_no());
                let (j, earlier) = clash.unwrap_or(&inputs[0]);
                let along = free.map_or(String::new(), |free| format!(" along dimension {}", free + 1));
                let problem = format!(
                    "cannot join its inputs{along}: dimension {} is {} in input {} and {} in input {}.",
                    d + 1,
                    earlier[d],
                    j + 1,
                    other[d],
                    i + 1
                );
                let but = free.map_or(String::new(), |free| format!(" but {}", free + 1));
                Error::new(Kind::Size, problem)
                    .hint(format!("Sizes must be equal in every dimension{but}."))
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
    let inputs = shapes(call);
    let mut output = agreed(&inputs, None)?;
    output.insert(call.dim("dim", output.len() + 1)?, Dim::known(inputs.len() as i64));
    Ok(output.into())
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

/// Joins what the inputs are `seen` as along `dim` (counted from 0).
fn join_as(call: &Call, dim: usize, seen: impl Fn(&[Dim]) -> Dims) -> Result<Outputs> {
    let all: Vec<(usize, Dims)> = call.inputs().iter().map(|input| seen(input)).enumerate().collect();
    let shown: Vec<Shape> = all.iter().map(|(_, input)| Shape::from(input.as_slice())).collect();
    // torch_cat() does so
    let joined = without_empty_vectors(all);
    if joined.is_empty() {
        return Ok(vec![Dim::ZERO].into());
    }
    Ok(concatenate(&joined, dim).map_err(|error| error.shapes(shown))?.into())
}

/// Parts along `dim` (counted from 0), each of its size.
fn parts(input: &[Dim], dim: usize, sizes: impl IntoIterator<Item = Dim>) -> Outputs {
    sizes.into_iter().map(|size| replaced(input, dim, size)).collect::<Vec<Dims>>().into()
}

/// `count` if as many outputs of `rank` dimensions can be held.
fn not_too_many(count: i64, rank: usize) -> Result<i64> {
    if count <= MOST_OUTPUTS && count.saturating_mul(rank as i64) <= MOST_SIZES {
        return Ok(count);
    }
    Err(Error::new(Kind::Size, format!("would give {count} outputs, which is too many.")))
}

/// The input, at least of `rank` dimensions, and its dimension that argument `dim` means.
fn input_and_dim<'a>(call: &Call<'a>) -> Result<(&'a [Dim], usize)> {
    let input = call.input_of_at_least(0, 1)?;
    Ok((input, call.dim("dim", input.len())?))
}

/// Parts of `size` along `dim`, the last one smaller; nothing where their number depends on an unknown size.
fn equal_parts(input: &[Dim], dim: usize, size: i64) -> Result<Outputs> {
    let Some(length) = input[dim].value() else { return Ok(Outputs::Unknown) };
    if length == 0 {
        return Ok(parts(input, dim, [Dim::ZERO]));
    }
    let count = not_too_many((length - 1) / size.max(1) + 1, input.len())?;
    Ok(parts(input, dim, (0..count).map(|i| Dim::known(size.min(length - i * size)))))
}

/// ceil(length / chunks) each, the last one smaller; there may be fewer parts than asked for.
fn chunk_rule(call: &Call) -> Result<Outputs> {
    let (input, dim) = input_and_dim(call)?;
    let chunks = call.args.whole("chunks");
    if chunks == 1 {
        return Ok(input.to_vec().into());
    }
    match input[dim].value() {
        None => Ok(Outputs::Unknown),
        Some(0) => Ok(parts(input, dim, (0..not_too_many(chunks, input.len())?).map(|_| Dim::ZERO))),
        Some(length) => equal_parts(input, dim, (length - 1) / chunks + 1),
    }
}

/// Parts of one size, or of sizes that add up to the length.
fn split_rule(call: &Call) -> Result<Outputs> {
    let (input, dim) = input_and_dim(call)?;
    match call.args.wholes("split_size") {
        [] => {
            Err(Error::new(Kind::Argument, "needs at least one number for argument 'split_size'.")
                .argument("split_size"))
        }
        [0] if !input[dim].equals(0).is_yes() => {
            let problem = "cannot split into parts of split_size = 0.";
            Err(Error::new(Kind::Argument, problem)
                .argument("split_size")
                .hint("A split_size of at least 1 would fit."))
        }
        [size] => equal_parts(input, dim, *size),
        sizes => parts_of_sizes(call, input, dim, "split_size", sizes),
    }
}

fn split_sizes_rule(call: &Call) -> Result<Outputs> {
    let (input, dim) = input_and_dim(call)?;
    parts_of_sizes(call, input, dim, "split_sizes", call.args.wholes("split_sizes"))
}

/// Parts of sizes that add up to the length.
fn parts_of_sizes(call: &Call, input: &[Dim], dim: usize, argument: &str, sizes: &[i64]) -> Result<Outputs> {
    let sum = sizes.iter().fold(0_i64, |sum, &size| sum.saturating_add(size));
    if input[dim].equals(sum).is_no() {
        let problem = format!(
            "has {argument} that add up to {sum}, but dimension {} of its input is {}.",
            dim + 1,
            said(input[dim])
        );
        return Err(call.size_error(0, dim, problem).argument(argument).sizes([Dim::known(sum), input[dim]]));
    }
    not_too_many(sizes.len() as i64, input.len())?;
    Ok(parts(input, dim, sizes.iter().map(|&size| Dim::known(size))))
}

/// How a tensor is split: into so many parts, or at places.
enum Split<'a> {
    Sections(i64),
    Places(&'a [i64]),
}

fn sections_or_places<'a>(call: &Call<'a>) -> Result<Split<'a>> {
    match (call.args.get_whole("sections"), call.args.get_wholes("indices")) {
        (Some(sections), None) => Ok(Split::Sections(sections)),
        (None, Some(places)) => Ok(Split::Places(places)),
        (None, None) => Err(Error::new(Kind::Argument, "needs argument 'sections' or 'indices'.").argument("sections")),
        (Some(_), Some(_)) => {
            Err(Error::new(Kind::Argument, "needs only one of 'sections' and 'indices'.").argument("indices"))
        }
    }
}

/// So many parts, the first ones larger by 1; or parts that end at places.
fn tensor_split_rule(call: &Call) -> Result<Outputs> {
    let (input, dim) = input_and_dim(call)?;
    match sections_or_places(call)? {
        Split::Places(places) => parts_at(input, dim, places),
        Split::Sections(sections) => {
            not_too_many(sections, input.len())?;
            Ok(parts(input, dim, (0..sections).map(|i| (input[dim] + (sections - 1 - i)).floor_div(sections))))
        }
    }
}

/// Parts that end at places along `dim`, the last at the end; a negative place counts from there.
fn parts_at(input: &[Dim], dim: usize, places: &[i64]) -> Result<Outputs> {
    not_too_many(places.len() as i64 + 1, input.len())?;
    let starts = std::iter::once(0).chain(places.iter().copied());
    let ends = places.iter().copied().map(Some).chain([None]);
    Ok(parts(input, dim, starts.zip(ends).map(|(start, end)| slice(input[dim], start, end))))
}

/// The length of the part from `start` to before `end`, as far as that is there; nothing if it ends before it begins.
fn slice(length: Dim, start: i64, end: Option<i64>) -> Dim {
    let from = |place: i64| length + place;
    let size = match (start, end) {
        (0.., None) => from(-start),
        (_, None) => length.min(-start),
        (0.., Some(end @ 0..)) => from(-start).min(end - start),
        (0.., Some(end)) => from(end) - start,
        (_, Some(end @ ..=-1)) => from(end).min(end - start),
        // from the end to a place from the front: as long as either, less what the length has beyond both
        (_, Some(end)) => length.min(end).min(-start).min(end - start - length),
    };
    size.max(0)
}

fn hsplit_rule(call: &Call) -> Result<Outputs> {
    let rank = call.input_of_at_least(0, 1)?.len();
    split_along(call, usize::from(rank > 1))
}

fn vsplit_rule(call: &Call) -> Result<Outputs> {
    call.input_of_at_least(0, 2)?;
    split_along(call, 0)
}

fn dsplit_rule(call: &Call) -> Result<Outputs> {
    call.input_of_at_least(0, 3)?;
    split_along(call, 2)
}

/// So many equal parts along `dim` (counted from 0), or parts that end at places.
fn split_along(call: &Call, dim: usize) -> Result<Outputs> {
    let input = call.input(0);
    let sections = match sections_or_places(call)? {
        Split::Places(places) => return parts_at(input, dim, places),
        Split::Sections(sections) => not_too_many(sections, input.len())?,
    };
    let part = input[dim].exact_div(sections).ok_or_else(|| {
        let problem =
            format!("cannot split into {sections} equal parts: dimension {} of its input is {}.", dim + 1, input[dim]);
        call.size_error(0, dim, problem)
            .argument("sections")
            .hint("torch_tensor_split() allows parts that differ by 1.")
    })?;
    Ok(parts(input, dim, (0..sections).map(|_| part)))
}

/// One part for each place along the dimension, without it.
fn unbind_rule(call: &Call) -> Result<Outputs> {
    let (input, dim) = input_and_dim(call)?;
    let mut part = input.to_vec();
    part.remove(dim);
    let Some(count) = input[dim].value() else { return Ok(Outputs::Unknown) };
    Ok(vec![part; usize::try_from(not_too_many(count, input.len())?).unwrap_or(0)].into())
}

/// (n1), (n2), ... -> each (n1, n2, ...); with "xy" the first two change places.
fn meshgrid_rule(call: &Call) -> Result<Outputs> {
    let n = call.inputs().len();
    not_too_many(n as i64, n)?;
    let mut grid = Dims::new();
    for i in 0..n {
        grid.push(*call.input_of_rank(i, &[0, 1])?.first().unwrap_or(&Dim::ONE));
    }
    if call.args.get_text("indexing") == Some("xy") && grid.len() > 1 {
        grid.swap(0, 1);
    }
    Ok(vec![grid; n].into())
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
