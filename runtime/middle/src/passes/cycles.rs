//! Cycles of a graph: what calls itself, and what is a loop.

use crate::mir::{Block, Function};

/// Per block: whether it is in a loop that is not an error path.
pub(super) fn loops_of(func: &Function) -> Vec<bool> {
    // [condition cycles.goes_back]: nothing is in a loop.
    if !goes_back(func) {
        return vec![false; func.blocks.len()];
    }
    cyclic_nodes(&ways(func))
}

/// Whether a block leads to one that does not come after it: however blocks are numbered, every cycle does that somewhere.
pub(super) fn goes_back(func: &Function) -> bool {
    let goes_back = |(index, block): (usize, &Block)| {
        let targets = block.term.targets();
        targets.iter().any(|target| target.0 as usize <= index)
    };
    func.blocks.iter().enumerate().any(goes_back)
}

/// Where control may go from each block, cold blocks apart.
pub(super) fn ways(func: &Function) -> Vec<Vec<usize>> {
    let targets = |block: &Block| {
        let targets = block.term.targets();
        let targets = targets.iter().map(|target| target.0 as usize);
        // [condition cycles.warm_from]: an error path is not a turn,
        // [condition cycles.warm_to]: and leads to none.
        let warm = targets.filter(|&target| !block.cold && !func.blocks[target].cold);
        warm.collect()
    };
    func.blocks.iter().map(targets).collect()
}

/// The nodes that are on a cycle.
pub(super) fn cyclic_nodes(graph: &[Vec<usize>]) -> Vec<bool> {
    let mut cyclic = vec![false; graph.len()];
    for component in components(graph) {
        // [condition cycles.several]: functions that call each other,
        // [condition cycles.itself]: and one that calls itself.
        let around = component.len() > 1 || graph[component[0]].contains(&component[0]);
        for node in component {
            cyclic[node] = around;
        }
    }
    cyclic
}

/// The strongly connected components, none of them empty: Tarjan's algorithm, without recursion.
pub(super) fn components(graph: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let mut index = vec![NEW; graph.len()];
    let mut low = vec![0usize; graph.len()];
    let mut on_stack = vec![false; graph.len()];
    let mut found = Vec::new();
    let mut stack = Vec::new();
    let mut next = 0;
    for root in 0..graph.len() {
        if index[root] != NEW {
            continue;
        }
        let mut frames = vec![(root, 0usize)];
        while let Some((node, edge)) = frames.pop() {
            if edge == 0 {
                index[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&target) = graph[node].get(edge) {
                frames.push((node, edge + 1));
                if index[target] == NEW {
                    frames.push((target, 0));
                // [condition cycles.on_stack]: what is done belongs to another component.
                } else if on_stack[target] {
                    low[node] = low[node].min(index[target]);
                }
                continue;
            }
            if low[node] == index[node] {
                let from = stack.iter().rposition(|other| *other == node).unwrap_or(0);
                let component = stack.split_off(from);
                for &member in &component {
                    on_stack[member] = false;
                }
                found.push(component);
            }
            if let Some(&(parent, _)) = frames.last() {
                low[parent] = low[parent].min(low[node]);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::cyclic_nodes;

    #[test]
    fn cycles_are_found_and_nothing_else() {
        let graph = vec![vec![1], vec![2, 3], vec![1], vec![4], vec![4], vec![]];
        assert_eq!(
            cyclic_nodes(&graph),
            [false, true, true, false, true, false]
        );
    }
}
