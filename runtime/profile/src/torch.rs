//! What libtorch saw, as `ffi/torch/shim/profiler.cpp` writes it down.
//!
//! A line for each thing, its parts divided by tabs: `main THREAD PEAK_BYTES`, `name TEXT` (numbered from 0 in their order), `op` and
//! `kernel` with the fields of [`Op`] and [`Kernel`] in their order. A line that is none of these is left out: a
//! profile with a hole is better than none.

/// What libtorch saw.
#[derive(Clone, Default, Debug)]
pub struct Torch {
    /// The program's thread, as libtorch counts them.
    pub main_thread: u64,
    /// The most memory that tensors in main memory had at a time, of what was taken while recording.
    pub peak: u64,
    /// Names of operators and kernels, and shapes.
    pub names: Vec<String>,
    /// Operators in the order in which they began.
    pub ops: Vec<Op>,
    /// What devices did.
    pub kernels: Vec<Kernel>,
}

/// A run of an operator.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Op {
    /// The index of its name.
    pub name: u32,
    /// The index of its inputs' shapes, if they were asked for.
    pub shapes: Option<u32>,
    /// Its thread.
    pub thread: u64,
    /// Whether it is a node of a backward pass.
    pub backward: bool,
    /// What a node of the backward pass has in common with the operator that it belongs to; -1 for none.
    pub sequence: i64,
    /// The thread of that operator.
    pub forward_thread: u64,
    /// When it began.
    pub start: u64,
    /// When it ended.
    pub end: u64,
    /// Bytes that tensors took meanwhile, of main memory and of devices.
    pub allocated: u64,
}

/// Work of a device.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Kernel {
    /// The index of its name.
    pub name: u32,
    /// The index of the operator that asked for it.
    pub op: Option<u32>,
    /// The number of the device.
    pub device: u32,
    /// The number of the stream.
    pub stream: u64,
    /// When it began.
    pub start: u64,
    /// When it ended.
    pub end: u64,
}

impl Torch {
    /// Reads what the library wrote.
    pub fn read(text: &str) -> Torch {
        let mut torch = Torch::default();
        for line in text.lines() {
            let Some((kind, rest)) = line.split_once('\t') else {
                continue;
            };
            let mut fields = rest
                .split('\t')
                .map(|field| field.parse::<i64>().unwrap_or(-1));
            let mut next = || fields.next().unwrap_or(-1);
            let index = |number: i64| u32::try_from(number).ok();
            match kind {
                "main" => (torch.main_thread, torch.peak) = (next() as u64, next().max(0) as u64),
                "name" => torch.names.push(rest.to_owned()),
                "op" => torch.ops.push(Op {
                    name: next() as u32,
                    shapes: index(next()),
                    thread: next() as u64,
                    backward: next() == 1,
                    sequence: next(),
                    forward_thread: next() as u64,
                    start: next() as u64,
                    end: next() as u64,
                    allocated: next().max(0) as u64,
                }),
                "kernel" => torch.kernels.push(Kernel {
                    name: next() as u32,
                    op: index(next()),
                    device: next().max(0) as u32,
                    stream: next().max(0) as u64,
                    start: next() as u64,
                    end: next() as u64,
                }),
                _ => {}
            }
        }
        torch
    }

    /// A name by its index.
    pub(crate) fn name(&self, index: u32) -> &str {
        self.names.get(index as usize).map_or("?", String::as_str)
    }
}
