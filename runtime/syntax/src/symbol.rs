//! Interned names: a name is compared and hashed as one number.
//!
//! The table lives as long as the process and never shrinks, as a program has few distinct names.
//! Next: `ast/`, whose names are symbols.

use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::{LazyLock, RwLock};

/// An interned name or text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

#[derive(Default)]
struct Interner {
    numbers: FxHashMap<&'static str, u32>,
    names: Vec<&'static str>,
}

static INTERNER: LazyLock<RwLock<Interner>> = LazyLock::new(RwLock::default);

impl Symbol {
    /// The symbol of `name`; equal texts give equal symbols.
    pub fn intern(name: &str) -> Symbol {
        let known = INTERNER
            .read()
            .unwrap_or_else(|poison| poison.into_inner())
            .numbers
            .get(name)
            .copied();
        if let Some(number) = known {
            return Symbol(number);
        }
        let mut interner = INTERNER
            .write()
            .unwrap_or_else(|poison| poison.into_inner());
        if let Some(&number) = interner.numbers.get(name) {
            return Symbol(number);
        }
        let name: &'static str = Box::leak(name.into());
        let number = interner.names.len() as u32;
        interner.names.push(name);
        interner.numbers.insert(name, number);
        Symbol(number)
    }

    /// The text of the symbol.
    pub fn as_str(self) -> &'static str {
        INTERNER
            .read()
            .unwrap_or_else(|poison| poison.into_inner())
            .names[self.0 as usize]
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}
