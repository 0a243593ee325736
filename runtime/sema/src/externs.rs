//! The policy for foreign functions: what is unknown is accepted, what contradicts a known signature is an error.
//!
//! Types that cannot cross (`doc/language/foreign_functions.md`) are errors too, unless the known signature has just these
//! types, as a few functions of the runtime's own table do. Leaves out binding, which happens at the first call. Next:
//! `foreign.rs`, how each type crosses.

use crate::checker::Checker;
use crate::codes;
use crate::decls::ExternIdx;
use crate::decls::TypeScope;
use crate::foreign::Crossing;
use crate::loader::ExternLookup;
use crate::state::Reporting;
use crate::typed::*;
use simple_ffi_abi::signature::{Signature, shown};
use simple_syntax::ast;
use simple_syntax::{Diagnostic, Span};

impl<'a> Checker<'a> {
    /// The number of a declared extern, checked when first asked for.
    pub(crate) fn extern_id(&mut self, idx: ExternIdx) -> ExternId {
        let info = &self.decls()[idx];
        if let Some(id) = info.id {
            return id;
        }
        self.once(|cx| cx.check_extern(idx))
    }

    fn check_extern(&mut self, idx: ExternIdx) -> ExternId {
        let info = &self.decls()[idx];
        let decl = info.decl;
        let scope = TypeScope {
            module: info.module,
            env: self.empty_env(),
            self_ty: None,
        };
        let mut params = Vec::with_capacity(decl.params.len());
        for param in &decl.params {
            params.push(match &param.ty {
                Some(ty) => self.foreign_type(ty, &scope),
                // The parser reported the missing type.
                None => Crossing::ERROR,
            });
        }
        let ret = match &decl.ret {
            Some(ty) => self.foreign_type(ty, &scope),
            None => Crossing::UNIT,
        };
        for crossing in params.iter().chain([&ret]) {
            self.note_pointee(crossing.ty);
        }
        let call = self.call_type(decl, &params, ret.ty);
        let id = self.output().next_extern();
        let info = &mut self.decls_mut()[idx];
        info.id = Some(id);
        let (symbol, library, span) = (info.symbol.clone(), info.library.clone(), info.span);
        let needs: Vec<Option<Needs>> = (decl.params.iter().zip(&params))
            .map(|(param, crossing)| self.needs_of(param, crossing, decl, &params, scope.module))
            .collect();
        let as_param = |(param, (crossing, (needs, frees))): (
            &ast::Param,
            (&Crossing, (&Option<Needs>, &bool)),
        )| {
            let foreign = ForeignParam {
                foreign: crossing.foreign.clone().unwrap_or(Foreign::Unit),
                out: param.out,
                needs: *needs,
                frees: *frees,
            };
            ExternParam {
                ty: crossing.ty,
                foreign,
            }
        };
        let frees: Vec<bool> = (params.iter())
            .map(|param| {
                self.owner_of(param.ty)
                    .is_some_and(|decl| self.frees(decl, idx))
            })
            .collect();
        let annotations = self.decls()[idx].annotations;
        let stated = self.stated(annotations);
        let known = self.input().externs().lookup(&symbol, library.as_deref());
        let contract = match &known {
            ExternLookup::Known { signature, origin } => {
                let contract = &signature.contract;
                self.compare_stated((decl.name, annotations), &stated, (contract, origin));
                *contract
            }
            ExternLookup::Unknown => self.believed(annotations, &stated, library.as_deref()),
        };
        self.decls_mut()[idx].known = matches!(known, ExternLookup::Known { .. });
        let facts = needs.iter().zip(&frees);
        let both = params.iter().zip(facts);
        self.output_mut().add_extern(Extern {
            name: decl.name.name.as_str().to_owned(),
            symbol: symbol.clone(),
            library: library.clone(),
            params: decl.params.iter().zip(both).map(as_param).collect(),
            ret: ret.ty,
            result: ret.foreign.clone().unwrap_or(Foreign::Unit),
            call,
            kind: match decl.variadic {
                Some(_) => ExternKind::Variadic,
                None => ExternKind::Function,
            },
            contract,
            span,
        });
        if ret.ty == TyId::ERROR || params.iter().any(|param| param.ty == TyId::ERROR) {
            return id;
        }
        match known {
            ExternLookup::Known { signature, origin } => {
                self.compare_with_known((decl, &symbol), (&params, &ret), (&signature, &origin));
            }
            ExternLookup::Unknown => self.check_crossings(decl, &params, &ret, library.as_deref()),
        }
        id
    }

    /// The type of a call: the result, and after it what comes back in `out` parameters.
    fn call_type(&mut self, decl: &ast::ExternFnDecl, params: &[Crossing], ret: TyId) -> TyId {
        let mut members = Vec::new();
        if ret != TyId::UNIT {
            members.push((None, ret));
        }
        let outs = decl
            .params
            .iter()
            .zip(params)
            .filter(|(param, _)| param.out);
        members.extend(outs.map(|(_, crossing)| (None, crossing.ty)));
        if members.iter().any(|(_, ty)| *ty == TyId::ERROR) {
            return TyId::ERROR;
        }
        match &members[..] {
            [] => ret,
            [(_, only)] => *only,
            _ => self.types_mut().intern(Ty::Tuple(members)),
        }
    }

    /// Compares a declaration with what a manifest says.
    fn compare_with_known(
        &mut self,
        (decl, symbol): (&ast::ExternFnDecl, &str),
        (params, ret): (&[Crossing], &Crossing),
        (known, origin): (&Signature, &str),
    ) {
        let declared: Vec<String> = (decl.params.iter().zip(params))
            .map(|(param, crossing)| match param.out {
                true => format!("out {}", self.crossing_name(crossing)),
                false => self.crossing_name(crossing),
            })
            .collect();
        let declared_ret = self.crossing_name(ret);
        if known.has_types(&declared, &declared_ret) && decl.variadic.is_none() {
            return;
        }
        let d = Diagnostic::error(
            codes::EXTERN_CONTRADICTION,
            decl.name.span,
            format!(
                "the declaration of `{}` contradicts its known signature",
                decl.name.name
            ),
        )
        .note(format!(
            "declared: {}",
            shown(symbol, &declared, &declared_ret)
        ))
        .note(format!(
            "actual:   {}",
            shown(symbol, &known.params, &known.result)
        ))
        .note(format!("according to {origin}"))
        .help(format!("write `extern {}`", signature_line(decl, known)));
        self.report(d);
    }

    /// Checks that everything in a declaration can cross to a library about which nothing is known.
    fn check_crossings(
        &mut self,
        decl: &ast::ExternFnDecl,
        params: &[Crossing],
        ret: &Crossing,
        library: Option<&str>,
    ) {
        for (param, crossing) in decl.params.iter().zip(params) {
            let span = param.ty.as_ref().map_or(param.name.span, |ty| ty.span);
            match &crossing.foreign {
                None | Some(Foreign::Unit | Foreign::Texts) => self.cannot_cross(crossing.ty, span),
                Some(foreign) if param.out && !foreign.is_stored() => {
                    self.cannot_come_back(crossing.ty, span);
                }
                Some(foreign) if library.is_none() && (param.out || !foreign.is_sffi()) => {
                    self.only_plain_c(decl, crossing, param.out, span);
                }
                Some(foreign) if foreign.is_sffi_only() => self.only_sffi(foreign, library, span),
                Some(_) => {}
            }
        }
        if let (Some(dots), None) = (decl.variadic, library) {
            let d = Diagnostic::error(
                codes::FOREIGN_FORM,
                dots,
                format!(
                    "`{}` cannot take `...`: it names no C library",
                    decl.name.name
                ),
            )
            .help("write `@Lib(\"name\")` above the declaration");
            self.report(d);
        }
        let Some(written) = &decl.ret else { return };
        match &ret.foreign {
            None
            | Some(
                Foreign::Texts
                | Foreign::Elements(_)
                | Foreign::Function(_)
                | Foreign::Scalar
                | Foreign::Optional(_),
            ) => {
                self.cannot_cross(ret.ty, written.span);
            }
            Some(foreign) if foreign.is_sffi_only() => {
                self.only_sffi(foreign, library, written.span);
            }
            Some(foreign) if library.is_none() && !foreign.is_sffi() => {
                self.only_plain_c(decl, ret, false, written.span);
            }
            Some(foreign) => {
                if let Some(library) = library
                    && foreign.is_buffer()
                    && self.input().externs().is_plain(library)
                {
                    self.cannot_yield(ret.ty, library, written.span);
                }
            }
        }
    }

    /// The name of the type as which a value crosses, as manifests write it.
    fn crossing_name(&self, crossing: &Crossing) -> String {
        match &crossing.foreign {
            Some(foreign) => foreign.name(),
            None => self.types().name(crossing.ty),
        }
    }

    fn cannot_yield(&mut self, ty: TyId, library: &str, span: Span) {
        let name = self.types().name(ty);
        let d = Diagnostic::error(
            codes::EXTERN_RESULT,
            span,
            format!("a function of the plain C library `{library}` cannot yield a `{name}`"),
        )
        .note("a C pointer says neither how long its memory is nor who frees it")
        .help(match self.types().get(ty) {
            Ty::Text => "declare the result as `cstr`, which is copied up to its NUL, or as `cstr?` if it may be NULL",
            _ => "declare the result as `Ptr<T>` or `Ptr<T>?`, and read the elements with `to_array(n)`",
        });
        self.report(d);
    }

    /// Reports what a function of a plain C library cannot have; a library about which nothing is known may be written for SFFI.
    fn only_sffi(&mut self, foreign: &Foreign, library: Option<&str>, span: Span) {
        let Some(library) = library.filter(|library| self.input().externs().is_plain(library))
        else {
            return;
        };
        let name = foreign.name();
        let d = Diagnostic::error(
            codes::EXTERN_TYPE,
            span,
            format!("a function of the plain C library `{library}` cannot have a `{name}`"),
        )
        .note("C has no such type; a library that is written for SFFI has")
        .help(match foreign {
            Foreign::Optional(_) => {
                "what C takes as an address that may be NULL is `Ptr<T>?` or `cstr?`"
            }
            _ => "write the type that C has, such as `i64` or `f64`",
        });
        self.report(d);
    }

    fn cannot_come_back(&mut self, ty: TyId, span: Span) {
        let name = self.types().name(ty);
        let d = Diagnostic::error(
            codes::FOREIGN_FORM,
            span,
            format!("an `out` parameter cannot be a `{name}`"),
        )
        .note("C writes one value there: a number, a `bool`, a `cstr`, a `Ptr<T>`, a handle or a C struct")
        .help("an array that C fills is passed: write the parameter without `out`");
        self.report(d);
    }

    fn only_plain_c(
        &mut self,
        decl: &ast::ExternFnDecl,
        crossing: &Crossing,
        out: bool,
        span: Span,
    ) {
        let what = match (out, &crossing.foreign) {
            (true, _) => "an `out` parameter".to_owned(),
            (_, Some(foreign @ (Foreign::CText { .. } | Foreign::Elements(_)))) => {
                format!("a `{}`", foreign.name())
            }
            _ => format!("a `{}`", self.types().name(crossing.ty)),
        };
        let d = Diagnostic::error(
            codes::FOREIGN_FORM,
            span,
            format!("`{}` cannot have {what}: it names no C library", decl.name.name),
        )
        .help("write `@Lib(\"name\")` above the declaration; what has no `@Lib` is written for SFFI, with `text` and `[T]`");
        self.report(d);
    }

    /// Whether a foreign function may write into the arrays that it is given. One with a known signature never does.
    pub(crate) fn may_write(&mut self, idx: ExternIdx) -> bool {
        self.extern_id(idx);
        !self.decls()[idx].known
    }

    fn cannot_cross(&mut self, ty: TyId, span: Span) {
        let d = Diagnostic::error(
            codes::EXTERN_TYPE,
            span,
            format!("`{}` cannot cross to a foreign function", self.types().name(ty)),
        )
        .note("numbers, bool, text, cstr, Ptr<T>, types of `@c`, functions, () and arrays of numbers, bool and Ptr<T> can; objects cross as i64 handles or as an `extern type`");
        let d = match self.types().get(ty) {
            Ty::Fn(..) => d.help("a function that C calls takes numbers, bool, Ptr<T>, Ptr<T>?, types of `@c` and cstr, and yields one of them but no cstr, because nothing would own its memory; what C yields as a function is a Ptr<u8>"),
            _ => d,
        };
        self.report(d);
    }
}

/// The declaration with its own names and the known types.
fn signature_line(decl: &ast::ExternFnDecl, known: &Signature) -> String {
    let params: Vec<String> = (known.params)
        .iter()
        .enumerate()
        .map(|(index, ty)| match decl.params.get(index) {
            Some(param) => format!("{}: {ty}", param.name.name),
            None => format!("arg{index}: {ty}"),
        })
        .collect();
    format!(
        "fn {}",
        shown(decl.name.name.as_str(), &params, &known.result)
    )
}
