//! The commands of the REPL: lines that begin with a colon.

/// What `:help` prints.
pub const HELP: &str = "\
Type an expression to see its value, or any declaration or statement; `x = 1` declares `x`.
A line that ends in `:` begins a block, which an empty line ends. Declaring a name again hides the old one.

  :type EXPRESSION   the type of an expression, which is not run
  :load FILE         run a file and keep what it declares
  :doc NAME, ?NAME   what a name of the library is, such as ?Conv2d
  :reset             forget everything
  :help              this text
  :quit              end the session, as `quit`, `exit` and Ctrl-D do

Ctrl-C stops the line you type or the computation that runs; Tab completes names and, after a dot, members.";

/// A command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command<'t> {
    /// Show the type of an expression.
    Type(&'t str),
    /// Run a file in the session.
    Load(&'t str),
    /// Show what a name of the library is.
    Doc(&'t str),
    /// Forget everything.
    Reset,
    /// Show what there is.
    Help,
    /// End the session.
    Quit,
}

/// Every command with its short forms.
const NAMES: &[(&str, &str)] = &[
    ("type", "t"),
    ("load", "l"),
    ("doc", "d"),
    ("reset", "r"),
    ("help", "h"),
    ("quit", "q"),
];

impl Command<'_> {
    /// Reads what follows the colon.
    ///
    /// # Errors
    ///
    /// A message for the user.
    pub fn read(text: &str) -> Result<Command<'_>, String> {
        let (word, rest) = match text.split_once(char::is_whitespace) {
            Some((word, rest)) => (word, rest.trim()),
            None => (text, ""),
        };
        let name = NAMES
            .iter()
            .find(|(name, short)| word == *name || word == *short)
            .map(|(name, _)| *name);
        let needs = |what: &str| {
            if rest.is_empty() {
                Err(format!("`:{word}` needs {what}"))
            } else {
                Ok(rest)
            }
        };
        match name {
            Some("type") => Ok(Command::Type(needs("an expression")?)),
            Some("load") => Ok(Command::Load(needs("a file")?)),
            Some("doc") => Ok(Command::Doc(needs("a name")?)),
            Some("reset") => Ok(Command::Reset),
            Some("help") => Ok(Command::Help),
            Some("quit") => Ok(Command::Quit),
            _ => Err(format!(
                "unknown command `:{word}`; `:help` lists the commands"
            )),
        }
    }

    /// The names of all commands, with their colon.
    pub fn names() -> impl Iterator<Item = String> {
        NAMES.iter().map(|(name, _)| format!(":{name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_their_short_forms() {
        assert_eq!(Command::read("type 1 + 2"), Ok(Command::Type("1 + 2")));
        assert_eq!(Command::read("t x"), Ok(Command::Type("x")));
        assert_eq!(Command::read("load a b.spl"), Ok(Command::Load("a b.spl")));
        assert_eq!(Command::read("q"), Ok(Command::Quit));
        assert!(Command::read("load").is_err());
        assert!(Command::read("nonsense").unwrap_err().contains(":help"));
    }
}
