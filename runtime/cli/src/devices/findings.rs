//! What `simple doctor` found: links of the chain with their state, and how they are printed.

use super::advice;
use std::fmt::Write as _;

/// What became of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It works, or is not needed.
    Ok,
    /// Programs run, not as well as they could or not as asked.
    Warning,
    /// A device cannot be used because of it.
    Broken,
}

/// A link of the chain.
#[derive(Debug)]
pub struct Finding {
    /// Which.
    pub link: &'static str,
    /// What became of it.
    pub state: State,
    /// What was found.
    pub found: String,
    /// Why it is so and what to do, unless it is well.
    pub advice: Option<(String, String)>,
}

/// Findings as they are made.
#[derive(Default)]
pub struct Findings(pub Vec<Finding>);

impl Findings {
    /// A link that is well.
    pub fn ok(&mut self, link: &'static str, found: impl Into<String>) {
        self.0.push(Finding {
            link,
            state: State::Ok,
            found: found.into(),
            advice: None,
        });
    }

    /// A link that is not, with cause and cure.
    pub fn bad(
        &mut self,
        link: &'static str,
        state: State,
        found: impl Into<String>,
        cause: impl Into<String>,
        cure: impl Into<String>,
    ) {
        self.0.push(Finding {
            link,
            state,
            found: found.into(),
            advice: Some((cause.into(), cure.into())),
        });
    }

    /// A failure that says of itself what is wrong.
    pub fn said(&mut self, link: &'static str, state: State, said: &str) {
        let advice = advice::about(said);
        self.bad(link, state, said, advice.cause, advice.cure);
    }
}

/// The findings, a line each and two more for what is not well.
pub fn text(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let state = match finding.state {
            State::Ok => "ok",
            State::Warning => "warning",
            State::Broken => "broken",
        };
        let indented = |text: &str| text.replace('\n', "\n                        ");
        let _ = writeln!(
            out,
            "{state:<9}{:<15}{}",
            finding.link,
            indented(&finding.found)
        );
        if let Some((cause, cure)) = &finding.advice {
            let _ = writeln!(out, "{:24}cause: {}", "", indented(cause));
            let _ = writeln!(out, "{:24}cure: {}", "", indented(cure));
        }
    }
    out
}
