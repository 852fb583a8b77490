//! What mlr3torch's operators do to the height and the width of images: borders, resizing, parts, turning.
//! <https://torchvision.mlverse.org/reference/index.html>

use super::transform::{any_of, batched, height_and_width, image, image_with_channels};
use crate::args::Value;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{replaced, Call, Outputs};
use crate::ops::view::{filled_up, reflected, replicated};
use crate::shape::{Dims, Shape, Shown};

/// (N, *, H, W) -> (N, *, H + top + bottom, W + left + right) with padding = left, right, top, bottom
pub(super) fn trafo_pad_rule(call: &Call) -> Result<Outputs> {
    let image = image(call)?;
    Ok(batched(call, padded(call, image)?))
}

/// What is added at the left, the right, the top and the bottom: one number for all, or two for the width and the
/// height.
fn sides(call: &Call) -> Result<[i64; 4]> {
    match *call.args.get_wholes("padding").unwrap_or(&[0]) {
        [all] => Ok([all; 4]),
        [width, height] => Ok([width, width, height, height]),
        [left, right, top, bottom] => Ok([left, right, top, bottom]),
        ref others => {
            let problem = format!("needs 1, 2 or 4 numbers for argument 'padding', not {}.", others.len());
            let hint = "Two are for the width and the height, four for left, right, top and bottom.";
            Err(Error::new(Kind::Argument, problem).argument("padding").hint(hint))
        }
    }
}

/// An image with the border that argument padding says.
fn padded(call: &Call, image: &[Dim]) -> Result<Dims> {
    let [left, right, top, bottom] = sides(call)?;
    let mode = call.args.get_text("padding_mode").unwrap_or("constant");
    let (height, width) = (image[image.len() - 2], image[image.len() - 1]);
    if mode == "symmetric" {
        if let Some(side) = [left, right, top, bottom].into_iter().find(|&side| side < 0) {
            let problem = format!("cannot have padding {side} in mode \"symmetric\", which only adds.");
            return Err(Error::new(Kind::Argument, problem).argument("padding"));
        }
        let rows = height.keep_at_least(top.max(bottom)).map(|height| height + top + bottom);
        return symmetric(image, left, right, rows);
    }
    let border = match mode {
        "reflect" => reflected,
        "edge" => replicated,
        _ => filled_up,
    };
    has_border(call, image, mode)?;
    let mut output = image.to_vec();
    for (d, before, after) in [(image.len() - 2, top, bottom), (image.len() - 1, left, right)] {
        output[d] = border(image[d], before, after).ok_or_else(|| {
            let name = if d == image.len() - 2 { "height" } else { "width" };
            too_small(mode, &format!("pad the {name} by {before} and {after}"), height, width)
        })?;
    }
    Ok(output)
}

/// Whether an image can have a border that is made of it: without its batch it has up to 4 dimensions, and any pixel.
fn has_border(call: &Call, image: &[Dim], mode: &str) -> Result<()> {
    if mode == "constant" {
        return Ok(());
    }
    if image.len() > 4 {
        let problem = format!("pads inputs of 3 to 5 dimensions in mode \"{mode}\", not {}.", image.len() + 1);
        return Err(Error::new(Kind::Rank, problem).argument("padding_mode").inputs([1]));
    }
    if image.len() > 2 && image[image.len() - 3].is_at_least(1).is_no() {
        let problem = format!("has no pixel to pad with: dimension {} of its input is 0.", image.len() - 1);
        return Err(call.size_error(0, image.len() - 2, problem));
    }
    let fill = call.args.get_raw("fill");
    if matches!(fill, Some(Value::Numbers(numbers)) if numbers.iter().any(|&number| number != Some(0.0))) {
        let problem = format!("takes no fill in mode \"{mode}\".");
        return Err(Error::new(Kind::Argument, problem).argument("fill"));
    }
    Ok(())
}

fn too_small(mode: &str, what: &str, height: Dim, width: Dim) -> Box<Error> {
    let limit = match mode {
        "reflect" => "Mode \"reflect\" adds less than there is on each side, and leaves at least one pixel.",
        "edge" => "Mode \"edge\" needs a pixel, and leaves at least one.",
        "symmetric" => "R torchvision pads images of width 1 by at most 1 on each side in this mode, and no others.",
        _ => "No more can be cut off than there is.",
    };
    let problem = format!("cannot {what} in mode \"{mode}\": its images have height {height} and width {width}.");
    Error::new(Kind::Size, problem).sizes([height, width]).inputs([1]).argument("padding_mode").hint(limit)
}

/// R torchvision picks the columns of an image by a matrix of one column, and of what it gave the rows by another, at a
/// place where only 1 is left: (*, H, W) -> (*, rows, W + left + right, 1, W) with W <= 1, of images of 3 or 4
/// dimensions.
fn symmetric(image: &[Dim], left: i64, right: i64, rows: Option<Dim>) -> Result<Dims> {
    if image.len() != 3 && image.len() != 4 {
        let problem = format!("pads inputs of 4 or 5 dimensions in mode \"symmetric\", not {}.", image.len() + 1);
        return Err(Error::new(Kind::Rank, problem).argument("padding_mode").inputs([1]));
    }
    let (height, width) = (image[image.len() - 2], image[image.len() - 1]);
    let fitting = if left <= 1 && right <= 1 { width.keep_at_most(1) } else { None };
    match (rows, fitting) {
        (Some(rows), Some(width)) => {
            let mut output = image[..image.len() - 2].to_vec();
            output.extend([rows, width + left + right, Dim::ONE, width]);
            Ok(output)
        }
        _ => Err(too_small("symmetric", "pad", height, width)),
    }
}

/// (N, *, H, W) -> (N, *, H_out, W_out) with size = H_out, W_out; one number is for the shorter side, the longer one
/// follows: floor(size * longer / shorter). The batch counts as what comes before the height and the width.
pub(super) fn resize_rule(call: &Call) -> Result<Outputs> {
    let hint = "The last dimensions are the height and the width.";
    let input = call.input_of_at_least(0, 2).map_err(|error| error.hint(hint))?;
    Ok(Outputs::Shapes(vec![resized(call, input)?]))
}

fn resized(call: &Call, image: &[Dim]) -> Result<Shape> {
    let interpolation = call.args.whole("interpolation");
    if ![0, 2, 3].contains(&interpolation) {
        let problem = format!("needs 0, 2 or 3 for argument 'interpolation', not {interpolation}.");
        let hint = "They stand for the nearest pixel, bilinear and bicubic.";
        return Err(Error::new(Kind::Argument, problem).argument("interpolation").hint(hint));
    }
    let (h, w) = (image.len() - 2, image.len() - 1);
    let sized = |height: Dim, width: Dim| replaced(&replaced(image, h, height), w, width);
    match *call.args.wholes("size") {
        [height, width] => Ok(interpolated(image, sized(Dim::known(height), Dim::known(width)))?.into()),
        [shorter] => {
            // an image whose shorter side is right is not touched, so that it can be anything
            let right = |height: Option<Dim>, width: Option<Dim>| Some(Ok(sized(height?, width?)));
            let untouched = [
                right(image[h].unify(shorter), image[w].keep_at_least(shorter)),
                right(image[h].keep_at_least(shorter), image[w].unify(shorter)),
            ];
            let longer =
                |long: i64, short: i64| shorter.max((shorter as f64 * long as f64 / short.max(1) as f64) as i64);
            let height = image[h].map_monotone(image[w], longer);
            let width = image[w].map_monotone(image[h], longer);
            any_of([interpolated(image, sized(height, width))].into_iter().chain(untouched.into_iter().flatten()))
        }
        ref others => {
            let problem = format!("needs 1 or 2 numbers for argument 'size', not {}.", others.len());
            Err(Error::new(Kind::Argument, problem).argument("size"))
        }
    }
}

/// Pixels worked out anew: there must be some, before and after, in 3 or 4 dimensions.
fn interpolated(image: &[Dim], mut output: Dims) -> Result<Dims> {
    if image.len() != 3 && image.len() != 4 {
        let problem = format!("resizes images of 3 or 4 dimensions, not {}.", image.len());
        return Err(Error::new(Kind::Rank, problem).inputs([1]));
    }
    // R has no larger integer
    const LARGEST: i64 = i32::MAX as i64;
    let from = image.len() - 3;
    let is_empty = image[from..].iter().any(|size| size.is_at_least(1).is_no());
    for size in &mut output[from + 1..] {
        let kept = size.keep_at_least(1).and_then(|size| size.keep_at_most(LARGEST));
        match kept {
            Some(kept) if !is_empty => *size = kept,
            _ => {
                let problem = format!("cannot resize images of shape {} to {size}.", Shown(image));
                return Err(Error::new(Kind::Size, problem).argument("size").sizes([*size]).inputs([1]));
            }
        }
    }
    Ok(output)
}

/// (N, *, H, W) -> (N, *, min(height, H - top + 1), min(width, W - left + 1)), or 0
pub(super) fn crop_rule(call: &Call) -> Result<Outputs> {
    let image = image(call)?;
    Ok(batched(call, cropped(call, image)))
}

fn cropped(call: &Call, image: &[Dim]) -> Dims {
    let (h, w) = (image.len() - 2, image.len() - 1);
    let part = |length: Dim, start: i64, size: i64| (length - (start - 1)).min(size).max(0);
    let height = part(image[h], call.args.whole("top"), call.args.whole("height"));
    let width = part(image[w], call.args.whole("left"), call.args.whole("width"));
    replaced(&replaced(image, h, height), w, width)
}

/// [`crop_rule`], then [`resize_rule`]
pub(super) fn resized_crop_rule(call: &Call) -> Result<Outputs> {
    let image = image(call)?;
    Ok(batched(call, resized(call, &cropped(call, image))?))
}

/// (N, *, H, W) -> (N, *, size...)
pub(super) fn center_crop_rule(call: &Call) -> Result<Outputs> {
    let image = image(call)?;
    let size = height_and_width(call, "size")?.map(Dim::known);
    Ok(batched(call, [&image[..image.len() - 2], &size].concat()))
}

/// (N, *, H, W) -> (N, *, size...), with H and W more than that: R torchvision cannot place a part that has the height
/// or the width of the image, and cuts 1 off the image where it has both. With pad_if_needed, an image that is too low
/// or too narrow gets as much as it lacks on both sides.
pub(super) fn random_crop_rule(call: &Call) -> Result<Outputs> {
    let image = image(call)?;
    let [height, width] = height_and_width(call, "size")?;
    let image = if call.args.is_given("padding") { padded(call, image)? } else { image.to_vec() };
    let (h, w) = (image.len() - 2, image.len() - 1);
    let mut outcomes = Vec::new();
    for wide in enlarged(call, &image, w, image[w], width) {
        match wide {
            Ok(wide) => {
                for high in enlarged(call, &wide, h, image[h], height) {
                    match high {
                        Ok(high) => outcomes.extend(parts_at_random(&high, height, width)),
                        Err(error) => outcomes.push(Err(error)),
                    }
                }
            }
            Err(error) => outcomes.push(Err(error)),
        }
    }
    Ok(batched(call, any_of(outcomes)?))
}

/// The image whose dimension `d` was `size`, as it is and, if that may be needed, with a border.
fn enlarged(call: &Call, image: &[Dim], d: usize, size: Dim, wanted: i64) -> Vec<Result<Dims>> {
    if !call.args.flag("pad_if_needed") {
        return vec![Ok(image.to_vec())];
    }
    let mut images = Vec::new();
    if let Some(enough) = size.keep_at_least(wanted) {
        let is_known = image[d].unify(enough).is_some();
        images.push(Ok(if is_known { replaced(image, d, enough) } else { image.to_vec() }));
    }
    if let Some(size) = size.keep_at_most(wanted - 1) {
        images.push(with_border(call, &replaced(image, d, size), d, wanted));
    }
    images
}

/// (*, L, *) -> (*, L + 2 (wanted - L), *)
fn with_border(call: &Call, image: &[Dim], d: usize, wanted: i64) -> Result<Dims> {
    let (h, w) = (image.len() - 2, image.len() - 1);
    let mode = call.args.get_text("padding_mode").unwrap_or("constant");
    let failure = || too_small(mode, &format!("pad to {wanted}"), image[h], image[w]);
    has_border(call, image, mode).or_else(|error| if mode == "symmetric" { Ok(()) } else { Err(error) })?;
    let shortest = match mode {
        "reflect" => wanted / 2 + 1,
        "symmetric" => wanted - wanted / 2,
        "edge" => 1,
        _ => 0,
    };
    if mode == "symmetric" && d == w {
        let lacking = image[w].keep_at_most(1).and_then(Dim::value).map(|width| wanted - width).ok_or_else(failure)?;
        return symmetric(image, lacking, lacking, Some(image[h]));
    }
    let longer = image[d].keep_at_least(shortest).map(|length| 2 * wanted - length);
    if mode == "symmetric" {
        return symmetric(image, 0, 0, longer);
    }
    let other = if d == h { w } else { h };
    let other_fits = mode == "constant" || !image[other].is_at_least(1).is_no();
    longer.filter(|_| other_fits).map(|longer| replaced(image, d, longer)).ok_or_else(failure)
}

/// What a part of `height` and `width` at a random place comes to.
fn parts_at_random(image: &[Dim], height: i64, width: i64) -> Vec<Result<Dims>> {
    let (h, w) = (image.len() - 2, image.len() - 1);
    let sized = |height: i64, width: i64| replaced(&replaced(image, h, Dim::known(height)), w, Dim::known(width));
    let mut parts = Vec::new();
    if !image[h].equals(height).is_no() && !image[w].equals(width).is_no() {
        parts.push(Ok(sized((height - 1).max(0), (width - 1).max(0))));
    }
    if !image[h].is_at_least(height + 1).is_no() && !image[w].is_at_least(width + 1).is_no() {
        parts.push(Ok(sized(height, width)));
    }
    if parts.is_empty() {
        let problem = format!(
            "cannot cut height {height} and width {width} at random out of images of height {} and width {}.",
            image[h], image[w]
        );
        let hint = "Images must be both higher and wider than the part, or of exactly its size.";
        let sizes = [image[h], image[w], Dim::known(height), Dim::known(width)];
        parts.push(Err(Error::new(Kind::Size, problem).argument("size").sizes(sizes).inputs([1]).hint(hint)));
    }
    parts
}

/// (N, *, H, W) -> (N, *, size...); of one number, chance decides where it goes. Images have 2 rows and 2 columns at
/// least: of less, R torchvision cuts out nothing.
pub(super) fn random_resized_crop_rule(call: &Call) -> Result<Outputs> {
    let image = image(call)?;
    let (h, w) = (image.len() - 2, image.len() - 1);
    let mut part = image.to_vec();
    for d in [h, w] {
        let length = image[d].keep_at_least(2).ok_or_else(|| {
            let problem = format!("cannot cut a part out: dimension {} of its input is {}.", d + 2, image[d]);
            call.size_error(0, d + 1, problem).hint("A size of at least 2 would fit.")
        })?;
        part[d] = Dim::ONE.or(length);
    }
    Ok(batched(call, resized(call, &part)?))
}

/// (N, C, H, W) -> the same; with expand, (N, C, |sin| W + |cos| H, |cos| W + |sin| H) of the angle, rounded up
pub(super) fn rotate_rule(call: &Call) -> Result<Outputs> {
    let image = sampled(call)?;
    if call.args.get_numbers("center").is_some_and(|center| center.len() != 2) {
        let problem = "needs 2 numbers for argument 'center'.";
        return Err(Error::new(Kind::Argument, problem).argument("center"));
    }
    if !call.args.flag("expand") {
        return Ok(batched(call, image));
    }
    let angle = call.args.get_number("angle").unwrap_or(0.0).to_radians();
    let (h, w) = (image.len() - 2, image.len() - 1);
    let height = extent(image[w], angle.sin(), image[h], angle.cos());
    let width = extent(image[w], angle.cos(), image[h], angle.sin());
    Ok(batched(call, replaced(&replaced(&image, h, height), w, width)))
}

/// ceil(|a x| + |b y| - 0.0001), in single precision as R torchvision does.
fn extent(x: Dim, a: f64, y: Dim, b: f64) -> Dim {
    let rounded = |x: f32, y: f32| (x + y - 1e-4).ceil() as i64;
    let (a, b) = (a.abs() as f32, b.abs() as f32);
    // what is left of the sine of 180 degrees is no reason to ask for the other side
    let is_none = |factor: f32| factor < 1e-10;
    match (is_none(a), is_none(b)) {
        (true, _) => y.map_increasing(|y| rounded(0.0, b * y as f32)),
        (_, true) => x.map_increasing(|x| rounded(a * x as f32, 0.0)),
        _ => x.map_monotone(y, |x, y| rounded(a * x as f32, b * y as f32)),
    }
}

/// (N, C, H, W) -> the same
pub(super) fn random_affine_rule(call: &Call) -> Result<Outputs> {
    let wrong = |name: &str, wanted: &str| {
        let problem = format!("needs {wanted} for argument '{name}'.");
        Err(Error::new(Kind::Argument, problem).argument(name))
    };
    match *call.args.get_numbers("degrees").unwrap_or(&[]) {
        [most] if most >= 0.0 => {}
        [low, high] if low <= high => {}
        _ => return wrong("degrees", "one number of at least 0, or two in order"),
    }
    match call.args.get_numbers("translate") {
        None => {}
        Some([x, y]) if (0.0..=1.0).contains(x) && (0.0..=1.0).contains(y) => {}
        Some(_) => return wrong("translate", "2 numbers from 0 to 1"),
    }
    match call.args.get_numbers("scale") {
        None => {}
        Some([low, high]) if *low >= 0.0 && low <= high && *high > 0.0 => {}
        Some(_) => return wrong("scale", "2 positive numbers in order"),
    }
    let image = sampled(call)?;
    Ok(batched(call, image))
}

/// An image that is read at the places of one grid: it has channels and pixels, and at most one more dimension, of size
/// 1.
fn sampled(call: &Call) -> Result<Dims> {
    let resample = call.args.whole("resample");
    if resample != 0 && resample != 2 {
        let problem = format!("needs 0 or 2 for argument 'resample', not {resample}.");
        let hint = "They stand for the nearest pixel and bilinear.";
        return Err(Error::new(Kind::Argument, problem).argument("resample").hint(hint));
    }
    let mut image = image_with_channels(call)?.to_vec();
    if image.len() > 4 {
        let problem = format!("turns inputs of 4 or 5 dimensions, not {}.", image.len() + 1);
        return Err(Error::new(Kind::Rank, problem).inputs([1]));
    }
    if image.len() == 4 {
        image[0] = image[0].unify(1).ok_or_else(|| {
            let problem = format!("turns images one by one, but dimension 2 of its input is {}.", image[0]);
            call.size_error(0, 1, problem).hint("A size of 1 would fit.")
        })?;
    }
    if let Some(d) = (image.len() - 2..image.len()).find(|&d| image[d].is_at_least(1).is_no()) {
        let problem = format!("cannot turn images without pixels: dimension {} of its input is 0.", d + 2);
        return Err(call.size_error(0, d + 1, problem));
    }
    Ok(image)
}
