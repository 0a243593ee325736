//! TOML for `lib/std/toml`, by the crate `toml`.
//!
//! A document leaves the streams of `json.rs`, but its texts and keys are kept here, as they are not parts of
//! the source. Dates and times are texts. What is written as TOML is made in `lib/std/toml/mod.spl`.

use std::cell::RefCell;
use std::collections::HashMap;

use toml::{Table, Value};

use crate::json::{self, Streams};

thread_local! {
    static TEXTS: RefCell<(Vec<String>, Vec<String>)> = RefCell::default();
}

#[derive(Default)]
struct Walk {
    out: Streams,
    texts: Vec<String>,
    names: Vec<String>,
    numbers: HashMap<String, i64>,
}

impl Walk {
    fn value(&mut self, value: Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Integer(number) => {
                self.out.kinds.push(json::INT);
                self.out.ints.push(number);
            }
            Value::Float(number) => {
                self.out.kinds.push(json::FLOAT);
                self.out.floats.push(number);
            }
            Value::Boolean(truth) => {
                self.out
                    .kinds
                    .push(if truth { json::TRUE } else { json::FALSE })
            }
            Value::Datetime(moment) => self.text(moment.to_string()),
            Value::Array(items) => {
                self.out.kinds.push(json::ARRAY);
                self.out.counts.push(items.len() as i64);
                items.into_iter().for_each(|item| self.value(item));
            }
            Value::Table(table) => self.table(table),
        }
    }

    fn text(&mut self, text: String) {
        self.out.kinds.push(json::TEXT);
        self.texts.push(text);
    }

    fn table(&mut self, table: Table) {
        self.out.kinds.push(json::OBJECT);
        self.out.counts.push(table.len() as i64);
        for (key, value) in table {
            let number = match self.numbers.get(&key) {
                Some(number) => *number,
                None => {
                    let number = self.names.len() as i64;
                    self.names.push(key.clone());
                    self.numbers.insert(key, number);
                    number
                }
            };
            self.out.keys.push(number);
            self.value(value);
        }
    }
}

/// Reads a document; an error names the line, the column and what is wrong there.
pub fn parse(source: &str) -> Result<(), String> {
    simple_system::memory::probe(source.len().saturating_mul(4))?;
    let table = source
        .strip_prefix('\u{feff}')
        .unwrap_or(source)
        .parse::<Table>()
        .map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let (line, column) = json::place(source, at);
            let what = error.message().lines().collect::<Vec<_>>().join("; ");
            format!("toml error: line {line}, column {column}: {what}")
        })?;
    let mut walk = Walk::default();
    walk.table(table);
    json::leave(walk.out);
    TEXTS.with(|kept| *kept.borrow_mut() = (walk.texts, walk.names));
    Ok(())
}

/// Its texts.
pub fn texts() -> Result<Vec<String>, String> {
    Ok(TEXTS.with(|kept| std::mem::take(&mut kept.borrow_mut().0)))
}

/// Its different keys.
pub fn names() -> Result<Vec<String>, String> {
    Ok(TEXTS.with(|kept| std::mem::take(&mut kept.borrow_mut().1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_becomes_streams() {
        parse("a = 1\n[b]\na = [1.5, true]\nd = 2024-02-29\n").unwrap();
        assert_eq!(json::kinds(), [7, 3, 7, 6, 4, 2, 5]);
        assert_eq!(json::keys(), [0, 1, 0, 2]);
        assert_eq!(json::counts(), [2, 2, 2]);
        assert_eq!(
            (texts().unwrap(), names().unwrap()),
            (
                vec!["2024-02-29".into()],
                vec!["a".into(), "b".into(), "d".into()]
            )
        );
        assert!(
            parse("a = 1\nb = = 2")
                .unwrap_err()
                .starts_with("toml error: line 2, column 5: ")
        );
    }
}
