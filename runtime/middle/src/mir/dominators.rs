//! Dominators of a graph: which nodes are on every path from the first one to a node.
//!
//! The checks of the middle form ask this of pieces of blocks (`verify/flow.rs`), the passes of whole blocks (`passes/ssa.rs`). Time
//! and memory are near to linear in nodes and edges, for functions of any length.

use smallvec::SmallVec;

/// The nodes that control can go to from a node.
pub type Successors = SmallVec<[u32; 2]>;

/// Not a node, or one that no path leads to.
pub const NONE: u32 = u32::MAX;

/// The immediate dominator of each node; the first node is its own, and [`NONE`] is that of nodes that no path leads to.
///
/// Semi-dominators with path compression, then nearest common ancestors (Georgiadis: Linear-Time Algorithms for Dominators and
/// Related Problems, 2005, where it is called SEMI-NCA).
pub fn immediate(successors: &[Successors]) -> Vec<u32> {
    let Walk {
        order,
        number,
        parent,
    } = Walk::new(successors);
    let mut preds: Vec<Successors> = vec![Successors::new(); order.len()];
    for (from, node) in (0..).zip(&order) {
        for to in &successors[*node as usize] {
            preds[number[*to as usize] as usize].push(from);
        }
    }
    // Everything is by number in the walk from here on.
    let mut semi: Vec<u32> = (0..order.len() as u32).collect();
    let mut best = semi.clone();
    let mut up = parent.clone();
    let mut path = Vec::new();
    for node in (1..order.len()).rev() {
        let mut least = parent[node];
        for &pred in &preds[node] {
            let found = if pred as usize <= node {
                pred
            } else {
                compress(pred, node as u32, &mut up, &mut best, &semi, &mut path);
                semi[best[pred as usize] as usize]
            };
            least = least.min(found);
        }
        semi[node] = least;
    }
    let mut above = parent;
    for node in 1..order.len() {
        while above[node] > semi[node] {
            above[node] = above[above[node] as usize];
        }
    }
    let mut immediate = vec![NONE; successors.len()];
    for (node, above) in order.iter().zip(&above) {
        immediate[*node as usize] = order[*above as usize];
    }
    immediate
}

/// Lets `best` of a node name the least semi-dominator on its path up to the nodes that are not done yet, which are below `done`.
fn compress(
    node: u32,
    done: u32,
    up: &mut [u32],
    best: &mut [u32],
    semi: &[u32],
    path: &mut Vec<u32>,
) {
    let mut at = node;
    while up[at as usize] > done {
        path.push(at);
        at = up[at as usize];
    }
    let mut last = at;
    while let Some(at) = path.pop() {
        let (here, over) = (best[at as usize], best[last as usize]);
        if semi[over as usize] < semi[here as usize] {
            best[at as usize] = over;
        }
        up[at as usize] = up[last as usize];
        last = at;
    }
}

/// Nodes in the order in which a walk in depth finds them.
struct Walk {
    order: Vec<u32>,
    /// Per node: its place in the order.
    number: Vec<u32>,
    /// Per place: that of the node from which it was found.
    parent: Vec<u32>,
}

impl Walk {
    fn new(successors: &[Successors]) -> Walk {
        let mut walk = Walk {
            order: Vec::new(),
            number: vec![NONE; successors.len()],
            parent: Vec::new(),
        };
        let mut work = vec![(0, 0)];
        while let Some((node, from)) = work.pop() {
            if walk.number[node as usize] != NONE {
                continue;
            }
            let number = walk.order.len() as u32;
            walk.number[node as usize] = number;
            walk.order.push(node);
            walk.parent.push(from);
            let next = successors[node as usize].iter();
            work.extend(next.rev().map(|next| (*next, number)));
        }
        walk
    }
}

/// Which node dominates which, answered in constant time.
pub struct Tree {
    /// Per node: where it and the nodes that it dominates are in an order of the tree.
    span: Vec<(u32, u32)>,
}

impl Tree {
    /// From immediate dominators, as [`immediate`] gives them.
    pub fn new(immediate: &[u32]) -> Tree {
        let mut below: Vec<Successors> = vec![Successors::new(); immediate.len()];
        for (node, above) in (0..).zip(immediate) {
            if *above != NONE && *above != node {
                below[*above as usize].push(node);
            }
        }
        let mut span = vec![(NONE, 0); immediate.len()];
        let mut next = 0;
        let mut work = vec![(0, false)];
        while let Some((node, left)) = work.pop() {
            if left {
                span[node as usize].1 = next;
                continue;
            }
            span[node as usize].0 = next;
            next += 1;
            work.push((node, true));
            work.extend(below[node as usize].iter().map(|below| (*below, false)));
        }
        Tree { span }
    }

    /// Whether any path leads to a node.
    pub fn reaches(&self, node: u32) -> bool {
        self.span[node as usize].0 != NONE
    }

    /// Whether every path to `b` leads through `a`; every node dominates itself. Both must be reached.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        let (from, to) = self.span[a as usize];
        (from..to).contains(&self.span[b as usize].0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `b` can be reached without `a`, by trying.
    fn avoids(successors: &[Successors], a: u32, b: u32) -> bool {
        let mut seen = vec![false; successors.len()];
        let mut work = vec![0];
        while let Some(node) = work.pop() {
            if node != a && !std::mem::replace(&mut seen[node as usize], true) {
                work.extend(&successors[node as usize]);
            }
        }
        seen[b as usize]
    }

    fn check(successors: &[Successors]) {
        let tree = Tree::new(&immediate(successors));
        let count = successors.len() as u32;
        for b in (0..count).filter(|b| *b == 0 || avoids(successors, NONE, *b)) {
            assert!(tree.reaches(b));
            for a in (0..count).filter(|a| tree.reaches(*a)) {
                let expected = !avoids(successors, a, b);
                assert_eq!(
                    tree.dominates(a, b),
                    expected,
                    "{a} over {b} in {successors:?}"
                );
            }
        }
    }

    #[test]
    fn a_node_dominates_what_cannot_be_reached_without_it() {
        // Pseudorandom graphs (Knuth's 64-bit linear congruential generator), sparse and dense.
        let mut state = 1_u64;
        let mut random = |below: u32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(below)) as u32
        };
        for _ in 0..3000 {
            let count = 1 + random(12);
            let graph: Vec<Successors> = (0..count)
                .map(|_| (0..random(4)).map(|_| random(count)).collect())
                .collect();
            check(&graph);
        }
    }

    #[test]
    fn nodes_without_a_path_have_no_dominator() {
        let graph = [Successors::new(), SmallVec::from_slice(&[0])];
        assert_eq!(immediate(&graph), [0, NONE]);
    }

    #[test]
    fn long_chains_need_no_stack() {
        let count = 300_000;
        let graph: Vec<Successors> = (0..count)
            .map(|node| (node + 1..count).take(1).chain([0]).collect())
            .collect();
        assert_eq!(immediate(&graph)[count as usize - 1], count - 2);
    }
}
