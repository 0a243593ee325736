//! Values to SDN text. The law: parsing what is written for a dictionary gives back an equal value.
//!
//! It holds for every value that a parse can give, and is tested over random ones. Layout follows the specification:
//! scalars as `key: v`, arrays of scalars as `key = [..]`, dicts as blocks, arrays of dicts with equal scalar keys as
//! named tables, other arrays as blocks of inline values. Comments and the layout of a source text are not kept.

use crate::column_type::ColumnType;
use crate::dict::Dict;
use crate::parse::MAX_CELLS;
use crate::scalar::{is_bare_string, is_name, not_finite, statement_mark};
use crate::value::{Table, Value};

/// How far a block is indented below its key.
const BLOCK_INDENT: usize = 4;
/// How far `- ` moves the first key of a dict item.
const DASH_INDENT: usize = 2;

/// Where a scalar is written, which decides what text needs quotes there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// After `key: `.
    Line,
    /// An item of an array block.
    Item,
    /// A cell of a row.
    Row,
    /// Between brackets.
    Inline,
}

pub(crate) fn to_sdn(value: &Value) -> String {
    let cells_left = MAX_CELLS.saturating_sub(count_cells(value));
    let mut writer = Writer {
        out: String::new(),
        cells_left,
    };
    match value {
        Value::Dict(dict) => writer.statements(dict, 0),
        other => writer.inline(other, Place::Inline),
    }
    writer.out
}

/// A key as it is written in a document: bare if it is a name, else quoted.
pub(crate) fn key(key: &str) -> String {
    let mut out = String::new();
    push_key(&mut out, key);
    out
}

struct Writer {
    out: String,
    /// How many cells may still be spent on writing arrays as tables, so that the text stays within the limit.
    cells_left: usize,
}

impl Writer {
    fn indent(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    fn statements(&mut self, dict: &Dict, indent: usize) {
        for (key, value) in dict.iter() {
            self.indent(indent);
            self.statement(key, value, indent);
        }
    }

    /// Writes one statement from its key, which is at column `indent`, to the end of its last line.
    fn statement(&mut self, key: &str, value: &Value, indent: usize) {
        push_key(&mut self.out, key);
        match value {
            Value::Dict(dict) if dict.is_empty() => self.out.push_str(" = {}\n"),
            Value::Dict(dict) => {
                self.out.push_str(":\n");
                self.statements(dict, indent + BLOCK_INDENT);
            }
            Value::Array(items) => self.array(items, indent),
            Value::Table(table) => self.table(table, indent),
            scalar => {
                self.out.push_str(": ");
                self.inline(scalar, Place::Line);
                self.out.push('\n');
            }
        }
    }

    /// Writes an array after its key.
    fn array(&mut self, items: &[Value], indent: usize) {
        if items.iter().all(Value::is_scalar) {
            self.out.push_str(" = ");
            self.list(items);
            self.out.push('\n');
            return;
        }
        if let Some(fields) = table_fields(items) {
            let cells = items.len().saturating_mul(fields.len());
            if cells <= self.cells_left {
                self.cells_left -= cells;
                self.names(&fields);
                for item in items.iter().filter_map(Value::as_dict) {
                    self.row(item.values(), indent + BLOCK_INDENT);
                }
                return;
            }
        }
        self.out.push_str(":\n");
        let indent = indent + BLOCK_INDENT;
        for item in items {
            self.indent(indent);
            match item {
                // Tables have no inline form, so a dict that holds one is written on several lines.
                Value::Dict(dict) if contains_table(item) => self.dash_item(dict, indent),
                _ => {
                    self.inline(item, Place::Item);
                    self.out.push('\n');
                }
            }
        }
    }

    fn dash_item(&mut self, dict: &Dict, indent: usize) {
        self.out.push_str("- ");
        let indent = indent + DASH_INDENT;
        for (at, (key, value)) in dict.iter().enumerate() {
            if at > 0 {
                self.indent(indent);
            }
            self.statement(key, value, indent);
        }
    }

    /// Writes a table after its key. A table that no text represents is written as the array it reads as.
    fn table(&mut self, table: &Table, indent: usize) {
        match (&table.fields, &table.types) {
            (Some(fields), None) if is_named_table(fields, &table.rows) => {
                self.names(&fields.iter().map(String::as_str).collect::<Vec<_>>());
            }
            (None, Some(types)) if is_typed_table(types, &table.rows) => {
                self.out.push_str(": table{");
                self.out.push_str(&types.join(", "));
                self.out.push_str("}\n");
            }
            _ => return self.array(&table.to_values(), indent),
        }
        for row in &table.rows {
            self.row(row.iter(), indent + BLOCK_INDENT);
        }
    }

    fn names(&mut self, fields: &[&str]) {
        self.out.push_str(" |");
        self.out.push_str(&fields.join(", "));
        self.out.push_str("|\n");
    }

    fn row<'v>(&mut self, cells: impl Iterator<Item = &'v Value>, indent: usize) {
        self.indent(indent);
        for (at, cell) in cells.enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            self.inline(cell, Place::Row);
        }
        self.out.push('\n');
    }

    fn inline(&mut self, value: &Value, place: Place) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(truth) => self.out.push_str(if *truth { "true" } else { "false" }),
            Value::Int(number) => self.out.push_str(&number.to_string()),
            Value::Float(number) if number.is_finite() => self.out.push_str(&format!("{number:?}")),
            Value::Float(number) => self.out.push_str(not_finite(*number)),
            Value::String(text) if needs_quotes(text, place) => push_quoted(&mut self.out, text),
            Value::String(text) => self.out.push_str(text),
            Value::Array(items) => self.list(items),
            Value::Dict(dict) => {
                self.out.push('{');
                for (at, (key, value)) in dict.iter().enumerate() {
                    if at > 0 {
                        self.out.push_str(", ");
                    }
                    push_key(&mut self.out, key);
                    self.out.push_str(": ");
                    self.inline(value, Place::Inline);
                }
                self.out.push('}');
            }
            Value::Table(table) => self.list(&table.to_values()),
        }
    }

    fn list(&mut self, items: &[Value]) {
        self.out.push('[');
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            self.inline(item, Place::Inline);
        }
        self.out.push(']');
    }
}

fn needs_quotes(text: &str, place: Place) -> bool {
    let everywhere = text.is_empty()
        || !is_bare_string(text)
        || text
            .starts_with(|c: char| c.is_whitespace() || matches!(c, '{' | '[' | '"' | '\'' | '#'))
        || text.ends_with(char::is_whitespace)
        || text.contains(char::is_control)
        || text.contains(" #");
    everywhere
        || match place {
            Place::Line => text.starts_with("table{"),
            Place::Item => {
                statement_mark(text.as_bytes()).is_some() || text == "-" || text.starts_with("- ")
            }
            Place::Row => text.contains(','),
            Place::Inline => text.contains([',', ']', '}', ')']),
        }
}

fn push_key(out: &mut String, key: &str) {
    if is_name(key) {
        out.push_str(key);
    } else {
        push_quoted(out, key);
    }
}

fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\0' => out.push_str("\\0"),
            control if control.is_control() => {
                out.push_str(&format!("\\u{{{:x}}}", control as u32))
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// The column names under which an array can be written as a table: all items are dicts with the same keys in the
/// same order, all names, all values scalars.
fn table_fields(items: &[Value]) -> Option<Vec<&str>> {
    let first: Vec<&str> = items.first()?.as_dict()?.keys().collect();
    let same = |item: &Value| {
        item.as_dict().is_some_and(|dict| {
            dict.keys().eq(first.iter().copied()) && dict.values().all(Value::is_scalar)
        })
    };
    (!first.is_empty() && first.iter().all(|field| is_name(field)) && items.iter().all(same))
        .then_some(first)
}

fn is_named_table(fields: &[String], rows: &[Vec<Value>]) -> bool {
    let distinct: std::collections::HashSet<&String> = fields.iter().collect();
    !fields.is_empty()
        && distinct.len() == fields.len()
        && fields.iter().all(|field| is_name(field))
        && rows.iter().all(|row| row.len() == fields.len())
}

fn is_typed_table(types: &[String], rows: &[Vec<Value>]) -> bool {
    let Some(types) = types
        .iter()
        .map(|name| ColumnType::named(name))
        .collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    let fits = |row: &Vec<Value>| {
        row.len() == types.len()
            && row
                .iter()
                .zip(&types)
                .all(|(cell, column_type)| column_type.holds(cell))
    };
    !types.is_empty() && rows.iter().all(fits)
}

fn contains_table(value: &Value) -> bool {
    match value {
        Value::Table(_) => true,
        Value::Array(items) => items.iter().any(contains_table),
        Value::Dict(dict) => dict.values().any(contains_table),
        _ => false,
    }
}

fn count_cells(value: &Value) -> usize {
    match value {
        Value::Table(table) => table.rows.iter().map(Vec::len).sum(),
        Value::Array(items) => items.iter().map(count_cells).sum(),
        Value::Dict(dict) => dict.values().map(count_cells).sum(),
        _ => 0,
    }
}
