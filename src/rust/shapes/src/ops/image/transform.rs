//! The operators of mlr3torch that prepare and augment images: what R torchvision does to them, most row by row.
//! <https://mlr3torch.mlr-org.com/reference/mlr_pipeops_preproc_torch.html>

use crate::args::{Arg, Value};
use crate::broadcast::broadcast;
use crate::dim::Dim;
use crate::error::{Error, Kind, Result};
use crate::op::{replaced, Call, Op, Outputs, Rule};
use crate::ops::view::{filled_up, reflected, replicated};
use crate::shape::{Dims, Shape, Shown};

const STAGES: Arg = Arg::choice("stages", &["train", "predict", "both"]).optional();
const COLUMNS: Arg = Arg::any("affect_columns");
const PADDING_MODE: Arg = Arg::choice("padding_mode", &["constant", "edge", "reflect", "symmetric"]);
const INTERPOLATION: Arg = Arg::whole("interpolation").default(2);
const RESAMPLE: Arg = Arg::whole("resample").default(0);

const NO_ARGS: &[Arg] = &[STAGES, COLUMNS];
const RESHAPE: &[Arg] = &[Arg::wholes("shape").min(-1), STAGES, COLUMNS];
const GAMMA: &[Arg] = &[Arg::number("gamma"), Arg::number("gain").default_number(1.0), STAGES, COLUMNS];
const BRIGHTNESS: &[Arg] = &[Arg::number("brightness_factor"), STAGES, COLUMNS];
const SATURATION: &[Arg] = &[Arg::number("saturation_factor"), STAGES, COLUMNS];
const HUE: &[Arg] = &[Arg::number("hue_factor"), STAGES, COLUMNS];
const GRAYSCALE: &[Arg] = &[Arg::whole("num_output_channels").min(1), STAGES, COLUMNS];
const NORMALIZE: &[Arg] = &[Arg::any("mean"), Arg::any("std"), STAGES, COLUMNS];
const PAD: &[Arg] = &[Arg::wholes("padding"), Arg::any("fill"), PADDING_MODE, STAGES, COLUMNS];
const RESIZE: &[Arg] = &[Arg::wholes("size").min(0), INTERPOLATION, STAGES, COLUMNS];
const CROP: &[Arg] = &[
    Arg::whole("top").min(1),
    Arg::whole("left").min(1),
    Arg::whole("height").min(0),
    Arg::whole("width").min(0),
    STAGES,
    COLUMNS,
];
const RESIZED_CROP: &[Arg] = &[
    Arg::whole("top").min(1),
    Arg::whole("left").min(1),
    Arg::whole("height").min(0),
    Arg::whole("width").min(0),
    Arg::wholes("size").min(0),
    INTERPOLATION,
    STAGES,
    COLUMNS,
];
const CENTER_CROP: &[Arg] = &[Arg::wholes("size").min(1), STAGES, COLUMNS];
const RANDOM_CROP: &[Arg] = &[
    Arg::wholes("size").min(0),
    Arg::wholes("padding").optional(),
    Arg::flag("pad_if_needed", false),
    Arg::any("fill"),
    PADDING_MODE,
    STAGES,
    COLUMNS,
];
const RANDOM_RESIZED_CROP: &[Arg] = &[
    Arg::wholes("size").min(0),
    Arg::numbers("scale").optional(),
    Arg::numbers("ratio").optional(),
    INTERPOLATION,
    STAGES,
    COLUMNS,
];
const RANDOM_FLIP: &[Arg] = &[Arg::number("p").default_number(0.5), STAGES, COLUMNS];
const COLOR_JITTER: &[Arg] = &[
    Arg::number("brightness").default_number(0.0),
    Arg::number("contrast").default_number(0.0),
    Arg::number("saturation").default_number(0.0),
    Arg::number("hue").default_number(0.0),
    STAGES,
    COLUMNS,
];
const ROTATE: &[Arg] = &[
    Arg::number("angle"),
    RESAMPLE,
    Arg::flag("expand", false),
    Arg::numbers("center").optional(),
    Arg::any("fill"),
    STAGES,
    COLUMNS,
];
const RANDOM_AFFINE: &[Arg] = &[
    Arg::numbers("degrees"),
    Arg::numbers("translate").optional(),
    Arg::numbers("scale").optional(),
    RESAMPLE,
    Arg::any("fillcolor"),
    STAGES,
    COLUMNS,
];
const TRANSFORMS: &[Arg] = &[Arg::any("transforms"), STAGES, COLUMNS];

const fn transform(name: &'static str, summary: &'static str, rule: Rule, args: &'static [Arg]) -> Op {
    Op::new(name, "image", summary, rule).args(args)
}

/// The input as it is.
pub const fn trafo_nop(name: &'static str) -> Op {
    transform(name, "gives its input back", nop, NO_ARGS)
}

/// The same elements of the whole batch in another shape.
pub const fn trafo_reshape(name: &'static str) -> Op {
    let mut op = crate::ops::view::reshape(name).args(RESHAPE);
    op.family = "image";
    op
}

/// Mirrored images.
pub const fn flip(name: &'static str) -> Op {
    transform(name, "mirrors images", same_image, NO_ARGS)
}

/// Images mirrored by chance.
pub const fn random_flip(name: &'static str) -> Op {
    transform(name, "mirrors images at random", random_flip_rule, RANDOM_FLIP)
}

/// Gamma correction.
pub const fn adjust_gamma(name: &'static str) -> Op {
    transform(name, "corrects the gamma of images", adjust_gamma_rule, GAMMA)
}

/// Brighter or darker images.
pub const fn adjust_brightness(name: &'static str) -> Op {
    transform(name, "makes images brighter or darker", adjust_brightness_rule, BRIGHTNESS)
}

/// Images with more or less colour.
pub const fn adjust_saturation(name: &'static str) -> Op {
    transform(name, "gives images more or less colour", adjust_saturation_rule, SATURATION)
}

/// Images of other colours.
pub const fn adjust_hue(name: &'static str) -> Op {
    transform(name, "turns the colours of images; the first 3 channels are left", adjust_hue_rule, HUE)
}

/// Gray images of as many channels as wanted.
pub const fn grayscale(name: &'static str) -> Op {
    transform(name, "makes images gray, of 1 to 3 equal channels", grayscale_rule, GRAYSCALE)
}

/// Gray images without channels.
pub const fn rgb_to_grayscale(name: &'static str) -> Op {
    transform(name, "makes images gray, which have no channels then", rgb_to_grayscale_rule, NO_ARGS)
}

/// Channels less their mean, divided by their deviation.
pub const fn normalize(name: &'static str) -> Op {
    transform(name, "subtracts a mean of each channel and divides by a deviation", normalize_rule, NORMALIZE)
}

/// Images with a border.
pub const fn trafo_pad(name: &'static str) -> Op {
    transform(name, "gives images a border; negative numbers cut off", trafo_pad_rule, PAD)
}

/// Images of another size.
pub const fn resize(name: &'static str) -> Op {
    transform(name, "resizes images; one number is for the shorter side", resize_rule, RESIZE)
}

/// A part of each image.
pub const fn crop(name: &'static str) -> Op {
    transform(name, "cuts a part out of images, as far as they reach", crop_rule, CROP)
}

/// A part of each image, resized.
pub const fn resized_crop(name: &'static str) -> Op {
    transform(name, "cuts a part out of images and resizes it", resized_crop_rule, RESIZED_CROP)
}

/// The middle of each image.
pub const fn center_crop(name: &'static str) -> Op {
    transform(
        name,
        "cuts out the middle of images, with a border where they are too small",
        center_crop_rule,
        CENTER_CROP,
    )
}

/// A part of each image that chance places.
pub const fn random_crop(name: &'static str) -> Op {
    transform(name, "cuts a part out of images at random", random_crop_rule, RANDOM_CROP)
}

/// A part of each image of which chance decides place and size, resized.
pub const fn random_resized_crop(name: &'static str) -> Op {
    transform(name, "cuts a part out of images at random and resizes it", random_resized_crop_rule, RANDOM_RESIZED_CROP)
}

/// Images of colours that chance changes.
pub const fn color_jitter(name: &'static str) -> Op {
    transform(name, "changes the colours of images at random", color_jitter_rule, COLOR_JITTER)
}

/// Turned images.
pub const fn rotate(name: &'static str) -> Op {
    transform(name, "turns images; with expand they grow to hold all of it", rotate_rule, ROTATE)
}

/// Images turned, moved and scaled by chance.
pub const fn random_affine(name: &'static str) -> Op {
    transform(name, "turns, moves and scales images at random", random_affine_rule, RANDOM_AFFINE)
}

/// Functions applied in an order that chance decides, or one of them.
pub const fn random_functions(name: &'static str, summary: &'static str) -> Op {
    transform(name, summary, random_functions_rule, TRANSFORMS)
}

/// (*) -> the same
fn nop(call: &Call) -> Result<Outputs> {
    Ok(call.input(0).to_vec().into())
}

/// The image that each row of the input is. There must be a row: R torch binds the results together, and nothing cannot be.
fn image_of_rows<'a>(call: &Call<'a>, sizes: usize, names: &str) -> Result<&'a [Dim]> {
    let hint = format!("The first dimension is the batch; the last are {names}.");
    let input = call.input_of_at_least(0, sizes + 1).map_err(|error| error.hint(hint))?;
    if input[0].is_at_least(1).is_no() {
        return Err(call.size_error(0, 0, "works row by row, but there is none: dimension 1 of its input is 0."));
    }
    Ok(&input[1..])
}

fn image<'a>(call: &Call<'a>) -> Result<&'a [Dim]> {
    image_of_rows(call, 2, "the height and the width")
}

fn image_with_channels<'a>(call: &Call<'a>) -> Result<&'a [Dim]> {
    image_of_rows(call, 3, "the channels, the height and the width")
}

/// An image that has the colours red, green and blue, and maybe more.
fn colored(call: &Call) -> Result<Dims> {
    let image = image_with_channels(call)?;
    let channels = image.len() - 3;
    match image[channels].keep_at_least(3) {
        Some(size) => Ok(replaced(image, channels, size)),
        None => {
            let problem = format!(
                "needs at least 3 channels (red, green, blue), but dimension {} of its input is {}.",
                channels + 2,
                image[channels]
            );
            Err(call.size_error(0, channels + 1, problem))
        }
    }
}

/// The batch of what became of the images.
fn batched(call: &Call, image: impl Into<Shape>) -> Outputs {
    let batch = &call.input(0)[..1];
    Outputs::Shapes(vec![match image.into() {
        Shape::Known(image) => Shape::Known([batch, &image].concat()),
        Shape::Unknown => Shape::Unknown,
    }])
}

/// What is known of an image that may have become any of several: of those that went well.
fn any_of(outcomes: impl IntoIterator<Item = Result<Dims>>) -> Result<Shape> {
    let mut found: Option<Shape> = None;
    let mut failure = None;
    for outcome in outcomes {
        match outcome {
            Ok(image) => {
                let image = Shape::from(image);
                found = Some(found.map_or(image.clone(), |before| before.or(image)));
            }
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    match (found, failure) {
        (Some(image), _) => Ok(image),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(Shape::Unknown),
    }
}

fn in_range(call: &Call, name: &str, low: f64, high: f64) -> Result<f64> {
    let number = call.args.get_number(name).unwrap_or(low);
    if (low..=high).contains(&number) {
        return Ok(number);
    }
    let range = if high.is_infinite() { format!("of at least {low}") } else { format!("from {low} to {high}") };
    let problem = format!("needs a number {range} for argument '{name}', not {number}.");
    Err(Error::new(Kind::Argument, problem).argument(name))
}

/// One number twice, or two.
fn height_and_width(call: &Call, name: &str) -> Result<[i64; 2]> {
    call.args.spatial::<2>(name)
}

/// (N, *, H, W) -> the same
fn same_image(call: &Call) -> Result<Outputs> {
    let image = image(call)?;
    Ok(batched(call, image))
}

fn random_flip_rule(call: &Call) -> Result<Outputs> {
    in_range(call, "p", 0.0, 1.0)?;
    same_image(call)
}

fn adjust_gamma_rule(call: &Call) -> Result<Outputs> {
    in_range(call, "gamma", 0.0, f64::INFINITY)?;
    same_image(call)
}

fn adjust_brightness_rule(call: &Call) -> Result<Outputs> {
    in_range(call, "brightness_factor", 0.0, f64::INFINITY)?;
    same_image(call)
}

/// (N, *, C, H, W) -> the same, with C >= 3
fn adjust_saturation_rule(call: &Call) -> Result<Outputs> {
    in_range(call, "saturation_factor", 0.0, f64::INFINITY)?;
    Ok(batched(call, mixed_with_gray(&colored(call)?)?))
}

/// An image mixed with its gray version (*, H, W), aligned at the last dimension.
fn mixed_with_gray(image: &[Dim]) -> Result<Dims> {
    let gray = without_channels(image);
    broadcast(&[image, &gray]).map_err(|error| {
        let problem = format!(
            "mixes each image with its gray version, but {} and {} do not broadcast.",
            Shown(image),
            Shown(&gray)
        );
        Error::new(Kind::Broadcast, problem).sizes(error.sizes).inputs([1])
    })
}

fn without_channels(image: &[Dim]) -> Dims {
    let channels = image.len() - 3;
    [&image[..channels], &image[channels + 1..]].concat()
}

/// (N, C, H, W) -> (N, 3, H, W) with C >= 3; there may be one more dimension before the channels
fn adjust_hue_rule(call: &Call) -> Result<Outputs> {
    in_range(call, "hue_factor", -0.5, 0.5)?;
    Ok(batched(call, of_other_hue(&colored(call)?)?))
}

fn of_other_hue(image: &[Dim]) -> Result<Dims> {
    if image.len() > 4 {
        let problem = format!("turns colours in inputs of 4 or 5 dimensions, not {}.", image.len() + 1);
        return Err(Error::new(Kind::Rank, problem).inputs([1]));
    }
    Ok(replaced(image, image.len() - 3, Dim::known(3)))
}

/// (N, C, H, W) -> (N, num_output_channels, H, W) with C >= 3. R torchvision repeats the gray image along its last
/// dimension but two, which is the one before the channels where there is one more: (N, A, C, H, W) -> (N, 1, num_output_channels A,
/// H, W) of one more.
fn grayscale_rule(call: &Call) -> Result<Outputs> {
    let times = call.args.whole("num_output_channels");
    if times > 3 {
        let problem = format!("needs 1 to 3 for argument 'num_output_channels', not {times}.");
        return Err(Error::new(Kind::Argument, problem).argument("num_output_channels"));
    }
    let image = colored(call)?;
    let mut gray = without_channels(&image);
    match image.len() {
        3 => gray.insert(0, Dim::known(times)),
        4 => {
            gray[0] = gray[0] * times;
            gray.insert(0, Dim::ONE);
        }
        5 => gray[1] = gray[1] * times,
        rank => {
            let problem = format!("repeats gray images of up to 6 dimensions with their batch, not {}.", rank + 1);
            return Err(Error::new(Kind::Rank, problem).inputs([1]));
        }
    }
    Ok(batched(call, gray))
}

/// (N, *, C, H, W) -> (N, *, H, W) with C >= 3
fn rgb_to_grayscale_rule(call: &Call) -> Result<Outputs> {
    Ok(batched(call, without_channels(&colored(call)?)))
}

/// (N, *, C, H, W) -> the same, with one mean and deviation for all channels or for each
fn normalize_rule(call: &Call) -> Result<Outputs> {
    let image = image_with_channels(call)?;
    let channels = image.len() - 3;
    let mut size = image[channels];
    for name in ["mean", "std"] {
        let Some(count) = count_of_numbers(call, name)? else { continue };
        size = Dim::known(count).expand_to(size).ok_or_else(|| {
            let problem =
                format!("has {count} numbers in {name}, but dimension {} of its input is {size}.", channels + 2,);
            call.size_error(0, channels + 1, problem)
                .argument(name)
                .hint("One number, or one for each channel, would fit.")
        })?;
    }
    Ok(batched(call, replaced(image, channels, size)))
}

/// How many numbers a required argument holds; `None` where it is a tensor.
fn count_of_numbers(call: &Call, name: &str) -> Result<Option<i64>> {
    let wrong = |problem: String| Err(Error::new(Kind::Argument, problem).argument(name));
    match call.args.get_raw(name) {
        Some(Value::Numbers(numbers)) if numbers.is_empty() => {
            wrong(format!("needs at least one number for argument '{name}'."))
        }
        Some(Value::Numbers(numbers)) if name == "std" && numbers.contains(&Some(0.0)) => {
            wrong(format!("cannot divide by 0, which is in argument '{name}'."))
        }
        Some(Value::Numbers(numbers)) => Ok(Some(numbers.len() as i64)),
        Some(Value::Other(_)) => Ok(None),
        Some(value) => wrong(format!("needs numbers for argument '{name}', not {}.", value.shown())),
        None => wrong(format!("needs argument '{name}': numbers.")),
    }
}

/// (N, *, H, W) -> (N, *, H + top + bottom, W + left + right) with padding = left, right, top, bottom
fn trafo_pad_rule(call: &Call) -> Result<Outputs> {
    let image = image(call)?;
    Ok(batched(call, padded(call, image)?))
}

/// What is added at the left, the right, the top and the bottom: one number for all, or two for the width and the height.
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

/// R torchvision picks the columns of an image by a matrix of one column, and of what it gave the rows by another, at a place
/// where only 1 is left: (*, H, W) -> (*, rows, W + left + right, 1, W) with W <= 1, of images of 3 or 4 dimensions.
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

/// (N, *, H, W) -> (N, *, H_out, W_out) with size = H_out, W_out; one number is for the shorter side, the longer one follows:
/// floor(size * longer / shorter). The batch counts as what comes before the height and the width.
fn resize_rule(call: &Call) -> Result<Outputs> {
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
fn crop_rule(call: &Call) -> Result<Outputs> {
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
fn resized_crop_rule(call: &Call) -> Result<Outputs> {
    let image = image(call)?;
    Ok(batched(call, resized(call, &cropped(call, image))?))
}

/// (N, *, H, W) -> (N, *, size...)
fn center_crop_rule(call: &Call) -> Result<Outputs> {
    let image = image(call)?;
    let size = height_and_width(call, "size")?.map(Dim::known);
    Ok(batched(call, [&image[..image.len() - 2], &size].concat()))
}

/// (N, *, H, W) -> (N, *, size...), with H and W more than that: R torchvision cannot place a part that has the height or the
/// width of the image, and cuts 1 off the image where it has both. With pad_if_needed, an image that is too low or too narrow gets
/// as much as it lacks on both sides.
fn random_crop_rule(call: &Call) -> Result<Outputs> {
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

/// (N, *, H, W) -> (N, *, size...); of one number, chance decides where it goes. Images have 2 rows and 2 columns at least: of
/// less, R torchvision cuts out nothing.
fn random_resized_crop_rule(call: &Call) -> Result<Outputs> {
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

/// (N, *, C, H, W) -> the same; with hue (N, *, 3, H, W). Contrast, saturation and hue need C >= 3.
fn color_jitter_rule(call: &Call) -> Result<Outputs> {
    for name in ["brightness", "contrast", "saturation", "hue"] {
        in_range(call, name, 0.0, f64::INFINITY)?;
    }
    let changes = |name: &str| call.args.get_number(name).is_some_and(|number| number != 0.0);
    if !["brightness", "contrast", "saturation", "hue"].into_iter().any(changes) {
        return Ok(batched(call, image_of_rows(call, 0, "anything")?));
    }
    if !["contrast", "saturation", "hue"].into_iter().any(changes) {
        return same_image(call);
    }
    let image = colored(call)?;
    let saturated = |image: Dims| if changes("saturation") { mixed_with_gray(&image) } else { Ok(image) };
    let turned = |image: Dims| if changes("hue") { of_other_hue(&image) } else { Ok(image) };
    // chance decides the order
    let outcomes = [saturated(image.clone()).and_then(turned), turned(image).and_then(saturated)];
    Ok(batched(call, any_of(outcomes)?))
}

/// (N, C, H, W) -> the same; with expand, (N, C, |sin| W + |cos| H, |cos| W + |sin| H) of the angle, rounded up
fn rotate_rule(call: &Call) -> Result<Outputs> {
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
fn random_affine_rule(call: &Call) -> Result<Outputs> {
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

/// An image that is read at the places of one grid: it has channels and pixels, and at most one more dimension, of size 1.
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

/// (N, *) -> nothing is known, since functions are not looked into
fn random_functions_rule(call: &Call) -> Result<Outputs> {
    let is_empty = match call.args.get_raw("transforms") {
        None => true,
        Some(Value::List(functions)) => functions.is_empty(),
        Some(_) => false,
    };
    if is_empty {
        let problem = "needs argument 'transforms': a list of functions, at least one.";
        return Err(Error::new(Kind::Argument, problem).argument("transforms"));
    }
    image_of_rows(call, 0, "anything")?;
    Ok(Outputs::Shapes(vec![Shape::Unknown]))
}
