//! The middle form: functions of basic blocks over typed scalar variables, with counting made explicit.
//!
//! Values of the language are flattened before they come here: a struct or tuple is its fields, an option of a number
//! a flag and a number, an option of a counted object a pointer that may be null (`crate::repr` says how). A variable ([`Var`]) is
//! mutable and not in SSA form; the backend makes SSA of it. `lower/` builds this form from the typed program, `passes/` makes
//! counting, checks and calls cheap, `simple_codegen` turns it into machine code.
//!
//! Ownership: every variable of kind pointer either owns one reference or borrows; the builder knows which, and this form only
//! shows the outcome as [`Inst::Retain`] and [`Inst::Release`]. Function arguments are borrowed: the caller keeps them alive.
//! Results are owned by the caller.
//!
//! Errors: an instruction that can fail has a [`Fail`] edge. When it fails, the backend records the site in the error's
//! trace and jumps to the edge's block, which releases what is alive and ends in [`Term::Propagate`] (or goes on, for `try`).

pub mod dominators;
mod op;
pub mod print;
pub mod verify;
mod visit;

pub use op::{BinOp, CheckedOp, CmpOp, ConvOp, UnOp};

use rustc_hash::{FxHashMap, FxHashSet};
use simple_core::error_kind::ErrorKind;
use simple_core::table::RtFn;
use simple_ffi_abi::SffiFailure;

/// A machine type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MTy {
    /// 8 bits; booleans are 0 or 1.
    I8,
    /// 16 bits.
    I16,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// A 32-bit float.
    F32,
    /// A 64-bit float.
    F64,
    /// A pointer, 64 bits.
    Ptr,
    /// Four integers of 32 bits, or as many truth values: each all ones or all zeros.
    I32x4,
    /// Two integers of 64 bits, or as many truth values.
    I64x2,
    /// Four floats of 32 bits.
    F32x4,
    /// Two floats of 64 bits.
    F64x2,
}

impl MTy {
    /// The vector of 128 bits with elements of this type, if there is one.
    pub fn vector(self) -> Option<MTy> {
        match self {
            MTy::I32 => Some(MTy::I32x4),
            MTy::I64 => Some(MTy::I64x2),
            MTy::F32 => Some(MTy::F32x4),
            MTy::F64 => Some(MTy::F64x2),
            _ => None,
        }
    }

    /// The type of the elements of a vector.
    pub fn element(self) -> Option<MTy> {
        match self {
            MTy::I32x4 => Some(MTy::I32),
            MTy::I64x2 => Some(MTy::I64),
            MTy::F32x4 => Some(MTy::F32),
            MTy::F64x2 => Some(MTy::F64),
            _ => None,
        }
    }

    /// The truth values of a comparison of vectors of this type.
    pub fn mask(self) -> Option<MTy> {
        match self {
            MTy::I32x4 | MTy::F32x4 => Some(MTy::I32x4),
            MTy::I64x2 | MTy::F64x2 => Some(MTy::I64x2),
            _ => None,
        }
    }
}

macro_rules! index {
    ($(#[$doc:meta] $name:ident)*) => {$(
        #[$doc]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);
    )*};
}

index! {
    /// A variable of a function.
    Var
    /// A basic block of a function.
    BlockId
    /// A function of the [`Module`].
    FnId
    /// A static text of the module.
    TextId
    /// A type descriptor of the module.
    DescId
    /// A method table of the module.
    VtableId
    /// A piece of zeroed, writable static memory: a module-level variable.
    StaticId
    /// A piece of constant static memory.
    BytesId
    /// A foreign function of the module.
    ExternId
    /// A place in the source, for messages and stack traces.
    SiteId
    /// Memory in a function's frame.
    SlotId
}

/// A whole program in the middle form.
#[derive(Debug, Default)]
pub struct Module {
    /// Functions, the compiled ones and the glue.
    pub funcs: Vec<Function>,
    /// Static texts; the backend lays each out as an immortal text object.
    pub texts: Vec<String>,
    /// Type descriptors.
    pub descs: Vec<Desc>,
    /// Method tables of trait objects: code addresses in method order.
    pub vtables: Vec<Vec<FnId>>,
    /// Those of them that an earlier piece of the session has made, with their addresses; they are empty here.
    pub kept_tables: FxHashMap<VtableId, usize>,
    /// Sizes in bytes of module-level variables (8-byte aligned, zeroed).
    pub statics: Vec<u32>,
    /// Constant memory, 8-byte aligned.
    pub bytes: Vec<Bytes>,
    /// Foreign functions.
    pub externs: Vec<Extern>,
    /// Places in the source.
    pub sites: Vec<Site>,
    /// `() -> I64` (may fail): initializers in order, then `main`; its result is the exit code.
    pub entry: Option<FnId>,
    /// `() -> I64`: releases module-level variables; only in a piece of a session, whose entry leaves them.
    pub release: Option<FnId>,
    /// What C calls by these names.
    pub exports: Vec<(String, FnId)>,
    /// The sites of calls after which the caller releases an argument on every path, which nothing else borrows from:
    /// the callee could own it. Each has a call of its own.
    pub hand_overs: FxHashSet<SiteId>,
    /// Whether it tells the runtime which foreign functions it calls.
    pub profiled: bool,
    /// Whether calls of plain C functions are guarded ([`simple_core::guard`]).
    pub guarded: bool,
    /// Whether it looks now and then whether it should stop ([`simple_core::interrupt`]), as a piece of a session does.
    pub watched: bool,
    /// The files whose lines it counts ([`simple_core::coverage`]).
    pub covered: Coverage,
}

/// Which lines a program counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Coverage {
    /// None.
    #[default]
    No,
    /// Those of its own modules.
    Program,
    /// Those of the library too.
    All,
}

/// Constant memory, in which words may be addresses.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Bytes {
    /// The content; addresses are zero here.
    pub content: Vec<u8>,
    /// The words that are addresses, by their offset.
    pub addresses: Vec<(u32, Address)>,
}

/// An address in constant memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Address {
    /// Of a static text object.
    Text(TextId),
    /// Of a type descriptor.
    Desc(DescId),
    /// Of other constant memory.
    Bytes(BytesId),
    /// Of a module-level variable.
    Static(StaticId),
}

impl From<Vec<u8>> for Bytes {
    fn from(content: Vec<u8>) -> Bytes {
        Bytes {
            content,
            addresses: Vec::new(),
        }
    }
}

impl Bytes {
    /// Makes it at least `size` bytes long.
    pub fn reserve(&mut self, size: usize) {
        self.content.resize(self.content.len().max(size), 0);
    }

    /// Writes bytes at `at`.
    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        self.reserve(at + bytes.len());
        self.content[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Lets the word at `at` be an address.
    pub fn refer(&mut self, at: usize, address: Address) {
        self.reserve(at + 8);
        self.addresses.push((at as u32, address));
    }
}

/// A type descriptor; becomes a [`simple_core::layout::TypeDesc`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Desc {
    /// The type's name.
    pub name: String,
    /// `(Ptr) -> ()`: destroys a dead object.
    pub destroy: Option<FnId>,
    /// Bytes from one array element, or one entry of a dict or set, to the next.
    pub stride: u32,
    /// `(Ptr data, I64 count) -> ()`: retains copied elements.
    pub retain_elements: Option<FnId>,
    /// Whether entries of a dict or set begin with a hash.
    pub stored_hash: bool,
    /// What objects hold ([`simple_core::parts`]); only in a program that starts threads.
    pub parts: Option<BytesId>,
    /// `(Ptr object, Ptr place)`: how one leaves its thread, if its class says.
    pub leave: Option<FnId>,
    /// `(I64 number, Ptr place)`: how it enters another.
    pub enter: Option<FnId>,
}

/// A foreign function as compiled code calls it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extern {
    /// The name in the program.
    pub name: String,
    /// The symbol.
    pub symbol: String,
    /// The library of `@Lib`.
    pub library: Option<String>,
    /// What a call of it does.
    pub kind: ExternKind,
    /// C parameters: texts and arrays are two, a pointer and a length.
    pub params: Vec<CParam>,
    /// C results: none, one scalar, or two for a buffer (pointer and length).
    pub results: Vec<CParam>,
    /// The declared Simple types, for comparison with the library's manifest when it is opened.
    pub declared: (Vec<String>, String),
    /// What the address is, if it is known before the program runs.
    pub address: Option<usize>,
    /// How a failure shows.
    pub failure: Failure,
    /// Whether its work takes far longer than a call, as that of an operator on tensors does.
    pub slow: bool,
    /// Whether it is there before the program runs and does nothing but compute one number from others, on any thread.
    pub pure: bool,
    /// The number of the function that computes it of many `f32` beside each other (`simple_core::curves`).
    pub curve: Option<u32>,
    /// The declaration.
    pub site: SiteId,
}

/// What a call of an [`Extern`] does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExternKind {
    /// Calls the function.
    Function,
    /// Calls the function, which takes a variable number of arguments: C wants to know how many of them are floats.
    Variadic {
        /// How many floats are passed.
        floats: u8,
    },
    /// Yields the address of a variable.
    Variable {
        /// Its size in bytes, as it is declared.
        size: u32,
    },
    /// Calls the function whose address is an argument that C does not get: the first one, or the one after the place
    /// of the result.
    Given,
}

/// A C scalar, or a struct on the stack; narrow integers are extended as their sign asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CParam {
    /// Its machine type.
    pub ty: MTy,
    /// Whether it is a signed integer.
    pub signed: bool,
    /// Bytes of a struct that is copied to the stack: the variable is its address. Otherwise 0.
    pub on_stack: u32,
}

impl CParam {
    /// A scalar.
    pub const fn new(ty: MTy, signed: bool) -> CParam {
        CParam {
            ty,
            signed,
            on_stack: 0,
        }
    }
}

/// How compiled code learns that a foreign function failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// It never does.
    Never,
    /// The result has these bits; then the pending message decides.
    Value(i64),
    /// The pending flag is looked at after every call.
    Flag,
}

impl Failure {
    /// That of a library's function; `value` are the bits that mean failure, where such bits do.
    pub fn of(failure: SffiFailure, value: i64) -> Failure {
        match failure {
            SffiFailure::Never => Failure::Never,
            SffiFailure::Value => Failure::Value(value),
            SffiFailure::Flag => Failure::Flag,
        }
    }
}

/// Takes the place of the function of a [`Site`] in glue and in the entry.
pub const NO_FUNCTION: FnId = FnId(u32::MAX);

/// A place in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// The function that contains it; [`NO_FUNCTION`] in compiler-generated code, which traces leave out.
    pub func: FnId,
    /// Where.
    pub span: simple_syntax::Span,
}

/// A function in the middle form.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name in stack traces and dumps.
    pub name: String,
    /// The type of every variable.
    pub vars: Vec<MTy>,
    /// The parameters.
    pub params: Vec<Var>,
    /// Result types.
    pub results: Vec<MTy>,
    /// Blocks; the first is the entry.
    pub blocks: Vec<Block>,
    /// Sizes of frame memory, 8-byte aligned.
    pub slots: Vec<u32>,
    /// Whether it can fail. `lower` sets it for every function that contains a fail edge ending in `Propagate`; a pass narrows it.
    pub can_fail: bool,
    /// Whether it is part of a recursion and so checks the stack at its entry. A destroyer then leaves its object for later where
    /// the stack is short; any other function fails.
    pub checks_stack: bool,
    /// Whether little is gained by good code for it, so that it is compiled as quickly as possible (`crate::passes`
    /// says which are).
    pub quick: bool,
    /// Whether it is a part of a function that was too large to stay whole (`crate::passes`).
    pub part: bool,
    /// How it is called.
    pub convention: Convention,
    /// For [`Convention::Callback`]: the parameters that are structs on C's stack, by number, with their bytes. The variable is the
    /// address there.
    pub on_stack: Vec<(usize, u32)>,
    /// Where it is declared.
    pub site: Option<SiteId>,
}

impl Function {
    /// One of which nothing is left but its name.
    pub fn bodiless(name: String) -> Function {
        Function {
            name,
            vars: Vec::new(),
            params: Vec::new(),
            results: Vec::new(),
            blocks: Vec::new(),
            slots: Vec::new(),
            can_fail: false,
            checks_stack: false,
            quick: false,
            part: false,
            convention: Convention::Simple,
            on_stack: Vec::new(),
            site: None,
        }
    }

    /// Whether it destroys objects that may be nested without bound.
    pub fn is_nesting_destroyer(&self) -> bool {
        self.checks_stack && self.convention == Convention::C
    }

    /// Whether a pass took its body because nothing calls it any more.
    pub fn is_empty(&self) -> bool {
        matches!(&self.blocks[..], [block] if block.insts.is_empty() && block.term == Term::Unreachable)
    }
}

/// A calling convention.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Convention {
    /// Between functions of the program; the backend chooses registers, and a failing function returns one more `I8`, 1 on failure.
    Simple,
    /// C, for what the runtime calls: `destroy`, `retain_elements`, and the entry. Never fails.
    C,
    /// C, for what foreign functions call by a thunk of [`simple_core::callback`]. On another thread, and while an error is recorded, it
    /// does nothing and returns zeros. Never fails: an error stays recorded.
    Callback {
        /// Bytes of a result that C wants at an address, the first parameter, which is the result then; otherwise 0.
        returned: u32,
    },
    /// C, for what a program calls that a library was made for. On another thread, and while an error is recorded, it
    /// does nothing and returns zeros. Never fails: an error is handed over ([`simple_core::export`]).
    Export {
        /// As for [`Convention::Callback`].
        returned: u32,
    },
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Instructions in order.
    pub insts: Vec<Inst>,
    /// How it ends.
    pub term: Term,
    /// Rarely executed: error paths.
    pub cold: bool,
}

/// Where to go when an instruction fails.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fail {
    /// What is recorded in the trace.
    pub site: SiteId,
    /// Where execution goes on.
    pub unwind: BlockId,
}

/// A constant. Two are equal if they have the same bits: every NaN is itself, and 0.0 is not -0.0.
#[derive(Clone, Copy, Debug)]
pub enum Const {
    /// An integer of the variable's width, or a null pointer.
    Int(i64),
    /// A float of the variable's width.
    Float(f64),
    /// The address of a static text object.
    Text(TextId),
    /// The address of a type descriptor.
    Desc(DescId),
    /// The address of an immortal empty array, dict or set with this descriptor.
    Empty(DescId),
    /// The address of an immortal closure object without captures, whose code is this function.
    Closure(FnId),
    /// The address of a function's code.
    Func(FnId),
    /// The address of a method table.
    Vtable(VtableId),
    /// The address of a module-level variable.
    Static(StaticId),
    /// The address of constant memory.
    Bytes(BytesId),
    /// The address of frame memory.
    Slot(SlotId),
    /// The number by which the runtime knows a place in the source.
    Site(SiteId),
}

impl Const {
    fn bits(&self) -> u64 {
        match *self {
            Const::Int(number) => number as u64,
            Const::Float(number) => number.to_bits(),
            Const::Text(TextId(id))
            | Const::Desc(DescId(id))
            | Const::Empty(DescId(id))
            | Const::Closure(FnId(id))
            | Const::Func(FnId(id))
            | Const::Vtable(VtableId(id))
            | Const::Static(StaticId(id))
            | Const::Bytes(BytesId(id))
            | Const::Slot(SlotId(id))
            | Const::Site(SiteId(id)) => id.into(),
        }
    }
}

impl PartialEq for Const {
    fn eq(&self, other: &Const) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other) && self.bits() == other.bits()
    }
}

impl Eq for Const {}

impl std::hash::Hash for Const {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        self.bits().hash(state);
    }
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Inst {
    /// `dst = constant`.
    Const(Var, Const),
    /// `dst = src`.
    Copy(Var, Var),
    /// `dst = a op b`.
    Bin(Var, BinOp, Var, Var),
    /// `dst = op a`.
    Un(Var, UnOp, Var),
    /// `dst = a op b`, an `I8`.
    Cmp(Var, CmpOp, Var, Var),
    /// `dst = convert(src)`.
    Conv(Var, ConvOp, Var),
    /// `dst = cond != 0 ? a : b`; of vectors by a vector of truth values.
    Select(Var, Var, Var, Var),
    /// `dst = a op b`, failing with [`ErrorKind::Overflow`]; the flag says signed.
    Checked(Var, CheckedOp, bool, Var, Var, Fail),
    /// Fails with the error and its two numbers unless `cond` is not 0.
    Check {
        /// What must hold.
        cond: Var,
        /// The error otherwise.
        error: ErrorKind,
        /// Its first number (`I64`), 0 if none.
        a: Option<Var>,
        /// Its second number (`I64`), 0 if none.
        b: Option<Var>,
        /// Where to go.
        fail: Fail,
    },
    /// `dst = *(base + offset)`.
    Load(Var, Var, i32),
    /// `*(base + offset) = src`; fields are base, offset, src.
    Store(Var, i32, Var),
    /// `dst = *(base + index * scale + offset)`; fields are dst, base, index (`I64`), scale, offset.
    LoadAt(Var, Var, Var, u32, i32),
    /// `*(base + index * scale + offset) = src`; fields are base, index, scale, offset, src.
    StoreAt(Var, Var, u32, i32, Var),
    /// `dst = base + index * scale + offset`, an address.
    AddrAt(Var, Var, Var, u32, i32),
    /// One more reference; the flag says that the pointer may be null.
    Retain(Var, bool),
    /// One reference less; destroys the object when none is left.
    Release(Var, Release),
    /// Calls a function of the module.
    Call {
        /// Results.
        dsts: Vec<Var>,
        /// The function.
        func: FnId,
        /// Arguments.
        args: Vec<Var>,
        /// Where to go when it fails; `None` when it cannot.
        fail: Option<Fail>,
    },
    /// Calls code by its address, with the `Simple` convention and assuming that it can fail.
    CallIndirect {
        /// Results.
        dsts: Vec<Var>,
        /// The code's address.
        code: Var,
        /// Arguments.
        args: Vec<Var>,
        /// Where to go when it fails.
        fail: Fail,
    },
    /// Calls a function of the runtime.
    CallRuntime {
        /// The result.
        dst: Option<Var>,
        /// The function.
        func: RtFn,
        /// Arguments.
        args: Vec<Var>,
        /// Where to go when it fails; `Some` exactly for functions that can.
        fail: Option<Fail>,
    },
    /// Calls a foreign function, binding it first if need be.
    CallExtern {
        /// C results.
        dsts: Vec<Var>,
        /// The function.
        func: ExternId,
        /// C arguments.
        args: Vec<Var>,
        /// Where to go when binding or the call fails.
        fail: Fail,
    },
    /// Always fails: records the error and goes to the edge. The block's terminator is then `Unreachable`.
    Raise(ErrorKind, Fail),
    /// Always fails with a panic message (a text, borrowed).
    Panic(Var, Fail),
}

/// How a reference is released.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Release {
    /// The destructor when the type is known; otherwise the descriptor's.
    pub destroy: Option<FnId>,
    /// Whether the destructor is the runtime's for texts (then `destroy` is `None`).
    pub text: bool,
    /// Whether the pointer may be null.
    pub nullable: bool,
}

/// How a block ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    /// Goes to a block.
    Jump(BlockId),
    /// Goes to the first block if the variable is not 0, otherwise to the second.
    Branch(Var, BlockId, BlockId),
    /// Goes to the block of the equal case, otherwise to the last one.
    Switch(Var, Vec<(i64, BlockId)>, BlockId),
    /// Returns.
    Return(Vec<Var>),
    /// Returns with the recorded error.
    Propagate,
    /// Returns with the recorded error, and still returns the last results (as many as are given; those before them
    /// are zero): an inout method whose `self` goes back to its place also when it fails. Callers rely on the `dsts` of a
    /// failing call of such a function, so a call assigns them before it branches on the failure.
    PropagateWith(Vec<Var>),
    /// Never reached.
    Unreachable,
}

/// The machine type of a runtime function's scalar.
pub fn kind_mty(kind: simple_core::table::Kind) -> MTy {
    use simple_core::table::Kind;
    match kind {
        Kind::I8 => MTy::I8,
        Kind::I32 => MTy::I32,
        Kind::I64 => MTy::I64,
        Kind::F32 => MTy::F32,
        Kind::F64 => MTy::F64,
        Kind::Ptr => MTy::Ptr,
    }
}

#[cfg(test)]
mod tests {
    use super::Const;
    use std::collections::HashSet;

    #[test]
    fn floats_are_the_same_constant_if_their_bits_are() {
        let nans = [0x7ff8_0000_0000_0000, 0x7ff8_0000_0000_0001].map(f64::from_bits);
        let floats = [0.0, -0.0, 1.0, nans[0], nans[1]].map(Const::Float);
        for (at, float) in floats.iter().enumerate() {
            let same = floats.iter().filter(|other| *other == float).count();
            assert_eq!(same, 1, "{at}");
        }
        let all: HashSet<Const> = floats.into_iter().chain(floats).collect();
        assert_eq!(all.len(), floats.len());
        assert_ne!(Const::Int(0), Const::Float(0.0));
    }
}
