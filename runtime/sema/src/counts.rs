//! Counts in messages: "no arguments", "1 was given".

/// `1 argument`, `2 arguments`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    match count {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// What a call has, after what it needs: "1 was given", "3 were given".
pub(crate) fn given_count(count: usize) -> String {
    match count {
        1 => "1 was given".to_owned(),
        _ => format!("{count} were given"),
    }
}
