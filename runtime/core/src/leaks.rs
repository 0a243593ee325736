//! Which objects a program leaves alive at its end, where it made them, and which of them keep each other alive in a circle.
//!
//! While objects are tracked, each one is remembered with the place in the program that made it. What refers to what is found by looking for
//! addresses of live objects in their memory, so it needs to know no types; a weak field is told by its address (`weak.rs`).
//! Counting frees everything but circles, so a report names those first.

use crate::error::{Place, locate};
use crate::frames;
use crate::layout::Header;
use crate::weak;
use rustc_hash::FxHashMap as HashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What is remembered of a block.
struct Block {
    size: usize,
    /// Whether it is an object rather than memory that belongs to one.
    object: bool,
    /// Where it was made, as the runtime knows places; -1 when unknown.
    site: i32,
    place: Option<Place>,
}

thread_local! {
    static LIVE: RefCell<HashMap<usize, Block>> = RefCell::default();
    /// Lines of other threads of the program.
    static OTHERS: RefCell<Vec<String>> = RefCell::default();
}

/// Adds lines of threads that have ended to the report of this one.
pub(crate) fn add(lines: Vec<String>) {
    OTHERS.with(|others| others.borrow_mut().extend(lines));
}

/// Kinds of circles, and of other objects, that a report shows.
const MOST_SHOWN: usize = 10;

/// Forgets everything.
pub(crate) fn forget() {
    LIVE.with(|live| live.borrow_mut().clear());
}

/// Remembers a new block.
pub(crate) fn made(block: usize, size: usize, object: bool) {
    let site = if object {
        frames::own_site().unwrap_or(-1)
    } else {
        -1
    };
    let block_made = Block {
        size,
        object,
        site,
        place: None,
    };
    LIVE.with(|live| live.borrow_mut().insert(block, block_made));
}

/// Forgets a block that is freed.
pub(crate) fn gone(block: usize) {
    LIVE.with(|live| live.borrow_mut().remove(&block));
}

/// A block has a new address and size.
pub(crate) fn moved(from: usize, to: usize, size: usize) {
    LIVE.with(|live| {
        let mut live = live.borrow_mut();
        if let Some(block) = live.remove(&from) {
            live.insert(to, Block { size, ..block });
        }
    });
}

/// Finds where the objects that live were made, as long as somebody knows their places.
pub fn note_places() {
    LIVE.with(|live| {
        for block in live.borrow_mut().values_mut() {
            if block.place.is_none() && block.site >= 0 {
                block.place = Some(locate(&[block.site])).filter(|place| place.line > 0);
            }
        }
    });
}

/// What still lives, in lines: how much of which type, then circles, then what else was made where. Empty when nothing does.
pub fn report() -> Vec<String> {
    let mut lines = LIVE.with(|live| report_of(&live.borrow()));
    lines.extend(OTHERS.take());
    lines
}

fn report_of(live: &HashMap<usize, Block>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (&address, _) in live.iter().filter(|(_, block)| block.object) {
        *counts.entry(type_name(address)).or_default() += 1;
    }
    let total: usize = counts.values().sum();
    if total == 0 {
        return Vec::new();
    }
    let parts: Vec<String> = counts
        .iter()
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    let objects = if total == 1 {
        "object still lives"
    } else {
        "objects still live"
    };
    let mut lines = vec![format!("{total} {objects}: {}", parts.join(", "))];
    // In the order of places, so that two runs say the same.
    let mut circles: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut others: BTreeMap<String, usize> = BTreeMap::new();
    for group in Graph::of(live).groups() {
        let members = group.members.iter().filter(|address| live[*address].object);
        let members: Vec<String> = members.map(|address| described(*address, live)).collect();
        if group.is_circle {
            let different: BTreeSet<String> = members.into_iter().collect();
            *circles.entry(different.into_iter().collect()).or_default() += 1;
        } else {
            for member in members {
                *others.entry(member).or_default() += 1;
            }
        }
    }
    let shown = circles.len();
    for (members, count) in circles.iter().take(MOST_SHOWN) {
        let times = match count {
            1 => "a circle keeps itself alive".to_owned(),
            count => format!("{count} reference cycles were never freed"),
        };
        lines.push(format!("{times}: {}", members.join(", ")));
    }
    if shown > MOST_SHOWN {
        lines.push(format!("{} more kinds of circles", shown - MOST_SHOWN));
    }
    if shown > 0 {
        lines.push("a `weak` field in one class of each circle ends it".to_owned());
    }
    let kept = if shown > 0 {
        "kept alive by circles"
    } else {
        "made"
    };
    let others: Vec<(String, usize)> = others.into_iter().collect();
    for (what, count) in others.iter().take(MOST_SHOWN) {
        lines.push(format!("{kept}: {count} {what}"));
    }
    if others.len() > MOST_SHOWN {
        lines.push(format!(
            "{} more kinds of objects",
            others.len() - MOST_SHOWN
        ));
    }
    lines
}

/// An object as `Node (a.spl:8)`.
fn described(address: usize, live: &HashMap<usize, Block>) -> String {
    let mut text = type_name(address);
    if let Some(Place { file, line }) = &live[&address].place {
        let _ = write!(text, " ({file}:{line})");
    }
    text
}

/// The name of the type of an object, which lives.
fn type_name(address: usize) -> String {
    // SAFETY: a remembered object has not been freed, as `gone` is told first, and has its head; a descriptor lives as long as its objects,
    // and its name is text of `name_len` bytes.
    unsafe {
        let desc = (*(address as *const Header)).desc;
        if desc.is_null() {
            return "buffer of a foreign function".to_owned();
        }
        let bytes = std::slice::from_raw_parts((*desc).name, (*desc).name_len as usize);
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// Which block refers to which, both by their numbers.
struct Graph {
    addresses: Vec<usize>,
    refers: Vec<Vec<usize>>,
}

/// Blocks that all lead to each other.
struct Group {
    members: Vec<usize>,
    is_circle: bool,
}

impl Graph {
    fn of(live: &HashMap<usize, Block>) -> Graph {
        let mut addresses: Vec<usize> = live.keys().copied().collect();
        addresses.sort_unstable();
        let number: HashMap<usize, usize> = addresses.iter().copied().zip(0..).collect();
        let refers = addresses.iter().map(|&address| {
            let words = live[&address].size / size_of::<usize>();
            let fields = (0..words).map(|word| address + word * size_of::<usize>());
            fields
                .filter(|&field| !weak::is_set(field))
                // SAFETY: the field is in a live block; a word of it that was never written is read as some number.
                .filter_map(|field| number.get(&unsafe { (field as *const usize).read_volatile() }))
                .copied()
                .collect()
        });
        Graph {
            refers: refers.collect(),
            addresses,
        }
    }

    /// The strongly connected components, found as R. Tarjan does it ("Depth-first search and linear graph algorithms", 1972), without
    /// recursion, as a chain of objects may be long.
    fn groups(&self) -> Vec<Group> {
        const NEW: usize = usize::MAX;
        let count = self.addresses.len();
        let (mut order, mut lowest) = (vec![NEW; count], vec![NEW; count]);
        let mut open = vec![false; count];
        let (mut stack, mut path, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        let mut next = 0;
        for start in 0..count {
            if order[start] != NEW {
                continue;
            }
            path.push((start, 0));
            while let Some((node, edge)) = path.last_mut() {
                let node = *node;
                if *edge == 0 && order[node] == NEW {
                    (order[node], lowest[node], open[node]) = (next, next, true);
                    next += 1;
                    stack.push(node);
                }
                if let Some(&to) = self.refers[node].get(*edge) {
                    *edge += 1;
                    if order[to] == NEW {
                        path.push((to, 0));
                    } else if open[to] {
                        lowest[node] = lowest[node].min(order[to]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(above, _)) = path.last() {
                    lowest[above] = lowest[above].min(lowest[node]);
                }
                if lowest[node] == order[node] {
                    let from = stack.iter().rposition(|&member| member == node);
                    let members = stack.split_off(from.unwrap_or(stack.len()));
                    members.iter().for_each(|&member| open[member] = false);
                    groups.push(Group {
                        is_circle: members.len() > 1 || self.refers[node].contains(&node),
                        members: members
                            .iter()
                            .map(|&member| self.addresses[member])
                            .collect(),
                    });
                }
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_back_to_itself_is_a_circle() {
        // 0 -> 1 -> 2 -> 0, 2 -> 3, 4 -> 4, 5 alone.
        let graph = Graph {
            addresses: (0..6).map(|node| node * 100).collect(),
            refers: vec![vec![1], vec![2], vec![0, 3], vec![], vec![4], vec![]],
        };
        let mut circles: Vec<Vec<usize>> = Vec::new();
        let mut others = Vec::new();
        for mut group in graph.groups() {
            group.members.sort_unstable();
            if group.is_circle {
                circles.push(group.members);
            } else {
                others.extend(group.members);
            }
        }
        circles.sort();
        others.sort_unstable();
        assert_eq!(circles, [vec![0, 100, 200], vec![400]]);
        assert_eq!(others, [300, 500]);
    }

    #[test]
    fn a_long_chain_needs_no_long_stack() {
        let count = 300_000;
        let graph = Graph {
            addresses: (0..count).collect(),
            refers: (1..=count)
                .map(|to| if to < count { vec![to] } else { vec![] })
                .collect(),
        };
        assert_eq!(graph.groups().len(), count);
    }
}
