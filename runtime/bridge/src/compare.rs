//! Compares declarations of foreign functions with what debug information says, for `--check-ffi`.
//!
//! What is compared is how things cross: the number of parameters, sizes, floats against integers, where the members of structs are. The
//! sign of an integer is not, nor what is at an address that one of both sides does not say: `Ptr<u8>` for `struct x *` is not a mistake.

use crate::debug_info::{CFunction, CKind, CType, functions};
use crate::{Bridge, search};
use simple_ffi_abi::foreign::{Foreign, ForeignParam};
use std::collections::HashSet;
use std::path::PathBuf;

/// A declared function of a plain C library.
#[derive(Debug)]
pub struct Declared<'d> {
    /// Its name in the library.
    pub symbol: &'d str,
    /// Its parameters, and for those that are addresses what is there, as far as that is known.
    pub params: Vec<(&'d ForeignParam, Option<&'d Foreign>)>,
    /// Its result, in the same way.
    pub result: (&'d Foreign, Option<&'d Foreign>),
    /// Whether it takes a variable number of arguments after the parameters.
    pub variadic: bool,
}

/// What a library says about some declarations.
#[derive(Debug, Default)]
pub struct Comparison {
    /// The file with the debug information, or the library if it has none; `None` if that is not found.
    pub file: Option<PathBuf>,
    /// How many of the functions it describes.
    pub described: usize,
    /// What is different: which declaration, and how.
    pub differences: Vec<(usize, String)>,
}

impl Bridge {
    /// Compares declarations of functions in the library of `@Lib` with its debug information. Nothing is opened.
    pub fn compare(&self, library: &str, declared: &[Declared<'_>]) -> Comparison {
        let Some(file) = search::file_of(library, &self.search_folders()) else {
            return Comparison::default();
        };
        // A version of a symbol is not part of its name.
        let name = |symbol: &'_ str| symbol.split('@').next().unwrap_or_default().to_owned();
        let names: Vec<String> = declared.iter().map(|one| name(one.symbol)).collect();
        let wanted: HashSet<&str> = names.iter().map(String::as_str).collect();
        let (found, file) = functions(&file, &wanted);
        let mut comparison = Comparison {
            file: Some(file),
            ..Comparison::default()
        };
        for (index, (one, name)) in declared.iter().zip(&names).enumerate() {
            if let Some(actual) = found.get(name) {
                comparison.described += 1;
                comparison
                    .differences
                    .extend(differences(one, actual).map(|what| (index, what)));
            }
        }
        comparison
    }
}

/// The first thing in which a declaration is different.
fn differences(declared: &Declared<'_>, actual: &CFunction) -> Option<String> {
    let mut actual_params = actual.params.iter();
    for (index, (param, at)) in declared.params.iter().enumerate() {
        let number = index + 1;
        let foreign = &param.foreign;
        let Some(ty) = actual_params.next() else {
            return (!actual.variadic).then(|| wrong_count(declared, actual));
        };
        let fits = match param.out {
            true => is_address_of(ty, Some(foreign)),
            false => crosses_as(ty, foreign, *at),
        };
        let shown = match param.out {
            true => format!("out {}", foreign.name()),
            false => foreign.name(),
        };
        if !fits {
            return Some(format!(
                "parameter {number} is declared as `{shown}`, and is {}",
                described(ty, foreign)
            ));
        }
        if matches!(foreign, Foreign::Text | Foreign::Array(_)) && !param.out {
            let length = actual_params.next();
            if length.and_then(CType::size) != Some(8) {
                return Some(format!(
                    "parameter {number} is declared as `{shown}`, an address and a number of 64 bits after it, which is not there"
                ));
            }
        }
    }
    if actual_params.next().is_some() && !declared.variadic {
        return Some(wrong_count(declared, actual));
    }
    if declared.variadic != actual.variadic {
        return Some(match actual.variadic {
            true => {
                "it takes a variable number of arguments, and is declared without `...`".to_owned()
            }
            false => {
                "it is declared with `...`, and takes no variable number of arguments".to_owned()
            }
        });
    }
    let (result, at) = declared.result;
    // A result that is not looked at does no harm.
    (!matches!(result, Foreign::Unit) && !crosses_as(&actual.result, result, at)).then(|| {
        format!(
            "the result is declared as `{}`, and is {}",
            result.name(),
            described(&actual.result, result)
        )
    })
}

fn wrong_count(declared: &Declared<'_>, actual: &CFunction) -> String {
    let counted = |count: usize| match count {
        1 => "1 parameter".to_owned(),
        _ => format!("{count} parameters"),
    };
    format!(
        "it is declared with {}, and has {}",
        counted(declared.params.len()),
        counted(actual.params.len())
    )
}

/// A type of C, which is not the declared one.
fn described(ty: &CType, declared: &Foreign) -> String {
    let same_size = ty.size() == Some(declared.size().into());
    match (ty.size(), &ty.kind) {
        (Some(_), CKind::Record { .. }) if same_size && matches!(declared, Foreign::Struct(_)) => {
            format!(
                "`{}`, whose members are other ones or at other places",
                ty.name
            )
        }
        (Some(1), _) => format!("`{}` (1 byte)", ty.name),
        (Some(bytes), CKind::Integer(_) | CKind::Float(_) | CKind::Record { .. }) => {
            format!("`{}` ({bytes} bytes)", ty.name)
        }
        _ => format!("`{}`", ty.name),
    }
}

/// Whether a value of C crosses as the declared one does; `at` is what is declared to be at an address.
fn crosses_as(ty: &CType, declared: &Foreign, at: Option<&Foreign>) -> bool {
    let size = || u64::from(declared.size());
    match (declared, &ty.kind) {
        (_, CKind::Unknown) => true,
        (Foreign::Unit, kind) => *kind == CKind::Void,
        (Foreign::F32 | Foreign::F64, CKind::Float(bytes)) => *bytes == size(),
        (Foreign::Bool | Foreign::Int { .. } | Foreign::Enum(_), CKind::Integer(bytes)) => {
            *bytes == size()
        }
        // An address may be held as a number, and a handle may be a number of 64 bits.
        (Foreign::Int { bits: 64, .. }, CKind::Address(_)) => true,
        (Foreign::Address { .. } | Foreign::Owned { .. }, CKind::Integer(8)) => true,
        (Foreign::Address { .. }, CKind::Address(_)) => is_address_of(ty, at),
        (Foreign::Owned { .. }, CKind::Address(_)) => true,
        (Foreign::Text | Foreign::CText { .. }, CKind::Address(to)) => {
            matches!(to.size(), None | Some(1))
        }
        (Foreign::Array(item) | Foreign::Elements(item), CKind::Address(_)) => {
            is_address_of(ty, Some(item))
        }
        (Foreign::Struct(layout), CKind::Record { bytes, scalars }) => {
            let ours = || {
                let scalars = layout.scalars();
                let one = |(at, scalar): &(u32, Foreign)| {
                    let float = matches!(scalar, Foreign::F32 | Foreign::F64);
                    (u64::from(*at), u64::from(scalar.size()), float)
                };
                scalars.iter().map(one).collect::<Vec<_>>()
            };
            *bytes == size()
                && scalars
                    .as_ref()
                    .is_none_or(|scalars| layout.union || *scalars == ours())
        }
        (Foreign::Function(declared), CKind::Address(to)) => match &to.kind {
            CKind::Function(actual) => {
                let mut pairs = declared.params.iter().zip(&actual.params);
                declared.params.len() == actual.params.len()
                    && pairs.all(|(declared, actual)| crosses_as(actual, declared, None))
                    && (actual.result.kind == CKind::Void
                        || crosses_as(&actual.result, &declared.result, None))
            }
            CKind::Void | CKind::Unknown => true,
            _ => false,
        },
        _ => false,
    }
}

/// Whether a type of C is an address where this can be; only sizes and floats are compared there.
fn is_address_of(ty: &CType, declared: Option<&Foreign>) -> bool {
    let CKind::Address(to) = &ty.kind else {
        return matches!(ty.kind, CKind::Unknown);
    };
    let (Some(declared), Some(size)) = (declared, to.size()) else {
        return true;
    };
    match declared {
        // Bytes can be of anything.
        Foreign::Int { bits: 8, .. } => true,
        // What is at an address that is at this address is not known here.
        Foreign::Address { .. }
        | Foreign::Owned { .. }
        | Foreign::CText { .. }
        | Foreign::Int { bits: 64, .. } => size == 8,
        Foreign::Struct(_) => crosses_as(to, declared, None),
        _ => {
            size == u64::from(declared.size())
                && matches!(declared, Foreign::F32 | Foreign::F64)
                    == matches!(to.kind, CKind::Float(_))
        }
    }
}
