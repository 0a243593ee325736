//! The walk over functions: what is known about each value, in the order in which the program computes them.
//!
//! A variable that lives in a cell may change at any time and is never known. `statements.rs` and `expressions.rs` walk over a
//! body, `callee.rs` knows what calls yield.

use super::callee::{Signature, agree, value_of};
use super::declared::{Declared, names};
use super::dim::{Atom, Dim};
use super::fact::{Fact, Scope};
use super::proof::{Proof, certain};
use super::rule::Rule;
use super::unify::Store;
use crate::checker::Checker;
use crate::codes;
use crate::decls::{FnIdx, ModIdx};
use crate::state::{Reporting, Reports};
use crate::typed::*;
use rustc_hash::{FxHashMap, FxHashSet};
use simple_syntax::{Diagnostic, Span, Symbol};
use std::rc::Rc;

/// The analysis of a program.
pub(super) struct Flow<'x, 'a> {
    pub(super) cx: &'x mut Checker<'a>,
    pub(super) signatures: FxHashMap<FnIdx, Option<Rc<Signature>>>,
    pub(super) globals: FxHashMap<GlobalId, Fact>,
    /// Globals that are assigned after their initializer.
    pub(super) mutable: FxHashSet<GlobalId>,
    /// Whether the program changes shapes in place: then no variable keeps one.
    pub(super) changes: bool,
    /// What holds for a field of all instances that the program makes.
    pub(super) fields: FxHashMap<(AdtId, u32), Fact>,
    /// What holds for every result of a function that says nothing about it.
    pub(super) results: FxHashMap<FnIdx, Fact>,
    /// Whether fields and results are being collected.
    pub(super) collecting: bool,
    pub(super) frame: Frame,
    pub(super) loops: u32,
    /// Which checks of written shapes cannot fail.
    pub(super) proof: Proof,
}

/// The function that is walked.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) locals: Vec<Fact>,
    /// Variables that are assigned after their binding.
    pub(super) mutable: Vec<bool>,
    /// Variables that a closure shares, which may change whenever it runs.
    pub(super) cells: Vec<bool>,
    /// Where variables are declared.
    pub(super) spans: Vec<Span>,
    /// What the names of its signature mean.
    pub(super) known: Rc<[(Symbol, Fact)]>,
    pub(super) module: Option<ModIdx>,
    pub(super) ret: Option<Declared>,
    /// What holds for every result so far.
    pub(super) result: Option<Fact>,
}

impl Reporting for Flow<'_, '_> {
    fn reports_mut(&mut self) -> &mut Reports {
        self.cx.reports_mut()
    }
}

impl<'x, 'a> Flow<'x, 'a> {
    pub(super) fn new(cx: &'x mut Checker<'a>) -> Flow<'x, 'a> {
        let mutable = cx
            .decls()
            .globals()
            .iter()
            .filter(|global| global.mutable)
            .filter_map(|global| global.id)
            .collect();
        let called: Vec<FnIdx> = cx
            .instances()
            .fns()
            .iter()
            .map(|instance| instance.fn_idx)
            .collect();
        let changes = called.into_iter().any(|idx| {
            cx.function_rules(idx)
                .is_some_and(|rules| rules.iter().any(|of| of.rule == Rule::Changes))
        });
        Flow {
            cx,
            signatures: FxHashMap::default(),
            globals: FxHashMap::default(),
            mutable,
            changes,
            fields: FxHashMap::default(),
            results: FxHashMap::default(),
            collecting: false,
            frame: Frame::default(),
            loops: 0,
            proof: Proof::default(),
        }
    }

    /// Walks everything twice: silently to collect what is known about fields and results, then to report.
    pub(super) fn program(&mut self, inits: &[(ModIdx, FuncId)], bodies: &[(FnIdx, FuncId)]) {
        for collecting in [true, false] {
            self.collecting = collecting;
            self.quietly_if(collecting, |flow| flow.walk_all(inits, bodies));
        }
    }

    fn walk_all(&mut self, inits: &[(ModIdx, FuncId)], bodies: &[(FnIdx, FuncId)]) {
        for &(module, init) in inits {
            // Modules of the library are walked for their variables alone.
            let library = self.cx.modules()[module].library;
            self.quietly_if(library, |flow| flow.module_init(module, init));
        }
        for &(fn_idx, id) in bodies {
            let result = self.function(fn_idx, id);
            if let (true, Some(result)) = (self.collecting, result) {
                // [condition shapes.names_outside]: the names of its signature mean nothing to callers.
                let result = result.outside();
                let known = self.results.get(&fn_idx);
                // [condition shapes.every_instance]: an instance of the function may yield another.
                let result = known.map_or(result.clone(), |known| known.join(&result));
                self.results.insert(fn_idx, result);
            }
        }
    }

    /// Walks the statements of a module; what its variables are is kept for the functions.
    fn module_init(&mut self, module: ModIdx, id: FuncId) {
        let frame = self.new_frame(id, Some(module));
        self.walk(id, frame);
    }

    /// Walks a function of the program; what holds for all its results.
    fn function(&mut self, fn_idx: FnIdx, id: FuncId) -> Option<Fact> {
        let info = &self.cx.decls()[fn_idx];
        let (decl, module, owner) = (info.decl, info.module, info.owner);
        let generics = info.generics.clone();
        let mut frame = self.new_frame(id, Some(module));
        let signature = self.signature(fn_idx).unwrap_or_default();
        let mut settled: Vec<(Symbol, bool)> = decl
            .params
            .iter()
            .map(|param| (param.name.name, true))
            .collect();
        for (_, declared) in &signature.params {
            match declared {
                Some(Declared::Tensor(shape)) => names(shape, &mut settled),
                Some(Declared::Layer(input, output)) => {
                    names(input, &mut settled);
                    names(output, &mut settled);
                }
                None => {}
            }
        }
        frame.known = settled
            .iter()
            .map(|(name, _)| (*name, Fact::Int(Dim::atom(Atom::Name(*name)))))
            .collect();
        let params = self.cx.output()[id].params.clone();
        self.shadowed(id, &params, &mut frame);
        if let Some(ret) = &signature.ret {
            settled.retain(|(_, alone)| *alone);
            settled.extend(generics.iter().map(|name| (*name, true)));
            self.names_of_fields(owner, &mut settled);
            self.determined(
                ret,
                &settled,
                decl.ret.as_ref().map_or(decl.head, |ty| ty.span),
            );
        }
        frame.ret.clone_from(&signature.ret);
        // `self` comes first, if there is one.
        let first = params.len().saturating_sub(decl.params.len());
        let known = frame.known.clone();
        for (at, (local, param)) in params[first..].iter().zip(&decl.params).enumerate() {
            let declared = signature
                .params
                .get(at)
                .and_then(|(_, shape)| shape.as_ref());
            let ty = self.cx.output()[id].locals[local.0 as usize].ty;
            frame.locals[local.0 as usize] = match declared {
                Some(declared) => {
                    let what = format!("`{}`", param.name.name);
                    value_of(
                        declared,
                        &what,
                        &mut Scope::new(&known),
                        &mut Store::default(),
                    )
                }
                None if matches!(self.cx.types().get(ty), Ty::Int(_)) => {
                    Fact::Int(Dim::atom(Atom::Name(param.name.name)))
                }
                None => self.of_type(ty, module),
            };
        }
        self.walk(id, frame)
    }

    /// Reports names of a result that nothing in the signature settles.
    fn determined(&mut self, ret: &Declared, settled: &[(Symbol, bool)], place: Span) {
        let mut used = Vec::new();
        let mut known = settled.to_vec();
        match ret {
            Declared::Tensor(shape) => names(shape, &mut used),
            Declared::Layer(input, output) => {
                names(input, &mut known);
                names(output, &mut used);
            }
        }
        let Some((name, _)) = used
            .iter()
            .find(|(name, _)| !known.iter().any(|(known, _)| known == name))
        else {
            return;
        };
        let d = Diagnostic::error(
            codes::DIM_UNDETERMINED,
            place,
            format!("the dimension `{name}` of the result cannot be determined"),
        )
        .note(format!(
            "no parameter has a dimension `{name}`, and no integer parameter has this name"
        ))
        .help("write `?` for a size that is known only at run time");
        self.cx.report(d);
    }

    fn new_frame(&self, id: FuncId, module: Option<ModIdx>) -> Frame {
        let func = &self.cx.output()[id];
        Frame {
            locals: vec![Fact::Unknown; func.locals.len()],
            mutable: func.locals.iter().map(|local| local.mutable).collect(),
            cells: func.locals.iter().map(|local| local.cell).collect(),
            spans: func.locals.iter().map(|local| local.span).collect(),
            known: Rc::from([]),
            module,
            ret: None,
            result: None,
        }
    }

    /// A name of the signature says nothing where a variable of the body has the same one: which of them a written shape means depends
    /// on the place.
    fn shadowed(&self, id: FuncId, params: &[LocalId], frame: &mut Frame) {
        let func = &self.cx.output()[id];
        let own = (0..)
            .map(LocalId)
            .zip(&func.locals)
            .filter(|(local, _)| !params.contains(local) && !func.captures.contains(local));
        // [condition shapes.shadowed]: `n` of an inner block is not the parameter `n`.
        let own: FxHashSet<&str> = own.map(|(_, local)| local.name.as_str()).collect();
        let known = frame.known.iter().map(|(name, fact)| {
            let fact = match own.contains(name.as_str()) {
                true => Fact::Unknown,
                false => fact.clone(),
            };
            (*name, fact)
        });
        frame.known = known.collect();
    }

    /// Walks the body of a function in a new frame; what holds for all its results.
    fn walk(&mut self, id: FuncId, frame: Frame) -> Option<Fact> {
        // A function inside itself is met while its body is out.
        let body = self.cx.output_mut()[id].body.take()?;
        let outer = std::mem::replace(&mut self.frame, frame);
        let loops = std::mem::take(&mut self.loops);
        let value = self.expr(&body);
        if body.ty != TyId::NEVER {
            self.returned(&value, tail(&body).span);
        }
        let walked = std::mem::replace(&mut self.frame, outer);
        self.loops = loops;
        self.cx.output_mut()[id].body = Some(body);
        walked.result
    }

    /// Compares a result with the function's declared one.
    pub(super) fn returned(&mut self, value: &Fact, place: Span) {
        let result = self.frame.result.take();
        // [condition shapes.every_result]: any `return` may yield the result.
        self.frame.result = Some(result.map_or_else(|| value.clone(), |known| known.join(value)));
        let Some(declared) = self.frame.ret.clone() else {
            return;
        };
        let known = self.frame.known.clone();
        let (mut scope, mut store) = (Scope::new(&known), Store::default());
        if let Err(fault) = agree(value, &declared, "the result", &mut scope, &mut store) {
            self.fault(fault, place);
        }
        let fits = certain(value, &declared, &mut scope, &mut store);
        self.proves(place, fits);
    }

    /// What is known about a variable that is bound to a value of which `fact` is known.
    pub(super) fn bound(&mut self, name: Span, fact: Fact, place: Span) -> Fact {
        let (Some(ty), Some(module)) = (
            self.cx.output().shapes().bindings.get(&name).copied(),
            self.frame.module,
        ) else {
            return fact;
        };
        let mut bounds = Vec::new();
        let Some(declared) = self.cx.declared_shape(ty, module, &mut bounds) else {
            return fact;
        };
        let known = self.frame.known.clone();
        let (mut scope, mut store) = (Scope::new(&known), Store::default());
        if let Err(fault) = agree(&fact, &declared, "the variable", &mut scope, &mut store) {
            self.fault(fault, place);
        }
        self.within(&bounds, &mut scope, &mut store, place);
        let fits = certain(&fact, &declared, &mut scope, &mut store);
        self.proves(name, fits);
        self.proves(place, fits);
        match fact {
            Fact::Layer(_) => fact,
            _ => value_of(&declared, "this layer", &mut scope, &mut store),
        }
    }

    /// Notes whether the value at a place always has its written shape.
    pub(super) fn proves(&mut self, place: Span, fits: bool) {
        if !self.collecting {
            self.proof.value(place, fits);
        }
    }

    pub(super) fn set(&mut self, local: LocalId, fact: Fact) {
        let fact = match fact {
            // [condition shapes.in_place]: a program that changes shapes in place may do it to any tensor.
            Fact::Tensor(_) if self.changes => Fact::Unknown,
            // [condition shapes.cells]: another function may assign it at any time.
            _ if self.frame.cells[local.0 as usize] => Fact::Unknown,
            fact => fact,
        };
        self.frame.locals[local.0 as usize] = fact;
    }

    pub(super) fn bind(&mut self, local: LocalId, fact: Fact, place: Span) {
        let span = self.frame.spans[local.0 as usize];
        let fact = self.bound(span, fact, place);
        self.set(local, fact);
    }

    /// Walks the body of a closure where it is made.
    pub(super) fn closure(&mut self, func: FuncId, captures: &[LocalId]) -> Fact {
        let mut frame = self.new_frame(func, self.frame.module);
        frame.known = self.frame.known.clone();
        // [condition shapes.shadowed_in_closures]: nor is a parameter or variable of a closure.
        self.shadowed(func, &[], &mut frame);
        let info = &self.cx.output()[func];
        let (params, inner) = (info.params.clone(), info.captures.clone());
        for (from, to) in captures.iter().zip(inner) {
            // What a closure shares may have changed when it runs.
            // [condition shapes.captured_mutable]: a variable that is assigned may have changed by then.
            // [condition shapes.captured_cells]: and so may one that is shared.
            let moved = self.frame.mutable[from.0 as usize] || frame.cells[to.0 as usize];
            if !moved {
                frame.locals[to.0 as usize] = self.frame.locals[from.0 as usize].clone();
            }
        }
        for param in params {
            if let (Some(ty), Some(module)) = (
                self.cx
                    .output()
                    .shapes()
                    .bindings
                    .get(&frame.spans[param.0 as usize])
                    .copied(),
                frame.module,
            ) && let Some(declared) = self.cx.declared_shape(ty, module, &mut Vec::new())
            {
                let known = frame.known.clone();
                frame.locals[param.0 as usize] = value_of(
                    &declared,
                    "this layer",
                    &mut Scope::new(&known),
                    &mut Store::default(),
                );
            }
        }
        // [condition shapes.blocks_assign]: a colon block may assign what it shares with the function around it.
        for from in captures {
            if self.frame.mutable[from.0 as usize] {
                self.frame.locals[from.0 as usize] = Fact::Unknown;
            }
        }
        self.walk(func, frame);
        Fact::Unknown
    }
}

/// The part of an expression that yields its value.
pub(super) fn tail(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Block(_, Some(value)) => tail(value),
        ExprKind::Convert(_, inner) | ExprKind::Some(inner) => tail(inner),
        ExprKind::Let(_, _, body) => tail(body),
        _ => e,
    }
}
