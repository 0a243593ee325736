//! Tables as CSV for `lib/std/csv`, by the crate `csv`.
//!
//! The fields of all rows cross as one list of texts; how many each row has, and the lines that rows begin in, are
//! asked for after it. A file can be read a number of rows at a time. Left out: encodings other than UTF-8.

use std::cell::RefCell;
use std::io::{BufReader, Read};
use std::mem::ManuallyDrop;

use csv::{ErrorKind, ReaderBuilder, StringRecord, Trim};
use simple_ffi_abi::handle::HandleTable;
use simple_system::{in_words, memory, open};

/// How many fields each row has, and the line that it begins in.
#[derive(Default, Debug)]
struct Shape {
    counts: Vec<i64>,
    lines: Vec<i64>,
}

struct Reading {
    name: String,
    reader: csv::Reader<BufReader<Box<dyn Read>>>,
}

thread_local! {
    static SHAPE: RefCell<Shape> = RefCell::default();
    // Never dropped: programs may ask while the thread ends.
    static READING: ManuallyDrop<RefCell<HandleTable<Reading>>> =
        const { ManuallyDrop::new(RefCell::new(HandleTable::new("table", 16))) };
}

/// The settings of a dialect: delimiter, quote, escape and comment sign, each empty or one ASCII character, with line
/// breaks between them.
fn builder(dialect: &str, trims: bool) -> Result<ReaderBuilder, String> {
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).flexible(true);
    let mut signs = dialect.split('\n');
    let mut next = |what: &str| match signs.next().unwrap_or_default().as_bytes() {
        [] => Ok(None),
        [byte] if byte.is_ascii() => Ok(Some(*byte)),
        other => Err(format!(
            "a {what} is one ASCII character, found `{}`",
            String::from_utf8_lossy(other)
        )),
    };
    builder.delimiter(next("delimiter")?.ok_or("a delimiter is one ASCII character, found none")?);
    match next("quote")? {
        Some(quote) => builder.quote(quote),
        None => builder.quoting(false),
    };
    if let Some(escape) = next("sign for escapes")? {
        builder.escape(Some(escape)).double_quote(false);
    }
    builder.comment(next("sign for comments")?);
    if trims {
        builder.trim(Trim::All);
    }
    Ok(builder)
}

fn wrong(error: &csv::Error) -> String {
    match error.kind() {
        ErrorKind::Utf8 { pos, err } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!("line {line}: field {} is not valid UTF-8", err.field() + 1)
        }
        ErrorKind::Io(error) => in_words(error),
        _ => error.to_string(),
    }
}

/// Reads rows, at most `most`.
fn rows<R: Read>(reader: &mut csv::Reader<R>, most: usize) -> Result<Vec<String>, String> {
    let mut fields = Vec::new();
    let mut shape = Shape::default();
    let mut record = StringRecord::new();
    while shape.counts.len() < most
        && reader
            .read_record(&mut record)
            .map_err(|error| wrong(&error))?
    {
        shape.counts.push(record.len() as i64);
        shape
            .lines
            .push(record.position().map_or(0, |at| at.line() as i64));
        fields.extend(record.iter().map(str::to_owned));
    }
    SHAPE.with(|kept| *kept.borrow_mut() = shape);
    Ok(fields)
}

/// The fields of all rows of a text. The texts of [`builder`] describe the dialect.
pub fn parse(source: &str, dialect: &str, trims: bool) -> Result<Vec<String>, String> {
    memory::probe(source.len().saturating_mul(4))?;
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let mut reader = builder(dialect, trims)?.from_reader(source.as_bytes());
    rows(&mut reader, usize::MAX)
}

/// How many fields each row has that was read last.
pub fn counts() -> Vec<i64> {
    SHAPE.with(|shape| std::mem::take(&mut shape.borrow_mut().counts))
}

/// The line that each of these rows begins in.
pub fn lines() -> Vec<i64> {
    SHAPE.with(|shape| std::mem::take(&mut shape.borrow_mut().lines))
}

/// Opens a file whose rows are read later.
pub fn open(path: &str, dialect: &str, trims: bool) -> Result<i64, String> {
    let builder = builder(dialect, trims)?;
    let failed = |error: std::io::Error| format!("cannot read `{path}`: {}", in_words(&error));
    let (file, _) = open::or_stream(std::path::Path::new(path)).map_err(failed)?;
    let mut file: Box<dyn Read> = Box::new(file);
    let mut start = Vec::new();
    (&mut file)
        .take(3)
        .read_to_end(&mut start)
        .map_err(failed)?;
    if start == "\u{feff}".as_bytes() {
        start.clear();
    }
    let whole: Box<dyn Read> = Box::new(std::io::Cursor::new(start).chain(file));
    let reading = Reading {
        name: path.to_owned(),
        reader: builder.from_reader(BufReader::new(whole)),
    };
    READING.with(|table| {
        table
            .borrow_mut()
            .insert(reading)
            .map_err(|error| error.to_string())
    })
}

/// The fields of the next rows of a file, at most `most`; none at the end.
pub fn next(handle: i64, most: i64) -> Result<Vec<String>, String> {
    READING.with(|table| {
        let mut table = table.borrow_mut();
        let reading = table.get_mut(handle).map_err(|error| error.to_string())?;
        let read = rows(&mut reading.reader, usize::try_from(most).unwrap_or(0));
        read.map_err(|why| format!("{}: {why}", reading.name))
    })
}

/// Closes a file.
pub fn free(handle: i64) -> Result<(), String> {
    READING
        .with(|table| table.borrow_mut().remove(handle))
        .map(drop)
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = ",\n\"\n\n";

    #[test]
    fn rows_have_quotes_and_any_width() {
        let fields = parse("\u{feff}a,\"b \"\"x\"\",\nc\"\n\n1\n", PLAIN, false).unwrap();
        assert_eq!(fields, ["a", "b \"x\",\nc", "1"]);
        assert_eq!((counts(), lines()), (vec![2, 1], vec![1, 3]));
        assert_eq!(
            parse("# c\na;'b;c' ; d", ";\n'\n\n#", true).unwrap(),
            ["a", "b;c", "d"]
        );
        assert_eq!(parse(r#""a\"b""#, ",\n\"\n\\\n", false).unwrap(), ["a\"b"]);
        assert!(
            parse("a", "é\n\"\n\n", false)
                .unwrap_err()
                .contains("a delimiter is one ASCII character")
        );
    }

    #[test]
    fn a_file_is_read_in_parts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, b"\xef\xbb\xbfa,b\n1,2\n3,\xff\n").unwrap();
        let path = path.to_str().unwrap();
        let file = open(path, PLAIN, false).unwrap();
        assert_eq!(next(file, 1).unwrap(), ["a", "b"]);
        assert_eq!(next(file, 1).unwrap(), ["1", "2"]);
        assert!(
            next(file, 1)
                .unwrap_err()
                .ends_with("line 3: field 2 is not valid UTF-8")
        );
        free(file).unwrap();
        assert!(open("/no/such", PLAIN, false).is_err());
    }
}
