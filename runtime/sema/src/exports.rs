//! Functions that C calls by their names: `export extern fn` with a body.
//!
//! Each is a function of the program like any other, and besides what a library for C has ([`Export`]): how C's
//! arguments become values of the program and its result one of C. Leaves out how types cross (`foreign.rs`) and the
//! function that C calls, which lowering makes (`middle/lower/export.rs`).

use crate::checker::Checker;
use crate::codes;
use crate::decls::{FnIdx, TypeScope};
use crate::foreign::{Crossing, is_passed};
use crate::typed::*;
use simple_ffi_abi::contract::Annotations;
use simple_ffi_abi::foreign::ForeignFn;
use simple_syntax::ast::FnDecl;
use simple_syntax::{Diagnostic, Span};

impl Checker<'_> {
    /// Checks a function that C calls, and enters it into the program.
    pub(crate) fn check_export(&mut self, idx: FnIdx) {
        let info = &self.decls()[idx];
        let (decl, item) = (info.decl, info.item);
        let scope = TypeScope {
            module: info.module,
            env: self.empty_env(),
            self_ty: None,
        };
        let symbol = decl.name.name.as_str();
        if symbol == "main" {
            let message = "C calls the function `main` of its own program";
            let d = Diagnostic::error(codes::FOREIGN_FORM, decl.name.span, message);
            self.report(d.help("give the function another name"));
            return;
        }
        if let Some(other) = self.output().export(symbol) {
            let (message, other) = (
                format!("two functions for C are called `{symbol}`"),
                other.span,
            );
            let d = Diagnostic::error(codes::FOREIGN_FORM, decl.name.span, message);
            let d = d.related(other, "the other one");
            self.report(d.help("C knows a function by its name alone; rename one of them"));
            return;
        }
        let mut params = Vec::with_capacity(decl.params.len());
        let mut whole = true;
        for param in &decl.params {
            // The parser reported a missing type.
            let Some(written) = &param.ty else { return };
            let Crossing { ty, foreign } = self.foreign_type(written, &scope);
            self.note_pointee(ty);
            let fits = foreign.filter(is_taken);
            let Some(foreign) = fits else {
                self.cannot_cross_to_c(ty, TAKEN, written.span);
                whole = false;
                continue;
            };
            let given = match &foreign {
                Foreign::Function(function) => {
                    Some(self.given_function(ty, function, param.name.span))
                }
                _ => None,
            };
            params.push(ExportParam {
                name: param.name.name.as_str().to_owned(),
                ty,
                foreign,
                given,
            });
        }
        let ret = match &decl.ret {
            Some(ty) => self.foreign_type(ty, &scope),
            None => Crossing::UNIT,
        };
        self.note_pointee(ret.ty);
        let result = ret.foreign.filter(is_yielded);
        let Some(result) = result else {
            let span = decl.ret.as_ref().map_or(decl.head, |ret| ret.span);
            self.cannot_cross_to_c(ret.ty, YIELDED, span);
            return;
        };
        if !whole {
            return;
        }
        let func = self.request_instance(idx, self.instances().no_args());
        self.output_mut().add_export(Export {
            symbol: symbol.to_owned(),
            func,
            params,
            ret: ret.ty,
            result,
            docs: item.docs.clone(),
            span: decl.name.span,
        });
    }

    /// The function of the program that calls the one whose address C gives: what it captures is the address.
    fn given_function(&mut self, ty: TyId, function: &ForeignFn, span: Span) -> FuncId {
        let ty = match *self.types().get(ty) {
            Ty::Option(item) => item,
            _ => ty,
        };
        let (tys, ret) = match self.types().get(ty) {
            Ty::Fn(tys, ret) => (tys.clone(), *ret),
            _ => (Vec::new(), TyId::ERROR),
        };
        let name = "<function of C>".to_owned();
        let tys = [TyId::I64].into_iter().chain(tys);
        let foreign = [Foreign::I64]
            .into_iter()
            .chain(function.params.iter().cloned());
        let params: Vec<ExternParam> = (tys.zip(foreign))
            .map(|(ty, foreign)| ExternParam::passed(ty, foreign))
            .collect();
        let local = |param: &ExternParam| Local {
            name: String::new(),
            ty: param.ty,
            mutable: false,
            cell: false,
            span,
        };
        let locals: Vec<Local> = params.iter().map(local).collect();
        let argument = |at: usize, local: &Local| Expr {
            kind: ExprKind::Local(LocalId(at as u32)),
            ty: local.ty,
            span,
        };
        let args = locals.iter().enumerate();
        let args = args.map(|(at, local)| argument(at, local)).collect();
        let called = self.output_mut().add_extern(Extern {
            name: name.clone(),
            symbol: String::new(),
            library: Some(String::new()),
            params,
            ret,
            result: function.result.clone(),
            call: ret,
            kind: ExternKind::Given,
            contract: Annotations::default().contract(),
            span,
        });
        self.output_mut().add_func(Func {
            name,
            params: (1..locals.len()).map(|at| LocalId(at as u32)).collect(),
            captures: vec![LocalId(0)],
            locals,
            inout_self: false,
            ret,
            body: Some(Expr {
                kind: ExprKind::CallExtern(called, args),
                ty: ret,
                span,
            }),
            span,
            inline: false,
            is_generator: false,
        })
    }

    fn cannot_cross_to_c(&mut self, ty: TyId, (what, fitting): (&str, &str), span: Span) {
        if ty == TyId::ERROR {
            return;
        }
        let name = self.types().name(ty);
        let message = format!("a function that C calls cannot {what} values of `{name}`");
        let d = Diagnostic::error(codes::EXTERN_TYPE, span, message);
        let help = format!("{what} values of such types, and convert them inside of the function");
        self.report(d.note(fitting).help(help));
    }
}

/// What [`is_taken`] and [`is_yielded`] are, in words.
const TAKEN: (&str, &str) = (
    "take",
    "numbers, bool, cstr, text, Ptr<T>, types of `@c`, functions, and arrays of what lies in memory as C has it can be taken",
);
const YIELDED: (&str, &str) = (
    "yield",
    "numbers, bool, cstr, text, Ptr<T>, types of `@c`, arrays of what lies in memory as C has it, and () can be yielded",
);

/// What is said of one inside of another function.
pub(crate) fn not_nested(decl: &FnDecl) -> Diagnostic {
    let message = "a function that C calls is declared at the top level of a module";
    let d = Diagnostic::error(codes::FOREIGN_FORM, decl.head, message);
    d.help("move it out of what is around it, or leave `export extern` out")
}

/// Whether C can pass it.
fn is_taken(foreign: &Foreign) -> bool {
    match foreign {
        Foreign::CText { .. } | Foreign::Text | Foreign::Array(_) => true,
        Foreign::Function(function) => !function.kept,
        other => is_passed(other),
    }
}

/// Whether C can get it.
fn is_yielded(foreign: &Foreign) -> bool {
    match foreign {
        Foreign::Unit | Foreign::CText { .. } | Foreign::Text | Foreign::Array(_) => true,
        other => is_passed(other),
    }
}
