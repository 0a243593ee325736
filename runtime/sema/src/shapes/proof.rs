//! Which checks of written shapes cannot fail, and their removal. The checks themselves are in `expect.rs`.

use super::declared::Declared;
use super::expect::Site;
use super::fact::{Fact, Scope};
use super::rule::{Item, Size};
use super::unify::{Part, Store, is_open};
use crate::checker::Checker;
use crate::decls::FnIdx;
use crate::typed::*;
use crate::visit::{self, Visitor};
use rustc_hash::{FxHashMap, FxHashSet};
use simple_syntax::Span;

/// What the walk finds out about checks.
#[derive(Default)]
pub(super) struct Proof {
    /// Whether the value at a place always fits.
    values: FxHashMap<Span, bool>,
    /// The same for parameters, over all calls that were seen.
    params: FxHashMap<(FnIdx, usize), bool>,
    /// Functions that are called from where no one sees it.
    escaped: FxHashSet<FnIdx>,
}

impl Proof {
    pub(super) fn value(&mut self, place: Span, fits: bool) {
        let known = self.values.entry(place).or_insert(true);
        // [condition shapes.every_value]: a place may be reached several times, with values of which one does not fit.
        *known &= fits;
    }

    pub(super) fn param(&mut self, of: FnIdx, at: usize, fits: bool) {
        let known = self.params.entry((of, at)).or_insert(true);
        // [condition shapes.every_call]: one call that does not fit is enough.
        *known &= fits;
    }

    /// A function whose calls are not all in sight.
    pub(super) fn escapes(&mut self, of: FnIdx) {
        self.escaped.insert(of);
    }

    /// Takes away the checks that cannot fail. What is left of one with a dtype compares the dtype alone.
    pub(super) fn remove(self, cx: &mut Checker<'_>) {
        let sites = std::mem::take(&mut cx.output_mut().shapes_mut().sites);
        let mut proven: FxHashSet<Span> = sites
            .all
            .iter()
            .filter(|(span, site)| match site {
                // [condition shapes.seen_at_all]: nor is what the walk did not meet.
                Site::Value => self.values.get(span) == Some(&true),
                Site::Param(of, at) => {
                    // [condition shapes.escaped]: calls that are not in sight may pass anything.
                    // [condition shapes.called_at_all]: without a call in sight nothing is proven.
                    !self.escaped.contains(of) && self.params.get(&(*of, *at)) == Some(&true)
                }
                // [condition shapes.lambda]: calls of a function without a name are not seen.
                Site::Lambda => false,
            })
            .map(|(span, _)| *span)
            .collect();
        // What a remaining check uses remains.
        loop {
            let before = proven.len();
            for (used, by) in &sites.needed {
                // [condition shapes.needed]: sizes that a remaining check uses must be found.
                if !proven.contains(by) {
                    proven.remove(used);
                }
            }
            // [condition shapes.needed_by_needed]: also by a check that remains for that reason.
            if proven.len() == before {
                break;
            }
        }
        if proven.is_empty() {
            return;
        }
        let mut remover = Remover { proven };
        for func in cx.output_mut().funcs_mut() {
            if let Some(body) = &mut func.body {
                visit::expr(&mut remover, body);
            }
        }
    }
}

struct Remover {
    proven: FxHashSet<Span>,
}

impl Visitor for Remover {
    fn ty(&mut self, _: &mut TyId) {}
    fn func(&mut self, _: &mut FuncId, _: Span) {}
    fn local(&mut self, _: &mut LocalId) {}
    fn adt(&mut self, _: &mut AdtId) {}
    fn trait_id(&mut self, _: &mut TraitId) {}

    fn statement(&mut self, stmt: &mut Stmt) {
        let StmtKind::Let(_, check) = &mut stmt.kind else {
            return;
        };
        let ExprKind::Call(_, args) = &mut check.kind else {
            return;
        };
        let [_, _, written, dtype, sizes] = args.as_mut_slice() else {
            return;
        };
        // [condition shapes.at_its_place]: other checks stay as they are.
        if !self.proven.contains(&stmt.span) {
            return;
        }
        // [condition shapes.dtype]: shapes prove nothing about a dtype.
        if matches!(&dtype.kind, ExprKind::Text(text) if text.is_empty()) {
            check.kind = ExprKind::Array(Vec::new());
        } else {
            written.kind = ExprKind::Text(String::new());
            sizes.kind = ExprKind::Array(Vec::new());
        }
    }
}

/// Whether a value is known to have its declared shape, and not just not known to have another.
pub(super) fn certain(
    fact: &Fact,
    declared: &Declared,
    scope: &mut Scope<'_>,
    store: &mut Store,
) -> bool {
    let (Fact::Tensor(shape), Declared::Tensor(pattern)) = (fact, declared) else {
        // [condition shapes.only_tensors]: of anything else than a known tensor nothing is certain.
        return false;
    };
    let wanted = scope.shape(pattern, store);
    let (found, expected) = (store.resolve(shape), store.resolve(&wanted));
    // [condition shapes.rank]: shapes of different rank are not equal, whatever their sizes.
    found.len() == expected.len()
        // [condition shapes.closed]: a shape of unknown rank is not one of a rank, even of unknown sizes.
        && !found.iter().any(is_open)
        && found
            .iter()
            .zip(&expected)
            .zip(pattern)
            .all(|pair| match pair {
                // [condition shapes.any_size]: `?` fits every size.
                ((_, _), Item::Size(Size::Unknown)) => true,
                // [condition shapes.equal]: sizes that may be equal may differ.
                ((Part::Dim(a), Part::Dim(b)), _) => a.compare(b) == super::dim::Relation::Equal,
                _ => false,
            })
}
