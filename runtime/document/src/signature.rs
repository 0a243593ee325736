//! The parts of a signature that is written on one line: its parameters, and name, type and default of each.

/// Where the parameters of a function begin and end: its outermost parentheses.
pub fn parentheses(signature: &str) -> Option<(usize, usize)> {
    let open = signature.find('(')?;
    let (mut depth, mut quoted) = (0_usize, false);
    for (at, letter) in signature.char_indices().skip_while(|(at, _)| *at < open) {
        match letter {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some((open, at));
                }
            }
            _ => {}
        }
    }
    None
}

/// What is between commas that are in no bracket and no text.
pub fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut from, mut found) = (0_i64, false, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if !text[..at].ends_with('-') => depth -= 1,
            ',' if depth == 0 => {
                found.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    if !text[from..].trim().is_empty() {
        found.push(text[from..].trim());
    }
    found
}

/// The parameters of a function or method; none of what is not one.
pub fn parameters(signature: &str) -> Vec<&str> {
    let head = signature.split('(').next().unwrap_or_default();
    let is_function = head.split(' ').any(|word| matches!(word, "fn" | "me"));
    match parentheses(signature).filter(|_| is_function) {
        Some((open, close)) => split(&signature[open + 1..close]),
        None => Vec::new(),
    }
}

/// Name, type and default of `name: type = default`; what is missing is empty.
pub fn parts(text: &str) -> (&str, &str, &str) {
    let (rest, default) = text.split_once(" = ").unwrap_or((text, ""));
    match rest.split_once(':') {
        Some((name, ty)) if !name.contains(['(', '<']) => (name.trim(), ty.trim(), default),
        _ => (rest, "", default),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_signatures() {
        let signature = "fn topk<T>(k: i64, dim: i64 = -1, f: fn(a: i64, b: i64) -> {text: i64}, \
                         s: text = \"a, (b\") -> (Tensor, Tensor)";
        let found = parameters(signature);
        let function = "f: fn(a: i64, b: i64) -> {text: i64}";
        assert_eq!(
            found,
            ["k: i64", "dim: i64 = -1", function, "s: text = \"a, (b\""]
        );
        assert_eq!(parts(found[1]), ("dim", "i64", "-1"));
        assert_eq!(parts("x"), ("x", "", ""));
        assert_eq!(parts("CUDA(index: i64)"), ("CUDA(index: i64)", "", ""));
        assert!(parameters("class Net(x)").is_empty() && parameters("fn f()").is_empty());
    }
}
