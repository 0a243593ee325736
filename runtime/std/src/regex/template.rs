//! What a match is replaced by: a text in which `\1` and `\g<name>` are groups, as in Python.

/// A part of a replacement.
pub(super) enum Piece {
    Text(String),
    Group(usize),
}

/// The parts of a replacement for a pattern whose groups have these names.
pub(super) fn template(with: &str, names: &[String]) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = with;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let digits = after.len()
            - after
                .trim_start_matches(|digit: char| digit.is_ascii_digit())
                .len();
        let named = after
            .strip_prefix("g<")
            .and_then(|name| name.split_once('>'));
        let name = if digits > 0 {
            let digits = digits.min(2);
            rest = &after[digits..];
            &after[..digits]
        } else if let Some((name, then)) = named {
            rest = then;
            name
        } else {
            let mut characters = after.chars();
            match characters.next() {
                Some('\\') => plain.push('\\'),
                Some('n') => plain.push('\n'),
                Some('r') => plain.push('\r'),
                Some('t') => plain.push('\t'),
                other => {
                    let shown = other.map(String::from).unwrap_or_default();
                    return Err(format!(
                        "the replacement `{with}` has an unknown escape `\\{shown}`; \
                         `\\\\` is a backslash, `\\1` a group"
                    ));
                }
            }
            rest = characters.as_str();
            continue;
        };
        let group = match name.parse() {
            Ok(number) => Some(number).filter(|number: &usize| *number < names.len()),
            Err(_) => names
                .iter()
                .position(|known| !known.is_empty() && known == name),
        };
        let group = group.ok_or_else(|| {
            format!("the replacement `{with}` names the group `{name}`, which the pattern has not")
        })?;
        if !plain.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
        }
        pieces.push(Piece::Group(group));
    }
    plain.push_str(rest);
    pieces.push(Piece::Text(plain));
    Ok(pieces)
}
