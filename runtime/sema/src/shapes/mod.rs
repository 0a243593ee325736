//! Static shapes of tensors and layers: mistakes in dimensions are found before the program runs (E0501 to E0513,
//! W0514).
//!
//! Shapes are not part of types. After all bodies are checked, a forward analysis walks over the typed body of each
//! function of the program and keeps, for each variable, what is known about its value: a [`fact::Fact`]. Only what
//! must fail is reported; what cannot be decided stays a run-time check of the library, and no program is refused
//! because too little is known.
//!
//! What operations do to shapes is written beside them in the library, as an annotation:
//!
//! ```text
//! @shape("[batch..., in_features] -> [batch..., out_features]")    class Linear: what its layers take and yield
//! @shape("-> matmul(self, other)")                                 fn matmul(other: Tensor) -> Tensor
//! ```
//!
//! The compiler knows the arithmetic of shapes (`ops.rs`) and no library function by name.
//!
//! ```text
//! dim.rs       sizes: numbers, names, sums and products of them
//! unify.rs     shapes, variables, where two shapes differ for certain
//! rule.rs      the text of annotations
//! fact.rs      what is known about a value; what a rule's shapes mean where it is used
//! ops.rs       the functions that annotations call
//! operands.rs, lists.rs, resize.rs, losses.rs  those of two tensors, of lists, of one tensor, of predictions and targets
//! layer.rs     chains of layers, `~>`
//! declared.rs  `Tensor<f32, [B, 784]>`, `Layer<[B, 4], [B, 2]>` in signatures, bindings and fields
//! callee.rs    what a call yields: annotation (annotated.rs), written shapes, or constructor of a layer
//! flow.rs      the walk over a function; statements.rs, expressions.rs, fields.rs over what is in it
//! expect.rs    checks at run time of written shapes; proof.rs takes away those that the walk proves
//! report.rs    the messages
//! ```
//!
//! A size may be a name: inside a function the names of its signature (`B`, and its integer parameters) mean some size that is
//! the same everywhere. Two different names may be equal, so that they never contradict each other.
//!
//! A program that has neither an annotation nor a written shape is not walked at all. A first, silent walk collects what holds for a field of all
//! instances that are made, and for all results of a function; the second reports. Left out: what depends on the arguments of a
//! function without written shapes. A tensor that is changed in place keeps its facts, unless the program calls a method marked
//! `@shape("changes")`; then no variable keeps its tensor's shape.

mod annotated;
mod callee;
mod declared;
mod dim;
mod expect;
mod expressions;
mod fact;
mod fields;
mod flow;
mod layer;
mod lists;
mod losses;
mod operands;
mod ops;
mod proof;
mod report;
mod resize;
mod rule;
mod statements;
mod unify;

use crate::checker::Checker;
use crate::codes;
use crate::decls::{DeclIdx, FnIdx, ModIdx, Progress};
use crate::state::Reporting;
use crate::typed::FuncId;
pub(crate) use expect::{Named, Site};
use fact::Fact;
use rule::Rule;
use rustc_hash::FxHashMap;
use simple_syntax::{Diagnostic, Span, Symbol, ast};
use std::rc::Rc;

/// What the checker notes for the analysis while it checks types.
#[derive(Default)]
pub(crate) struct Noted<'a> {
    /// Whether any module read has an annotation or a written shape.
    pub(crate) used: bool,
    /// Types of bindings and parameters with written shapes, by the place of the name.
    pub(crate) bindings: FxHashMap<Span, &'a ast::TypeExpr>,
    /// What aliases mean where they are written, if that has a shape or a length.
    aliases: FxHashMap<Span, &'a ast::TypeExpr>,
    rules: FxHashMap<RuleOf, Rules>,
    /// Checks of written shapes in the bodies.
    sites: expect::Sites,
    /// Whether shapes are kept for an editor.
    pub(crate) wants_shown: bool,
    /// The shapes at their places, in the order of the walk; empty where a shape is not known.
    shown: Vec<(Span, String)>,
}

impl Noted<'_> {
    /// The shapes that were kept, by their places; none where instances of a function have different ones.
    pub(crate) fn take_shown(&mut self) -> Vec<(Span, String)> {
        let mut shown = std::mem::take(&mut self.shown);
        shown.sort_unstable();
        shown.dedup();
        let alone = |same: &[(Span, String)]| {
            (same.len() == 1 && !same[0].1.is_empty()).then(|| same[0].clone())
        };
        shown
            .chunk_by(|a, b| a.0 == b.0)
            .filter_map(alone)
            .collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum RuleOf {
    Class(DeclIdx),
    Function(FnIdx),
}

/// The annotations of one function or class; the first that holds counts.
type Rules = Rc<[Annotated]>;

/// An annotation that was read.
#[derive(Debug)]
struct Annotated {
    rule: Rule,
    /// `channel: "..."`: the name in a layer's input that counts channels.
    channel: Option<Symbol>,
    /// `between: "..."`: what helps where the last size does not fit, with `<left>` and `<right>` for the sizes.
    between: Option<String>,
    /// `images: "..."`: what helps where an image flows in, of which the layer takes the last dimension alone.
    images: Option<String>,
    /// `stretched: ".+"`: operands that are both stretched are warned of, and this operator says that they are meant.
    /// Without such an operator, `""`, shapes of the same rank say so.
    stretched: Option<String>,
    /// `given: "..."`: values that parameters must have for the rule to hold.
    given: Vec<(Symbol, Fact)>,
}

impl Annotated {
    /// Whether the rule holds where this is known about parameters.
    fn holds(&self, known: &[(Symbol, Fact)]) -> bool {
        self.given.iter().all(|wanted| known.contains(wanted))
    }
}

/// `"start 1, ceil false"`: names with the values they must have.
fn given_values(text: &str) -> Result<Vec<(Symbol, Fact)>, String> {
    let parts = text.split(',').map(str::trim);
    parts
        .map(|part| {
            let (name, value) = part.split_once(' ').unwrap_or((part, ""));
            let value = match value.trim() {
                "true" => Fact::Bool(true),
                "false" => Fact::Bool(false),
                "nil" => Fact::Nil,
                number => match number.parse() {
                    Ok(number) => Fact::int(number),
                    Err(_) => {
                        return Err(format!(
                            "`{part}` is not a name with an integer, a truth value or nil"
                        ));
                    }
                },
            };
            Ok((Symbol::intern(name), value))
        })
        .collect()
}

impl<'a> Noted<'a> {
    /// Remembers the written type of a binding or parameter if it has a shape or a length.
    pub(crate) fn binding(&mut self, name: Span, ty: &'a ast::TypeExpr) {
        if declared::has_length(self.meant(ty)) {
            self.bindings.insert(name, ty);
        }
        if self.compared(ty).is_some() {
            self.used = true;
            self.bindings.insert(name, ty);
        }
    }

    /// Remembers what an alias means where it is written.
    pub(crate) fn alias(&mut self, written: Span, ty: &'a ast::TypeExpr) {
        let ty = self.meant(ty);
        if self.compared(ty).is_some() {
            self.used = true;
            self.aliases.insert(written, ty);
        } else if declared::has_length(ty) {
            self.aliases.insert(written, ty);
        }
    }

    /// A written type, or what it is an alias of if that has a shape or a length.
    pub(crate) fn meant<'t>(&self, ty: &'t ast::TypeExpr) -> &'t ast::TypeExpr
    where
        'a: 't,
    {
        self.aliases.get(&ty.span).copied().unwrap_or(ty)
    }

    /// What is compared at run time of a written type: the part with the shape, in `Tensor<[4]>` and in `Tensor<[4]>?`.
    fn compared<'t>(&self, ty: &'t ast::TypeExpr) -> Option<&'t ast::TypeExpr>
    where
        'a: 't,
    {
        let ty = self.meant(ty);
        let part = match &ty.kind {
            ast::TypeExprKind::Optional(inner) => self.meant(inner),
            _ => ty,
        };
        declared::has_shape(part).then_some(part)
    }
}

impl<'a> Checker<'a> {
    /// Checks the shapes of the whole program; `inits` are the functions that run its modules.
    pub(crate) fn check_shapes(&mut self, inits: &[(ModIdx, FuncId)]) {
        if !self.output_mut().shapes_mut().used {
            return;
        }
        let bodies: Vec<(FnIdx, FuncId)> = self
            .instances()
            .fns()
            .iter()
            .filter(|instance| instance.progress == Progress::Done)
            .filter(|instance| {
                let module = self.decls()[instance.fn_idx].module;
                !self.modules()[module].library
            })
            .map(|instance| (instance.fn_idx, instance.id))
            .collect();
        let mut flow = flow::Flow::new(self);
        flow.program(inits, &bodies);
        let proof = std::mem::take(&mut flow.proof);
        proof.remove(self);
    }

    /// The annotations of a function; `None` where it has none.
    fn function_rules(&mut self, idx: FnIdx) -> Option<Rules> {
        let annotations = &self.decls()[idx].item.annotations;
        self.rules(RuleOf::Function(idx), annotations)
    }

    /// The annotations of a class; `None` where it has none.
    fn class_rules(&mut self, idx: DeclIdx) -> Option<Rules> {
        let annotations = self.decls()[idx].annotations;
        self.rules(RuleOf::Class(idx), annotations)
    }

    fn rules(&mut self, of: RuleOf, annotations: &'a [ast::Annotation]) -> Option<Rules> {
        let mut annotations = annotations
            .iter()
            .filter(|annotation| annotation.name.name.as_str() == "shape")
            .peekable();
        annotations.peek()?;
        if let Some(known) = self.output_mut().shapes_mut().rules.get(&of) {
            return (!known.is_empty()).then(|| known.clone());
        }
        let rules: Rules = annotations
            .filter_map(|of_one| self.rule(of, of_one))
            .collect();
        self.output_mut()
            .shapes_mut()
            .rules
            .insert(of, rules.clone());
        (!rules.is_empty()).then_some(rules)
    }

    fn rule(&mut self, of: RuleOf, annotation: &ast::Annotation) -> Option<Annotated> {
        let read = read(annotation).and_then(|read| match (&read.rule, of) {
            (Rule::Layer(..), RuleOf::Function(_)) | (Rule::Changes, RuleOf::Class(_)) => Err((
                annotation.span,
                "`[input] -> [output]` belongs to a class, `changes` to a method".to_owned(),
            )),
            (Rule::Layer(..) | Rule::Function(..) | Rule::Changes, _) => Ok(read),
        });
        read.map_err(|(span, why)| {
            let d = Diagnostic::error(codes::BAD_ANNOTATION, span, "malformed `@shape`")
                .note(why)
                .help("write `@shape(\"[batch, i] -> [batch, o]\")`, or `@shape(\"-> self\")` on a method");
            // Read once, perhaps on a silent walk.
            self.aloud(|cx| cx.report(d));
        })
        .ok()
    }
}

/// Reads an annotation with its labels.
fn read(annotation: &ast::Annotation) -> Result<Annotated, (Span, String)> {
    let mut rule = None;
    let (mut channel, mut between, mut images, mut stretched) = (None, None, None, None);
    let mut given = Vec::new();
    for (label, value) in &annotation.args {
        let label = label.as_ref().map(|label| label.name.as_str());
        let text = crate::collect::literal_text(value);
        match (label, text) {
            (None, Some(text)) => {
                rule = Some(rule::parse(&text).map_err(|why| (value.span, why))?);
            }
            (Some("channel"), Some(text)) => channel = Some(Symbol::intern(&text)),
            (Some("between"), Some(text)) => between = Some(text),
            (Some("images"), Some(text)) => images = Some(text),
            (Some("stretched"), Some(text)) => stretched = Some(text),
            (Some("given"), Some(text)) => {
                given = given_values(&text).map_err(|why| (value.span, why))?;
            }
            _ => {
                let why = "it takes a text, and texts labelled `channel`, `between`, `images`, `stretched` and `given`";
                return Err((value.span, why.to_owned()));
            }
        }
    }
    match rule {
        Some(rule) => Ok(Annotated {
            rule,
            channel,
            between,
            images,
            stretched,
            given,
        }),
        None => Err((annotation.span, "the text is missing".to_owned())),
    }
}
