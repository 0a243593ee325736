//! Advice for names that mean nothing: the nearest name, or what a word of another language is called here.
//!
//! Leaves out slips of spelling (`simple_spelling`). Callers pass the names that exist.

use crate::checker::Checker;
use crate::state::Reporting;
use crate::typed::TyId;
use simple_spelling::nearest;
use simple_syntax::ast;
use simple_syntax::{Diagnostic, Span};

impl Checker<'_> {
    /// A type under the name that other languages give it, which is understood with a warning.
    pub(crate) fn type_elsewhere(&mut self, name: ast::Ident) -> Option<TyId> {
        let (ty, wanted) = match name.name.as_str() {
            "Int" => (TyId::I64, "i64"),
            "Float" => (TyId::F64, "f64"),
            "Bool" => (TyId::BOOL, "bool"),
            _ => return None,
        };
        self.named_elsewhere(name, name.span, wanted);
        Some(ty)
    }

    /// Warns, once in a file, of a name that other languages give a type.
    pub(crate) fn named_elsewhere(&mut self, name: ast::Ident, span: Span, wanted: &str) {
        let first = self
            .reports_mut()
            .is_first_in_file(name.span.file, name.name);
        if first {
            let message = format!("`{}` is another language's name for `{wanted}`", name.name);
            let d = Diagnostic::warning(simple_syntax::codes::DEPRECATED, span, message)
                .help(format!("write `{wanted}`"))
                .fix(span, wanted);
            self.report(d);
        }
    }

    /// `name` with the nearest of `candidates` as help.
    pub(crate) fn unknown(
        &mut self,
        code: &'static str,
        span: Span,
        message: String,
        name: &str,
        candidates: &[&str],
    ) {
        self.reports_mut().offer(name, candidates.iter().copied());
        if self.reports_mut().follows_from_broken(name) {
            return;
        }
        let mut d = Diagnostic::error(code, span, message);
        if let Some(hint) = foreign_word(name) {
            d = d.help(hint);
        } else if let Some(near) = nearest(name, candidates.iter().copied()) {
            d = d.help(format!("did you mean `{near}`?")).fix(span, near);
        }
        self.report(d);
    }

    /// Like [`Checker::unknown`], for a member of a type: a slip of spelling, another language's name for it, or a list of what there is.
    pub(crate) fn unknown_of(
        &mut self,
        code: &'static str,
        span: Span,
        message: String,
        name: &str,
        members: &[&str],
    ) {
        self.unknown_of_either(code, span, message, name, (members, &[]));
    }

    /// The same with further names of the members, of which one is meant only if none of the first is.
    pub(crate) fn unknown_of_either(
        &mut self,
        code: &'static str,
        span: Span,
        message: String,
        name: &str,
        (members, further): (&[&str], &[&str]),
    ) {
        let all = members.iter().chain(further);
        self.reports_mut().offer(name, all.copied());
        if self.reports_mut().follows_from_broken(name) {
            return;
        }
        let mut d = Diagnostic::error(code, span, message);
        if let Some(copying) = name.strip_suffix('_')
            && members.contains(&copying)
        {
            let d = d.help(format!(
                "only the form that yields a new value exists; assign it: `x = x.{copying}(...)`"
            ));
            self.report(d);
            return;
        }
        let near = nearest(name, members.iter().copied());
        let known = foreign_member(name, members)
            .or_else(|| near.is_none().then(|| foreign_slip(name, members))?);
        let near = near.or_else(|| nearest(name, further.iter().copied()));
        match (known, near) {
            (Some(known), _) => {
                d = d
                    .help(format!("it is called `{known}` here"))
                    .fix(span, known);
            }
            (None, _) if let Some(help) = of_a_tensor(name, members) => d = d.help(help),
            (None, _) if let Some(help) = foreign_method(name) => d = d.help(help),
            (None, Some(near)) => d = d.help(format!("did you mean `{near}`?")).fix(span, near),
            (None, None) if !members.is_empty() && members.len() <= 8 => {
                let mut members = members.to_vec();
                members.sort_unstable();
                members.dedup();
                d = d.note(format!("there are {}", crate::modules::listing(&members)));
            }
            (None, None) => {}
        }
        self.report(d);
    }
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
        "raise" => "raise an error with `throw`, return an `Err`, or stop with `panic(...)`",
        "switch" => "write `match`",
        "unless" => "write `if not condition:`",
        "until" => "write `while not condition:`",
        "do" => "write `loop:`, and leave it with `break`",
        "repeat" => "write `for i in 0..n:`",
        "begin" | "end" | "then" => {
            "leave it out: a block begins with `:` and ends with its indentation"
        }
        "global" | "nonlocal" => "leave it out: variables of the module can be assigned anywhere",
        "del" | "delete" => "take an element out with `remove(...)`; memory is freed automatically",
        "typeof" => "write `type_of(x)`",
        "string" | "char" | "&str" => "the text type is called `text`",
        "integer" | "Integer" | "long" | "Int" | "Int64" | "Long" => "write `i64`",
        "double" | "Double" | "Float" | "real" | "number" => "write `f64`",
        "boolean" | "Boolean" | "Bool" => "write `bool`",
        "vec" | "Vec" | "Vector" | "vector" | "list" | "ArrayList" => {
            "an array type is written `[T]`"
        }
        "HashMap" | "dict" | "map" => "a dict type is written `{K: V}`",
        "torch" => {
            "no module has this name: `use lib.torch.{Tensor, tensor}`, then `Tensor.zeros([3])`; `with torch.no_grad():` is `nograd:`"
        }
        "nn" => "write `use lib.nn.{Linear, ReLU}`, then `Linear(2, 3)`",
        "np" | "numpy" => "tensors take its place: `use lib.torch.{Tensor, tensor}`",
        "tuple" | "Tuple" => {
            "a tuple type is written `(A, B)`; a parameter without a type takes values of any"
        }
        "set" | "HashSet" => "a set type is written `Set<T>`",
        "Optional" | "Maybe" => "an optional type is written `T?`",
        "Box" | "Rc" | "Arc" => "leave it out: instances of classes are shared references",
        _ => return None,
    })
}

/// What is written for a function of another language that is called like one.
pub(crate) fn foreign_function(name: &str) -> Option<&'static str> {
    Some(match name {
        "range" => "write `0..n`, or `range(a, b)`",
        "sorted" => "write `xs.sorted()`",
        "reversed" => "write `xs.reversed()`",
        "enumerate" => "write `for (i, x) in xs.enumerate():`",
        "zip" => "write `xs.zip(ys)`",
        "sum" => "write `xs.sum()`",
        "any" => "write `xs.any(\\x: ...)`",
        "all" => "write `xs.all(\\x: ...)`",
        "map" => "write `xs.map(f)`",
        "filter" => "write `xs.filter(f)`",
        "reduce" => "write `xs.reduce(f)`",
        "open" => {
            "read a file with `file_read(path)`, write one with `file_write(path, content)`: `use std.io.{file_read, file_write}`"
        }
        "type" => "write `type_of(x)`",
        "isinstance" => "write `x is T`",
        "ord" => "write `c.ord()`",
        "chr" => "write `n.chr()`",
        "repr" => "write `x.to_string()`, or `\"{x}\"`",
        "format" => "write the format into a text: `\"{x:.2f}\"`",
        "bool" => "write a comparison: `x != 0`, `xs.len() > 0`",
        "pow" => "write `x ** n`",
        "randn" | "rand" | "randint" | "randperm" | "zeros" | "ones" | "eye" | "arange"
        | "linspace" => {
            "it makes a tensor as a method of its class: `use lib.torch.{Tensor}`, then `Tensor.zeros([2, 3])`, `Tensor.randn([2, 3])`"
        }
        "mean" | "sigmoid" | "softmax" | "matmul" => {
            "write it as a method, `x.mean()`; in a formula, `m{ mean(x) }`, it is a function"
        }
        "divmod" => "write `(a.fdiv(b), a - a.fdiv(b) * b)`",
        "hex" => "write `\"{n:#x}\"`",
        "bin" => "write `\"{n:#b}\"`",
        "oct" => "write `\"{n:#o}\"`",
        "iter" | "next" => "write a loop, `for x in xs:`, or read `xs[0]`",
        "getattr" | "setattr" | "hasattr" => {
            "the fields of a type are known before the program runs: write `x.name`"
        }
        "super" => {
            "classes do not inherit: call the method of the field that holds the other object"
        }

        _ => return None,
    })
}

/// What is written instead of a setting that a library of another language has.
pub(crate) fn foreign_setting(name: &str) -> Option<&'static str> {
    Some(match name {
        "inplace" => {
            "leave it out: layers yield a new tensor, and the memory of the old one is used again"
        }
        "sparse" => {
            "leave it out: the gradients of its rows are dense, and there are no sparse ones"
        }
        "device" => "make it, then move it: `.to(\"cuda\")`",
        "dtype" => "make it, then convert it: `.to_dtype(\"f64\")`",
        "num_workers" | "pin_memory" | "persistent_workers" | "prefetch_factor" => {
            "leave it out: batches are read ahead without further processes"
        }
        "requires_grad" => "make it, then call `.requires_grad_()`",
        "foreach" | "capturable" | "differentiable" => {
            "leave it out: parameters are changed together where that is faster"
        }
        _ => return None,
    })
}

/// What is written for a method that needs an argument here and none elsewhere.
pub(crate) fn without_argument(name: &str) -> Option<&'static str> {
    Some(match name {
        "size" => "all sizes are `x.shape()`",
        _ => return None,
    })
}

/// What is written for a method of another language that has no counterpart of another name here.
fn foreign_method(name: &str) -> Option<&'static str> {
    Some(match name {
        "format" => "values are written in the text itself: `\"{name}: {price:.2f}\"`",
        "encode" => "write `bytes()`",
        "iteritems" | "entries" => "a loop yields key and value: `for (key, value) in d:`",
        "astype" => "convert numbers with `as`: `x as f64`",
        "casefold" => "write `lower()`",
        "isupper" => "write `s == s.upper()`",
        "islower" => "write `s == s.lower()`",
        "iter" | "into_iter" | "iter_mut" => {
            "leave it out: arrays have `map`, `filter`, `sum` and the others themselves"
        }
        "popitem" => "take a key from `keys()`, and its value with `remove(key)`",
        _ => return None,
    })
}

/// What is written for a member that PyTorch's tensors have, if these are the members of a tensor.
fn of_a_tensor(name: &str, members: &[&str]) -> Option<&'static str> {
    if !members.contains(&"requires_grad_") {
        return None;
    }
    Some(match name {
        "numpy" => "the numbers are `x.to_list()`, and those of a matrix `x.to_rows()`",
        "data" => "write `x.detach()`; numbers are changed in `nograd:`",
        _ => return None,
    })
}

/// Methods and fields of other languages, without `_`, and what they are called here.
const FOREIGN_MEMBERS: &[(&[&str], &[&str])] = &[
    (&["size", "length", "count"], &["len"]),
    (&["touppercase", "uppercase", "toupper"], &["upper"]),
    (&["tolowercase", "lowercase", "tolower"], &["lower"]),
    (
        &["includes", "contain", "containskey", "haskey"],
        &["contains", "contains_key"],
    ),
    (&["foreach"], &["each"]),
    (&["add", "pushback", "append"], &["push", "add"]),
    (&["indexof"], &["index_of", "find"]),
    (&["tostr", "string", "str"], &["to_string"]),
    (&["select", "collect"], &["map"]),
    (&["where"], &["filter"]),
    (&["inject", "foldl", "aggregate"], &["fold", "reduce"]),
    (&["head", "front"], &["first"]),
    (&["back"], &["last"]),
    (&["strip"], &["trim"]),
    (&["lstrip", "trimleft"], &["trim_start"]),
    (&["rstrip", "trimright"], &["trim_end"]),
    (&["ljust"], &["pad_right"]),
    (&["rjust"], &["pad_left"]),
    (&["isspace"], &["is_whitespace"]),
    (&["isalnum"], &["is_alphanumeric"]),
    (&["update"], &["extend", "union"]),
    (&["pop", "discard", "removekey"], &["remove"]),
    (&["difference"], &["diff"]),
    (&["intersection"], &["intersect"]),
    (&["symmetricdifference"], &["sym_diff"]),
    (&["pushstr"], &["concat"]),
];

/// What a method or field of another language is called here, if the type has it.
pub(crate) fn foreign_member<'n>(name: &str, members: &[&'n str]) -> Option<&'n str> {
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let spelled = plain(name);
    // `t.add_(x)` changes `t`, `t.add(x)` does not: one is not another spelling of the other.
    let in_place = name.ends_with('_');
    let same = members
        .iter()
        .copied()
        .filter(|member| member.ends_with('_') == in_place)
        .find(|member| *member != name && plain(member) == spelled);
    same.or_else(|| (!in_place).then(|| called_here(&spelled, members))?)
}

/// The same for a word that is misspelled: `lenght`.
pub(crate) fn foreign_slip<'n>(name: &str, members: &[&'n str]) -> Option<&'n str> {
    if name.ends_with('_') {
        return None;
    }
    let spelled = name.replace('_', "").to_lowercase();
    let words = FOREIGN_MEMBERS.iter().flat_map(|(words, _)| *words);
    called_here(nearest(&spelled, words.copied())?, members)
}

/// The member that a word of [`FOREIGN_MEMBERS`] means.
fn called_here<'n>(word: &str, members: &[&'n str]) -> Option<&'n str> {
    let (_, known) = FOREIGN_MEMBERS
        .iter()
        .find(|(words, _)| words.contains(&word))?;
    let find = |wanted: &str| members.iter().copied().find(|member| *member == wanted);
    known.iter().find_map(|wanted| find(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_other_languages_are_known_if_the_type_has_them() {
        let members = ["len", "upper", "starts_with"];
        assert_eq!(foreign_member("size", &members), Some("len"));
        assert_eq!(foreign_member("startsWith", &members), Some("starts_with"));
        assert_eq!(foreign_member("toUpperCase", &members), Some("upper"));
        assert_eq!(foreign_member("forEach", &members), None);
        let members = ["add_", "addcmul", "len"];
        assert_eq!(foreign_member("addcmul_", &members), None);
        assert_eq!(foreign_member("add", &members), None);
        assert_eq!(foreign_member("size_", &members), None);
        let members = ["len"];
        assert_eq!(foreign_member("lenght", &members), None);
        assert_eq!(foreign_slip("lenght", &members), Some("len"));
        assert_eq!(foreign_slip("weight", &members), None);
    }
}
