//! The list of the runtime's externs over SDN documents and profiles.
//!
//! The rows are as in `table.rs`.

use super::call::runtime_externs;
use super::{profile, sdn};
use simple_ffi_abi::effects::{PURE, STATE};

runtime_externs! {
    /// The words of an SDN document, as `externs/sdn.rs` explains them; one word beginning with `!` for an error.
    fn rt_sdn_parse(source: text) -> [text], fails, PURE => sdn::parse_words;
    /// The SDN text of a value's words.
    fn rt_sdn_write(words: text) -> text, fails, PURE => sdn::write;
    /// The JSON text of a value's words.
    fn rt_sdn_write_json(words: text) -> text, fails, PURE => sdn::write_json;

    /// Begins a profile, with the shapes of operators' inputs if asked for; the mark by which `rt_profile_stop`
    /// knows it.
    fn rt_profile_start(shapes: bool) -> i64, never, STATE => profile::start;
    /// Ends the profile of a mark; its handle.
    fn rt_profile_stop(mark: i64) -> i64, never, STATE => profile::stop;
    /// A part of the program begins, which profiles show under this name.
    fn rt_profile_begin(name: text) -> (), never, STATE => profile::begin;
    /// The innermost such part has ended.
    fn rt_profile_end() -> (), never, STATE => profile::end;
    /// A table of a profile: `operators`, `shapes`, `lines`, `layers` or `all`; at most `rows` rows, all if negative.
    fn rt_profile_table(profile: i64, kind: text, sort: text, rows: i64) -> text, fails, STATE => profile::table;
    /// The rows of a table, a line each, their parts divided by tabs; of `summary` the times of the whole.
    fn rt_profile_rows(profile: i64, kind: text) -> text, fails, STATE => profile::rows;
    /// Writes a profile as a trace for Perfetto and Chrome.
    fn rt_profile_trace(profile: i64, path: text) -> (), flag, STATE => profile::trace;
    /// Writes a profile as a flame graph (SVG).
    fn rt_profile_flame_graph(profile: i64, path: text) -> (), flag, STATE => profile::flame_graph;
    /// Forgets a profile.
    fn rt_profile_free(profile: i64) -> (), never, STATE => profile::free;
}
