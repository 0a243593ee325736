//! Functions of the program that C calls by their names: the entries through which C's calls come.
//!
//! An entry turns C's arguments into values of the program, calls the function, and turns the result into what C
//! gets. Unlike functions that C is given (`callback.rs`) it has no closure and no slot, and an error does not wait for
//! a call of the program to end: it is handed over at once (`simple_core::export`) while C gets zeros.

use super::builder::Builder;
use super::cx::DescKey;
use super::foreign_abi;
use super::value::Value;
use crate::mir::{Const, Convention, FnId, MTy, Term, Var};
use simple_core::layout::{ARRAY_DATA, ARRAY_LEN, FIELDS, TEXT_BYTE_LEN, TEXT_DATA};
use simple_core::table::RtFn;
use simple_ffi_abi::foreign::ForeignFn;
use simple_sema::typed::{Export, ExportParam, Foreign, FuncId, TyId};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    /// `(C's arguments) -> C's result`. A result that is a text or an array has one more parameter: where its length
    /// is wanted.
    pub fn export_glue(&mut self, export: &'p Export) {
        let span = export.span;
        let function = ForeignFn {
            params: (export.params.iter())
                .map(|param| param.foreign.clone())
                .collect(),
            result: export.result.clone(),
            optional: false,
            kept: false,
        };
        let structs = function.params.iter().chain([&function.result]);
        if structs
            .into_iter()
            .any(|foreign| matches!(foreign, Foreign::Struct(_)))
        {
            self.require_structs(span);
        }
        let returned = super::callback::returned_bytes(&function);
        self.function.convention = Convention::Export { returned };
        let place = (returned > 0).then(|| self.param(MTy::Ptr));
        let passing = foreign_abi::passed_back(&function).params;
        let mut given = Vec::with_capacity(passing.len());
        for (foreign, passing) in function.params.iter().zip(passing) {
            given.push(match foreign {
                Foreign::Text | Foreign::Array(_) => {
                    (vec![self.param(MTy::I64), self.param(MTy::I64)], None)
                }
                _ => self.params_of_c(foreign, passing),
            });
        }
        let counts = matches!(export.result, Foreign::Text | Foreign::Array(_));
        let count = counts.then(|| self.param(MTy::I64));
        self.function.results = match (place, &export.result) {
            (Some(_), _) => vec![MTy::Ptr],
            (None, Foreign::Text | Foreign::Array(_)) => vec![MTy::I64],
            (None, result) => {
                let results = foreign_abi::results(result);
                results.iter().map(|result| result.ty).collect()
            }
        };
        let failed = self.cold_block();
        self.reached[failed.0 as usize] = true;
        self.on_error = Some(failed);
        let mut leaves = Vec::new();
        let mut values = Vec::with_capacity(given.len());
        for (param, (given, place)) in export.params.iter().zip(given) {
            let value = self.taken_from_c(param, given, place, span);
            leaves.extend(&value.leaves);
            values.push(value);
        }
        let results = self.result_types(export.func);
        let dsts = self.call(FnId(export.func.0), leaves, &results, span);
        for value in &values {
            self.discard(value);
        }
        let value = self.temp(export.ret, dsts);
        let yielded = self.given_to_c(&value, export, (place, count), span);
        self.leave(0);
        self.end(Term::Return(yielded));
        self.switch(failed);
        self.rt(RtFn::ExportFailed, &[], span);
        let zeros = self.zeros_for_c(place, returned, span);
        self.end(Term::Return(zeros));
    }

    /// What C passed as a value of the program.
    fn taken_from_c(
        &mut self,
        param: &ExportParam,
        given: Vec<Var>,
        place: Option<Var>,
        span: Span,
    ) -> Value {
        let ty = param.ty;
        match (&param.foreign, param.given) {
            (Foreign::Text, _) => {
                let text = self.rt_value(RtFn::TextOfBytes, &given, span);
                self.temp(ty, vec![text])
            }
            (Foreign::Array(item), _) => {
                let desc = self.cx.desc(DescKey::Type(ty));
                let desc = self.constant(MTy::Ptr, Const::Desc(desc));
                let flags = self.i64((**item == Foreign::Bool).into());
                let args = [given[0], given[1], desc, flags];
                let array = self.rt_value(RtFn::ArrayOfMemory, &args, span);
                self.temp(ty, vec![array])
            }
            (Foreign::Function(function), Some(func)) => {
                self.function_of_c((func, ty), given[0], function.optional, span)
            }
            (foreign @ Foreign::Struct(_), _) => {
                self.struct_result((ty, foreign), given, place, span)
            }
            (foreign, _) => self.c_result(ty, foreign, given, span),
        }
    }

    /// A function of the program that calls the one at an address; nil for NULL where that may be.
    fn function_of_c(
        &mut self,
        (func, ty): (FuncId, TyId),
        address: Var,
        optional: bool,
        span: Span,
    ) -> Value {
        let null = self.null();
        let object = self.copy(null);
        let (there, done) = (self.block(), self.block());
        let present = self.cmp_int(crate::mir::CmpOp::Ne, address, 0);
        match optional {
            true => self.branch(present, there, done),
            false => {
                let error = simple_core::error_kind::ErrorKind::UnexpectedNull;
                self.check(present, error, None, None, span);
                self.jump(there);
            }
        }
        self.switch(there);
        let (captures, _, layout) = self.captures(func);
        let made = self.alloc(layout.size, DescKey::Closure(func), span);
        let code = self.constant(MTy::Ptr, Const::Func(FnId(func.0)));
        self.store(made, FIELDS, code);
        self.store_leaves(&layout, 0..captures[0].len, made, &[address]);
        self.emit(crate::mir::Inst::Copy(object, made));
        self.jump(done);
        self.switch(done);
        self.temp(ty, vec![object])
    }

    /// A value as C gets it: in registers, at its place, or in memory of its own.
    fn given_to_c(
        &mut self,
        value: &Value,
        export: &Export,
        (place, count): (Option<Var>, Option<Var>),
        span: Span,
    ) -> Vec<Var> {
        let (length, start, size) = match &export.result {
            Foreign::CText { optional } => {
                let text = self.leaf(value, 0, MTy::Ptr);
                return vec![self.text_to_c(text, *optional, span)];
            }
            Foreign::Text => (TEXT_BYTE_LEN, TEXT_DATA, 1),
            Foreign::Array(item) => (ARRAY_LEN, ARRAY_DATA, item.size()),
            result => return self.yield_to_c(value, (export.ret, result), place, span),
        };
        let object = self.leaf(value, 0, MTy::Ptr);
        let length = self.load(MTy::I64, object, length);
        let start = self.address(object, start);
        let size = self.i64(size.into());
        let bytes = self.bin(crate::mir::BinOp::Mul, length, size);
        let place = match count {
            Some(count) => count,
            None => self.i64(0),
        };
        let args = [start, bytes, length, place];
        vec![self.rt_value(RtFn::MemoryToC, &args, span)]
    }

    /// The address of a copy of a text that C frees; NULL for nil.
    fn text_to_c(&mut self, text: Var, optional: bool, span: Span) -> Var {
        if !optional {
            return self.rt_value(RtFn::TextToC, &[text], span);
        }
        let zero = self.i64(0);
        let address = self.copy(zero);
        let (there, done) = (self.block(), self.block());
        let present = self.cmp_int(crate::mir::CmpOp::Ne, text, 0);
        self.branch(present, there, done);
        self.switch(there);
        let made = self.rt_value(RtFn::TextToC, &[text], span);
        self.emit(crate::mir::Inst::Copy(address, made));
        self.jump(done);
        self.switch(done);
        address
    }
}
