//! What programs ask about the machine and its GPUs (`device_info` of `lib.torch`). The asking is `simple-device`'s.

use std::cell::RefCell;

use simple_device::{Gpu, Gpus, Machine};

thread_local! {
    /// What `gpu_count` found, for the questions about each GPU.
    static FOUND: RefCell<(Gpus, Vec<Gpu>)> = RefCell::default();
}

/// Bytes and counts fit in 63 bits on every machine.
fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

pub(crate) fn platform() -> Result<String, String> {
    Ok(Machine::read().platform)
}

pub(crate) fn architecture() -> Result<&'static str, String> {
    Ok(std::env::consts::ARCH)
}

pub(crate) fn processor() -> Result<String, String> {
    Ok(Machine::read().processor)
}

pub(crate) fn cores() -> i64 {
    number(Machine::read().cores as u64)
}

pub(crate) fn threads() -> i64 {
    number(Machine::read().threads as u64)
}

pub(crate) fn memory() -> i64 {
    number(Machine::read().memory)
}

pub(crate) fn free_memory() -> i64 {
    number(Machine::read().free_memory)
}

/// Asks the driver anew. libtorch has initialised CUDA where a program can use it, and then the order is CUDA's.
pub(crate) fn gpu_count(initialised: bool) -> i64 {
    let gpus = if initialised {
        Gpus::ask()
    } else {
        Gpus::ask_without_cuda()
    };
    let all = gpus.all();
    let count = number(all.len() as u64);
    FOUND.with(|found| *found.borrow_mut() = (gpus, all));
    count
}

fn of_gpu<T: Default>(index: i64, ask: impl Fn(&Gpu) -> Option<T>) -> T {
    FOUND.with(|found| {
        let gpus = &found.borrow().1;
        let gpu = usize::try_from(index).ok().and_then(|at| gpus.get(at));
        gpu.and_then(ask).unwrap_or_default()
    })
}

pub(crate) fn gpu_name(index: i64) -> Result<String, String> {
    Ok(of_gpu(index, |gpu| Some(gpu.name.clone())))
}

pub(crate) fn gpu_capability(index: i64) -> i64 {
    of_gpu(index, |gpu| {
        let (major, minor) = gpu.capability?;
        Some(i64::from(major) * 100 + i64::from(minor))
    })
}

pub(crate) fn gpu_memory(index: i64) -> i64 {
    of_gpu(index, |gpu| gpu.memory.map(number))
}

pub(crate) fn gpu_free_memory(index: i64) -> i64 {
    of_gpu(index, |gpu| gpu.free_memory.map(number))
}

pub(crate) fn driver_release() -> Result<String, String> {
    Ok(FOUND.with(|found| {
        let release = found.borrow().0.management.driver.clone();
        release.unwrap_or_default()
    }))
}

pub(crate) fn driver_cuda() -> i64 {
    FOUND.with(|found| i64::from(found.borrow().0.driver.cuda.unwrap_or(0)))
}
