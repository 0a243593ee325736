//! What spec files (`*_spec.spl`, `*_test.spl`) have beyond other programs: the words of `std.spec` without an import, `expect cond` as a
//! statement, and functions marked `@test` as examples (`doc/language/tests.md`).
//!
//! The words themselves are functions of the library; the checker knows three of them by name.

use super::args::Given;
use super::*;
use crate::modules::Exported;
use crate::typed::Stmt;
use simple_syntax::ast::{self, Ident, ItemKind};

/// The module that has the words.
const SPEC_MODULE: &[&str] = &["std", "spec"];

/// Begins an expectation, `expect(sum).to_equal(6)`; as a whole statement it asserts a condition.
const EXPECT: &str = "expect";

/// `(bool, text, text)`: what such a statement calls, with the condition, its source text and what it is about.
const EXPECT_THAT: &str = "expect_that";

/// `(text)`: leaves out an example; as a whole statement it needs no parentheses.
const SKIP: &str = "skip";

/// `(name, function)`: runs an example.
const EXAMPLE: &str = "it";

/// The same for an example marked `@skip`.
const SKIPPED_EXAMPLE: &str = "skip_it";

/// `()`: what runs at the end of the file.
const END: &str = "leave_group";

impl<'a> Checker<'a> {
    /// Whether a file of this path is a spec file.
    pub(crate) fn is_spec(path: &str) -> bool {
        path.ends_with("_spec.spl") || path.ends_with("_test.spl")
    }

    /// What a word means in a spec file that does not declare or import it.
    pub(crate) fn spec_word(&mut self, module: ModIdx, name: Symbol) -> Option<Def> {
        if !Checker::is_spec(&self.modules()[module].path) {
            return None;
        }
        let words = self.load_library(SPEC_MODULE)?;
        match self.exported(words, name, 0) {
            Exported::Found(def) => Some(def),
            _ => None,
        }
    }

    /// A function of the module of words, exported or not.
    fn spec_function(&mut self, name: &str) -> Option<FnIdx> {
        self.library_function(SPEC_MODULE, Symbol::intern(name))
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// The function of the library that a word means here; one of that name that is not the library's keeps its own meaning.
    fn found_word(&mut self, name: Ident, word: &str) -> Option<FnIdx> {
        if name.name.as_str() != word {
            return None;
        }
        let Some(scope::Found::Def(Def::Fn(found))) = self.find(name.name) else {
            return None;
        };
        let module = self.cx.decls()[found].module;
        let own = self.cx.modules()[module].library && self.cx.spec_function(word) == Some(found);
        own.then_some(found)
    }

    /// A statement that is nothing but `expect cond` or `expect(cond)`: the call that asserts it; or `skip`.
    pub(crate) fn expect_statement(&mut self, e: &'a ast::Expr) -> Option<Expr> {
        if let ast::ExprKind::Name(name) = &e.kind {
            let skip = self.found_word(*name, SKIP)?;
            return Some(self.call_fn(skip, &[], None, &[], Vec::new(), Want::Discard, e.span));
        }
        let ast::ExprKind::Call(call) = &e.kind else {
            return None;
        };
        let (ast::ExprKind::Name(name), [arg, about @ ..], None) =
            (&call.callee.kind, &call.args[..], &call.block)
        else {
            return None;
        };
        if about.len() > 1 {
            return None;
        }
        self.found_word(*name, EXPECT)?;
        let that = self.cx.spec_function(EXPECT_THAT)?;
        let condition = self.cx.input().text(arg.value.span).to_owned();
        let condition = self.mk(ExprKind::Text(condition), TyId::TEXT, arg.value.span);
        let mut args = vec![Given::ast(None, &arg.value), Given::typed(condition)];
        args.extend(
            about
                .iter()
                .map(|about| Given::ast(about.label, &about.value)),
        );
        Some(self.call_fn(that, &[], None, &[], args, Want::Discard, e.span))
    }

    /// What a spec file runs after its statements: functions marked `@test` as examples, then the hooks of the whole file.
    pub(crate) fn end_of_spec(&mut self, tree: &'a ast::Module, out: &mut Vec<Stmt>) {
        for stmt in &tree.stmts {
            let ast::StmtKind::Item(item) = &stmt.kind else {
                continue;
            };
            let ItemKind::Fn(decl) = &item.kind else {
                continue;
            };
            let marked = |word: &str| {
                item.annotations
                    .iter()
                    .any(|annotation| annotation.name.name.as_str() == word)
            };
            if !marked("test") {
                continue;
            }
            let word = if marked("skip") {
                SKIPPED_EXAMPLE
            } else {
                EXAMPLE
            };
            let name = decl.name;
            if let Some(word) = self.cx.spec_function(word)
                && let Some(call) = self.example_call(word, name)
            {
                let span = name.span;
                out.push(Stmt {
                    kind: StmtKind::Expr(call),
                    span,
                });
            }
        }
        out.extend(self.file_end(tree));
    }

    fn file_end(&mut self, tree: &ast::Module) -> Option<Stmt> {
        let end = self.cx.spec_function(END)?;
        let span = Span {
            lo: tree.span.hi,
            ..tree.span
        };
        let call = self.call_fn(end, &[], None, &[], Vec::new(), Want::Discard, span);
        Some(Stmt {
            kind: StmtKind::Expr(call),
            span,
        })
    }

    fn example_call(&mut self, word: FnIdx, name: Ident) -> Option<Expr> {
        let def = self.cx.lookup(self.scopes.types().module, name.name)?;
        let body = self.def_value(def, name, Want::Any);
        let title = name.name.as_str().to_owned();
        let title = self.mk(ExprKind::Text(title), TyId::TEXT, name.span);
        let args = vec![Given::typed(title), Given::typed(body)];
        Some(self.call_fn(word, &[], None, &[], args, Want::Discard, name.span))
    }
}
