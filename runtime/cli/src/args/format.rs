//! What `simple fmt` is told. The doing is in `../format.rs`.

use clap::Args;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// What to format.
#[derive(Debug, Args)]
pub struct FormatArgs {
    /// Change nothing: name the files that are not in the style; the exit code is 1 if there are any
    #[arg(long)]
    pub check: bool,
    /// Format only these lines of one file, such as 10:20, which are counted from 1
    #[arg(long, value_name = "FIRST:LAST", value_parser = range)]
    pub lines: Option<RangeInclusive<usize>>,
    /// Files, or folders of .spl files; - is standard input, whose text is written to standard output
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
}

fn range(word: &str) -> Result<RangeInclusive<usize>, String> {
    let (first, last) = word.split_once(':').unwrap_or((word, word));
    let number = |word: &str| word.parse().ok().filter(|line| *line > 0);
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err("expected a line or two, such as `10:20`, counted from 1".to_owned()),
    }
}
