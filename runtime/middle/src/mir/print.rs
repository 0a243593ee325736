//! A readable, stable dump of the middle form, for `--emit=mir` and for golden tests.
//!
//! Variables are `v3:i64` where they are assigned and `v3` where they are read; `!bb4` is where a failing instruction goes.

use super::{Const, Convention, Fail, Function, Inst, MTy, Module, Release, Term, Var};
use std::fmt::Write;

/// The whole module, without functions whose bodies a pass took.
pub fn module(module: &Module) -> String {
    let mut out = String::new();
    for (index, text) in module.texts.iter().enumerate() {
        let _ = writeln!(out, "text{index} = {text:?}");
    }
    for (index, desc) in module.descs.iter().enumerate() {
        let _ = write!(out, "desc{index} = {:?}", desc.name);
        if desc.stride != 0 {
            let _ = write!(out, " stride {}", desc.stride);
        }
        for (what, func) in [
            ("destroy", desc.destroy),
            ("retain", desc.retain_elements),
            ("leave", desc.leave),
            ("enter", desc.enter),
        ] {
            if let Some(func) = func {
                let _ = write!(out, " {what} {}", func_name(module, func.0));
            }
        }
        out.push('\n');
    }
    for (index, table) in module.vtables.iter().enumerate() {
        let names: Vec<String> = table.iter().map(|func| func_name(module, func.0)).collect();
        let _ = writeln!(out, "vtable{index} = [{}]", names.join(", "));
    }
    for (index, size) in module.statics.iter().enumerate() {
        let _ = writeln!(out, "static{index} = {size} bytes");
    }
    for (index, bytes) in module.bytes.iter().enumerate() {
        let _ = write!(out, "bytes{index} = {:?}", bytes.content);
        for (at, address) in &bytes.addresses {
            let _ = write!(out, ", {at}: {address:?}");
        }
        out.push('\n');
    }
    for (index, ext) in module.externs.iter().enumerate() {
        let _ = writeln!(out, "extern{index} = {} ({:?})", ext.symbol, ext.failure);
    }
    for index in 0..module.funcs.len() {
        if module.funcs[index].is_empty() {
            continue;
        }
        out.push('\n');
        out.push_str(&function(module, index));
    }
    out
}

fn func_name(module: &Module, index: u32) -> String {
    match module.funcs.get(index as usize) {
        Some(func) => format!("f{index} {}", func.name),
        None => format!("f{index} ?"),
    }
}

/// One function.
pub fn function(module: &Module, index: usize) -> String {
    let func = &module.funcs[index];
    let mut out = format!("fn f{index} {}(", func.name);
    let params: Vec<String> = func.params.iter().map(|var| typed(func, *var)).collect();
    let results: Vec<&str> = func.results.iter().map(|ty| mty(*ty)).collect();
    let _ = write!(out, "{}) -> ({})", params.join(", "), results.join(", "));
    if func.convention == Convention::C {
        out.push_str(" c");
    }
    match func.convention {
        Convention::Callback { .. } => out.push_str(" callback"),
        Convention::Export { .. } => out.push_str(" export"),
        Convention::Simple | Convention::C => {}
    }
    if func.can_fail {
        out.push_str(" fails");
    }
    if func.checks_stack {
        out.push_str(" checks_stack");
    }
    if func.quick {
        out.push_str(" quick");
    }
    out.push('\n');
    for (number, block) in func.blocks.iter().enumerate() {
        let _ = writeln!(out, "bb{number}:{}", if block.cold { " cold" } else { "" });
        for inst in &block.insts {
            let _ = writeln!(out, "    {}", instruction(module, func, inst));
        }
        let _ = writeln!(out, "    {}", terminator(&block.term));
    }
    out
}

fn mty(ty: MTy) -> &'static str {
    match ty {
        MTy::I8 => "i8",
        MTy::I16 => "i16",
        MTy::I32 => "i32",
        MTy::I64 => "i64",
        MTy::F32 => "f32",
        MTy::F64 => "f64",
        MTy::I32x4 => "i32x4",
        MTy::I64x2 => "i64x2",
        MTy::F32x4 => "f32x4",
        MTy::F64x2 => "f64x2",
        MTy::Ptr => "ptr",
    }
}

fn typed(func: &Function, var: Var) -> String {
    match func.vars.get(var.0 as usize) {
        Some(ty) => format!("v{}:{}", var.0, mty(*ty)),
        None => format!("v{}:?", var.0),
    }
}

fn list(vars: &[Var]) -> String {
    let names: Vec<String> = vars.iter().map(|var| format!("v{}", var.0)).collect();
    names.join(", ")
}

fn edge(fail: Fail) -> String {
    format!("!bb{}", fail.unwind.0)
}

/// A constant, by what it is in this module.
pub fn constant(module: &Module, constant: Const) -> String {
    match constant {
        Const::Int(value) => value.to_string(),
        Const::Float(value) => format!("{value:?}"),
        Const::Text(id) => match module.texts.get(id.0 as usize) {
            Some(text) => format!("text {text:?}"),
            None => format!("text{}", id.0),
        },
        Const::Desc(id) => format!("desc{}", id.0),
        Const::Empty(id) => format!("empty desc{}", id.0),
        Const::Closure(id) => format!("closure {}", func_name(module, id.0)),
        Const::Func(id) => format!("code {}", func_name(module, id.0)),
        Const::Vtable(id) => format!("vtable{}", id.0),
        Const::Static(id) => format!("static{}", id.0),
        Const::Bytes(id) => format!("bytes{}", id.0),
        Const::Slot(id) => format!("slot{}", id.0),
        Const::Site(id) => format!("site{}", id.0),
    }
}

fn release(module: &Module, release: &Release) -> String {
    let how = match release {
        Release { text: true, .. } => " text".to_string(),
        Release {
            destroy: Some(func),
            ..
        } => format!(" by {}", func_name(module, func.0)),
        Release { .. } => " by descriptor".to_string(),
    };
    format!("{how}{}", if release.nullable { " nullable" } else { "" })
}

fn results(func: &Function, dsts: &[Var]) -> String {
    if dsts.is_empty() {
        return String::new();
    }
    let names: Vec<String> = dsts.iter().map(|var| typed(func, *var)).collect();
    format!("{} = ", names.join(", "))
}

fn instruction(module: &Module, func: &Function, inst: &Inst) -> String {
    let def = |var: &Var| typed(func, *var);
    let fail_text =
        |fail: &Option<Fail>| fail.map_or(String::new(), |fail| format!(" {}", edge(fail)));
    match inst {
        Inst::Const(dst, value) => format!("{} = {}", def(dst), constant(module, *value)),
        Inst::Copy(dst, src) => format!("{} = v{}", def(dst), src.0),
        Inst::Bin(dst, op, a, b) => format!("{} = {op:?} v{}, v{}", def(dst), a.0, b.0),
        Inst::Un(dst, op, a) => format!("{} = {op:?} v{}", def(dst), a.0),
        Inst::Cmp(dst, op, a, b) => format!("{} = {op:?} v{}, v{}", def(dst), a.0, b.0),
        Inst::Conv(dst, op, a) => format!("{} = {op:?} v{}", def(dst), a.0),
        Inst::Select(dst, c, a, b) => format!("{} = Select v{}, v{}, v{}", def(dst), c.0, a.0, b.0),
        Inst::Checked(dst, op, signed, a, b, fail) => {
            let sign = if *signed { "" } else { "U" };
            format!(
                "{} = Checked{sign}{op:?} v{}, v{} {}",
                def(dst),
                a.0,
                b.0,
                edge(*fail)
            )
        }
        Inst::Check {
            cond,
            error,
            a,
            b,
            fail,
        } => {
            let numbers: Vec<Var> = a.iter().chain(b).copied().collect();
            format!(
                "check v{} else {error:?}({}) {}",
                cond.0,
                list(&numbers),
                edge(*fail)
            )
        }
        Inst::Load(dst, base, offset) => format!("{} = load [v{} + {offset}]", def(dst), base.0),
        Inst::Store(base, offset, src) => format!("store [v{} + {offset}] = v{}", base.0, src.0),
        Inst::LoadAt(dst, base, index, scale, offset) => {
            format!(
                "{} = load [v{} + v{} * {scale} + {offset}]",
                def(dst),
                base.0,
                index.0
            )
        }
        Inst::StoreAt(base, index, scale, offset, src) => {
            format!(
                "store [v{} + v{} * {scale} + {offset}] = v{}",
                base.0, index.0, src.0
            )
        }
        Inst::AddrAt(dst, base, index, scale, offset) => {
            format!(
                "{} = v{} + v{} * {scale} + {offset}",
                def(dst),
                base.0,
                index.0
            )
        }
        Inst::Retain(var, nullable) => {
            format!(
                "retain v{}{}",
                var.0,
                if *nullable { " nullable" } else { "" }
            )
        }
        Inst::Release(var, how) => format!("release v{}{}", var.0, release(module, how)),
        Inst::Call {
            dsts,
            func: callee,
            args,
            fail,
        } => format!(
            "{}call {}({}){}",
            results(func, dsts),
            func_name(module, callee.0),
            list(args),
            fail_text(fail)
        ),
        Inst::CallIndirect {
            dsts,
            code,
            args,
            fail,
        } => {
            format!(
                "{}call [v{}]({}) {}",
                results(func, dsts),
                code.0,
                list(args),
                edge(*fail)
            )
        }
        Inst::CallRuntime {
            dst,
            func: callee,
            args,
            fail,
        } => {
            let dsts: Vec<Var> = dst.iter().copied().collect();
            format!(
                "{}runtime {callee:?}({}){}",
                results(func, &dsts),
                list(args),
                fail_text(fail)
            )
        }
        Inst::CallExtern {
            dsts,
            func: callee,
            args,
            fail,
        } => {
            let name = module
                .externs
                .get(callee.0 as usize)
                .map_or("?", |ext| ext.symbol.as_str());
            format!(
                "{}extern {name}({}) {}",
                results(func, dsts),
                list(args),
                edge(*fail)
            )
        }
        Inst::Raise(error, fail) => format!("raise {error:?} {}", edge(*fail)),
        Inst::Panic(text, fail) => format!("panic v{} {}", text.0, edge(*fail)),
    }
}

fn terminator(term: &Term) -> String {
    match term {
        Term::Jump(target) => format!("jump bb{}", target.0),
        Term::Branch(cond, then, otherwise) => {
            format!("if v{} bb{} else bb{}", cond.0, then.0, otherwise.0)
        }
        Term::Switch(var, cases, otherwise) => {
            let cases: Vec<String> = cases
                .iter()
                .map(|(value, block)| format!("{value}: bb{}", block.0))
                .collect();
            format!(
                "switch v{} [{}] else bb{}",
                var.0,
                cases.join(", "),
                otherwise.0
            )
        }
        Term::Return(vars) => format!("return {}", list(vars)).trim_end().to_string(),
        Term::Propagate => "propagate".to_string(),
        Term::PropagateWith(vars) => format!("propagate with {}", list(vars)),
        Term::Unreachable => "unreachable".to_string(),
    }
}
