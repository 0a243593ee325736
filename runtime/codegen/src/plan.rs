//! What the translation of a function must know about the rest of the program: conventions, and how the runtime knows
//! places in the source.
//!
//! It is computed once, read by every translation, and shared between threads. Where anything is in the program it does
//! not say, so that a function's code stays the same where other functions change (`content.rs`). Next: `translate/`.

use super::Options;
use super::signature::{self, SimpleAbi};
use cranelift_codegen::ir::Signature;
use cranelift_codegen::isa::CallConv;
use simple_image::{BINDS_BY_THUNKS, First};
use simple_middle::mir::{Const, Convention, ExternId, Function, Inst, Module, SiteId, kind_mty};

/// The program as one function's translation sees it.
#[derive(Debug)]
pub(crate) struct Plan<'m> {
    pub(crate) module: &'m Module,
    /// The system's C convention.
    pub(crate) native: CallConv,
    /// Whether a call tests if its foreign function is bound.
    pub(crate) test_bound: bool,
    first: First,
    sites: SiteNumbers,
    /// Per function: whether it returns a status.
    status: Vec<bool>,
}

/// By which numbers the runtime knows the module's places in the source.
#[derive(Debug)]
pub(crate) enum SiteNumbers {
    /// By their own, after those of earlier modules.
    InOrder,
    /// By these (`sites.rs`), for a module that runs alone.
    Own(Vec<u32>),
}

impl<'m> Plan<'m> {
    /// Looks through the module once.
    pub(crate) fn new(
        module: &'m Module,
        native: CallConv,
        options: &Options,
        sites: SiteNumbers,
    ) -> Plan<'m> {
        let mut status: Vec<bool> = module.funcs.iter().map(|func| func.can_fail).collect();
        // An indirect call always looks at a status, so whatever can be called indirectly returns one.
        for func in module.vtables.iter().flatten() {
            status[func.0 as usize] = true;
        }
        for block in module.funcs.iter().flat_map(|func| &func.blocks) {
            for inst in &block.insts {
                if let Inst::Const(_, Const::Func(id) | Const::Closure(id)) = inst {
                    status[id.0 as usize] = true;
                }
            }
        }
        for (status, func) in status.iter_mut().zip(&module.funcs) {
            *status &= func.convention == Convention::Simple;
        }
        Plan {
            module,
            native,
            test_bound: options.test_bound || !BINDS_BY_THUNKS,
            first: options.first,
            sites,
            status,
        }
    }

    /// Whether this function returns a status.
    pub(crate) fn returns_status(&self, index: usize) -> bool {
        self.status[index]
    }

    /// The convention of a function; its `places` are all registers for [`Convention::C`].
    pub(crate) fn abi(&self, index: usize) -> SimpleAbi {
        let func = &self.module.funcs[index];
        let params = func.params.iter().map(|param| func.vars[param.0 as usize]);
        match func.convention {
            Convention::Simple => {
                signature::simple(self.native, params, &func.results, self.status[index])
            }
            Convention::C | Convention::Callback { .. } | Convention::Export { .. } => {
                let mut signature = signature::c(self.native, params, &func.results);
                for &(at, bytes) in &func.on_stack {
                    signature.params[at] = signature::on_stack(bytes);
                }
                SimpleAbi {
                    signature,
                    places: vec![None; func.results.len()],
                    area: 0,
                }
            }
        }
    }

    /// The convention of a runtime function.
    pub(crate) fn runtime_signature(&self, func: simple_core::table::RtFn) -> Signature {
        let listed = func.signature();
        let params = listed.params.iter().map(|&kind| kind_mty(kind));
        let result = listed.result.map(kind_mty);
        signature::c(self.native, params, result.as_slice())
    }

    /// The address of a method table that an earlier piece of the session has made.
    pub(crate) fn kept_table(&self, constant: Const) -> Option<i64> {
        match constant {
            Const::Vtable(id) => self
                .module
                .kept_tables
                .get(&id)
                .map(|&address| address as i64),
            _ => None,
        }
    }

    /// A site as the runtime is told it.
    pub(crate) fn site(&self, site: SiteId) -> i64 {
        i64::from(match &self.sites {
            SiteNumbers::InOrder => self.first.site + site.0,
            SiteNumbers::Own(numbers) => numbers[site.0 as usize],
        })
    }

    /// A foreign function as the runtime is told it.
    pub(crate) fn foreign(&self, id: ExternId) -> i64 {
        i64::from(self.first.foreign + id.0)
    }

    /// By which numbers the runtime knows places in the source.
    pub(crate) fn into_site_numbers(self) -> SiteNumbers {
        self.sites
    }

    /// A function by its number.
    pub(crate) fn func(&self, index: usize) -> &'m Function {
        &self.module.funcs[index]
    }
}
