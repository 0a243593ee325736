//! Messages: a header with a length, an empty line, and JSON.

use serde_json::{Value, json};
use std::io::{self, BufRead, Write};

/// The longest message that is read: more than any editor sends, less than what would take all memory.
const LONGEST: usize = 1 << 28;

/// The next message; `None` at the end of the input.
///
/// # Errors
///
/// What is not a message, or cannot be read.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Value>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let length = length.filter(|length| *length <= LONGEST).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            "a message without a usable Content-Length",
        )
    })?;
    let mut content = vec![0; length];
    input.read_exact(&mut content)?;
    // What is not JSON is answered as such; the next message begins after it all the same.
    Ok(Some(
        serde_json::from_slice(&content).unwrap_or(Value::Null),
    ))
}

/// Writes a message.
///
/// # Errors
///
/// If the output cannot be written.
pub(crate) fn write(output: &mut impl Write, content: &Value) -> io::Result<()> {
    let text = content.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

/// The answer to a request.
pub(crate) fn answer(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The answer to a request that failed; `code` is one of the protocol's.
pub(crate) fn failure(id: &Value, code: i64, why: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": why}})
}

/// Something that is told without being asked.
pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}
