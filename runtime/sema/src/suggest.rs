//! Nearest names for messages: edit distance with transpositions, and words of other languages.
//!
//! Leaves out where candidates come from; callers pass them.

/// The candidate nearest to `name`, if one is near enough to be meant.
pub fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = match name.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    let folded = name.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate == name || candidate.is_empty() {
            continue;
        }
        let distance = if candidate.to_lowercase() == folded {
            0
        } else {
            edit_distance(name, candidate, limit)
        };
        // A name that shares no letter with the other is no likely slip.
        if distance > limit || distance >= name.chars().count().max(candidate.chars().count()) {
            continue;
        }
        if best.is_none_or(|(d, c)| (distance, candidate) < (d, c)) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Damerau-Levenshtein distance (adjacent transpositions count one), or `limit + 1` when it is greater.
fn edit_distance(a: &str, b: &str, limit: usize) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > limit || a.len() > 64 || b.len() > 64 {
        return limit + 1;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let substitute = previous[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut cost = substitute.min(previous[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(before[j - 2] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut previous, row);
    }
    previous[b.len()]
}

/// What a word of another language is called here.
pub(crate) fn foreign_word(name: &str) -> Option<&'static str> {
    Some(match name {
        "True" => "write `true`",
        "False" => "write `false`",
        "None" | "null" | "NULL" | "undefined" | "nullptr" => "write `nil`",
        "this" => "write `self`, or the bare field name",
        "new" => "construct a value by its type's name: `Point(x: 1, y: 2)`",
        "function" | "def" | "func" | "fun" => "functions are declared with `fn`",
        "interface" | "protocol" => "write `trait`",
        "printf" | "puts" | "echo" | "console" => {
            "write `print`, with values in braces: `print \"{x}\"`"
        }
        "elseif" | "elsif" => "write `elif`",
        "switch" => "write `match`",
        "string" | "char" | "&str" => "the text type is called `text`",
        "integer" | "long" => "write `i64`",
        "double" => "write `f64`",
        "boolean" => "write `bool`",
        "vec" | "Vec" | "Vector" => "an array type is written `[T]`",
        "HashMap" => "a dict type is written `{K: V}`",
        _ => return None,
    })
}

/// What a method of another language is called here.
pub(crate) fn foreign_method(name: &str) -> Option<&'static str> {
    Some(match name {
        "size" | "length" | "count" => "len",
        "add" | "push_back" | "append" => "push",
        "forEach" | "foreach" => "each",
        "select" | "where" => "filter",
        "collect" => "map",
        "inject" | "foldl" | "aggregate" => "fold",
        "includes" | "include" => "contains",
        "indexOf" => "index_of",
        "toString" => "to_string",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_leaves_strangers_alone() {
        assert_eq!(nearest("lenght", ["length", "height"]), Some("length"));
        assert_eq!(nearest("pritn", ["print", "point"]), Some("print"));
        assert_eq!(nearest("Point", ["point"]), Some("point"));
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("alpha", ["omega", "zeta"]), None);
    }
}
