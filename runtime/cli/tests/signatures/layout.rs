//! Layouts of random records as C compilers have them: sizes, alignments and offsets, for this processor and by cross compiling for others.

use crate::random::Random;
use crate::types::{Pool, Ty};
use simple_ffi_abi::c_layout::CStruct;
use simple_ffi_abi::foreign::Foreign;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// How many programs' worth of records are compared.
const POOLS: u64 = 40;

/// The type as the runtime describes it.
fn foreign(ty: &Ty, layouts: &[Arc<CStruct>], pool: &Pool) -> Foreign {
    match ty {
        Ty::Bool => Foreign::Bool,
        Ty::Int { bits, signed } => Foreign::Int {
            bits: *bits as u8,
            signed: *signed,
        },
        Ty::F32 => Foreign::F32,
        Ty::F64 => Foreign::F64,
        Ty::CText { optional } => Foreign::CText {
            optional: *optional,
        },
        Ty::Address { optional } | Ty::Handle { optional } => Foreign::Address {
            optional: *optional,
        },
        Ty::Enum(at) => Foreign::Enum(pool.enums[*at].clone().into()),
        Ty::Record(at) => Foreign::Struct(layouts[*at].clone()),
        Ty::Inline(item, count) => {
            Foreign::Inline(Box::new(foreign(item, layouts, pool)), *count as u32)
        }
    }
}

/// C that compiles only where every layout is as the runtime has it, and how many records it is about.
pub fn asserts(seed: u64) -> (String, usize) {
    let pool = Pool::new(&mut Random::new(seed));
    let mut c = String::from("#include <stddef.h>\n#include <stdint.h>\nstruct handle;\n");
    c += &pool.declare().1;
    let mut layouts: Vec<Arc<CStruct>> = Vec::new();
    for (at, record) in pool.records.iter().enumerate() {
        let fields = (record.fields.iter())
            .map(|field| foreign(field, &layouts, &pool))
            .collect();
        let layout = CStruct::new("S", fields, record.union).expect("a layout");
        let mut same = |what: String, number: u32| {
            c += &format!("_Static_assert({what} == {number}, \"{what}\");\n");
        };
        same(format!("sizeof(S{at})"), layout.size);
        same(format!("_Alignof(S{at})"), layout.align);
        for (n, (offset, _)) in layout.fields.iter().enumerate() {
            same(format!("offsetof(S{at}, f{n})"), *offset);
        }
        layouts.push(layout);
    }
    (c, pool.records.len())
}

/// Compares with a compiler; `None` where it is not there.
pub fn compare(compiler: &str, folder: &Path) -> Option<usize> {
    let mut compared = 0;
    for seed in 1..=POOLS {
        let (c, records) = asserts(seed);
        let source = folder.join("layout.c");
        std::fs::write(&source, c).expect("a writable folder");
        let output = Command::new(compiler)
            .args(["-fsyntax-only", "-w"])
            .arg(&source)
            .output()
            .ok()?;
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{compiler}, seed {seed}: {said}");
        compared += records;
    }
    Some(compared)
}
