//! Tasks of a program: starting them, the threads that run them, and how they end.
//!
//! Each thread runs its own copy of the program (`cross.rs`), which who runs the program makes ([`world::Copies`]). A
//! thread that has nothing to do waits for the next task, so that a task costs a thread only where all are busy. Every
//! task begins with the starter's module-level variables, copied (`variables.rs`).
//!
//! Leaves out what is sent (`channel.rs`) and waiting (`world.rs`). The externs are in `externs/table.rs`;
//! `lib/std/thread.spl` is what programs see.

use crate::cross::{self, Parcel};
use crate::error::{self, Place, RuntimeError};
use crate::externs::random;
use crate::io;
use crate::layout::{ARRAY_DATA, Header};
use crate::memory::{self, Manner};
use crate::variables::{self, Variables};
use crate::world::{self, Copies, Held, ME, Me, NUMBERS, State, Waiter, World, locked, world};
use crate::{destroy, frames, leaks, pool};
use std::ptr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// Address space of a thread's stack; memory is taken as it is used.
const STACK: usize = 64 << 20;

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
        object: task,
        count: 1,
    };
    locked(&world.objects).insert(number, held);
    number
}

fn task(number: i64) -> Result<Arc<Task>, String> {
    let task = world().object(number);
    task.ok_or_else(|| format!("there is no task {number}"))
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
        base: cross::program().start,
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
        state.jobs.push(Box::new(job));
        world.work.notify_one();
        return Ok(());
    }
    state.running += 1;
    state.jobs.push(Box::new(job));
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
            let job = taken(&mut state);
            (state.open, state.running) = (state.open - 1, state.running - 1);
            drop(state);
            if let Some(job) = job {
                job.work.discard();
            }
            Err(format!("the system gives no thread: {problem}"))
        }
    }
}

/// A job that no thread has taken yet.
fn taken(state: &mut State) -> Option<Job> {
    let job = state.jobs.pop()?;
    job.downcast().ok().map(|job| *job)
}

/// What a thread that runs tasks does.
fn serve(world: &Arc<World>, copies: &dyn Copies) {
    let mut waiting = taken(&mut locked(&world.state));
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
        if let Some(job) = taken(&mut state) {
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
    crate::channel::forget_selected();
    world::forget_last();
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
    // Only now: who was woken is counted, so that this does not look like a deadlock.
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
        world::release(number);
        assert!(join(number).is_err());
    }
}
