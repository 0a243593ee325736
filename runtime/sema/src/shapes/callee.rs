//! What a call yields: by the callee's annotation (`annotated.rs`), by the shapes in its signature, or because it makes a layer.

use super::declared::{Bounds, Declared, has_shape};
use super::fact::{Fact, Scope};
use super::flow::Flow;
use super::layer::{Pipeline, Stage, from_end};
use super::proof::certain;
use super::report::Fault;
use super::rule::Rule;
use super::unify::{Part, Shape, Store};
use crate::codes;
use crate::decls::{DeclIdx, FnIdx, ModIdx, Owner};
use crate::typed::{Ty, TyId};
use simple_syntax::{Span, Symbol, ast};
use std::rc::Rc;

/// An argument: what is known about it, and where it is.
pub(super) struct Arg {
    pub(super) fact: Fact,
    pub(super) span: Span,
    /// The places of its elements, if it is written as a list or a tuple.
    pub(super) elements: Vec<Span>,
}

/// The written shapes of a signature.
#[derive(Debug, Default)]
pub(super) struct Signature {
    /// For each parameter without `self`.
    pub(super) params: Vec<(Symbol, Option<Declared>)>,
    pub(super) ret: Option<Declared>,
    pub(super) bounds: Vec<Bounds>,
}

impl<'x, 'a> Flow<'x, 'a> {
    /// What the call of `fn_idx` yields; `ty` is the type of the result.
    pub(super) fn call(&mut self, fn_idx: FnIdx, args: &[Arg], ty: TyId, span: Span) -> Fact {
        let info = &self.cx.decls()[fn_idx];
        let (called, module) = (info.decl.name.name, info.module);
        // [condition shapes.methods]: methods are called through traits too.
        // [condition shapes.session]: entries of a session are called by later ones.
        if self.cx.input().session().is_open() || !matches!(info.owner, Owner::Free) {
            self.proof.escapes(fn_idx);
        }
        if let Some(rules) = self.cx.function_rules(fn_idx) {
            // [condition shapes.annotated_function]: its rule says what it takes; calls are not compared with a written shape.
            self.proof.escapes(fn_idx);
            let names = self.param_names(fn_idx);
            return self.by_rule(&rules, called, &names, args, span);
        }
        let found = if let Some(signature) = self.signature(fn_idx) {
            self.by_signature(&signature, fn_idx, args, span)
        } else if let Some(wanted) = self.method_of_trait(fn_idx)
            && self.is_as_in_trait(fn_idx, wanted)
            && let Some(rules) = self.cx.function_rules(wanted)
        {
            let names = self.param_names(wanted);
            self.by_rule(&rules, called, &names, args, span)
        } else if let Some(decl) = self.constructed(fn_idx, ty) {
            let names = self.param_names(fn_idx);
            self.new_layer(decl, &names, args)
        } else {
            Fact::Unknown
        };
        match (found, self.results.get(&fn_idx)) {
            (Fact::Unknown, Some(result)) if *result != Fact::Unknown => result.clone(),
            (Fact::Unknown, _) => self.of_type(ty, module),
            (found, _) => found,
        }
    }

    /// The names that the arguments of a call go by, `self` included.
    fn param_names(&self, fn_idx: FnIdx) -> Vec<Symbol> {
        let info = &self.cx.decls()[fn_idx];
        let own =
            (!info.is_static && !matches!(info.owner, Owner::Free)).then(|| Symbol::intern("self"));
        own.into_iter()
            .chain(info.decl.params.iter().map(|param| param.name.name))
            .collect()
    }

    /// The method of a trait that a method of an impl implements.
    fn method_of_trait(&self, fn_idx: FnIdx) -> Option<FnIdx> {
        let info = &self.cx.decls()[fn_idx];
        let name = info.decl.name.name;
        match info.owner {
            Owner::Impl(idx) => {
                let of = self.cx.decls()[idx].trait_idx?;
                self.cx.decls()[of].methods.get(&name).copied()
            }
            // `class X with Layer:` has the methods in its own body.
            Owner::Type(decl) => self
                .cx
                .decls()
                .impls()
                .iter()
                .filter(|of| of.with.is_some_and(|(with, _)| with == decl))
                .filter_map(|of| self.cx.decls()[of.trait_idx?].methods.get(&name))
                .next()
                .copied(),
            Owner::Free | Owner::Trait(_) => None,
        }
    }

    /// Whether the rule of a trait's method is about a type's method too: where any signature is taken, that has as
    /// many parameters and does not yield a tuple.
    fn is_as_in_trait(&self, method: FnIdx, of_trait: FnIdx) -> bool {
        if !self.cx.takes_any_signature(of_trait) {
            return true;
        }
        let (own, wanted) = (self.cx.decls()[method].decl, self.cx.decls()[of_trait].decl);
        let tuple = own
            .ret
            .as_ref()
            .is_some_and(|ret| matches!(ret.kind, ast::TypeExprKind::Tuple(..)));
        own.params.len() == wanted.params.len() && !tuple
    }

    /// The class with a layer's rule that a static function of it makes an instance of.
    fn constructed(&self, fn_idx: FnIdx, ty: TyId) -> Option<DeclIdx> {
        let info = &self.cx.decls()[fn_idx];
        let made = self.class_of(ty)?;
        let owner = match info.owner {
            Owner::Type(decl) => Some(decl),
            Owner::Impl(_) => Some(made),
            Owner::Free | Owner::Trait(_) => None,
        };
        (info.is_static && owner == Some(made)).then_some(made)
    }

    fn class_of(&self, ty: TyId) -> Option<DeclIdx> {
        match *self.cx.types().get(ty) {
            Ty::Adt(adt) => Some(self.cx.decl_of(adt)),
            _ => None,
        }
    }

    /// A layer whose constructor got these arguments.
    pub(super) fn new_layer(&mut self, decl: DeclIdx, names: &[Symbol], args: &[Arg]) -> Fact {
        let Some(rules) = self.cx.class_rules(decl) else {
            return Fact::Unknown;
        };
        let known: Vec<(Symbol, Fact)> = names
            .iter()
            .zip(args)
            // A size that is not known is a variable of the layer, the same in its input and its output.
            .filter(|(_, arg)| !matches!(arg.fact, Fact::Unknown | Fact::Number))
            .map(|(name, arg)| (*name, arg.fact.clone()))
            .collect();
        let Some(annotated) = rules.iter().find(|rule| rule.holds(&known)) else {
            return Fact::Unknown;
        };
        let (input, output) = match &annotated.rule {
            Rule::Layer(input, output) => (input, output),
            // Nothing is known about what a class makes of values that are not there.
            Rule::Function(..) if args.is_empty() => return Fact::Unknown,
            _ => {
                let called = self.cx.decls()[decl].name.name;
                let span = args[0].span;
                let made = self.by_rule(&rules, called, names, args, span);
                return match made {
                    Fact::Layer(layers) => Fact::Layer(layers.named(called)),
                    made => made,
                };
            }
        };
        Fact::Layer(Rc::new(Pipeline::of(Stage {
            channel: annotated.channel.and_then(|name| from_end(input, name)),
            between: annotated.between.clone(),
            images: annotated.images.clone(),
            ..Stage::written(
                self.cx.decls()[decl].name.name.as_str(),
                input,
                output,
                known,
            )
        })))
    }

    /// What every value of a type is known to be: a layer, if its class says so or its `forward` has written shapes.
    pub(super) fn of_type(&mut self, ty: TyId, module: ModIdx) -> Fact {
        let Some(decl) = self.class_of(ty) else {
            return Fact::Unknown;
        };
        let made = self.new_layer(decl, &[], &[]);
        if made != Fact::Unknown {
            return made;
        }
        let Some((forward, _)) = self.cx.find_method(ty, Symbol::intern("forward")) else {
            return Fact::Unknown;
        };
        if self.cx.modules()[module].library {
            return Fact::Unknown;
        }
        let Some(signature) = self.signature(forward) else {
            return Fact::Unknown;
        };
        let params: Vec<_> = signature.params.iter().map(|(_, shape)| shape).collect();
        match (params.as_slice(), &signature.ret) {
            ([Some(Declared::Tensor(input))], Some(Declared::Tensor(output))) => {
                let name = self.cx.decls()[decl].name.name.as_str();
                let stage = Stage::written(name, input, output, Vec::new());
                Fact::Layer(Rc::new(Pipeline::of(stage)))
            }
            _ => Fact::Unknown,
        }
    }

    /// The written shapes of a function, if it has any.
    pub(super) fn signature(&mut self, fn_idx: FnIdx) -> Option<Rc<Signature>> {
        if let Some(known) = self.signatures.get(&fn_idx) {
            return known.clone();
        }
        let info = &self.cx.decls()[fn_idx];
        let (decl, module) = (info.decl, info.module);
        let written = decl
            .params
            .iter()
            .filter_map(|param| param.ty.as_ref())
            .chain(&decl.ret);
        let meant = |ty| self.cx.output().shapes().meant(ty);
        let found = if written.into_iter().map(meant).any(has_shape) {
            let mut bounds = Vec::new();
            let mut params = Vec::new();
            for param in &decl.params {
                let shape = param
                    .ty
                    .as_ref()
                    .and_then(|ty| self.cx.declared_shape(ty, module, &mut bounds));
                params.push((param.name.name, shape));
            }
            let ret = decl
                .ret
                .as_ref()
                .and_then(|ty| self.cx.declared_shape(ty, module, &mut bounds));
            self.cx
                .where_bounds(&decl.where_clauses, module, &mut bounds);
            Some(Rc::new(Signature {
                params,
                ret,
                bounds,
            }))
        } else {
            None
        };
        self.signatures.insert(fn_idx, found.clone());
        found
    }

    fn by_signature(
        &mut self,
        signature: &Signature,
        fn_idx: FnIdx,
        args: &[Arg],
        span: Span,
    ) -> Fact {
        let names = self.param_names(fn_idx);
        let known: Vec<(Symbol, Fact)> = names
            .iter()
            .zip(args)
            .filter(|(_, arg)| matches!(arg.fact, Fact::Int(_)))
            .map(|(name, arg)| (*name, arg.fact.clone()))
            .collect();
        let mut store = Store::default();
        let mut scope = Scope::new(&known);
        let first = names.len() - signature.params.len();
        for ((name, declared), arg) in signature.params.iter().zip(args.iter().skip(first)) {
            let Some(declared) = declared else { continue };
            let wanted = format!("`{name}`");
            if let Err(fault) = agree(&arg.fact, declared, &wanted, &mut scope, &mut store) {
                // [condition shapes.does_not_fit]: a mistake that is reported proves nothing.
                self.proof.escapes(fn_idx);
                self.fault(fault, arg.span);
                return Fact::Unknown;
            }
        }
        for (at, ((_, declared), arg)) in signature
            .params
            .iter()
            .zip(args.iter().skip(first))
            .enumerate()
        {
            let Some(declared) = declared else { continue };
            let fits = certain(&arg.fact, declared, &mut scope, &mut store);
            if !self.collecting {
                self.proof.param(fn_idx, at, fits);
            }
        }
        let place = args.last().map_or(span, |arg| arg.span);
        self.within(&signature.bounds, &mut scope, &mut store, place);
        match &signature.ret {
            Some(declared) => value_of(declared, "this layer", &mut scope, &mut store),
            None => Fact::Unknown,
        }
    }

    /// Reports names that are outside their range.
    pub(super) fn within(
        &mut self,
        bounds: &[Bounds],
        scope: &mut Scope<'_>,
        store: &mut Store,
        place: Span,
    ) {
        for bound in bounds {
            let size = scope.size(&super::rule::Size::Name(bound.name), store);
            if let Some(size) = size.known()
                && !(bound.lo..bound.hi).contains(&size)
            {
                let Bounds { name, lo, hi, .. } = bound;
                let fault = Fault::new(codes::DIM_RANGE)
                    .message(format!("the size of `{name}` is outside its range"))
                    .found(format!("{name} = {size}"))
                    .expected(format!("{lo}..{hi}, that is at least {lo} and below {hi}"));
                self.fault(fault, place);
            }
        }
    }

    pub(super) fn fault(&mut self, fault: Fault, place: Span) {
        self.cx.report(fault.into_diagnostic(place));
    }
}

/// Whether a value has its declared shape; what the names of the shape are is kept in `store`.
pub(super) fn agree(
    fact: &Fact,
    declared: &Declared,
    whose: &str,
    scope: &mut Scope<'_>,
    store: &mut Store,
) -> Result<(), Fault> {
    match declared {
        Declared::Tensor(pattern) => {
            let wanted = scope.shape(pattern, store);
            let Fact::Tensor(shape) = fact else {
                return Ok(());
            };
            store.unify(shape, &wanted).map_err(|mismatch| {
                let resolved = store.resolve(&wanted);
                match Fault::elementwise(shape, &resolved, &mismatch, store) {
                    mut fault if fault.code != codes::RANK_MISMATCH => {
                        fault.code = codes::SHAPE_MISMATCH;
                        fault
                    }
                    fault => fault,
                }
                .message(format!(
                    "tensor does not have the declared shape of {whose}"
                ))
                .found(format!("shape {}", store.show(shape)))
                .expected(format!("shape {}", store.show(&wanted)))
            })
        }
        Declared::Layer(input, output) => {
            let Fact::Layer(pipeline) = fact else {
                return Ok(());
            };
            let input = scope.shape(input, store);
            let output = scope.shape(output, store);
            let Some((takes, yields)) = pipeline.ends(store) else {
                return Ok(());
            };
            for (found, wanted, what) in [(&takes, &input, "input"), (&yields, &output, "output")] {
                let unified = store.unify(found, wanted);
                if let Err(mismatch) = unified {
                    let (left, right): (Shape, Shape) =
                        (store.resolve(found), store.resolve(wanted));
                    let mut fault = Fault::elementwise(&left, &right, &mismatch, store);
                    if fault.code != codes::RANK_MISMATCH {
                        fault.code = codes::LAYER_MISMATCH;
                    }
                    return Err(fault
                        .message(format!(
                            "layer does not have the declared shapes of {whose}"
                        ))
                        .found(format!("{what} shape {}", store.show(found)))
                        .expected(format!("{what} shape {}", store.show(wanted))));
                }
            }
            Ok(())
        }
    }
}

/// A value of a declared shape.
pub(super) fn value_of(
    declared: &Declared,
    name: &str,
    scope: &mut Scope<'_>,
    store: &mut Store,
) -> Fact {
    match declared {
        Declared::Tensor(pattern) => {
            let shape: Vec<Part> = scope.shape(pattern, store);
            Fact::Tensor(store.ground(&shape))
        }
        Declared::Layer(input, output) => {
            // What the names are is settled here; those left open are variables of the layer.
            scope.shape(input, store);
            scope.shape(output, store);
            let known = scope.bound(store);
            Fact::Layer(Rc::new(Pipeline::of(Stage::written(
                name, input, output, known,
            ))))
        }
    }
}
