//! Names of C that Simple takes: not one of its keywords, and each once.

use simple_syntax::{FileId, parse};
use std::collections::{HashMap, HashSet};

/// Types of the language that a type of C must not hide, because the bindings themselves use them.
const TYPES: [&str; 16] = [
    "Ptr", "Callback", "cstr", "text", "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32",
    "u64", "f32", "f64", "Self",
];

/// The names of a module of bindings.
#[derive(Debug, Default)]
pub struct Names {
    used: HashSet<String>,
    /// Which words can be names.
    allowed: HashMap<String, bool>,
}

impl Names {
    /// The name as Simple can have it for a parameter or a member: a keyword gets `_` after it.
    pub fn plain(&mut self, name: &str) -> String {
        let known = self.allowed.get(name).copied();
        let allowed = known.unwrap_or_else(|| {
            let allowed = is_name(name);
            self.allowed.insert(name.to_owned(), allowed);
            allowed
        });
        match allowed {
            true => name.to_owned(),
            false => format!("{name}_"),
        }
    }

    /// Takes a name for a declaration; `None` if another one has it.
    pub fn take(&mut self, name: &str) -> Option<String> {
        let name = match TYPES.contains(&name) {
            true => format!("{name}_"),
            false => self.plain(name),
        };
        self.used.insert(name.clone()).then_some(name)
    }

    /// Takes a name for a type, with something before or after it if it is taken.
    pub fn take_type(&mut self, name: &str, word: &str) -> String {
        if let Some(name) = self.take(name) {
            return name;
        }
        let mut longer = format!("{word}_{name}");
        while !self.used.insert(longer.clone()) {
            longer.push('_');
        }
        longer
    }
}

/// Whether the parser of the language takes a word as the name of a declaration.
pub fn is_name(word: &str) -> bool {
    let source = format!("extern fn {word}({word}: i32)\nconst {word}: i32 = 1\n");
    parse(FileId(0), &source).1.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_get_an_underscore() {
        let mut names = Names::default();
        for word in ["in", "match", "loop", "nil", "xor"] {
            assert_eq!(names.plain(word), format!("{word}_"));
        }
        for word in ["open", "type", "out", "stat", "_exit", "text"] {
            assert_eq!(names.plain(word), word);
        }
        assert_eq!(names.take("text"), Some("text_".to_owned()));
        assert_eq!(names.take("stat"), Some("stat".to_owned()));
        assert_eq!(names.take("stat"), None);
        assert_eq!(names.take_type("stat", "struct"), "struct_stat");
    }
}
