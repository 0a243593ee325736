//! One tree of all intervals: what the runtime saw and what libtorch saw on the program's thread, by their times.
//!
//! Both sides read the same clock, so an operator belongs to the call of the foreign function during which it began. Operators of other threads
//! are beside the tree, except those of a backward pass, which libtorch's engine runs on a thread for each GPU while
//! the program's thread waits: they are below the call that waits.

use crate::{Layer, Op, Place, Recording, Span, SpanKind};
use rustc_hash::FxHashMap;

/// Which interval a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    Span(u32),
    Op(u32),
}

/// An interval with what is inside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub source: Source,
    pub start: u64,
    pub end: u64,
    pub parent: Option<u32>,
    /// The call of a foreign function that it is in, or is itself.
    pub call: Option<u32>,
    /// Whether it is on another thread than the program's, and not below one of its calls.
    pub aside: bool,
    /// What labels, calls and operators inside it took.
    pub covered: u64,
    /// What measuring what is inside it took, calls of libtorch's own profiler left out.
    pub cost: u64,
    /// What devices did for it, and for all that is inside it.
    pub device: u64,
    pub device_all: u64,
    /// What operators directly inside it allocated.
    pub allocated_inside: u64,
}

impl Node {
    pub fn duration(&self) -> u64 {
        self.end - self.start
    }

    /// What it took itself.
    pub fn own(&self) -> u64 {
        self.duration().saturating_sub(self.covered + self.cost)
    }
}

/// A recording whose intervals are in their places.
#[derive(Debug)]
pub struct Profile {
    pub(crate) recording: Recording,
    /// Parents before children.
    pub(crate) nodes: Vec<Node>,
    /// The layers of the operators that nodes of backward passes belong to, by thread and number.
    forward: FxHashMap<(u64, i64), u32>,
}

impl Profile {
    /// Puts everything in its place.
    pub fn new(mut recording: Recording) -> Profile {
        if recording.layers.is_empty() {
            recording.layers.push(Layer::default());
        }
        let mut profile = Profile {
            nodes: Vec::with_capacity(recording.spans.len() + recording.torch.ops.len()),
            recording,
            forward: FxHashMap::default(),
        };
        profile.place_main_thread();
        profile.place_other_threads();
        profile.add_up();
        profile.find_forward();
        profile
    }

    pub(crate) fn span(&self, index: u32) -> &Span {
        &self.recording.spans[index as usize]
    }

    pub(crate) fn op(&self, index: u32) -> &Op {
        &self.recording.torch.ops[index as usize]
    }

    /// The name that a node has in tables.
    pub(crate) fn name(&self, node: &Node) -> &str {
        match node.source {
            Source::Op(op) => self.recording.torch.name(self.op(op).name),
            Source::Span(span) => {
                let span = self.span(span);
                match span.kind {
                    SpanKind::Layer => &self.recording.layers[span.layer as usize].path,
                    _ => &self.recording.names[span.name as usize],
                }
            }
        }
    }

    pub(crate) fn kind(&self, node: &Node) -> Option<SpanKind> {
        match node.source {
            Source::Span(span) => Some(self.span(span).kind),
            Source::Op(_) => None,
        }
    }

    /// The span of the call that a node is in.
    pub(crate) fn call_of(&self, node: &Node) -> Option<&Span> {
        match self.nodes[node.call? as usize].source {
            Source::Span(span) => Some(self.span(span)),
            Source::Op(_) => None,
        }
    }

    /// The lines of the program at a node, the innermost first.
    pub(crate) fn places(&self, node: &Node) -> &[Place] {
        let stack = match node.source {
            Source::Span(span) if self.span(span).kind != SpanKind::Opening => {
                Some(self.span(span).stack)
            }
            _ => self.call_of(node).map(|span| span.stack),
        };
        let stack = stack.and_then(|stack| self.recording.stacks.get(stack as usize));
        stack.map_or(&[], Vec::as_slice)
    }

    /// The layer that a node is in, 0 for none.
    pub(crate) fn layer(&self, node: &Node) -> u32 {
        match node.source {
            Source::Span(span) => self.span(span).layer,
            Source::Op(_) => self.call_of(node).map_or(0, |span| span.layer),
        }
    }

    /// The layer whose forward pass a node of a backward pass undoes.
    pub(crate) fn forward_layer(&self, op: &Op) -> u32 {
        let key = (op.forward_thread, op.sequence);
        self.forward.get(&key).copied().unwrap_or(0)
    }

    fn place_main_thread(&mut self) {
        let main = self.recording.torch.main_thread;
        let spans = (0..self.recording.spans.len() as u32).map(Source::Span);
        let ops = (0..self.recording.torch.ops.len() as u32)
            .filter(|op| self.op(*op).thread == main)
            .map(Source::Op);
        let mut found: Vec<(u64, u64, u8, Source)> =
            spans.chain(ops).map(|source| self.key(source)).collect();
        found.sort_by_key(|(start, end, rank, _)| (*start, u64::MAX - *end, *rank));
        self.place(found.into_iter().map(|(.., source)| source), None, false);
    }

    /// What orders intervals of one thread: those that contain others come first.
    fn key(&self, source: Source) -> (u64, u64, u8, Source) {
        match source {
            Source::Span(index) => {
                let span = self.span(index);
                (span.start, span.end, span.kind as u8, source)
            }
            Source::Op(index) => {
                let op = self.op(index);
                (op.start, op.end, SpanKind::Opening as u8 + 1, source)
            }
        }
    }

    /// Puts intervals of one thread, in their order, below each other; the outermost below `parent`.
    fn place(&mut self, sources: impl Iterator<Item = Source>, parent: Option<u32>, aside: bool) {
        let mut open: Vec<u32> = parent.into_iter().collect();
        let base = open.len();
        for source in sources {
            let (start, end, ..) = self.key(source);
            while open.len() > base && self.nodes[open[open.len() - 1] as usize].end <= start {
                open.pop();
            }
            let parent = open.last().copied();
            let (mut end, mut call) = (end.max(start), None);
            if let Some(parent) = parent {
                let above = &self.nodes[parent as usize];
                (end, call) = (end.min(above.end.max(start)), above.call);
            }
            let index = self.nodes.len() as u32;
            if let Source::Span(span) = source
                && self.span(span).kind == SpanKind::Call
            {
                call = Some(index);
            }
            self.nodes.push(Node {
                source,
                start,
                end,
                parent,
                call,
                aside,
                covered: 0,
                cost: 0,
                device: 0,
                device_all: 0,
                allocated_inside: 0,
            });
            open.push(index);
        }
    }

    fn place_other_threads(&mut self) {
        let main = self.recording.torch.main_thread;
        let mut threads: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for (index, op) in self.recording.torch.ops.iter().enumerate() {
            if op.thread != main {
                threads.entry(op.thread).or_default().push(index as u32);
            }
        }
        let calls: Vec<u32> = (0..self.nodes.len() as u32)
            .filter(|node| self.kind(&self.nodes[*node as usize]) == Some(SpanKind::Call))
            .collect();
        let mut threads: Vec<(u64, Vec<u32>)> = threads.into_iter().collect();
        threads.sort_unstable_by_key(|(thread, _)| *thread);
        for (_, mut ops) in threads {
            ops.sort_by_key(|op| (self.op(*op).start, u64::MAX - self.op(*op).end));
            // Each outermost operator with what is inside it.
            while !ops.is_empty() {
                let first = *self.op(ops[0]);
                let inside = ops.iter().position(|op| self.op(*op).start >= first.end);
                let rest = ops.split_off(inside.unwrap_or(ops.len()).max(1));
                let group = std::mem::replace(&mut ops, rest);
                let is_backward = first.backward
                    || self
                        .recording
                        .torch
                        .name(first.name)
                        .starts_with("autograd::");
                let waiting = is_backward.then(|| {
                    let after = calls
                        .partition_point(|call| self.nodes[*call as usize].start <= first.start);
                    let call = *calls.get(after.checked_sub(1)?)?;
                    (self.nodes[call as usize].end >= first.end).then_some(call)
                });
                let waiting = waiting.flatten();
                self.place(
                    group.into_iter().map(Source::Op),
                    waiting,
                    waiting.is_none(),
                );
            }
        }
    }

    /// Adds times, costs, memory and what devices did to the nodes around.
    fn add_up(&mut self) {
        let mut of_op: FxHashMap<u32, usize> = FxHashMap::default();
        for (index, node) in self.nodes.iter().enumerate() {
            if let Source::Op(op) = node.source {
                of_op.insert(op, index);
            }
        }
        for kernel in &self.recording.torch.kernels {
            if let Some(&node) = kernel.op.and_then(|op| of_op.get(&op)) {
                let node = &mut self.nodes[node];
                node.device += kernel.end.saturating_sub(kernel.start);
            }
        }
        for index in (0..self.nodes.len()).rev() {
            let node = self.nodes[index];
            self.nodes[index].device_all += node.device;
            let Some(parent) = node.parent else { continue };
            let is_layer = self.kind(&node) == Some(SpanKind::Layer);
            let own_cost = match node.source {
                Source::Span(span) => u64::from(self.span(span).cost),
                Source::Op(_) => 0,
            };
            let allocated = match node.source {
                Source::Op(op) => self.op(op).allocated,
                Source::Span(_) => node.allocated_inside,
            };
            let parent = &mut self.nodes[parent as usize];
            // A layer is not a thing that takes time but a place where things do.
            parent.covered += if is_layer {
                node.covered
            } else {
                node.duration()
            };
            // What is inside another call or label is covered by it.
            parent.cost += own_cost + if is_layer { node.cost } else { 0 };
            parent.device_all += node.device + node.device_all;
            parent.allocated_inside += allocated;
        }
    }

    /// Several operators may have the number of a node; the last one made it, as PyTorch's profiler has it.
    fn find_forward(&mut self) {
        for index in 0..self.nodes.len() {
            let node = self.nodes[index];
            let Source::Op(op) = node.source else {
                continue;
            };
            let op = *self.op(op);
            if !op.backward && op.sequence >= 0 {
                self.forward
                    .insert((op.thread, op.sequence), self.layer(&node));
            }
        }
    }
}
