//! Clocks and waiting.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub(super) fn now_ms() -> i64 {
    let millis = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => millis(since),
        Err(before) => -millis(before.duration()),
    }
}

/// Counted from the first call, so that the number stays small enough for any subtraction.
pub(super) fn now_ns() -> i64 {
    static START: OnceLock<Instant> = OnceLock::new();
    i64::try_from(START.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(i64::MAX)
}

pub(super) fn sleep_ms(duration: i64) {
    crate::io::flush();
    if let Ok(millis) = u64::try_from(duration) {
        std::thread::sleep(Duration::from_millis(millis));
    }
}
