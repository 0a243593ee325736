//! Whether Ctrl-C can be tried here, for the tests that send it.

/// Whether this process was started with SIGINT ignored, as jobs in the background of a script are; then so do the programs it starts,
/// and the test is left out. Where that cannot be asked, no.
pub fn are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = mask
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 0b10 != 0);
    if ignored {
        println!(
            "left out: what started the tests ignores Ctrl-C, and so do all programs from here on"
        );
    }
    ignored
}
