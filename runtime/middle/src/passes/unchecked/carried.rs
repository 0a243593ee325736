//! What one turn stores and the next one loads stays in a register.
//!
//! ```text
//! for i in 0..n: p[i + 1] = p[i] + a[i]        now = p[0]; then now = now + a[i], p[i + 1] = now
//! ```
//!
//! An element of an array is carried if every turn stores the element that the next one loads, whatever way the turn goes, and nothing else that
//! it stores can be that element: other elements of the array are a known number of places away, other arrays are asked to be other ones.
//! An element at the same index in all turns (a sum in an array) is carried too. Elements are still stored; only the loads go.

use super::Body;
use super::questions::Asker;
use super::symbols::{Id, Made, Place, Symbols};
use crate::mir::{BinOp, CheckedOp, CmpOp, Inst, MTy, Term, Var};
use crate::repr::size_of;
use rustc_hash::{FxHashMap, FxHashSet};
use simple_core::layout::{ARRAY_DATA, ARRAY_LEN};
use std::collections::BTreeMap;

/// The most elements that a loop carries.
const MOST: usize = 4;
/// How deep an index is looked at.
const DEPTH: u32 = 12;

/// What is carried in the copy of a loop.
#[derive(Default)]
pub(super) struct Carried {
    /// Loads, with the variable that has the element.
    pub loads: FxHashMap<(u32, usize), Var>,
    /// Stores, with the variables that get what they store.
    pub stores: FxHashMap<(u32, usize), Vec<Var>>,
    /// What a turn hands on: to the first variable from the second.
    pub turns: Vec<(Var, Var)>,
}

/// An element of each turn.
#[derive(Clone, PartialEq)]
struct Element {
    array: Id,
    index: Line,
    ty: MTy,
}

/// A sum: expressions, each times a number, and a number; modulo 2 to the 64.
#[derive(Clone, PartialEq, Default, Debug)]
struct Line {
    terms: BTreeMap<u32, i64>,
    number: i64,
}

impl Line {
    fn add(&mut self, other: &Line, times: i64) {
        for (term, by) in &other.terms {
            let sum = self.terms.entry(*term).or_default();
            *sum = sum.wrapping_add(by.wrapping_mul(times));
            if *sum == 0 {
                self.terms.remove(term);
            }
        }
        self.number = (self.number).wrapping_add(other.number.wrapping_mul(times));
    }

    fn minus(&self, other: &Line) -> Line {
        let mut line = self.clone();
        line.add(other, -1);
        line
    }

    /// The number, if nothing else is in it.
    fn known(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.number)
    }
}

/// Finds what is carried, and asks what must hold for it.
pub(super) fn carry(asker: &mut Asker<'_, '_>, body: &Body<'_>, symbols: &Symbols) -> Carried {
    let mut carried = Carried::default();
    let mut tried: Vec<Element> = Vec::new();
    let places = places(asker, body, symbols);
    for (at, place) in places.iter().filter(|(_, place)| !place.stores) {
        let Some((element, index)) = &place.element else {
            continue;
        };
        // [condition carried.chosen]: where a choice that no turn takes loads it, the element need not be there.
        // [condition carried.there]: only what may be looked at before the loop can be loaded there.
        if symbols.chosen.contains(&at.0)
            || !symbols.there.contains(&element.array)
            || tried.contains(element)
            || tried.len() == MOST
        {
            continue;
        }
        tried.push(element.clone());
        if let Some(stores) = stores(asker, body, symbols, (&places, element)) {
            let Some(now) = first(asker, element, *index) else {
                continue;
            };
            // [condition carried.next]: what is stored for the next turn must not be seen in this one, if the index moves.
            // [condition carried.in_place]: a store to an element at the same place in all turns is seen in this turn, too.
            let moves = step(symbols, &element.index).is_some_and(|by| by != Line::default());
            let next = match moves {
                true => asker.asks.compute(element.ty, |dst| Inst::Copy(dst, now)),
                false => now,
            };
            if moves {
                carried.turns.push((now, next));
            }
            for (at, place) in &places {
                let same = (place.element.as_ref()).is_some_and(|(other, _)| other == element);
                // [condition carried.same_element]: other elements of the array are loaded as before.
                if !place.stores && same {
                    carried.loads.insert(*at, now);
                }
            }
            for at in stores {
                carried.stores.entry(at).or_default().push(next);
            }
        }
    }
    carried
}

/// A load or store with its block and index.
type Placed = ((u32, usize), Access);

/// A load or store of a loop.
struct Access {
    stores: bool,
    ty: MTy,
    /// What it loads or stores, with the number of the index.
    element: Option<(Element, Id)>,
}

/// The loads of elements and all stores that may be to elements, in the order of the program.
fn places(asker: &Asker<'_, '_>, body: &Body<'_>, symbols: &Symbols) -> Vec<Placed> {
    let func = &*asker.asks.func;
    let mut found = Vec::new();
    for id in &body.order {
        for (at, inst) in func.blocks[*id as usize].insts.iter().enumerate() {
            let (stores, var) = match inst {
                Inst::Load(dst, ..) | Inst::LoadAt(dst, ..) => (false, dst),
                Inst::Store(_, _, src) | Inst::StoreAt(.., src) => (true, src),
                _ => continue,
            };
            let ty = func.vars[var.0 as usize];
            let element = match symbols.places.get(&(*id, at)) {
                // [condition carried.field]: a field is not an element, so its store does not store to one.
                Some(Place::Field) => continue,
                Some(Place::Element {
                    array,
                    index,
                    scale,
                    // [condition carried.scale]: an element of which this is only a part is not loaded before the loop.
                }) if *scale == size_of(ty) => {
                    let line = line(symbols, *index, DEPTH);
                    let array = *array;
                    line.map(|line| {
                        (
                            Element {
                                array,
                                index: line,
                                ty,
                            },
                            *index,
                        )
                    })
                }
                _ => None,
            };
            if stores || element.is_some() {
                let access = Access {
                    stores,
                    ty,
                    element,
                };
                found.push(((*id, at), access));
            }
        }
    }
    found
}

/// The stores to what the next turn loads, if all turns have one and no other store can be to it.
fn stores(
    asker: &mut Asker<'_, '_>,
    body: &Body<'_>,
    symbols: &Symbols,
    (places, element): (&[Placed], &Element),
) -> Option<Vec<(u32, usize)>> {
    let by = step(symbols, &element.index)?;
    let moves = by != Line::default();
    let (mut found, mut others) = (Vec::new(), Vec::new());
    for (at, place) in places {
        // [condition carried.ty]: what is stored with another type is in another array.
        if !place.stores || place.ty != element.ty {
            continue;
        }
        // [condition carried.known_place]: a store to who knows where may be to the element.
        let (other, _) = place.element.as_ref()?;
        if other.array != element.array {
            others.push(other.array);
            continue;
        }
        let apart = other.index.minus(&element.index);
        if apart == by {
            found.push(*at);
        // [condition carried.known_distance]: it may be the element that a later turn loads.
        // [condition carried.own_store]: it may be the element that this turn loaded, and the next one then loads another.
        // [condition carried.known_step]: the step may be the distance, or a part of it.
        } else if apart.known()? == 0 || by.known().is_none() {
            return None;
        }
    }
    // [condition carried.stored]: there is nothing for the next turn.
    // [condition carried.always]: after a turn without such a store the next one loads what was there before.
    if found.is_empty() || (moves && !always(asker, body, &found)) {
        return None;
    }
    for other in others {
        let (a, b) = (
            asker.value(element.array, false)?,
            asker.value(other, false)?,
        );
        // [condition carried.other_array]: two variables may hold one array.
        asker.asks.require_cmp(CmpOp::Ne, a, b);
    }
    Some(found)
}

/// Whether every way through a turn has one of these stores.
fn always(asker: &Asker<'_, '_>, body: &Body<'_>, stores: &[(u32, usize)]) -> bool {
    let blocks: FxHashSet<u32> = stores.iter().map(|(block, _)| *block).collect();
    // Per block: whether it can be reached from the head without a store, and left so.
    let mut without = vec![false; body.order.len()];
    for (at, id) in body.order.iter().enumerate() {
        let reached = at == 0 || without[at];
        without[at] = reached && !blocks.contains(id);
        if !without[at] {
            continue;
        }
        let term: &Term = &asker.asks.func.blocks[*id as usize].term;
        for target in term.targets() {
            if let Some(to) = body.after(target) {
                without[to] = true;
            }
        }
    }
    !without[body.position[&body.natural.end.0]]
}

/// The element of the first turn, loaded before the loop.
fn first(asker: &mut Asker<'_, '_>, element: &Element, index: Id) -> Option<Var> {
    let pointer = asker.value(element.array, false)?;
    // [condition carried.is_there]: the pointer to the array may be to nothing.
    asker.is_there(element.array, pointer);
    let index = asker.value(index, false)?;
    let length = |dst| Inst::Load(dst, pointer, ARRAY_LEN);
    let length = asker.asks.compute(MTy::I64, length);
    asker.asks.require_cmp(CmpOp::ULt, index, length);
    let dst = asker.asks.var(element.ty);
    let load = Inst::LoadAt(dst, pointer, index, size_of(element.ty), ARRAY_DATA);
    asker.asks.insts.push(load);
    Some(dst)
}

/// What a turn adds to a sum.
fn step(symbols: &Symbols, of: &Line) -> Option<Line> {
    let mut sum = Line::default();
    for (term, times) in &of.terms {
        let expr = symbols.expr(Id(*term));
        match expr.made {
            Made::Counter(var) => {
                let step = symbols.counters.get(&var)?;
                let by = line(symbols, step.by, DEPTH)?;
                // [condition carried.downwards]: a counter that goes down.
                let times = if step.negative {
                    times.wrapping_neg()
                } else {
                    *times
                };
                sum.add(&by, times);
            }
            // [condition carried.varies]: how much the index moves is then not known.
            _ if expr.varies => return None,
            _ => {}
        }
    }
    Some(sum)
}

/// An expression as a sum.
fn line(symbols: &Symbols, id: Id, depth: u32) -> Option<Line> {
    let expr = symbols.expr(id);
    let mut sum = Line::default();
    if let Some(number) = symbols.number(id) {
        sum.number = number;
        return Some(sum);
    }
    let depth = depth.checked_sub(1)?;
    let parts = match &expr.made {
        Made::Exact(op, a, b) => Some((*op, *a, *b)),
        // [condition carried.wide]: sums of fewer bits go around earlier.
        Made::By(Inst::Bin(_, op, a, b)) if expr.ty == MTy::I64 => {
            let op = match op {
                BinOp::Add => Some(CheckedOp::Add),
                BinOp::Sub => Some(CheckedOp::Sub),
                BinOp::Mul => Some(CheckedOp::Mul),
                _ => None,
            };
            op.map(|op| (op, Id(a.0), Id(b.0)))
        }
        _ => None,
    };
    match parts {
        Some((op @ (CheckedOp::Add | CheckedOp::Sub), a, b)) => {
            // [condition carried.difference]: what is taken away counts the other way.
            let sign = if op == CheckedOp::Sub { -1 } else { 1 };
            sum.add(&line(symbols, a, depth)?, 1);
            sum.add(&line(symbols, b, depth)?, sign);
        }
        Some((_, a, b)) if symbols.number(a).is_some() || symbols.number(b).is_some() => {
            let (of, times) = match symbols.number(a) {
                Some(number) => (b, number),
                None => (a, symbols.number(b)?),
            };
            sum.add(&line(symbols, of, depth)?, times);
        }
        _ => {
            sum.terms.insert(id.0, 1);
        }
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::Line;

    fn line(terms: &[(u32, i64)], number: i64) -> Line {
        Line {
            terms: terms.iter().copied().collect(),
            number,
        }
    }

    #[test]
    fn indexes_are_compared_as_sums() {
        let here = line(&[(1, 1), (2, 8)], -1);
        let next = line(&[(2, 8), (1, 1)], 0);
        assert_eq!(next.minus(&here).known(), Some(1));
        assert_eq!(here.minus(&line(&[(1, 1)], 0)).known(), None);
        assert_eq!(here.minus(&here), Line::default());
    }

    #[test]
    fn sums_go_around_as_indexes_do() {
        let mut sum = line(&[(1, i64::MAX)], i64::MAX);
        sum.add(&line(&[(1, 1)], 1), 1);
        assert!(sum == line(&[(1, i64::MIN)], i64::MIN));
    }
}
