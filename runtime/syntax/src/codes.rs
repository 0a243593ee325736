//! The table of every lexical and syntax error: its stable code and its title.
//!
//! A code never changes its meaning and is never used again once given up. Leaves out the messages, which are made
//! where the mistake is found. Next: `doc/errors/` has a page for each code.

macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal;)*) => {
        $(#[doc = $title] pub const $name: &str = $code;)*

        /// Every code of this crate with its title, in order.
        pub const ALL: &[(&str, &str)] = &[$(($code, $title)),*];
    };
}

codes! {
    UNKNOWN_CHARACTER = "E0101", "A character that no program text contains outside strings and comments.";
    UNTERMINATED_TEXT = "E0102", "A string without its closing quote.";
    UNTERMINATED_COMMENT = "E0103", "A block comment without its end.";
    BAD_ESCAPE = "E0104", "An escape sequence that names no character.";
    BAD_NUMBER = "E0105", "A number that is not written correctly.";
    NUMBER_OVERFLOW = "E0106", "A number too large for every type.";
    BAD_HOLE = "E0107", "Braces in a string that hold no expression.";
    UNEXPECTED = "E0110", "Something else was expected here.";
    EXPECTED_EXPR = "E0111", "An expression was expected here.";
    UNCLOSED = "E0112", "A bracket that is not closed.";
    UNMATCHED = "E0113", "A closing bracket that closes nothing.";
    EXPECTED_BLOCK = "E0114", "An indented block was expected here.";
    UNEXPECTED_INDENT = "E0115", "A line indented deeper than its block.";
    BAD_DEDENT = "E0116", "A line whose indentation matches no enclosing block.";
    EXPECTED_COLON = "E0117", "The colon before a body is missing.";
    EXPECTED_NAME = "E0118", "A name was expected here.";
    EXPECTED_TYPE = "E0119", "A type was expected here.";
    EXPECTED_PATTERN = "E0120", "A pattern was expected here.";
    BAD_PLACE = "E0121", "Something that cannot be assigned to.";
    NESTED_COMMAND = "E0122", "A call without parentheses inside an expression.";
    ARGUMENT_ORDER = "E0123", "A positional argument behind a named one.";
    STRAY_PLACEHOLDER = "E0124", "A placeholder outside an argument.";
    CHAINED_RANGE = "E0125", "A range of a range.";
    STRAY_UPDATE = "E0126", "A functional update that is not a statement.";
    INHERITANCE = "E0130", "A class that inherits from a class.";
    FOREIGN_SPELLING = "E0131", "A spelling from another language.";
    MISSING_BODY = "E0132", "A function without a body.";
    BAD_MODIFIER = "E0133", "A modifier or annotation where it means nothing.";
    BAD_EXTERN = "E0134", "A foreign declaration with more than a signature.";
    BAD_MEMBER = "E0135", "Something that cannot stand in this body.";
    NOT_SUPPORTED = "E0140", "A part of the language that is not supported yet.";
    TOO_DEEP = "E0141", "Nesting that is too deep.";
    TOO_COMPLEX = "E0142", "A string whose braces nest too much.";
    DEPRECATED = "E0150", "A deprecated spelling.";
    CONDITIONAL_COMMENT = "E0151", "A line that looks like conditional compilation and is a comment.";
    NO_EFFECT = "E0152", "Something that has no effect here.";
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn codes_are_distinct_and_in_order() {
        assert!(ALL.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(
            ALL.iter()
                .all(|(code, title)| code.starts_with("E01") && title.ends_with('.'))
        );
    }
}
