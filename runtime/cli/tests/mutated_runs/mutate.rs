//! Changes of programs, token by token: those of a slip of the hand, values of undetermined type where an argument or operand is, and
//! changes that keep the types ([`quiet`]), which nearly always check and so are run.

use super::Random;

/// Expressions whose types hang on their surroundings, and a few that fit where others do not.
const PLANTED: &[&str] = &[
    "[]",
    "{}",
    "s{}",
    "nil",
    "[[]]",
    "[nil]",
    "([], 1)",
    "(nil, [])",
    "([] + [])",
    "(\\x: x)",
    "(\\x, y: x)",
    "(\\x: [x])",
    "(\\: nil)",
    "[\\x: x]",
    "{1: []}",
    "{\"a\": nil}",
    "Option.None",
    "Some(nil)",
    "Some([])",
    "Ok(nil)",
    "Ok([])",
    "Err([])",
    "Err(nil)",
    "(nil ?? nil)",
    "(nil ?? [])",
    "[for q in []: q]",
    "[for q in [nil]: [q]]",
    "[].first()",
    "[].map(\\x: x)",
    "[[]].map(\\x: x)",
    "(if true: nil else: nil)",
    "(if 1 < 2: [] else: [nil])",
    "[[], []][0]",
    "(1, \"a\")",
    "()",
    "self",
    "0",
    "-1",
    "1.5",
    "9223372036854775807",
    "\"\"",
    "true",
    "1..3",
];

/// Operators between two values.
const OPERATORS: &[&str] = &[
    "+", "-", "*", "/", "%", "**", "@", ".+", ".*", "./", "<", "<=", "==", "!=", "and", "or", "in",
    "not in", "??", "|>", "~>", ">>", "//", "&", "^", "<<", "is",
];

/// What comes around a value. `$` stands for it.
const WRAPPED: &[&str] = &[
    "[$]",
    "[$, $]",
    "($, $)",
    "[[$], []]",
    "{1: $}",
    "{$: 1}",
    "s{$}",
    "Some($)",
    "Ok($)",
    "Err($)",
    "(\\x: $)",
    "(\\: $)()",
    "(\\x: x)($)",
    "(if true: $ else: nil)",
    "(if true: nil else: $)",
    "(if true: $ else: $)",
    "[$].map(\\x: x)",
    "[for q in [$]: q]",
    "($ ?? $)",
    "($)!",
    "($).?",
    "($)[0]",
    "\"{$}\"",
    "-($)",
    "not $",
    "[$].first()",
    "[$].sort()",
    "[$].contains($)",
    "type_of($)",
    "($) as i64?",
];

/// What comes around a value without a change of its type.
const KEPT: &[&str] = &[
    "($)",
    "(if true: $ else: $)",
    "(if 2 < 1: $ else: $)",
    "(\\x: x)($)",
    "(\\: $)()",
    "[$][0]",
    "[$, $][-1]",
    "($, nil).0",
    "([], $).1",
    "{1: $}[1]",
    "[for q in [$]: q][0]",
    "[$].map(\\x: x)[0]",
    "[[$]].map(\\x: x.first())[0]!",
    "Some($)!",
    "[$].first()!",
    "[$, $].last()!",
    "(nil ?? $)",
    "(Some($) ?? $)",
];

/// Numbers at the edges of their types, of indexes and of shifts.
const INTEGERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "8",
    "63",
    "64",
    "65",
    "100",
    "255",
    "256",
    "1000",
    "65536",
    "2147483647",
    "2147483648",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
];
const FLOATS: &[&str] = &["0.0", "1.0", "0.5", "1e-300", "1e300", "3.9", "2.5", "1e19"];
const TEXTS: &[&str] = &[
    "\"\"",
    "\"a\"",
    "\"äß€😀\"",
    "\"{{\"",
    "\"a\\n\\tb\"",
    "\"-12\"",
    "\"1e5\"",
];

/// Operators that take and give the same types.
const ALIKE: &[&[&str]] = &[
    &["+", "-", "*"],
    &["/", "%", "//"],
    &["<", "<=", ">", ">=", "==", "!="],
    &["and", "or"],
    &["&", "|", "^"],
    &["<<", ">>"],
    &["+=", "-=", "*="],
    &["..", "..="],
    &["true", "false"],
    &["break", "continue"],
    &["first", "last"],
    &["push", "insert_first"],
    &["min", "max"],
    &["any", "all"],
    &["keys", "values"],
    &["upper", "lower"],
];

/// A text with one change, sometimes up to three: with every further one fewer mutants check. Tokens that it takes over come from `other` too.
pub fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut tokens: Vec<String> = tokens(text);
    let others = self::tokens(other);
    if random.below(2) == 0 {
        // These rarely make a program wrong, so that several change what it does.
        for _ in 0..1 + random.below(4) {
            quiet(&mut tokens, random);
        }
        return tokens.concat();
    }
    let changes = [1, 1, 1, 1, 2, 3][random.below(6)];
    for _ in 0..changes {
        if tokens.is_empty() {
            break;
        }
        match random.below(16) {
            0 => {
                let at = random.below(tokens.len());
                tokens.remove(at);
            }
            1 => {
                let at = random.below(tokens.len());
                tokens.insert(at, tokens[at].clone());
            }
            2 => {
                let (a, b) = (random.below(tokens.len()), random.below(tokens.len()));
                tokens.swap(a, b);
            }
            3 => {
                let (from, to) = (random.below(tokens.len()), random.below(tokens.len()));
                tokens[to] = tokens[from].clone();
            }
            4 => {
                let (from, to) = (random.below(others.len()), random.below(tokens.len()));
                tokens[to] = others[from].clone();
            }
            5 => swap_lines(&mut tokens, random),
            _ => plant(&mut tokens, random),
        }
    }
    tokens.concat()
}

/// A change that keeps the types of the program, or leaves it as it is if the place that chance chose has none.
fn quiet(tokens: &mut Vec<String>, random: &mut Random) {
    let choice = random.below(8);
    if choice < 3 {
        let values: Vec<_> = (0..tokens.len())
            .filter_map(|at| value_at(tokens, at))
            .collect();
        if !values.is_empty() {
            let (from, to) = values[random.below(values.len())];
            let new = KEPT[random.below(KEPT.len())].replace('$', &tokens[from..to].concat());
            tokens.splice(from..to, [new]);
        }
        return;
    }
    if choice == 3 {
        // A line is said twice, or its statement left out.
        let text = tokens.concat();
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        // Earlier changes may have left nothing.
        if lines.is_empty() {
            return;
        }
        let at = random.below(lines.len());
        if random.below(2) == 0 {
            lines.insert(at, lines[at]);
        } else {
            lines.remove(at);
        }
        *tokens = self::tokens(&lines.concat());
        return;
    }
    let alike: Vec<(usize, &[&str])> = (0..tokens.len())
        // The number of a tuple's element is its name.
        .filter(|&at| at == 0 || tokens[at - 1] != ".")
        .filter_map(|at| Some((at, alike(&tokens[at])?)))
        .collect();
    if !alike.is_empty() {
        let (at, group) = alike[random.below(alike.len())];
        tokens[at] = group[random.below(group.len())].to_owned();
    }
}

/// What may take the place of a token in most places.
fn alike(token: &str) -> Option<&'static [&'static str]> {
    if token.starts_with('"') && token.len() > 1 && !token.starts_with("\"\"\"") {
        return Some(TEXTS);
    }
    if token.bytes().all(|b| b.is_ascii_digit()) {
        return Some(INTEGERS);
    }
    if token.parse::<f64>().is_ok() && token.contains('.') {
        return Some(FLOATS);
    }
    ALIKE.iter().copied().find(|group| group.contains(&token))
}

/// Puts something in the place of a value, or around it, or beside it.
fn plant(tokens: &mut Vec<String>, random: &mut Random) {
    let values: Vec<(usize, usize)> = (0..tokens.len())
        .filter_map(|at| value_at(tokens, at))
        .collect();
    if values.is_empty() {
        return;
    }
    let (from, to) = values[random.below(values.len())];
    let (again, again_to) = values[random.below(values.len())];
    let value = tokens[from..to].concat();
    let planted = match random.below(8) {
        // What the program has elsewhere often fits by its type.
        0 => tokens[again..again_to].concat(),
        _ => PLANTED[random.below(PLANTED.len())].to_owned(),
    };
    let operator = OPERATORS[random.below(OPERATORS.len())];
    let new = match random.below(8) {
        0 => format!("({value} {operator} {planted})"),
        1 => format!("({planted} {operator} {value})"),
        2 => WRAPPED[random.below(WRAPPED.len())].replace('$', &value),
        3 => WRAPPED[random.below(WRAPPED.len())].replace('$', &planted),
        4 => format!("{value}, {planted}"),
        _ => planted,
    };
    tokens.splice(from..to, [new]);
}

/// The end of the value that begins at a token: a name or literal with the calls and subscripts behind it, or something in brackets.
fn value_at(tokens: &[String], at: usize) -> Option<(usize, usize)> {
    const NOT_VALUES: &[&str] = &[
        "fn", "val", "var", "me", "class", "struct", "enum", "trait", "impl", "use", "if", "else",
        "elif", "for", "in", "while", "loop", "match", "case", "return", "break", "continue",
        "and", "or", "not", "is", "as", "with", "defer", "print", "const", "static", "type",
        "mixin", "throw", "try", "catch", "finally", "pass", "describe", "it", "where", "assert",
        "nograd", "throws",
    ];
    // A name that is declared or a member is no value.
    let before = tokens[..at]
        .iter()
        .rev()
        .find(|token| !token.trim().is_empty());
    let declares = [
        "fn", "val", "var", "me", "class", "struct", "enum", "trait", "impl", "use", "for", "case",
        ".", "?.", "->", "const", "type",
    ];
    if before.is_some_and(|token| declares.contains(&token.as_str())) {
        return None;
    }
    let first = &tokens[at];
    let word = first.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '"');
    let mut end = match first.as_str() {
        "(" | "[" => closing(tokens, at)?,
        text if word && !NOT_VALUES.contains(&text) => at + 1,
        _ => return None,
    };
    loop {
        end = match tokens.get(end).map(String::as_str) {
            Some("(" | "[") => closing(tokens, end)?,
            Some("." | "?.") => (end + 2).min(tokens.len()),
            Some("!" | "?") => end + 1,
            _ => break,
        };
    }
    // A type, a label or the head of a block follows `:` or precedes it.
    let after = tokens[end..].iter().find(|token| *token != " ");
    (after.is_none_or(|token| token != ":" && token != "=")).then_some((at, end))
}

/// Behind the bracket that closes the one at `at`.
fn closing(tokens: &[String], at: usize) -> Option<usize> {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            "\n" if depth == 0 => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(index + 1);
        }
    }
    None
}

/// Two lines change places.
fn swap_lines(tokens: &mut Vec<String>, random: &mut Random) {
    let text = tokens.concat();
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (a, b) = (random.below(lines.len()), random.below(lines.len()));
    lines.swap(a, b);
    *tokens = self::tokens(&lines.concat());
}

/// Words, numbers, texts, operators of two characters, and each other character by itself.
fn tokens(text: &str) -> Vec<String> {
    const PAIRS: &[&str] = &[
        "->", "?.", "??", "==", "!=", "<=", ">=", "**", "..", "|>", "~>", "+=", "-=", "*=", ".+",
        ".*", "./",
    ];
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let end = if first == '#' {
            rest.find('\n').unwrap_or(rest.len())
        } else if first == '"' {
            text_end(rest)
        } else if word(first) {
            word_end(rest)
        } else if PAIRS.iter().any(|pair| rest.starts_with(pair)) {
            2
        } else {
            first.len_utf8()
        };
        out.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    out
}

/// The length of the name or number at the beginning; a number takes its fraction along.
fn word_end(rest: &str) -> usize {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let end = |from: usize| {
        rest[from..]
            .find(|c| !word(c))
            .map_or(rest.len(), |at| from + at)
    };
    let whole = end(0);
    let fraction = rest[whole..]
        .strip_prefix('.')
        .is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()));
    if fraction && rest[..whole].bytes().all(|b| b.is_ascii_digit()) {
        end(whole + 1)
    } else {
        whole
    }
}

/// The length of the text literal at the beginning, on one line.
fn text_end(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return at,
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    rest.len()
}
