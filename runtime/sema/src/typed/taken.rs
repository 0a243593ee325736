//! The options whose values are in variables while a statement changes them: `own = p!; own.change(); p = Some(own)` (`body/place/payload.rs`).
//!
//! What a method changes in such a variable belongs to the option, to which it goes back afterwards; nothing else may change either meanwhile.

use super::{Expr, ExprKind, LocalId, Pattern, Place, PlaceRoot, StmtKind};
use crate::steps::each;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// The options of one function, found at the first question about a variable: most functions call no method on one.
#[derive(Default)]
pub struct TakenOut<'e>(OnceCell<FxHashMap<LocalId, &'e Place>>);

impl<'e> TakenOut<'e> {
    /// The option to which what is changed in `place` goes back, in the function with this body. That option may itself have been in
    /// the value of another one, as in `p!.q!.change()`: then it is the outermost.
    pub fn option(&self, place: &Place, body: &'e Expr) -> Option<&'e Place> {
        let mut found = None;
        let mut root = &place.root;
        while let PlaceRoot::Local(own) = root {
            let options = self.0.get_or_init(|| taken_out(body));
            let Some(option) = options.get(own).copied() else {
                break;
            };
            root = &option.root;
            found = Some(option);
        }
        found
    }
}

fn taken_out(body: &Expr) -> FxHashMap<LocalId, &Place> {
    let mut options = FxHashMap::default();
    each(body, &mut |e| {
        let ExprKind::Block(stmts, _) = &e.kind else {
            return;
        };
        let mut taken = FxHashSet::default();
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::LetPattern(Pattern::Bind(own), value)
                    if matches!(value.kind, ExprKind::Unwrap(..)) =>
                {
                    taken.insert(*own);
                }
                StmtKind::Assign(place, value) => {
                    if let ExprKind::Some(inner) = &value.kind
                        && let ExprKind::Local(own) = inner.kind
                        && taken.contains(&own)
                    {
                        options.insert(own, place);
                    }
                }
                _ => {}
            }
        }
    });
    options
}
