//! How an error of a running program is shown: the message, the place with its line, and the calls that led there.

use simple_image::{Frame, RuntimeFailure};
use simple_syntax::{SourceFile, SourceMap};
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// Renders an uncaught runtime error, with a line break at its end.
///
/// An error inside a function of the library is shown at the program's own line that led there; where it was raised
/// follows.
///
/// ```text
/// error: index 3 is out of range for a length of 3
///   --> index.spl:2:5 in pick
///    |
///  2 |     xs[i]
///    |     ^
///   called at index.spl:7:11 in main
/// ```
pub fn render(failure: &RuntimeFailure, sources: &SourceMap) -> String {
    let own = failure
        .trace
        .head
        .iter()
        .position(|frame| !file_of(frame, sources).is_some_and(|file| file.library));
    // Codes of shapes come from the library: what the program itself raises is its own text.
    let mut text = heading(&failure.message, own != Some(0));
    let (inside, frames) = failure.trace.head.split_at(own.unwrap_or(0));
    let mut frames = frames.iter();
    if let Some(frame) = frames.next() {
        let _ = writeln!(text, "  --> {}", place(frame));
        write_line(&mut text, frame, sources);
    }
    for frame in inside {
        let _ = writeln!(text, "  raised at {}", place(frame));
    }
    for frame in frames {
        let _ = writeln!(text, "  called at {}", place(frame));
    }
    if failure.trace.omitted > 0 {
        let _ = writeln!(text, "  ... {} more calls", failure.trace.omitted);
    }
    for frame in &failure.trace.tail {
        let _ = writeln!(text, "  called at {}", place(frame));
    }
    text
}

/// The variable in which torchrun names the file where it looks for the reason of a rank that failed.
const ERROR_FILE: &str = "TORCHELASTIC_ERROR_FILE";

/// Leaves an error to torchrun, if that started this process, so that its summary shows it.
pub fn leave(message: &str, text: &str) {
    let Some(path) = std::env::var_os(ERROR_FILE).filter(|path| !path.is_empty()) else {
        return;
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = now.map_or(0, |since| since.as_secs());
    // Where it cannot be written, torchrun shows the exit code alone, and the error is on standard error.
    let _ = std::fs::write(path, for_torchrun(message, text, seconds));
}

/// The text of that file, as torchrun's own ranks write it.
fn for_torchrun(message: &str, text: &str, seconds: u64) -> String {
    format!(
        "{{\"message\": {{\"message\": {}, \"extraInfo\": {{\"py_callstack\": {}, \"timestamp\": \"{seconds}\"}}}}}}",
        json(message),
        json(text)
    )
}

/// A text in JSON.
fn json(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            other if other.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(other));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// The first lines of the report. A message of the library that begins with the code of a shape gets the form of the
/// same error before the run.
fn heading(message: &str, from_library: bool) -> String {
    match message.split_once(": ") {
        Some((code, rest)) if from_library && is_shape_code(code) => {
            format!("error[{code}]: {rest}\n")
        }
        _ => format!("error: {message}\n"),
    }
}

/// Whether this is one of the codes that begin with `E05`, which the library's checks of shapes use.
fn is_shape_code(code: &str) -> bool {
    code.starts_with("E05")
        && simple_sema::codes::ALL
            .iter()
            .any(|(known, _)| *known == code)
}

fn place(frame: &Frame) -> String {
    format!(
        "{}:{}:{} in {}",
        frame.path, frame.line, frame.column, frame.function
    )
}

fn file_of<'s>(frame: &Frame, sources: &'s SourceMap) -> Option<&'s SourceFile> {
    let mut files = sources.files().map(|(_, file)| file);
    files.find(|file| file.path == frame.path)
}

/// The source line of the failing place with a caret, if the line is at hand.
fn write_line(text: &mut String, frame: &Frame, sources: &SourceMap) {
    let Some(file) = file_of(frame, sources) else {
        return;
    };
    let line = file.line_text(frame.line).replace('\t', " ");
    if line.trim().is_empty() {
        return;
    }
    let number = frame.line.to_string();
    let gutter = " ".repeat(number.len());
    let indent = " ".repeat(frame.column.saturating_sub(1) as usize);
    let _ = writeln!(
        text,
        " {gutter} |\n {number} | {line}\n {gutter} | {indent}^"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use simple_image::Trace;

    #[test]
    fn shows_message_place_line_and_calls() {
        let mut sources = SourceMap::default();
        sources.add("a.spl", "fn f(xs: [i64]):\n    xs[3]\n");
        let frame = |function: &str, line, column| Frame {
            function: function.to_owned(),
            path: "a.spl".to_owned(),
            line,
            column,
        };
        let failure = RuntimeFailure {
            message: "index 3 is out of range".to_owned(),
            trace: Trace::new(vec![frame("f", 2, 5), frame("main", 9, 1)], 0),
            interrupted: false,
        };
        assert_eq!(
            render(&failure, &sources),
            "error: index 3 is out of range\n  --> a.spl:2:5 in f\n   |\n 2 |     xs[3]\n   |     ^\n  called at a.spl:9:1 in main\n"
        );
    }

    #[test]
    fn torchrun_gets_the_error_as_json() {
        assert_eq!(
            for_torchrun("no \"x\"", "error: a\\b\n\tc", 7),
            r#"{"message": {"message": "no \"x\"", "extraInfo": {"py_callstack": "error: a\\b\n\u0009c", "timestamp": "7"}}}"#
        );
    }

    #[test]
    fn a_failure_without_a_place_is_only_its_message() {
        let failure = RuntimeFailure {
            message: "lost".to_owned(),
            trace: Trace::default(),
            interrupted: false,
        };
        let shown = render(&failure, &SourceMap::default());
        assert_eq!(shown, "error: lost\n");
    }

    #[test]
    fn only_the_library_gives_a_message_the_code_of_a_shape() {
        let mut sources = SourceMap::default();
        sources.add("a.spl", "f()\n");
        let library = sources.add("lib/array.spl", "f()\n");
        sources.mark_library(library);
        let shown = |message: &str, path: &str| {
            let frame = Frame {
                function: "f".to_owned(),
                path: path.to_owned(),
                line: 1,
                column: 1,
            };
            let failure = RuntimeFailure {
                message: message.to_owned(),
                trace: Trace::new(vec![frame], 0),
                interrupted: false,
            };
            let text = render(&failure, &sources);
            text.split("\n  --> ").next().unwrap_or("").to_owned()
        };
        let library = "lib/array.spl";
        assert_eq!(
            shown("E0502: a\n  b: c", library).lines().next(),
            Some("error[E0502]: a")
        );
        assert_eq!(shown("E0502", library), "error: E0502");
        assert_eq!(shown("E1234: a", library), "error: E1234: a");
        assert_eq!(shown("E0599: a", library), "error: E0599: a");
        assert_eq!(shown("E0502: a", "a.spl"), "error: E0502: a");
    }

    #[test]
    fn an_error_in_the_library_is_shown_at_the_line_that_led_there() {
        let mut sources = SourceMap::default();
        sources.add("a.spl", "[1].chunk(0)\n");
        let library = sources.add("lib/array.spl", "");
        sources.mark_library(library);
        let frame = |function: &str, path: &str, line| Frame {
            function: function.to_owned(),
            path: path.to_owned(),
            line,
            column: 1,
        };
        let frames = vec![
            frame("[i64].chunk", "lib/array.spl", 7),
            frame("main", "a.spl", 1),
        ];
        let failure = RuntimeFailure {
            message: "no".to_owned(),
            trace: Trace::new(frames, 0),
            interrupted: false,
        };
        assert_eq!(
            render(&failure, &sources),
            "error: no\n  --> a.spl:1:1 in main\n   |\n 1 | [1].chunk(0)\n   | ^\n  raised at lib/array.spl:7:1 in [i64].chunk\n"
        );
    }
}
