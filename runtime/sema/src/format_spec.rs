//! Format specs of interpolation: reading them, and whether one fits a type.
//!
//! Leaves out formatting itself, which the runtime does. See `doc/language/text.md`.

use crate::typed::{FormatSpec, Ty};

/// What a format spec says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Parsed {
    /// A computed width or precision is 0 here.
    pub spec: FormatSpec,
    /// Whether the program computes the width.
    pub width: bool,
    /// Whether the program computes the precision.
    pub precision: bool,
}

/// Reads `[[fill]align][sign][#][0][width][,|_][.precision][type]`, where `{}` is a width or precision that is computed.
pub(crate) fn parse(spec: &str) -> Result<Parsed, String> {
    let chars: Vec<char> = spec.chars().collect();
    let mut at = 0;
    let mut parsed = Parsed::default();
    let out = &mut parsed.spec;
    let is_align = |c: Option<&char>| matches!(c, Some('<' | '>' | '^' | '='));
    if is_align(chars.get(1)) {
        out.fill = Some(chars[0]);
        out.align = Some(chars[1]);
        at = 2;
    } else if is_align(chars.first()) {
        out.align = Some(chars[0]);
        at = 1;
    }
    if let Some(&c @ ('+' | '-' | ' ')) = chars.get(at) {
        out.sign = Some(c);
        at += 1;
    }
    if chars.get(at) == Some(&'#') {
        out.alternate = true;
        at += 1;
    }
    if chars.get(at) == Some(&'0') {
        out.zero = true;
        at += 1;
    }
    if is_computed(&chars, at) {
        parsed.width = true;
        at += 2;
    } else {
        let (width, next) = number(&chars, at, "width")?;
        out.width = width.unwrap_or(0);
        at = next;
    }
    if let Some(&c @ (',' | '_')) = chars.get(at) {
        out.grouping = Some(c);
        at += 1;
    }
    if chars.get(at) == Some(&'.') && is_computed(&chars, at + 1) {
        parsed.precision = true;
        out.precision = Some(0);
        at += 3;
    } else if chars.get(at) == Some(&'.') {
        let (precision, next) = number(&chars, at + 1, "precision")?;
        out.precision = Some(precision.ok_or("a precision needs digits after the point")?);
        at = next;
    }
    if let Some(&c) = chars.get(at) {
        if !"dboxXceEfFgGsn%?".contains(c) {
            return Err(format!("`{c}` is not a format type"));
        }
        out.kind = Some(c);
        at += 1;
    }
    match chars.get(at) {
        Some(c) => Err(format!("unexpected `{c}` after the format type")),
        None => Ok(parsed),
    }
}

fn is_computed(chars: &[char], at: usize) -> bool {
    chars.get(at..at + 2) == Some(&['{', '}'])
}

fn number(chars: &[char], mut at: usize, what: &str) -> Result<(Option<u32>, usize), String> {
    let mut value = None;
    while let Some(digit) = chars.get(at).and_then(|c| c.to_digit(10)) {
        let next = value.unwrap_or(0) * 10 + digit;
        if next > 10_000 {
            return Err(format!("the {what} is greater than 10000"));
        }
        value = Some(next);
        at += 1;
    }
    Ok((value, at))
}

/// Why a spec does not fit values of a type, if it does not.
pub(crate) fn misfit(spec: &FormatSpec, ty: &Ty) -> Option<String> {
    // What is printed for programmers is text, whatever it is.
    let number = spec.kind != Some('?');
    let integer = number && matches!(ty, Ty::Int(_));
    let float = number && matches!(ty, Ty::F32 | Ty::F64);
    match spec.kind {
        Some(kind @ ('d' | 'b' | 'o' | 'x' | 'X' | 'c')) if !integer => {
            return Some(format!("the format type `{kind}` is for integers"));
        }
        Some(kind @ ('e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'n' | '%')) if !(integer || float) => {
            return Some(format!("the format type `{kind}` is for numbers"));
        }
        Some('s') if integer || float => return Some("the format type `s` is for text".into()),
        _ => {}
    }
    if integer
        && spec.precision.is_some()
        && !matches!(
            spec.kind,
            Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'n' | '%')
        )
    {
        return Some("an integer has no places after the point; add `f` to show some".into());
    }
    if !(integer || float) {
        if spec.sign.is_some() {
            return Some("a sign is for numbers".into());
        }
        if spec.grouping.is_some() {
            return Some("grouping is for numbers".into());
        }
        if spec.align == Some('=') {
            return Some("the alignment `=` is for numbers".into());
        }
        if spec.alternate {
            return Some("`#` is for numbers".into());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_part() {
        let parsed = parse("*^+#012,.3f").unwrap();
        let spec = parsed.spec;
        assert!(!parsed.width && !parsed.precision);
        assert_eq!(
            (spec.fill, spec.align, spec.sign),
            (Some('*'), Some('^'), Some('+'))
        );
        assert!(spec.alternate && spec.zero);
        assert_eq!(
            (spec.width, spec.grouping, spec.precision, spec.kind),
            (12, Some(','), Some(3), Some('f'))
        );
        assert_eq!(parse(">6").unwrap().spec.width, 6);
        let parsed = parse("0{}.{}e").unwrap();
        assert!(parsed.width && parsed.precision && parsed.spec.zero);
        assert_eq!(parsed.spec.precision, Some(0));
        assert_eq!(parse("<{}?").unwrap().spec.kind, Some('?'));
        assert!(parse("{}{}").is_err());
        assert!(parse(".f").is_err());
        assert!(parse("q").is_err());
        assert!(parse("99999999999").is_err());
    }
}
