//! What a GPU was last asked to do, for the message of a failure that it reports late.
//!
//! A kernel that fails does not stop the program where it was called: the failure comes out at the next call that waits for the GPU. So
//! the operators since are named with their lines. `shim/recent.cpp` notes them from the moment when CUDA is opened, unless
//! `CUDA_LAUNCH_BLOCKING` makes the line right by itself.

use std::ffi::CString;
use std::fmt::Write;
use std::sync::Once;

use simple_ffi_abi::device;
use simple_ffi_abi::export::host;

use crate::error::ShimError;
use crate::shim;

/// How many lines of the program a message names.
const MOST_LINES: usize = 8;

/// What to do where an error ends the program.
const REPLAY: &str = "\n`simple run --replay-on-error` runs the program again with one kernel at a time and finds the line";

/// A reason with the last operations, for a failure that comes out after the program's last call: a replay has no error to look for then.
pub fn after_the_end(error: &ShimError) -> String {
    let told = error.to_string();
    let told = told.strip_suffix(REPLAY).unwrap_or(&told);
    format!(
        "{told}\n`simple --debug-cuda` runs one kernel at a time, so that the failing line is named"
    )
}

/// Begins to note operators, the first time that it is called.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if let Some(host) = host()
            && !device::launches_one_by_one()
        {
            // A host that notes nothing lets failures say less; nothing else depends on it.
            let _ = shim::note_operators(host.site);
        }
    });
}

/// Notes work of a GPU that is not an operator.
pub fn note(name: &str) {
    if let Ok(name) = CString::new(name) {
        shim::note_work(&name);
    }
}

/// The last operators with their lines, the newest at the end, as lines below a reason; nothing where the reason is not a GPU's or its line is
/// right.
pub fn report(reason: &str) -> String {
    if !device::fails_late(reason) || device::launches_one_by_one() {
        return String::new();
    }
    let noted = shim::recent_operators().unwrap_or_default();
    let lines = by_line(&noted);
    if lines.is_empty() {
        return String::new();
    }
    let first = lines.len().saturating_sub(MOST_LINES);
    let mut out =
        "\nthe last operations, the newest at the end; one of them failed, or one before:"
            .to_owned();
    for (place, names) in &lines[first..] {
        let _ = write!(out, "\n  {place}: {}", names.join(", "));
    }
    out.push_str(REPLAY);
    out
}

/// The operators of each line of the program that follow each other.
fn by_line(noted: &str) -> Vec<(String, Vec<&str>)> {
    let place = |site: &str| match (site.parse::<i64>(), host()) {
        (Ok(number @ 0..), Some(host)) => Some(host.place(number)),
        _ => None,
    };
    // At its end the program's places are no longer known.
    let place = |site: &str| {
        place(site)
            .filter(|place| !place.is_empty())
            .unwrap_or_else(|| "elsewhere".to_owned())
    };
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for line in noted.lines() {
        let mut fields = line.split('\t');
        let (Some(site), Some(backward), Some(name)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let place = match backward {
            "1" => "in a backward pass".to_owned(),
            _ => place(site),
        };
        let name = name.strip_prefix("aten::").unwrap_or(name);
        match lines.last_mut() {
            Some((last, names)) if *last == place => {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            _ => lines.push((place, vec![name])),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_that_follow_each_other_share_a_line() {
        let noted =
            "-1\t1\tAddmmBackward0\n-1\t0\taten::linear\n-1\t0\taten::relu\n-1\t0\taten::linear\n";
        let lines = by_line(noted);
        let expected = [
            ("in a backward pass", vec!["AddmmBackward0"]),
            ("elsewhere", vec!["linear", "relu"]),
        ];
        assert_eq!(
            lines,
            expected.map(|(place, names)| (place.to_owned(), names))
        );
        assert_eq!(by_line(""), []);
    }
}
