//! Foreign functions: how Simple values cross to C and back.
//!
//! Texts and arrays of scalars cross as pointer and length, borrowed for the call; results that own memory are taken over by
//! the runtime. The caller of `lower` says through [`super::ExternTable`] whether a function is known and how it fails.

use super::KnownExtern;
use super::builder::Builder;
use super::cx::DescKey;
use super::value::Value;
use crate::mir::{CParam, CmpOp, Const, Extern, ExternId, Failure, FnId, Inst, MTy, Var};
use crate::repr::int_mty;
use simple_core::layout::{ARRAY_DATA, ARRAY_LEN, TEXT_BYTE_LEN, TEXT_DATA};
use simple_core::table::RtFn;
use simple_sema::typed::{Expr, ExternId as TypedExtern, IntTy, Ty, TyId};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    /// The C scalars that a Simple type crosses as; `None` for types that cannot.
    fn c_params(&self, ty: TyId) -> Option<Vec<CParam>> {
        let one = |ty, signed| Some(vec![CParam { ty, signed }]);
        match self.cx.types.get(ty) {
            Ty::Unit | Ty::Never => Some(Vec::new()),
            Ty::Bool => one(MTy::I8, false),
            Ty::Int(int) => one(int_mty(*int), int.signed),
            Ty::Handle(_) => one(MTy::I64, true),
            Ty::F32 => one(MTy::F32, true),
            Ty::F64 => one(MTy::F64, true),
            Ty::Text => Some(pointer_and_length()),
            Ty::Array(item) if self.is_c_scalar(*item) => Some(pointer_and_length()),
            _ => None,
        }
    }

    fn is_c_scalar(&self, ty: TyId) -> bool {
        matches!(
            self.cx.types.get(ty),
            Ty::Bool
                | Ty::F32
                | Ty::F64
                | Ty::Int(
                    IntTy {
                        bits: 64,
                        signed: true
                    } | IntTy {
                        bits: 8,
                        signed: false
                    }
                )
        )
    }

    /// The module's number of a declared foreign function.
    fn extern_id(&mut self, id: TypedExtern) -> Option<ExternId> {
        if let Some(known) = self.cx.extern_ids[id.0 as usize] {
            return Some(known);
        }
        let declared = &self.cx.program.externs[id.0 as usize];
        let mut params = Vec::new();
        let mut names = Vec::new();
        for ty in &declared.params {
            names.push(self.cx.types.crossing_name(*ty));
            let Some(c) = self.c_params(*ty) else {
                self.cx.not_supported(
                    declared.span,
                    "parameters of this type in foreign functions",
                );
                return None;
            };
            params.extend(c);
        }
        let texts = matches!(self.cx.types.get(declared.ret), Ty::Array(TyId::TEXT));
        let results = match texts {
            true => Some(pointer_and_length()),
            false => self.c_params(declared.ret),
        };
        let Some(results) = results else {
            self.cx
                .not_supported(declared.span, "results of this type from foreign functions");
            return None;
        };
        let known = self
            .cx
            .table
            .known(&declared.symbol, declared.library.as_deref());
        let known = known.unwrap_or(KnownExtern {
            failure: Failure::Flag,
            slow: false,
            address: None,
        });
        let site = self.cx.site(FnId(0), declared.span);
        let number = ExternId(self.cx.module.externs.len() as u32);
        self.cx.module.externs.push(Extern {
            name: declared.name.clone(),
            symbol: declared.symbol.clone(),
            library: declared.library.clone(),
            params,
            results,
            declared: (names, self.cx.types.crossing_name(declared.ret)),
            address: known.address,
            failure: known.failure,
            slow: known.slow,
            site,
        });
        self.cx.extern_ids[id.0 as usize] = Some(number);
        Some(number)
    }

    /// The module's number of one of the runtime's own foreign functions.
    pub fn runtime_extern(&mut self, name: &str, params: &[&str], ret: &str) -> ExternId {
        let c = |ty: &&str| match *ty {
            "text" | "[text]" => pointer_and_length(),
            _ => vec![CParam {
                ty: MTy::I64,
                signed: true,
            }],
        };
        let known = self.cx.table.known(name, None);
        let site = self.site(Span::default());
        self.cx.module.externs.push(Extern {
            name: name.to_string(),
            symbol: name.to_string(),
            library: None,
            params: params.iter().flat_map(c).collect(),
            results: c(&ret),
            declared: (
                params.iter().map(|ty| ty.to_string()).collect(),
                ret.to_string(),
            ),
            address: known.and_then(|known| known.address),
            failure: known.map_or(Failure::Flag, |known| known.failure),
            slow: false,
            site,
        });
        ExternId(self.cx.module.externs.len() as u32 - 1)
    }

    /// Calls a foreign function with C arguments.
    pub fn call_c(&mut self, func: ExternId, args: Vec<Var>, span: Span) -> Vec<Var> {
        let results = self.cx.module.externs[func.0 as usize].results.clone();
        let dsts: Vec<Var> = results.iter().map(|result| self.var(result.ty)).collect();
        let fail = self.fail(span);
        self.emit(Inst::CallExtern {
            dsts: dsts.clone(),
            func,
            args,
            fail,
        });
        dsts
    }

    pub fn call_extern(&mut self, id: TypedExtern, args: &'p [Expr], span: Span) -> Value {
        let declared = &self.cx.program.externs[id.0 as usize];
        let ret = declared.ret;
        let exprs: Vec<&Expr> = args.iter().collect();
        let values = self.operands_as(&exprs, &declared.params);
        let Some(number) = self.extern_id(id) else {
            return self.made_up(ret);
        };
        let mut leaves = Vec::new();
        for (value, ty) in values.iter().zip(&declared.params) {
            self.c_argument(value, *ty, &mut leaves);
        }
        let dsts = self.call_c(number, leaves, span);
        for value in &values {
            self.discard_early(value);
        }
        self.never_returns(ret);
        self.c_result(ret, dsts, span)
    }

    fn c_argument(&mut self, value: &Value, ty: TyId, out: &mut Vec<Var>) {
        let (data, len) = match self.cx.types.get(ty) {
            Ty::Text => (TEXT_DATA, TEXT_BYTE_LEN),
            Ty::Array(_) => (ARRAY_DATA, ARRAY_LEN),
            _ => {
                out.extend(&value.leaves);
                return;
            }
        };
        let object = self.leaf(value, 0, MTy::Ptr);
        let len = self.load(MTy::I64, object, len);
        out.push(self.address(object, data));
        out.push(len);
    }

    pub fn c_result(&mut self, ty: TyId, dsts: Vec<Var>, span: Span) -> Value {
        match self.cx.types.get(ty) {
            Ty::Text => {
                let text = self.rt_value(RtFn::TextAdopt, &dsts, span);
                self.temp(ty, vec![text])
            }
            Ty::Array(item) => {
                let adopt = match *item {
                    TyId::TEXT => RtFn::ArrayAdoptTexts,
                    _ => RtFn::ArrayAdopt,
                };
                let desc = self.cx.desc(DescKey::Type(ty));
                let desc = self.constant(MTy::Ptr, Const::Desc(desc));
                let array = self.rt_value(adopt, &[dsts[0], dsts[1], desc], span);
                self.temp(ty, vec![array])
            }
            // C may return any byte that is not 0 for true.
            Ty::Bool => Value::plain(self.cmp_int(CmpOp::Ne, dsts[0], 0)),
            _ => Value::stable(dsts),
        }
    }
}

fn pointer_and_length() -> Vec<CParam> {
    vec![
        CParam {
            ty: MTy::Ptr,
            signed: false,
        },
        CParam {
            ty: MTy::I64,
            signed: true,
        },
    ]
}
