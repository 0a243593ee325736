//! Profiles that a program makes of itself: `lib.torch.profiler`.
//!
//! Rows cross as texts, a line for each, with tabs between the parts. Next: `crate::profile`.

use crate::profile;
use simple_profile::{Profile, SortBy};

/// No limit is a negative one, as in PyTorch.
fn limit(rows: i64) -> usize {
    usize::try_from(rows).unwrap_or(usize::MAX)
}

pub(super) fn start(shapes: bool) -> i64 {
    profile::start(shapes)
}

pub(super) fn stop(mark: i64) -> i64 {
    profile::stop(mark)
}

pub(super) fn begin(name: &str) {
    profile::begin_label(name);
}

pub(super) fn end() {
    profile::end_label();
}

/// `operators`, `shapes` (operators by the shapes of their inputs), `lines`, `layers`, or all of them with `all`.
pub(super) fn table(handle: i64, kind: &str, sort: &str, rows: i64) -> Result<String, String> {
    let (sort, rows) = (SortBy::read(sort)?, limit(rows));
    profile::with(handle, |found| match kind {
        "operators" => Ok(found.operator_table(sort, rows, false)),
        "shapes" => Ok(found.operator_table(sort, rows, true)),
        "lines" => Ok(found.line_table(rows)),
        "layers" => Ok(found.layer_table(rows)),
        "all" => Ok(found.tables(sort, rows)),
        _ => Err(format!("unknown table `{kind}`")),
    })?
}

/// The rows of a table; `summary` is one row.
pub(super) fn rows(handle: i64, kind: &str) -> Result<String, String> {
    profile::with(handle, |found| {
        let lines: Vec<String> = match kind {
            "operators" | "shapes" => operators(found, kind == "shapes"),
            "lines" => lines(found),
            "layers" => layers(found),
            _ => {
                let s = found.summary();
                let parts = [
                    s.total,
                    s.operators,
                    s.labels,
                    s.opening,
                    s.outside,
                    s.profiler,
                    s.device,
                    s.peak,
                ];
                vec![parts.map(|part| part.to_string()).join("\t")]
            }
        };
        lines.join("\n")
    })
}

fn operators(found: &Profile, by_shape: bool) -> Vec<String> {
    let row = |row: &simple_profile::OperatorRow| {
        format!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            row.name,
            row.calls,
            row.own,
            row.total,
            row.device_own,
            row.device,
            row.allocated,
            row.shapes
        )
    };
    let rows = found.operators(SortBy::default(), by_shape);
    rows.iter().map(row).collect()
}

fn lines(found: &Profile) -> Vec<String> {
    let row = |row: &simple_profile::LineRow| {
        let place = &row.place;
        format!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}",
            place.file, place.line, place.function, row.calls, row.total, row.device, row.allocated
        )
    };
    found.lines().iter().map(row).collect()
}

fn layers(found: &Profile) -> Vec<String> {
    let row = |row: &simple_profile::LayerRow| {
        format!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            row.path,
            row.class,
            row.calls,
            row.forward,
            row.own,
            row.backward,
            row.device,
            row.allocated
        )
    };
    found.layers().iter().map(row).collect()
}

pub(super) fn trace(handle: i64, path: &str) -> Result<(), String> {
    let text = profile::with(handle, Profile::trace)?;
    profile::save(path, &text)
}

pub(super) fn flame_graph(handle: i64, path: &str) -> Result<(), String> {
    let text = profile::with(handle, Profile::flame_graph)?;
    profile::save(path, &text)
}

pub(super) fn free(handle: i64) {
    profile::forget(handle);
}
