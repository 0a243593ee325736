//! A running program with its threads: what they have in common, waiting, and what all threads waiting means.
//!
//! Who waits without a limit tells the [`World`], and does not count as running any more; who wakes another one
//! counts it at once. So a count of 0 means that no thread can ever go on: all are woken, each says where it waits,
//! and the first thread fails with the list.
//!
//! Leaves out what threads do (`thread.rs`) and what they send (`channel.rs`).

use crate::cross;
use crate::error::{self, Place};
use crate::io::{self, complain};
use crate::{frames, leaks};
use rustc_hash::FxHashMap;
use std::any::Any;
use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long the first thread waits for the others to say where they wait.
const TELLING: Duration = Duration::from_secs(2);

/// Makes copies of a program.
pub trait Copies: Send + Sync {
    /// Puts a copy where this thread can run it, and calls `work` with its addresses.
    ///
    /// # Errors
    ///
    /// Why that is not possible; `work` was not called then.
    fn with_copy(&self, work: &mut dyn FnMut(Range<usize>)) -> Result<(), String>;
}

/// A running program with its threads.
pub(crate) struct World {
    pub(super) copies: Option<Arc<dyn Copies>>,
    pub(super) state: Mutex<State>,
    /// There is a task for a thread that has none, or the program ends.
    pub(super) work: Condvar,
    /// A thread has said where it waits.
    pub(super) told: Condvar,
    pub(super) objects: Mutex<FxHashMap<i64, Held>>,
}

pub(super) struct State {
    /// Threads that do not wait without a limit.
    pub(super) running: usize,
    pub(super) waiting: Vec<Arc<Waiter>>,
    /// Threads without a task.
    pub(super) idle: usize,
    /// Tasks that no thread has taken yet; what they are knows `thread.rs`.
    pub(super) jobs: Vec<Box<dyn Any + Send>>,
    /// Tasks that have begun and not ended.
    pub(super) open: usize,
    pub(super) ends: bool,
    /// Who waits for the last task to end.
    pub(super) last: Option<Arc<Waiter>>,
    /// How many threads waited when none could go on, and where.
    pub(super) stuck: usize,
    pub(super) lines: Vec<(usize, String)>,
    /// Failures that nobody has asked for, by task.
    pub(super) failures: Vec<(i64, String)>,
    pub(super) leaks: Vec<String>,
    pub(super) workers: Vec<std::thread::JoinHandle<()>>,
    pub(super) threads: usize,
}

/// Something that the program knows by a number.
type Object = Arc<dyn Any + Send + Sync>;

pub(super) struct Held {
    pub(super) object: Object,
    pub(super) count: usize,
}

/// A thread that waits.
pub(crate) struct Waiter {
    wake: Condvar,
    state: AtomicU8,
}

const WAITING: u8 = 0;
const WOKEN: u8 = 1;
const STUCK: u8 = 2;

/// How waiting ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wake {
    Woken,
    TimeOver,
}

pub(super) struct Me {
    pub(super) world: Arc<World>,
    pub(super) number: usize,
    pub(super) name: String,
}

thread_local! {
    /// The object that this thread used last.
    static LAST: RefCell<Option<(i64, Object)>> = const { RefCell::new(None) };
    pub(super) static ME: RefCell<Option<Me>> = const { RefCell::new(None) };
}

/// Numbers of objects are never used again.
pub(super) static NUMBERS: AtomicI64 = AtomicI64::new(1);

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The world of this thread's program; made when it is first asked for.
pub(crate) fn world() -> Arc<World> {
    ME.with_borrow_mut(|me| {
        let me = me.get_or_insert_with(|| Me::first(None));
        Arc::clone(&me.world)
    })
}

fn my_name() -> (usize, String) {
    ME.with_borrow(|me| match me {
        Some(me) => (me.number, me.name.clone()),
        None => (0, "the first thread".to_owned()),
    })
}

impl Me {
    fn first(copies: Option<Arc<dyn Copies>>) -> Me {
        Me {
            world: Arc::new(World {
                copies,
                state: Mutex::new(State {
                    running: 1,
                    waiting: Vec::new(),
                    idle: 0,
                    jobs: Vec::new(),
                    open: 0,
                    ends: false,
                    last: None,
                    stuck: 0,
                    lines: Vec::new(),
                    failures: Vec::new(),
                    leaks: Vec::new(),
                    workers: Vec::new(),
                    threads: 0,
                }),
                work: Condvar::new(),
                told: Condvar::new(),
                objects: Mutex::default(),
            }),
            number: 0,
            name: "the first thread".to_owned(),
        }
    }
}

/// Runs a program that may start threads; `range` is where it is. When it ends without an error, its tasks are waited
/// for.
pub fn running<T>(copies: Arc<dyn Copies>, range: Range<usize>, program: impl FnOnce() -> T) -> T {
    let before = ME.replace(Some(Me::first(Some(copies))));
    cross::set_program(range);
    let result = program();
    if !error::is_pending() {
        finish();
    }
    cross::set_program(0..0);
    ME.replace(before);
    result
}

/// Waits for all tasks and ends the threads. Failures that nobody asked for are told.
fn finish() {
    let world = world();
    let waiter = Waiter::new();
    let mut state = locked(&world.state);
    if state.open > 0 {
        state.last = Some(Arc::clone(&waiter));
        drop(state);
        if let Err(problem) = world.wait(&waiter, "for the other threads to end", None) {
            error::raise(problem);
            return;
        }
        state = locked(&world.state);
    }
    state.ends = true;
    world.work.notify_all();
    let workers = std::mem::take(&mut state.workers);
    let failures = std::mem::take(&mut state.failures);
    drop(state);
    for worker in workers {
        // A panic in it has been reported.
        let _ = worker.join();
    }
    for (_, failure) in failures {
        io::flush();
        complain(format_args!("error in {failure}"));
        error::note_failure();
    }
    let lines = std::mem::take(&mut locked(&world.state).leaks);
    leaks::add(lines);
    let objects = std::mem::take(&mut *locked(&world.objects));
    drop(objects);
}

impl State {
    /// No thread can go on: all are woken, to say so.
    pub(super) fn wake_stuck(&mut self) {
        self.lines.clear();
        self.stuck = self.waiting.len();
        self.running = self.stuck;
        for stuck in std::mem::take(&mut self.waiting) {
            stuck.state.store(STUCK, Ordering::Relaxed);
            stuck.wake.notify_one();
        }
    }
}

impl Waiter {
    pub(crate) fn new() -> Arc<Waiter> {
        Arc::new(Waiter {
            wake: Condvar::new(),
            state: AtomicU8::new(WAITING),
        })
    }
}

impl World {
    /// Waits until somebody wakes the waiter.
    ///
    /// # Errors
    ///
    /// All threads wait, and none can go on.
    pub(crate) fn wait(
        &self,
        waiter: &Arc<Waiter>,
        what: &str,
        until: Option<Instant>,
    ) -> Result<Wake, String> {
        let mut state = locked(&self.state);
        if waiter.state.load(Ordering::Relaxed) == WAITING && until.is_none() {
            state.running -= 1;
            state.waiting.push(Arc::clone(waiter));
            if state.running == 0 {
                state.wake_stuck();
            }
        }
        loop {
            match waiter.state.load(Ordering::Relaxed) {
                WOKEN => return Ok(Wake::Woken),
                STUCK => {
                    let count = state.stuck;
                    drop(state);
                    return Err(self.stuck(what, count));
                }
                _ => {}
            }
            state = match until {
                None => (waiter.wake.wait(state)).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let now = Instant::now();
                    if now >= until {
                        waiter.state.store(WOKEN, Ordering::Relaxed);
                        return Ok(Wake::TimeOver);
                    }
                    let waited = waiter.wake.wait_timeout(state, until - now);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Says where this thread waits, as all do; the message of its error.
    fn stuck(&self, what: &str, count: usize) -> String {
        let (number, name) = my_name();
        let place = frames::own_site().map(|site| error::locate(&[site]));
        let at = match place {
            Some(Place { file, line }) if line > 0 => format!(" ({file}:{line})"),
            _ => String::new(),
        };
        let line = format!("{name} waits {what}{at}");
        let mut state = locked(&self.state);
        state.lines.push((number, line));
        self.told.notify_all();
        if number != 0 {
            return "deadlock: all threads wait, so that none can go on".to_owned();
        }
        let until = Instant::now() + TELLING;
        while state.lines.len() < count && Instant::now() < until {
            let waited = self.told.wait_timeout(state, TELLING);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.lines.sort();
        let mut message = match count {
            1 => "deadlock: the only thread waits, so that it can never go on".to_owned(),
            count => format!("deadlock: all {count} threads wait, so that none can go on"),
        };
        for (_, line) in &state.lines {
            message.push_str("\n  ");
            message.push_str(line);
        }
        message
    }

    /// Wakes a waiter; false if it was awake already.
    pub(crate) fn wake(&self, waiter: &Arc<Waiter>) -> bool {
        let mut state = locked(&self.state);
        if waiter.state.load(Ordering::Relaxed) != WAITING {
            return false;
        }
        waiter.state.store(WOKEN, Ordering::Relaxed);
        if let Some(at) = state
            .waiting
            .iter()
            .position(|one| Arc::ptr_eq(one, waiter))
        {
            state.waiting.swap_remove(at);
            state.running += 1;
        }
        waiter.wake.notify_one();
        true
    }

    /// Enters an object; its number, which holds it once.
    pub(crate) fn enter(&self, object: Object) -> i64 {
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        locked(&self.objects).insert(number, Held { object, count: 1 });
        number
    }

    /// The object of a number, if it is one of this type.
    pub(crate) fn object<T: Any + Send + Sync>(&self, number: i64) -> Option<Arc<T>> {
        let last = LAST.with_borrow(|last| match last {
            Some((known, object)) if *known == number => Some(Arc::clone(object)),
            _ => None,
        });
        let object = match last {
            Some(object) => object,
            None => {
                let object = Arc::clone(&locked(&self.objects).get(&number)?.object);
                LAST.set(Some((number, Arc::clone(&object))));
                object
            }
        };
        object.downcast().ok()
    }
}

/// This thread uses no object any more.
pub(crate) fn forget_last() {
    LAST.set(None);
}

/// Holds an object once more.
pub(crate) fn retain(number: i64) {
    if let Some(held) = locked(&world().objects).get_mut(&number) {
        held.count += 1;
    }
}

/// Lets go of an object.
pub(crate) fn release(number: i64) {
    let world = world();
    let mut objects = locked(&world.objects);
    let Some(held) = objects.get_mut(&number) else {
        return;
    };
    held.count -= 1;
    if held.count == 0 {
        let held = objects.remove(&number);
        drop(objects);
        LAST.with_borrow_mut(|last| {
            if last.as_ref().is_some_and(|(known, _)| *known == number) {
                *last = None;
            }
        });
        drop(held);
    }
}

/// How many threads the machine runs at once.
pub(crate) fn processors() -> i64 {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get) as i64
}

/// Until when to wait for `milliseconds`; a negative number means without a limit.
pub(crate) fn until(milliseconds: i64) -> Option<Instant> {
    let limit = Duration::from_millis(u64::try_from(milliseconds).ok()?);
    Instant::now().checked_add(limit)
}
