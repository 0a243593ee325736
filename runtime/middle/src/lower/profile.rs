//! What a profiled program tells the runtime: when `forward` of a layer begins and ends, and what the program calls that layer.
//!
//! A program is profiled if the command asks for it or if it can profile itself, which shows in its foreign functions. In all others this adds
//! nothing. The calls are put around the finished function: inlining and splitting then move them with the rest. Calls of foreign functions
//! are told of where they are translated (`simple_codegen`, `translate/call.rs`). Next: `simple_core::profile`, which explains the descriptions.

use super::builder::Builder;
use super::cx::Cx;
use crate::mir::{Const, Inst, MTy, Term};
use simple_core::table::RtFn;
use simple_sema::typed::{AdtKind, Expr, ExprKind, Field, FuncId, Program, Ty, TyId};
use simple_syntax::Span;
use std::fmt::Write;

/// The foreign function with which a program begins a profile.
const START: &str = "rt_profile_start";

/// Whether a program can profile itself.
pub(super) fn profiles_itself(program: &Program) -> bool {
    program.externs.iter().any(|ext| ext.symbol == START)
}

/// Whether a function is `forward` of a class, or what the library's layers of several inputs have beside it.
fn is_forward(program: &Program, index: usize) -> bool {
    let func = &program.funcs[index];
    let in_library = || program.sources.file(func.span.file).library;
    func.name.ends_with(".forward") || (func.name.ends_with(".call") && in_library())
}

/// Lets layers tell when they run.
pub(super) fn mark_layers(cx: &mut Cx<'_>) {
    if !cx.module.profiled {
        return;
    }
    for index in 0..cx.program.funcs.len() {
        if is_forward(cx.program, index)
            && let Some(description) = describe(cx, index)
        {
            let text = cx.text(&description);
            let func = &mut cx.module.funcs[index];
            let Some(&object) = func.params.first() else {
                continue;
            };
            let class = crate::mir::Var(func.vars.len() as u32);
            func.vars.push(MTy::Ptr);
            let call = |func, args| Inst::CallRuntime {
                dst: None,
                func,
                args,
                fail: None,
            };
            for block in &mut func.blocks {
                if matches!(
                    block.term,
                    Term::Return(_) | Term::Propagate | Term::PropagateWith(_)
                ) {
                    block.insts.push(call(RtFn::LayerLeave, Vec::new()));
                }
            }
            let begin = [
                Inst::Const(class, Const::Text(text)),
                call(RtFn::LayerEnter, vec![object, class]),
            ];
            if let Some(entry) = func.blocks.first_mut() {
                entry.insts.splice(0..0, begin);
            }
        }
    }
}

/// Describes the class whose method a function is; `None` if it is not one of a class.
fn describe(cx: &Cx<'_>, index: usize) -> Option<String> {
    let func = &cx.program.funcs[index];
    let this = &func.locals[func.params.first()?.0 as usize];
    if this.name != "self" || func.inout_self || func.body.is_none() {
        return None;
    }
    let Ty::Adt(id) = *cx.types.get(this.ty) else {
        return None;
    };
    let class = &cx.types.adts[id.0 as usize];
    if class.kind != AdtKind::Class {
        return None;
    }
    let layout = cx.reprs.class_layout(id);
    let mut text = class.name.as_str().to_owned();
    let is_list = matches!(class.name.as_str(), "Sequential" | "ModuleList")
        && cx.program.sources.file(class.span.file).library;
    let mut leaf = 0;
    for field in &class.fields {
        let offset = layout.offsets.get(leaf).copied();
        leaf += cx.reprs.leaves(field.ty).len();
        if let (Some(offset), Some(name)) = (offset, field.name) {
            let name = if is_list { "" } else { name.as_str() };
            describe_field(cx, field, offset, name, &mut text);
        }
    }
    Some(text)
}

fn describe_field(cx: &Cx<'_>, field: &Field, offset: i32, name: &str, text: &mut String) {
    let holds_object = |ty: TyId| {
        let is_object = |ty: TyId| match cx.types.get(ty) {
            Ty::Trait(_) => true,
            Ty::Adt(id) => cx.types.adts[id.0 as usize].kind == AdtKind::Class,
            _ => false,
        };
        let leaves = cx.reprs.leaves(ty);
        let begins_with_pointer = leaves.first().is_some_and(|leaf| leaf.ty == MTy::Ptr);
        begins_with_pointer
            && match *cx.types.get(ty) {
                Ty::Option(inside) => is_object(inside),
                _ => is_object(ty),
            }
    };
    let _ = match *cx.types.get(field.ty) {
        Ty::Array(item) if holds_object(item) => {
            write!(text, "\n{offset} {} {name}", cx.reprs.layout(item).stride())
        }
        _ if !field.weak && holds_object(field.ty) => write!(text, "\n{offset} {name}"),
        _ => Ok(()),
    };
}

impl<'p> Builder<'_, 'p> {
    /// Tells the runtime what the program calls the layer whose `forward` it calls next.
    pub fn name_layer(&mut self, func: FuncId, args: &'p [Expr], span: Span) {
        let program = self.cx.program;
        if !self.cx.module.profiled
            || !is_forward(program, func.0 as usize)
            || program.sources.file(span.file).library
        {
            return;
        }
        if let Some(name) = args.first().and_then(|layer| self.written(layer)) {
            let name = self.text_constant(&name);
            self.rt(RtFn::LayerName, &[name], span);
        }
    }

    /// A variable, or a field of one, as it is written.
    fn written(&self, expr: &Expr) -> Option<String> {
        let name = match &expr.kind {
            ExprKind::Local(local) => self.source?.locals[local.0 as usize].name.clone(),
            ExprKind::Global(global) => {
                let name = &self.cx.program.globals[global.0 as usize].name;
                name.rsplit('.').next()?.to_owned()
            }
            ExprKind::Field(object, field) => {
                let class = self.cx.types.adt(object.ty)?;
                let field = class.fields.get(*field as usize)?.name?;
                match self.written(object)?.as_str() {
                    "self" => field.as_str().to_owned(),
                    object => format!("{object}.{}", field.as_str()),
                }
            }
            _ => return None,
        };
        (!name.is_empty()).then_some(name)
    }
}
