//! What is known of a foreign function wherever it comes from: the one record that tables, manifests, bridge and checker pass.
//!
//! Types are the words that declarations write, since a declaration is compared with them; how each crosses is in `foreign.rs`, what the words
//! of manifests mean in [`crate::SffiType`]. Leaves out the name, which is how a function is found, and its address.

use crate::contract::Contract;
use crate::{SffiType, export::Entry};

/// What a function takes and yields, how it fails and what it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Parameter types, in Simple: `["[i64]", "Scalar?"]`.
    pub params: Vec<String>,
    /// Result type, in Simple; `()` for none.
    pub result: String,
    /// How it fails, what it does, and what to answer where its library is not on the machine.
    pub contract: Contract,
}

impl Signature {
    /// Whether a declaration has these types; an empty result is `()`.
    pub fn has_types(&self, params: &[String], result: &str) -> bool {
        self.params == params && self.result == unit(result)
    }

    /// Whether code that was compiled for `other` may call this.
    pub fn serves(&self, other: &Signature) -> bool {
        self.has_types(&other.params, &other.result) && self.contract.fails_as(&other.contract)
    }
}

impl From<&Entry> for Signature {
    fn from(entry: &Entry) -> Signature {
        Signature {
            params: entry.params().map(|(_, ty)| ty.name()).collect(),
            result: entry.result.name().to_owned(),
            contract: entry.contract(),
        }
    }
}

fn unit(result: &str) -> &str {
    match result {
        "" => SffiType::Unit.name(),
        result => result,
    }
}

/// A function with its types, as messages show it: `f(i64, text) -> bool`.
pub fn shown(name: &str, params: &[String], result: &str) -> String {
    let params = params.join(", ");
    match unit(result) == SffiType::Unit.name() {
        true => format!("{name}({params})"),
        false => format!("{name}({params}) -> {result}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SffiFailure;

    fn signature(params: &[&str], result: &str, failure: SffiFailure) -> Signature {
        let contract = Contract {
            failure,
            failure_value: 0,
            effects: 0,
            absent: None,
        };
        Signature {
            params: params.iter().map(|param| (*param).to_owned()).collect(),
            result: result.to_owned(),
            contract,
        }
    }

    #[test]
    fn functions_are_shown_as_they_are_declared() {
        assert_eq!(
            shown("f", &["i64".into(), "Scalar?".into()], "bool"),
            "f(i64, Scalar?) -> bool"
        );
        assert_eq!(shown("f", &[], "()"), "f()");
        assert_eq!(shown("f", &[], ""), "f()");
    }

    #[test]
    fn a_function_serves_code_for_one_with_its_types_and_failures() {
        let known = signature(&["i64"], "()", SffiFailure::Flag);
        assert!(known.has_types(&["i64".into()], "") && known.serves(&known.clone()));
        assert!(!known.has_types(&["i64?".into()], ""));
        assert!(!known.has_types(&["i64".into()], "i64"));
        assert!(!known.serves(&signature(&["i64"], "()", SffiFailure::Never)));
        assert!(!known.serves(&signature(&["i32"], "()", SffiFailure::Flag)));
    }
}
