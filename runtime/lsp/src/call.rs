//! A call that is typed, and what a function takes: what `signature.rs` and `facts.rs` share.

use simple_document::signature::parameters;

/// A call that the cursor is in.
pub(crate) struct Call<'t> {
    /// The function's name.
    pub(crate) name: &'t str,
    /// The last byte of what is before the dot of a method.
    pub(crate) receiver: Option<usize>,
    /// How many commas are before the cursor.
    pub(crate) place: usize,
    /// The label of the argument that the cursor is in.
    pub(crate) label: Option<&'t str>,
}

/// What a function takes.
pub(crate) struct Head {
    /// `name(a: i64, b: i64 = 1) -> i64`.
    pub(crate) label: String,
    pub(crate) parameters: Vec<String>,
    pub(crate) docs: String,
}

impl Head {
    /// That of a function by its signature.
    pub(crate) fn of_function(signature: &str, docs: &str) -> Head {
        Head {
            label: signature.to_owned(),
            parameters: parameters(signature)
                .into_iter()
                .map(str::to_owned)
                .collect(),
            docs: docs.to_owned(),
        }
    }

    /// That of the constructor of a type with these fields.
    pub(crate) fn of_type(name: &str, fields: Vec<String>, docs: &str) -> Head {
        Head {
            label: format!("{name}({})", fields.join(", ")),
            parameters: fields,
            docs: docs.to_owned(),
        }
    }
}
