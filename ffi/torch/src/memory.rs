//! How much memory tensors take on each device, what to say when there is none left, and where large tensors were made.
//!
//! Numbers come from libtorch's allocators, for the CPU from `shim/memory.cpp`. The line that made a tensor is asked from the host, which reads it
//! from the stack. It is asked for tensors of 16 MB and more (of a thousandth of a GPU's memory, where that is less), together with whether their
//! device is nearly full, and for all of them only when a program or `SIMPLE_TENSOR_LINES=1` wants that.
//! Next: `lib/torch/memory.spl`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_char;
use std::fmt::Write;
use std::mem::ManuallyDrop;
use std::sync::Once;

use crate::libtorch::C_tensor;
use crate::libtorch::{Device, Tensor};

use crate::error::{ShimError, TorchError};
use crate::{device, lost, recent, shim, tensor};

unsafe extern "C" {
    fn simple_memory_stats(device: i64, out: *mut i64) -> *mut c_char;
    fn simple_memory_free_and_total(device: i64, out: *mut i64) -> *mut c_char;
    fn simple_reset_memory_stats(device: i64, sums: u8) -> *mut c_char;
    fn simple_empty_cache(cuda: u8) -> *mut c_char;
    fn simple_synchronize(device: i64) -> *mut c_char;
    fn simple_finish() -> *mut c_char;
    fn simple_is_large(tensor: *const C_tensor) -> u8;
    fn simple_set_large(bytes: i64) -> i64;
    fn simple_memory_of(
        tensor: *const C_tensor,
        device: *mut i64,
        address: *mut i64,
        bytes: *mut i64,
    ) -> u8;
}

simple_ffi_abi::functions! {
    /// What an allocator has counted on a device (nil: that of new tensors): 122 numbers, in the order of `STATS`
    /// in `lib/torch/memory.spl`.
    fn rt_torch_memory_stats(device: (device?)) -> [i64], fails, STATE => stats_of;
    /// How many bytes of a device's memory nothing uses, and how many it has.
    fn rt_torch_memory_free_and_total(device: (device?)) -> [i64], fails, STATE => free_and_total_of;
    /// Peaks begin anew at what is used now; with `sums`, what was taken and given back is counted from 0 instead.
    fn rt_torch_reset_memory_stats(device: (device?), sums: bool) -> (), flag, STATE => reset;
    /// Gives the system, and CUDA devices that are open, what is kept for the next tensors.
    fn rt_torch_empty_cache() -> (), flag, STATE => empty_cache;
    /// Waits until everything on a device has run.
    fn rt_torch_synchronize(device: (device?)) -> (), flag, STATE => synchronize;
    /// The tensors of a device that the program holds, by the line that made them, the most memory first, as lines of text.
    fn rt_torch_memory_by_line(device: (device?), lines: i64) -> text, fails, STATE => by_line;
    /// From how many bytes on it is remembered where a tensor was made; the number until now.
    fn rt_torch_set_lines_from(bytes: i64) -> i64, never, STATE => set_lines_from;
}

/// How many numbers `rt_torch_memory_stats` gives, and where those are that are needed here.
const STATS: usize = 122;
const ALLOCATED: usize = 4 * 12;
const RESERVED: usize = 5 * 12;

/// Lines of a report.
const MOST_LINES: usize = 10;

thread_local! {
    /// By the slot of its handle, the handle of a tensor and the site where it was made.
    static SITES: ManuallyDrop<RefCell<Vec<(i64, i64)>>> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };
    /// Devices by number: their memory in bytes, and whether it was said that it is nearly full.
    static SEEN: ManuallyDrop<RefCell<BTreeMap<i64, (i64, bool)>>> =
        const { ManuallyDrop::new(RefCell::new(BTreeMap::new())) };
}

/// The number of a device, opened if need be; -1 for the CPU.
fn opened(number: Option<i64>) -> Result<i64, TorchError> {
    let op = "memory";
    match device::open_numbered(number) {
        Ok(Device::Cuda(index)) => Ok(index as i64),
        Ok(Device::Cpu) => Ok(-1),
        Ok(other) => Err(TorchError::Device {
            op,
            device: device::name(other),
            reason: "its memory is not counted; `cpu` and `cuda:N` are".to_owned(),
        }),
        Err(reason) => Err(TorchError::Device {
            op,
            device: number.map_or_else(device::default_device, device::name_of_number),
            reason,
        }),
    }
}

fn failed(error: ShimError) -> TorchError {
    TorchError::Op {
        op: "memory",
        operands: String::new(),
        reason: error.to_string(),
    }
}

fn stats(device: i64) -> Result<Vec<i64>, ShimError> {
    let mut numbers = vec![0; STATS];
    // SAFETY: there is room for all the numbers.
    unsafe { shim::outcome(simple_memory_stats(device, numbers.as_mut_ptr())) }?;
    Ok(numbers)
}

fn stats_of(number: Option<i64>) -> Result<Vec<i64>, TorchError> {
    stats(opened(number)?).map_err(failed)
}

/// How many bytes of a device's memory nothing uses, and how many it has. A CUDA device must be open.
pub fn free_and_total(device: i64) -> Result<(i64, i64), ShimError> {
    let mut numbers = [0; 2];
    // SAFETY: there is room for two numbers.
    unsafe { shim::outcome(simple_memory_free_and_total(device, numbers.as_mut_ptr())) }?;
    Ok((numbers[0], numbers[1]))
}

fn free_and_total_of(number: Option<i64>) -> Result<Vec<i64>, TorchError> {
    let (free, total) = free_and_total(opened(number)?).map_err(failed)?;
    Ok(vec![free, total])
}

fn reset(number: Option<i64>, sums: bool) -> Result<(), TorchError> {
    let device = opened(number)?;
    // SAFETY: takes plain values; the result is the shim's failure text or null.
    unsafe { shim::outcome(simple_reset_memory_stats(device, sums.into())) }.map_err(failed)
}

fn empty_cache() -> Result<(), TorchError> {
    let cuda = u8::from(shim::cuda_count() > 0);
    // SAFETY: as above.
    unsafe { shim::outcome(simple_empty_cache(cuda)) }.map_err(failed)
}

fn synchronize(number: Option<i64>) -> Result<(), TorchError> {
    let device = opened(number)?;
    // SAFETY: as above.
    unsafe { shim::outcome(simple_synchronize(device)) }.map_err(failed)
}

/// Waits for the GPUs that the program used, which also lets their kernels print what they hold back. False where a kernel failed without any call after it
/// that waited; that is reported on standard error.
pub fn finish() -> bool {
    if shim::cuda_count() == 0 || lost::is_seen() {
        return true;
    }
    // SAFETY: takes nothing; the result is the shim's failure text or null.
    match unsafe { shim::outcome(simple_finish()) } {
        Ok(()) => true,
        Err(error) => {
            let why = recent::after_the_end(&error);
            eprintln!("error: the GPU failed after the last call that waited for it: {why}");
            false
        }
    }
}

fn set_lines_from(bytes: i64) -> i64 {
    // SAFETY: takes and returns a plain number.
    unsafe { simple_set_large(bytes.max(0)) }
}

/// Whether it is remembered where a tensor of this size was made.
#[inline]
pub fn is_large(tensor: &Tensor) -> bool {
    // SAFETY: the tensor is alive for the call, which only reads it.
    unsafe { simple_is_large(tensor.as_ptr()) != 0 }
}

/// Remembers where a new tensor was made, and warns when its device is nearly full.
#[cold]
pub fn note(handle: i64, device: Device) {
    let site = simple_ffi_abi::export::host().map_or(-1, |host| host.site());
    let slot = (handle & 0xffff_ffff) as usize;
    SITES.with(|sites| {
        let mut sites = sites.borrow_mut();
        if sites.len() <= slot {
            sites.resize(slot + 1, (0, -1));
        }
        sites[slot] = (handle, site);
    });
    let number = match device {
        Device::Cpu => -1,
        Device::Cuda(index) => index as i64,
        _ => return,
    };
    warn_when_full(number);
}

/// Says once for each device that tensors take more than nine tenths of its memory.
fn warn_when_full(number: i64) {
    SEEN.with(|seen| {
        let mut seen = seen.borrow_mut();
        let device = seen
            .entry(number)
            .or_insert_with(|| (free_and_total(number).map_or(0, |(_, total)| total), false));
        if device.1 || device.0 <= 0 {
            return;
        }
        let used = stats(number).map_or(0, |numbers| numbers[ALLOCATED]);
        if used as f64 > device.0 as f64 * 0.9 {
            device.1 = true;
            let name = device::name_of_number(number);
            eprintln!(
                "warning: memory usage of {name} > 90%: tensors take {} of {}; make batches smaller, or `memory_summary(\"{name}\")` shows \
                 what takes it",
                shown(used),
                shown(device.0)
            );
        }
    });
}

/// A number of bytes as PyTorch's messages have it.
fn shown(bytes: i64) -> String {
    let amount = bytes as f64;
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{:.2} KiB", amount / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.2} MiB", amount / 1_048_576.0),
        _ => format!("{:.2} GiB", amount / 1_073_741_824.0),
    }
}

/// Tensors that were made by one line.
#[derive(Default)]
struct Line {
    bytes: i64,
    count: usize,
    /// The size and shape of the largest.
    largest: (i64, Vec<i64>, &'static str),
}

/// What the program holds on a device: bytes in all, and by the place that made it, -1 where that is not known. Memory that several tensors
/// share counts once.
fn held(device: i64) -> (i64, BTreeMap<i64, Line>) {
    let mut lines: BTreeMap<i64, Line> = BTreeMap::new();
    let mut counted = BTreeSet::new();
    let mut all = 0;
    tensor::with_table(|table| {
        let Ok(table) = table.try_borrow() else {
            return;
        };
        for (handle, tensor) in table.iter() {
            let (mut number, mut address, mut bytes) = (0, 0, 0);
            // SAFETY: the tensor is alive for the call, which only reads it; there are places for the results.
            let found = unsafe {
                simple_memory_of(
                    tensor.as_ptr(),
                    &raw mut number,
                    &raw mut address,
                    &raw mut bytes,
                )
            };
            if found == 0 || number != device || bytes == 0 || !counted.insert(address) {
                continue;
            }
            let line = lines.entry(site_of(handle)).or_default();
            line.bytes += bytes;
            line.count += 1;
            if bytes > line.largest.0 {
                let dtype = device::name_of_dtype(tensor.dtype());
                line.largest = (bytes, tensor.size(), dtype);
            }
            all += bytes;
        }
    });
    (all, lines)
}

fn site_of(handle: i64) -> i64 {
    SITES.with(|sites| {
        let slot = (handle & 0xffff_ffff) as usize;
        match sites.borrow().get(slot) {
            Some(&(noted, site)) if noted == handle => site,
            _ => -1,
        }
    })
}

fn by_line(number: Option<i64>, lines: i64) -> Result<String, TorchError> {
    Ok(report(opened(number)?, lines.clamp(0, 1000) as usize))
}

/// The lines of a report, each with two spaces before it.
fn report(device: i64, most: usize) -> String {
    let (all, lines) = held(device);
    let mut lines: Vec<(i64, Line)> = lines.into_iter().collect();
    lines.sort_by_key(|(_, line)| -line.bytes);
    let mut out = String::new();
    let place = |site: i64| match simple_ffi_abi::export::host() {
        Some(host) if site >= 0 => host.place(site),
        _ => "small tensors, whose lines SIMPLE_TENSOR_LINES=1 remembers".to_owned(),
    };
    for (site, line) in lines.iter().take(most) {
        let (tensors, largest) = match line.count {
            1 => ("1 tensor".to_owned(), ""),
            count => (format!("{count} tensors"), ", the largest"),
        };
        let (_, shape, dtype) = &line.largest;
        let _ = writeln!(
            out,
            "  {:>12}  {}: {tensors}{largest} {shape:?} {dtype}",
            shown(line.bytes),
            place(*site)
        );
    }
    if let [_, ..] = lines.get(most..).unwrap_or_default() {
        let rest: i64 = lines[most..].iter().map(|(_, line)| line.bytes).sum();
        let _ = writeln!(
            out,
            "  {:>12}  {} other lines",
            shown(rest),
            lines.len() - most
        );
    }
    let used = stats(device).map_or(0, |numbers| numbers[ALLOCATED]);
    // Less than that is what rounding up to whole blocks makes.
    if used - all > 1024 {
        let _ = writeln!(
            out,
            "  {:>12}  gradients, what backward needs, and libtorch's own",
            shown(used - all)
        );
    }
    out
}

/// The device that has no memory left, if that is what a reason of libtorch says.
fn exhausted(reason: &str) -> Option<i64> {
    if reason.contains("DefaultCPUAllocator: can't allocate memory") {
        return Some(-1);
    }
    if simple_ffi_abi::device::is_refused_memory(reason) {
        // Libraries do not say which GPU it was; most programs use one.
        return Some(match device::options().1 {
            Device::Cuda(number) => number as i64,
            _ => 0,
        });
    }
    let after = reason.split_once("CUDA out of memory")?.1;
    let number = after
        .split_once("GPU ")
        .map(|(_, rest)| rest.trim_start_matches(|c: char| !c.is_ascii_digit()))
        .and_then(|rest| {
            rest.split(|c: char| !c.is_ascii_digit())
                .next()?
                .parse()
                .ok()
        });
    Some(number.unwrap_or(0))
}

/// What is added to a reason that means that a device has no memory left: what is free, what takes the rest, what to do. Empty for others.
#[cold]
pub fn advice(reason: &str) -> String {
    let Some(device) = exhausted(reason) else {
        return String::new();
    };
    let name = device::name_of_number(device);
    let mut out = format!("\nout of memory on {name}");
    if let Ok((free, total)) = free_and_total(device) {
        let _ = write!(out, ": {} free of {}", shown(free), shown(total));
    }
    if let Ok(numbers) = stats(device) {
        let (used, reserved) = (numbers[ALLOCATED], numbers[RESERVED]);
        let kept = (reserved - used).max(0);
        let _ = write!(
            out,
            "; tensors take {}, and {} is kept for the next ones",
            shown(used),
            shown(kept)
        );
    }
    let lines = report(device, MOST_LINES);
    if !lines.is_empty() {
        let _ = write!(
            out,
            "\nby the line that made them:\n{}",
            lines.trim_end_matches('\n')
        );
    }
    out.push_str(
        "\nmake batches smaller (`loader.halve_batch_size()` goes on with half of each; `accumulate_steps` keeps the numbers of large ones), make \
         layers smaller, compute in bf16 or f16 (`autocast`), free tensors that are no longer needed, or compute what needs no gradient inside \
         `nograd:`",
    );
    out
}

/// Remembers also where smaller tensors were made, if a thousandth of the device's memory is less. The device must be in use.
pub fn look_at(number: i64) {
    if let Ok((_, total)) = free_and_total(number) {
        let before = set_lines_from(total / 1024);
        set_lines_from(before.min(total / 1024));
    }
}

/// Takes `SIMPLE_TENSOR_LINES` from the environment, once.
pub fn configure() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if std::env::var_os("SIMPLE_TENSOR_LINES")
            .is_some_and(|wanted| wanted != "0" && !wanted.is_empty())
        {
            set_lines_from(0);
        }
    });
}
