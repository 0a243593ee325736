//! How often lines of a program ran, where it was compiled to count them.
//!
//! Compiled code tells of each statement ([`rt_cover`]) by the number of its file and its line. Leaves out which lines
//! there are (`simple_middle::lower::coverable`), and what threads of their own run.

use std::cell::RefCell;

thread_local! {
    /// The counts of each file, by its number, and each line.
    static COUNTS: RefCell<Vec<Vec<u64>>> = const { RefCell::new(Vec::new()) };
}

/// A line runs: the number of its file in the upper half, its own in the lower one.
pub extern "C" fn rt_cover(place: i64) {
    let (file, line) = ((place >> 32) as usize, (place & 0xffff_ffff) as usize);
    COUNTS.with(|counts| {
        let mut counts = counts.borrow_mut();
        if counts.len() <= file {
            counts.resize_with(file + 1, Vec::new);
        }
        let lines = &mut counts[file];
        if lines.len() <= line {
            lines.resize(line + 1, 0);
        }
        lines[line] += 1;
    });
}

/// How often a line ran.
pub fn count(file: u32, line: u32) -> u64 {
    COUNTS.with(|counts| {
        let counts = counts.borrow();
        let lines = counts.get(file as usize);
        lines
            .and_then(|lines| lines.get(line as usize))
            .copied()
            .unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_by_file() {
        for place in [(2_i64 << 32) | 7, (2 << 32) | 7, 9] {
            rt_cover(place);
        }
        assert_eq!((count(2, 7), count(0, 9)), (2, 1));
        assert_eq!((count(2, 8), count(1, 7), count(50, 1)), (0, 0, 0));
    }
}
