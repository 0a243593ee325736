//! What a program's profile is made of: calls of foreign functions, layers, and parts that the program names, with their times.
//!
//! Code that is compiled to be profiled tells when it calls a foreign function and when `forward` of a layer begins and ends; other code does
//! not contain these calls and pays nothing. The line is read from the stack (`frames.rs`) before the clock is. libtorch's own view, the
//! operators, comes from the torch library, which [`set_torch`] makes known when it is opened.
//!
//! Recordings may overlap: each is a stretch of one list of spans, so a program that is profiled as a whole can profile a part of itself. Next:
//! `simple_profile`, which adds up and shows.

use crate::error::guard;
use crate::frames;
use crate::layout::{ARRAY_DATA, ArrayObject, Header};
use crate::text;
use rustc_hash::FxHashMap;
use simple_ffi_abi::SffiBuffer;
use simple_profile::{Layer, Place, Profile, Recording, Span, SpanKind, Torch};
use std::cell::{Cell, RefCell};

/// What the torch library has for profiles.
#[derive(Clone, Copy, Debug)]
pub struct TorchProfiler {
    /// Begins to record operators, with the shapes of their inputs if asked for.
    pub start: unsafe extern "C" fn(u8),
    /// The operators that began at this time or later, as text.
    pub take: unsafe extern "C" fn(i64) -> SffiBuffer,
    /// Ends it and forgets everything.
    pub stop: unsafe extern "C" fn(),
}

/// A span that has begun.
struct Open {
    kind: SpanKind,
    name: u32,
    stack: u32,
    layer: u32,
    start: u64,
    cost: u32,
}

/// A layer whose `forward` runs.
struct Running {
    object: usize,
    /// Its class as compiled code describes it.
    class: *const Header,
    layer: u32,
    /// Whether it calls itself, as `call` calls `forward`: then it has no span.
    again: bool,
}

#[derive(Default)]
struct Recorder {
    recordings: u32,
    spans: Vec<Span>,
    open: Vec<Open>,
    layers: Vec<Running>,
    /// The name of the layer that is called next.
    next_layer: Option<String>,
    names: Vec<String>,
    name_of: FxHashMap<String, u32>,
    foreign: FxHashMap<i32, u32>,
    stacks: Vec<Vec<Place>>,
    stack_of: FxHashMap<Vec<i32>, u32>,
    known_layers: Vec<Layer>,
    layer_of: FxHashMap<(u32, String, *const Header), u32>,
    sites: Vec<i32>,
    dropped: u64,
}

thread_local! {
    static ON: Cell<bool> = const { Cell::new(false) };
    static SHAPES: Cell<bool> = const { Cell::new(false) };
    static RECORDER: RefCell<Recorder> = RefCell::default();
    static TORCH: Cell<Option<TorchProfiler>> = const { Cell::new(None) };
    /// Finished recordings by their handles, which are their places and 1.
    static PROFILES: RefCell<Vec<Option<Profile>>> = const { RefCell::new(Vec::new()) };
}

/// More spans than this are counted and not kept: about a gigabyte.
const MOST_SPANS: usize = 20_000_000;
/// Calls of the program that are noted for a line; those further out are left out.
const MOST_SITES: usize = 64;

/// Nanoseconds of the clock that libtorch's side reads too.
fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it writes into `time`, which is there.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

impl Recorder {
    fn name(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.name_of.get(name) {
            return known;
        }
        let index = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.name_of.insert(name.to_owned(), index);
        index
    }

    fn foreign(&mut self, number: i32) -> u32 {
        if let Some(&known) = self.foreign.get(&number) {
            return known;
        }
        let mut name = String::new();
        if let Some(map) = frames::map() {
            map.write_foreign(number, &mut name);
        }
        let index = self.name(&name);
        self.foreign.insert(number, index);
        index
    }

    /// The lines of the program that are running.
    fn stack(&mut self) -> u32 {
        let Some(map) = frames::map() else {
            return self.known_stack(None);
        };
        let mut sites = std::mem::take(&mut self.sites);
        sites.clear();
        frames::own_sites(map, |site| {
            sites.push(site);
            sites.len() < MOST_SITES
        });
        self.sites = sites;
        self.known_stack(Some(map))
    }

    /// The number of the stack in `sites`.
    fn known_stack(&mut self, map: Option<&dyn frames::CodeMap>) -> u32 {
        if let Some(&known) = self.stack_of.get(&self.sites) {
            return known;
        }
        let place = |site: &i32| {
            let (function, file, line) = map?.place(*site)?;
            Some(Place {
                function,
                file,
                line,
            })
        };
        let places: Vec<Place> = self.sites.iter().filter_map(place).collect();
        let index = self.stacks.len() as u32;
        self.stacks.push(places);
        self.stack_of.insert(self.sites.clone(), index);
        index
    }

    fn layer(&self) -> u32 {
        self.layers.last().map_or(0, |running| running.layer)
    }

    fn begin(&mut self, kind: SpanKind, name: u32, stack: u32, layer: u32, since: u64) {
        let start = now();
        self.open.push(Open {
            kind,
            name,
            stack,
            layer,
            start,
            cost: (start - since) as u32,
        });
    }

    /// Ends the innermost span of this kind; those inside it that an error left open end with it.
    fn end(&mut self, kind: SpanKind) {
        let end = now();
        let Some(at) = self.open.iter().rposition(|open| open.kind == kind) else {
            return;
        };
        for open in self.open.drain(at..).rev() {
            if self.spans.len() >= MOST_SPANS {
                self.dropped += 1;
                continue;
            }
            self.spans.push(Span {
                kind: open.kind,
                name: open.name,
                stack: open.stack,
                layer: open.layer,
                start: open.start,
                end,
                cost: open.cost,
            });
        }
        if let Some(last) = self.spans.last_mut() {
            last.cost = last.cost.saturating_add((now() - end) as u32);
        }
    }

    /// A layer inside the one that runs, or an outermost one.
    ///
    /// # Safety
    /// `object` is a live object of the class that `class`, a live text, describes.
    unsafe fn enter_layer(&mut self, object: *const Header, class: *const Header) {
        let since = now();
        let named = self.next_layer.take();
        let outer = self.layers.last();
        let again = outer.is_some_and(|outer| outer.object == object.addr());
        if again {
            let layer = self.layer();
            self.layers.push(Running {
                object: object.addr(),
                class,
                layer,
                again,
            });
            return;
        }
        // SAFETY: the caller's contract.
        let class_name = unsafe { text::as_str(class) }.lines().next().unwrap_or("");
        let (around, name) = match outer {
            Some(outer) => {
                // SAFETY: compiled code keeps the outer layer alive while its `forward` runs.
                let field = unsafe { field_of(outer.object, outer.class, object.addr()) };
                (outer.layer, field.or(named))
            }
            None => (0, named),
        };
        let name = name.unwrap_or_else(|| class_name.to_owned());
        let key = (around, name, class);
        let layer = match self.layer_of.get(&key) {
            Some(&known) => known,
            None => {
                if self.known_layers.is_empty() {
                    self.known_layers.push(Layer::default());
                }
                let path = match self.known_layers[around as usize].path.as_str() {
                    "" => key.1.clone(),
                    outer => format!("{outer}.{}", key.1),
                };
                let class = class_name.to_owned();
                self.known_layers.push(Layer { path, class });
                let layer = self.known_layers.len() as u32 - 1;
                self.layer_of.insert(key, layer);
                layer
            }
        };
        self.layers.push(Running {
            object: object.addr(),
            class,
            layer,
            again,
        });
        self.begin(SpanKind::Layer, 0, u32::MAX, layer, since);
    }
}

/// The field of a layer that holds another one: its name, with the place in an array (`blocks.0`).
///
/// The description of a class has its name in the first line, then `OFFSET NAME` for a field that is an object, and `OFFSET STRIDE NAME` for an
/// array of objects. An array whose name is missing has its elements named by their places alone, as those of `Sequential` are.
///
/// # Safety
/// `object` is the address of a live object of the class that `class`, a live text, describes.
unsafe fn field_of(object: usize, class: *const Header, wanted: usize) -> Option<String> {
    // SAFETY: the caller's contract; offsets are those of the object's own fields.
    let word = |offset: usize| unsafe {
        std::ptr::with_exposed_provenance::<usize>(object + offset).read()
    };
    // SAFETY: the caller's contract.
    for line in unsafe { text::as_str(class) }.lines().skip(1) {
        let mut parts = line.splitn(3, ' ');
        let offset: usize = parts.next()?.parse().ok()?;
        let second = parts.next()?;
        let Some(name) = parts.next() else {
            if word(offset) == wanted {
                return Some(second.to_owned());
            }
            continue;
        };
        let stride: usize = second.parse().ok()?;
        let array = word(offset);
        if array == 0 {
            continue;
        }
        let array = std::ptr::with_exposed_provenance::<ArrayObject>(array);
        // SAFETY: a field of an array type holds a live array or null.
        let count = unsafe { (*array).len } as usize;
        for index in 0..count {
            let at = array.addr() + ARRAY_DATA as usize + index * stride;
            // SAFETY: the array has that many elements of `stride` bytes, which begin with a pointer.
            if unsafe { std::ptr::with_exposed_provenance::<usize>(at).read() } == wanted {
                let place = match name {
                    "" => index.to_string(),
                    name => format!("{name}.{index}"),
                };
                return Some(place);
            }
        }
    }
    None
}

fn record(change: impl FnOnce(&mut Recorder)) {
    if ON.get() {
        guard((), || {
            RECORDER.with(|recorder| change(&mut recorder.borrow_mut()));
        });
    }
}

/// A foreign function is about to be called.
pub extern "C" fn rt_profile_enter(foreign: i32) {
    record(|recorder| {
        let since = now();
        let (name, stack) = (recorder.foreign(foreign), recorder.stack());
        let layer = recorder.layer();
        recorder.begin(SpanKind::Call, name, stack, layer, since);
    });
}

/// It has returned.
pub extern "C" fn rt_profile_leave() {
    record(|recorder| recorder.end(SpanKind::Call));
}

/// The program has this name for the layer whose `forward` it calls next.
///
/// # Safety
/// `name` is a live text.
pub unsafe extern "C" fn rt_layer_name(name: *const Header) {
    // SAFETY: the caller's contract.
    record(|recorder| recorder.next_layer = Some(unsafe { text::as_str(name) }.to_owned()));
}

/// `forward` of a layer begins.
///
/// # Safety
/// `object` is a live object of the class that the live text `class` describes.
pub unsafe extern "C" fn rt_layer_enter(object: *const Header, class: *const Header) {
    // SAFETY: the caller's contract.
    record(|recorder| unsafe { recorder.enter_layer(object, class) });
}

/// It has ended.
pub extern "C" fn rt_layer_leave() {
    record(|recorder| {
        if let Some(running) = recorder.layers.pop()
            && !running.again
        {
            recorder.end(SpanKind::Layer);
        }
    });
}

/// A part of the program begins that it calls `name`.
pub(crate) fn begin_label(name: &str) {
    record(|recorder| {
        let since = now();
        let (name, stack) = (recorder.name(name), recorder.stack());
        let layer = recorder.layer();
        recorder.begin(SpanKind::Label, name, stack, layer, since);
    });
}

/// The innermost such part has ended.
pub(crate) fn end_label() {
    record(|recorder| recorder.end(SpanKind::Label));
}

/// A foreign function is found, for which its library may have to be opened; until this is dropped.
pub(crate) struct Binding;

impl Drop for Binding {
    fn drop(&mut self) {
        record(|recorder| recorder.end(SpanKind::Opening));
    }
}

/// Notes that a foreign function is being found.
pub(crate) fn binding() -> Binding {
    record(|recorder| {
        let since = now();
        let (name, layer) = (recorder.name("(opening libraries)"), recorder.layer());
        recorder.begin(SpanKind::Opening, name, u32::MAX, layer, since);
    });
    Binding
}

/// Makes the torch library known, which has just been opened.
pub fn set_torch(profiler: TorchProfiler) {
    TORCH.set(Some(profiler));
    if ON.get() {
        // SAFETY: the library says that this is its function.
        unsafe { (profiler.start)(SHAPES.get().into()) };
    }
}

/// Begins a recording, with the shapes of operators' inputs if asked for (one inside of another has what the outer one has); yields when
/// it begins, by which [`stop`] knows it.
pub fn start(shapes: bool) -> i64 {
    RECORDER.with(|recorder| {
        let mut recorder = recorder.borrow_mut();
        if recorder.recordings == 0 {
            *recorder = Recorder::default();
            SHAPES.set(shapes);
            if let Some(torch) = TORCH.get() {
                // SAFETY: as in `set_torch`.
                unsafe { (torch.start)(shapes.into()) };
            }
        }
        recorder.recordings += 1;
    });
    ON.set(true);
    now() as i64
}

/// Ends the recording that began at `mark`; yields a handle of its profile.
pub fn stop(mark: i64) -> i64 {
    let end = now();
    let torch = TORCH.get().map(|torch| take(torch, mark));
    let start = mark as u64;
    let recording = RECORDER.with(|recorder| {
        let mut recorder = recorder.borrow_mut();
        let mut recording = Recording {
            start,
            end,
            torch: torch.unwrap_or_default(),
            dropped: recorder.dropped,
            ..Recording::default()
        };
        let open = recorder.open.iter().map(|open| Span {
            kind: open.kind,
            name: open.name,
            stack: open.stack,
            layer: open.layer,
            start: open.start,
            end,
            cost: open.cost,
        });
        let begun = recorder.spans.iter().copied().chain(open);
        recording.spans = begun.filter(|span| span.start >= start).collect();
        recorder.recordings = recorder.recordings.saturating_sub(1);
        if recorder.recordings == 0 {
            let all = std::mem::take(&mut *recorder);
            (recording.names, recording.stacks, recording.layers) =
                (all.names, all.stacks, all.known_layers);
        } else {
            recording.names.clone_from(&recorder.names);
            recording.stacks.clone_from(&recorder.stacks);
            recording.layers.clone_from(&recorder.known_layers);
        }
        ON.set(recorder.recordings > 0);
        recording
    });
    if let (false, Some(torch)) = (ON.get(), TORCH.get()) {
        // SAFETY: as in `set_torch`.
        unsafe { (torch.stop)() };
    }
    PROFILES.with(|profiles| {
        let mut profiles = profiles.borrow_mut();
        profiles.push(Some(Profile::new(recording)));
        profiles.len() as i64
    })
}

/// The operators that began at `mark` or later.
fn take(torch: TorchProfiler, mark: i64) -> Torch {
    // SAFETY: the library says that this is its function; a text that it returns is made by this host, or null after a failure.
    unsafe {
        let found = (torch.take)(mark);
        if found.data.is_null() {
            crate::error::extern_failed();
            crate::error::take();
            return Torch::default();
        }
        let found = text::rt_text_adopt(found.data.cast(), found.length);
        let torch = Torch::read(text::as_str(found));
        text::rt_text_destroy(found);
        torch
    }
}

/// Shows `ask` the profile of a handle.
///
/// # Errors
///
/// The handle is of none.
pub fn with<T>(profile: i64, ask: impl FnOnce(&Profile) -> T) -> Result<T, String> {
    PROFILES.with(|profiles| {
        let profiles = profiles.borrow();
        let index = usize::try_from(profile - 1).unwrap_or(usize::MAX);
        match profiles.get(index).and_then(Option::as_ref) {
            Some(found) => Ok(ask(found)),
            None => Err(format!("invalid profile handle {profile}")),
        }
    })
}

/// Forgets a profile.
pub fn forget(profile: i64) {
    PROFILES.with(|profiles| {
        let index = usize::try_from(profile - 1).unwrap_or(usize::MAX);
        if let Some(slot) = profiles.borrow_mut().get_mut(index) {
            *slot = None;
        }
    });
}

/// Writes a profile to a file; its ending says what: `.json` a trace, `.svg` a flame graph, `.txt` the tables.
///
/// # Errors
///
/// Another ending, or the file cannot be written.
pub fn write(profile: i64, path: &str) -> Result<(), String> {
    let text = match ending(path)? {
        Ending::Trace => with(profile, Profile::trace),
        Ending::FlameGraph => with(profile, Profile::flame_graph),
        Ending::Tables => with(profile, |profile| {
            profile.tables(Default::default(), usize::MAX)
        }),
    }?;
    save(path, &text)
}

/// Writes a file, or says why not.
pub(crate) fn save(path: &str, text: &str) -> Result<(), String> {
    simple_system::replace::write(path.as_ref(), text.as_bytes()).map_err(|error| {
        format!(
            "cannot write the profile to {path}: {}",
            simple_system::in_words(&error)
        )
    })
}

/// What a file of a profile has, by the end of its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// `.json`
    Trace,
    /// `.svg`
    FlameGraph,
    /// `.txt`
    Tables,
}

/// What a file of this name has.
///
/// # Errors
///
/// There is no such kind of file.
pub fn ending(path: &str) -> Result<Ending, String> {
    match path.rsplit_once('.') {
        Some((_, "json")) => Ok(Ending::Trace),
        Some((_, "svg")) => Ok(Ending::FlameGraph),
        Some((_, "txt")) => Ok(Ending::Tables),
        _ => Err(format!(
            "cannot tell what to write to `{path}`: expected a name that ends in .json (a trace), .svg (a flame graph) or .txt (tables)"
        )),
    }
}
