//! Numbers of places in the source that stay the same where the rest of the program changes.
//!
//! Code tells the runtime the number of a place when an error passes it, so these numbers are in the code. Numbered in
//! the order in which they are met, all of them would change with the first function that has one place more. Here a
//! number is a hash of the function's name and of where in the function the place is; places with the same hash get
//! the numbers after it. The image has its sites in the order of their numbers, so that one is found by its number.

use rustc_hash::{FxHashSet, FxHasher};
use simple_image::form::{CallPlace, Caller};
use simple_middle::mir::{Module, NO_FUNCTION, Site, SiteId};
use std::hash::Hasher;

/// Numbers are below this: the runtime passes them as integers of 32 bits with a sign, of which some are below zero.
const ABOVE: u32 = 1 << 30;

/// The number of each place of the module.
pub(crate) fn numbers(module: &Module) -> Vec<u32> {
    let mut taken = FxHashSet::default();
    let number = |site: &Site| {
        let mut number = wanted(module, site) % ABOVE;
        while !taken.insert(number) {
            number = (number + 1) % ABOVE;
        }
        number
    };
    module.sites.iter().map(number).collect()
}

/// A hash of what a place is, by what does not change with other functions.
fn wanted(module: &Module, site: &Site) -> u32 {
    let mut hasher = FxHasher::default();
    let span = site.span;
    let declared = match module.funcs.get(site.func.0 as usize) {
        Some(func) if site.func != NO_FUNCTION => {
            hasher.write(func.name.as_bytes());
            func.site.and_then(|it| module.sites.get(it.0 as usize))
        }
        _ => None,
    };
    // The lines before a function say nothing about it.
    let start = declared
        .filter(|declared| declared.span.file == span.file)
        .map_or(0, |declared| declared.span.lo);
    hasher.write_u32(span.lo.wrapping_sub(start));
    hasher.write_u32(span.hi.wrapping_sub(span.lo));
    // The upper bits depend on all that was written.
    (hasher.finish() >> 32) as u32
}

/// Puts the sites of a module in the order of their numbers, and lets calls, what they were inlined from and foreign
/// functions refer to them there. Yields the numbers in that order.
pub(crate) fn sort(
    numbers: Vec<u32>,
    module: &mut Module,
    calls: &mut [CallPlace],
    callers: &mut [Caller],
) -> Vec<u32> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_unstable_by_key(|&site| numbers[site]);
    let mut places = vec![SiteId(0); numbers.len()];
    for (place, &site) in order.iter().enumerate() {
        places[site] = SiteId(place as u32);
    }
    let moved = |site: &mut SiteId| *site = places[site.0 as usize];
    calls
        .iter_mut()
        .filter_map(|call| call.site.as_mut())
        .for_each(moved);
    callers
        .iter_mut()
        .for_each(|caller| moved(&mut caller.site));
    module
        .externs
        .iter_mut()
        .for_each(|ext| moved(&mut ext.site));
    module.sites = order.iter().map(|&site| module.sites[site]).collect();
    order.iter().map(|&site| numbers[site]).collect()
}
