//! A whole program is lowered from its entry: a function when something that was lowered refers to it.
//!
//! A program uses a small part of what is checked with it: classes of the library come with all methods that objects of
//! theirs may be asked for, and their glue. What is never reached stays without a body, as `passes/unused.rs` would
//! leave it; nothing refers to its tables and descriptors, so they name no functions. Leaves out libraries for C and
//! pieces of sessions: what is not called now may be called later.

use super::cx::Cx;
use super::{func, glue};
use crate::mir::{DescId, FnId, VtableId};
use crate::passes::Reach;
use glue::Glue;
use rustc_hash::FxHashMap;
use simple_sema::typed::FuncId;
use simple_syntax::Diagnostic;

/// Lowers the entry and all that it reaches.
pub(super) fn lower_program(cx: &mut Cx<'_>) {
    let mut reach = Reach::default();
    let mut waiting = FxHashMap::default();
    // How large the object of a generator is must be known where it is made.
    for (index, func) in cx.program.funcs.iter().enumerate() {
        if func.is_generator && func.body.is_some() {
            func::lower_func(cx, index);
        }
    }
    let roots = cx.program.inits.iter().chain(&cx.program.main);
    roots.for_each(|root| reach.func(FnId(root.0)));
    // The entry fills in the objects of variants without payload, so it comes after what refers to them; what it
    // refers to itself may bring others.
    loop {
        lower_reached(cx, &mut reach, &mut waiting);
        let filled = cx.variant_statics.len();
        func::lower_entry(cx);
        if let Some(entry) = cx.module.entry {
            reach.body(&cx.module, entry);
        }
        lower_reached(cx, &mut reach, &mut waiting);
        if cx.variant_statics.len() == filled {
            break;
        }
    }
    for (id, table) in (0..).map(VtableId).zip(&mut cx.module.vtables) {
        if !reach.has_table(id) {
            table.clear();
        }
    }
    for (id, desc) in (0..).map(DescId).zip(&mut cx.module.descs) {
        if !reach.has_desc(id) {
            (desc.destroy, desc.retain_elements) = (None, None);
            (desc.leave, desc.enter) = (None, None);
        }
    }
}

/// Lowers what was reached, and what that reaches.
fn lower_reached(cx: &mut Cx<'_>, reach: &mut Reach, waiting: &mut FxHashMap<FnId, Glue>) {
    loop {
        while let Some(id) = reach.next() {
            waiting.extend(cx.work.drain(..));
            match waiting.remove(&id) {
                Some(glue) => glue::make(cx, id, glue),
                None if (id.0 as usize) < cx.program.funcs.len() => program_func(cx, id),
                // The one function for all that are never called.
                None => {}
            }
            reach.body(&cx.module, id);
        }
        reach.tables_again(&cx.module);
        if !reach.is_open() {
            return;
        }
    }
}

/// Lowers a function of the program. The checker leaves out bodies of functions that nothing calls.
fn program_func(cx: &mut Cx<'_>, id: FnId) {
    let func = &cx.program.funcs[id.0 as usize];
    if cx.generators.contains_key(&FuncId(id.0)) {
        return;
    }
    if func.body.is_none() {
        let message = format!(
            "internal error: `{}` is called and was not checked",
            func.name
        );
        let help = "this is a mistake in the compiler, not in the program: please report it together with the function";
        let d = Diagnostic::error(super::UNSOUND, func.span, message).help(help);
        cx.diagnostics.push(d);
    }
    func::lower_func(cx, id.0 as usize);
}
