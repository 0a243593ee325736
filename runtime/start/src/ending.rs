//! A program runs and ends: its error is shown, its examples are counted, what still lives is told, and all of that
//! is its exit code.

use crate::failure;
use crate::output::{complain, say, wants_colour};
use simple_bridge::Bridge;
use simple_core::externs::spec::{self, Tally};
use simple_core::interrupt;
use simple_image::{Executable, Outcome, RuntimeFailure};
use simple_syntax::SourceMap;

/// What is watched while a program runs.
#[derive(Debug, Default)]
pub struct Watch {
    /// Whether what still lives at the end is told ([`watch_leaks`]).
    pub leaks: bool,
    /// Seconds after which it is ended.
    pub timeout: Option<u64>,
}

/// Remembers every object from now on if `SIMPLE_CHECK_LEAKS` asks for it, and says whether it does.
pub fn watch_leaks() -> bool {
    let asked = std::env::var_os("SIMPLE_CHECK_LEAKS")
        .is_some_and(|value| value != "0" && !value.is_empty());
    if asked {
        simple_core::memory::use_system_allocator();
        simple_core::memory::track_objects(true);
    }
    asked
}

/// Runs a program to its end and yields its exit code, which [`simple_core::io::end_process`] takes. `again` may run
/// it once more after an error, and says then how that ended.
pub fn end(
    executable: &Executable,
    sources: &SourceMap,
    bridge: &Bridge,
    watch: Watch,
    again: impl FnOnce(&RuntimeFailure) -> Option<u8>,
) -> u8 {
    if let Some(seconds) = watch.timeout {
        interrupt::limit_time(seconds);
    }
    prepare_specs();
    spec::start();
    let outcome = executable.run();
    simple_core::io::flush();
    let mut code = match outcome {
        Outcome::Exit(code) => (code & 0xff) as u8,
        Outcome::Error(error) => {
            let text = failure::render(&error, sources);
            complain!("{}", text.trim_end());
            failure::leave(&error.message, &text);
            if let Some(code) = again(&error) {
                return code;
            }
            1
        }
    };
    if simple_core::error::drop_failed() || simple_core::callback::unreported() {
        code = code.max(1);
    }
    code = conclude_specs(code);
    if watch.leaks {
        for line in leaks(bridge) {
            complain!("leak: {line}");
            code = code.max(1);
        }
    }
    code
}

/// What still lives of a program that has ended: objects of the runtime and handles of libraries, a line each.
pub fn leaks(bridge: &Bridge) -> Vec<String> {
    let mut lines = simple_core::leaks::report();
    for (library, count) in bridge.live_handles() {
        if count > 0 {
            lines.push(format!("{count} handles of {library} still live"));
        }
    }
    lines
}

/// Lets a spec file that runs on its own write in colour where that can be seen.
fn prepare_specs() {
    if !spec::is_recorded() && wants_colour(&std::io::stdout()) {
        spec::set_options(vec![("colour".to_owned(), "on".to_owned())]);
    }
}

/// The exit code of a program that came to its end with `code`, examples considered. For one that runs on its own the
/// sum is written, if it has examples.
fn conclude_specs(code: u8) -> u8 {
    let tally = spec::tally();
    if spec::is_recorded() {
        spec::finish();
        return code.max((tally.failed > 0).into());
    }
    if tally == Tally::default() {
        return code;
    }
    say!("{}", summary(tally));
    code.max((tally.failed > 0 || tally.passed == 0).into())
}

/// How many examples passed, failed and were skipped, in words.
pub fn summary(tally: Tally) -> String {
    let Tally {
        passed,
        failed,
        skipped,
    } = tally;
    match skipped {
        0 => format!("{passed} passed, {failed} failed"),
        _ => format!("{passed} passed, {failed} failed, {skipped} skipped"),
    }
}
