//! The object file of a library for C: the program, and a stub for each of its functions.
//!
//! It is linked with `libsimple_library.a`, which has what the stubs go on to ([`crate::library`]). Only for x86-64.

use crate::library::{Function, described};
use object::write::{Object, Relocation, StandardSection, Symbol, SymbolId, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationEncoding, RelocationFlags, RelocationKind,
    SymbolFlags, SymbolKind, SymbolScope,
};

/// Bytes between two stubs.
pub(crate) const STUB: usize = 32;

/// The stub of a function: `lea r10, [rip + program]; mov r11d, number; jmp enter`. The distances to the program and to
/// what it jumps to are from the start of the stub.
pub(crate) fn stub(number: u32, program: i32, enter: i32) -> [u8; STUB] {
    let mut code = vec![0x4c, 0x8d, 0x15];
    code.extend((program - PROGRAM_END).to_le_bytes());
    code.extend([0x41, 0xbb]);
    code.extend(number.to_le_bytes());
    code.push(0xe9);
    code.extend((enter - ENTER_END).to_le_bytes());
    code.resize(STUB, 0xcc);
    let mut stub = [0; STUB];
    stub.copy_from_slice(&code);
    stub
}

/// Where in a stub the instructions end that have distances, which count from there.
const PROGRAM_END: i32 = 7;
const ENTER_END: i32 = 18;

/// The name of what stubs go on to.
pub(crate) const ENTER: &str = "simple_library_enter";

/// The name of what yields the message of an error.
pub(crate) const ERROR: &str = "simple_library_error";

/// An object file with these functions of a program, and `error` as the function that yields the message
/// of an error.
///
/// # Errors
///
/// What cannot be written, which is nothing that a program could do.
pub fn object(program: &[u8], functions: &[Function], error: &str) -> Result<Vec<u8>, String> {
    let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let symbol = |object: &mut Object<'_>, name: &str, scope, section| {
        object.add_symbol(Symbol {
            name: name.as_bytes().to_vec(),
            value: 0,
            size: 0,
            kind: SymbolKind::Text,
            scope,
            weak: false,
            section,
            flags: SymbolFlags::None,
        })
    };
    let data = object.section_id(StandardSection::ReadOnlyData);
    let text = object.section_id(StandardSection::Text);
    let outside = (SymbolScope::Unknown, SymbolSection::Undefined);
    let enter = symbol(&mut object, ENTER, outside.0, outside.1);
    let last_error = symbol(&mut object, ERROR, outside.0, outside.1);
    // One program for a process: two of them are an error of the linker.
    let here = SymbolSection::Section(data);
    let held = symbol(
        &mut object,
        "simple_library_program",
        SymbolScope::Linkage,
        here,
    );
    object.add_symbol_data(held, data, &described(program, functions), 16);
    let jump = |object: &mut Object<'_>, name: &str, code: &[u8], places: &[(i32, SymbolId)]| {
        let here = SymbolSection::Section(text);
        let id = symbol(object, name, SymbolScope::Dynamic, here);
        let at = object.add_symbol_data(id, text, code, STUB as u64);
        for &(end, target) in places {
            let relocation = Relocation {
                offset: at + end as u64 - 4,
                symbol: target,
                addend: -4,
                flags: RelocationFlags::Generic {
                    kind: RelocationKind::PltRelative,
                    encoding: RelocationEncoding::X86Branch,
                    size: 32,
                },
            };
            object
                .add_relocation(text, relocation)
                .map_err(|error| error.to_string())?;
        }
        Ok::<(), String>(())
    };
    for (number, function) in (0..).zip(functions) {
        let code = stub(number, PROGRAM_END, ENTER_END);
        let places = [(PROGRAM_END, held), (ENTER_END, enter)];
        jump(&mut object, &function.symbol, &code, &places)?;
    }
    // `jmp`, and its distance.
    jump(&mut object, error, &[0xe9, 0, 0, 0, 0], &[(5, last_error)])?;
    // Linkers take a stack that is not executable only from a file that says so.
    object.add_section(
        Vec::new(),
        b".note.GNU-stack".to_vec(),
        object::SectionKind::Other,
    );
    object.write().map_err(|error| error.to_string())
}
