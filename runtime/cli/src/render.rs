//! The one place where a [`Diagnostic`] becomes text: for people, and as JSON lines for editors.
//!
//! The text form shows code, message, `file:line:column`, the source line with a caret, and then the facts in a fixed
//! order: found, expected, note, help. Colour only when the caller says that a terminal reads it.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::Serialize;
use simple_syntax::{Diagnostic, Severity, SourceMap, Span};

/// The line that counts errors, below them.
pub fn count_of_errors(count: usize) -> String {
    match count {
        1 => "1 error\n".to_owned(),
        _ => format!("{count} errors\n"),
    }
}

/// Renders one report for a person, with a line break at its end.
pub fn human(diagnostic: &Diagnostic, sources: &SourceMap, colour: bool) -> String {
    let title = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    }
    .primary_title(diagnostic.message.as_str())
    .id(diagnostic.code);

    let mut group = Group::with_title(title);
    let mut places = vec![(
        diagnostic.span,
        diagnostic.label.as_deref(),
        AnnotationKind::Primary,
    )];
    for (span, text) in &diagnostic.related {
        places.push((*span, Some(text.as_str()), AnnotationKind::Context));
    }
    for chunk in chunks_by_file(&places) {
        group = group.element(snippet(sources, chunk));
    }
    let facts = [
        ("found", &diagnostic.found),
        ("expected", &diagnostic.expected),
    ];
    for (name, fact) in facts {
        if let Some(fact) = fact {
            group = group.element(Level::NOTE.with_name(name).message(fact.as_str()));
        }
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut text = renderer.render(&[group]);
    text.push('\n');
    text
}

type Place<'a> = (Span, Option<&'a str>, AnnotationKind);

/// Runs of places in one file; the primary place comes first.
fn chunks_by_file<'a, 'b>(places: &'b [Place<'a>]) -> impl Iterator<Item = &'b [Place<'a>]> {
    places.chunk_by(|left, right| left.0.file == right.0.file)
}

/// The source lines from the first to the last place of one file.
///
/// Only these lines are handed to the renderer, as it reads everything it is given. Places far from the primary one would
/// make it long; the renderer folds what is between.
fn snippet<'a>(
    sources: &'a SourceMap,
    places: &[Place<'a>],
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let file = sources.file(places[0].0.file);
    let text = file.text.as_str();
    let clamp = |offset: u32| floor_char_boundary(text, offset as usize);
    let lo = places
        .iter()
        .map(|place| clamp(place.0.lo))
        .min()
        .unwrap_or(0);
    let hi = places
        .iter()
        .map(|place| clamp(place.0.hi))
        .max()
        .unwrap_or(lo);
    let start = text[..lo].rfind('\n').map_or(0, |index| index + 1);
    let end = text[hi..].find('\n').map_or(text.len(), |index| hi + index);
    let first_line = sources
        .position(Span::new(places[0].0.file, start as u32, start as u32))
        .line;
    let mut snippet = Snippet::source(&text[start..end])
        .path(file.path.as_str())
        .line_start(first_line as usize)
        .fold(true);
    for (span, label, kind) in places {
        let from = clamp(span.lo) - start;
        let to = (clamp(span.hi) - start).max(from);
        let mut annotation = kind.span(from..to);
        if let Some(label) = label {
            annotation = annotation.label(*label);
        }
        snippet = snippet.annotation(annotation);
    }
    snippet
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[derive(Serialize)]
struct JsonPlace<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    severity: &'static str,
    code: &'a str,
    message: &'a str,
    #[serde(flatten)]
    place: JsonPlace<'a>,
    related: Vec<JsonPlace<'a>>,
    found: Option<&'a str>,
    expected: Option<&'a str>,
    notes: &'a [String],
    help: Option<&'a str>,
    suggestion: Option<JsonSuggestion<'a>>,
}

#[derive(Serialize)]
struct JsonSuggestion<'a> {
    #[serde(flatten)]
    place: JsonPlace<'a>,
    replacement: &'a str,
}

fn json_place<'a>(span: Span, label: Option<&'a str>, sources: &'a SourceMap) -> JsonPlace<'a> {
    let start = sources.position(span);
    let end = sources.position(span.end());
    JsonPlace {
        file: &sources.file(span.file).path,
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        label,
    }
}

/// Renders one report as a single line of JSON, with a line break at its end; `doc/diagnostics.md` has the fields.
pub fn json(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let report = JsonDiagnostic {
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        code: diagnostic.code,
        message: &diagnostic.message,
        place: json_place(diagnostic.span, diagnostic.label.as_deref(), sources),
        related: diagnostic
            .related
            .iter()
            .map(|(span, text)| json_place(*span, Some(text), sources))
            .collect(),
        found: diagnostic.found.as_deref(),
        expected: diagnostic.expected.as_deref(),
        notes: &diagnostic.notes,
        help: diagnostic.help.as_deref(),
        suggestion: diagnostic.fix.as_ref().map(|fix| JsonSuggestion {
            place: json_place(fix.span, None, sources),
            replacement: &fix.replacement,
        }),
    };
    let mut line =
        serde_json::to_string(&report).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (SourceMap, Diagnostic) {
        let mut sources = SourceMap::default();
        let file = sources.add("net.spl", "val a = 1\nval b = a + \"é\" + c\n");
        let diagnostic = Diagnostic::error(
            "E0301",
            Span::new(file, 22, 26),
            "`+` needs two values of one type",
        )
        .found_expected("text", "i64")
        .help("interpolate instead");
        (sources, diagnostic)
    }

    #[test]
    fn shows_place_line_caret_and_facts() {
        let (sources, diagnostic) = sample();
        let text = human(&diagnostic, &sources, false);
        for part in [
            "error[E0301]: `+` needs two values of one type",
            "net.spl:2:13",
            "val b = a + \"é\" + c",
            "^^^",
            "= found: text",
            "= expected: i64",
            "= help: interpolate instead",
        ] {
            assert!(text.contains(part), "{part:?} is missing in:\n{text}");
        }
        assert!(!text.contains('\u{1b}'));
        assert!(human(&diagnostic, &sources, true).contains('\u{1b}'));
    }

    #[test]
    fn json_is_one_line() {
        let (sources, diagnostic) = sample();
        let line = json(&diagnostic, &sources);
        assert_eq!(line.matches('\n').count(), 1);
        let value: serde_json::Value = serde_json::from_str(&line).expect("valid JSON");
        assert_eq!(value["line"], 2);
        assert_eq!(value["column"], 13);
        assert_eq!(value["expected"], "i64");
    }

    #[test]
    fn json_has_every_field_that_is_documented_and_no_other() {
        let (sources, diagnostic) = sample();
        let span = diagnostic.span;
        let diagnostic = diagnostic
            .label("here")
            .related(Span::new(span.file, 0, 3), "declared here")
            .note("a fact")
            .fix(span, "\"{b}\"");
        let value: serde_json::Value =
            serde_json::from_str(&json(&diagnostic, &sources)).expect("valid JSON");
        let place = |column: u32, end: u32, line: u32| {
            serde_json::json!({
                "file": "net.spl", "line": line, "column": column, "end_line": line, "end_column": end,
            })
        };
        let with = |mut place: serde_json::Value, name: &str, text: &str| {
            place[name] = text.into();
            place
        };
        let mut expected = with(place(13, 16, 2), "label", "here");
        let fields = serde_json::json!({
            "severity": "error",
            "code": "E0301",
            "message": "`+` needs two values of one type",
            "related": [with(place(1, 4, 1), "label", "declared here")],
            "found": "text",
            "expected": "i64",
            "notes": ["a fact"],
            "help": "interpolate instead",
            "suggestion": with(place(13, 16, 2), "replacement", "\"{b}\""),
        });
        for (name, field) in fields.as_object().expect("an object") {
            expected[name] = field.clone();
        }
        assert_eq!(value, expected);
        let documented = include_str!("../../../doc/diagnostics.md");
        for name in expected.as_object().expect("an object").keys() {
            assert!(
                documented.contains(&format!("`{name}`")),
                "{name} is not documented"
            );
        }
    }

    #[test]
    fn a_place_behind_the_end_or_inside_a_character_is_shown_nearby() {
        let (sources, mut diagnostic) = sample();
        diagnostic.span.hi = 25;
        human(&diagnostic, &sources, false);
        diagnostic.span = Span::new(diagnostic.span.file, 900, 901);
        human(&diagnostic, &sources, false);
    }
}
