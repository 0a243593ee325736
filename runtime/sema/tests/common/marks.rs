//! Answers of the checker as comments below the lines of a program, for `cases.rs`, which describes their form.

use simple_sema::Checked;
use simple_syntax::{Diagnostic, Span};
use std::collections::BTreeMap;

/// What a line of an answer begins with.
const SIGN: &str = "#~";

/// What a line ends with that asks for the types of its variables.
const ASKS: &str = "#?";

/// The sentence that every warning has.
const TURNED_OFF: &str = "turns this warning off";

/// A line's marks, by file and line.
type Marks = BTreeMap<(String, usize), Vec<String>>;

/// A program without its answer.
pub fn taken_out(whole: &str) -> String {
    let lines = whole.split_inclusive('\n');
    lines.filter(|line| !line.starts_with(SIGN)).collect()
}

/// The program with what was answered.
///
/// # Errors
///
/// What cannot be written in this form.
pub fn put_in(source: &str, checked: &Checked) -> Result<String, String> {
    let mut marks = Marks::new();
    for diagnostic in &checked.diagnostics {
        let sign = '^';
        let message = format!("{} {}", diagnostic.code, diagnostic.message);
        let mut lines = vec![message];
        lines.extend(details(diagnostic, checked));
        mark(&mut marks, checked, diagnostic.span, sign, &lines);
        for (span, text) in &diagnostic.related {
            let line = format!("{}: {text}", diagnostic.code);
            mark(&mut marks, checked, *span, '-', &[line]);
        }
    }
    let mut out = String::new();
    let (mut file, mut number) = ("main.spl".to_owned(), 0);
    for line in source.split_inclusive('\n') {
        out.push_str(line);
        if let Some(name) = line.strip_prefix("#=== file ") {
            (file, number) = (name.trim().to_owned(), 0);
            continue;
        }
        number += 1;
        let mut lines = marks.remove(&(file.clone(), number)).unwrap_or_default();
        if line.trim_end().ends_with(ASKS) {
            lines.extend(types(checked, &file, number)?);
        }
        if !lines.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        for line in lines {
            out.push_str(&line);
            out.push('\n');
        }
    }
    // What is about a file of the library comes last, without its line, which an edit there would change.
    for ((file, _), lines) in marks {
        for line in lines {
            let text = line
                .trim_start_matches(SIGN)
                .trim_start_matches([' ', '1', '2', '^', '-']);
            out.push_str(&format!("{SIGN} in {file}: {text}\n"));
        }
    }
    Ok(out)
}

/// The lines below a message, in the order in which the command prints them.
fn details(diagnostic: &Diagnostic, checked: &Checked) -> Vec<String> {
    let mut lines = Vec::new();
    let named = [
        ("label", &diagnostic.label),
        ("found", &diagnostic.found),
        ("expected", &diagnostic.expected),
    ];
    for (name, fact) in named {
        lines.extend(fact.as_ref().map(|fact| format!("{name}: {fact}")));
    }
    let notes = diagnostic.notes.iter();
    lines.extend(
        notes
            .filter(|note| !note.ends_with(TURNED_OFF))
            .map(|note| format!("note: {note}")),
    );
    lines.extend(diagnostic.help.as_ref().map(|help| format!("help: {help}")));
    if let Some(fix) = &diagnostic.fix {
        let text = &checked.sources.file(fix.span.file).text;
        let old = &text[fix.span.lo as usize..fix.span.hi as usize];
        lines.push(format!("fix: `{old}` becomes `{}`", fix.replacement));
    }
    lines
}

/// Underlines a place and writes lines beside it.
fn mark(marks: &mut Marks, checked: &Checked, span: Span, sign: char, lines: &[String]) {
    let file = checked.sources.file(span.file).path.clone();
    let (from, to) = (
        checked.sources.position(span),
        checked.sources.position(span.end()),
    );
    let text = checked.sources.file(span.file).line_text(from.line);
    let (first, goes_on) = (from.column as usize, to.line > from.line);
    let end = match goes_on {
        true => text.chars().count() + 1,
        false => to.column as usize,
    };
    let mut underline = SIGN.to_owned();
    match first {
        1 | 2 => underline.push_str(&first.to_string()),
        _ => underline.extend(std::iter::repeat_n(' ', first - 3)),
    }
    let missing = end.saturating_sub(underline.len() + 1);
    underline.extend(std::iter::repeat_n(
        sign,
        missing.max(usize::from(first > 2)),
    ));
    if goes_on {
        underline.push_str("...");
    }
    let below = format!("{SIGN}{}", " ".repeat(underline.len() - SIGN.len()));
    let of_line = marks.entry((file, from.line as usize)).or_default();
    for (at, line) in lines.iter().enumerate() {
        let begin = if at == 0 { &underline } else { &below };
        let mut parts = line.lines();
        of_line.push(format!("{begin} {}", parts.next().unwrap_or_default()));
        of_line.extend(parts.map(|part| format!("{below} {part}")));
    }
}

/// The variables that are declared in a line, with their types; more than one where a function is checked for several.
fn types(checked: &Checked, file: &str, line: usize) -> Result<Vec<String>, String> {
    let Some(program) = &checked.program else {
        return Err(format!(
            "{file}:{line} asks for types with `{ASKS}`, but the program has errors"
        ));
    };
    let here = |span: Span| {
        program.sources.file(span.file).path == file
            && program.sources.position(span).line as usize == line
    };
    let locals = program.funcs.iter().flat_map(|func| {
        let captured = |at: usize| func.captures.iter().any(|local| local.0 as usize == at);
        func.locals
            .iter()
            .enumerate()
            .filter(move |(at, local)| !local.name.is_empty() && !captured(*at))
            .map(|(_, local)| (local.span, local.name.as_str(), local.ty))
    });
    let globals = program.globals.iter();
    let globals = globals.map(|global| {
        let name = global.name.rsplit('.').next().unwrap_or_default();
        (global.span, name, global.ty)
    });
    let mut found: Vec<(u32, String)> = locals
        .chain(globals)
        .filter(|(span, ..)| here(*span))
        .map(|(span, name, ty)| {
            let text = format!("{SIGN} {name}: {}", program.types.name(ty));
            (span.lo, text)
        })
        .collect();
    found.sort();
    found.dedup();
    if found.is_empty() {
        return Err(format!("{file}:{line} declares no variable to ask for"));
    }
    Ok(found.into_iter().map(|(_, line)| line).collect())
}
