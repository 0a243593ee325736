//! What the runtime must know of a foreign function besides its types: how a failure shows, what the function does, and what is answered
//! where its library is absent.
//!
//! [`Contract`] is the one record of these facts, from the table of a library (`export.rs`) to the checker and the code generator.
//! [`Annotations`] are the same facts as a declaration has them above it:
//!
//! ```text
//! @fails(0) @effects(new_handle, state)
//! extern fn rt_torch_tensor_zeros(dims: [i64]) -> i64
//! ```
//!
//! The checker reads them from its tree and `describe.rs` from a line of text; what they mean is decided here for both. Leaves out types.

use std::fmt;

use crate::{SffiFailure, effects};

/// The annotations of a declaration that say what is in a [`Contract`].
pub const ANNOTATIONS: [&str; 3] = ["fails", "effects", "absent"];

/// The effects and their words.
const EFFECTS: [(u16, &str); 5] = [
    (effects::NEW_HANDLE, "new_handle"),
    (effects::FREES, "frees"),
    (effects::WRITES, "writes"),
    (effects::STATE, "state"),
    (effects::READS, "reads"),
];

/// What may be in `@fails` besides a number.
const FAILURES: [(SffiFailure, &str); 2] =
    [(SffiFailure::Never, "never"), (SffiFailure::Flag, "flag")];

/// What the runtime must know of a foreign function besides its types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contract {
    /// How a failure shows.
    pub failure: SffiFailure,
    /// The bits that mean failure, if `failure` is [`SffiFailure::Value`]; for a text or array those of the data pointer.
    pub failure_value: i64,
    /// A union of [`effects`].
    pub effects: u16,
    /// The bits to answer where the library is absent.
    pub absent: Option<i64>,
}

impl Contract {
    /// Whether its work takes far longer than a call of it: it makes or changes what a handle refers to, such as a tensor.
    pub fn takes_long(&self) -> bool {
        self.effects & (effects::NEW_HANDLE | effects::WRITES) != 0
    }

    /// Whether it reads what a handle refers to into the program, such as the elements of a tensor.
    pub fn reads(&self) -> bool {
        self.effects & effects::READS != 0
    }

    /// Whether code that was compiled for `other` sees the failures of this one.
    pub fn fails_as(&self, other: &Contract) -> bool {
        (self.failure, self.failure_value) == (other.failure, other.failure_value)
    }
}

/// As annotations, on one line.
impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match FAILURES.iter().find(|(kind, _)| *kind == self.failure) {
            Some((_, word)) => write!(f, "@fails({word})")?,
            None => write!(f, "@fails({})", self.failure_value)?,
        }
        let words = EFFECTS
            .iter()
            .filter(|(bit, _)| self.effects & bit != 0)
            .map(|(_, word)| *word);
        let words: Vec<&str> = words.collect();
        if !words.is_empty() {
            write!(f, " @effects({})", words.join(", "))?;
        }
        if let Some(bits) = self.absent {
            write!(f, " @absent({bits})")?;
        }
        Ok(())
    }
}

/// The facts that the annotations of one declaration state; the others are `None`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Annotations {
    /// Of `@fails`: how a failure shows, and the bits that mean one.
    pub fails: Option<(SffiFailure, i64)>,
    /// Of `@effects`.
    pub effects: Option<u16>,
    /// Of `@absent`.
    pub absent: Option<i64>,
}

/// Why an annotation cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// Which of its arguments is wrong; `None` when it is the annotation itself.
    pub argument: Option<usize>,
    /// What is wrong, and what was expected.
    pub message: String,
    /// The words that were expected there.
    pub words: Vec<&'static str>,
}

impl Annotations {
    /// Adds what `@name(arguments)` says; `name` is one of [`ANNOTATIONS`].
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn read(&mut self, name: &str, arguments: &[&str]) -> Result<(), Malformed> {
        match name {
            "fails" => self.fails = Some(once(name, self.fails.is_some(), || fails(arguments))?),
            "effects" => {
                let read = || union(arguments);
                self.effects = Some(once(name, self.effects.is_some(), read)?);
            }
            "absent" => {
                let read = || absent(arguments);
                self.absent = Some(once(name, self.absent.is_some(), read)?);
            }
            _ => {
                return Err(Malformed {
                    argument: None,
                    message: format!("unknown annotation `@{name}`"),
                    words: ANNOTATIONS.to_vec(),
                });
            }
        }
        Ok(())
    }

    /// The whole contract. What is not stated is as with a function of which nothing is known.
    pub fn contract(&self) -> Contract {
        let (failure, failure_value) = self.fails.unwrap_or((SffiFailure::Flag, 0));
        Contract {
            failure,
            failure_value,
            effects: self.effects.unwrap_or(effects::PURE),
            absent: self.absent,
        }
    }

    /// Whether a function with this contract is what they state.
    pub fn fit(&self, known: &Contract) -> bool {
        let fails = (known.failure, known.failure_value);
        self.fails.is_none_or(|stated| stated == fails)
            && self.effects.is_none_or(|stated| stated == known.effects)
            && (self.absent.is_none() || self.absent == known.absent)
    }

    /// Whether no annotation was written.
    pub fn is_empty(&self) -> bool {
        *self == Annotations::default()
    }
}

fn once<T>(
    name: &str,
    again: bool,
    read: impl FnOnce() -> Result<T, Malformed>,
) -> Result<T, Malformed> {
    if again {
        return Err(Malformed {
            argument: None,
            message: format!("`@{name}` is given twice"),
            words: Vec::new(),
        });
    }
    read()
}

fn fails(arguments: &[&str]) -> Result<(SffiFailure, i64), Malformed> {
    let words = || FAILURES.iter().map(|(_, word)| *word).collect();
    let [value] = arguments else {
        return Err(Malformed {
            argument: None,
            message: "`@fails` takes one value: `never`, `flag`, or the number that a failed call returns".to_owned(),
            words: words(),
        });
    };
    if let Some((kind, _)) = FAILURES.iter().find(|(_, word)| word == value) {
        return Ok((*kind, 0));
    }
    let number = value.parse().map_err(|_| Malformed {
        argument: Some(0),
        message: format!(
            "unknown kind of failure `{value}`; expected `never`, `flag`, or the number that a failed call returns"
        ),
        words: words(),
    })?;
    Ok((SffiFailure::Value, number))
}

fn union(arguments: &[&str]) -> Result<u16, Malformed> {
    let words = || EFFECTS.iter().map(|(_, word)| *word);
    let expected = || {
        let quoted: Vec<String> = words().map(|word| format!("`{word}`")).collect();
        quoted.join(", ")
    };
    if arguments.is_empty() {
        return Err(Malformed {
            argument: None,
            message: format!("`@effects` takes at least one of {}", expected()),
            words: words().collect(),
        });
    }
    let mut union = 0;
    for (at, word) in arguments.iter().enumerate() {
        let Some((bit, _)) = EFFECTS.iter().find(|(_, known)| known == word) else {
            return Err(Malformed {
                argument: Some(at),
                message: format!("unknown effect `{word}`; expected one of {}", expected()),
                words: words().collect(),
            });
        };
        union |= bit;
    }
    Ok(union)
}

fn absent(arguments: &[&str]) -> Result<i64, Malformed> {
    let wrong = |argument, found: &str| Malformed {
        argument,
        message: format!(
            "`@absent` takes one whole number, which a call answers where the library is not there{found}"
        ),
        words: Vec::new(),
    };
    let [value] = arguments else {
        return Err(wrong(None, ""));
    };
    value
        .parse()
        .map_err(|_| wrong(Some(0), &format!("; `{value}` is not one")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(annotations: &[(&str, &[&str])]) -> Result<Annotations, Malformed> {
        let mut read = Annotations::default();
        for (name, arguments) in annotations {
            read.read(name, arguments)?;
        }
        Ok(read)
    }

    #[test]
    fn a_contract_is_written_as_it_is_read() {
        let whole = [
            ("fails", &["-1"][..]),
            ("effects", &["new_handle", "reads"]),
            ("absent", &["0"]),
        ];
        let contract = read(&whole).unwrap().contract();
        let written = "@fails(-1) @effects(new_handle, reads) @absent(0)";
        assert_eq!(contract.to_string(), written);
        assert!(contract.takes_long() && contract.reads());
        let never = read(&[("fails", &["never"])]).unwrap().contract();
        assert_eq!(never.to_string(), "@fails(never)");
        assert_eq!(
            Annotations::default().contract().to_string(),
            "@fails(flag)"
        );
    }

    #[test]
    fn only_what_is_stated_must_fit() {
        let known = read(&[("fails", &["0"]), ("effects", &["reads"])]).unwrap();
        let known = known.contract();
        let fit = |annotations: &[(&str, &[&str])]| read(annotations).unwrap().fit(&known);
        assert!(fit(&[]));
        assert!(fit(&[("effects", &["reads"])]));
        assert!(!fit(&[("effects", &["reads", "writes"])]));
        assert!(!fit(&[("fails", &["1"])]));
        assert!(!fit(&[("absent", &["0"])]));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (annotations, argument, part) in [
            (
                &[("fails", &["maybe"][..])][..],
                Some(0),
                "unknown kind of failure `maybe`; expected `never`",
            ),
            (&[("fails", &[])], None, "`@fails` takes one value"),
            (
                &[("fails", &["0"]), ("fails", &["0"])],
                None,
                "`@fails` is given twice",
            ),
            (
                &[("effects", &["reads", "read"])],
                Some(1),
                "unknown effect `read`; expected one of `new_handle`, `frees`, `writes`, `state`, `reads`",
            ),
            (
                &[("effects", &[])],
                None,
                "`@effects` takes at least one of",
            ),
            (
                &[("absent", &["nil"])],
                Some(0),
                "is not there; `nil` is not one",
            ),
            (&[("other", &[])], None, "unknown annotation `@other`"),
        ] {
            let wrong = read(annotations).unwrap_err();
            assert_eq!(wrong.argument, argument);
            assert!(wrong.message.contains(part), "{}", wrong.message);
        }
    }
}
