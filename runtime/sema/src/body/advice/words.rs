//! Words of PyTorch that a dtype or device never has here (W0441): `x.dtype() == "float32"` is false, as the dtype is "f32".
//!
//! The library marks what yields such words with `@words("dtype")` and `@words("device")`; they are followed through one variable
//! ([`Source`]). Functions that take a dtype or device know all words, so only comparisons are looked at.

use super::*;
use crate::codes;
use crate::typed::Pattern;
use simple_ffi_abi::dtype;
use simple_syntax::Diagnostic;

/// What a text is a word of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Words {
    Dtype,
    Device,
}

impl<'c, 'a> Body<'c, 'a> {
    /// What the words of a value mean, if the library says so.
    pub(in crate::body) fn words(&self, value: &Expr) -> Option<Words> {
        match &value.kind {
            ExprKind::Local(id) => self.meta(*id).source.words,
            ExprKind::Global(id) => self.cx.global(*id).source.words,
            ExprKind::Call(func, _) => {
                let mut annotations = self.called(*func)?.item.annotations.iter();
                let words = annotations.find(|a| a.name.name.as_str() == "words")?;
                let (_, of) = words.args.first()?;
                match crate::collect::literal_text(of)?.as_str() {
                    "dtype" => Some(Words::Dtype),
                    "device" => Some(Words::Device),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Looks at `a == b` and `a != b`.
    pub(in crate::body) fn compared_words(&mut self, a: &Expr, b: &Expr) {
        match (&a.kind, &b.kind) {
            (ExprKind::Text(word), _) => self.unknown_word(b, word, a.span),
            (_, ExprKind::Text(word)) => self.unknown_word(a, word, b.span),
            _ => {}
        }
    }

    /// Looks at `value in [...]`.
    pub(in crate::body) fn listed_words(&mut self, value: &Expr, list: &Expr) {
        if let ExprKind::Array(items) = &list.kind {
            for item in items {
                self.compared_words(value, item);
            }
        }
    }

    /// Looks at the patterns of a `match`.
    pub(in crate::body) fn matched_words(&mut self, value: &Expr, pattern: &Pattern) {
        match pattern {
            Pattern::Literal(literal) => self.compared_words(value, literal),
            Pattern::Or(patterns) => {
                for pattern in patterns {
                    self.matched_words(value, pattern);
                }
            }
            _ => {}
        }
    }

    fn unknown_word(&mut self, value: &Expr, word: &str, at: Span) {
        let Some(words) = self.words(value) else {
            return;
        };
        let (what, right) = match words {
            Words::Dtype => {
                let plain = word.strip_prefix("torch.").unwrap_or(word);
                match dtype::of_word(plain) {
                    Some(dtype) if dtype.name == word => return,
                    Some(dtype) => ("dtype", Some(dtype.name)),
                    None => ("dtype", None),
                }
            }
            Words::Device if word == "cuda" => ("device", None),
            Words::Device => return,
        };
        let message = format!("no {what} is called \"{word}\" here, so this never holds");
        let mut d = Diagnostic::warning(codes::DTYPE_WORD, at, message);
        d = match (words, right) {
            (_, Some(name)) => d
                .help(format!("the same dtype is called \"{name}\""))
                .fix(at, format!("\"{name}\"")),
            (Words::Dtype, None) => d.help(format!("dtypes are called {}", dtype::WORDS)),
            (Words::Device, None) => {
                d.help("a device has its number, as in \"cuda:0\": ask `x.is_cuda()`")
            }
        };
        self.cx.report(d);
    }
}
