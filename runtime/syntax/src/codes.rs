//! The table of every lexical and syntax error: its stable code and its title.
//!
//! A code never changes its meaning and is never reused once retired; `W` codes are warnings. Leaves out the messages, which are made
//! where the mistake is found. Next: `doc/errors/` has a page for each code.

macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal;)*) => {
        $(#[doc = $title] pub const $name: &str = $code;)*

        /// Every code of this crate with its title, in order.
        pub const ALL: &[(&str, &str)] = &[$(($code, $title)),*];
    };
}

codes! {
    UNKNOWN_CHARACTER = "E0101", "unknown character";
    UNTERMINATED_TEXT = "E0102", "string without its closing quote";
    UNTERMINATED_COMMENT = "E0103", "block comment without its end";
    BAD_ESCAPE = "E0104", "escape that names no character";
    BAD_NUMBER = "E0105", "malformed number";
    NUMBER_OVERFLOW = "E0106", "number too large for every type";
    BAD_HOLE = "E0107", "braces in a string that hold no expression";
    UNEXPECTED = "E0110", "something else was expected";
    EXPECTED_EXPR = "E0111", "expression expected";
    UNCLOSED = "E0112", "bracket that is not closed";
    UNMATCHED = "E0113", "unmatched closing bracket";
    EXPECTED_BLOCK = "E0114", "indented block expected";
    UNEXPECTED_INDENT = "E0115", "line indented deeper than its block";
    BAD_DEDENT = "E0116", "indentation that matches no block";
    EXPECTED_COLON = "E0117", "missing colon before a body";
    EXPECTED_NAME = "E0118", "name expected";
    EXPECTED_TYPE = "E0119", "type expected";
    EXPECTED_PATTERN = "E0120", "pattern expected";
    BAD_PLACE = "E0121", "assignment to something that is not a place";
    NESTED_COMMAND = "E0122", "call without parentheses inside an expression";
    ARGUMENT_ORDER = "E0123", "positional argument after a named one";
    STRAY_PLACEHOLDER = "E0124", "placeholder outside an argument";
    CHAINED_RANGE = "E0125", "range of a range";
    STRAY_UPDATE = "E0126", "functional update inside an expression";
    INHERITANCE = "E0130", "class that inherits";
    FOREIGN_SPELLING = "E0131", "spelling from another language";
    MISSING_BODY = "E0132", "function without a body";
    BAD_MODIFIER = "E0133", "modifier not allowed here";
    BAD_EXTERN = "E0134", "foreign declaration with more than a signature";
    BAD_MEMBER = "E0135", "something that is not allowed in this body";
    NOT_SUPPORTED = "E0140", "part of the language that is not supported yet";
    TOO_DEEP = "E0141", "nesting that is too deep";
    TOO_COMPLEX = "E0142", "string with braces nested too deeply";
    OPEN_HOLE = "E0143", "brace in a string that is not closed";
    UNCLEAR_BRACES = "E0144", "braces in a string that may be read in two ways";
    TEXT_DIRECTION = "E0145", "character that turns the direction of a text";
    DEPRECATED = "W0150", "deprecated spelling";
    CONDITIONAL_COMMENT = "W0151", "comment that looks like conditional compilation";
    NO_EFFECT = "W0152", "something without effect";
    RAW_TEXT = "W0154", "escape or hole between single quotes";
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn codes_are_distinct_and_in_order() {
        assert!(ALL.windows(2).all(|pair| pair[0].0[1..] < pair[1].0[1..]));
        for (code, title) in ALL {
            assert!(code.starts_with("E01") || code.starts_with("W01"), "{code}");
            assert!(!title.is_empty() && !title.ends_with('.'), "{title}");
        }
    }
}
