//! Reads torch-sys's generated C++: functions, their parameters, and what their bodies tell of them.

/// A function of torch-sys, or one of the shim that takes its place.
#[derive(Clone)]
pub struct Function {
    /// Its name without `atg_`.
    pub name: String,
    /// The function of libtorch that it calls.
    pub called: String,
    /// Its parameters, as a row of a table names and types them.
    pub params: Vec<(String, &'static str)>,
    /// What comes back.
    pub result: Result,
    /// Whether it writes into tensors that are given for that.
    pub out: bool,
    /// The name of the C function that it calls.
    pub symbol: String,
}

/// What a function gives back.
#[derive(Clone, Copy)]
pub enum Result {
    /// So many new tensors.
    Tensors(usize),
    /// So many tensors, which are arguments that it has written into.
    Written(usize),
    /// A list of new tensors.
    List,
    /// Nothing.
    Unit,
    /// A scalar, by its name in a row.
    Scalar(&'static str),
}

/// All functions, in order. Panics on what it does not know: a new version of torch-sys must be reviewed.
pub fn read(source: &str) -> Vec<Function> {
    source
        .split("\n}\n")
        .filter_map(|function| {
            let (head, body) = function.split_once(") {\n")?;
            let head = head.lines().last()?;
            let (before, params) = head.split_once('(')?;
            let (result, name) = before.split_once("atg_")?;
            let called = called(body);
            let out = called.ends_with("_out") || called.ends_with("_outf");
            let params: Vec<&str> = params
                .split(", ")
                .filter(|param| !param.is_empty())
                .collect();
            Some(Function {
                name: name.to_owned(),
                called: called.to_owned(),
                params: parameters(&params, body),
                result: result_of(result.trim(), out || in_place(called), body),
                out,
                symbol: format!("atg_{name}"),
            })
        })
        .collect()
}

fn result_of(ty: &str, writes: bool, body: &str) -> Result {
    let count = body.matches("] = new torch::Tensor(").count();
    match ty {
        "void" if count == 0 => Result::Unit,
        "void" if writes => Result::Written(count),
        "void" => Result::Tensors(count),
        "tensor *" => Result::List,
        "int" => Result::Scalar("bool"),
        "int64_t" => Result::Scalar("i64"),
        "double" => Result::Scalar("f64"),
        other => panic!("result `{other}`"),
    }
}

/// The function of libtorch that a body calls, such as `add_out`.
fn called(body: &str) -> &str {
    let start = ["torch::", "self->"]
        .iter()
        .filter_map(|mark| Some(body.find(mark)? + mark.len()))
        .min()
        .unwrap_or(0);
    body[start..].split('(').next().unwrap_or_default()
}

/// Whether a function of libtorch works in place, by its name.
fn in_place(called: &str) -> bool {
    if called.starts_with("__") {
        return called.starts_with("__i");
    }
    called.ends_with('_')
}

fn parameters(params: &[&str], body: &str) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    let mut rest = params.iter().copied();
    while let Some(param) = rest.next() {
        let (ty, name) = param.rsplit_once(' ').unwrap();
        let (ty, name) = match name.strip_prefix('*') {
            Some(name) => (format!("{ty}*"), name),
            None => (ty.to_owned(), name),
        };
        if name == "out__" {
            continue;
        }
        // What a list or an optional number consists of: this parameter and the next.
        let base = match ty.as_str() {
            "tensor*" | "int64_t*" | "double*" => name.strip_suffix("_data"),
            "char*" => name.strip_suffix("_ptr"),
            "int64_t" | "double" => name
                .strip_suffix("_v")
                .filter(|base| mentions(body, &format!("{base}_null"))),
            _ => None,
        };
        if base.is_some() {
            rest.next();
        }
        let kind = match (ty.as_str(), base) {
            ("tensor", _) if body.contains(&format!("({name} ? ")) => "(tensor?)",
            ("tensor", _) => "tensor",
            ("tensor*", Some(_)) if body.contains(&format!("of_carray_tensor_opt({name},")) => {
                "[tensor?]"
            }
            ("tensor*", Some(_)) => "[tensor]",
            ("scalar", _) => "scalar",
            ("int64_t*", Some(_)) if body.contains(&format!("{name} == nullptr")) => "([i64]?)",
            ("int64_t*", Some(_)) => "[i64]",
            ("double*", Some(_)) => "[f64]",
            ("char*", Some(_)) => "text",
            ("int64_t", Some(_)) => "(i64?)",
            ("int64_t", None) => "i64",
            ("double", Some(_)) => "(f64?)",
            ("double", None) => "f64",
            ("int8_t", _) => "layout",
            ("int", _) if mentions(body, &format!("(bool){name}")) => "bool",
            ("int", _) if mentions(body, &format!("device_of_int({name})")) => "device",
            ("int", _)
                if body.contains(&format!(
                    "{name} < 0 ? c10::nullopt : c10::optional<at::ScalarType>"
                )) =>
            {
                "(dtype?)"
            }
            ("int", _) if mentions(body, &format!("at::ScalarType({name})")) => "dtype",
            _ => panic!("parameter `{param}`"),
        };
        found.push((parameter_name(base.unwrap_or(name)), kind));
    }
    // `self` and `input` at once.
    if found.iter().filter(|(name, _)| name == "input").count() == 2 {
        "self_".clone_into(&mut found[0].0);
    }
    found
}

/// Whether a text has a piece that no longer name begins with.
fn mentions(text: &str, piece: &str) -> bool {
    text.match_indices(piece).any(|(at, _)| {
        let next = text[at + piece.len()..].chars().next();
        !next.is_some_and(|next| next.is_alphanumeric() || next == '_')
    })
}

/// A parameter's name in Simple: libtorch's, unless that is a keyword of Simple or of Rust.
pub fn parameter_name(name: &str) -> String {
    match name {
        "self" => "input".to_owned(),
        "options_kind" => "dtype".to_owned(),
        "options_device" => "device".to_owned(),
        name if KEYWORDS.contains(&name) => format!("{name}_"),
        _ => name.to_owned(),
    }
}

/// The keywords of Simple and of Rust.
const KEYWORDS: [&str; 77] = [
    "abstract",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "become",
    "box",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "crate",
    "defer",
    "do",
    "dyn",
    "elif",
    "else",
    "enum",
    "export",
    "extern",
    "false",
    "final",
    "finally",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "import",
    "in",
    "is",
    "let",
    "loop",
    "macro",
    "match",
    "me",
    "mixin",
    "mod",
    "move",
    "mut",
    "nil",
    "not",
    "or",
    "override",
    "pass",
    "priv",
    "pub",
    "ref",
    "return",
    "self",
    "spawn",
    "static",
    "struct",
    "super",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "union",
    "unsafe",
    "unsized",
    "use",
    "val",
    "var",
    "virtual",
    "where",
    "while",
    "with",
    "xor",
    "yield",
    "pass_todo",
    "pass_dn",
];
