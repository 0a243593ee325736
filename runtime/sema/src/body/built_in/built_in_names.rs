//! The names of the methods of built-in types that code generation knows itself, for advice and for bare names in their `impl` blocks.
//!
//! What they mean is in `collection.rs` and `option_method.rs`; tests compare the lists with the tables there.

use super::*;

/// Names of intrinsic methods of a type. Other names of the same ones: [`intrinsic_synonyms`].
pub(crate) fn intrinsic_method_names(ty: &Ty) -> &'static [&'static str] {
    match ty {
        Ty::Int(_) => &[
            "abs",
            "min",
            "max",
            "pow",
            "wrapping_add",
            "wrapping_sub",
            "wrapping_mul",
            "mul_high",
            "count_ones",
            "leading_zeros",
            "trailing_zeros",
            "to_string",
            "to_f64",
            "to_i64",
        ],
        Ty::F32 | Ty::F64 => &[
            "abs",
            "min",
            "max",
            "sqrt",
            "floor",
            "ceil",
            "trunc",
            "to_bits",
            "to_string",
            "to_int",
        ],
        Ty::Text => &["len", "is_empty", "contains", "repeat", "byte_len"],
        Ty::Array(_) => &[
            "len", "is_empty", "push", "pop", "insert", "remove", "extend", "clear", "contains",
            "join", "get", "first", "last", "concat", "sort",
        ],
        Ty::Dict(..) => &[
            "len", "is_empty", "get", "set", "contains", "remove", "keys", "values", "clear",
            "items", "extend",
        ],
        Ty::Set(_) => &["len", "is_empty", "has", "add", "remove", "clear"],
        Ty::Range => &["len", "contains"],
        Ty::Tuple(_) => &["len", "to_array"],
        Ty::Result(..) => super::option_method::RESULT,
        _ => &["to_string"],
    }
}

/// Further names by which intrinsic methods of a type can be called, for hints.
pub(in crate::body) fn intrinsic_synonyms(ty: &Ty) -> &'static [&'static str] {
    match ty {
        Ty::Int(_) => &["bits_to_float", "to_text"],
        Ty::F32 | Ty::F64 => &["pow", "to_text"],
        Ty::Bool => &["to_text", "to_int", "to_i64"],
        Ty::Handle(_) => &["to_text"],
        Ty::Text => &["length", "has", "to_string", "to_text"],
        Ty::Array(_) => &["length", "has", "append", "merge", "copy", "clone"],
        Ty::Dict(..) => &[
            "length",
            "has",
            "contains_key",
            "entries",
            "insert",
            "get_or",
            "fetch",
            "delete",
            "copy",
            "clone",
        ],
        Ty::Set(_) => &["length", "contains", "insert", "copy", "clone"],
        Ty::Range => &["length"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The heads of the lines of [`Body::op_of`]: the names of types, and of methods.
    fn rows() -> Vec<(Vec<&'static str>, Vec<&'static str>)> {
        let source = include_str!("collection.rs");
        let start = source.find("fn op_of").expect("the table");
        let end = source[start..].find("_ => return None").expect("its end");
        let mut rows = Vec::new();
        for head in source[start..start + end].split("=> ") {
            let Some(at) = head
                .rfind("(Ty::")
                .or_else(|| head.rfind("(\n                Ty::"))
            else {
                continue;
            };
            let (types, names) = head[at..].split_once('"').unwrap_or((&head[at..], ""));
            let types = types.split("Ty::").skip(1);
            let types = types.map(|ty| {
                ty.split(|c: char| !c.is_alphanumeric())
                    .next()
                    .unwrap_or("")
            });
            let names = names.split('"').step_by(2).filter(|_| !names.is_empty());
            rows.push((types.collect(), names.collect()));
        }
        rows
    }

    #[test]
    fn every_method_of_the_table_is_suggested() {
        let ty = |name: &str| match name {
            "Int" => Some(Ty::Int(IntTy::I64)),
            "F32" => Some(Ty::F32),
            "F64" => Some(Ty::F64),
            "Bool" => Some(Ty::Bool),
            "Text" => Some(Ty::Text),
            "Array" => Some(Ty::Array(TyId::I64)),
            "Dict" => Some(Ty::Dict(TyId::I64, TyId::I64)),
            "Set" => Some(Ty::Set(TyId::I64)),
            "Range" => Some(Ty::Range),
            "Tuple" => Some(Ty::Tuple(Vec::new())),
            _ => None,
        };
        let mut count = 0;
        for (types, names) in rows() {
            for of in types.iter().filter_map(|name| ty(name)) {
                for name in &names {
                    let known = intrinsic_method_names(&of).contains(name)
                        || intrinsic_synonyms(&of).contains(name);
                    assert!(known, "`{name}` of {of:?} is in no list");
                    count += 1;
                }
            }
        }
        assert!(count > 80, "the table is read: {count}");
    }
}
