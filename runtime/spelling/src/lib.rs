//! The name that was probably meant, for "did you mean" in messages.
//!
//! The one rule for every name that a message may suggest: of the program, of the library, of a foreign function, of a configuration key.
//! Leaves out where the candidates come from, and names that are called otherwise in other languages (`sema::suggest`).

/// No slip is longer than this, however long the name.
const MOST: usize = 3;

/// Nobody means another name by one that is longer than this, and to compare such names takes long.
const LONGEST: usize = 200;

/// The candidate nearest to `name`, if it is near enough to be meant: at most a third of the letters differ. Capitals and words that
/// both names begin with (`rt_torch_`) do not count.
pub fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .filter_map(|candidate| Some((distance(name, candidate)?, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many letters differ (two that changed places count one), unless they are too many for a slip.
fn distance(name: &str, candidate: &str) -> Option<usize> {
    // In one or two letters a capital is half of the name: `U` is not `u8`.
    let folded = |text: &str| match name.chars().count() > 2 {
        true => text.to_lowercase(),
        false => text.to_owned(),
    };
    let (name, candidate) = (folded(name), folded(candidate));
    let (name, candidate) = without_common_words(&name, &candidate);
    let (a, b) = (name.chars().count(), candidate.chars().count());
    let limit = (a.max(b) / 3).clamp(1, MOST);
    if a.abs_diff(b) > limit || a.max(b) > LONGEST {
        return None;
    }
    let distance = strsim::osa_distance(name, candidate);
    // Of a single letter all would differ.
    let all = distance > 0 && distance >= a.max(b);
    (distance <= limit && !all).then_some(distance)
}

/// What remains of two names after the leading words, each with its `_`, that they share.
fn without_common_words<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    let common = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let words = a.as_bytes()[..common]
        .iter()
        .rposition(|&byte| byte == b'_')
        .map_or(0, |at| at + 1);
    (&a[words..], &b[words..])
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_slips() {
        assert_eq!(nearest("lenght", ["length", "height"]), Some("length"));
        assert_eq!(nearest("pritn", ["print", "point"]), Some("print"));
        assert_eq!(nearest("Point", ["point"]), Some("point"));
        assert_eq!(nearest("strng", ["String", "sting_ray"]), Some("String"));
        assert_eq!(nearest("x", ["xs"]), Some("xs"));
        assert_eq!(nearest("Size_", ["length", "size_"]), Some("size_"));
        assert_eq!(nearest("Bleu", ["Red", "Blue"]), Some("Blue"));
    }

    #[test]
    fn leaves_strangers_alone() {
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("U", ["u8"]), None);
        assert_eq!(nearest("alpha", ["omega", "zeta"]), None);
        assert_eq!(nearest("foo", ["pow", "fdiv"]), None);
        assert_eq!(nearest("East", ["hash", "last_of"]), None);
        assert_eq!(nearest("line", ["None"]), None);
        assert_eq!(nearest("", ["a"]), None);
    }

    #[test]
    fn names_that_are_too_long_are_not_compared() {
        let long = "a".repeat(100_000);
        assert_eq!(nearest(&(long.clone() + "b"), [&long[..]; 100]), None);
    }

    #[test]
    fn words_in_front_are_no_likeness() {
        let names = ["rt_torch_version", "rt_torch_available", "rt_torch_cos"];
        assert_eq!(nearest("rt_torch_verison", names), Some("rt_torch_version"));
        assert_eq!(nearest("rt_torch_foo", names), None);
        assert_eq!(nearest("rt_nobody", names), None);
    }

    #[test]
    fn letters_of_any_script_are_letters() {
        assert_eq!(nearest("größe", ["groß"]), None);
        assert_eq!(nearest("größe", ["größen"]), Some("größen"));
        assert_eq!(nearest("é_a", ["é_b"]), None);
    }
}
