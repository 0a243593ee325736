//! Threads of a program: tasks, the threads that run them, waiting, and what all threads waiting means.
//!
//! A [`World`] is a running program with its threads. Each thread runs its own copy of the program (`cross.rs`),
//! which who runs the program makes ([`Copies`]). A thread that has nothing to do waits for the next task, so that a
//! task costs a thread only where all are busy. Every task begins with the starter's module-level variables, copied.
//!
//! Who waits without a limit tells the world, and is no longer counted as running; who wakes another one counts it at
//! once. So a count of 0 means that no thread can ever go on: all are woken, each says where it waits, and the first
//! thread fails with the list.
//!
//! Leaves out what is sent (`channel.rs`). The externs are in `externs/table.rs`; `lib/std/thread.spl` is what
//! programs see.

use crate::channel::Channel;
use crate::cross::{self, Parcel};
use crate::error::{self, Place, RuntimeError};
use crate::externs::random;
use crate::io::{self, complain};
use crate::layout::{ARRAY_DATA, Header};
use crate::memory::{self, Manner};
use crate::variables::{self, Variables};
use crate::{destroy, frames, leaks, pool};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Address space of a thread's stack; memory is taken as it is used.
const STACK: usize = 64 << 20;
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
    copies: Option<Arc<dyn Copies>>,
    state: Mutex<State>,
    /// There is a task for a thread that has none, or the program ends.
    work: Condvar,
    /// A thread has said where it waits.
    told: Condvar,
    objects: Mutex<FxHashMap<i64, Held>>,
}

struct State {
    /// Threads that do not wait without a limit.
    running: usize,
    waiting: Vec<Arc<Waiter>>,
    /// Threads without a task.
    idle: usize,
    jobs: Vec<Job>,
    /// Tasks that have begun and not ended.
    open: usize,
    ends: bool,
    /// Who waits for the last task to end.
    last: Option<Arc<Waiter>>,
    /// How many threads waited when none could go on, and where.
    stuck: usize,
    lines: Vec<(usize, String)>,
    /// Failures that nobody has asked for, by task.
    failures: Vec<(i64, String)>,
    leaks: Vec<String>,
    workers: Vec<std::thread::JoinHandle<()>>,
    threads: usize,
}

/// Something that the program knows by a number.
#[derive(Clone)]
pub(crate) enum Object {
    Task(Arc<Task>),
    Channel(Arc<Channel>),
}

struct Held {
    object: Object,
    count: usize,
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

struct Me {
    world: Arc<World>,
    number: usize,
    name: String,
}

thread_local! {
    static ME: RefCell<Option<Me>> = const { RefCell::new(None) };
}

/// Numbers of objects are never used again.
static NUMBERS: AtomicI64 = AtomicI64::new(1);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
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
    fn wake_stuck(&mut self) {
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

    pub(crate) fn object(&self, number: i64) -> Option<Object> {
        Some(locked(&self.objects).get(&number)?.object.clone())
    }
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
        crate::channel::forget(number);
        drop(held);
    }
}

/// Work for another thread, and what became of it.
pub(crate) struct Task {
    number: i64,
    /// `thread 2, started at a.spl:7`.
    name: String,
    outcome: Mutex<Outcome>,
}

#[derive(Default)]
struct Outcome {
    result: Option<Result<Option<Parcel>, Failure>>,
    waiters: Vec<Arc<Waiter>>,
}

#[derive(Clone)]
struct Failure {
    error: RuntimeError,
    place: Place,
}

struct Job {
    task: Arc<Task>,
    work: Parcel,
    variables: Variables,
    /// Addresses in the starter's program: where it begins, what calls the function, and the table of variables.
    base: usize,
    entry: usize,
    table: usize,
    manner: Manner,
    output: io::Shared,
    /// What the thread's random numbers begin with.
    seed: Option<i64>,
}

/// Begins a task without work; its number.
pub(crate) fn new_task(name: &str) -> i64 {
    let world = world();
    let place = frames::own_site().map(|site| error::locate(&[site]));
    let thread = {
        let mut state = locked(&world.state);
        state.threads += 1;
        state.threads
    };
    let mut full = match name {
        "" => format!("thread {thread}"),
        name => format!("thread {thread} `{name}`"),
    };
    if let Some(Place { file, line }) = place
        && line > 0
    {
        full.push_str(&format!(", started at {file}:{line}"));
    }
    let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
    let task = Arc::new(Task {
        number,
        name: full,
        outcome: Mutex::default(),
    });
    let held = Held {
        object: Object::Task(task),
        count: 1,
    };
    locked(&world.objects).insert(number, held);
    number
}

fn task(number: i64) -> Result<Arc<Task>, String> {
    match world().object(number) {
        Some(Object::Task(task)) => Ok(task),
        _ => Err(format!("there is no task {number}")),
    }
}

/// `(task, parcel of a function, entry, table of variables)`: another thread calls the function.
///
/// # Safety
/// The parcel is one that was not taken; entry and table are addresses in this thread's program.
pub unsafe extern "C" fn rt_thread_start(
    number: i64,
    work: i64,
    entry: *const u8,
    table: *const i64,
) {
    error::guard((), || {
        // SAFETY: the caller's contract.
        let started = unsafe { start(number, work, entry, table) };
        if let Err(problem) = started {
            error::raise(problem);
        }
    });
}

/// # Safety
/// As for [`rt_thread_start`].
unsafe fn start(number: i64, work: i64, entry: *const u8, table: *const i64) -> Result<(), String> {
    // SAFETY: the caller's contract.
    let work = unsafe { Parcel::of_number(work) }.ok_or("internal error: no parcel")?;
    let world = world();
    let Some(copies) = world.copies.clone() else {
        work.discard();
        return Err(
            "no thread can be started here: only a program that is run as a whole has threads, not a session, and \
             not a library for C"
                .to_owned(),
        );
    };
    let job = Job {
        task: task(number)?,
        work,
        // SAFETY: the caller's contract.
        variables: unsafe { variables::variables(table) },
        base: cross::program_start(),
        entry: entry.expose_provenance(),
        table: table.expose_provenance(),
        manner: memory::manner(),
        output: io::shared(),
        seed: random::for_thread(),
    };
    let mut state = locked(&world.state);
    state.open += 1;
    if state.idle > state.jobs.len() {
        state.running += 1;
        state.jobs.push(job);
        world.work.notify_one();
        return Ok(());
    }
    state.running += 1;
    state.jobs.push(job);
    let same = Arc::clone(&world);
    let spawned = pool::without_signals(|| {
        std::thread::Builder::new()
            .name("simple-task".to_owned())
            .stack_size(STACK)
            .spawn(move || serve(&same, &*copies))
    });
    match spawned {
        Ok(handle) => {
            state.workers.push(handle);
            Ok(())
        }
        Err(problem) => {
            let job = state.jobs.pop();
            (state.open, state.running) = (state.open - 1, state.running - 1);
            drop(state);
            if let Some(job) = job {
                job.work.discard();
            }
            Err(format!("the system gives no thread: {problem}"))
        }
    }
}

/// What a thread that runs tasks does.
fn serve(world: &Arc<World>, copies: &dyn Copies) {
    let mut waiting = locked(&world.state).jobs.pop();
    let Some(first) = &waiting else { return };
    memory::use_manner(first.manner);
    io::share(first.output);
    let mut table = 0;
    let outcome = copies.with_copy(&mut |range| {
        cross::set_program(range.clone());
        while let Some(job) = waiting.take() {
            table = job.table.wrapping_sub(job.base).wrapping_add(range.start);
            run(world, job, range.start);
            // SAFETY: the table of the starter is at the same place of this thread's copy; no compiled code runs now.
            unsafe { variables::clear_all(table) };
            destroy::destroy_all();
            report_failures();
            waiting = next(world);
        }
        leaks::note_places();
        let lines = leaks::report();
        locked(&world.state).leaks.extend(lines);
        cross::set_program(0..0);
    });
    if let (Err(problem), Some(job)) = (outcome, waiting.take()) {
        let failure = Failure {
            error: RuntimeError {
                message: problem,
                ..RuntimeError::default()
            },
            place: Place::default(),
        };
        end(world, &job.task, Some(Err(failure)));
    }
}

/// An error in a `drop` at the end of a task has no one to go to.
fn report_failures() {
    error::rt_drop_failed();
}

fn next(world: &World) -> Option<Job> {
    let mut state = locked(&world.state);
    state.idle += 1;
    loop {
        if let Some(job) = state.jobs.pop() {
            state.idle -= 1;
            return Some(job);
        }
        if state.ends {
            state.idle -= 1;
            return None;
        }
        state = world
            .work
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner);
    }
}

fn run(world: &Arc<World>, job: Job, base: usize) {
    ME.replace(Some(Me {
        world: Arc::clone(world),
        number: job.task.number as usize,
        name: job.task.name.clone(),
    }));
    random::begin(job.seed);
    // SAFETY: this thread's copy of the program is the starter's program, and no compiled code runs yet.
    unsafe { job.variables.install(job.table) };
    let entry = job.entry.wrapping_sub(job.base).wrapping_add(base);
    match cross::unpack(job.work) {
        _ if error::is_pending() => {}
        Ok(array) => {
            // SAFETY: the parcel holds a list of one function, and the entry is the compiled code that calls such a
            // function; it leaves an error recorded. The list is this thread's.
            unsafe {
                let closure = array
                    .cast::<u8>()
                    .add(ARRAY_DATA as usize)
                    .cast::<*mut Header>()
                    .read();
                let call: unsafe extern "C" fn(*mut Header) =
                    std::mem::transmute(ptr::with_exposed_provenance::<()>(entry));
                call(closure);
                error::rt_error_suspend();
                destroy::rt_release(array.cast());
                error::rt_error_resume();
            }
        }
        Err(problem) => error::raise(problem),
    }
    let failure = error::take().map(|error| {
        let place = error::locate(&error.sites);
        Failure { error, place }
    });
    end(world, &job.task, failure.map(Err));
    crate::channel::forget_all();
}

/// A task ends: with what it has left, or with this outcome.
fn end(world: &World, task: &Arc<Task>, outcome: Option<Result<Option<Parcel>, Failure>>) {
    let mut own = locked(&task.outcome);
    match outcome {
        Some(outcome) => own.result = Some(outcome),
        None => {
            own.result.get_or_insert(Ok(None));
        }
    }
    if let Some(Err(failure)) = &own.result {
        let told = format!(
            "{}, which nothing joined: {}",
            task.name,
            failure.described()
        );
        locked(&world.state).failures.push((task.number, told));
    }
    let waiters = std::mem::take(&mut own.waiters);
    drop(own);
    for waiter in waiters {
        world.wake(&waiter);
    }
    let mut state = locked(&world.state);
    state.open -= 1;
    let last = if state.open == 0 {
        state.last.take()
    } else {
        None
    };
    drop(state);
    if let Some(last) = last {
        world.wake(&last);
    }
    // Only now: who was woken is counted, so that this is no deadlock.
    let mut state = locked(&world.state);
    state.running -= 1;
    if state.running == 0 {
        state.wake_stuck();
    }
}

impl Failure {
    fn described(&self) -> String {
        match self.place.line {
            0 => self.error.message.clone(),
            line => format!("{} ({}:{line})", self.error.message, self.place.file),
        }
    }
}

/// The result of a task's work.
pub(crate) fn finish_task(number: i64, parcel: i64) {
    if let Ok(task) = task(number) {
        // SAFETY: the number is that of the parcel which `std.thread` has just packed.
        let parcel = unsafe { Parcel::of_number(parcel) };
        locked(&task.outcome).result = Some(Ok(parcel));
    }
}

/// Whether a task has ended.
pub(crate) fn is_done(number: i64) -> Result<bool, String> {
    // The result is there shortly before the task has ended.
    Ok(locked(&task(number)?.outcome).result.is_some())
}

/// Waits for a task. False if it failed.
pub(crate) fn join(number: i64) -> Result<bool, String> {
    let task = task(number)?;
    let world = world();
    loop {
        let mut own = locked(&task.outcome);
        if let Some(result) = &own.result {
            if result.is_err() {
                locked(&world.state)
                    .failures
                    .retain(|(of, _)| *of != number);
            }
            return Ok(result.is_ok());
        }
        let waiter = Waiter::new();
        own.waiters.push(Arc::clone(&waiter));
        drop(own);
        world.wait(&waiter, &format!("for {} to end", task.name), None)?;
    }
}

/// The parcel of a task that has ended well.
pub(crate) fn result(number: i64) -> Result<i64, String> {
    let task = task(number)?;
    let mut own = locked(&task.outcome);
    match &mut own.result {
        Some(Ok(parcel)) => match parcel.take() {
            Some(parcel) => Ok(parcel.into_number()),
            None => Err(format!(
                "the result of {} was taken before: a task is joined once",
                task.name
            )),
        },
        _ => Err("internal error: the task has no result".to_owned()),
    }
}

/// Fails as a task has failed, with its trace.
pub(crate) fn fail_as(number: i64) -> Result<i64, String> {
    let task = task(number)?;
    let own = locked(&task.outcome);
    match &own.result {
        Some(Err(failure)) => {
            error::leave_sites(failure.error.sites.clone());
            Err(format!("in {}: {}", task.name, failure.error.message))
        }
        _ => Err("internal error: the task has not failed".to_owned()),
    }
}

/// Why a task has failed, with its place.
pub(crate) fn problem(number: i64) -> String {
    let Ok(task) = task(number) else {
        return String::new();
    };
    let own = locked(&task.outcome);
    match &own.result {
        Some(Err(failure)) => failure.described(),
        _ => String::new(),
    }
}

/// How many threads the machine runs at once.
pub(crate) fn processors() -> i64 {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get) as i64
}

/// Until when to wait for so many milliseconds; a negative number is no limit.
pub(crate) fn until(milliseconds: i64) -> Option<Instant> {
    let limit = Duration::from_millis(u64::try_from(milliseconds).ok()?);
    Instant::now().checked_add(limit)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Frees an array of plain numbers.
    pub(crate) unsafe extern "C" fn free_array(array: *mut Header) {
        // SAFETY: a descriptor calls it with a dead array of its own.
        unsafe { crate::array::rt_array_free(array.cast()) };
    }

    /// Whether all threads waited.
    pub(crate) fn deadlocks<T>(outcome: &Result<T, String>) -> bool {
        matches!(outcome, Err(problem) if problem.starts_with("deadlock"))
    }

    /// A thread of this thread's world.
    pub(crate) fn beside(work: impl FnOnce() + Send + 'static) -> std::thread::JoinHandle<()> {
        let world = world();
        let number = {
            let mut state = locked(&world.state);
            state.running += 1;
            state.threads += 1;
            state.threads
        };
        std::thread::spawn(move || {
            ME.replace(Some(Me {
                world: Arc::clone(&world),
                number,
                name: format!("thread {number}"),
            }));
            work();
            locked(&world.state).running -= 1;
        })
    }

    #[test]
    fn a_task_is_found_by_its_number_until_it_is_released() {
        let number = new_task("reader");
        assert_eq!(is_done(number), Ok(false));
        assert!(deadlocks(&join(number)));
        finish_task(number, 0);
        assert_eq!(join(number), Ok(true));
        assert!(result(number).is_err());
        release(number);
        assert!(join(number).is_err());
    }
}
