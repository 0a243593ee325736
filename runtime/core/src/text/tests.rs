//! Text functions against `String`, and the counts that make appending in place right.

use super::*;
use crate::error::take;
use crate::format::Spec;
use crate::host::text_result;
use crate::leaks;
use crate::memory::track_objects;
use proptest::prelude::*;

#[test]
fn a_new_text_is_empty_whatever_its_block_held() {
    for bytes in [1, 8, 9, 100] {
        let old = Own::unshared(&"x".repeat(bytes));
        drop(old);
        let new = try_allocate(bytes as i64);
        // SAFETY: the object is new.
        unsafe { assert_eq!(((*new).byte_len, (*new).char_len), (0, 0)) };
        drop(Own(new.cast()));
    }
}

/// A text that the test owns and gives back at its end.
struct Own(*mut Header);

impl Own {
    fn new(content: &str) -> Own {
        Own(text_from_str(content))
    }

    /// A text with its own count and room to grow, even for contents that are static otherwise.
    fn unshared(content: &str) -> Own {
        let object = try_allocate(content.len() as i64);
        // SAFETY: the object is new and has room for the content.
        unsafe {
            ptr::copy_nonoverlapping(content.as_ptr(), data_of(object), content.len());
            (*object).byte_len = content.len() as i64;
            (*object).char_len = content.chars().count() as i64;
        }
        Own(object.cast())
    }

    fn get(&self) -> &str {
        // SAFETY: the text lives as long as `self`.
        let content = unsafe { as_str(self.0) };
        // SAFETY: as above.
        let (chars, bytes) = unsafe { (char_len(self.0), (*self.0.cast::<TextObject>()).byte_len) };
        assert_eq!(
            chars,
            content.chars().count() as i64,
            "the character count of {content:?} is wrong"
        );
        assert!(std::str::from_utf8(content.as_bytes()).is_ok());
        // SAFETY: as above.
        assert!(bytes <= unsafe { places::capacity_of(self.0.cast()) });
        content
    }

    fn give(self) -> *mut Header {
        let text = self.0;
        std::mem::forget(self);
        text
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // SAFETY: the test owns one reference.
        unsafe { release(self.0) }
    }
}

fn slice(text: &str, lo: i64, hi: i64, step: i64) -> Result<String, String> {
    let own = Own::new(text);
    // SAFETY: a live text.
    let result = unsafe { rt_text_slice(own.0, lo, hi, step) };
    match take() {
        Some(error) => Err(error.message),
        None => Ok(Own(result).get().to_owned()),
    }
}

fn index(text: &str, index: i64) -> Result<String, String> {
    let own = Own::new(text);
    // SAFETY: a live text.
    let result = unsafe { rt_text_index(own.0, index) };
    match take() {
        Some(error) => Err(error.message),
        None => Ok(Own(result).get().to_owned()),
    }
}

/// Python's slice, step by step as its documentation words it.
fn python_slice(text: &str, lo: Option<i64>, hi: Option<i64>, step: i64) -> String {
    let chars: Vec<char> = text.chars().collect();
    let len = chars.len() as i64;
    let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let place = |bound: Option<i64>, missing: i64| {
        bound.map_or(missing, |b| {
            if b < 0 {
                (b + len).max(low)
            } else {
                b.min(high)
            }
            .clamp(low, high)
        })
    };
    let (mut at, end) = if step > 0 {
        (place(lo, 0), place(hi, len))
    } else {
        (place(lo, len - 1), place(hi, -1))
    };
    let mut out = String::new();
    while if step > 0 { at < end } else { at > end } {
        out.push(chars[at as usize]);
        at += step;
    }
    out
}

#[test]
fn indexes_count_characters_from_both_ends() {
    for text in ["abc", "äbç", "日本語", "a😀b"] {
        let chars: Vec<String> = text.chars().map(String::from).collect();
        for at in 0..3 {
            assert_eq!(index(text, at).unwrap(), chars[at as usize]);
            assert_eq!(index(text, at - 3).unwrap(), chars[at as usize]);
        }
        assert_eq!(
            index(text, 3).unwrap_err(),
            "index 3 is out of range for a length of 3"
        );
        assert_eq!(
            index(text, -4).unwrap_err(),
            "index -4 is out of range for a length of 3"
        );
    }
    assert!(index("", 0).is_err());
    assert!(index("abc", i64::MIN).is_err());
    assert!(index("abc", i64::MAX).is_err());
}

#[test]
fn slices_are_pythons() {
    assert_eq!(slice("hello", 1, 3, MISSING).unwrap(), "el");
    assert_eq!(slice("hello", MISSING, MISSING, -1).unwrap(), "olleh");
    assert_eq!(slice("hello", -3, MISSING, MISSING).unwrap(), "llo");
    assert_eq!(slice("hello", 4, 0, -2).unwrap(), "ol");
    assert_eq!(slice("hello", 0, 100, 1).unwrap(), "hello");
    assert_eq!(slice("hello", 3, 1, 1).unwrap(), "");
    assert_eq!(slice("häłło", 1, 4, 1).unwrap(), "äłł");
    assert_eq!(slice("hello", 0, i64::MAX, i64::MAX).unwrap(), "h");
    assert_eq!(
        slice("hello", i64::MAX, MISSING, i64::MIN + 1).unwrap(),
        "o"
    );
    assert_eq!(
        slice("hello", 0, 5, 0).unwrap_err(),
        "the step of a slice must not be zero"
    );
}

#[test]
fn a_text_that_is_not_shared_grows_in_place() {
    track_objects(true);
    // SAFETY: live texts; each append consumes the only reference to the text before.
    unsafe {
        let piece = Own::new("häuser ");
        let mut text = empty_text();
        let mut capacities = std::collections::BTreeSet::new();
        for _ in 0..10_000 {
            text = rt_text_append(text, piece.0);
            capacities.insert((*text.cast::<TextObject>()).capacity);
        }
        let text = Own(text);
        assert_eq!(text.get(), "häuser ".repeat(10_000));
        assert!(
            capacities.len() < 20,
            "{} sizes for 10000 pieces",
            capacities.len()
        );
        drop(text);
        drop(piece);
    }
    assert!(leaks::report().is_empty());
    track_objects(false);
}

#[test]
fn a_shared_text_is_not_changed_by_appending() {
    track_objects(true);
    // SAFETY: live texts; `retain` makes the reference that the append consumes.
    unsafe {
        let first = Own::new("one");
        let second = Own::new("two");
        let joined = Own(rt_text_append(retain(first.0), second.0));
        assert_eq!(
            (first.get(), second.get(), joined.get()),
            ("one", "two", "onetwo")
        );
        let itself = Own(rt_text_append(retain(first.0), first.0));
        assert_eq!((first.get(), itself.get()), ("one", "oneone"));
        let nothing = Own::new("");
        let same = Own(rt_text_append(retain(first.0), nothing.0));
        assert_eq!(same.0, first.0);
    }
    assert!(leaks::report().is_empty());
    track_objects(false);
}

#[test]
fn a_text_appended_to_itself_doubles() {
    // Up to a size at which the allocator gives the old block back to the system, so that reading from it would crash.
    // SAFETY: the only reference is consumed, while the same text is borrowed, as `s += s` may do.
    unsafe {
        let mut text = Own::unshared("aé").give();
        let mut expected = String::from("aé");
        let mut between = Vec::new();
        for _ in 0..22 {
            text = rt_text_append(text, text);
            expected = expected.repeat(2);
            // Prevents growing in place.
            between.push(vec![1u8; expected.len()]);
        }
        assert!(Own(text).get() == expected);
    }
}

#[test]
fn repeating_checks_its_count() {
    let text = Own::new("ab");
    // SAFETY: a live text.
    unsafe {
        assert_eq!(Own(rt_text_repeat(text.0, 3)).get(), "ababab");
        assert_eq!(Own(rt_text_repeat(text.0, 0)).get(), "");
        assert_eq!(Own(rt_text_repeat(text.0, 1)).get(), "ab");
        assert!(take().is_none());
        assert_eq!(Own(rt_text_repeat(text.0, -1)).get(), "");
        assert!(take().is_none());
        for huge in [1 << 50, i64::MAX] {
            assert!(rt_text_repeat(text.0, huge).is_null());
            assert!(take().unwrap().message.contains("out of memory"));
        }
    }
}

#[test]
fn looping_by_byte_position_gives_the_characters() {
    let text = Own::new("aé日😀");
    let mut position = 0;
    let mut found = Vec::new();
    // SAFETY: live texts.
    unsafe {
        while position < (*text.0.cast::<TextObject>()).byte_len {
            let character = Own(rt_text_char_at(text.0, position));
            position += (*character.0.cast::<TextObject>()).byte_len;
            found.push(character.get().to_owned());
        }
        assert_eq!(found, ["a", "é", "日", "😀"]);
        // Positions that compiled code never passes.
        for stray in [2, 99, -1] {
            assert_eq!(Own(rt_text_char_at(text.0, stray)).get(), "");
        }
    }
}

#[test]
fn results_of_foreign_functions_are_taken_over() {
    track_objects(true);
    let buffer = text_result("grün");
    // SAFETY: the buffers come from the host and are adopted once.
    unsafe {
        let text = Own(rt_text_adopt(buffer.data.cast(), buffer.length));
        assert_eq!(text.get(), "grün");
        assert_eq!(
            text.0.cast::<u8>().add(HEAD),
            buffer.data.cast(),
            "nothing is copied"
        );
        drop(text);
        assert_eq!(Own(rt_text_adopt(ptr::null_mut(), 7)).get(), "");

        let buffer = text_result("grün");
        buffer.data.cast::<u8>().add(1).write(0xff);
        assert!(rt_text_adopt(buffer.data.cast(), 4).is_null());
        assert!(take().unwrap().message.contains("not valid UTF-8"));
        for wrong in [-1, 6, i64::MAX] {
            let buffer = text_result("grün");
            assert!(rt_text_adopt(buffer.data.cast(), wrong).is_null());
            assert!(take().unwrap().message.contains(&wrong.to_string()));
        }
    }
    assert!(leaks::report().is_empty());
    track_objects(false);
}

#[test]
fn builders_nest_and_are_used_again() {
    track_objects(true);
    // SAFETY: live builders and texts.
    unsafe {
        let outer = rt_builder_new();
        let word = Own::new("schön");
        rt_builder_text(outer, word.0);
        let inner = rt_builder_new();
        assert_ne!(outer, inner);
        rt_builder_i64(inner, -5);
        rt_builder_bool(inner, 1);
        let piece = Own(rt_builder_finish(inner));
        assert_eq!(piece.get(), "-5true");
        rt_builder_text(outer, piece.0);
        rt_builder_u64(outer, -1);
        rt_builder_f64(outer, 2.0);
        rt_builder_f32(outer, 0.1);
        rt_builder_bool(outer, 0);
        let spec = Spec {
            fill: u32::from('é'),
            width: 4,
            ..Spec::default()
        };
        rt_format_i64(outer, 7, &spec);
        rt_format_u64(outer, -1, &Spec { kind: b'x', ..spec });
        rt_format_f64(outer, 0.5, &spec);
        rt_format_text(
            outer,
            word.0,
            &Spec {
                precision: 2,
                has_precision: 1,
                ..spec
            },
        );
        let text = Own(rt_builder_finish(outer));
        assert_eq!(
            text.get(),
            "schön-5true184467440737095516152.00.1falseééé7ffffffffffffffffé0.5scéé"
        );

        let discarded = rt_builder_new();
        rt_builder_text(discarded, word.0);
        rt_builder_discard(discarded);
        assert_eq!(Own(rt_builder_finish(rt_builder_new())).get(), "");
    }
    assert!(leaks::report().is_empty());
    track_objects(false);
}

/// Texts with characters of every width, long enough to leave the eight-byte steps.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]{0,40}", "[aé日😀]{0,40}", any::<String>()]
}

fn any_bound() -> impl Strategy<Value = Option<i64>> {
    prop_oneof![
        Just(None),
        (-50i64..50).prop_map(Some),
        (i64::MIN + 1..=i64::MAX).prop_map(Some)
    ]
}

#[test]
fn hashes_of_short_texts_are_their_own_and_well_spread() {
    let letters: Vec<u8> = (b'a'..=b'z').chain([0, b'_', b'0']).collect();
    let mut texts: Vec<String> = vec![String::new()];
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    for &a in &letters {
        texts.push(text(&[a]));
        for &b in &letters {
            texts.push(text(&[a, b]));
            for &c in &letters {
                texts.push(text(&[a, b, c]));
                texts.push(text(&[b'w', b'o', a, b, c]));
                texts.push(text(&[a, b'-', b'-', b, b'-', b'-', c]));
            }
        }
    }
    // SAFETY: live texts.
    let hash = |text: &String| unsafe { rt_text_hash(Own::new(text).0) } as u64;
    let mut hashes: Vec<u64> = texts.iter().map(hash).collect();
    assert!(hashes.iter().all(|hash| hash & SHARED_HASH == 0));
    for shift in [0, 16, 32, 47] {
        let mut buckets = vec![0; 1 << 16];
        for hash in &hashes {
            buckets[(hash >> shift) as usize & 0xffff] += 1;
        }
        assert!(buckets.iter().max() < Some(&12), "bits from {shift} on");
    }
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), texts.len());
    assert_ne!(hash(&"eight by".to_owned()) & SHARED_HASH, 0);
}

#[test]
fn the_hash_of_a_short_text_does_not_depend_on_what_lies_behind_it() {
    // SAFETY: live texts.
    unsafe {
        let long = Own::unshared("abcdefgh");
        (*long.0.cast::<TextObject>()).byte_len = 3;
        (*long.0.cast::<TextObject>()).char_len = 3;
        assert_eq!(rt_text_hash(long.0), rt_text_hash(Own::new("abc").0));
        // A buffer of a foreign function that grows: its block had less than a word for the text.
        for len in 0..9 {
            let buffer = text_result(&"x".repeat(len));
            let adopted = rt_text_adopt(buffer.data.cast(), buffer.length);
            let grown = Own(rt_text_append(adopted, Own::new("y").0));
            let expected = format!("{}y", "x".repeat(len));
            assert_eq!(grown.get(), expected);
            assert_eq!(rt_text_hash(grown.0), rt_text_hash(Own::new(&expected).0));
        }
    }
}

/// The parts that a loop gets; those that `keeps` names by number are held on to meanwhile, so that their memory is not used again.
fn parts(text: &str, separator: Option<&str>, keeps: impl Fn(usize) -> bool) -> Vec<String> {
    let text = Own::new(text);
    let separator = separator.map(Own::new);
    let (mut cursor, mut part) = (0, ptr::null_mut());
    let (mut found, mut kept) = (Vec::new(), Vec::new());
    loop {
        // SAFETY: live texts; the part is given back.
        part = unsafe {
            match &separator {
                Some(separator) => rt_text_next_part(text.0, separator.0, &mut cursor, part),
                None => rt_text_next_line(text.0, &mut cursor, part),
            }
        };
        if part.is_null() {
            break;
        }
        // SAFETY: a live text.
        let holder = Own(unsafe { retain(part) });
        found.push(holder.get().to_owned());
        if keeps(found.len() - 1) {
            kept.push((found.len() - 1, holder));
        }
    }
    for (number, holder) in kept {
        assert_eq!(holder.get(), found[number], "part {number} was kept");
    }
    found
}

#[test]
fn the_memory_of_a_part_is_used_again_only_when_nobody_holds_it() {
    track_objects(true);
    let text = "a,bc,,defghijk,defghijkl,m\u{e9},\u{65e5}\u{672c}\u{8a9e},last";
    let all: Vec<&str> = text.split(',').collect();
    for pattern in 0..1u32 << all.len() {
        assert_eq!(parts(text, Some(","), |part| pattern >> part & 1 == 1), all);
    }
    assert_eq!(parts("ab", Some(""), |_| true), ["a", "b"]);
    assert_eq!(parts("a--b", Some("--"), |_| false), ["a", "b"]);
    assert_eq!(parts("a\r\n\nbc\nd", None, |_| false), ["a", "", "bc", "d"]);
    assert!(leaks::report().is_empty());
    track_objects(false);
}

proptest! {
    #[test]
    fn any_slice_is_pythons(text in any_text(), lo in any_bound(), hi in any_bound(), step in prop_oneof![1..5i64, -5..0i64]) {
        let found = slice(&text, lo.unwrap_or(MISSING), hi.unwrap_or(MISSING), step).unwrap();
        prop_assert_eq!(found, python_slice(&text, lo, hi, step));
    }

    #[test]
    fn any_index_finds_its_character(text in any_text()) {
        for (at, c) in text.chars().enumerate() {
            prop_assert_eq!(index(&text, at as i64).unwrap(), c.to_string());
        }
        let len = text.chars().count() as i64;
        prop_assert!(index(&text, len).is_err());
    }

    #[test]
    fn the_parts_of_a_loop_are_the_librarys(text in any_text(), kept: u32) {
        let keeps = |part: usize| kept >> (part % 32) & 1 == 1;
        for separator in [" ", "a", "ab", "\u{e9}"] {
            prop_assert_eq!(parts(&text, Some(separator), keeps), text.split(separator).collect::<Vec<_>>());
        }
        prop_assert_eq!(parts(&text, None, keeps), text.lines().collect::<Vec<_>>());
    }

    #[test]
    fn joining_comparing_and_searching_are_the_librarys(a in any_text(), b in any_text()) {
        let (first, second) = (Own::new(&a), Own::new(&b));
        // SAFETY: live texts.
        unsafe {
            let joined = Own(rt_text_concat(first.0, second.0));
            prop_assert_eq!(joined.get(), format!("{a}{b}"));
            prop_assert_eq!(rt_text_eq(first.0, second.0) != 0, a == b);
            prop_assert_eq!(rt_text_compare(first.0, second.0), a.chars().cmp(b.chars()) as i64);
            prop_assert_eq!(rt_text_contains(first.0, second.0) != 0, a.contains(&b));
            prop_assert_eq!(rt_text_contains(joined.0, second.0), 1);
            let copy = Own::unshared(&a);
            prop_assert_eq!(rt_text_eq(first.0, copy.0), 1);
            prop_assert_eq!(rt_text_hash(first.0), rt_text_hash(copy.0));
            if a != b {
                prop_assert_ne!(rt_text_hash(first.0), rt_text_hash(second.0));
            }
        }
    }

    #[test]
    fn any_appends_build_the_same_text(pieces in prop::collection::vec(any_text(), 0..12), share in 0..12usize) {
        let mut expected = String::new();
        let mut text = empty_text();
        let mut held = None;
        for (number, piece) in pieces.iter().enumerate() {
            let own = Own::new(piece);
            if number == share {
                // SAFETY: a live text; the test holds a second reference from here on.
                held = Some((Own(unsafe { retain(text) }), expected.clone()));
            }
            // SAFETY: live texts; the reference to `text` is consumed.
            text = unsafe { rt_text_append(text, own.0) };
            expected.push_str(piece);
        }
        let text = Own(text);
        prop_assert_eq!(text.get(), expected);
        if let Some((held, content)) = held {
            prop_assert_eq!(held.get(), content);
        }
    }
}
