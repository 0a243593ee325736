//! Programs of the tree whose white space was changed at random: the formatter gives them the same text or tree back,
//! and loses no comment.

mod common;

use simple_format::{Refusal, format, format_lines};
use simple_syntax::FileId;
use simple_syntax::ast::dump;
use simple_syntax::written::{Tok, Written, parse_written};

/// Numbers that look random; the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % end
    }
}

/// The programs of the library and of the examples that parse.
fn programs() -> Vec<String> {
    let paths = common::programs(&["lib", "examples", "runtime/cli/tests/programs/pass"]);
    let texts = paths
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok());
    let found: Vec<String> = texts
        .filter(|text| parse_written(FileId(0), text).is_sound())
        .collect();
    assert!(found.len() > 900, "{} programs", found.len());
    found
}

/// The text with each gap between two tokens changed.
fn with_gaps(source: &str, mut change: impl FnMut(&Written, usize, &str) -> String) -> String {
    let written = parse_written(FileId(0), source);
    let (mut out, mut end) = (String::new(), 0);
    for (number, token) in written.tokens.iter().enumerate() {
        out.push_str(&change(&written, number, &source[end..token.lo as usize]));
        out.push_str(&source[token.lo as usize..token.hi as usize]);
        end = token.hi as usize;
    }
    out
}

/// A dump without the line breaks of comments.
fn tree(source: &str) -> String {
    let written = parse_written(FileId(0), source);
    assert!(written.is_sound(), "does not parse:\n{source}");
    dump(&written.tree).replace("\\n", " ")
}

fn formatted(source: &str) -> String {
    match format(source) {
        Ok(text) => text,
        Err(error) => panic!("{error:?} in\n{source}"),
    }
}

#[test]
fn spaces_indentation_and_blank_lines_are_put_right() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for source in programs() {
        let source = formatted(&source);
        let mut trailing = false;
        let wide = with_gaps(&source, |_, number, gap| {
            let Some((above, below)) = gap.split_once('\n') else {
                return match gap == " " {
                    true => " ".repeat(1 + random.below(3) as usize),
                    false => gap.to_owned(),
                };
            };
            trailing |= number > 0 && above.contains('#');
            let mut out = above.to_owned();
            out.push_str(if above.is_empty() { "  \n" } else { "\n" });
            for (number, line) in below.split('\n').enumerate() {
                if number > 0 {
                    out.push('\n');
                }
                if line.is_empty() && number < below.matches('\n').count() && random.below(2) == 0 {
                    out.push('\n');
                }
                out.extend(std::iter::repeat_n(
                    ' ',
                    line.len() - line.trim_start().len(),
                ));
                out.push_str(line);
            }
            out
        });
        if trailing {
            // Comments after lines are put into one column, if they were in one before.
            assert_eq!(tree(&formatted(&wide)), tree(&source));
            continue;
        }
        assert_eq!(formatted(&wide), source);
    }
}

#[test]
fn line_breaks_at_random_keep_the_tree() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut changed = 0;
    for source in programs() {
        for _ in 0..4 {
            let mut depth = 0usize;
            let damaged = with_gaps(&source, |written, number, gap| {
                let before = number
                    .checked_sub(1)
                    .map(|before| written.tokens[before].tok);
                match before {
                    Some(Tok::LParen | Tok::LBracket | Tok::LBrace) => depth += 1,
                    Some(Tok::RParen | Tok::RBracket | Tok::RBrace) => {
                        depth = depth.saturating_sub(1)
                    }
                    _ => {}
                }
                let breakable = depth > 0 && before == Some(Tok::Comma) && gap == " ";
                match breakable && random.below(4) == 0 {
                    true if random.below(3) == 0 => {
                        format!(" # note {number}\n                        ")
                    }
                    true => "\n                        ".to_owned(),
                    false => gap.to_owned(),
                }
            });
            let before = parse_written(FileId(0), &damaged);
            if !before.is_sound() {
                continue;
            }
            changed += 1;
            let once = formatted(&damaged);
            assert_eq!(tree(&once), tree(&damaged));
            assert_eq!(
                once.matches("# note ").count(),
                damaged.matches("# note ").count()
            );
            assert_eq!(formatted(&once), once, "a second run changes\n{damaged}");
        }
    }
    assert!(changed > 3000, "{changed} programs were tried");
}

#[test]
fn comments_anywhere_are_kept() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for source in programs() {
        let damaged = with_gaps(&source, |_, number, gap| match gap.split_once('\n') {
            Some((above, below)) if random.below(6) == 0 && number > 0 => {
                let column = random.below(12) as usize;
                format!(
                    "{above} # note {number}\n{:column$}# note {number} below\n{below}",
                    ""
                )
            }
            _ => gap.to_owned(),
        });
        if !parse_written(FileId(0), &damaged).is_sound() {
            continue;
        }
        let once = formatted(&damaged);
        assert_eq!(
            once.matches("# note ").count(),
            damaged.matches("# note ").count(),
            "{damaged}"
        );
        assert_eq!(tree(&once), tree(&damaged));
        assert_eq!(formatted(&once), once, "a second run changes\n{damaged}");
    }
}

#[test]
fn only_the_lines_asked_for_change() {
    let source = "val a=1\nfn f( x:i64 ):\n  val y=x\n  y\nval b=2\n";
    let expected = "val a=1\nfn f(x: i64):\n    val y = x\n    y\nval b=2\n";
    match format_lines(source, 2..=4) {
        Ok(text) => assert_eq!(text, expected),
        Err(error) => panic!("{error:?}"),
    }
}

#[test]
fn a_text_that_does_not_parse_is_refused() {
    assert!(matches!(format("fn f(:\n"), Err(Refusal::Syntax(_))));
}
