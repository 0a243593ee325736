//! What a profile is, and how it is shown: tables, a trace for Perfetto and Chrome, a flame graph.
//!
//! A [`Recording`] holds what was measured: calls of foreign functions with their lines and layers from the runtime
//! (`simple_core::profile`), and operators of libtorch as text ([`Torch::read`]). [`Profile::new`] joins both to one tree of intervals
//! (`tree.rs`), in which every moment belongs to exactly one node, so that the sums add up to the whole. `tables.rs` adds it up, `trace.rs` and
//! `flame.rs` write files. Nothing here measures, opens libraries or knows compiled code.

mod flame;
mod tables;
#[cfg(test)]
mod tests;
mod torch;
mod trace;
mod tree;

pub use tables::{LayerRow, LineRow, OperatorRow, SortBy, Summary};
pub use torch::{Kernel, Op, Torch};
pub use tree::Profile;

/// What was measured. Times are nanoseconds of one clock that never goes back.
#[derive(Clone, Default, Debug)]
pub struct Recording {
    /// When it began.
    pub start: u64,
    /// When it ended.
    pub end: u64,
    /// What the runtime saw on the program's thread, in no order.
    pub spans: Vec<Span>,
    /// Names of calls and labels.
    pub names: Vec<String>,
    /// Which lines of the program were running: the innermost first.
    pub stacks: Vec<Vec<Place>>,
    /// Layers; the first one stands for "in no layer".
    pub layers: Vec<Layer>,
    /// What libtorch saw.
    pub torch: Torch,
    /// How many spans there was no room for.
    pub dropped: u64,
}

/// Something that took time on the program's thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// What it is.
    pub kind: SpanKind,
    /// The index of its name; of a layer none.
    pub name: u32,
    /// The index of its stack.
    pub stack: u32,
    /// The index of the layer that it is, or that it is in.
    pub layer: u32,
    /// When it began.
    pub start: u64,
    /// When it ended.
    pub end: u64,
    /// What measuring it took before it began and after it ended.
    pub cost: u32,
}

/// What a span is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SpanKind {
    /// A part of the program that it named itself.
    Label,
    /// A `forward` of a layer.
    Layer,
    /// A call of a foreign function.
    Call,
    /// A library is opened, and the function found in it, when it is called for the first time.
    Opening,
}

/// A line of the program.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Place {
    /// The function.
    pub function: String,
    /// Its file.
    pub file: String,
    /// The line from 1.
    pub line: u32,
}

/// A layer of a network.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Layer {
    /// Where it is, such as `net.blocks.0`; empty for "in no layer".
    pub path: String,
    /// Its class.
    pub class: String,
}
