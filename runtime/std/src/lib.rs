//! What `lib/std` does not do in Simple itself: the externs `rt_std_*`.
//!
//! A file here has a module of the library, or a part of one; each says what crosses and what is left out. Executables
//! that call one of these functions begin with `simple-start`; those that do not have nothing of this crate.

#![allow(unsafe_code, reason = "the C functions of the table")]

pub mod json;

simple_ffi_abi::functions! {
    /// Reads JSON: empty, or the place and what is wrong there. The streams of `json.rs` are then asked for.
    fn rt_std_json_parse(source: text) -> text, fails, STATE => json::parse;
    /// The kinds of all values.
    fn rt_std_json_kinds() -> [u8], never, STATE => json::kinds;
    /// Its integers.
    fn rt_std_json_ints() -> [i64], never, STATE => json::ints;
    /// Its floats.
    fn rt_std_json_floats() -> [f64], never, STATE => json::floats;
    /// How many members its arrays and objects have.
    fn rt_std_json_counts() -> [i64], never, STATE => json::counts;
    /// The number of the key of each member.
    fn rt_std_json_keys() -> [i64], never, STATE => json::keys;
    /// Its texts, cut from the same source.
    fn rt_std_json_texts(source: text) -> [text], fails, STATE => json::texts;
    /// The different keys, cut from the same source.
    fn rt_std_json_names(source: text) -> [text], fails, STATE => json::names;
    /// A text in quotes with escapes, all but ASCII too if asked for.
    fn rt_std_json_quote(content: text, ascii: bool) -> text, fails, PURE => json::quote;
    /// Whether a text is ASCII and needs no escapes.
    fn rt_std_json_is_plain(content: text) -> bool, never, PURE => json::is_plain;
}
