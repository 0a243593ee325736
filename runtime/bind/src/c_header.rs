//! A header of C for the functions that modules of Simple declare: the opposite of bindings, for a library that is written with SFFI.
//!
//! A library in Rust has its functions in a table and the declarations in a module; a program in C or C++ that calls it as well includes
//! this header beside `simple_ffi.h`. The modules are parsed, and what is above a declaration as comment or documentation goes along.
//! Functions with other types than those of SFFI are of plain C: their header is the library's own, so they are only listed at the end.
//! How a type is written in C is known by `simple_ffi_abi::describe`.

use simple_ffi_abi::describe::c_prototype;
use simple_ffi_abi::{SffiParam, SffiType};
use simple_syntax::ast::{Annotation, ExprKind, ExternFnDecl, Item, ItemKind, StmtKind, TextPart};
use simple_syntax::{Severity, SourceMap};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Words that C or C++ has for itself, and that Simple takes as names.
const KEYWORDS: &str = " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await \
    co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast \
    else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr \
    operator or or_eq private protected public register reinterpret_cast requires restrict return short signed sizeof static static_assert \
    static_cast struct switch template this thread_local throw true try typedef typeid typename typeof union unsigned using virtual void \
    volatile wchar_t while xor xor_eq ";

/// A header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CHeader {
    /// The text of the header.
    pub text: String,
    /// How many functions it declares.
    pub functions: usize,
    /// How many functions of the modules it leaves out; the text says why.
    pub left_out: usize,
}

/// The header of the functions that modules declare, each with its name and its text. `guard` is the macro that keeps it from being read
/// twice; [`guard`] makes one.
///
/// # Errors
///
/// The place and the message of the first mistake in a module that does not parse, or that no module declares a function of SFFI.
pub fn c_header(modules: &[(String, String)], guard: &str) -> Result<CHeader, String> {
    let mut sources = SourceMap::default();
    let mut writer = Writer::default();
    for (name, text) in modules {
        let file = sources.add(name, text);
        let (tree, problems) = simple_syntax::parse(file, text);
        if let Some(problem) = problems.iter().find(|d| d.severity == Severity::Error) {
            let line = sources.position(problem.span).line;
            return Err(format!("{name}:{line}: {}", problem.message));
        }
        let items: Vec<&Item> = (tree.stmts.iter())
            .filter_map(|stmt| match &stmt.kind {
                StmtKind::Item(item) => Some(&**item),
                _ => None,
            })
            .collect();
        let handles = items.iter().filter_map(|item| match &item.kind {
            ItemKind::ExternType(handle) => Some(handle.name.as_str()),
            _ => None,
        });
        let handles: HashSet<&str> = handles.collect();
        writer.begin(name);
        for item in items {
            if let ItemKind::ExternFn(decl) = &item.kind {
                let line = sources.position(item.span).line as usize;
                let declared =
                    declared(decl, &item.annotations, |span| sources.text(span), &handles);
                writer.function(item, declared, (name, line, text));
            }
        }
    }
    writer.finish(guard)
}

/// The macro for a header of this name, such as `SIMPLE_TORCH_H` for `simple_torch.h`.
pub fn guard(file: &str) -> String {
    let stem = file.strip_suffix(".h").unwrap_or(file);
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    let name: String = stem.chars().map(plain).collect();
    match name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        true => format!("{name}_H"),
        false => format!("HEADER_{name}_H"),
    }
}

/// The C name of a function with its prototype, or why it has none.
fn declared<'t>(
    decl: &ExternFnDecl,
    annotations: &[Annotation],
    text_of: impl Fn(simple_syntax::Span) -> &'t str,
    handles: &HashSet<&str>,
) -> (String, Result<String, String>) {
    let symbol = symbol(annotations).unwrap_or_else(|| decl.name.name.as_str().to_owned());
    let unknown = |written: &str| format!("`{written}` is not a type of SFFI");
    let param_type = |written: &str| match handles.contains(written) {
        true => Ok(SffiParam::of(SffiType::I64)),
        false => SffiParam::named(written).ok_or_else(|| unknown(written)),
    };
    let result_type = |written: &str| match handles.contains(written) {
        true => Ok(SffiType::I64),
        false => {
            (SffiType::named(written).filter(|ty| ty.is_result())).ok_or_else(|| unknown(written))
        }
    };
    let prototype = || {
        if decl.variadic.is_some() {
            return Err("`...` is of plain C".to_owned());
        }
        let mut params = Vec::new();
        for param in &decl.params {
            let name = param.name.name.as_str();
            if param.out {
                return Err(format!("`out {name}` is of plain C"));
            }
            let ty = param.ty.as_ref().map_or("", |ty| text_of(ty.span));
            let name = match KEYWORDS.contains(&format!(" {name} ")) {
                true => format!("{name}_"),
                false => name.to_owned(),
            };
            params.push((name, param_type(ty)?));
        }
        let result = match &decl.ret {
            Some(ty) => result_type(text_of(ty.span))?,
            None => SffiType::Unit,
        };
        let params: Vec<(&str, SffiParam)> = params
            .iter()
            .map(|(name, ty)| (name.as_str(), *ty))
            .collect();
        Ok(c_prototype(&symbol, &params, result))
    };
    let prototype = prototype();
    (symbol, prototype)
}

/// `@Lib("words", symbol: "words_count")`: the symbol.
fn symbol(annotations: &[Annotation]) -> Option<String> {
    let args = annotations.iter().flat_map(|annotation| &annotation.args);
    let mut named =
        args.filter(|(label, _)| label.is_some_and(|label| label.name.as_str() == "symbol"));
    named.next().and_then(|(_, value)| match &value.kind {
        ExprKind::Text(parts) => match &parts[..] {
            [TextPart::Literal(symbol)] => Some(symbol.to_string()),
            _ => None,
        },
        _ => None,
    })
}

/// The lines of documentation of an item: its own, or the comments right above it.
fn documentation(item: &Item, text: &str) -> Vec<String> {
    if let Some(docs) = &item.docs {
        return docs.lines().map(|line| line.trim().to_owned()).collect();
    }
    let above = text[..item.span.lo as usize].lines().rev();
    let comments = above.map_while(|line| Some(line.strip_prefix('#')?.trim().to_owned()));
    let mut lines: Vec<String> = comments.collect();
    lines.reverse();
    lines
}

/// What becomes a header.
#[derive(Default)]
struct Writer {
    body: String,
    /// The module whose functions come next, until it has one.
    module: Option<String>,
    /// The prototypes by their names.
    known: HashMap<String, String>,
    left_out: Vec<String>,
}

impl Writer {
    fn begin(&mut self, module: &str) {
        self.module = Some(module.to_owned());
    }

    fn function(
        &mut self,
        item: &Item,
        (name, prototype): (String, Result<String, String>),
        (module, line, text): (&str, usize, &str),
    ) {
        let left_out = match (&prototype, self.known.get(&name)) {
            (Err(reason), _) => Some(reason.clone()),
            // Modules may declare a function again.
            (Ok(prototype), Some(known)) if known == prototype => return,
            (Ok(_), Some(known)) => Some(format!("it is declared before as `{known}`")),
            (Ok(_), None) => None,
        };
        if let Some(reason) = left_out {
            self.left_out
                .push(format!("{module}:{line}: {name}: {reason}"));
            return;
        }
        let docs = documentation(item, text);
        let first = self.module.take();
        if let Some(module) = &first {
            self.body.push('\n');
            comment(&mut self.body, &[format!("From {module}.")]);
        }
        // Functions without documentation are not set apart by blank lines.
        if first.is_some() || !docs.is_empty() {
            self.body.push('\n');
        }
        if !docs.is_empty() {
            comment(&mut self.body, &docs);
        }
        let prototype = prototype.unwrap_or_default();
        let _ = writeln!(self.body, "{prototype};");
        self.known.insert(name, prototype);
    }

    fn finish(self, guard: &str) -> Result<CHeader, String> {
        if self.known.is_empty() {
            let reason = self.left_out.first().map(|first| format!(": {first}"));
            let reason = reason.unwrap_or_default();
            return Err(format!("there is no foreign function of SFFI{reason}"));
        }
        let mut text = String::new();
        let head = [
            "Foreign functions for programs in C and C++; made by `simple bind --header`.",
            "",
            "simple_ffi.h is in ffi/abi/include of Simple. Before anything else a program calls simple_ffi_init with its own host; handles belong",
            "to the thread that made them.",
        ];
        comment(&mut text, &head.map(str::to_owned));
        let _ = write!(
            text,
            "#ifndef {guard}\n#define {guard}\n\n#include \"simple_ffi.h\"\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n{}\n#ifdef __cplusplus\n}} // extern \"C\"\n#endif\n\n",
            self.body
        );
        if !self.left_out.is_empty() {
            let mut lines = vec!["Left out:".to_owned()];
            lines.extend(self.left_out.iter().cloned());
            comment(&mut text, &lines);
            text.push('\n');
        }
        let _ = writeln!(text, "#endif /* {guard} */");
        Ok(CHeader {
            text,
            functions: self.known.len(),
            left_out: self.left_out.len(),
        })
    }
}

/// Writes lines as a comment.
fn comment(out: &mut String, lines: &[String]) {
    // Neither ends the comment early nor begins another one in it.
    let plain = |line: &String| line.replace("*/", "* /").replace("/*", "/ *");
    match lines {
        [line] => {
            let _ = writeln!(out, "/* {} */", plain(line));
        }
        _ => {
            out.push_str("/*\n");
            for line in lines {
                let _ = writeln!(out, "{}", format!(" * {}", plain(line)).trim_end());
            }
            out.push_str(" */\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Result<CHeader, String> {
        c_header(&[("words.spl".to_owned(), text.to_owned())], "WORDS_H")
    }

    #[test]
    fn each_function_is_a_prototype_with_its_words() {
        let text = "\
# The library words.

extern type Words

# How many words there are.
#
# In a /* text */.
@Lib(\"words\", symbol: \"words_count\") @fails(-1)
extern fn count(words: Words, new: text, limits: [f32]) -> i64
@Lib(\"words\")
## Begins.
extern fn words_new(small: i8, on: bool) -> Words
extern fn words_free(words: i64)
extern fn words_all() -> [text]
val x = 1
";
        let header = made(text).unwrap();
        assert_eq!((header.functions, header.left_out), (4, 0));
        let (_, body) = header.text.split_once("#ifndef WORDS_H").unwrap();
        assert_eq!(
            body,
            "\n#define WORDS_H\n\n#include \"simple_ffi.h\"\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n\
             /* From words.spl. */\n\n\
             /*\n * How many words there are.\n *\n * In a / * text * /.\n */\n\
             int64_t words_count(int64_t words, const uint8_t *new_, int64_t new__length, const float *limits, int64_t limits_length);\n\n\
             /* Begins. */\nint64_t words_new(int8_t small, uint8_t on);\n\
             void words_free(int64_t words);\n\
             SffiBuffer words_all(void);\n\n\
             #ifdef __cplusplus\n} // extern \"C\"\n#endif\n\n#endif /* WORDS_H */\n"
        );
    }

    #[test]
    fn what_is_of_plain_c_is_listed() {
        let text = "extern fn a(x: i64)\nextern fn a(x: i64)\nextern fn a(x: f64)\n@Lib(\"c\")\nextern fn b(s: cstr)\n\
            @Lib(\"c\")\nextern fn c(out x: i64)\n@Lib(\"c\")\nextern fn d(s: i64, ...)\n";
        let header = made(text).unwrap();
        assert_eq!((header.functions, header.left_out), (1, 4));
        let (_, rest) = header.text.split_once("Left out:").unwrap();
        for line in [
            "words.spl:3: a: it is declared before as `void a(int64_t x)`",
            "words.spl:4: b: `cstr` is not a type of SFFI",
            "words.spl:6: c: `out x` is of plain C",
            "words.spl:8: d: `...` is of plain C",
        ] {
            assert!(rest.contains(line), "{rest}");
        }
    }

    #[test]
    fn without_functions_there_is_no_header() {
        assert_eq!(
            made("val x = 1").unwrap_err(),
            "there is no foreign function of SFFI"
        );
        let plain = made("@Lib(\"c\")\nextern fn b(s: cstr)").unwrap_err();
        assert_eq!(
            plain,
            "there is no foreign function of SFFI: words.spl:1: b: `cstr` is not a type of SFFI"
        );
        assert!(
            made("\nextern fn (")
                .unwrap_err()
                .starts_with("words.spl:2: ")
        );
    }

    #[test]
    fn guards_are_macros() {
        assert_eq!(guard("simple_torch.h"), "SIMPLE_TORCH_H");
        assert_eq!(guard("my-words 2"), "MY_WORDS_2_H");
        assert_eq!(guard("2.h"), "HEADER_2_H");
    }
}
