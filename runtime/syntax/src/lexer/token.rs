//! The kinds of token and what is known about each one.
//!
//! A token carries its layout facts (is it the first of its line, how far is that line indented, is there space
//! before it) instead of separate newline and indentation tokens: whether a line break ends a statement depends on
//! the construct around it, which only the parser knows (`parser/layout.rs`).

macro_rules! tokens {
    (keywords { $($kw:ident = $kw_text:literal,)* } symbols { $($sym:ident = $sym_text:literal,)* }) => {
        /// What a token is.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Tok {
            /// The end of the text.
            Eof,
            /// A line break that ends a statement; never in the token list, see `Parser::kind`.
            Newline,
            /// A name that is not a keyword.
            Ident,
            /// An integer literal.
            Int,
            /// A floating-point literal.
            Float,
            /// A string of any form.
            Text,
            /// A character that was reported already.
            Unknown,
            $(#[doc = concat!("`", $kw_text, "`.")] $kw,)*
            $(#[doc = concat!("`", $sym_text, "`.")] $sym,)*
        }

        impl Tok {
            /// The keyword that `word` is, if it is one.
            pub(crate) fn keyword(word: &str) -> Option<Tok> {
                match word {
                    $($kw_text => Some(Tok::$kw),)*
                    _ => None,
                }
            }

            /// Whether it is a keyword.
            pub fn is_keyword(self) -> bool {
                matches!(self, $(Tok::$kw)|*)
            }

            /// The spelling of a keyword or operator, or a word for the others.
            pub(crate) fn text(self) -> &'static str {
                match self {
                    Tok::Eof => "the end of the file",
                    Tok::Newline => "the end of the line",
                    Tok::Ident => "a name",
                    Tok::Int | Tok::Float => "a number",
                    Tok::Text => "a string",
                    Tok::Unknown => "an unknown character",
                    $(Tok::$kw => $kw_text,)*
                    $(Tok::$sym => $sym_text,)*
                }
            }
        }
    };
}

impl Tok {
    /// Whether a keyword may be the name of a parameter: one that begins no expression and no statement of a body.
    pub(crate) fn names_a_parameter(self) -> bool {
        matches!(
            self,
            Tok::In
                | Tok::Is
                | Tok::As
                | Tok::Mod
                | Tok::Pub
                | Tok::Mixin
                | Tok::Trait
                | Tok::Impl
                | Tok::Enum
                | Tok::Struct
                | Tok::Class
                | Tok::Extern
                | Tok::Export
                | Tok::Import
                | Tok::Use
                | Tok::Case
                | Tok::Await
                | Tok::Loop
                | Tok::Finally
        )
    }
}

tokens! {
    keywords {
        Fn = "fn", Me = "me", Static = "static", Val = "val", Var = "var", Let = "let", Mut = "mut",
        Const = "const", Struct = "struct", Class = "class", Enum = "enum", Trait = "trait", Impl = "impl",
        Mixin = "mixin", Extern = "extern", Use = "use", Import = "import", Export = "export", Mod = "mod",
        Pub = "pub", If = "if", Elif = "elif", Else = "else", For = "for", In = "in", While = "while",
        Loop = "loop", Match = "match", Case = "case", Break = "break", Continue = "continue",
        Return = "return", Pass = "pass", PassTodo = "pass_todo", PassDoNothing = "pass_do_nothing",
        PassDn = "pass_dn", And = "and", Or = "or", Not = "not", Xor = "xor", Is = "is", As = "as",
        True = "true", False = "false", Nil = "nil", SelfKw = "self", Super = "super", Defer = "defer",
        With = "with", Assert = "assert", Async = "async", Await = "await", Yield = "yield",
        Try = "try", Catch = "catch", Throw = "throw", Finally = "finally",
        Unsafe = "unsafe",
    }
    symbols {
        Plus = "+", Minus = "-", Star = "*", Slash = "/", Percent = "%", StarStar = "**", EqEq = "==",
        NotEq = "!=", Lt = "<", Le = "<=", Gt = ">", Ge = ">=", Eq = "=", PlusEq = "+=", MinusEq = "-=",
        StarEq = "*=", SlashEq = "/=", PercentEq = "%=", StarStarEq = "**=", ColonEq = ":=", Amp = "&",
        Pipe = "|", Caret = "^", Tilde = "~", Shl = "<<", Shr = ">>", AmpAmp = "&&", PipePipe = "||",
        Bang = "!", QuestionDot = "?.", QuestionQuestion = "??", DotQuestion = ".?", Question = "?",
        DotDot = "..", DotDotEq = "..=", Ellipsis = "...", DotPlus = ".+", DotMinus = ".-", DotStar = ".*",
        DotSlash = "./", DotCaret = ".^", At = "@", PipeGt = "|>", TildeGt = "~>", SlashSlash = "//",
        Arrow = "->", FatArrow = "=>", LeftArrow = "<-", LParen = "(", RParen = ")", LBracket = "[",
        RBracket = "]", LBrace = "{", RBrace = "}", Comma = ",", Colon = ":", ColonColon = "::",
        Semi = ";", Dot = ".", Backslash = "\\", Hash = "#", Dollar = "$",
    }
}

/// The first token of its line.
const FIRST: u8 = 1;
/// The line break before it does not count, because the line above asks to be continued.
const JOINED: u8 = 2;
/// White space, a comment or a line break comes directly before it.
const SPACED: u8 = 4;
/// An operator before its operand, such as the minus of `-x`.
const PREFIX: u8 = 8;
/// One of the two ends of type arguments or of a lambda's parameters: `<` and `>`, the second `|` of `|x|`.
const BRACKET: u8 = 16;
/// A colon between the bounds of a slice.
const SLICE: u8 = 32;
/// What is left of a token of two characters, of which the first was `>`.
const SPLIT: u8 = 64;

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// What it is.
    pub tok: Tok,
    flags: u8,
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
    /// For literals, the place of the value in its side table.
    pub payload: u32,
    /// The indentation of its line in columns (a tab counts as 4); only set on the first token of a line.
    pub column: u32,
}

impl Token {
    /// A token with its layout facts; `first` is the line's indentation if the token is the first of its line.
    pub(crate) fn new(tok: Tok, lo: u32, hi: u32, first: Option<u32>, spaced: bool) -> Token {
        let mut flags = 0;
        if first.is_some() {
            flags |= FIRST;
        }
        if spaced {
            flags |= SPACED;
        }
        Token {
            tok,
            flags,
            lo,
            hi,
            payload: 0,
            column: first.unwrap_or(0),
        }
    }

    /// Whether it is the first token of its line.
    pub(crate) fn first(&self) -> bool {
        self.flags & FIRST != 0
    }

    /// Whether a line break before it counts.
    pub(crate) fn breaks(&self) -> bool {
        self.flags & (FIRST | JOINED) == FIRST
    }

    /// Makes the line break before it not count.
    pub(crate) fn join(&mut self) {
        self.flags |= JOINED;
    }

    /// Says that it is an operator before its operand.
    pub(crate) fn mark_prefix(&mut self) {
        self.flags |= PREFIX;
    }

    /// Says that it is an end of type arguments or of parameters.
    pub(crate) fn mark_bracket(&mut self) {
        self.flags |= BRACKET;
    }

    /// Says that it is between the bounds of a slice.
    pub(crate) fn mark_slice(&mut self) {
        self.flags |= SLICE;
    }

    /// Says that its first character was taken off.
    pub(crate) fn mark_split(&mut self) {
        self.flags |= SPLIT;
    }

    /// Whether it is an operator before its operand.
    pub(crate) fn is_prefix(&self) -> bool {
        self.flags & PREFIX != 0
    }

    /// Whether it is an end of type arguments or of parameters.
    pub(crate) fn is_bracket(&self) -> bool {
        self.flags & BRACKET != 0
    }

    /// Whether it is between the bounds of a slice.
    pub(crate) fn is_slice(&self) -> bool {
        self.flags & SLICE != 0
    }

    /// Whether its first character was taken off.
    pub(crate) fn is_split(&self) -> bool {
        self.flags & SPLIT != 0
    }

    /// Whether white space comes directly before it.
    pub(crate) fn spaced(&self) -> bool {
        self.flags & SPACED != 0
    }
}
