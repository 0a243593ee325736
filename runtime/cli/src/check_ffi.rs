//! `--check-ffi`, before a program runs: its declarations of plain C functions against the debug information of the libraries.
//!
//! What is done while it runs is in `simple_core::guard`. A library without debug information says nothing; `simple bind --check` compares
//! bindings with their header instead.

use crate::output::complain;
use simple_bridge::{Bridge, Declared};
use simple_sema::typed::{Extern, ExternKind, Foreign, Program, Ty, TyId};
use simple_syntax::Diagnostic;
use std::collections::BTreeMap;

/// The code of a declaration that contradicts what is known.
const CONTRADICTION: &str = "E0319";

/// What is wrong with the declarations of a program. `verbose` says which libraries were compared.
pub fn compare(program: &Program, bridge: &Bridge, verbose: bool) -> Vec<Diagnostic> {
    let mut libraries: BTreeMap<&str, Vec<&Extern>> = BTreeMap::new();
    for declared in &program.externs {
        let is_function = !matches!(declared.kind, ExternKind::Variable(_));
        if let (Some(library), true) = (&declared.library, is_function) {
            libraries.entry(library).or_default().push(declared);
        }
    }
    let mut found = Vec::new();
    for (library, externs) in libraries {
        // Kernels of the runtime compare declarations themselves.
        if !bridge.is_plain(library) || library == simple_core::kernels::LIBRARY {
            continue;
        }
        let declared: Vec<Declared<'_>> = externs
            .iter()
            .map(|one| declaration(program, one))
            .collect();
        let comparison = bridge.compare(library, &declared);
        let file = comparison
            .file
            .map(|file| file.display().to_string())
            .unwrap_or_default();
        if verbose {
            let (described, count) = (comparison.described, externs.len());
            complain!(
                "simple: {described} of {count} functions of `{library}` are described by debug information ({file})"
            );
        }
        for (index, what) in comparison.differences {
            let declared = externs[index];
            let message = format!(
                "the declaration of `{}` does not fit the library `{library}`",
                declared.name
            );
            let d = Diagnostic::error(CONTRADICTION, declared.span, message)
                .note(what)
                .note(format!("according to the debug information in {file}"))
                .help("`simple bind` writes the declarations of a library from its header");
            found.push(d);
        }
    }
    found
}

fn declaration<'p>(program: &'p Program, declared: &'p Extern) -> Declared<'p> {
    // Each use of a function with `...` has an entry with what it passes; which of that is declared is not known there.
    Declared {
        symbol: &declared.symbol,
        params: (declared.params.iter())
            .map(|param| (&param.foreign, pointee(program, param.ty)))
            .collect(),
        result: (&declared.result, pointee(program, declared.ret)),
        variadic: declared.kind == ExternKind::Variadic,
    }
}

/// What is declared to be at an address of this type.
fn pointee(program: &Program, ty: TyId) -> Option<&Foreign> {
    match *program.types.get(ty) {
        Ty::Option(item) => pointee(program, item),
        Ty::Adt(id) => program
            .types
            .foreign
            .get(program.types.adts[id.0 as usize].args.first()?),
        _ => None,
    }
}
