//! What a set-up says while it works: bars on a terminal, plain lines elsewhere, all on stderr.
//!
//! Standard output belongs to the program that is about to run, so nothing of this goes there.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Says one line on stderr. The launcher speaks in the same voice.
pub fn say(text: &str) {
    eprintln!("simple: {text}");
}

/// How often a plain line tells of a step that goes on.
const PLAIN_PERIOD: Duration = Duration::from_secs(15);

/// One step whose bytes are counted.
pub struct Step {
    label: String,
    total: Option<u64>,
    bar: Option<ProgressBar>,
    begun: Instant,
    spoken: Instant,
}

impl Step {
    /// Begins a step of about `total` bytes; `None` when nobody knows.
    pub fn begin(label: &str, total: Option<u64>) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let (bar, template) = match total {
                Some(total) => (
                    ProgressBar::new(total),
                    "simple: {msg} [{bar:30}] {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left",
                ),
                None => (
                    ProgressBar::new_spinner(),
                    "simple: {msg} {spinner} {bytes}, {bytes_per_sec}",
                ),
            };
            let style = ProgressStyle::with_template(template);
            bar.set_style(
                style
                    .unwrap_or_else(|_| ProgressStyle::default_bar())
                    .progress_chars("=> "),
            );
            bar.set_message(label.to_owned());
            bar
        });
        if bar.is_none() {
            say(label);
        }
        let now = Instant::now();
        Self {
            label: label.to_owned(),
            total,
            bar,
            begun: now,
            spoken: now,
        }
    }

    /// Tells how many bytes are done in all.
    pub fn reached(&mut self, done: u64) {
        // An estimated total may be too low; a bar beyond its end would be odd.
        let done = self.total.map_or(done, |total| done.min(total));
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        } else if self.spoken.elapsed() >= PLAIN_PERIOD {
            self.spoken = Instant::now();
            say(&plain_line(&self.label, done, self.total));
        }
    }

    /// Ends the step.
    pub fn end(self) {
        let seconds = self.begun.elapsed().as_secs();
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
            say(&format!("{}: done in {seconds} s", self.label));
        } else if seconds > 0 {
            say(&format!("{}: done in {seconds} s", self.label));
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
}
