//! `--profile`: a profile of the whole program, shown or written when it ends, however it ends.
//!
//! What is measured is in `simple_core::profile`, how it is shown in `simple_profile`.

use crate::output::complain;
use simple_core::profile::{self, Ending};
use simple_profile::{Profile, SortBy};

/// How many rows a table on the screen has.
const ROWS: usize = 20;

/// What `--profile` asks for.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Wanted {
    /// Tables on standard error.
    tables: bool,
    /// Files, each of a kind that its ending says.
    files: Vec<String>,
}

impl Wanted {
    /// Reads the values of the options, of which an empty one is that of `--profile` alone; `None` without any.
    ///
    /// # Errors
    ///
    /// A file whose ending says nothing.
    pub fn read(values: &[String]) -> Result<Option<Wanted>, String> {
        let mut wanted = Wanted::default();
        for value in values {
            if value.is_empty() {
                wanted.tables = true;
            } else {
                profile::ending(value).map_err(|why| format!("--profile: {why}"))?;
                wanted.files.push(value.clone());
            }
        }
        Ok((!values.is_empty()).then_some(wanted))
    }

    /// Begins the profile, which is reported when the process ends.
    pub fn begin(self) {
        // Only a trace shows shapes, and noting them takes time.
        let shapes = self
            .files
            .iter()
            .any(|file| profile::ending(file) == Ok(Ending::Trace));
        let mark = profile::start(shapes);
        simple_core::io::at_end(move || self.report(mark));
    }

    /// Shows and writes the profile; whether all could be written.
    fn report(&self, mark: i64) -> bool {
        let found = profile::stop(mark);
        if self.tables {
            let tables = |profile: &Profile| profile.tables(SortBy::default(), ROWS);
            if let Ok(text) = profile::with(found, tables) {
                complain!("{}", text.trim_end());
            }
        }
        let mut fine = true;
        for file in &self.files {
            match profile::write(found, file) {
                Ok(()) => complain!("the profile is in {file}"),
                Err(why) => {
                    complain!("error: {why}");
                    fine = false;
                }
            }
        }
        fine
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_say_what_is_wanted() {
        let read = |values: &[&str]| {
            Wanted::read(
                &values
                    .iter()
                    .map(|value| (*value).to_owned())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(read(&[]), Ok(None));
        let wanted = read(&["", "a.json", "b.svg"]).map(Option::unwrap_or_default);
        assert_eq!(
            wanted,
            Ok(Wanted {
                tables: true,
                files: vec!["a.json".into(), "b.svg".into()]
            })
        );
        let refused = read(&["a.png"]).expect_err("no such kind of file");
        assert!(
            refused.contains("`a.png`") && refused.contains(".svg"),
            "{refused}"
        );
    }
}
