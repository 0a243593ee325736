//! Stack traces: the failing place and its callers, deep recursions cut in the middle.

/// A call in a stack trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The function.
    pub function: String,
    /// Its file.
    pub path: String,
    /// The line from 1.
    pub line: u32,
    /// The column from 1, in characters.
    pub column: u32,
}

/// The failing place first, then its callers; `omitted` of them are left out after the first `head.len()`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Trace {
    /// The first frames.
    pub head: Vec<Frame>,
    /// How many frames are left out after them.
    pub omitted: u64,
    /// The last frames, the program's start among them; empty when none are left out.
    pub tail: Vec<Frame>,
}

/// How many frames are kept at each end.
pub const KEPT: usize = 10;

impl Trace {
    /// A trace of these frames, of which `omitted` are missing after the first [`KEPT`].
    pub fn new(mut frames: Vec<Frame>, omitted: u64) -> Trace {
        let tail = if omitted > 0 {
            frames.split_off(frames.len().min(KEPT))
        } else {
            Vec::new()
        };
        Trace {
            head: frames,
            omitted,
            tail,
        }
    }

    /// The trace of these sites, the failing place first. Only the frames that are kept are resolved: an endless
    /// recursion has hundreds of thousands.
    pub(crate) fn of(sites: &[i32], frame: impl Fn(i32) -> Option<Frame>) -> Trace {
        let resolve = |sites: &[i32]| sites.iter().filter_map(|&site| frame(site)).collect();
        if sites.len() <= 2 * KEPT {
            return Trace {
                head: resolve(sites),
                omitted: 0,
                tail: Vec::new(),
            };
        }
        let last = sites.len() - KEPT;
        Trace {
            head: resolve(&sites[..KEPT]),
            omitted: (last - KEPT) as u64,
            tail: resolve(&sites[last..]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_traces_are_whole_and_long_ones_keep_both_ends() {
        let frame = |site| {
            Some(Frame {
                function: "f".into(),
                path: "a.spl".into(),
                line: site as u32,
                column: 1,
            })
        };
        let sites: Vec<i32> = (0..1000).collect();
        let short = Trace::of(&sites[..20], frame);
        assert_eq!(
            (short.head.len(), short.omitted, short.tail.len()),
            (20, 0, 0)
        );
        let long = Trace::of(&sites, frame);
        assert_eq!(
            (long.head.len(), long.omitted, long.tail.len()),
            (10, 980, 10)
        );
        assert_eq!((long.head[9].line, long.tail[0].line), (9, 990));
    }
}
