//! A module of bindings as data, and how much of a header is in it.
//!
//! `bindings.rs` makes it, `write.rs` writes it.

use crate::map::Param;
use crate::reason::{Reason, Unbound};
use std::fmt::{self, Display};

/// A declaration of Simple.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    /// `const`.
    Const {
        /// Its type.
        ty: String,
        /// Its value as it is written.
        value: String,
    },
    /// `extern type`.
    Opaque,
    /// A struct or union of `@c`.
    Record {
        /// `@c("union")`.
        union: bool,
        /// Names, types, documentation.
        fields: Vec<(String, String, Option<String>)>,
    },
    /// A type that is a number.
    Alias(String),
    /// `@c enum`.
    Enum(Vec<(String, i64, Option<String>)>),
    /// `extern fn`.
    Function {
        /// The name in the library, if another one.
        symbol: Option<String>,
        /// Its parameters.
        params: Vec<Param>,
        /// `...`.
        variadic: bool,
        /// Its result.
        result: Option<String>,
    },
    /// `extern val`, `extern var`.
    Variable {
        /// The name in the library, if another one.
        symbol: Option<String>,
        /// Its type.
        ty: String,
        /// `extern var`.
        mutable: bool,
    },
}

/// A declaration with its name.
#[derive(Clone, PartialEq, Debug)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// What the header says about it.
    pub docs: Option<String>,
    /// What it is.
    pub item: Item,
}

/// A module of bindings.
#[derive(Default)]
pub struct Module {
    /// Types.
    pub types: Vec<Named>,
    /// Constants.
    pub constants: Vec<Named>,
    /// Variables and functions.
    pub functions: Vec<Named>,
    /// What is not bound.
    pub unbound: Vec<Unbound>,
    /// The places of what is not bound, as `zlib.h:12`, in the same order.
    pub places: Vec<String>,
}

/// How much is bound.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// The header.
    pub header: String,
    /// Functions that are bound.
    pub bound: usize,
    /// Functions that the header declares.
    pub functions: usize,
    /// Of other things: how many, and what one and several are called.
    pub others: Vec<(usize, (&'static str, &'static str))>,
    /// Of what is not bound: how many, and why.
    pub unbound: Vec<(usize, String)>,
}

impl Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let word = if self.functions == 1 {
            "function"
        } else {
            "functions"
        };
        write!(f, "{}: {} {word} bound", self.header, self.bound)?;
        if self.functions > self.bound {
            write!(f, " of {}", self.functions)?;
        }
        for (count, what) in self.others.iter().filter(|(count, _)| *count > 0) {
            let what = if *count == 1 { what.0 } else { what.1 };
            write!(f, ", {count} {what}")?;
        }
        for (index, (count, why)) in self.unbound.iter().enumerate() {
            let before = if index == 0 { "; not bound: " } else { ", " };
            write!(f, "{before}{}", Reason::counted(*count, why))?;
        }
        Ok(())
    }
}

impl Module {
    /// How much is bound.
    pub fn summary(&self, header: &str) -> Summary {
        let count = |items: &[Named], is: fn(&Item) -> bool| {
            items.iter().filter(|named| is(&named.item)).count()
        };
        let bound = count(&self.functions, |item| {
            matches!(item, Item::Function { .. })
        });
        let mut unbound: Vec<(usize, String)> = Vec::new();
        for kind in self.unbound.iter().map(|unbound| &unbound.reason.kind) {
            match unbound.iter_mut().find(|(_, known)| known == kind) {
                Some((count, _)) => *count += 1,
                None => unbound.push((1, kind.clone())),
            }
        }
        unbound.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let others = vec![
            (self.functions.len() - bound, ("variable", "variables")),
            (self.constants.len(), ("constant", "constants")),
            (
                count(&self.types, |item| matches!(item, Item::Record { .. })),
                ("struct", "structs and unions"),
            ),
            (
                count(&self.types, |item| {
                    matches!(item, Item::Enum(_) | Item::Alias(_))
                }),
                ("enum", "enums"),
            ),
            (
                count(&self.types, |item| matches!(item, Item::Opaque)),
                ("`extern type`", "`extern type`s"),
            ),
        ];
        Summary {
            header: header.to_owned(),
            bound,
            functions: bound
                + self
                    .unbound
                    .iter()
                    .filter(|unbound| unbound.function)
                    .count(),
            others,
            unbound,
        }
    }
}
