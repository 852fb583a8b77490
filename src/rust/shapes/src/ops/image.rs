//! Images: resizing and sampling; the operators of mlr3torch that prepare and augment them stand in
//! `image/transform.rs`, what they do to height and width in `image/geometry.rs`.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html>

mod geometry;
mod transform;

pub use transform::*;

use crate::args::Arg;
use crate::dim::Dim;
use crate::error::{counted, one_of, Error, Kind, Result};
use crate::op::{Call, Inputs, Op, Outputs};

const MODES: &[&str] = &["nearest", "linear", "bilinear", "trilinear", "bicubic", "area"];
const UPSAMPLE: &[Arg] = &[
    Arg::wholes("size").min(0).optional(),
    Arg::numbers("scale_factor").optional(),
    Arg::choice("mode", MODES),
    Arg::flag("align_corners", false),
];
const INTERPOLATE: &[Arg] = &[
    Arg::wholes("size").min(0).optional(),
    Arg::numbers("scale_factor").optional(),
    Arg::choice("mode", MODES),
    Arg::flag("align_corners", false),
    Arg::flag("recompute_scale_factor", false),
];
const GRID_SAMPLE: &[Arg] = &[
    Arg::choice("mode", &["bilinear", "nearest"]),
    Arg::choice("padding_mode", &["zeros", "border", "reflection"]),
    Arg::flag("align_corners", false),
];
const AFFINE_GRID: &[Arg] = &[Arg::wholes_or_missing("size").min(0), Arg::flag("align_corners", false)];

/// Another length for every dimension after the channels.
pub const fn interpolate(name: &'static str) -> Op {
    Op::new(name, "image", "resizes everything after the channels", interpolate_rule).args(INTERPOLATE)
}

/// The module, which never works out its scale anew.
pub const fn upsample(name: &'static str) -> Op {
    Op::new(name, "image", "resizes everything after the channels", interpolate_rule).args(UPSAMPLE)
}

/// The input at the places that a grid gives.
pub const fn grid_sample(name: &'static str) -> Op {
    Op::new(name, "image", "reads an image at the places a grid gives", grid_sample_rule)
        .inputs(Inputs::named(&["input", "grid"]))
        .args(GRID_SAMPLE)
}

/// A grid for each matrix of an affine map.
pub const fn affine_grid(name: &'static str) -> Op {
    Op::new(name, "image", "the grid of places that affine maps give", affine_grid_rule)
        .inputs(Inputs::named(&["theta"]))
        .args(AFFINE_GRID)
}

/// (N, C, L...) -> (N, C, size...), or L_out = floor(L scale_factor)
fn interpolate_rule(call: &Call) -> Result<Outputs> {
    let mode = call.args.get_text("mode").unwrap_or("nearest");
    let ranks: &[usize] = match mode {
        "linear" => &[3],
        "bilinear" | "bicubic" => &[4],
        "trilinear" => &[5],
        _ => &[3, 4, 5],
    };
    let input = call.input_of_rank(0, ranks).map_err(|error| {
        error.argument("mode").hint(format!("Mode \"{mode}\" resizes inputs of {}.", spoken(ranks)))
    })?;
    // a mean over windows may have none of them, and makes none of no channels
    let is_mean = mode == "area";
    let first = if is_mean && input.len() < 5 { 2 } else { 1 };
    if let Some(d) = (first..input.len()).find(|&d| input[d].is_at_least(1).is_no()) {
        return Err(call.size_error(0, d, format!("cannot resize nothing: dimension {} of its input is 0.", d + 1)));
    }
    let mut output = input.to_vec();
    for (i, length) in lengths(call, input, is_mean)?.into_iter().enumerate() {
        output[i + 2] = length.keep_at_least(i64::from(!is_mean)).ok_or_else(|| {
            let problem = format!("leaves nothing of dimension {} of its input, which is {}.", i + 3, input[i + 2]);
            call.size_error(0, i + 2, problem).hint("A larger size or scale_factor would fit.")
        })?;
    }
    Ok(output.into())
}

fn spoken(ranks: &[usize]) -> String {
    format!("{} dimensions, the batch and the channels first", one_of(ranks))
}

/// What every dimension after the channels is to be.
fn lengths(call: &Call, input: &[Dim], is_mean: bool) -> Result<Vec<Dim>> {
    let n = input.len() - 2;
    let recompute = call.args.declares("recompute_scale_factor") && call.args.flag("recompute_scale_factor");
    match (call.args.get_wholes("size"), call.args.get_numbers("scale_factor")) {
        (Some(_), Some(_)) => {
            let problem = "has both size and scale_factor.";
            Err(Error::new(Kind::Argument, problem).argument("scale_factor").hint("One of them says it all."))
        }
        (None, None) => {
            let problem = "needs argument 'size' or 'scale_factor'.";
            Err(Error::new(Kind::Argument, problem).argument("size"))
        }
        (Some(_), None) if recompute => {
            let problem = "cannot work out a scale_factor anew where size is given.";
            Err(Error::new(Kind::Argument, problem).argument("recompute_scale_factor"))
        }
        (Some(size), None) => Ok(one_for_each("size", size, n)?.into_iter().map(Dim::known).collect()),
        (None, Some(factors)) => {
            let factors = one_for_each("scale_factor", factors, n)?;
            if let Some(factor) = factors.iter().find(|&&factor| factor < 0.0) {
                let problem = format!("needs a positive scale_factor, not {factor}.");
                return Err(Error::new(Kind::Argument, problem).argument("scale_factor"));
            }
            // R torch counts one dimension too few where it works the sizes out itself
            let first = if recompute || is_mean { 1 } else { 2 };
            let scaled = |(&length, factor): (&Dim, f64)| match factor {
                0.0 => Dim::ZERO,
                _ => length.map_increasing(|n| (n as f64 * factor) as i64),
            };
            Ok(input[first..].iter().zip(factors).map(scaled).collect())
        }
    }
}

/// One value for each of `n` dimensions: a single one stands for all.
fn one_for_each<T: Copy>(name: &str, values: &[T], n: usize) -> Result<Vec<T>> {
    match values {
        [one] => Ok(vec![*one; n]),
        _ if values.len() == n => Ok(values.to_vec()),
        _ => {
            let fits = if n == 1 { counted(1, "number") } else { format!("1 or {n} numbers") };
            let problem = format!(
                "needs {fits} for argument '{name}', not {}: its input has {} after the channels.",
                values.len(),
                counted(n, "dimension")
            );
            Err(Error::new(Kind::Argument, problem).argument(name))
        }
    }
}

/// (N, C, L...), (N, L_out..., n) -> (N, C, L_out...) with n = number of L
fn grid_sample_rule(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[4, 5])?;
    let grid = call.input_of_rank(1, &[input.len()])?;
    let (n, last) = (input.len() - 2, grid.len() - 1);
    let batch = call.common_size("batch size", &[(0, 0), (1, 0)])?;
    if grid[last].equals(n as i64).is_no() {
        let problem = format!("needs {n} numbers for each place of the grid, not {}.", grid[last]);
        return Err(call.size_error(1, last, problem));
    }
    if let Some(d) = (2..input.len()).find(|&d| input[d].is_at_least(1).is_no()) {
        return Err(call.size_error(0, d, format!("cannot read from nothing: dimension {} of input 1 is 0.", d + 1)));
    }
    let mut output = vec![batch, input[1]];
    output.extend_from_slice(&grid[1..last]);
    Ok(output.into())
}

/// (N, n, n + 1) -> (N, L..., n) with size = N, C, L...
fn affine_grid_rule(call: &Call) -> Result<Outputs> {
    let size = call.args.get_wholes_or_missing("size").unwrap_or(&[]);
    let size: Vec<Dim> = size.iter().map(|size| size.map_or(Dim::UNKNOWN, Dim::known)).collect();
    if size.len() != 4 && size.len() != 5 {
        let problem = format!("needs 4 or 5 numbers for argument 'size', not {}.", size.len());
        let hint = "They are the batch, the channels, and 2 or 3 lengths.";
        return Err(Error::new(Kind::Argument, problem).argument("size").hint(hint));
    }
    let n = size.len() - 2;
    let theta = call.input_of_rank(0, &[3])?;
    let batch = theta[0].unify(size[0]).ok_or_else(|| {
        let problem = format!("has a size for {} matrices, but its input holds {}.", size[0], theta[0]);
        call.size_error(0, 0, problem).argument("size")
    })?;
    // of no places, PyTorch does not see how many numbers each would have
    let no_place = size[2..].iter().any(|length| length.equals(0).is_yes()) || batch.equals(0).is_yes();
    let rows_fit = no_place || !theta[1].equals(n as i64).is_no();
    if !rows_fit || theta[2].equals(n as i64 + 1).is_no() {
        let problem = format!("needs matrices of {n} rows and {} columns, not {} and {}.", n + 1, theta[1], theta[2]);
        return Err(call.size_error(0, if rows_fit { 2 } else { 1 }, problem));
    }
    let mut output = vec![batch];
    output.extend_from_slice(&size[2..]);
    output.push(Dim::known(n as i64));
    Ok(output.into())
}
