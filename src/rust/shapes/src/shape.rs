//! Shapes: the sizes of a tensor's dimensions.

use crate::dim::Dim;
use std::fmt;

/// The most dimensions a shape may have, so that no input can take the machine's memory.
pub const MAX_DIMS: usize = 65_536;

/// The sizes of one tensor, outermost first.
pub type Dims = Vec<Dim>;

/// A shape, or nothing known at all, not even the number of dimensions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    Unknown,
    Known(Dims),
}

impl Shape {
    pub fn dims(&self) -> Option<&[Dim]> {
        match self {
            Shape::Unknown => None,
            Shape::Known(dims) => Some(dims),
        }
    }

    /// A shape that is one or the other: sizes that differ become unknown, numbers of dimensions that differ leave nothing.
    pub fn or(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Known(a), Shape::Known(b)) if a.len() == b.len() => {
                Shape::Known(a.into_iter().zip(b).map(|(x, y)| x.or(y)).collect())
            }
            _ => Shape::Unknown,
        }
    }

    /// The number of elements, if every size is known and a double holds it.
    pub fn elements(&self) -> Option<i64> {
        Dim::product(self.dims()?)?.value()
    }
}

impl From<Dims> for Shape {
    fn from(dims: Dims) -> Shape {
        Shape::Known(dims)
    }
}

impl From<&[Dim]> for Shape {
    fn from(dims: &[Dim]) -> Shape {
        Shape::Known(dims.to_vec())
    }
}

/// How many dimensions or elements a text shows before it is cut short.
const SHOWN: usize = 64;

/// `(NA,3,8)`, in full.
pub fn dims_to_string(dims: &[Dim]) -> String {
    let mut text = String::with_capacity(2 + 4 * dims.len());
    write_dims(&mut text, dims);
    text
}

fn write_dims(text: &mut String, dims: &[Dim]) {
    use fmt::Write;
    text.push('(');
    for (i, dim) in dims.iter().enumerate() {
        if i > 0 {
            text.push(',');
        }
        // writing to a String cannot fail
        let _ = write!(text, "{dim}");
    }
    text.push(')');
}

/// `[(NA,3);(NA,5)]`, or `[a: (NA,3); b: <unknown>]` where every shape has a name.
pub fn shapes_to_string(shapes: &[Shape], names: Option<&[String]>) -> String {
    let mut text = String::from("[");
    for (i, shape) in shapes.iter().enumerate() {
        if i > 0 {
            text.push_str(if names.is_some() { "; " } else { ";" });
        }
        if let Some(name) = names.and_then(|names| names.get(i)) {
            text.push_str(name);
            text.push_str(": ");
        }
        match shape {
            Shape::Unknown => text.push_str("<unknown>"),
            Shape::Known(dims) => write_dims(&mut text, dims),
        }
    }
    text.push(']');
    text
}

/// A shape for a message: very long ones are cut short.
pub struct Shown<'a>(pub &'a [Dim]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.len() <= SHOWN {
            return f.write_str(&dims_to_string(self.0));
        }
        let head = dims_to_string(&self.0[..SHOWN]);
        write!(f, "{},... {} dimensions)", &head[..head.len() - 1], self.0.len())
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Unknown => f.write_str("(<unknown>)"),
            Shape::Known(dims) => Shown(dims).fmt(f),
        }
    }
}

/// Shapes for a message: long lists are cut short.
pub fn shown_list(shapes: &[Shape]) -> String {
    let listed: Vec<String> = shapes
        .iter()
        .take(SHOWN)
        .map(|shape| match shape {
            Shape::Unknown => "<unknown>".to_string(),
            Shape::Known(dims) => Shown(dims).to_string(),
        })
        .collect();
    let more = if shapes.len() > SHOWN { format!(";... {} shapes", shapes.len()) } else { String::new() };
    format!("[{}{more}]", listed.join(";"))
}

/// The shapes one under the other, aligned at the last dimension, with a mark under `dim` (1-based, of the longest shape).
/// Empty where the table would be too wide or too long to help.
pub fn line_up(rows: &[(String, &[Dim])], dim: Option<usize>) -> Vec<String> {
    let columns = rows.iter().map(|(_, dims)| dims.len()).max().unwrap_or(0);
    if columns == 0 || columns > 12 || rows.len() > 12 {
        return Vec::new();
    }
    let label = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|(_, dims)| {
            let missing = (dims.len()..columns).map(|_| String::new());
            missing.chain(dims.iter().map(Dim::to_string)).collect()
        })
        .collect();
    let widths: Vec<usize> = (0..columns).map(|c| cells.iter().map(|row| row[c].len()).max().unwrap_or(0)).collect();
    let line = |name: &str, row: &[String]| {
        let sizes: String = row.iter().zip(&widths).map(|(cell, &width)| format!("  {cell:>width$}")).collect();
        format!("  {name:<label$} {sizes}").trim_end().to_string()
    };
    let mut lines: Vec<String> = rows.iter().zip(&cells).map(|((name, _), row)| line(name, row)).collect();
    if let Some(dim) = dim.filter(|&d| (1..=columns).contains(&d)) {
        let mut marks = vec![String::new(); columns];
        marks[dim - 1] = "^".to_string();
        lines.push(line("", &marks));
    }
    lines
}
