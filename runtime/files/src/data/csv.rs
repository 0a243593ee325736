//! Tables of numbers in text: comma-separated, or by another separator.

use std::path::Path;

use simple_system::memory;

use crate::save::plain::{Element, Plain};
use crate::save::source::{Fault, Place, Source};

/// Reads a file, plain or gzipped, as a table of `f64`: rows by columns. `header` leaves the first line out.
pub fn load(path: &Path, header: bool, separator: &str) -> Result<Plain, Fault> {
    let mut source = Source::open(path)?;
    let most = source.left();
    let bytes = source.rest(most)?;
    parse(&bytes, header, separator)
}

/// The text of a file, plain or gzipped, which is in UTF-8.
pub fn text(path: &Path) -> Result<String, Fault> {
    let mut source = Source::open(path)?;
    let most = source.left();
    String::from_utf8(source.rest(most)?).map_err(|error| {
        let (before, _) = error.as_bytes().split_at(error.utf8_error().valid_up_to());
        not_utf8(before)
    })
}

/// What is wrong with a text whose valid part is `before`.
fn not_utf8(before: &[u8]) -> Fault {
    let line = before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    Fault {
        place: Place::Line(line, 1),
        why: "the line is not valid UTF-8".to_owned(),
    }
}

/// Reads a table from the bytes of a file.
pub fn parse(bytes: &[u8], header: bool, separator: &str) -> Result<Plain, Fault> {
    if separator.is_empty() || separator.contains(['\n', '"', '.']) {
        return Err(Fault::whole(format!(
            "`{separator}` cannot separate numbers; use \",\", \";\", \" \" or a tab"
        )));
    }
    let text =
        std::str::from_utf8(bytes).map_err(|error| not_utf8(&bytes[..error.valid_up_to()]))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut numbers, mut rows, mut columns) = (Vec::new(), 0usize, None);
    for (index, line) in text.lines().enumerate().skip(usize::from(header)) {
        if line.trim().is_empty() {
            continue;
        }
        let before = numbers.len();
        let mut take = |(column, field): (usize, &str)| {
            let number = field.trim().trim_matches('"').trim();
            let number: f64 = number.parse().map_err(|_| Fault {
                place: Place::Line(index as u64 + 1, column as u64 + 1),
                why: no_number(number, index == 0),
            })?;
            memory::extend(&mut numbers, &number.to_le_bytes()).map_err(Fault::from)
        };
        if separator == " " {
            line.split_whitespace()
                .enumerate()
                .try_for_each(&mut take)?;
        } else {
            line.split(separator).enumerate().try_for_each(&mut take)?;
        }
        let found = (numbers.len() - before) / 8;
        match columns {
            None => columns = Some(found),
            Some(wanted) if wanted != found => {
                return Err(Fault {
                    place: Place::Line(index as u64 + 1, found as u64),
                    why: format!("the line has {found} numbers, those before it {wanted}"),
                });
            }
            Some(_) => {}
        }
        rows += 1;
    }
    Ok(Plain {
        element: Element::F64,
        dims: vec![rows, columns.unwrap_or(0)],
        bytes: numbers,
    })
}

fn no_number(field: &str, first_line: bool) -> String {
    if field.is_empty() {
        return "the field is empty; every field must be a number".to_owned();
    }
    let shown: String = field.chars().filter(|c| !c.is_control()).take(40).collect();
    if first_line {
        format!("`{shown}` is not a number; if this is a line of names, say `header: true`")
    } else {
        format!("`{shown}` is not a number")
    }
}
