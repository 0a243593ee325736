//! Why something of a header is not bound, in words: for the list at the end of the bindings and for what the command prints.

use crate::ctype::{Place, Record};

/// Why something is not bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The kind, as it is counted: "with `va_list`", "macros with parameters".
    pub kind: String,
    /// The whole reason.
    pub words: String,
}

impl Reason {
    fn new(kind: impl Into<String>, words: impl Into<String>) -> Reason {
        Reason {
            kind: kind.into(),
            words: words.into(),
        }
    }

    /// The same with what it is about in front.
    pub fn of(self, what: &str) -> Reason {
        Reason {
            words: format!("{what}: {}", self.words),
            ..self
        }
    }

    /// A scalar that Simple does not have.
    pub fn special(name: &str) -> Reason {
        let name = match name.contains("128 bits") || name.starts_with("a ") {
            true => name.to_owned(),
            false => format!("`{name}`"),
        };
        Reason::new(
            format!("with {name}"),
            format!("Simple does not have {name}"),
        )
    }

    /// What this many of a kind are called.
    pub fn counted(count: usize, kind: &str) -> String {
        match kind.split_once("s ") {
            Some((one @ ("macro" | "variable" | "declaration" | "member" | "type"), rest))
                if count == 1 =>
            {
                format!("1 {one} {rest}")
            }
            _ => format!("{count} {kind}"),
        }
    }

    /// Only its name is known.
    pub fn incomplete(record: &Record) -> Reason {
        let name = record.spelling().unwrap_or_default();
        Reason::new(
            "with structs of which only the name is known",
            format!("the header does not say what is in `{name}`"),
        )
    }

    /// Packing or alignment of its own.
    pub fn packed(word: &str) -> Reason {
        let words = format!("the {word} has packing or an alignment of its own");
        Reason::new("with packed structs by value", words)
    }

    /// Bit fields.
    pub fn bit_fields(word: &str) -> Reason {
        let words = format!("the {word} has bit fields");
        Reason::new("with bit fields by value", words)
    }

    /// Members that are only bytes here.
    pub fn registers() -> Reason {
        Reason::new(
            "with undescribed members by value",
            "a member is only bytes here, so which registers carry the struct is not known",
        )
    }

    /// No size, or too large a one.
    pub fn no_layout(word: &str) -> Reason {
        let words = format!("the {word} is empty, too large, or aligned by more than 8 bytes");
        Reason::new("with structs of an odd size", words)
    }

    /// A union that `@c("union")` cannot describe.
    pub fn union() -> Reason {
        Reason::new(
            "with unions by value",
            "the union has an array, an enum or a union in it",
        )
    }

    /// Its code is in the header.
    pub fn inline() -> Reason {
        Reason::new(
            "inline",
            "inline: its code is in the header, not in the library",
        )
    }

    /// A macro with parameters.
    pub fn function_macro() -> Reason {
        Reason::new("macros with parameters", "a macro with parameters")
    }

    /// A macro that is neither a number nor a text.
    pub fn no_constant() -> Reason {
        Reason::new(
            "macros without a value",
            "a macro that is neither a number nor a text",
        )
    }

    /// An array as a variable, whose size the header does not say.
    pub fn array_variable() -> Reason {
        Reason::new(
            "variables of an array type",
            "a variable that is an array of an unknown number of elements, or of structs that cannot be in one",
        )
    }

    /// A variable that each file has for itself.
    pub fn own_variable() -> Reason {
        Reason::new(
            "variables of the header alone",
            "static, and not a constant: each file that includes the header has its own, and the library has none",
        )
    }

    /// Only its name is known, and nothing uses it.
    pub fn unused() -> Reason {
        Reason::new(
            "types that nothing uses",
            "the header does not say what is in it, and nothing uses it",
        )
    }

    /// A variable that each thread has.
    pub fn thread_local() -> Reason {
        Reason::new("variables of threads", "each thread has its own")
    }

    /// A member that takes no room.
    pub fn no_room() -> Reason {
        Reason::new(
            "members without room",
            "this member takes no room; what is there is reached by an address after the struct",
        )
    }

    /// The name is taken.
    pub fn taken() -> Reason {
        Reason::new(
            "with a name that is taken",
            "another declaration has this name",
        )
    }

    /// The parser gave up on it.
    pub fn not_understood() -> Reason {
        Reason::new(
            "declarations not understood",
            "the parser does not understand this declaration",
        )
    }

    /// A function type where a value is needed.
    pub fn no_value(what: &str) -> Reason {
        Reason::new(format!("with {what} by value"), format!("{what} by value"))
    }
}

/// Something that is not bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unbound {
    /// Where.
    pub place: Place,
    /// Its name.
    pub name: String,
    /// Whether it is a function.
    pub function: bool,
    /// Why.
    pub reason: Reason,
}
