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
        // Where more than half of the shorter name differs, or all of a single letter, the other one was hardly meant.
        let (long, short) = lengths(name, candidate);
        if distance > limit || distance >= long || 2 * distance > short.max(2) {
            continue;
        }
        if best.is_none_or(|(d, c)| (distance, candidate) < (d, c)) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// How many characters the longer and the shorter of the two have.
fn lengths(a: &str, b: &str) -> (usize, usize) {
    let (a, b) = (a.chars().count(), b.chars().count());
    (a.max(b), a.min(b))
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
        "printf" | "puts" | "echo" | "console" | "System" | "fmt" | "cout" => {
            "write `print`, with values in braces: `print \"{x}\"`"
        }
        "elseif" | "elsif" => "write `elif`",
        "switch" => "write `match`",
        "unless" => "write `if not condition:`",
        "until" => "write `while not condition:`",
        "do" => "write `loop:`, and leave it with `break`",
        "repeat" => "write `for i in 0..n:`",
        "begin" | "end" | "then" => {
            "leave it out: a block begins with `:` and ends with its indentation"
        }
        "global" | "nonlocal" => "leave it out: variables of the module can be assigned anywhere",
        "del" | "delete" => "take an element out with `remove(...)`; memory is freed by itself",
        "typeof" => "write `type_of(x)`",
        "string" | "char" | "&str" => "the text type is called `text`",
        "integer" | "Integer" | "long" | "Int" | "Int64" | "Long" => "write `i64`",
        "double" | "Double" | "Float" | "real" | "number" => "write `f64`",
        "boolean" | "Boolean" | "Bool" => "write `bool`",
        "vec" | "Vec" | "Vector" | "vector" | "list" | "ArrayList" => {
            "an array type is written `[T]`"
        }
        "HashMap" | "dict" | "map" => "a dict type is written `{K: V}`",
        "set" | "HashSet" => "a set type is written `Set<T>`",
        "Optional" | "Maybe" => "an optional type is written `T?`",
        "Box" | "Rc" | "Arc" => "leave it out: instances of classes are shared references",
        _ => return None,
    })
}

/// What a method or field of another language is called here, if the type has it.
pub(crate) fn foreign_member<'n>(name: &str, members: &[&'n str]) -> Option<&'n str> {
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let spelled = plain(name);
    let known: &[&str] = match spelled.as_str() {
        "size" | "length" | "count" => &["len"],
        "touppercase" | "uppercase" | "toupper" => &["upper"],
        "tolowercase" | "lowercase" | "tolower" => &["lower"],
        "includes" | "contain" | "containskey" | "haskey" => &["contains", "contains_key"],
        "foreach" => &["each"],
        "add" | "pushback" | "append" => &["push", "add"],
        "indexof" => &["index_of", "find"],
        "tostr" | "string" | "str" => &["to_string"],
        "select" | "collect" => &["map"],
        "where" => &["filter"],
        "inject" | "foldl" | "aggregate" => &["fold", "reduce"],
        "first" | "head" | "front" => &["first"],
        "back" => &["last"],
        "strip" => &["trim"],
        _ => &[],
    };
    let find = |wanted: &str| members.iter().copied().find(|member| *member == wanted);
    members
        .iter()
        .copied()
        .find(|member| *member != name && plain(member) == spelled)
        .or_else(|| known.iter().find_map(|wanted| find(wanted)))
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
        assert_eq!(nearest("foo", ["pow", "fdiv"]), None);
        assert_eq!(nearest("Point", ["int"]), None);
        assert_eq!(nearest("x", ["xs"]), Some("xs"));
    }

    #[test]
    fn members_of_other_languages_are_known_if_the_type_has_them() {
        let members = ["len", "upper", "starts_with"];
        assert_eq!(foreign_member("size", &members), Some("len"));
        assert_eq!(foreign_member("startsWith", &members), Some("starts_with"));
        assert_eq!(foreign_member("toUpperCase", &members), Some("upper"));
        assert_eq!(foreign_member("forEach", &members), None);
    }
}
