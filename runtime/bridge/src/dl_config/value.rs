//! The values of keys: words for devices, dtypes and backends, truth values, numbers.

use sdn_parser::{Node, NodeValue};
use simple_ffi_abi::device::{self, Devices};
use simple_ffi_abi::dtype::{self, Dtype};

use super::Backend;

/// What a word for a device, or a list of them, asks for.
pub(super) fn device(text: &str) -> Result<Devices, String> {
    Devices::of_text(text).map_err(|unknown| unknown.to_string())
}

/// The dtype of a word.
pub(super) fn dtype(text: &str) -> Result<&'static Dtype, String> {
    dtype::of_word(text).ok_or_else(|| format!("unknown dtype `{text}`; {}", allowed("dtype")))
}

/// The backend of a word.
pub(super) fn backend(text: &str) -> Result<Backend, String> {
    Backend::of_word(text).ok_or_else(|| {
        let near = simple_spelling::nearest(text, Backend::WORDS);
        let hint = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        format!("unknown backend `{text}`; {hint}{}", allowed("backend"))
    })
}

/// What may be written for a key whose values are words.
pub(super) fn allowed(key: &str) -> String {
    match key {
        "device" => format!(
            "expected one of {}, or several in one text, such as \"cuda:0,cuda:1\"",
            device::WORDS
        ),
        "dtype" => format!("expected one of {}", dtype::WORDS),
        "debug_cuda" => "write true or false".to_owned(),
        _ => "expected one of auto, torch (also pytorch), native, cuda, or the path of a module such as tests.recorder"
            .to_owned(),
    }
}

/// The text of a key whose values are words.
pub(super) fn word<'a>(key: &str, node: &'a Node) -> Result<&'a str, String> {
    node.as_str()
        .ok_or_else(|| format!("the {key} is {}; {}", kind(node), allowed(key)))
}

/// A truth value, which may also be written as a text.
pub(super) fn truth(key: &str, node: &Node) -> Result<bool, String> {
    match &node.value {
        NodeValue::Bool(truth) => Ok(*truth),
        NodeValue::String(text) => truth_word(key, text),
        _ => Err(format!("{key} is {}; write true or false", kind(node))),
    }
}

/// A truth value written as a text.
pub(super) fn truth_word(key: &str, text: &str) -> Result<bool, String> {
    match text {
        "true" | "True" | "1" => Ok(true),
        "false" | "False" | "0" => Ok(false),
        _ => Err(format!("`{text}` for {key} is neither true nor false")),
    }
}

/// A seed, or none where nothing is written.
pub(super) fn seed(node: &Node) -> Result<Option<i64>, String> {
    match &node.value {
        NodeValue::Null => Ok(None),
        NodeValue::Int(number) => Ok(Some(*number)),
        NodeValue::String(text) => text
            .parse()
            .map(Some)
            .map_err(|_| format!("`{text}` is not a seed; write a whole number")),
        _ => Err(format!("the seed is {}; write a whole number", kind(node))),
    }
}

/// How exact products of matrices in f32 are, by PyTorch's words.
pub(super) fn precision(node: &Node) -> Result<&'static str, String> {
    const WORDS: [&str; 3] = ["highest", "high", "medium"];
    let allowed = "expected one of highest, high, medium";
    let Some(word) = node.as_str() else {
        return Err(format!("the matmul_precision is {}; {allowed}", kind(node)));
    };
    let known = WORDS.into_iter().find(|known| *known == word);
    known.ok_or_else(|| format!("unknown matmul_precision `{word}`; {allowed}"))
}

/// A number of examples.
pub(super) fn batch_size(node: &Node) -> Result<i64, String> {
    match node.value {
        NodeValue::Int(number) if number > 0 => Ok(number),
        NodeValue::Int(number) => Err(format!(
            "the batch size is {number}; write a whole number above 0"
        )),
        _ => Err(format!(
            "the batch size is {}; write a whole number above 0",
            kind(node)
        )),
    }
}

/// The kind of a value with its article.
pub(super) fn kind(node: &Node) -> String {
    let name = node.kind_name();
    let article = if name.starts_with(['a', 'i']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {name}")
}
