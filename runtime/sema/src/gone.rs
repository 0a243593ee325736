//! Functions that the library declares and that the foreign library found on this machine lacks, such as an operator that is gone from newer
//! releases of libtorch: a program that calls one for sure is refused at its own line, before the run. What may be left out, such as a call
//! in a branch that asks for the release, is left to the run, which fails at the line. A lambda counts where it is made.

use rustc_hash::{FxHashMap, FxHashSet};
use simple_syntax::{Diagnostic, Span};

use crate::certain::{Met, Search, Walk};
use crate::checker::Checker;
use crate::codes;
use crate::decls::FnInfo;
use crate::loader::Gone;
use crate::steps::each;
use crate::typed::*;

impl Checker<'_> {
    /// Reports the calls of functions that are gone.
    pub(crate) fn check_gone(&mut self) {
        if self.reports().has_errors() {
            return;
        }
        let externs = self.output().externs().iter().enumerate();
        let gone: FxHashMap<u32, Gone> = externs
            .filter_map(|(number, ext)| {
                // Functions of the torch library are found without one.
                let is_torchs = ext.library.is_none() && ext.symbol.starts_with("rt_torch_");
                let gone = is_torchs.then(|| self.input().externs().gone(&ext.symbol))??;
                Some((number as u32, gone))
            })
            .collect();
        if gone.is_empty() {
            return;
        }
        // A file of the library that is checked by itself is not a program.
        let in_library = |info: &FnInfo| {
            let module = &self.modules()[info.module];
            module.library || self.input().loader().is_of_library(&module.path)
        };
        let instances = self.instances().fns().iter();
        let library: FxHashSet<FuncId> = instances
            .filter(|instance| in_library(&self.decls()[instance.fn_idx]))
            .map(|instance| instance.id)
            .collect();
        let mut calls = Calls {
            cx: self,
            gone: &gone,
            library: &library,
            known: FxHashMap::default(),
        };
        // A closure is looked at where it is made, as part of the function around it.
        let mut closures = FxHashSet::default();
        for body in calls
            .cx
            .output()
            .funcs()
            .iter()
            .filter_map(|func| func.body.as_ref())
        {
            each(body, &mut |e| {
                if let ExprKind::Closure(func, _) = e.kind {
                    closures.insert(func);
                }
            });
        }
        let mut found: Vec<(Span, u32)> = Vec::new();
        for number in 0..calls.cx.output().funcs().len() {
            let func = FuncId(number as u32);
            if !library.contains(&func) && !closures.contains(&func) {
                found.extend(calls.of(func));
            }
        }
        found.sort();
        found.dedup_by_key(|(span, _)| *span);
        for (span, number) in found {
            let Gone { message, help } = &gone[&number];
            let d = Diagnostic::error(codes::GONE_FUNCTION, span, message.as_str());
            self.report(d.help(help.as_str()));
        }
    }
}

/// Finds calls of functions that are gone, which are known by their numbers among the foreign functions.
struct Calls<'s, 'c, 'a> {
    cx: &'c Checker<'a>,
    gone: &'s FxHashMap<u32, Gone>,
    library: &'s FxHashSet<FuncId>,
    /// What functions of the library call for sure.
    known: FxHashMap<FuncId, Option<u32>>,
}

impl<'c> Calls<'_, 'c, '_> {
    /// What a function calls for sure, with the places.
    fn of(&mut self, func: FuncId) -> Vec<(Span, u32)> {
        let cx = self.cx;
        let Some(body) = cx.output()[func].body.as_ref() else {
            return Vec::new();
        };
        let mut met = Vec::new();
        self.walk(body, Walk::Certain, &mut met);
        let found = met.into_iter().filter_map(|met| match met {
            Met::Found(span, number) => Some((span, number)),
            Met::Call(_) => None,
        });
        found.collect()
    }

    fn of_library(&mut self, func: FuncId) -> Option<u32> {
        if let Some(&known) = self.known.get(&func) {
            return known;
        }
        // One that calls itself calls what the rest of it does.
        self.known.insert(func, None);
        let first = self.of(func).first().map(|(_, number)| *number);
        self.known.insert(func, first);
        first
    }
}

impl<'c> Search<'c> for Calls<'_, 'c, '_> {
    type What = u32;

    fn own(&mut self, e: &'c Expr, walk: Walk, met: &mut Vec<Met<u32>>) {
        let found = match &e.kind {
            ExprKind::CallExtern(id, _) => self.gone.contains_key(&id.0).then_some(id.0),
            ExprKind::Call(func, _) | ExprKind::CallInout(func, ..)
                if self.library.contains(func) =>
            {
                self.of_library(*func)
            }
            ExprKind::Closure(func, _) => {
                let cx = self.cx;
                if let Some(body) = cx.output()[*func].body.as_ref() {
                    self.walk(body, walk, met);
                }
                None
            }
            _ => None,
        };
        met.extend(found.map(|number| Met::Found(e.span, number)));
    }
}
