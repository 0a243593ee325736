//! What attributes make of a type: `mode`, `vector_size`, and what of them else the bindings have to know.
//!
//! Most attributes never come here: `pieces.rs` blanks them.

use crate::ctype::{CType, Special};
use crate::parse::Reader;
use lang_c::ast::*;

impl Reader<'_> {
    /// A type with what attributes make of it: those of a declaration are about the type that all of its names begin with.
    pub(crate) fn attributed(&mut self, ty: CType, extensions: &[&Extension]) -> CType {
        let mut ty = ty;
        for attribute in attributes(extensions, "mode") {
            let mode = match attribute.arguments.first().map(|argument| &argument.node) {
                Some(Expression::Identifier(name)) => name.node.name.trim_matches('_'),
                _ => "",
            };
            ty = moded(ty, mode);
        }
        let vector = attributes(extensions, "vector_size").next();
        let elements = attributes(extensions, "ext_vector_type").next();
        let number = |reader: &mut Self, attribute: &Attribute| {
            let value = reader.integer(&attribute.arguments.first()?.node)?;
            u64::try_from(value).ok()
        };
        let size = match (vector, elements) {
            (Some(vector), _) => number(self, vector),
            (None, Some(elements)) => {
                let item = self.unit.layout(&ty).map_or(1, |layout| layout.size);
                number(self, elements).and_then(|count| count.checked_mul(item))
            }
            (None, None) => return ty,
        };
        let size = size.filter(|size| size.is_power_of_two()).unwrap_or(16);
        CType::Special(Special {
            name: "a vector type",
            size,
            align: size,
        })
    }
}

/// A type that is not understood.
pub(crate) const UNKNOWN: CType = CType::Special(Special::wide("an unknown type"));

/// What `__attribute__((mode(DI)))` makes of a type: a number of the size that the mode names.
fn moded(ty: CType, mode: &str) -> CType {
    let bits = match mode {
        "QI" | "byte" => 8,
        "HI" => 16,
        "SI" | "SF" => 32,
        "DI" | "DF" | "word" | "pointer" | "unwind_word" => 64,
        "TI" => return CType::Special(Special::wide("__int128")),
        "XF" => return CType::Special(Special::wide("long double")),
        "TF" => return CType::Special(Special::wide("a float of 128 bits")),
        "SC" => return CType::Special(Special::COMPLEX_FLOAT),
        "DC" => return CType::Special(Special::COMPLEX_DOUBLE),
        _ => return UNKNOWN,
    };
    match ty {
        CType::Float | CType::Double if bits == 32 => CType::Float,
        CType::Float | CType::Double if bits == 64 => CType::Double,
        CType::Int { signed, .. } => CType::Int { bits, signed },
        CType::Char => CType::Int { bits, signed: true },
        _ => UNKNOWN,
    }
}

/// `_Float32` and its like.
pub(crate) fn extended(float: &TS18661FloatType) -> CType {
    match (&float.format, float.width) {
        (TS18661FloatFormat::BinaryInterchange, 32) => CType::Float,
        (TS18661FloatFormat::BinaryInterchange, 64) => CType::Double,
        (TS18661FloatFormat::BinaryExtended, 32) => CType::Double,
        (TS18661FloatFormat::BinaryInterchange, 16) => CType::Special(Special {
            name: "_Float16",
            size: 2,
            align: 2,
        }),
        (TS18661FloatFormat::BinaryInterchange | TS18661FloatFormat::BinaryExtended, _) => {
            CType::Special(Special::wide("a float of 128 bits"))
        }
        _ => CType::Special(Special::wide("a decimal float")),
    }
}

pub(crate) fn collect_extensions<'t>(declarator: &'t Declarator, out: &mut Vec<&'t Extension>) {
    out.extend(
        declarator
            .extensions
            .iter()
            .map(|extension| &extension.node),
    );
    if let DeclaratorKind::Declarator(inner) = &declarator.kind.node {
        collect_extensions(&inner.node, out);
    }
}

/// The attributes of a name, written with underscores around it or without.
pub(crate) fn attributes<'t>(
    extensions: &'t [&Extension],
    name: &'t str,
) -> impl Iterator<Item = &'t Attribute> {
    extensions
        .iter()
        .filter_map(move |extension| match extension {
            Extension::Attribute(attribute) if attribute.name.node.trim_matches('_') == name => {
                Some(attribute)
            }
            _ => None,
        })
}

pub(crate) fn has_attribute(extensions: &[&Extension], name: &str) -> bool {
    attributes(extensions, name).next().is_some()
}
