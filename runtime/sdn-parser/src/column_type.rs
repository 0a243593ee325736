//! Column types of typed tables: their names, and which cells fit them.
//!
//! A cell is converted from its text, not from the kind the text would have elsewhere: `2.0` in a `text` column stays
//! `2.0`, and `3` in an `f64` column is a float.

use crate::error::{Error, ErrorKind};
use crate::node::NodeValue;
use crate::scalar::{NumberShape, classify, excerpt, number_shape, read_float};
use crate::value::Value;

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ColumnType {
    Bool,
    Text,
    /// Integers from the first to the second number.
    Int(i64, i64),
    /// Floats up to this size.
    Float(f64),
}

/// The largest finite 16-bit float.
const F16_MAX: f64 = 65504.0;
/// The largest finite bfloat16: eight significant bits, the exponent range of `f32`.
const BF16_MAX: f64 = 3.389_531_389_251_535_5e38;

const TYPES: [(&str, ColumnType); 14] = [
    ("i64", ColumnType::Int(i64::MIN, i64::MAX)),
    ("f64", ColumnType::Float(f64::MAX)),
    ("bool", ColumnType::Bool),
    ("text", ColumnType::Text),
    ("i8", ColumnType::Int(i8::MIN as i64, i8::MAX as i64)),
    ("i16", ColumnType::Int(i16::MIN as i64, i16::MAX as i64)),
    ("i32", ColumnType::Int(i32::MIN as i64, i32::MAX as i64)),
    ("u8", ColumnType::Int(0, u8::MAX as i64)),
    ("u16", ColumnType::Int(0, u16::MAX as i64)),
    ("u32", ColumnType::Int(0, u32::MAX as i64)),
    // Integers of the notation are `i64`, so the upper half of `u64` cannot be written.
    ("u64", ColumnType::Int(0, i64::MAX)),
    ("f16", ColumnType::Float(F16_MAX)),
    ("bf16", ColumnType::Float(BF16_MAX)),
    ("f32", ColumnType::Float(f32::MAX as f64)),
];

/// Whether a float is within a column's range; what is not finite is in every one.
fn fits(number: f64, most: f64) -> bool {
    !number.is_finite() || number.abs() <= most
}

impl ColumnType {
    /// The type with this name.
    pub fn named(name: &str) -> Option<ColumnType> {
        TYPES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, column_type)| *column_type)
    }

    /// The names of all types, for error messages.
    pub fn names() -> String {
        TYPES
            .iter()
            .map(|(name, _)| *name)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Converts the text of an unquoted cell; `name` is the type's name.
    pub fn convert(self, text: &str, name: &str) -> Result<NodeValue, Error> {
        let wrong = |reason: String| Err(Error::new(ErrorKind::InvalidTableRow, reason));
        match self {
            ColumnType::Text => Ok(NodeValue::String(text.to_owned())),
            _ if text.is_empty() => wrong(format!("the cell is empty, its column holds {name}")),
            ColumnType::Bool => match text {
                "true" => Ok(NodeValue::Bool(true)),
                "false" => Ok(NodeValue::Bool(false)),
                _ => wrong(format!(
                    "the cell {} is not a {name}: expected `true` or `false`",
                    excerpt(text)
                )),
            },
            ColumnType::Int(least, most) => match classify(text)? {
                NodeValue::Int(number) if (least..=most).contains(&number) => {
                    Ok(NodeValue::Int(number))
                }
                NodeValue::Int(_) => wrong(format!(
                    "the cell {} does not fit {name}: expected {least} to {most}",
                    excerpt(text)
                )),
                _ => wrong(format!(
                    "the cell {} is not an integer, its column holds {name}",
                    excerpt(text)
                )),
            },
            ColumnType::Float(most) => match number_shape(text) {
                Some(NumberShape::Int | NumberShape::Float) => {
                    let number = read_float(text)?;
                    if fits(number, most) {
                        Ok(NodeValue::Float(number))
                    } else {
                        wrong(format!(
                            "the cell {} is too large for {name}",
                            excerpt(text)
                        ))
                    }
                }
                None => wrong(format!(
                    "the cell {} is not a number, its column holds {name}",
                    excerpt(text)
                )),
            },
        }
    }

    /// Whether a value is what a cell of this type gives, so that writing and parsing it changes nothing.
    pub fn holds(self, value: &Value) -> bool {
        match (self, value) {
            (ColumnType::Bool, Value::Bool(_)) | (ColumnType::Text, Value::String(_)) => true,
            (ColumnType::Int(least, most), Value::Int(number)) => (least..=most).contains(number),
            (ColumnType::Float(most), Value::Float(number)) => fits(*number, most),
            _ => false,
        }
    }
}
