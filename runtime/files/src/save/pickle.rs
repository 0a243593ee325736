//! Reads pickles as `torch.save` writes them, without running anything.
//!
//! A pickle is a program for a small stack machine, and Python's reader lets it call any function by name. This reader has no calls:
//! the names in [`known`] mean plain containers, numbers' types and the two forms in which tensors are assembled, and any other name is
//! refused where it occurs. What a pickle makes is in one list of [`Node`]s that refer to each other by number, so that shared, circular
//! and deep structures cost nothing to drop.
//!
//! Protocols 2 (the default of `torch.save`) to 5. Next: `pth` for the file around it.

use std::collections::HashMap;

use simple_system::memory;

use super::plain::Element;
use super::source::Fault;

/// The number of a node.
pub type Id = usize;

/// What a pickle makes.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// `None`.
    None,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A float.
    Float(f64),
    /// A text; devices and dtypes too, by their names.
    Text(String),
    /// Bytes, known to be unused, of which only the number is kept.
    Bytes(usize),
    /// A list, tuple or set.
    List(Vec<Id>),
    /// A dictionary, in order.
    Dict(Vec<(Id, Id)>),
    /// A storage: numbers in a separate file.
    Storage(Storage),
    /// A storage of bytes, of which only its tensors know what numbers they are.
    Untyped(Storage),
    /// A tensor: a view of a storage.
    Tensor(View),
    /// A name that may be called.
    Known(Known),
}

/// Numbers in a separate file.
#[derive(Clone, Debug, PartialEq)]
pub struct Storage {
    /// The name of the file.
    pub key: String,
    /// What the numbers are.
    pub element: Element,
    /// How many there are.
    pub count: usize,
    /// How many numbers of what the file has under this key are before it.
    pub start: usize,
}

/// A tensor over a storage.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The storage.
    pub storage: Storage,
    /// Which of its numbers is the first.
    pub offset: usize,
    /// Sizes of the dimensions.
    pub dims: Vec<usize>,
    /// How many numbers further the next one is, per dimension.
    pub strides: Vec<usize>,
    /// Whether the tensor is the conjugate of these numbers.
    pub conjugate: bool,
    /// Whether the tensor is these numbers with the other sign.
    pub negative: bool,
}

/// What a name in a pickle means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Known {
    /// `collections.OrderedDict`.
    OrderedDict,
    /// `torch._utils._rebuild_tensor_v2`, and `_rebuild_tensor`, which older ones wrote.
    Tensor,
    /// `torch._utils._rebuild_tensor_v3`, whose storage is untyped: the dtype is among the arguments.
    TypedTensor,
    /// `torch.storage.UntypedStorage`.
    Untyped,
    /// `torch._utils._rebuild_parameter`.
    Parameter,
    /// `torch.FloatStorage` and its like.
    StorageOf(Element),
    /// A function of its first argument alone, which is the result: `torch.Size`, `torch.device`, `set`.
    Same,
    /// `_codecs.encode`, in which protocol 2 writes bytes.
    Encode,
}

/// The nodes of a pickle and the one that it is about.
#[derive(Debug)]
pub struct Pickled {
    /// All nodes.
    pub nodes: Vec<Node>,
    /// The outermost.
    pub root: Id,
}

/// The names that a pickle may mention.
fn known(module: &str, name: &str) -> Option<Node> {
    let storage = |element| Some(Node::Known(Known::StorageOf(element)));
    match (module, name) {
        ("collections", "OrderedDict") => Some(Node::Known(Known::OrderedDict)),
        ("torch._utils", "_rebuild_tensor_v2" | "_rebuild_tensor") => {
            Some(Node::Known(Known::Tensor))
        }
        ("torch._utils", "_rebuild_tensor_v3") => Some(Node::Known(Known::TypedTensor)),
        ("torch.storage", "UntypedStorage") | ("torch", "UntypedStorage") => {
            Some(Node::Known(Known::Untyped))
        }
        ("torch._utils", "_rebuild_parameter") => Some(Node::Known(Known::Parameter)),
        ("torch", "Size" | "device") => Some(Node::Known(Known::Same)),
        ("builtins" | "__builtin__", "set" | "list" | "tuple") => Some(Node::Known(Known::Same)),
        ("_codecs", "encode") => Some(Node::Known(Known::Encode)),
        ("torch", "BoolStorage") => storage(Element::Bool),
        ("torch", "ByteStorage") => storage(Element::U8),
        ("torch", "CharStorage") => storage(Element::I8),
        ("torch", "ShortStorage") => storage(Element::I16),
        ("torch", "IntStorage") => storage(Element::I32),
        ("torch", "LongStorage") => storage(Element::I64),
        ("torch", "HalfStorage") => storage(Element::F16),
        ("torch", "BFloat16Storage") => storage(Element::BF16),
        ("torch", "FloatStorage") => storage(Element::F32),
        ("torch", "DoubleStorage") => storage(Element::F64),
        ("torch", "ComplexFloatStorage") => storage(Element::C64),
        ("torch", "ComplexDoubleStorage") => storage(Element::C128),
        ("torch", name) if Element::of_python(name).is_some() => {
            Some(Node::Text(format!("torch.{name}")))
        }
        _ => None,
    }
}

/// Reads a pickle.
pub fn read(bytes: &[u8]) -> Result<Pickled, Fault> {
    read_first(bytes).map(|(pickled, _)| pickled)
}

/// Reads the pickle at the start, and says how many bytes it has.
pub fn read_first(bytes: &[u8]) -> Result<(Pickled, usize), Fault> {
    let mut machine = Machine {
        bytes,
        at: 0,
        op_at: 0,
        nodes: Vec::new(),
        stack: Vec::new(),
        marks: Vec::new(),
        memo: HashMap::new(),
    };
    loop {
        if let Some(root) = machine.step()? {
            let pickled = Pickled {
                nodes: machine.nodes,
                root,
            };
            return Ok((pickled, machine.at));
        }
    }
}

struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    op_at: usize,
    nodes: Vec<Node>,
    stack: Vec<Id>,
    marks: Vec<usize>,
    memo: HashMap<u64, Id>,
}

impl<'a> Machine<'a> {
    /// Does one operation; the result is the pickle's once it stops.
    fn step(&mut self) -> Result<Option<Id>, Fault> {
        self.op_at = self.at;
        let op = self.byte()?;
        match op {
            // PROTO, FRAME: nothing to do but read on.
            0x80 => {
                let protocol = self.byte()?;
                if !(2..=5).contains(&protocol) {
                    return Err(self.fault(format!(
                        "pickle protocol {protocol}; 2 to 5 are understood, and torch.save writes 2"
                    )));
                }
            }
            0x95 => drop(self.take(8)?),
            b'.' => return Ok(Some(self.pop()?)),
            b'(' => memory::push(&mut self.marks, self.stack.len())?,
            b'0' => drop(self.pop()?),
            b'1' => drop(self.since_mark()?),
            b'2' => {
                let top = self.top()?;
                memory::push(&mut self.stack, top)?;
            }
            b'N' => self.push(Node::None)?,
            0x88 => self.push(Node::Bool(true))?,
            0x89 => self.push(Node::Bool(false))?,
            b'J' => {
                let number = self.number::<4>()? as u32 as i32;
                self.push(Node::Int(number.into()))?;
            }
            b'K' => {
                let number = self.number::<1>()?;
                self.push(Node::Int(number.into()))?;
            }
            b'M' => {
                let number = self.number::<2>()?;
                self.push(Node::Int(number.into()))?;
            }
            0x8a => self.long::<1>()?,
            0x8b => self.long::<4>()?,
            b'G' => {
                let bits = self.number::<8>()?.swap_bytes();
                self.push(Node::Float(f64::from_bits(bits)))?;
            }
            b'X' => self.text::<4>()?,
            0x8c => self.text::<1>()?,
            0x8d => self.text::<8>()?,
            b'U' => self.text::<1>()?,
            b'T' => self.text::<4>()?,
            b'C' => self.raw::<1>()?,
            b'B' => self.raw::<4>()?,
            0x8e | 0x96 => self.raw::<8>()?,
            b']' | b')' | 0x8f => self.push(Node::List(Vec::new()))?,
            b'}' => self.push(Node::Dict(Vec::new()))?,
            b't' | b'l' | 0x91 => {
                let items = self.since_mark()?;
                self.push(Node::List(items))?;
            }
            0x85..=0x87 => {
                let count = usize::from(op - 0x84);
                let items = self.pop_many(count)?;
                self.push(Node::List(items))?;
            }
            b'd' => {
                let items = self.since_mark()?;
                let pairs = self.pairs(&items)?;
                self.push(Node::Dict(pairs))?;
            }
            b'a' => {
                let item = self.pop()?;
                self.extend_list(&[item])?;
            }
            b'e' | 0x90 => {
                let items = self.since_mark()?;
                self.extend_list(&items)?;
            }
            b's' => {
                let items = self.pop_many(2)?;
                self.extend_dict(&items)?;
            }
            b'u' => {
                let items = self.since_mark()?;
                self.extend_dict(&items)?;
            }
            b'q' => self.remember::<1>()?,
            b'r' => self.remember::<4>()?,
            0x94 => {
                let top = self.top()?;
                self.remember_as(self.memo.len() as u64, top)?;
            }
            b'h' => self.recall::<1>()?,
            b'j' => self.recall::<4>()?,
            b'c' => {
                let module = self.line()?;
                let name = self.line()?;
                self.global(&module, &name)?;
            }
            0x93 => {
                let names = self.pop_many(2)?;
                match (&self.nodes[names[0]], &self.nodes[names[1]]) {
                    (Node::Text(module), Node::Text(name)) => {
                        let (module, name) = (module.clone(), name.clone());
                        self.global(&module, &name)?;
                    }
                    _ => return Err(self.fault("a name is not made of texts")),
                }
            }
            b'Q' => self.persistent()?,
            b'R' => self.reduce()?,
            b'b' => self.build()?,
            _ => {
                return Err(self.fault(format!(
                    "the pickle operation {op:#04x} is not one that a state dict needs, so it is not run"
                )));
            }
        }
        Ok(None)
    }

    fn fault(&self, why: impl Into<String>) -> Fault {
        Fault::at(self.op_at as u64, why)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let end = self.at.checked_add(count);
        match end.and_then(|end| self.bytes.get(self.at..end)) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => Err(Fault::at(
                self.at as u64,
                format!(
                    "{count} more bytes are needed, but the pickle has {}",
                    self.bytes.len() - self.at
                ),
            )),
        }
    }

    fn byte(&mut self) -> Result<u8, Fault> {
        Ok(self.take(1)?[0])
    }

    /// An unsigned little-endian number of `N` bytes.
    fn number<const N: usize>(&mut self) -> Result<u64, Fault> {
        let mut wide = [0; 8];
        wide[..N].copy_from_slice(self.take(N)?);
        Ok(u64::from_le_bytes(wide))
    }

    fn counted<const N: usize>(&mut self) -> Result<&'a [u8], Fault> {
        let count = self.number::<N>()?;
        self.take(usize::try_from(count).unwrap_or(usize::MAX))
    }

    fn long<const N: usize>(&mut self) -> Result<(), Fault> {
        let bytes = self.counted::<N>()?;
        if bytes.len() > 16 {
            return Err(self.fault(format!("an integer of {} bytes", bytes.len())));
        }
        let negative = bytes.last().is_some_and(|&byte| byte >= 0x80);
        let mut wide = [if negative { 0xff } else { 0 }; 16];
        wide[..bytes.len()].copy_from_slice(bytes);
        self.push(Node::Int(i128::from_le_bytes(wide)))?;
        Ok(())
    }

    fn text<const N: usize>(&mut self) -> Result<(), Fault> {
        let bytes = self.counted::<N>()?;
        let text = std::str::from_utf8(bytes)
            .map_err(|_| self.fault("a text is not valid UTF-8"))?
            .to_owned();
        self.push(Node::Text(text))?;
        Ok(())
    }

    fn raw<const N: usize>(&mut self) -> Result<(), Fault> {
        let count = self.counted::<N>()?.len();
        self.push(Node::Bytes(count))?;
        Ok(())
    }

    fn line(&mut self) -> Result<String, Fault> {
        let rest = &self.bytes[self.at..];
        let end = rest
            .iter()
            .position(|&byte| byte == b'\n')
            .ok_or_else(|| self.fault("a name has no end"))?;
        let line = String::from_utf8_lossy(&rest[..end]).into_owned();
        self.at += end + 1;
        Ok(line)
    }

    fn push(&mut self, node: Node) -> Result<(), Fault> {
        memory::push(&mut self.stack, self.nodes.len())?;
        Ok(memory::push(&mut self.nodes, node)?)
    }

    /// The lowest place of the stack that may be used: what is below belongs to an open mark.
    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn pop(&mut self) -> Result<Id, Fault> {
        let id = self.top()?;
        self.stack.pop();
        Ok(id)
    }

    fn top(&self) -> Result<Id, Fault> {
        match self.stack.last() {
            Some(&id) if self.stack.len() > self.floor() => Ok(id),
            _ => Err(self.fault("the stack of the pickle is empty")),
        }
    }

    fn pop_many(&mut self, count: usize) -> Result<Vec<Id>, Fault> {
        if self.stack.len() < self.floor() + count {
            return Err(self.fault("the stack of the pickle is empty"));
        }
        self.split_off(self.stack.len() - count)
    }

    fn since_mark(&mut self) -> Result<Vec<Id>, Fault> {
        let mark = self
            .marks
            .pop()
            .ok_or_else(|| self.fault("the pickle refers to a mark that it did not set"))?;
        self.split_off(mark)
    }

    fn split_off(&mut self, from: usize) -> Result<Vec<Id>, Fault> {
        let items = memory::copy(&self.stack[from..])?;
        self.stack.truncate(from);
        Ok(items)
    }

    fn pairs(&self, items: &[Id]) -> Result<Vec<(Id, Id)>, Fault> {
        if !items.len().is_multiple_of(2) {
            return Err(self.fault("a key of a dictionary has no value"));
        }
        Ok(memory::collect(
            items.chunks_exact(2).map(|pair| (pair[0], pair[1])),
        )?)
    }

    fn extend_list(&mut self, items: &[Id]) -> Result<(), Fault> {
        let list = self.top()?;
        match &mut self.nodes[list] {
            Node::List(list) => memory::extend(list, items)?,
            _ => return Err(self.fault("an element is added to something that is not a list")),
        }
        Ok(())
    }

    fn extend_dict(&mut self, items: &[Id]) -> Result<(), Fault> {
        let pairs = self.pairs(items)?;
        let dict = self.top()?;
        match &mut self.nodes[dict] {
            Node::Dict(dict) => memory::extend(dict, &pairs)?,
            _ => return Err(self.fault("an entry is added to something that is not a dictionary")),
        }
        Ok(())
    }

    fn remember<const N: usize>(&mut self) -> Result<(), Fault> {
        let place = self.number::<N>()?;
        let top = self.top()?;
        self.remember_as(place, top)
    }

    fn remember_as(&mut self, place: u64, id: Id) -> Result<(), Fault> {
        memory::reserve_map(&mut self.memo)?;
        self.memo.insert(place, id);
        Ok(())
    }

    fn recall<const N: usize>(&mut self) -> Result<(), Fault> {
        let place = self.number::<N>()?;
        match self.memo.get(&place) {
            Some(&id) => memory::push(&mut self.stack, id)?,
            None => return Err(self.fault(format!("the pickle has no memo {place}"))),
        }
        Ok(())
    }

    fn global(&mut self, module: &str, name: &str) -> Result<(), Fault> {
        match known(module, name) {
            Some(node) => {
                self.push(node)?;
                Ok(())
            }
            None => {
                // Names come from the file: no control character may reach a terminal.
                let shown: String = format!("{module}.{name}")
                    .chars()
                    .filter(|c| !c.is_control())
                    .take(200)
                    .collect();
                Err(self.fault(format!(
                    "it refers to `{shown}`; only tensors and plain containers are read, and nothing in the file is run. \
                     In Python, save `model.state_dict()` rather than the model"
                )))
            }
        }
    }

    /// A storage by its persistent id: `('storage', type, key, device, count)`. Before PyTorch 1.6 a sixth part said where in a larger
    /// storage it is: `None`, or `(key, offset, count)`.
    fn persistent(&mut self) -> Result<(), Fault> {
        let id = self.pop()?;
        let Node::List(parts) = &self.nodes[id] else {
            return Err(self.fault("a persistent id is not a tuple"));
        };
        let parts = memory::collect(parts.iter().map(|&part| &self.nodes[part]))?;
        let (start, kept) = match parts.get(5) {
            None | Some(Node::None) => (Some(0), 5.min(parts.len())),
            Some(Node::List(place)) => match place[..] {
                [_, offset, _] => (self.count(&self.nodes[offset], "offset").ok(), 5),
                _ => (None, 5),
            },
            Some(_) => (None, 5),
        };
        let whole = parts.len() <= 6;
        let storage = match (&parts[..kept], start) {
            (
                [
                    Node::Text(kind),
                    Node::Known(of @ (Known::StorageOf(_) | Known::Untyped)),
                    Node::Text(key),
                    _,
                    Node::Int(count),
                ],
                Some(start),
            ) if kind == "storage" && whole => usize::try_from(*count).ok().map(|count| {
                let element = match of {
                    Known::StorageOf(element) => *element,
                    _ => Element::U8,
                };
                let storage = Storage {
                    key: key.clone(),
                    element,
                    count,
                    start,
                };
                match of {
                    Known::Untyped => Node::Untyped(storage),
                    _ => Node::Storage(storage),
                }
            }),
            _ => None,
        };
        match storage {
            Some(storage) => {
                self.push(storage)?;
                Ok(())
            }
            None => Err(self.fault("a persistent id is not that of a storage")),
        }
    }

    /// A tensor over a storage: `offset, sizes, strides, whether it records gradients, hooks, ...`, and what is said of it besides.
    fn view(&self, storage: Storage, parts: &[&Node], said: Option<&Node>) -> Result<Node, Fault> {
        let [offset, dims, strides, ..] = parts else {
            return Err(self.fault("a tensor without offset, sizes and strides"));
        };
        let mut view = View {
            storage,
            offset: self.count(offset, "offset")?,
            dims: self.counts(dims, "size")?,
            strides: self.counts(strides, "stride")?,
            conjugate: false,
            negative: false,
        };
        if view.dims.len() != view.strides.len() {
            return Err(self.fault("a tensor has more sizes than strides, or fewer"));
        }
        match said {
            None | Some(Node::None) => {}
            Some(Node::Dict(pairs)) => {
                for &(key, value) in pairs {
                    match (&self.nodes[key], &self.nodes[value]) {
                        (Node::Text(key), Node::Bool(value)) if key == "conj" => {
                            view.conjugate = *value;
                        }
                        (Node::Text(key), Node::Bool(value)) if key == "neg" => {
                            view.negative = *value;
                        }
                        _ => {
                            return Err(
                                self.fault("something is said of a tensor that is not understood")
                            );
                        }
                    }
                }
            }
            Some(_) => return Err(self.fault("what is said of a tensor is not a dictionary")),
        }
        Ok(Node::Tensor(view))
    }

    /// A call, of one of the known names.
    fn reduce(&mut self) -> Result<(), Fault> {
        let [callee, arguments] = self.pop_many(2)?[..] else {
            return Err(self.fault("a call without arguments"));
        };
        let Node::Known(known) = self.nodes[callee] else {
            return Err(self.fault("REDUCE applied to a value that is not callable"));
        };
        let Node::List(arguments) = &self.nodes[arguments] else {
            return Err(self.fault("the arguments of a call are not a tuple"));
        };
        let nodes = memory::collect(arguments.iter().map(|&id| &self.nodes[id]))?;
        let result = match (known, nodes.as_slice()) {
            (Known::OrderedDict, []) => Node::Dict(Vec::new()),
            (Known::OrderedDict, [Node::Dict(pairs)]) => Node::Dict(memory::copy(pairs)?),
            (Known::OrderedDict, [Node::List(items)]) => {
                let mut pairs = Vec::new();
                for &item in items {
                    match &self.nodes[item] {
                        Node::List(pair) if pair.len() == 2 => {
                            memory::push(&mut pairs, (pair[0], pair[1]))?;
                        }
                        _ => return Err(self.fault("an entry of an OrderedDict is not a pair")),
                    }
                }
                Node::Dict(pairs)
            }
            (Known::Tensor, [Node::Storage(storage), rest @ ..]) => {
                self.view(storage.clone(), rest, rest.get(5).copied())?
            }
            (Known::TypedTensor, [Node::Untyped(storage), rest @ ..]) => {
                let element = match rest.get(5) {
                    Some(Node::Text(dtype)) => {
                        dtype.strip_prefix("torch.").and_then(Element::of_python)
                    }
                    _ => None,
                };
                let element = element.ok_or_else(|| self.fault("a tensor has no known dtype"))?;
                let storage = Storage {
                    element,
                    count: storage.count / element.width(),
                    ..storage.clone()
                };
                self.view(storage, rest, rest.get(6).copied())?
            }
            // A parameter is its tensor; whether it records gradients is up to its module.
            (Known::Parameter, [Node::Tensor(view), ..]) => Node::Tensor(view.clone()),
            (Known::Same, [Node::List(items), ..]) => Node::List(memory::copy(items)?),
            (Known::Same, [Node::Dict(pairs), ..]) => Node::Dict(memory::copy(pairs)?),
            (Known::Same, [first, ..]) => (*first).clone(),
            (Known::Same, []) => Node::List(Vec::new()),
            (Known::Encode, [Node::Text(text), ..]) => Node::Bytes(text.chars().count()),
            _ => {
                return Err(self.fault(format!(
                    "a call of {known:?} has other arguments than torch.save writes"
                )));
            }
        };
        self.push(result)?;
        Ok(())
    }

    /// Sets attributes of an object. State dicts have some (`_metadata`), none of which holds numbers.
    fn build(&mut self) -> Result<(), Fault> {
        let _state = self.pop()?;
        let target = self.top()?;
        match &self.nodes[target] {
            Node::Dict(_) | Node::Tensor(_) => Ok(()),
            _ => Err(self.fault("attributes are set on a value that has none")),
        }
    }

    fn count(&self, node: &Node, what: &str) -> Result<usize, Fault> {
        match node {
            Node::Int(number) => usize::try_from(*number)
                .ok()
                .filter(|&number| isize::try_from(number).is_ok()),
            _ => None,
        }
        .ok_or_else(|| self.fault(format!("a tensor's {what} is not a possible number")))
    }

    fn counts(&self, node: &Node, what: &str) -> Result<Vec<usize>, Fault> {
        match node {
            Node::List(items) if items.len() <= 64 => items
                .iter()
                .map(|&id| self.count(&self.nodes[id], what))
                .collect(),
            _ => Err(self.fault(format!("a tensor's {what} is not a short tuple"))),
        }
    }
}
