//! Foreign functions: declarations and calls. How values cross is in `foreign.rs`.
//!
//! The caller of `lower` says through [`super::ExternTable`] whether a function is known and how it fails.

use super::builder::Builder;
use super::cleanup::EntryKind;
use super::foreign_abi;
use super::value::Value;
use crate::mir::{CParam, Extern, ExternId, ExternKind, Failure, FnId, Inst, MTy, Var};
use simple_core::table::RtFn;
use simple_ffi_abi::contract::Contract;
use simple_ffi_abi::effects;
use simple_sema::typed::{
    Expr, Extern as TypedExternDecl, ExternId as TypedExtern, ExternKind as TypedKind,
};
use simple_syntax::Span;

/// What is done around a call of a plain C function.
struct Around {
    /// Whether `errno` is kept.
    errno: bool,
    /// How floats were computed before, if the function may change it.
    floats: Option<Var>,
}

impl<'c, 'p> Builder<'c, 'p> {
    /// The module's number of a declared foreign function.
    fn extern_id(&mut self, id: TypedExtern) -> ExternId {
        if let Some(known) = self.cx.extern_ids[id.0 as usize] {
            return known;
        }
        let declared = &self.cx.program.externs[id.0 as usize];
        let (params, results) = foreign_abi::signature(declared);
        if foreign_abi::has_structs(declared) {
            self.require_structs(declared.span);
        }
        let names = declared.params.iter().map(|param| match param.foreign.out {
            true => format!("out {}", param.foreign.foreign.name()),
            false => param.foreign.foreign.name(),
        });
        let names = (names.collect(), declared.result.name());
        let floats = |params: &[CParam]| {
            let floats = params
                .iter()
                .filter(|p| matches!(p.ty, MTy::F32 | MTy::F64));
            floats.count().min(8) as u8
        };
        let kind = match declared.kind {
            TypedKind::Function => ExternKind::Function,
            TypedKind::Variadic => ExternKind::Variadic {
                floats: floats(&params),
            },
            TypedKind::Variable(size) => ExternKind::Variable { size },
            TypedKind::Given => ExternKind::Given,
        };
        let table = self.cx.table;
        let known = match kind {
            ExternKind::Variable { .. } | ExternKind::Given => None,
            _ => table.known(&declared.symbol, declared.library.as_deref()),
        };
        let number = |param: &CParam| param.ty != MTy::Ptr && param.on_stack == 0;
        let pure = declared.library.is_none()
            && failure_of(&declared.contract) == Failure::Never
            && params.iter().chain(&results).all(number)
            && results.len() == 1
            && known.is_some_and(|known| {
                known.address.is_some() && known.contract.effects == effects::PURE
            });
        let curve = if pure {
            simple_core::curves::number(&declared.symbol)
        } else {
            None
        };
        let site = self.cx.site(FnId(0), declared.span);
        let number = ExternId(self.cx.module.externs.len() as u32);
        self.cx.module.externs.push(Extern {
            name: declared.name.clone(),
            symbol: declared.symbol.clone(),
            library: declared.library.clone(),
            kind,
            params,
            results,
            declared: names,
            // Each call says its own.
            address: match kind {
                ExternKind::Given => Some(0),
                _ => known.and_then(|known| known.address),
            },
            failure: failure_of(&declared.contract),
            slow: declared.contract.takes_long(),
            pure,
            curve,
            site,
        });
        self.cx.extern_ids[id.0 as usize] = Some(number);
        number
    }

    /// The module's number of one of the runtime's own foreign functions.
    pub fn runtime_extern(&mut self, name: &str, params: &[&str], ret: &str) -> ExternId {
        let c = |ty: &&str| match *ty {
            "text" | "[text]" => pointer_and_length(),
            _ => vec![CParam::new(MTy::I64, true)],
        };
        let known = self.cx.table.known(name, None);
        let site = self.site(Span::default());
        self.cx.module.externs.push(Extern {
            name: name.to_string(),
            symbol: name.to_string(),
            library: None,
            kind: ExternKind::Function,
            params: params.iter().flat_map(c).collect(),
            results: c(&ret),
            declared: (
                params.iter().map(|ty| ty.to_string()).collect(),
                ret.to_string(),
            ),
            address: known.and_then(|known| known.address),
            failure: known.map_or(Failure::Flag, |known| failure_of(&known.contract)),
            slow: false,
            pure: false,
            curve: None,
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
        let exprs: Vec<&Expr> = args.iter().collect();
        let tys = declared.input_types();
        let mut values = self.operands_as(&exprs, &tys);
        if declared.library.is_some() {
            // C may call functions of the program, which may replace what C works on.
            values = (values.into_iter().zip(&tys))
                .map(|(value, ty)| self.hold_for_call(value, *ty))
                .collect();
        }
        let number = self.extern_id(id);
        let call = self.foreign_arguments(declared, &values, span);
        // First, because C has freed them also where the call ends in the error of a function that C called.
        self.note_freed(&call);
        let around = self.before_call(declared, span);
        let dsts = self.call_c(number, call.args.clone(), span);
        self.after_call(around, span);
        if let Some(guard) = call.guard {
            self.rt(RtFn::GuardCheck, &[guard], span);
        }
        for thunk in call.thunks.iter().chain(&call.kept) {
            self.rt(RtFn::CallbackCheck, &[*thunk], span);
        }
        for thunk in &call.thunks {
            self.undo(*thunk);
        }
        // What C gave may be a part of what it was given, so that is let go of afterwards.
        let result = self.foreign_results(declared, dsts, &call, span);
        if let Some(guard) = call.guard {
            self.undo(guard);
        }
        for value in values.iter().chain(&call.held) {
            self.discard_early(value);
        }
        self.never_returns(declared.ret);
        result
    }

    /// What is done before a plain C function is called, where the program or the function asks for it.
    fn before_call(&mut self, declared: &TypedExternDecl, span: Span) -> Around {
        let plain = match (&declared.library, declared.kind) {
            (Some(library), TypedKind::Function | TypedKind::Variadic) => Some(library),
            _ => None,
        };
        // Another entry of a session may ask.
        let asks = self.cx.program.keeps_errno || self.cx.piece.is_some();
        let table = self.cx.table;
        let changes = |library| table.changes_floats(&declared.symbol, library);
        let floats = plain.is_some_and(|library| changes(library)).then(|| {
            let state = self.rt_value(RtFn::FloatsKeep, &[], span);
            self.push(EntryKind::Undo(RtFn::FloatsRestore, state));
            state
        });
        let around = Around {
            errno: plain.is_some() && asks,
            floats,
        };
        if around.errno {
            self.rt(RtFn::ErrnoClear, &[], span);
        }
        around
    }

    /// What is done afterwards.
    fn after_call(&mut self, around: Around, span: Span) {
        if around.errno {
            self.rt(RtFn::ErrnoKeep, &[], span);
        }
        if let Some(state) = around.floats {
            self.undo(state);
        }
    }
}

fn failure_of(contract: &Contract) -> Failure {
    Failure::of(contract.failure, contract.failure_value)
}

/// How SFFI passes a text or an array, and how it yields one.
pub(super) fn pointer_and_length() -> Vec<CParam> {
    vec![CParam::new(MTy::Ptr, false), CParam::new(MTy::I64, true)]
}
