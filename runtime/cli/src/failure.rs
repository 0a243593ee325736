//! How an error of a running program is shown: the message, the place with its line, and the calls that led there.

use simple_codegen::{Frame, RuntimeFailure};
use simple_syntax::{SourceFile, SourceMap};
use std::fmt::Write;

/// Renders an uncaught runtime error, with a line break at its end.
///
/// An error inside a function of the library is shown at the program's own line that led there; where it was raised follows.
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
    let mut text = heading(&failure.message);
    let own = failure
        .trace
        .head
        .iter()
        .position(|frame| !file_of(frame, sources).is_some_and(|file| file.library));
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

/// The first lines of the report. A message that begins with the code of a shape gets the form of the same error before the run.
fn heading(message: &str) -> String {
    match message.split_once(": ") {
        Some((code, rest)) if is_shape_code(code) => format!("error[{code}]: {rest}\n"),
        _ => format!("error: {message}\n"),
    }
}

/// Whether this is one of the codes `E0501` to `E0599`, which the library's checks of shapes use.
fn is_shape_code(code: &str) -> bool {
    code.strip_prefix("E05").is_some_and(|number| {
        number.len() == 2 && number.bytes().all(|digit| digit.is_ascii_digit())
    })
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
    use simple_codegen::Trace;

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
        };
        assert_eq!(
            render(&failure, &sources),
            "error: index 3 is out of range\n  --> a.spl:2:5 in f\n   |\n 2 |     xs[3]\n   |     ^\n  called at a.spl:9:1 in main\n"
        );
    }

    #[test]
    fn a_failure_without_a_place_is_only_its_message() {
        let failure = RuntimeFailure {
            message: "lost".to_owned(),
            trace: Trace::default(),
        };
        let shown = render(&failure, &SourceMap::default());
        assert_eq!(shown, "error: lost\n");
    }

    #[test]
    fn the_code_of_a_shape_is_shown_as_before_the_run() {
        let shown = |message: &str| {
            let failure = RuntimeFailure {
                message: message.to_owned(),
                trace: Trace::default(),
            };
            render(&failure, &SourceMap::default())
        };
        assert_eq!(shown("E0502: a\n  b: c"), "error[E0502]: a\n  b: c\n");
        assert_eq!(shown("E0502"), "error: E0502\n");
        assert_eq!(shown("E1234: a"), "error: E1234: a\n");
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
        };
        assert_eq!(
            render(&failure, &sources),
            "error: no\n  --> a.spl:1:1 in main\n   |\n 1 | [1].chunk(0)\n   | ^\n  raised at lib/array.spl:7:1 in [i64].chunk\n"
        );
    }
}
