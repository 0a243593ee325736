//! What `@shape("...")` says, and shapes in written types, in one form.
//!
//! ```text
//! rule    = [(shape | name ":" wanted ("," name ":" wanted)*)] "->" result | "changes"
//! wanted  = shape | "(" shape ("," shape)* ")"
//! shape   = "[" (size | [name] "...") ("," ...)* "]"
//! size    = number | name | "?" | "prod" "(" name ")" | size ("+" | "-" | "*" | "/" | "??") size | "(" size ")"
//! result  = shape | name | number | function "(" result ("," result)* ")" | "(" result ("," result)* ")"
//! ```
//!
//! A name is a parameter (a field, for a class that is constructed by its fields; for a method of a layer, what the layer was made with
//! too) or else a variable of the rule. A shape alone before the arrow is a layer's input; in parentheses are the members of a tuple. The functions are those of `ops.rs`. The page `doc/language/shapes.md` explains it all.

use super::ops::Function;
use simple_syntax::Symbol;

/// A size as it is written.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Size {
    Int(i64),
    Name(Symbol),
    Unknown,
    Op(Op, Box<Size>, Box<Size>),
    /// The product of a row.
    Product(Symbol),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    /// `a ?? b`: `b` where `a` is an absent optional.
    Else,
}

/// A place in a written shape.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Item {
    Size(Size),
    /// `name...` or `...`.
    Row(Option<Symbol>),
}

/// A shape as it is written.
pub(super) type Pattern = Vec<Item>;

/// What a function yields.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Outcome {
    Shape(Pattern),
    /// The same as this parameter.
    Same(Symbol),
    Int(i64),
    Call(Function, Vec<Outcome>),
    Tuple(Vec<Outcome>),
}

/// What a parameter must be.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Wanted {
    Shape(Pattern),
    /// A tuple of tensors.
    Tuple(Vec<Pattern>),
}

/// A parsed annotation.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Rule {
    /// Of a class: what its layers take and yield.
    Layer(Pattern, Pattern),
    /// Of a function: what parameters must be, and the result.
    Function(Vec<(Symbol, Wanted)>, Outcome),
    /// Of a method: it changes the shape of a tensor in place.
    Changes,
}

/// Reads the text of an annotation; `Err` says what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Rule, String> {
    let mut reader = Reader {
        tokens: tokens(text)?,
        at: 0,
    };
    let rule = reader.rule()?;
    match reader.peek() {
        None => Ok(rule),
        Some(token) => Err(format!("`{token}` is not expected there")),
    }
}

fn tokens(text: &str) -> Result<Vec<&str>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len())
        } else if rest.starts_with("...") {
            3
        } else if ["->", "??"].iter().any(|long| rest.starts_with(long)) {
            2
        } else if "[](),:?+-*/".contains(first) {
            1
        } else {
            return Err(format!("`{first}` has no meaning there"));
        };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

/// How deep parentheses nest; the annotations of a library stay far below.
const DEEPEST: usize = 32;

struct Reader<'t> {
    tokens: Vec<&'t str>,
    at: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'t str> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) {
            return Ok(());
        }
        Err(match self.peek() {
            Some(found) => format!("`{token}` is expected before `{found}`"),
            None => format!("`{token}` is missing at the end"),
        })
    }

    fn name(&mut self) -> Result<Symbol, String> {
        match self.next() {
            Some(word) if is_name(word) => Ok(Symbol::intern(word)),
            Some(word) => Err(format!("a name is expected, not `{word}`")),
            None => Err("a name is missing at the end".to_owned()),
        }
    }

    fn rule(&mut self) -> Result<Rule, String> {
        if self.eat("changes") {
            return Ok(Rule::Changes);
        }
        if self.peek() == Some("[") {
            let input = self.shape()?;
            self.expect("->")?;
            return Ok(Rule::Layer(input, self.shape()?));
        }
        let mut params = Vec::new();
        while self.peek() != Some("->") {
            let name = self.name()?;
            self.expect(":")?;
            params.push((name, self.wanted()?));
            if !self.eat(",") {
                break;
            }
        }
        self.expect("->")?;
        Ok(Rule::Function(params, self.outcome(0)?))
    }

    fn wanted(&mut self) -> Result<Wanted, String> {
        if !self.eat("(") {
            return Ok(Wanted::Shape(self.shape()?));
        }
        let mut members = vec![self.shape()?];
        while self.eat(",") {
            members.push(self.shape()?);
        }
        self.expect(")")?;
        Ok(Wanted::Tuple(members))
    }

    fn shape(&mut self) -> Result<Pattern, String> {
        self.expect("[")?;
        let mut items = Vec::new();
        while self.peek() != Some("]") {
            items.push(self.item()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect("]")?;
        if items
            .iter()
            .filter(|item| matches!(item, Item::Row(_)))
            .count()
            > 1
        {
            return Err("a shape has at most one `...`".to_owned());
        }
        Ok(items)
    }

    fn item(&mut self) -> Result<Item, String> {
        if self.eat("...") {
            return Ok(Item::Row(None));
        }
        if self.tokens.get(self.at + 1) == Some(&"...") {
            let name = self.name()?;
            self.expect("...")?;
            return Ok(Item::Row(Some(name)));
        }
        Ok(Item::Size(self.size(0, 0)?))
    }

    /// A size whose operators bind at least as strongly as `least`.
    fn size(&mut self, least: u8, depth: usize) -> Result<Size, String> {
        if depth > DEEPEST {
            return Err("the parentheses nest too deeply".to_owned());
        }
        let mut left = self.atom(depth)?;
        loop {
            let (op, strength) = match self.peek() {
                Some("??") => (Op::Else, 0),
                Some("+") => (Op::Add, 1),
                Some("-") => (Op::Sub, 1),
                Some("*") => (Op::Mul, 2),
                Some("/") => (Op::Div, 2),
                _ => return Ok(left),
            };
            if strength < least {
                return Ok(left);
            }
            self.at += 1;
            let right = self.size(strength + 1, depth + 1)?;
            left = Size::Op(op, Box::new(left), Box::new(right));
        }
    }

    fn atom(&mut self, depth: usize) -> Result<Size, String> {
        if self.eat("?") {
            return Ok(Size::Unknown);
        }
        if self.eat("(") {
            let inner = self.size(0, depth + 1)?;
            self.expect(")")?;
            return Ok(inner);
        }
        if let Some(value) = self.peek().and_then(|token| token.parse().ok()) {
            self.at += 1;
            return Ok(Size::Int(value));
        }
        let name = self.name()?;
        if name.as_str() == "prod" && self.eat("(") {
            let row = self.name()?;
            self.expect(")")?;
            return Ok(Size::Product(row));
        }
        Ok(Size::Name(name))
    }

    fn outcome(&mut self, depth: usize) -> Result<Outcome, String> {
        if depth > DEEPEST {
            return Err("the calls nest too deeply".to_owned());
        }
        if self.peek() == Some("[") {
            return Ok(Outcome::Shape(self.shape()?));
        }
        if self.eat("(") {
            let mut members = vec![self.outcome(depth + 1)?];
            while self.eat(",") {
                members.push(self.outcome(depth + 1)?);
            }
            self.expect(")")?;
            return Ok(Outcome::Tuple(members));
        }
        let negative = self.eat("-");
        if let Some(value) = self.peek().and_then(|token| token.parse::<i64>().ok()) {
            self.at += 1;
            return Ok(Outcome::Int(if negative { -value } else { value }));
        }
        let name = self.name()?;
        if !self.eat("(") {
            return Ok(Outcome::Same(name));
        }
        let Some(function) = Function::named(name.as_str()) else {
            let known: Vec<&str> = Function::names().collect();
            return Err(format!(
                "unknown shape function `{name}`; expected one of {}",
                known.join(", ")
            ));
        };
        let mut args = Vec::new();
        while self.peek() != Some(")") {
            args.push(self.outcome(depth + 1)?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        let wanted = function.arity();
        if !wanted.contains(&args.len()) {
            return Err(format!(
                "`{name}` takes {} to {} arguments, not {}",
                wanted.start(),
                wanted.end(),
                args.len()
            ));
        }
        Ok(Outcome::Call(function, args))
    }
}

fn is_name(word: &str) -> bool {
    word.chars()
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        let rule = parse("[batch..., i] -> [batch..., o * 2 + (k ?? 1)]").expect("a rule");
        let Rule::Layer(input, output) = rule else {
            panic!("a layer's rule, not {rule:?}");
        };
        assert_eq!(input.len(), 2);
        assert!(matches!(&output[1], Item::Size(Size::Op(Op::Add, ..))));
        for text in [
            "-> [dims...]",
            "-> self",
            "-> broadcast(self, other)",
            "x: [b, c], y: [c, d] -> [b, d]",
            "-> swap(self, -2, -1)",
            "[b, d...] -> [b, prod(d)]",
            "[] -> []",
            "x: [l, b..., i], state: ([n, b..., h], [n, b..., c]) -> ([l, b..., h], ([n, b..., h], self))",
            "changes",
        ] {
            assert!(parse(text).is_ok(), "{text}: {:?}", parse(text));
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("", "missing at the end"),
            ("[a", "`]` is missing"),
            ("[a] -> [b] c", "`c` is not expected"),
            ("-> fold(self)", "unknown shape function `fold`"),
            ("-> matmul(self)", "takes 2 to 2 arguments"),
            ("[a..., b...] -> [a]", "at most one"),
            ("[a; b] -> [a]", "`;` has no meaning"),
            ("x [a] -> [a]", "`:` is expected"),
            ("x: ([a], b) -> [a]", "`[` is expected before `b`"),
            ("-> ([a], [b]", "`)` is missing"),
        ] {
            let found = parse(text).expect_err(text);
            assert!(found.contains(part), "{text}: {found}");
        }
        let deep = format!("[{}1{}] -> [1]", "(".repeat(5000), ")".repeat(5000));
        assert!(parse(&deep).is_err());
        let deep = format!("-> {}self{}", "(".repeat(5000), ")".repeat(5000));
        assert!(parse(&deep).is_err());
    }
}
