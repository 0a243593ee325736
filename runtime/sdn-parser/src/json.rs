//! Values to JSON, on one line and with keys in their order. Only writing: JSON is not read here.

use crate::value::Value;

pub(crate) fn to_json(value: &Value) -> String {
    let mut out = String::new();
    push_value(&mut out, value);
    out
}

fn push_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Int(number) => out.push_str(&number.to_string()),
        // `{:?}` always has a point or an exponent, so a float stays a float for readers that tell them apart.
        Value::Float(number) if number.is_finite() => out.push_str(&format!("{number:?}")),
        Value::Float(_) => out.push_str("null"),
        Value::String(text) => push_string(out, text),
        Value::Array(items) => push_array(out, items),
        Value::Dict(dict) => {
            out.push('{');
            for (at, (key, value)) in dict.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                push_string(out, key);
                out.push(':');
                push_value(out, value);
            }
            out.push('}');
        }
        Value::Table(table) => push_array(out, &table.to_values()),
    }
}

fn push_array(out: &mut String, items: &[Value]) {
    out.push('[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        push_value(out, item);
    }
    out.push(']');
}

fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            control if (control as u32) < 0x20 => {
                out.push_str(&format!("\\u{:04x}", control as u32))
            }
            other => out.push(other),
        }
    }
    out.push('"');
}
