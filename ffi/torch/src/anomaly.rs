//! How libtorch goes back: whether it looks for NaN (`shim/anomaly.cpp`) and on which threads, and which functions of
//! the program it does not need any more (`program.rs`).

use crate::error::ShimError;
use crate::operators::argument;

unsafe extern "C" {
    fn simple_set_detect_anomaly(on: u8, check_nan: u8);
    fn simple_anomaly_mode() -> i64;
    fn simple_set_multithreading_enabled(on: u8) -> u8;
    fn simple_is_multithreading_enabled() -> u8;
    fn simple_call_ended() -> i64;
}

simple_ffi_abi::functions! {
    /// Says whether operations note their line in the program for the message of a gradient that fails, and whether NaN
    /// in a gradient fails.
    fn rt_torch_set_detect_anomaly(on: bool, check_nan: bool) -> (), flag, STATE => set_detect_anomaly;
    /// 0 where anomaly mode is off, 1 where it is on, 3 where NaN is looked for as well.
    fn rt_torch_anomaly_mode() -> i64, never, STATE => anomaly_mode;
    /// Says whether gradients on several devices are computed by a thread for each, and returns whether they were.
    fn rt_torch_set_multithreading_enabled(on: bool) -> bool, never, STATE => set_multithreading_enabled;
    /// Whether gradients on several devices are computed by a thread for each.
    fn rt_torch_is_multithreading_enabled() -> bool, never, STATE => is_multithreading_enabled;
    /// The number of a function of the program that libtorch does not call any more; 0 if there is none left to tell.
    fn rt_torch_call_ended() -> i64, never, STATE => call_ended;
}

fn set_detect_anomaly(on: bool, check_nan: bool) -> Result<(), ShimError> {
    // SAFETY: takes plain values.
    unsafe { simple_set_detect_anomaly(u8::from(on), u8::from(check_nan)) };
    match argument::take_failure() {
        None => Ok(()),
        Some(reason) => Err(ShimError(reason)),
    }
}

fn anomaly_mode() -> i64 {
    // SAFETY: returns a plain value.
    unsafe { simple_anomaly_mode() }
}

fn set_multithreading_enabled(on: bool) -> bool {
    // SAFETY: takes and returns plain values.
    unsafe { simple_set_multithreading_enabled(u8::from(on)) != 0 }
}

fn is_multithreading_enabled() -> bool {
    // SAFETY: returns a plain value.
    unsafe { simple_is_multithreading_enabled() != 0 }
}

fn call_ended() -> i64 {
    // SAFETY: returns a plain value.
    unsafe { simple_call_ended() }
}

/// The place of the program that is running, as a number; -1 where it is unknown.
#[unsafe(no_mangle)]
extern "C" fn simple_site_of_program() -> i64 {
    simple_ffi_abi::export::host().map_or(-1, |host| host.site())
}

/// Writes where the place of a number is; how many bytes were written.
///
/// # Safety
///
/// `out` points to `room` bytes that can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn simple_place_of_site(site: i64, out: *mut u8, room: i64) -> i64 {
    let Some(host) = simple_ffi_abi::export::host() else {
        return 0;
    };
    let (_, write_site) = host.places();
    // SAFETY: the contract is the same.
    unsafe { write_site(site, out, room) }
}
