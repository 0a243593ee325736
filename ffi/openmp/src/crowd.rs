//! Whether other programs want the cores that this one computes on.
//!
//! Linux counts for each thread how long it was ready to run and had to wait for a core (`/proc/thread-self/schedstat`, the second number, in
//! nanoseconds; see "Scheduler Statistics" in the kernel's documentation). On a quiet machine that is less than a hundredth of the
//! time; with one more program on each core it is a third to a half. Where the file is missing the machine counts as quiet.

use std::cell::RefCell;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How often a thread that begins teams looks.
const PERIOD: Duration = Duration::from_millis(50);
/// The clock is read once in so many calls.
const CALLS: u32 = 8;
/// From this share of waiting on the machine is busy; below [`QUIET`] it is quiet again. Between the two it stays what it was.
const BUSY: f64 = 0.10;
const QUIET: f64 = 0.03;

static HERE: AtomicBool = AtomicBool::new(false);

thread_local! {
    static WATCH: RefCell<Watch> = const { RefCell::new(Watch { calls: 0, file: None, last: None }) };
}

struct Watch {
    calls: u32,
    file: Option<File>,
    /// When this thread looked, and how long it had waited for a core until then.
    last: Option<(Instant, Duration)>,
}

/// Whether the machine is busy.
pub fn is_here() -> bool {
    HERE.load(Relaxed)
}

/// A time between two looks.
pub struct Period {
    pub span: Duration,
    /// How long the thread that looked had no core, though it was ready.
    pub waited: Duration,
}

/// Called by a thread at the beginning of each team; `Some` when a period is over. Where `alone` is false the threads of its team share
/// cores ([`super::pairs`]): they wait for each other, which says nothing of other programs, so whether the machine is busy stays as it was.
pub fn look(alone: bool) -> Option<Period> {
    // A thread that is about to end does not look.
    WATCH
        .try_with(|watch| watch.borrow_mut().look(alone))
        .ok()?
}

/// The time that a `schedstat` says its thread waited for a core.
pub fn waited(schedstat: &File) -> Option<Duration> {
    let mut bytes = [0; 96];
    let length = schedstat.read_at(&mut bytes, 0).ok()?;
    parse(&bytes[..length])
}

impl Watch {
    fn look(&mut self, alone: bool) -> Option<Period> {
        self.calls = self.calls.wrapping_add(1);
        if self.calls % CALLS != 1 {
            return None;
        }
        let now = Instant::now();
        let Some((then, before)) = self.last else {
            self.file = File::open("/proc/thread-self/schedstat").ok();
            self.last = waited(self.file.as_ref()?).map(|waited| (now, waited));
            return None;
        };
        let span = now - then;
        if span < PERIOD {
            return None;
        }
        let since = waited(self.file.as_ref()?)?;
        self.last = Some((now, since));
        let waited = since.saturating_sub(before);
        if alone {
            let share = waited.as_secs_f64() / span.as_secs_f64();
            HERE.store(judge(is_here(), share), Relaxed);
        }
        Some(Period { span, waited })
    }
}

/// Whether a thread that waited for this share of the time is on a busy machine, which `was` busy or quiet before.
fn judge(was: bool, share: f64) -> bool {
    if was { share >= QUIET } else { share >= BUSY }
}

/// The second number of `schedstat`.
fn parse(text: &[u8]) -> Option<Duration> {
    let number = std::str::from_utf8(text)
        .ok()?
        .split_ascii_whitespace()
        .nth(1)?;
    number.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_is_the_time_spent_waiting() {
        assert_eq!(parse(b"1500 2500 12\n"), Some(Duration::from_nanos(2500)));
        assert_eq!(parse(b"1500\n"), None);
        assert_eq!(parse(b"a b c"), None);
        assert_eq!(parse(b"\xff 3 4"), None);
    }

    #[test]
    fn between_busy_and_quiet_it_stays_what_it_was() {
        assert!(judge(false, 0.4));
        assert!(judge(true, 0.4));
        assert!(!judge(false, 0.05));
        assert!(judge(true, 0.05));
        assert!(!judge(true, 0.001));
    }

    #[test]
    fn this_thread_has_a_time_spent_waiting() {
        let mut watch = Watch {
            calls: 0,
            file: None,
            last: None,
        };
        let _ = watch.look(true);
        assert_eq!(
            watch.last.is_some(),
            std::path::Path::new("/proc/thread-self/schedstat").exists()
        );
    }
}
