//! SDN for programs: a value crosses as words in prefix order, since trees cannot.
//!
//! The first character of a word says what it is: `z` null, `t` and `f` booleans, `i` an integer, `d` a float, `s` a
//! string, `[n` an array whose `n` items follow, `{n` a dict whose `n` keys (plain words) follow, each before its value, and
//! `|fields,types,rows` a table: so many column names (`-` for none), so many column types, then the cells of so many rows.
//! `!` begins the message of a text that is not SDN. `lib/std/sdn.spl` is the other side.

use sdn_parser::{Dict, Table, Value, parse};
use simple_system::memory::{self, OutOfMemory};

/// What a value and its words take of a byte of text, at most: a number and a comma are two bytes.
const MOST_OF_BYTE: usize = 64;

/// The words of a document.
pub(super) fn parse_words(source: &str) -> Result<Vec<String>, OutOfMemory> {
    // The reader cannot fail for lack of memory.
    memory::probe(source.len().saturating_mul(MOST_OF_BYTE))?;
    Ok(words_of(source))
}

fn words_of(source: &str) -> Vec<String> {
    match parse(source) {
        Ok(value) => {
            let mut words = Vec::new();
            push(&value, &mut words);
            words
        }
        Err(error) => vec![format!("!{error}")],
    }
}

fn push(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::Null => words.push("z".into()),
        Value::Bool(true) => words.push("t".into()),
        Value::Bool(false) => words.push("f".into()),
        Value::Int(number) => words.push(format!("i{number}")),
        Value::Float(number) => words.push(format!("d{number}")),
        Value::String(text) => words.push(format!("s{text}")),
        Value::Array(items) => {
            words.push(format!("[{}", items.len()));
            items.iter().for_each(|item| push(item, words));
        }
        Value::Dict(dict) => {
            words.push(format!("{{{}", dict.len()));
            for (key, value) in dict.iter() {
                words.push(key.to_owned());
                push(value, words);
            }
        }
        Value::Table(table) => {
            let count = |names: &Option<Vec<String>>| match names {
                Some(names) => names.len().to_string(),
                None => "-".into(),
            };
            let (fields, types) = (count(&table.fields), count(&table.types));
            words.push(format!("|{fields},{types},{}", table.rows.len()));
            words.extend(table.fields.iter().flatten().cloned());
            words.extend(table.types.iter().flatten().cloned());
            table
                .rows
                .iter()
                .flatten()
                .for_each(|cell| push(cell, words));
        }
    }
}

/// The words of a program's value, each written as its length in bytes, a colon and itself, as SDN.
pub(super) fn write(words: &str) -> Result<String, String> {
    probe(words)?;
    read(words).map(|value| value.to_sdn())
}

/// The same as JSON.
pub(super) fn write_json(words: &str) -> Result<String, String> {
    probe(words)?;
    read(words).map(|value| value.to_json())
}

fn probe(words: &str) -> Result<(), String> {
    Ok(memory::probe(words.len().saturating_mul(MOST_OF_BYTE))?)
}

/// How deeply values may nest: deeper than any document, and no danger to the stack.
const MAX_DEPTH: u32 = 200;

fn read(words: &str) -> Result<Value, String> {
    let mut reader = Reader { rest: words };
    let value = reader.value(0)?;
    match reader.rest.is_empty() {
        true => Ok(value),
        false => Err(broken()),
    }
}

fn broken() -> String {
    "these are not the words of an SDN value".into()
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn word(&mut self) -> Result<&'a str, String> {
        let (length, rest) = self.rest.split_once(':').ok_or_else(broken)?;
        let length: usize = length.parse().map_err(|_| broken())?;
        let word = rest.get(..length).ok_or_else(broken)?;
        self.rest = &rest[length..];
        Ok(word)
    }

    fn value(&mut self, depth: u32) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err(format!("an SDN value nests deeper than {MAX_DEPTH}"));
        }
        let word = self.word()?;
        let mut chars = word.chars();
        let kind = chars.next().ok_or_else(broken)?;
        let content = chars.as_str();
        let count = || content.parse::<usize>().map_err(|_| broken());
        Ok(match kind {
            'z' => Value::Null,
            't' => Value::Bool(true),
            'f' => Value::Bool(false),
            'i' => Value::Int(content.parse().map_err(|_| broken())?),
            'd' => Value::Float(content.parse().map_err(|_| broken())?),
            's' => Value::String(content.to_owned()),
            '[' => Value::Array(self.values(count()?, depth)?),
            '{' => {
                let mut dict = Dict::new();
                for _ in 0..count()? {
                    let key = self.word()?;
                    dict.insert(key, self.value(depth + 1)?);
                }
                Value::Dict(dict)
            }
            '|' => Value::Table(Box::new(self.table(content, depth)?)),
            _ => return Err(broken()),
        })
    }

    fn values(&mut self, count: usize, depth: u32) -> Result<Vec<Value>, String> {
        (0..count).map(|_| self.value(depth + 1)).collect()
    }

    fn names(&mut self, count: &str) -> Result<Option<Vec<String>>, String> {
        if count == "-" {
            return Ok(None);
        }
        let count: usize = count.parse().map_err(|_| broken())?;
        (0..count)
            .map(|_| self.word().map(str::to_owned))
            .collect::<Result<_, _>>()
            .map(Some)
    }

    fn table(&mut self, counts: &str, depth: u32) -> Result<Table, String> {
        let mut counts = counts.split(',');
        let mut next = || counts.next().ok_or_else(broken);
        let (fields, types, rows) = (next()?, next()?, next()?);
        let (fields, types) = (self.names(fields)?, self.names(types)?);
        let width = fields.as_ref().or(types.as_ref()).map_or(0, Vec::len);
        let rows: usize = rows.parse().map_err(|_| broken())?;
        let rows = (0..rows)
            .map(|_| self.values(width, depth))
            .collect::<Result<_, _>>()?;
        Ok(Table {
            fields,
            types,
            rows,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(words: &[String]) -> String {
        words
            .iter()
            .map(|word| format!("{}:{word}", word.len()))
            .collect()
    }

    #[test]
    fn words_carry_every_kind_of_value_there_and_back() {
        let source = "a: null\nb: true\nc: -3\nd: 2.5\ne: \"é: \\0\"\nf = [1, x]\ng:\n    h = {}\nt |x, y|\n    1, 2\nw: table{i64}\n    4\n";
        let words = words_of(source);
        assert_eq!(words[..3], ["{9", "a", "z"]);
        assert_eq!(words_of(&write(&joined(&words)).unwrap()), words);
        assert!(write_json(&joined(&words)).unwrap().contains("\"c\""));
    }

    #[test]
    fn errors_are_a_word_of_their_own_and_nothing_panics() {
        assert!(words_of("a b")[0].starts_with("!sdn error"));
        for wrong in [
            "", "1:", "1:x", "2:i1x", "2:[9", "9:z", "1:z1:z", "4:|1,1", "é:z",
        ] {
            assert!(write(wrong).is_err(), "{wrong}");
        }
        let deep = "2:[1".repeat(300);
        assert!(write(&deep).unwrap_err().contains("nests deeper"));
    }
}
