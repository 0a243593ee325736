//! Shapes in written types: `Tensor<f32, [B, 784]>`, `Layer<[B, 4], [B, 2]>`.
//!
//! A name in them is a constant of the module, or a variable of the signature. Leaves out what the types are: whatever takes a
//! list of dimensions as an argument is a tensor (one list) or a layer (two).

use super::rule::{Item, Op, Pattern, Size};
use crate::checker::Checker;
use crate::decls::{Def, ModIdx};
use crate::typed::ExprKind;
use simple_syntax::ast::{self, BinaryOp, Dim, TypeArg, TypeExpr, TypeExprKind};
use simple_syntax::{Span, Symbol};

/// What a written type says of a value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Declared {
    Tensor(Pattern),
    Layer(Pattern, Pattern),
}

/// The range of a name of a signature: from the first to below the second.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bounds {
    pub(super) name: Symbol,
    pub(super) lo: i64,
    pub(super) hi: i64,
    pub(super) span: Span,
}

/// Whether a type has a written shape.
pub(super) fn has_shape(ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeExprKind::Named { args, .. } => args.iter().any(|arg| matches!(arg, TypeArg::Dims(..))),
        _ => false,
    }
}

/// Whether an array's type is written with a length, or with elements of such a type.
pub(super) fn has_length(ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeExprKind::FixedArray(..) => true,
        TypeExprKind::Array(item) => has_length(item),
        _ => false,
    }
}

impl<'a> Checker<'a> {
    /// What `ty` says; ranges in it are added to `bounds`.
    pub(super) fn declared_shape(
        &mut self,
        ty: &'a TypeExpr,
        module: ModIdx,
        bounds: &mut Vec<Bounds>,
    ) -> Option<Declared> {
        let TypeExprKind::Named { args, .. } = &self.output().shapes().meant(ty).kind else {
            return None;
        };
        let mut shapes = args.iter().filter_map(|arg| match arg {
            TypeArg::Dims(dims, _) => Some(dims),
            _ => None,
        });
        let first = shapes.next()?;
        let first = self.pattern(first, module, bounds);
        Some(match shapes.next() {
            Some(second) => Declared::Layer(first, self.pattern(second, module, bounds)),
            None => Declared::Tensor(first),
        })
    }

    fn pattern(&mut self, dims: &'a [Dim], module: ModIdx, bounds: &mut Vec<Bounds>) -> Pattern {
        dims.iter()
            .map(|dim| match dim {
                Dim::Unknown(_) => Item::Size(Size::Unknown),
                Dim::Expr(e) => Item::Size(self.written_size(e, module)),
                Dim::Range {
                    name,
                    lo,
                    hi,
                    inclusive,
                } => {
                    let (lo, hi) = (self.written_size(lo, module), self.written_size(hi, module));
                    if let (Size::Int(lo), Size::Int(hi)) = (lo, hi) {
                        bounds.push(Bounds {
                            name: name.name,
                            lo,
                            // [condition shapes.inclusive]: `lo..=hi` includes its end.
                            hi: if *inclusive { hi.saturating_add(1) } else { hi },
                            span: name.span,
                        });
                    }
                    Item::Size(Size::Name(name.name))
                }
            })
            .collect()
    }

    /// The ranges after `where`.
    pub(super) fn where_bounds(
        &mut self,
        clauses: &'a [ast::WhereClause],
        module: ModIdx,
        bounds: &mut Vec<Bounds>,
    ) {
        for clause in clauses {
            if let Some(ast::Expr {
                kind: ast::ExprKind::Range(lo, hi, inclusive),
                ..
            }) = &clause.range
                && let (Size::Int(lo), Size::Int(hi)) =
                    (self.written_size(lo, module), self.written_size(hi, module))
            {
                bounds.push(Bounds {
                    name: clause.name.name,
                    lo,
                    // [condition shapes.where_inclusive]: here too.
                    hi: if *inclusive { hi.saturating_add(1) } else { hi },
                    span: clause.name.span,
                });
            }
        }
    }

    fn written_size(&mut self, e: &'a ast::Expr, module: ModIdx) -> Size {
        match &e.kind {
            ast::ExprKind::Int(value, _) => i64::try_from(*value).map_or(Size::Unknown, Size::Int),
            ast::ExprKind::Name(name) => match self.constant_named(name.name, module) {
                // [condition shapes.constants]: a constant of the module is its number.
                Some(value) => Size::Int(value),
                None => Size::Name(name.name),
            },
            ast::ExprKind::Paren(inner) => self.written_size(inner, module),
            ast::ExprKind::Unary(ast::UnaryOp::Neg, inner) => Size::Op(
                Op::Sub,
                Box::new(Size::Int(0)),
                Box::new(self.written_size(inner, module)),
            ),
            ast::ExprKind::Binary(op, left, right) => {
                let op = match op {
                    BinaryOp::Add => Op::Add,
                    BinaryOp::Sub => Op::Sub,
                    BinaryOp::Mul => Op::Mul,
                    BinaryOp::Div => Op::Div,
                    _ => return Size::Unknown,
                };
                let (left, right) = (
                    self.written_size(left, module),
                    self.written_size(right, module),
                );
                Size::Op(op, Box::new(left), Box::new(right))
            }
            _ => Size::Unknown,
        }
    }

    /// The value of a module-level constant.
    fn constant_named(&mut self, name: Symbol, module: ModIdx) -> Option<i64> {
        let Some(Def::Global(global)) = self.lookup_visible(module, name) else {
            return None;
        };
        match self.decls()[global].constant.as_ref()?.kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }
}

/// The names that a pattern mentions, with those that it settles on its own (a name by itself) marked.
pub(super) fn names(pattern: &Pattern, found: &mut Vec<(Symbol, bool)>) {
    fn walk(size: &Size, alone: bool, found: &mut Vec<(Symbol, bool)>) {
        match size {
            Size::Name(name) => found.push((*name, alone)),
            Size::Op(_, left, right) => {
                walk(left, false, found);
                walk(right, false, found);
            }
            Size::Int(_) | Size::Unknown | Size::Product(_) => {}
        }
    }
    for item in pattern {
        if let Item::Size(size) = item {
            walk(size, true, found);
        }
    }
}
