//! The plain data model: values without positions, and the questions one can ask them.
//!
//! Values with positions are in `node`; how text becomes them is in `parse`.

use std::borrow::Cow;

use crate::dict::Dict;

/// A value of the notation.
///
/// A named table with rows equals the array of its row dictionaries, because that is how a table reads and how such
/// an array is written. Order counts in dictionaries, and NaN differs from itself.
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// `null`, `nil` or a key with nothing after it.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number with a point or an exponent.
    Float(f64),
    /// Bare or quoted text.
    String(String),
    /// Values in order; kinds may be mixed.
    Array(Vec<Value>),
    /// Keys and values in order.
    Dict(Dict),
    /// Rows of equal width.
    Table(Box<Table>),
}

/// Rows of equal width, with column names (named table) or column types (typed table).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// The column names of a named table.
    pub fields: Option<Vec<String>>,
    /// The column types of a typed table.
    pub types: Option<Vec<String>>,
    /// The rows, each as wide as the names or types.
    pub rows: Vec<Vec<Value>>,
}

impl Table {
    /// One row of a named table as a dictionary; nothing if there is no such row or the columns have no names.
    pub fn row_dict(&self, row: usize) -> Option<Dict> {
        let fields = self.fields.as_ref()?;
        let cells = self.rows.get(row)?;
        Some(fields.iter().cloned().zip(cells.iter().cloned()).collect())
    }

    /// One cell by row number and column name, or by column number in digits.
    pub fn cell(&self, row: usize, column: &str) -> Option<&Value> {
        let named = self
            .fields
            .as_ref()
            .and_then(|fields| fields.iter().position(|field| field == column));
        let column = named.or_else(|| column.parse().ok())?;
        self.rows.get(row)?.get(column)
    }

    /// The rows as values: dictionaries for a named table, arrays for a typed one.
    pub fn to_values(&self) -> Vec<Value> {
        if self.fields.is_some() {
            (0..self.rows.len())
                .filter_map(|row| self.row_dict(row))
                .map(Value::Dict)
                .collect()
        } else {
            self.rows.iter().cloned().map(Value::Array).collect()
        }
    }

    fn equals_array(&self, items: &[Value]) -> bool {
        let Some(fields) = &self.fields else {
            return false;
        };
        // An empty array has no column names, so no empty table equals it.
        !items.is_empty()
            && items.len() == self.rows.len()
            && items
                .iter()
                .zip(&self.rows)
                .all(|(item, cells)| match item {
                    Value::Dict(dict) => {
                        dict.len() == fields.len()
                            && cells.len() == fields.len()
                            && dict.iter().eq(fields.iter().map(String::as_str).zip(cells))
                    }
                    _ => false,
                })
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::Int(left), Value::Int(right)) => left == right,
            (Value::Float(left), Value::Float(right)) => left == right,
            (Value::String(left), Value::String(right)) => left == right,
            (Value::Array(left), Value::Array(right)) => left == right,
            (Value::Dict(left), Value::Dict(right)) => left == right,
            (Value::Table(left), Value::Table(right)) => left == right,
            (Value::Table(table), Value::Array(items))
            | (Value::Array(items), Value::Table(table)) => table.equals_array(items),
            _ => false,
        }
    }
}

/// How far a path has been followed: rows of a table are not separate values, so they need a case.
enum Reached<'a> {
    Value(&'a Value),
    Row(&'a Table, usize),
}

impl Value {
    /// What kind of value this is, in the words of error messages.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Int(_) => "integer",
            Value::Float(_) => "float",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Dict(_) => "dict",
            Value::Table(_) => "table",
        }
    }

    /// The value of a key, if this is a dictionary that has it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_dict()?.get(key)
    }

    /// Follows a path of keys and, for arrays and tables, numbers from 0: `server.ports.0`, `users.1.name`.
    ///
    /// A whole table row is not stored as a value; [`Value::resolve`] makes one. Keys that contain a point cannot be
    /// named in a path: use [`Value::get`].
    pub fn get_path(&self, path: &str) -> Option<&Value> {
        match self.follow(path)? {
            Reached::Value(value) => Some(value),
            Reached::Row(..) => None,
        }
    }

    /// As [`Value::get_path`], and a path that ends at a table row gives that row: a dictionary if the table is
    /// named, else an array.
    pub fn resolve(&self, path: &str) -> Option<Cow<'_, Value>> {
        match self.follow(path)? {
            Reached::Value(value) => Some(Cow::Borrowed(value)),
            Reached::Row(table, row) => Some(Cow::Owned(match table.row_dict(row) {
                Some(dict) => Value::Dict(dict),
                None => Value::Array(table.rows.get(row)?.clone()),
            })),
        }
    }

    fn follow(&self, path: &str) -> Option<Reached<'_>> {
        let mut reached = Reached::Value(self);
        for step in path.split('.') {
            reached = match reached {
                Reached::Value(Value::Dict(dict)) => Reached::Value(dict.get(step)?),
                Reached::Value(Value::Array(items)) => {
                    Reached::Value(items.get(step.parse::<usize>().ok()?)?)
                }
                Reached::Value(Value::Table(table)) => {
                    let row = step.parse().ok()?;
                    table.rows.get(row)?;
                    Reached::Row(table, row)
                }
                Reached::Row(table, row) => Reached::Value(table.cell(row, step)?),
                Reached::Value(_) => return None,
            };
        }
        Some(reached)
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Whether this is a table.
    pub fn is_table(&self) -> bool {
        matches!(self, Value::Table(_))
    }

    /// Whether this holds no other values.
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Value::Array(_) | Value::Dict(_) | Value::Table(_))
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The number of an integer. Floats are not rounded.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The number of a float or an integer.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Float(number) => Some(*number),
            Value::Int(number) => Some(*number as f64),
            _ => None,
        }
    }

    /// The truth value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The items of an array, or one dictionary per row of a named table.
    pub fn as_array(&self) -> Option<Cow<'_, [Value]>> {
        match self {
            Value::Array(items) => Some(Cow::Borrowed(items)),
            Value::Table(table) if table.fields.is_some() => Some(Cow::Owned(table.to_values())),
            _ => None,
        }
    }

    /// The dictionary.
    pub fn as_dict(&self) -> Option<&Dict> {
        match self {
            Value::Dict(dict) => Some(dict),
            _ => None,
        }
    }

    /// The table.
    pub fn as_table(&self) -> Option<&Table> {
        match self {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// Writes the value as SDN. A dictionary gives a document: parsing it gives back an equal value. Any other value
    /// gives its inline form.
    ///
    /// Infinities and NaN are `.inf`, `-.inf` and `.nan`. A table in a place where only inline values are allowed, which no
    /// text represents, is written as an array.
    pub fn to_sdn(&self) -> String {
        crate::write::to_sdn(self)
    }

    /// Writes the value as JSON on one line, keys in order. A named table becomes an array of objects, a typed one an
    /// array of arrays; infinities and NaN become `null`.
    pub fn to_json(&self) -> String {
        crate::json::to_json(self)
    }
}

macro_rules! value_from {
    ($($source:ty => $name:ident: $value:expr;)*) => {$(
        impl From<$source> for Value {
            fn from($name: $source) -> Self {
                $value
            }
        }
    )*};
}

value_from! {
    bool => truth: Value::Bool(truth);
    i32 => number: Value::Int(number.into());
    i64 => number: Value::Int(number);
    f64 => number: Value::Float(number);
    &str => text: Value::String(text.to_owned());
    String => text: Value::String(text);
    Vec<Value> => items: Value::Array(items);
    Dict => dict: Value::Dict(dict);
    Table => table: Value::Table(Box::new(table));
}
