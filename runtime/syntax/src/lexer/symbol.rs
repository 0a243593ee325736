//! Operators and punctuation: the longest spelling wins.

use super::Tok;

/// The operator at the beginning of `bytes` and its length.
pub(crate) fn symbol(bytes: &[u8]) -> Option<(Tok, usize)> {
    let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
    let (second, third) = (at(1), at(2));
    let found = match at(0) {
        b'+' => match second {
            b'=' => (Tok::PlusEq, 2),
            _ => (Tok::Plus, 1),
        },
        b'-' => match second {
            b'=' => (Tok::MinusEq, 2),
            b'>' => (Tok::Arrow, 2),
            _ => (Tok::Minus, 1),
        },
        b'*' => match (second, third) {
            (b'*', b'=') => (Tok::StarStarEq, 3),
            (b'*', _) => (Tok::StarStar, 2),
            (b'=', _) => (Tok::StarEq, 2),
            _ => (Tok::Star, 1),
        },
        b'/' => match second {
            b'/' => (Tok::SlashSlash, 2),
            b'=' => (Tok::SlashEq, 2),
            _ => (Tok::Slash, 1),
        },
        b'%' => match second {
            b'=' => (Tok::PercentEq, 2),
            _ => (Tok::Percent, 1),
        },
        b'=' => match second {
            b'=' => (Tok::EqEq, 2),
            b'>' => (Tok::FatArrow, 2),
            _ => (Tok::Eq, 1),
        },
        b'!' => match second {
            b'=' => (Tok::NotEq, 2),
            _ => (Tok::Bang, 1),
        },
        b'<' => match second {
            b'=' => (Tok::Le, 2),
            b'<' => (Tok::Shl, 2),
            // `a <-b` with the minus glued to its operand is a comparison with a negative number.
            b'-' if third == b' ' => (Tok::LeftArrow, 2),
            _ => (Tok::Lt, 1),
        },
        b'>' => match second {
            b'=' => (Tok::Ge, 2),
            b'>' => (Tok::Shr, 2),
            _ => (Tok::Gt, 1),
        },
        b':' => match second {
            b'=' => (Tok::ColonEq, 2),
            b':' => (Tok::ColonColon, 2),
            _ => (Tok::Colon, 1),
        },
        b'&' => match second {
            b'&' => (Tok::AmpAmp, 2),
            _ => (Tok::Amp, 1),
        },
        b'|' => match second {
            b'|' => (Tok::PipePipe, 2),
            b'>' => (Tok::PipeGt, 2),
            _ => (Tok::Pipe, 1),
        },
        b'~' => match second {
            b'>' => (Tok::TildeGt, 2),
            _ => (Tok::Tilde, 1),
        },
        b'?' => match second {
            b'.' if third != b'.' => (Tok::QuestionDot, 2),
            b'?' => (Tok::QuestionQuestion, 2),
            _ => (Tok::Question, 1),
        },
        b'.' => match (second, third) {
            (b'.', b'=') => (Tok::DotDotEq, 3),
            (b'.', b'.') => (Tok::Ellipsis, 3),
            (b'.', _) => (Tok::DotDot, 2),
            (b'?', _) => (Tok::DotQuestion, 2),
            (b'+', _) => (Tok::DotPlus, 2),
            (b'-', _) => (Tok::DotMinus, 2),
            (b'*', _) => (Tok::DotStar, 2),
            (b'/', _) => (Tok::DotSlash, 2),
            (b'^', _) => (Tok::DotCaret, 2),
            _ => (Tok::Dot, 1),
        },
        b'^' => (Tok::Caret, 1),
        b'@' => (Tok::At, 1),
        b'(' => (Tok::LParen, 1),
        b')' => (Tok::RParen, 1),
        b'[' => (Tok::LBracket, 1),
        b']' => (Tok::RBracket, 1),
        b'{' => (Tok::LBrace, 1),
        b'}' => (Tok::RBrace, 1),
        b',' => (Tok::Comma, 1),
        b';' => (Tok::Semi, 1),
        b'\\' => (Tok::Backslash, 1),
        b'#' => (Tok::Hash, 1),
        b'$' => (Tok::Dollar, 1),
        _ => return None,
    };
    Some(found)
}
