//! Calls against signatures, and the functions that tables and descriptors name.

use super::{Checker, Problem, may_name};
use crate::mir::{Const, Convention, FnId, Function, Inst, MTy, Module, Var, kind_mty};
use simple_core::table::RtFn;

impl<'m> Checker<'m> {
    pub(super) fn call(&mut self, inst: &'m Inst) {
        match inst {
            Inst::Call {
                dsts,
                func,
                args,
                fail,
            } => {
                let Some(callee) = self.module.funcs.get(func.0 as usize) else {
                    return self.problem("no such function");
                };
                let params = callee.params.iter().map(|var| type_of(callee, *var));
                self.list(args, params, "arguments");
                self.list(dsts, callee.results.iter().copied(), "results");
                if callee.can_fail && fail.is_none() {
                    self.problem("a call that can fail without an edge");
                }
            }
            Inst::CallIndirect {
                code, args, dsts, ..
            } => {
                self.expect(*code, MTy::Ptr);
                for var in args.iter().chain(dsts) {
                    self.ty(*var);
                }
            }
            Inst::CallRuntime {
                dst,
                func,
                args,
                fail,
            } => {
                let signature = func.signature();
                let params = signature.params.iter().map(|kind| kind_mty(*kind));
                self.list(args, params, "arguments");
                match (dst, signature.result) {
                    (Some(dst), Some(kind)) => self.expect(*dst, kind_mty(kind)),
                    (Some(_), None) => self.problem("a result of a function without one"),
                    (None, _) => {}
                }
                if signature.fails != fail.is_some() {
                    self.problem("a failure edge that does not fit the function");
                }
                if *func == RtFn::Spread && !args.first().is_some_and(|code| self.runs_turns(*code))
                {
                    self.problem("what is spread is not a loop as a function");
                }
            }
            Inst::CallExtern {
                dsts, func, args, ..
            } => {
                let Some(callee) = self.module.externs.get(func.0 as usize) else {
                    return self.problem("no such foreign function");
                };
                self.list(args, callee.params.iter().map(|p| p.ty), "arguments");
                self.list(dsts, callee.results.iter().map(|r| r.ty), "results");
            }
            _ => {}
        }
    }

    /// Whether a variable holds nothing but functions that take values and a range.
    fn runs_turns(&self, code: Var) -> bool {
        let insts = self.func.blocks.iter().flat_map(|block| &block.insts);
        let mut found = false;
        for inst in insts {
            let mut assigned = false;
            inst.each_def(&mut |var| assigned |= var == code);
            if assigned {
                let Inst::Const(_, Const::Func(id)) = inst else {
                    return false;
                };
                let params = [MTy::Ptr, MTy::I64, MTy::I64];
                found = has_signature(self.module, *id, &params, &[])
                    && self.module.funcs[id.0 as usize].convention == Convention::C;
                if !found {
                    return false;
                }
            }
        }
        found
    }

    /// The function that destroys an object that is released.
    pub(super) fn destructor(&mut self, func: FnId) {
        if !has_signature(self.module, func, &[MTy::Ptr], &[]) {
            self.problem(format!("f{} is not a destructor", func.0));
        }
    }
}

fn type_of(func: &Function, var: Var) -> MTy {
    // A parameter that does not exist is reported in its own function.
    func.vars.get(var.0 as usize).copied().unwrap_or(MTy::I64)
}

fn has_signature(module: &Module, func: FnId, params: &[MTy], results: &[MTy]) -> bool {
    module.funcs.get(func.0 as usize).is_some_and(|func| {
        let own = func.params.iter().map(|var| type_of(func, *var));
        own.eq(params.iter().copied()) && func.results == results
    })
}

/// Functions that the runtime calls, method tables, sites.
pub(super) fn tables(module: &Module, problems: &mut Vec<Problem>) {
    let mut problem = |func, text| problems.push(Problem { func, text });
    let exists = |func: FnId| (func.0 as usize) < module.funcs.len();
    for (index, desc) in module.descs.iter().enumerate() {
        let wanted = [
            (desc.destroy, &[MTy::Ptr][..]),
            (desc.retain_elements, &[MTy::Ptr, MTy::I64][..]),
            (desc.leave, &[MTy::Ptr, MTy::Ptr][..]),
            (desc.enter, &[MTy::I64, MTy::Ptr][..]),
        ];
        for (func, params) in wanted {
            let Some(func) = func else { continue };
            let called_by_runtime = exists(func)
                && module.funcs[func.0 as usize].convention == Convention::C
                && has_signature(module, func, params, &[]);
            if !called_by_runtime {
                let text = format!(
                    "descriptor {index} of {}: f{} does not fit",
                    desc.name, func.0
                );
                problem(exists(func).then_some(func), text);
            }
        }
    }
    for (index, table) in module.vtables.iter().enumerate() {
        for func in table.iter().filter(|func| !exists(**func)) {
            problem(
                None,
                format!("method table {index}: no function {}", func.0),
            );
        }
    }
    for (index, site) in module.sites.iter().enumerate() {
        if !may_name(site.func, module) {
            problem(None, format!("site {index}: no function {}", site.func.0));
        }
    }
    for func in [module.entry, module.release].into_iter().flatten() {
        if !has_signature(module, func, &[], &[MTy::I64]) {
            problem(
                exists(func).then_some(func),
                "not fit to be an entry".to_owned(),
            );
        }
    }
}
