//! What a set-up says while it works: bars on a terminal, plain lines elsewhere, all on stderr.
//!
//! Standard output belongs to the program that is about to run, so progress is not written there.

use std::io::IsTerminal;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// The bars of steps that go on side by side: libtorch is fetched while the compiler is built.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Says one line on stderr. The launcher speaks in the same voice.
pub fn say(text: &str) {
    BARS.suspend(|| eprintln!("simple: {text}"));
}

/// Shows a line of another program on stderr, above the bars.
pub fn show(line: &str) {
    BARS.suspend(|| eprintln!("{line}"));
}

/// When a plain line tells of a step for the first time; then after twice that time, and so on, so that a long first start has few lines.
const PLAIN_PERIOD: Duration = Duration::from_secs(60);

/// What a step counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Bytes,
    /// Thousandths of the work, which are shown as percent.
    Share,
}

/// One step whose bytes, or whose share of the work, is counted.
pub struct Step {
    label: String,
    unit: Unit,
    total: Option<u64>,
    bar: Option<ProgressBar>,
    begun: Instant,
    /// When the next plain line is due, after the begin.
    due: Duration,
}

/// The whole of a step that counts its share.
pub const WHOLE: u64 = 1000;

impl Step {
    /// Begins a step of about `total` bytes; `None` when that is unknown.
    pub fn begin(label: &str, total: Option<u64>) -> Self {
        let template = match total {
            Some(_) => {
                "simple: {msg} [{bar:30}] {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left"
            }
            None => "simple: {msg} {spinner} {bytes}, {bytes_per_sec}",
        };
        Self::new(label, Unit::Bytes, total, template)
    }

    /// Begins a step that tells which of [`WHOLE`] parts are done.
    pub fn begin_share(label: &str) -> Self {
        let template = "simple: {msg} [{bar:30}] {percent}%, {elapsed} so far{prefix}";
        Self::new(label, Unit::Share, Some(WHOLE), template)
    }

    fn new(label: &str, unit: Unit, total: Option<u64>, template: &str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = match total {
                Some(total) => ProgressBar::new(total),
                None => ProgressBar::new_spinner(),
            };
            let style = ProgressStyle::with_template(template);
            bar.set_style(
                style
                    .unwrap_or_else(|_| ProgressStyle::default_bar())
                    .progress_chars("=> "),
            );
            bar.set_message(label.to_owned());
            BARS.add(bar)
        });
        if bar.is_none() {
            say(label);
        }
        let now = Instant::now();
        Self {
            label: label.to_owned(),
            unit,
            total,
            bar,
            begun: now,
            due: PLAIN_PERIOD,
        }
    }

    /// Tells how many bytes or parts are done in all.
    pub fn reached(&mut self, done: u64) {
        // An estimated total may be too low; a bar beyond its end would be odd.
        let done = self.total.map_or(done, |total| done.min(total));
        let so_far = self.begun.elapsed();
        if let Some(bar) = &self.bar {
            if self.unit == Unit::Share {
                bar.set_prefix(time_left(done, so_far));
            }
            bar.set_position(done);
        } else if so_far >= self.due {
            self.due = so_far * 2;
            say(&match self.unit {
                Unit::Bytes => plain_line(&self.label, done, self.total),
                Unit::Share => share_line(&self.label, done, so_far),
            });
        }
    }

    /// Ends the step.
    pub fn end(self) {
        let time = duration(self.begun.elapsed());
        let long = self.begun.elapsed() >= PLAIN_PERIOD;
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            BARS.remove(bar);
        }
        if long || self.bar.is_some() {
            say(&format!("{}: done in {time}", self.label));
        }
    }
}

fn plain_line(label: &str, done: u64, total: Option<u64>) -> String {
    let mb = |bytes: u64| bytes / 1_000_000;
    match total {
        Some(total) if total > 0 => format!(
            "{label}: {} of {} MB ({}%)",
            mb(done),
            mb(total),
            done * 100 / total
        ),
        _ => format!("{label}: {} MB", mb(done)),
    }
}

fn share_line(label: &str, done: u64, so_far: Duration) -> String {
    let (percent, time) = (done * 100 / WHOLE, duration(so_far));
    format!(
        "{label}: {percent}%, {time} so far{}",
        time_left(done, so_far)
    )
}

/// `, about 2 min left`; empty while too little is done to tell.
fn time_left(done: u64, so_far: Duration) -> String {
    if done * 20 < WHOLE || done >= WHOLE {
        return String::new();
    }
    let left = so_far.mul_f64((WHOLE - done) as f64 / done as f64);
    format!(", about {} left", duration(left))
}

fn duration(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_lines() {
        assert_eq!(
            plain_line("fetching", 50_000_000, Some(200_000_000)),
            "fetching: 50 of 200 MB (25%)"
        );
        assert_eq!(plain_line("fetching", 50_000_000, None), "fetching: 50 MB");
        assert_eq!(plain_line("fetching", 0, Some(0)), "fetching: 0 MB");
    }

    #[test]
    fn the_time_left_is_told_from_a_twentieth_on() {
        let minute = Duration::from_secs(60);
        assert_eq!(time_left(0, minute), "");
        assert_eq!(time_left(WHOLE / 20 - 1, minute), "");
        assert_eq!(time_left(WHOLE / 20, minute), ", about 19 min 0 s left");
        assert_eq!(time_left(WHOLE / 2, minute), ", about 1 min 0 s left");
        assert_eq!(time_left(WHOLE, minute), "");
    }

    #[test]
    fn lines_of_a_build_say_what_is_left() {
        let line = |done, seconds| share_line("building", done, Duration::from_secs(seconds));
        assert_eq!(
            line(400, 100),
            "building: 40%, 1 min 40 s so far, about 2 min 30 s left"
        );
        assert_eq!(line(900, 9), "building: 90%, 9 s so far, about 1 s left");
        assert_eq!(line(20, 15), "building: 2%, 15 s so far");
        assert_eq!(line(WHOLE, 60), "building: 100%, 1 min 0 s so far");
    }
}
