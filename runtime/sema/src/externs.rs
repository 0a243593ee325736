//! The policy for foreign functions: what is unknown is accepted, what contradicts a known signature is an error.
//!
//! Types that cannot cross (`doc/language/foreign_functions.md`) are errors too, unless the known signature has just these
//! types, as a few functions of the runtime's own table do. Leaves out binding, which happens at the first call.

use crate::checker::Checker;
use crate::codes;
use crate::decls::ExternIdx;
use crate::decls::TypeScope;
use crate::loader::ExternLookup;
use crate::typed::*;
use simple_syntax::Diagnostic;

impl<'a> Checker<'a> {
    /// The number of a declared extern, checked when first asked for.
    pub(crate) fn extern_id(&mut self, idx: ExternIdx) -> ExternId {
        let info = &self.externs[idx.at()];
        if let Some(id) = info.id {
            return id;
        }
        let decl = info.decl;
        let scope = TypeScope {
            module: info.module,
            env: self.empty_env(),
            self_ty: None,
        };
        let mut params = Vec::with_capacity(decl.params.len());
        for param in &decl.params {
            params.push(match &param.ty {
                Some(ty) => self.resolve_type(ty, &scope),
                // The parser reported the missing type.
                None => TyId::ERROR,
            });
        }
        let ret = decl
            .ret
            .as_ref()
            .map_or(TyId::UNIT, |ty| self.resolve_type(ty, &scope));
        let id = ExternId(self.out_externs.len() as u32);
        let info = &mut self.externs[idx.at()];
        info.id = Some(id);
        let (symbol, library, span) = (info.symbol.clone(), info.library.clone(), info.span);
        self.out_externs.push(Extern {
            name: decl.name.name.as_str().to_owned(),
            symbol: symbol.clone(),
            library: library.clone(),
            params: params.clone(),
            ret,
            span,
        });
        if params.contains(&TyId::ERROR) || ret == TyId::ERROR {
            return id;
        }
        let known = self.known_externs.lookup(&symbol, library.as_deref());
        if let ExternLookup::Known {
            params: known,
            ret: known_ret,
            origin,
            reads,
        } = known
        {
            if reads {
                self.reading.insert(id);
            }
            let declared: Vec<String> = params
                .iter()
                .map(|&ty| self.types.crossing_name(ty))
                .collect();
            let declared_ret = self.types.crossing_name(ret);
            if declared != known || declared_ret != known_ret {
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
                    signature_text(&symbol, &declared, &declared_ret)
                ))
                .note(format!(
                    "actual:   {}",
                    signature_text(&symbol, &known, &known_ret)
                ))
                .note(format!("according to {origin}"))
                .help(format!(
                    "write `extern {}`",
                    signature_line(decl, &known, &known_ret)
                ));
                self.report(d);
            }
            return id;
        }
        for (param, &ty) in decl.params.iter().zip(&params) {
            if !self.crosses(ty, false) {
                let span = param.ty.as_ref().map_or(param.name.span, |ty| ty.span);
                self.cannot_cross(ty, span);
            }
        }
        if let Some(written) = &decl.ret
            && !self.crosses(ret, true)
        {
            self.cannot_cross(ret, written.span);
        } else if let (Some(written), Some(library)) = (&decl.ret, &library)
            && matches!(self.types.get(ret), Ty::Text | Ty::Array(_))
            && self.known_externs.is_plain(library)
        {
            self.cannot_yield(ret, library, written.span);
        }
        id
    }

    fn cannot_yield(&mut self, ty: TyId, library: &str, span: simple_syntax::Span) {
        let name = self.types.name(ty);
        let d = Diagnostic::error(
            codes::EXTERN_RESULT,
            span,
            format!("a function of the plain C library `{library}` cannot yield a `{name}`"),
        )
        .note("a C pointer says neither how long its memory is nor who frees it")
        .help(
            "declare the result as `i64`, an address, or call the function through a library that is written for SFFI",
        );
        self.report(d);
    }

    /// Whether a foreign function may write into the arrays that it is given. One with a known signature never does.
    pub(crate) fn may_write(&self, idx: ExternIdx) -> bool {
        let info = &self.externs[idx.at()];
        let known = self
            .known_externs
            .lookup(&info.symbol, info.library.as_deref());
        !matches!(known, ExternLookup::Known { .. })
    }

    fn cannot_cross(&mut self, ty: TyId, span: simple_syntax::Span) {
        let d = Diagnostic::error(
            codes::EXTERN_TYPE,
            span,
            format!("`{}` cannot cross to a foreign function", self.types.name(ty)),
        )
        .note("numbers, bool, text, (), [i64], [f64], [f32], [u8] and [bool] can; objects cross as i64 handles or as an `extern type`");
        self.report(d);
    }

    fn crosses(&self, ty: TyId, result: bool) -> bool {
        match self.types.get(ty) {
            Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Bool | Ty::Text | Ty::Handle(_) | Ty::Error => {
                true
            }
            Ty::Unit => result,
            Ty::Array(item) => {
                [TyId::I64, TyId::F64, TyId::F32, TyId::U8, TyId::BOOL].contains(item)
            }
            _ => false,
        }
    }
}

fn signature_text(name: &str, params: &[String], ret: &str) -> String {
    let arrow = if ret == "()" {
        String::new()
    } else {
        format!(" -> {ret}")
    };
    format!("{name}({}){arrow}", params.join(", "))
}

fn signature_line(decl: &simple_syntax::ast::ExternFnDecl, params: &[String], ret: &str) -> String {
    let params: Vec<String> = params
        .iter()
        .enumerate()
        .map(|(index, ty)| match decl.params.get(index) {
            Some(param) => format!("{}: {ty}", param.name.name),
            None => format!("arg{index}: {ty}"),
        })
        .collect();
    let arrow = if ret == "()" {
        String::new()
    } else {
        format!(" -> {ret}")
    };
    format!("fn {}({}){arrow}", decl.name.name, params.join(", "))
}
