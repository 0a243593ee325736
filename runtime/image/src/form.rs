//! The form of a compiled program: bytes of machine code and data, and what is needed to put them anywhere.
//!
//! ```text
//! text  | functions | stubs of what is outside | thunks |        written once, then only run
//! data  | words of the process | variables | constants |         DATA_AT bytes after the text, and written
//! ```
//!
//! Code refers to other code of the program and to the data by distances, which hold wherever both are. What remains
//! are two lists: places in the text that refer to functions [`Outside`], and words of the data that hold addresses.
//! So an image is the same for every process that runs it. `simple_codegen` makes one, `place/` puts it into memory.

use simple_core::table::RtFn;
use simple_middle::mir::{Const, Extern, ExternId, FnId, Site, SiteId, StaticId, VtableId};

/// Functions begin at multiples of this, so that their first instructions are fetched together.
pub const FUNCTION_ALIGNMENT: usize = 32;

/// Bytes of a stub, and of a thunk: both have multiples of this as their places.
pub const STUB: usize = 16;

/// The data begins at a multiple of this after the start of the text, so that no page has both: the largest page of
/// the supported machines.
const DATA_ALIGNMENT: usize = 64 << 10;

/// A compiled program, or a piece of one.
#[derive(Clone, Debug)]
pub struct Image {
    /// Machine code. What `relocations`, `stubs` and `thunks` name is written when it gets a place.
    pub text: Vec<u8>,
    /// Where the code of each function begins.
    pub functions: Vec<u32>,
    /// Places in the text that refer to functions outside of it, in order.
    pub relocations: Vec<Relocation>,
    /// Where in the text the stub of each function outside is.
    pub stubs: Vec<(Outside, u32)>,
    /// Where the thunks of `late` begin; not used where there are none.
    pub thunks: u32,
    /// The foreign functions that are found when they are first called, in order, each with its stub.
    pub late: Vec<(ExternId, u32)>,
    /// Every call, in the order of addresses.
    pub calls: Vec<CallPlace>,
    /// What calls were inlined from.
    pub callers: Vec<Caller>,
    /// The data.
    pub data: Data,
    /// Names of the functions.
    pub names: Vec<String>,
    /// Foreign functions.
    pub externs: Vec<Extern>,
    /// Places in the source.
    pub sites: Vec<Site>,
    /// The numbers by which the code knows them, in order; where there are none, they are numbered from `first`.
    pub numbers: Vec<u32>,
    /// Where it begins.
    pub entry: Entry,
    /// The function that releases the variables of a piece.
    pub release: Option<Entry>,
    /// What C calls by these names.
    pub exports: Vec<(String, FnId)>,
    /// The numbers of its first site and its first foreign function.
    pub first: First,
}

impl Image {
    /// The distance from the start of the text to the start of the data.
    pub fn data_at(&self) -> usize {
        data_at(self.text.len())
    }

    /// The number by which the runtime knows a site.
    pub fn number_of_site(&self, site: SiteId) -> u32 {
        let own = self.numbers.get(site.0 as usize).copied();
        own.unwrap_or(self.first.site + site.0)
    }

    /// The site that the runtime knows by a number.
    pub fn site(&self, number: u32) -> Option<&Site> {
        let place = match self.numbers[..] {
            [] => number.checked_sub(self.first.site)? as usize,
            _ => self.numbers.binary_search(&number).ok()?,
        };
        self.sites.get(place)
    }
}

/// The distance from the start of a text of this length to the start of the data.
pub fn data_at(text: usize) -> usize {
    text.next_multiple_of(DATA_ALIGNMENT)
}

/// Data of a program before it has an address.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// The first bytes; what follows up to `size` is zero.
    pub bytes: Vec<u8>,
    /// Size of all of it.
    pub size: usize,
    /// Words that hold the address of another place of the data: where the word is, and the other place.
    pub own: Vec<(u32, u32)>,
    /// Words that hold the address of a function.
    pub code: Vec<(u32, FnId)>,
    /// Words that hold the address of the descriptor of texts.
    pub text_descriptors: Vec<u32>,
    /// Where each static is.
    pub statics: Vec<StaticHome>,
    /// Where each method table is.
    pub vtables: Vec<u32>,
    /// Where the bytes begin that tell which foreign functions are bound.
    pub bound: u32,
}

/// Memory of a module-level variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StaticHome {
    /// Where it begins.
    pub at: u32,
    /// Its bytes.
    pub size: u32,
}

impl Data {
    /// The offset of a static or a method table.
    pub fn offset(&self, constant: Const) -> Option<usize> {
        match constant {
            Const::Static(StaticId(id)) => Some(self.statics.get(id as usize)?.at as usize),
            Const::Vtable(VtableId(id)) => self.vtables.get(id as usize).map(|&at| at as usize),
            _ => None,
        }
    }
}

/// Numbers that a module's sites and foreign functions begin with, so that those of several modules do not clash.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct First {
    /// Added to every site.
    pub site: u32,
    /// Added to every foreign function.
    pub foreign: u32,
}

/// How a function is called that the process calls itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Which one.
    pub func: FnId,
    /// Whether it returns an integer.
    pub has_result: bool,
    /// Whether it returns a status after that.
    pub has_status: bool,
}

/// A place in the text that refers to something outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// Where, from the start of the text.
    pub at: u32,
    /// How the address is written there.
    pub kind: RelocationKind,
    /// Whose address.
    pub target: Outside,
    /// Added to the address.
    pub addend: i32,
}

/// How an address is written into machine code. The formats are those of the ELF supplements of both architectures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelocationKind {
    /// Eight bytes, the address itself.
    Absolute8,
    /// x86-64: four bytes, the distance from their place.
    Relative4,
    /// aarch64: 26 bits of a call, the distance in instructions.
    ArmCall,
    /// aarch64: 21 bits of `adrp`, the distance in pages.
    ArmPage,
    /// aarch64: 12 bits of `add`, the place in a page.
    ArmPageOffset,
}

/// A function that is not the program's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outside {
    /// A function of the runtime.
    Runtime(RtFn),
    /// A foreign function.
    Extern(ExternId),
    /// What Cranelift calls on machines without an instruction for it.
    Helper(Helper),
}

/// Functions that replace instructions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are those of C's functions")]
pub enum Helper {
    FloorF32,
    FloorF64,
    CeilF32,
    CeilF64,
    TruncF32,
    TruncF64,
    NearestF32,
    NearestF64,
    FmaF32,
    FmaF64,
    Memcpy,
}

/// Where a call returns to, and which call it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallPlace {
    /// From the start of the text.
    pub returns_to: u32,
    /// From the stack pointer during the call to the saved frame pointer, in bytes.
    pub frame: u32,
    /// Where it is in the source, if it can fail.
    pub site: Option<SiteId>,
    /// The number of the caller that it was inlined from.
    pub inlined: Option<u32>,
    /// The foreign function that is called.
    pub foreign: Option<ExternId>,
}

/// A call whose function was inlined: of the place of a call it is the next one outwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caller {
    /// Where it is.
    pub site: SiteId,
    /// The number of the call that its function was inlined from in turn, if there is one.
    pub next: Option<u32>,
}

impl Caller {
    /// The same where the numbers begin with `first`.
    pub fn moved(self, first: u32) -> Caller {
        let next = self.next.map(|next| first + next);
        Caller { next, ..self }
    }
}
