//! Values with positions: what a reader needs to say `dl.config.sdn:3:13: unknown device 'cuda:one'`.
//!
//! The tree mirrors `value`; a parse makes this one first and the plain one from it without copying any text.

use std::path::Path;

use crate::dict::Dict;
use crate::error::{Error, ErrorKind};
use crate::value::{Table, Value};

/// A value and where it starts. Line and column count from 1, columns in characters; both are 0 in a node that was
/// made from a plain [`Value`].
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The line on which the value starts.
    pub line: u32,
    /// The column at which the value starts. A block starts at its first key or item, a value that is not there
    /// (`key:`) where its key starts.
    pub column: u32,
    /// The value.
    pub value: NodeValue,
}

/// The value of a [`Node`]: as [`Value`], with nodes inside.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeValue {
    /// As [`Value::Null`].
    Null,
    /// As [`Value::Bool`].
    Bool(bool),
    /// As [`Value::Int`].
    Int(i64),
    /// As [`Value::Float`].
    Float(f64),
    /// As [`Value::String`].
    String(String),
    /// As [`Value::Array`].
    Array(Vec<Node>),
    /// As [`Value::Dict`].
    Dict(Dict<Entry>),
    /// As [`Value::Table`].
    Table(Box<TableNode>),
}

/// What a dictionary has under one key, with the place of the key.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The line of the key.
    pub line: u32,
    /// The column of the key.
    pub column: u32,
    /// The value.
    pub node: Node,
}

/// As [`Table`]; each row is a node that holds an array of cells.
#[derive(Debug, Clone, PartialEq)]
pub struct TableNode {
    /// The column names of a named table.
    pub fields: Option<Vec<String>>,
    /// The column types of a typed table.
    pub types: Option<Vec<String>>,
    /// The rows, each a [`NodeValue::Array`].
    pub rows: Vec<Node>,
}

impl Node {
    /// The entry of a key, if this is a dictionary that has it.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.as_dict()?.get(key)
    }

    /// The value of a key, if this is a dictionary that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// Follows a path as [`Value::get_path`] does; a path may also end at a table row.
    pub fn get_path(&self, path: &str) -> Option<&Node> {
        let mut node = self;
        let mut row_fields: Option<&[String]> = None;
        for step in path.split('.') {
            let fields = row_fields.take();
            node = match &node.value {
                NodeValue::Dict(dict) => &dict.get(step)?.node,
                NodeValue::Array(items) => {
                    let named =
                        fields.and_then(|fields| fields.iter().position(|field| field == step));
                    items.get(named.or_else(|| step.parse().ok())?)?
                }
                NodeValue::Table(table) => {
                    row_fields = table.fields.as_deref();
                    table.rows.get(step.parse::<usize>().ok()?)?
                }
                _ => return None,
            };
        }
        Some(node)
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        matches!(self.value, NodeValue::Null)
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            NodeValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// The number of an integer.
    pub fn as_i64(&self) -> Option<i64> {
        match self.value {
            NodeValue::Int(number) => Some(number),
            _ => None,
        }
    }

    /// The number of a float or an integer.
    pub fn as_f64(&self) -> Option<f64> {
        match self.value {
            NodeValue::Float(number) => Some(number),
            NodeValue::Int(number) => Some(number as f64),
            _ => None,
        }
    }

    /// The truth value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            NodeValue::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// The items of an array.
    pub fn as_array(&self) -> Option<&[Node]> {
        match &self.value {
            NodeValue::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The entries of a dictionary.
    pub fn as_dict(&self) -> Option<&Dict<Entry>> {
        match &self.value {
            NodeValue::Dict(dict) => Some(dict),
            _ => None,
        }
    }

    /// The table.
    pub fn as_table(&self) -> Option<&TableNode> {
        match &self.value {
            NodeValue::Table(table) => Some(table),
            _ => None,
        }
    }

    /// What kind of value this is, in the words of error messages.
    pub fn kind_name(&self) -> &'static str {
        match &self.value {
            NodeValue::Null => "null",
            NodeValue::Bool(_) => "boolean",
            NodeValue::Int(_) => "integer",
            NodeValue::Float(_) => "float",
            NodeValue::String(_) => "string",
            NodeValue::Array(_) => "array",
            NodeValue::Dict(_) => "dict",
            NodeValue::Table(_) => "table",
        }
    }

    /// A copy without positions.
    pub fn to_value(&self) -> Value {
        self.clone().into_value()
    }

    /// Drops the positions.
    pub fn into_value(self) -> Value {
        match self.value {
            NodeValue::Null => Value::Null,
            NodeValue::Bool(truth) => Value::Bool(truth),
            NodeValue::Int(number) => Value::Int(number),
            NodeValue::Float(number) => Value::Float(number),
            NodeValue::String(text) => Value::String(text),
            NodeValue::Array(items) => Value::Array(into_values(items)),
            NodeValue::Dict(dict) => Value::Dict(
                dict.into_iter()
                    .map(|(key, entry)| (key, entry.node.into_value()))
                    .collect(),
            ),
            NodeValue::Table(table) => {
                let TableNode {
                    fields,
                    types,
                    rows,
                } = *table;
                let rows = rows
                    .into_iter()
                    .map(|row| match row.value {
                        NodeValue::Array(cells) => into_values(cells),
                        _ => vec![row.into_value()],
                    })
                    .collect();
                Value::from(Table {
                    fields,
                    types,
                    rows,
                })
            }
        }
    }
}

fn into_values(nodes: Vec<Node>) -> Vec<Value> {
    nodes.into_iter().map(Node::into_value).collect()
}

impl From<Value> for Node {
    fn from(value: Value) -> Self {
        let value = match value {
            Value::Null => NodeValue::Null,
            Value::Bool(truth) => NodeValue::Bool(truth),
            Value::Int(number) => NodeValue::Int(number),
            Value::Float(number) => NodeValue::Float(number),
            Value::String(text) => NodeValue::String(text),
            Value::Array(items) => NodeValue::Array(items.into_iter().map(Node::from).collect()),
            Value::Dict(dict) => NodeValue::Dict(
                dict.into_iter()
                    .map(|(key, value)| {
                        (
                            key,
                            Entry {
                                line: 0,
                                column: 0,
                                node: Node::from(value),
                            },
                        )
                    })
                    .collect(),
            ),
            Value::Table(table) => {
                let Table {
                    fields,
                    types,
                    rows,
                } = *table;
                let rows = rows
                    .into_iter()
                    .map(|cells| Node::from(Value::Array(cells)))
                    .collect();
                NodeValue::Table(Box::new(TableNode {
                    fields,
                    types,
                    rows,
                }))
            }
        };
        Node {
            line: 0,
            column: 0,
            value,
        }
    }
}

/// A parsed document that remembers where everything is and which file it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The root, always a dictionary.
    pub root: Node,
    /// The file, for error messages.
    pub file: Option<String>,
}

impl Document {
    /// Parses text that has no file.
    ///
    /// # Errors
    ///
    /// As [`crate::parse`].
    pub fn parse(source: &str) -> Result<Self, Error> {
        Ok(Document {
            root: crate::parse_spanned(source)?,
            file: None,
        })
    }

    /// Parses the text of a file that was read elsewhere; errors begin with its name.
    ///
    /// # Errors
    ///
    /// As [`crate::parse`].
    pub fn parse_named(source: &str, file: impl Into<String>) -> Result<Self, Error> {
        let file = file.into();
        match crate::parse_spanned(source) {
            Ok(root) => Ok(Document {
                root,
                file: Some(file),
            }),
            Err(error) => Err(error.with_file(file)),
        }
    }

    /// Reads and parses a file.
    ///
    /// # Errors
    ///
    /// As [`crate::parse_file`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let file = path.as_ref().display().to_string();
        let bytes = std::fs::read(path.as_ref()).map_err(|problem| {
            Error::new(ErrorKind::Io, format!("the file cannot be read: {problem}"))
                .with_file(file.clone())
        })?;
        let source = crate::utf8(&bytes).map_err(|error| error.with_file(file.clone()))?;
        Document::parse_named(source, file)
    }

    /// Follows a path from the root: see [`Node::get_path`].
    pub fn get_path(&self, path: &str) -> Option<&Node> {
        self.root.get_path(path)
    }

    /// The entry at a path, which also knows where its key is. The last step must be a key of a dictionary.
    pub fn entry(&self, path: &str) -> Option<&Entry> {
        match path.rsplit_once('.') {
            Some((parent, key)) => self.get_path(parent)?.entry(key),
            None => self.root.entry(path),
        }
    }

    /// An error about a value of this document, with file, line and column:
    /// `sdn error: dl.config.sdn:3:13: unknown device 'cuda:one'`.
    pub fn error_at(&self, node: &Node, message: impl Into<String>) -> Error {
        self.error(message).at(node.line, node.column)
    }

    /// An error about a key of this document; see [`Document::error_at`].
    pub fn error_at_key(&self, entry: &Entry, message: impl Into<String>) -> Error {
        self.error(message).at(entry.line, entry.column)
    }

    fn error(&self, message: impl Into<String>) -> Error {
        Error {
            file: self.file.clone(),
            ..Error::new(ErrorKind::Data, message)
        }
    }

    /// Reads the document into a type; errors name the file, line and column.
    ///
    /// # Errors
    ///
    /// An [`ErrorKind::Data`] error where the document is not what the type asks for.
    pub fn deserialize<'de, T: serde::Deserialize<'de>>(&'de self) -> Result<T, Error> {
        crate::from_node(&self.root).map_err(|error| Error {
            file: self.file.clone(),
            ..error
        })
    }

    /// Drops positions and file.
    pub fn into_value(self) -> Value {
        self.root.into_value()
    }
}
