//! List comprehensions that make one element a turn, `[f(x) for x in xs]` and `[f(i) for i in 0..n]`: the room is taken at once, and each
//! turn stores at its place.
//!
//! The checker makes of a comprehension a block: an empty list, a loop that pushes, the list. Where the number of turns is known before
//! the first one and the elements hold nothing that is counted, a push is one store: nobody else can hold the list, it has
//! room, and an error on the way frees it without a look at its elements. Such a loop is one that vectors can do (`passes/vector`). All
//! else (filters, texts, dicts, elements with references) is a loop with pushes. Next: `control.rs`, the loops.

use super::builder::Builder;
use super::liveness::{Key, key};
use crate::mir::{BinOp, CmpOp, Var};
use simple_sema::typed::{
    Expr, ExprKind, LocalId, Place, PlaceRoot, Stmt, StmtKind, Ty, TyId, Update,
};

/// A list that a loop is filling.
pub(crate) struct Filling<'p> {
    /// The body of the loop.
    body: Key,
    holder: LocalId,
    place: &'p Place,
    item: TyId,
    /// The list, what counts the turns, and what that begins with, 0 without it; once the loop has begun.
    begun: Option<(Var, Var, Option<Var>)>,
}

/// The list that a comprehension pushes onto, and the body of its loop, which does nothing else.
fn pushes<'p>(stmts: &'p [Stmt], tail: Option<&Expr>) -> Option<(LocalId, &'p Expr, &'p Place)> {
    let ([first, turn], Some(_)) = (stmts, tail) else {
        return None;
    };
    let (
        StmtKind::Let(holder, empty),
        StmtKind::ForRange { body, .. } | StmtKind::ForEach { body, .. },
    ) = (&first.kind, &turn.kind)
    else {
        return None;
    };
    let ExprKind::Update(Update::Push, place, _) = &body.kind else {
        return None;
    };
    let same = matches!(place.root, PlaceRoot::Local(local) if local == *holder);
    let starts_empty = matches!(&empty.kind, ExprKind::Array(items) if items.is_empty());
    (same && starts_empty && place.path.is_empty()).then_some((*holder, body, place))
}

impl<'p> Builder<'_, 'p> {
    /// Notes that a block is a comprehension whose elements can be stored without pushing. The caller calls [`Self::filled`] after the block.
    pub fn fill(&mut self, stmts: &'p [Stmt], tail: Option<&'p Expr>) -> bool {
        let Some((holder, body, place)) = pushes(stmts, tail) else {
            return false;
        };
        // A variable with a name can be read by the loop; that of a comprehension has none.
        let unnamed = self
            .source
            .is_some_and(|func| func.locals[holder.0 as usize].name.is_empty());
        let Ty::Array(item) = *self.cx.types.get(place.ty) else {
            return false;
        };
        let plain = !self.cx.reprs.is_counted(item) && !self.cx.reprs.leaves(item).is_empty();
        if !unnamed || !plain || self.is_cell(holder) {
            return false;
        }
        self.fillings.push(Filling {
            body: key(body),
            holder,
            place,
            item,
            begun: None,
        });
        true
    }

    /// Ends what [`Self::fill`] began.
    pub fn filled(&mut self) {
        self.fillings.pop();
    }

    /// Before the first turn of a loop: makes the list of a comprehension whose loop this is. `count` yields the number of turns, `index`
    /// counts them from `first`, or from 0.
    pub fn begin_filling(
        &mut self,
        body: &'p Expr,
        (index, first): (Var, Option<Var>),
        count: impl FnOnce(&mut Self) -> Var,
    ) {
        let Some(filling) = self.fillings.last() else {
            return;
        };
        if filling.body != key(body) || filling.begun.is_some() {
            return;
        }
        let place = filling.place;
        let count = count(self);
        let list = self.new_array(place.ty, count, place.span);
        self.put_list(place, list);
        if let Some(filling) = self.fillings.last_mut() {
            filling.begun = Some((list, index, first));
        }
    }

    /// As [`Self::begin_filling`], where every element is the same number: the whole list is made, and no turn is needed. True if so.
    pub fn filled_at_once(&mut self, body: &'p Expr, count: impl FnOnce(&mut Self) -> Var) -> bool {
        let Some(filling) = self.fillings.last() else {
            return false;
        };
        let (place, item) = (filling.place, filling.item);
        let ExprKind::Update(_, _, args) = &body.kind else {
            return false;
        };
        let same = matches!(
            args[0].kind,
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_)
        );
        if filling.body != key(body) || !same || !self.is_one_number(item) || args[0].ty != item {
            return false;
        }
        let count = count(self);
        let value = self.expr(&args[0]);
        let shape = self.scalar_ty(item);
        let leaf = self.leaf(&value, 0, shape);
        let list = self.filled_array(place.ty, count, leaf, place.span);
        self.put_list(place, list);
        true
    }

    /// Makes a new list the value of the place of a comprehension.
    fn put_list(&mut self, place: &'p Place, list: Var) {
        let parts = self.place_parts(place);
        let target = self.walk_place(place, &parts, true, false);
        self.replace_target(&target, &[list]);
    }

    /// How many turns a loop from `lo` to `hi` takes; the largest integer where there are more.
    pub fn turns(&mut self, lo: Var, hi: Var, inclusive: bool) -> Var {
        let zero = self.i64(0);
        let some = self.cmp(if inclusive { CmpOp::Le } else { CmpOp::Lt }, lo, hi);
        let mut turns = self.bin(BinOp::Sub, hi, lo);
        if inclusive {
            let one = self.i64(1);
            turns = self.bin(BinOp::Add, turns, one);
        }
        // The difference of two integers with a sign may be too large for one.
        let largest = self.i64(i64::MAX);
        let fits = self.cmp(CmpOp::Ge, turns, zero);
        let turns = self.select(fits, turns, largest);
        self.select(some, turns, zero)
    }

    /// Stores the element of a comprehension, where `place` is the list that is being filled.
    pub fn store_filling(&mut self, place: &Place, args: &'p [Expr]) -> bool {
        let PlaceRoot::Local(local) = place.root else {
            return false;
        };
        let Some(filling) = self
            .fillings
            .iter()
            .rev()
            .find(|filling| filling.holder == local)
        else {
            return false;
        };
        let (Some((list, index, first)), item) = (filling.begun, filling.item) else {
            return false;
        };
        let values = self.update_operands(args, &[item]);
        let at = first.map_or(index, |first| self.bin(BinOp::Sub, index, first));
        let leaves = self.own(values[0].clone(), item);
        self.store_element(list, at, item, &leaves);
        true
    }
}
