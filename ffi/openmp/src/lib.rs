//! The threads of libtorch's parallel loops: the part of an OpenMP runtime that libtorch, MKL and oneDNN call.
//!
//! libtorch comes with GCC's runtime, libgomp, whose threads spin for each other for milliseconds. On a busy machine a thread of a
//! team may wait for its turn on a core while the others spend their own turns spinning for it, and if two threads of a team end up on one
//! core they stay there: a training step can then take a thousand times as long. The runtime here differs in four points:
//!
//! - a thread that has done its share takes over the shares that no thread has begun yet ([`team`]), so a team goes on
//!   however late the others come;
//! - waiting threads spin for a short time only, then sleep ([`wait`]);
//! - while the machine is busy they do not spin at all ([`crowd`]);
//! - if it stays busy, they run two and two on one core and take turns there ([`pairs`]).
//!
//! A team has as many shares as before, and each share computes what it computed before, so results are equal to the bit.
//!
//! [`sharing`] has loops, sections and single blocks inside a team, [`takeover`] connects libtorch with the functions of this file, whose
//! names, types and meaning are those of libgomp's interface (GCC manual, "The libgomp ABI"). `OMP_NUM_THREADS` and
//! `OMP_WAIT_POLICY` mean what they mean to libgomp.
//!
//! Left out: tasks, target regions, affinity, and inner teams of more than one thread. libtorch does not use them, and a libtorch that asks
//! for more than what is here keeps libgomp (see [`takeover`]). `SIMPLE_OPENMP=0` has every libtorch keep it, and `doc/torch/openmp.md` says what
//! this runtime gains and how that is measured.

#![allow(
    unsafe_code,
    reason = "the C boundary of an OpenMP runtime; every block says why it holds"
)]

mod crowd;
mod pairs;
mod sharing;
mod takeover;
mod team;
#[cfg(test)]
mod tests;
mod wait;

use std::ffi::{c_char, c_int, c_long, c_uint, c_void};

pub use takeover::{Kept, kept, take_over};
use team::Body;

/// A function of this runtime, as an address that libtorch calls.
type Function = *const c_void;

/// Every function that libtorch may import, by name.
const FUNCTIONS: [(&str, Function); 26] = [
    ("GOMP_atomic_end", atomic_end as Function),
    ("GOMP_atomic_start", atomic_start as Function),
    ("GOMP_barrier", barrier as Function),
    ("GOMP_critical_end", critical_end as Function),
    ("GOMP_critical_name_end", critical_name_end as Function),
    ("GOMP_critical_name_start", critical_name_start as Function),
    ("GOMP_critical_start", critical_start as Function),
    ("GOMP_loop_dynamic_next", loop_dynamic_next as Function),
    ("GOMP_loop_dynamic_start", loop_dynamic_start as Function),
    ("GOMP_loop_end", loop_end as Function),
    ("GOMP_loop_end_nowait", loop_end_nowait as Function),
    ("GOMP_loop_ordered_dynamic_next", ordered_next as Function),
    ("GOMP_loop_ordered_dynamic_start", ordered_loop as Function),
    ("GOMP_ordered_end", ordered_end as Function),
    ("GOMP_ordered_start", ordered_start as Function),
    ("GOMP_parallel", parallel as Function),
    ("GOMP_sections_end_nowait", loop_end_nowait as Function),
    ("GOMP_sections_next", sections_next as Function),
    ("GOMP_sections_start", sections_start as Function),
    ("GOMP_single_start", single_start as Function),
    ("omp_get_max_threads", get_max_threads as Function),
    ("omp_get_num_procs", get_num_procs as Function),
    ("omp_get_num_threads", get_num_threads as Function),
    ("omp_get_thread_num", get_thread_num as Function),
    ("omp_in_parallel", in_parallel as Function),
    ("omp_set_num_threads", set_num_threads as Function),
];

/// Runs `body(data)` once for each share of a team of `threads` (0: as many as are wanted), and returns when all have ended.
///
/// # Safety
/// `body` may be called with `data` from several threads at once, and does not unwind.
unsafe extern "C" fn parallel(body: Body, data: *mut c_void, threads: c_uint, _flags: c_uint) {
    // SAFETY: the caller promises it.
    unsafe { team::parallel(body, data, threads as usize) };
}

extern "C" fn barrier() {
    team::barrier();
}

extern "C" fn get_thread_num() -> c_int {
    team::current().number as c_int
}

extern "C" fn get_num_threads() -> c_int {
    team::current().size as c_int
}

extern "C" fn in_parallel() -> c_int {
    c_int::from(team::current().size > 1)
}

extern "C" fn get_max_threads() -> c_int {
    team::wanted() as c_int
}

extern "C" fn set_num_threads(count: c_int) {
    team::want(count.max(1) as usize);
}

extern "C" fn get_num_procs() -> c_int {
    team::processors() as c_int
}

extern "C" fn critical_start() {
    wait::CRITICAL.lock();
}

extern "C" fn critical_end() {
    wait::CRITICAL.unlock();
}

/// # Safety
/// `name` points to a pointer that was null at first, lives as long as the process, and is used by this function and its counterpart only.
unsafe extern "C" fn critical_name_start(name: *mut *mut c_void) {
    // SAFETY: as promised; a lock fits into a pointer, and one that is free is all zeros.
    unsafe { &*name.cast::<wait::Lock>() }.lock();
}

/// # Safety
/// As [`critical_name_start`], which this thread called before.
unsafe extern "C" fn critical_name_end(name: *mut *mut c_void) {
    // SAFETY: as above.
    unsafe { &*name.cast::<wait::Lock>() }.unlock();
}

extern "C" fn atomic_start() {
    wait::ATOMIC.lock();
}

extern "C" fn atomic_end() {
    wait::ATOMIC.unlock();
}

/// Begins a loop from `start` until before `end`, handed out `chunk` turns at a time, and takes the first part: 1 if there is one.
///
/// # Safety
/// `first` and `last` can be written.
unsafe extern "C" fn loop_dynamic_start(
    start: c_long,
    end: c_long,
    step: c_long,
    chunk: c_long,
    first: *mut c_long,
    last: *mut c_long,
) -> c_char {
    sharing::begin(start, end, step, chunk);
    // SAFETY: the caller promises it.
    unsafe { hand_out(sharing::next(), first, last) }
}

/// # Safety
/// `first` and `last` can be written.
unsafe extern "C" fn loop_dynamic_next(first: *mut c_long, last: *mut c_long) -> c_char {
    // SAFETY: the caller promises it.
    unsafe { hand_out(sharing::next(), first, last) }
}

/// # Safety
/// `first` and `last` can be written.
unsafe extern "C" fn ordered_loop(
    start: c_long,
    end: c_long,
    step: c_long,
    chunk: c_long,
    first: *mut c_long,
    last: *mut c_long,
) -> c_char {
    sharing::begin(start, end, step, chunk);
    // SAFETY: the caller promises it.
    unsafe { hand_out(sharing::next_ordered(), first, last) }
}

/// # Safety
/// `first` and `last` can be written.
unsafe extern "C" fn ordered_next(first: *mut c_long, last: *mut c_long) -> c_char {
    sharing::pass_turn();
    // SAFETY: the caller promises it.
    unsafe { hand_out(sharing::next_ordered(), first, last) }
}

extern "C" fn loop_end() {
    sharing::end();
    team::barrier();
}

extern "C" fn loop_end_nowait() {
    sharing::end();
}

extern "C" fn ordered_start() {
    sharing::await_turn();
}

/// The turn passes when the next part is requested.
extern "C" fn ordered_end() {}

/// Sections are the turns of a loop from 1 to `count`; 0 says that none is left.
extern "C" fn sections_start(count: c_uint) -> c_uint {
    sharing::begin(1, c_long::from(count) + 1, 1, 1);
    sections_next()
}

extern "C" fn sections_next() -> c_uint {
    sharing::next().map_or(0, |(first, _)| first as c_uint)
}

/// 1 for the thread that must run a single block, 0 for all others.
extern "C" fn single_start() -> c_char {
    sharing::begin(0, 1, 1, 1);
    let mine = sharing::next().is_some();
    sharing::end();
    c_char::from(mine)
}

/// # Safety
/// `first` and `last` can be written.
unsafe fn hand_out(
    part: Option<(c_long, c_long)>,
    first: *mut c_long,
    last: *mut c_long,
) -> c_char {
    let Some((from, to)) = part else { return 0 };
    // SAFETY: the caller promises it.
    unsafe {
        *first = from;
        *last = to;
    }
    1
}
