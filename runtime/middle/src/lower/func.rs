//! Functions of the program, and the entry that runs them.
//!
//! The entry fills in static objects, runs the module initializers in order, then `main`; whatever happens it releases the
//! module-level variables in reverse order, so that drops run.

use super::builder::{Builder, LocalState};
use super::cx::Cx;
use super::liveness;
use super::value::Value;
use super::walk::{Node, walk};
use crate::mir::{BinOp, Const, Convention, FnId, Inst, MTy, Term, Var};
use crate::repr::Leaf;
use simple_core::layout::{COUNT, DESC, FIELDS, IMMORTAL};
use simple_core::table::RtFn;
use simple_sema::typed::{Func, FuncId, GlobalId, PlaceRoot, Ty, TyId};
use simple_syntax::Span;

/// Lowers function `index` of the program.
pub(crate) fn lower_func(cx: &mut Cx<'_>, index: usize) {
    let program = cx.program;
    let func = &program.funcs[index];
    let Some(body) = &func.body else { return };
    let candidates = candidates(cx, func);
    let mut builder = Builder::new(cx, FnId(index as u32), &func.name, Convention::Simple);
    builder.source = Some(func);
    builder.ret = func.ret;
    builder.locals = vec![None; func.locals.len()];
    builder.live = liveness::analyse(body, candidates);
    if !func.captures.is_empty() || func.is_generator {
        bind_captures(&mut builder, FuncId(index as u32));
    }
    for (position, local) in func.params.iter().enumerate() {
        let info = &func.locals[local.0 as usize];
        let shapes = builder.cx.reprs.leaves(info.ty);
        let vars = builder.params(&shapes);
        if position == 0 && func.inout_self {
            builder.inout = vars.clone();
            let marker = builder.flag(true);
            builder.inout.push(marker);
            if info.cell {
                builder.declare_self_cell(*local, info.ty, vars);
            } else {
                builder.declare(*local, info.ty, vars, true, false);
            }
        } else if info.mutable {
            // Arguments are borrowed; one that is assigned needs its own reference.
            builder.retain_all(info.ty, &vars);
            let own = vars.iter().map(|var| builder.copy(*var)).collect();
            builder.declare(*local, info.ty, own, true, true);
        } else {
            builder.declare(*local, info.ty, vars, false, false);
        }
    }
    builder.function.results = builder.result_types(FuncId(index as u32));
    builder.poll(func.span);
    builder.cover_body(body);
    let leaves = if builder.cx.reprs.leaves(func.ret).is_empty() {
        builder.statement(body);
        Vec::new()
    } else {
        builder.owned_for_exit(body, func.ret, 0)
    };
    builder.return_leaves(leaves);
    builder.finish_generator(FuncId(index as u32));
    builder.finish();
}

/// The variables that liveness may release early: owned ones whose destruction cannot be seen.
fn candidates(cx: &mut Cx<'_>, func: &Func) -> Vec<bool> {
    let mut candidates: Vec<bool> = func
        .locals
        .iter()
        .map(|local| !local.cell && cx.reprs.is_counted(local.ty) && !cx.has_visible_drop(local.ty))
        .collect();
    for local in func.params.iter().chain(&func.captures) {
        candidates[local.0 as usize] = false;
    }
    candidates
}

fn bind_captures(builder: &mut Builder<'_, '_>, func: FuncId) {
    let object = builder.param(MTy::Ptr);
    let info = &builder.cx.program.funcs[func.0 as usize];
    if info.is_generator {
        builder.begin_generator(func, object, info.span);
    }
    let (captures, shapes, layout) = builder.captures(func);
    let mut at = 0;
    for capture in captures {
        let leaves = builder.load_leaves(&shapes, &layout, at..at + capture.len, object);
        at += capture.len;
        let state = LocalState {
            leaves,
            mutable: false,
            cell: capture.cell,
        };
        builder.set_local(capture.local, state);
    }
}

/// Makes the entry of a whole program.
pub(crate) fn lower_entry(cx: &mut Cx<'_>) {
    let mut builder = entry_builder(cx);
    let program = builder.cx.program;
    fill_variants(&mut builder);
    let code = builder.i64(0);
    let failed = builder.flag(true);
    let finish = builder.block();
    builder.reached[finish.0 as usize] = true;
    builder.on_error = Some(finish);
    initialize(&mut builder);
    let exit = match program.main {
        Some(main) => call_main(&mut builder, main),
        None => builder.i64(0),
    };
    builder.emit(Inst::Copy(code, exit));
    let fine = builder.flag(false);
    builder.emit(Inst::Copy(failed, fine));
    builder.jump(finish);
    builder.switch(finish);
    release_globals(&mut builder);
    let (bad, good) = (builder.cold_block(), builder.block());
    builder.branch(failed, bad, good);
    builder.switch(bad);
    builder.end(Term::Propagate);
    builder.switch(good);
    builder.end(Term::Return(vec![code]));
    builder.finish();
}

/// Makes the two entries of a piece of a session: one that initializes and leaves the variables, one that releases them.
pub(crate) fn lower_piece_entries(cx: &mut Cx<'_>) {
    let mut builder = entry_builder(cx);
    fill_variants(&mut builder);
    initialize(&mut builder);
    let code = builder.i64(0);
    builder.end(Term::Return(vec![code]));
    builder.finish();
    let id = FnId(cx.module.funcs.len() as u32);
    cx.module.funcs.push(super::cx::empty_function("<release>"));
    cx.module.release = Some(id);
    let mut builder = Builder::new(cx, id, "<release>", Convention::Simple);
    builder.function.results = vec![MTy::I64];
    release_globals(&mut builder);
    let code = builder.i64(0);
    builder.end(Term::Return(vec![code]));
    builder.finish();
}

/// What makes the entry, in the place of an earlier one.
fn entry_builder<'c, 'p>(cx: &'c mut Cx<'p>) -> Builder<'c, 'p> {
    let module = &mut cx.module;
    let id = *module.entry.get_or_insert_with(|| {
        let id = FnId(module.funcs.len() as u32);
        module.funcs.push(super::cx::empty_function("<entry>"));
        id
    });
    let mut builder = Builder::new(cx, id, "<entry>", Convention::Simple);
    builder.function.results = vec![MTy::I64];
    builder
}

/// Fills in the static objects of variants without payload.
fn fill_variants(builder: &mut Builder<'_, '_>) {
    for (adt, variant, home) in builder.cx.variant_statics.clone() {
        let object = builder.constant(MTy::Ptr, Const::Static(home));
        let count = builder.i64(IMMORTAL);
        builder.store(object, COUNT, count);
        let ty = builder.cx.adt_type(adt);
        let desc = builder.cx.desc(super::cx::DescKey::Type(ty));
        let desc = builder.constant(MTy::Ptr, Const::Desc(desc));
        builder.store(object, DESC, desc);
        let tag = builder.i64(variant as i64);
        builder.store(object, FIELDS, tag);
    }
}

/// Runs the initializers of modules in order.
fn initialize(builder: &mut Builder<'_, '_>) {
    let program = builder.cx.program;
    for init in &program.inits {
        let func = &program.funcs[init.0 as usize];
        let results = builder.result_types(*init);
        let values = builder.call(FnId(init.0), Vec::new(), &results, func.span);
        builder.release_all(func.ret, &values);
    }
}

/// Calls `main`; its exit code.
fn call_main(builder: &mut Builder<'_, '_>, main: FuncId) -> Var {
    let func = &builder.cx.program.funcs[main.0 as usize];
    let params = builder.param_types(main);
    let args = match params[..] {
        [] => Value::unit(),
        [list] if builder.item_ty(list) == TyId::TEXT => program_args(builder, list, func.span),
        _ => {
            builder
                .cx
                .not_supported(func.span, "other parameters of `main` than one `[text]`");
            return builder.i64(0);
        }
    };
    let results = builder.result_types(main);
    let leaves = builder.call(FnId(main.0), args.leaves.clone(), &results, func.span);
    builder.discard(&args);
    let gives_code = builder.cx.program.main_gives_code;
    if gives_code && builder.int_ty(func.ret).is_some() {
        return exit_code(builder, leaves[0], func.ret);
    }
    let Ty::Result(ok, err) = *builder.cx.types.get(func.ret) else {
        builder.release_all(func.ret, &leaves);
        return builder.i64(0);
    };
    let value = builder.temp(func.ret, leaves);
    let present = builder.is_present(&value, func.ret);
    let result = builder.var(MTy::I64);
    let (good, bad, done) = (builder.block(), builder.block(), builder.block());
    builder.branch(present, good, bad);
    let (oks, errs) = builder.cx.reprs.result_payloads(func.ret);
    builder.switch(good);
    let fine = if gives_code && builder.int_ty(ok).is_some() {
        exit_code(builder, value.leaves[oks.start], ok)
    } else {
        builder.i64(0)
    };
    builder.emit(Inst::Copy(result, fine));
    builder.jump(done);
    builder.switch(bad);
    let text = builder.start_text(func.span);
    builder.add_text(text, "error: ", func.span);
    let payload: Value = value.part(errs);
    builder.print_value(text, &payload, err, func.span);
    let text = builder.finish_text(text, func.span);
    builder.rt(RtFn::Eprint, &[text.leaves[0]], func.span);
    builder.discard(&text);
    let one = builder.i64(1);
    builder.emit(Inst::Copy(result, one));
    builder.jump(done);
    builder.switch(done);
    builder.discard(&value);
    result
}

/// The arguments of the program as an array of texts.
fn program_args(builder: &mut Builder<'_, '_>, list: TyId, span: Span) -> Value {
    let args = builder.runtime_extern("sys_get_args", &[], "[text]");
    let buffer = builder.call_c(args, Vec::new(), span);
    builder.adopted(list, &buffer, span)
}

/// The low eight bits of an integer.
fn exit_code(builder: &mut Builder<'_, '_>, value: Var, ty: TyId) -> Var {
    let signed = builder.int_ty(ty).is_none_or(|int| int.signed);
    let wide = builder.resize_int(value, MTy::I64, signed);
    let mask = builder.i64(255);
    builder.bin(BinOp::And, wide, mask)
}

/// Releases what module-level variables hold, the last first. Each is emptied before it is released, because a `drop` may look.
fn release_globals(builder: &mut Builder<'_, '_>) {
    for index in initialization_order(builder.cx).into_iter().rev() {
        if is_kept(builder.cx, index) {
            continue;
        }
        let home = &builder.cx.globals[index];
        let (id, layout, leaves, flag) = (
            home.home,
            home.layout.clone(),
            home.leaves.clone(),
            home.flag,
        );
        if !leaves.iter().any(|leaf| leaf.counted.is_some()) {
            continue;
        }
        let base = builder.constant(MTy::Ptr, id);
        let old = builder.load_leaves(&leaves, &layout, 0..leaves.len(), base);
        for (leaf, offset) in leaves.iter().zip(&layout.offsets) {
            if leaf.counted.is_some() {
                let null = builder.null();
                builder.store(base, *offset, null);
            }
        }
        if let Some(offset) = flag {
            let unset = builder.flag(false);
            builder.store(base, offset, unset);
        }
        let pairs: Vec<(Var, Leaf)> = old.into_iter().zip(leaves.iter().copied()).collect();
        for (var, leaf) in pairs.into_iter().rev() {
            builder.release(var, leaf);
        }
    }
}

/// Whether a variable belongs to an earlier piece of the session.
fn is_kept(cx: &Cx<'_>, index: usize) -> bool {
    cx.piece
        .is_some_and(|kept| kept.variables.contains_key(&GlobalId(index as u32)))
}

/// Module-level variables in the order in which their initializers run.
fn initialization_order(cx: &Cx<'_>) -> Vec<usize> {
    let mut order = Vec::with_capacity(cx.globals.len());
    let mut seen = vec![false; cx.globals.len()];
    for init in &cx.program.inits {
        let Some(body) = &cx.program.funcs[init.0 as usize].body else {
            continue;
        };
        walk(body, &mut |node| {
            if let Node::Place(place) = node
                && let PlaceRoot::Global(global) = place.root
                && !std::mem::replace(&mut seen[global.0 as usize], true)
            {
                order.push(global.0 as usize);
            }
        });
    }
    order.extend((0..seen.len()).filter(|index| !seen[*index]));
    order
}
