//! Which releases of libtorch the torch library is built for. Each is built against the headers of the libtorch that is found, so one source tree
//! serves them all; `kept.rs` keeps what was built for each.

/// The oldest and the newest release that were tried, as major and minor number; those between them are taken to fit.
const OLDEST: (u32, u32) = (2, 11);
const NEWEST: (u32, u32) = (2, 15);

/// The same for messages.
pub const RANGE: &str = "2.11 to 2.15";

/// How a release goes with this source tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It is in the range that was tried.
    Known,
    /// It is newer than that. It is used, with a warning when the library is built.
    Newer,
    /// It is older, or of another major version, or not a version at all: its headers have not what the sources need.
    Unknown,
}

/// Judges a release such as `2.15.0`.
pub fn fit(version: &str) -> Fit {
    let mut parts = version.split('.');
    let mut number = || -> Option<u32> {
        let digits = parts.next()?;
        // The launcher takes only digits as well, of which one or two make a minor number.
        let plain = (1..=2).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse().ok().filter(|_| plain)
    };
    match (number(), number()) {
        (Some(major), Some(minor)) if major == OLDEST.0 && minor >= OLDEST.1 => {
            match (major, minor) <= NEWEST {
                true => Fit::Known,
                false => Fit::Newer,
            }
        }
        _ => Fit::Unknown,
    }
}

/// The numbers of a release, by which releases are sorted.
pub fn numbers(version: &str) -> Vec<u32> {
    version
        .split('.')
        .map_while(|part| part.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_judged_by_their_numbers() {
        for known in ["2.11.0", "2.12.1", "2.14.0", "2.15.3", "2.15"] {
            assert_eq!(fit(known), Fit::Known, "{known}");
        }
        for newer in ["2.16.0", "2.16.0a0", "2.99.1"] {
            assert_eq!(fit(newer), Fit::Newer, "{newer}");
        }
        for unknown in [
            "2.10.9", "2.9.1", "2", "3.0.0", "1.15.0", "", "2.x", "2.+12", "12.11", "2.011.0",
            "2.100.0",
        ] {
            assert_eq!(fit(unknown), Fit::Unknown, "{unknown}");
        }
        let ends = [OLDEST, NEWEST].map(|(major, minor)| format!("{major}.{minor}"));
        assert_eq!(RANGE, ends.join(" to "));
    }
}
