//! A compiled program: it runs, binds foreign functions when they are first called, and says how it ended.
//!
//! [`Executable`] owns all memory of the program and frees it as a whole.
//! Libraries are the binder's, which outlives the executable; no library is unloaded here.
//!
//! Leaves out how an error is shown (the command line's part) and how libraries are found: a [`Binder`] finds them.
//! Next: `trace.rs` for stack traces, `running.rs` for which calls are running.

#![allow(unsafe_code, reason = "calls compiled code through its address")]

use crate::form::{Entry, First, Image};
use crate::host;
use crate::late::{self, Late};
use crate::place::{PlaceError, Placed};
use crate::threads::{self, BinderMaker, Original};
use crate::trace::{Frame, Trace};
use simple_core::error::Place as SourcePlace;
use simple_middle::mir::{Const, Extern, ExternId, Failure, NO_FUNCTION, Site, StaticId};
use simple_syntax::SourceMap;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// A foreign function that was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoundExtern {
    /// Its address.
    pub address: usize,
    /// How its library says that it fails. Code compiled for [`Failure::Flag`] works with every kind.
    pub failure: Failure,
}

/// Finds foreign functions when they are first called.
pub trait Binder {
    /// Finds the function, opening libraries if need be.
    ///
    /// # Errors
    ///
    /// A message for the user: the symbol, every place that was searched, or how the declaration is wrong.
    fn bind(&self, ext: &Extern) -> Result<BoundExtern, String>;

    /// What makes such a binder on another thread of the program; `None` where that cannot be.
    fn for_thread(&self) -> Option<BinderMaker> {
        None
    }
}

/// How a program ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// With this exit code.
    Exit(i64),
    /// With an error that nothing caught.
    Error(RuntimeFailure),
}

/// An error of a running program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuntimeFailure {
    /// What happened.
    pub message: String,
    /// Where: the failing place first, then its callers.
    pub trace: Trace,
    /// Whether it is an interruption by Ctrl-C.
    pub interrupted: bool,
}

/// A program in memory. It belongs to the thread that made it: its code refers to that thread's error and stack limit.
pub struct Executable {
    pub(super) shared: Rc<Shared>,
    entry: Entry,
    /// The function that releases the variables of a piece.
    release: Option<Entry>,
    /// What it is copied from for its threads, if it can start any.
    original: Option<Arc<Original>>,
}

/// What binding needs while the program runs.
pub(super) struct Shared {
    pub(super) placed: RefCell<Placed>,
    /// What is not in `placed`.
    pub(super) image: Image,
    pub(super) sources: Arc<SourceMap>,
    binder: Box<dyn Binder>,
}

/// What an entry returns in its two integer result registers.
#[repr(C)]
struct Returned {
    first: i64,
    second: i64,
}

impl std::fmt::Debug for Executable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Executable")
            .field("entry", &self.entry)
            .finish_non_exhaustive()
    }
}

impl Executable {
    /// Puts a program into memory. Must be called on the thread that runs it.
    ///
    /// # Errors
    ///
    /// [`PlaceError`]; never because of a mistake in the user's program.
    pub fn new(
        image: Image,
        sources: Arc<SourceMap>,
        binder: Box<dyn Binder>,
    ) -> Result<Executable, PlaceError> {
        let original = threads::original(&image, &sources, &*binder);
        let executable = Executable::new_copy(image, sources, binder)?;
        Ok(Executable {
            original,
            ..executable
        })
    }

    /// The same for a copy that runs on another thread, from which no further ones are made.
    pub(super) fn new_copy(
        mut image: Image,
        sources: Arc<SourceMap>,
        binder: Box<dyn Binder>,
    ) -> Result<Executable, PlaceError> {
        let placed = Placed::new(&mut image)?;
        let (entry, release) = (image.entry, image.release);
        let shared = Shared {
            placed: RefCell::new(placed),
            image,
            sources,
            binder,
        };
        Ok(Executable {
            shared: Rc::new(shared),
            entry,
            release,
            original: None,
        })
    }

    /// The addresses of its code and data.
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.shared.placed.borrow().range()
    }

    /// Bytes of machine code.
    pub fn code_size(&self) -> usize {
        self.shared.placed.borrow().code_size()
    }

    /// Runs the program from its entry to its end.
    pub fn run(&self) -> Outcome {
        let alone = Family::default();
        alone.add(Rc::clone(&self.shared));
        match &self.original {
            None => self.call_with(self.entry, &alone, |program| {
                simple_core::cross::set_program(self.range());
                let returned = program();
                simple_core::cross::set_program(0..0);
                returned
            }),
            Some(original) => {
                let copies = Arc::clone(original) as Arc<dyn simple_core::world::Copies>;
                self.call_with(self.entry, &alone, |program| {
                    simple_core::world::running(copies, self.range(), program)
                })
            }
        }
    }

    /// Runs the entry of a library, whose exports may be called from then on whenever C likes. It must not be dropped.
    pub fn start(&self) -> Outcome {
        let family = Family::default();
        family.add(Rc::clone(&self.shared));
        let (binding, locating) = (family.clone(), family.clone());
        host::keep(
            Box::new(move |index| binding.bind(index)),
            Box::new(move |sites| locating.place(sites)),
            Box::new(family.clone()),
        );
        self.outcome(self.enter(self.entry), self.entry, &family)
    }

    /// The addresses of what C calls, in the order of the exports.
    pub fn exports(&self) -> Vec<usize> {
        let placed = self.shared.placed.borrow();
        let exports = self.shared.image.exports.iter();
        exports.map(|(_, func)| placed.function(*func)).collect()
    }

    /// The error that a function which C called has recorded.
    pub fn failure(&self) -> Option<RuntimeFailure> {
        let family = Family::default();
        family.add(Rc::clone(&self.shared));
        host::take_error().map(|error| failure(error, &family))
    }

    /// Runs the entry, or the function that releases the variables if `release`, among other modules whose code it
    /// may reach.
    pub(super) fn run_among(&self, family: &Family, release: bool) -> Outcome {
        match (release, self.release) {
            (false, _) => self.call(self.entry, family),
            (true, Some(release)) => self.call(release, family),
            (true, None) => Outcome::Exit(0),
        }
    }

    /// The address of a constant of the module that is memory.
    pub(super) fn address_of(&self, constant: Const) -> Option<usize> {
        let offset = self.shared.image.data.offset(constant)?;
        Some(self.shared.placed.borrow().data().addr() + offset)
    }

    /// A byte of static memory of the module.
    pub(super) fn static_byte(&self, id: StaticId, offset: i32) -> Option<u8> {
        let home = self.shared.image.data.statics.get(id.0 as usize)?;
        let offset = u32::try_from(offset)
            .ok()
            .filter(|&offset| offset < home.size)?;
        let data = self.shared.placed.borrow().data();
        // SAFETY: the image placed that many bytes of the static inside the data, and no compiled code runs now.
        Some(unsafe { data.add((home.at + offset) as usize).read() })
    }

    fn call(&self, entry: Entry, family: &Family) -> Outcome {
        self.call_with(entry, family, |program| program())
    }

    /// The same by `run`, which calls what it is given once.
    fn call_with(
        &self,
        entry: Entry,
        family: &Family,
        run: impl FnOnce(&mut dyn FnMut() -> Returned) -> Returned,
    ) -> Outcome {
        let (binding, locating) = (family.clone(), family.clone());
        let returned = host::running(
            Box::new(move |index| binding.bind(index)),
            Box::new(move |sites| locating.place(sites)),
            Box::new(family.clone()),
            || {
                let mut returned = run(&mut || self.enter(entry));
                // What failed after the entry had ended.
                if simple_core::error::is_pending() && entry.has_status {
                    match entry.has_result {
                        true => returned.second = 1,
                        false => returned.first = 1,
                    }
                }
                returned
            },
        );
        self.outcome(returned, entry, family)
    }

    fn enter(&self, entry: Entry) -> Returned {
        let address = self.shared.placed.borrow().function(entry.func);
        // SAFETY: who made the image checked that the function has no parameters and at most one integer result
        // and a status, which the C convention returns in the two registers of `Returned`. A register that the
        // function leaves alone holds some integer, and `has_result` and `has_status` keep it from being looked
        // at. The code lives in `self.shared`.
        unsafe {
            let code: extern "C" fn() -> Returned =
                std::mem::transmute(std::ptr::with_exposed_provenance::<()>(address));
            code()
        }
    }

    fn outcome(&self, returned: Returned, entry: Entry, family: &Family) -> Outcome {
        let (result, status) = match (entry.has_result, entry.has_status) {
            (true, true) => (returned.first, returned.second as u8),
            (true, false) => (returned.first, 0),
            (false, true) => (0, returned.first as u8),
            (false, false) => (0, 0),
        };
        if status == 0 {
            return Outcome::Exit(result);
        }
        let error = host::take_error().unwrap_or_else(|| simple_core::error::RuntimeError {
            message: "internal error: a failure without a message".into(),
            ..Default::default()
        });
        Outcome::Error(failure(error, family))
    }
}

fn failure(error: simple_core::error::RuntimeError, family: &Family) -> RuntimeFailure {
    let trace = Trace::of(&error.sites, |site| family.frame(site));
    RuntimeFailure {
        message: error.message,
        trace,
        interrupted: error.interrupted,
    }
}

impl Shared {
    pub(super) fn first(&self) -> First {
        self.image.first
    }

    /// The numbers that the next module may begin with.
    pub(super) fn next(&self) -> First {
        First {
            site: self.first().site + self.image.sites.len() as u32,
            foreign: self.first().foreign + self.image.externs.len() as u32,
        }
    }

    /// Binds foreign function `index`.
    fn bind(&self, index: i32) -> Result<(), String> {
        let index = (index as u32).wrapping_sub(self.first().foreign);
        let ext = self
            .image
            .externs
            .get(index as usize)
            .ok_or("internal error: no such foreign function")?;
        let failed = if let Failure::Value(bits) = ext.failure {
            bits
        } else {
            0
        };
        late::note(Late { address: 0, failed });
        let bound = self.binder.bind(ext)?;
        if !fits(ext.failure, bound.failure) {
            return Err(format!(
                "internal error: `{}` was compiled to fail as {:?}, but its library says {:?}",
                ext.name, ext.failure, bound.failure
            ));
        }
        let mut placed = self.placed.borrow_mut();
        // SAFETY: this copy of the program runs on one thread, which is in `rt_bind_extern` now. The binder compared the signature
        // with the manifest, or the declaration is trusted where there is none.
        let goes_on = unsafe { placed.bind(ExternId(index), ext.kind, bound.address) };
        let goes_on = goes_on.map_err(|error| {
            format!(
                "cannot call `{}`: the system does not let code be changed: {error}",
                ext.name
            )
        })?;
        let flag = self.image.data.bound + index;
        // SAFETY: the image placed the flag inside the data, which is writable and accessed by compiled code alone.
        unsafe { placed.data().add(flag as usize).write(1) };
        late::note(Late {
            address: goes_on,
            failed,
        });
        Ok(())
    }

    /// What the runtime knows by this number.
    pub(super) fn site(&self, number: i32) -> Option<&Site> {
        self.image.site(number as u32)
    }

    /// A place of the trace in the source.
    pub(super) fn frame(&self, site: i32) -> Option<Frame> {
        let site = self.site(site)?;
        let function = self.image.names.get(site.func.0 as usize)?.clone();
        let position = self.sources.position(site.span);
        let path = self.sources.file(site.span.file).path.clone();
        Some(Frame {
            function,
            path,
            line: position.line,
            column: position.column,
        })
    }
}

/// Modules that run together, each of which may be on the stack while another runs. Clones are the same family.
#[derive(Clone, Default)]
pub(super) struct Family(pub(super) Rc<RefCell<Vec<Rc<Shared>>>>);

impl Family {
    pub(super) fn add(&self, module: Rc<Shared>) {
        self.0.borrow_mut().push(module);
    }

    /// The numbers that the next module may begin with.
    pub(super) fn next(&self) -> First {
        self.0
            .borrow()
            .last()
            .map_or_else(First::default, |last| last.next())
    }

    /// Binds the foreign function of this number.
    pub(super) fn bind(&self, index: i32) -> Result<(), String> {
        let number = index as u32;
        let owner = self
            .0
            .borrow()
            .iter()
            .find(|module| (module.first().foreign..module.next().foreign).contains(&number))
            .cloned();
        owner
            .ok_or("internal error: no such foreign function")?
            .bind(index)
    }

    /// Where an error with these sites arose as the program sees it: the innermost place outside of the library.
    pub(super) fn place(&self, sites: &[i32]) -> SourcePlace {
        let modules = self.0.borrow();
        let places = || {
            sites.iter().filter_map(|site| {
                let module = modules.iter().find(|module| module.site(*site).is_some())?;
                let site = module.site(*site)?;
                (site.func != NO_FUNCTION).then_some((module, site.span))
            })
        };
        let own = places().find(|(module, span)| !module.sources.file(span.file).library);
        let Some((module, span)) = own.or_else(|| places().next()) else {
            return SourcePlace::default();
        };
        SourcePlace {
            file: module.sources.file(span.file).path.clone(),
            line: module.sources.position(span).line,
        }
    }

    /// A place of the trace in the source.
    fn frame(&self, site: i32) -> Option<Frame> {
        let modules = self.0.borrow();
        modules
            .iter()
            .find(|module| module.site(site).is_some())?
            .frame(site)
    }
}

/// Whether code that detects failures by `compiled` notices those of a function that reports them by `bound`.
fn fits(compiled: Failure, bound: Failure) -> bool {
    compiled == bound || compiled == Failure::Flag || bound == Failure::Never
}
