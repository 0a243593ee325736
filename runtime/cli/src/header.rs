//! The header of a library for C: prototypes of what a program exports, the structs and enums that they use, and the
//! comments above them.
//!
//! Leaves out headers of libraries that are written for SFFI, which `simple bind --header` makes.

use simple_sema::typed::{AdtId, Export, Foreign, Program, Ty, TyId};
use std::fmt::Write;

/// The header of the library with this name.
pub(crate) fn of(program: &Program, name: &str) -> String {
    let mut types = Types {
        program,
        out: String::new(),
        written: Vec::new(),
    };
    let prototypes: Vec<String> = (program.exports.iter())
        .map(|export| prototype(export, &mut types))
        .collect();
    let guard = format!("{}_H", name.to_uppercase());
    let mut out = format!(
        "/* The library {name}, made by `simple compile`. Its functions may be called on one thread: that of the first call.\n   Texts and arrays that a function yields are the caller's: give them back with `free`. */\n"
    );
    let _ = writeln!(
        out,
        "#ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n"
    );
    out.push_str(&types.out);
    let _ = writeln!(
        out,
        "/* The message of the first error since this was asked last, with its place and the calls that led there; NULL if\n   there was none. A function that fails yields 0, NULL or zeros. The message lasts until the next call. */\nconst char *{name}_error(void);\n"
    );
    for prototype in prototypes {
        let _ = writeln!(out, "{prototype}\n");
    }
    let _ = writeln!(out, "#ifdef __cplusplus\n}}\n#endif\n\n#endif");
    out
}

fn prototype(export: &Export, types: &mut Types<'_>) -> String {
    let mut params: Vec<String> = Vec::new();
    for param in &export.params {
        let name = &param.name;
        match &param.foreign {
            Foreign::Text => {
                params.push(format!("const char *{name}"));
                params.push(format!("int64_t {name}_bytes"));
            }
            Foreign::Array(item) => {
                let item = types.element(param.ty, item);
                params.push(format!("const {item} *{name}"));
                params.push(format!("int64_t {name}_count"));
            }
            foreign => params.push(types.declare(param.ty, foreign, name)),
        }
    }
    let name = &export.symbol;
    let start = match &export.result {
        Foreign::Text => {
            params.push("int64_t *bytes".to_owned());
            format!("char *{name}")
        }
        Foreign::CText { .. } => format!("char *{name}"),
        Foreign::Array(item) => {
            params.push("int64_t *count".to_owned());
            format!("{} *{name}", types.element(export.ret, item))
        }
        result => types.declare(export.ret, result, name),
    };
    let params = match params.is_empty() {
        true => "void".to_owned(),
        false => params.join(", "),
    };
    let mut out = String::new();
    for line in export.docs.iter().flat_map(|docs| docs.lines()) {
        let _ = writeln!(out, "{}", format!("// {}", line.trim_end()).trim_end());
    }
    let _ = write!(out, "{start}({params});");
    out
}

/// Declarations of the types that prototypes use, each once and after those inside of it.
struct Types<'p> {
    program: &'p Program,
    out: String,
    written: Vec<AdtId>,
}

impl Types<'_> {
    /// The declaration of something of this type.
    fn declare(&mut self, ty: TyId, foreign: &Foreign, name: &str) -> String {
        match foreign {
            Foreign::Function(function) => {
                let (tys, ret) = match self.program.types.get(self.inside(ty)) {
                    Ty::Fn(tys, ret) => (tys.clone(), *ret),
                    _ => (Vec::new(), TyId::UNIT),
                };
                let params: Vec<String> = (tys.iter().zip(&function.params))
                    .map(|(ty, foreign)| self.declare(*ty, foreign, "").trim_end().to_owned())
                    .collect();
                let params = match params.is_empty() {
                    true => "void".to_owned(),
                    false => params.join(", "),
                };
                self.declare(ret, &function.result, &format!("(*{name})({params})"))
            }
            Foreign::CText { .. } => format!("const char *{name}"),
            Foreign::Address { .. } => format!("{} *{name}", self.pointee(ty)),
            foreign => format!("{} {name}", self.plain(ty, foreign)),
        }
    }

    /// The type of elements of an array.
    fn element(&mut self, array: TyId, item: &Foreign) -> String {
        let ty = match *self.program.types.get(array) {
            Ty::Array(item) => item,
            _ => TyId::ERROR,
        };
        match item {
            Foreign::Address { .. } => format!("{} *", self.pointee(ty)),
            item => self.plain(ty, item),
        }
    }

    /// What is in an option.
    fn inside(&self, ty: TyId) -> TyId {
        match *self.program.types.get(ty) {
            Ty::Option(item) => item,
            _ => ty,
        }
    }

    /// What an address of this type is of: `void` where C has no name for it.
    fn pointee(&mut self, ty: TyId) -> String {
        let Ty::Adt(adt) = *self.program.types.get(self.inside(ty)) else {
            return "void".to_owned();
        };
        let args = &self.program.types.adts[adt.0 as usize].args;
        let Some(&of) = args.first() else {
            return "void".to_owned();
        };
        match self.program.types.foreign.get(&of).cloned() {
            Some(foreign @ Foreign::Address { .. }) => {
                self.declare(of, &foreign, "").trim_end().to_owned()
            }
            Some(foreign) => self.plain(of, &foreign),
            None => match self.program.types.get(of) {
                Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Bool => self.number(of),
                _ => "void".to_owned(),
            },
        }
    }

    fn number(&self, ty: TyId) -> String {
        match *self.program.types.get(ty) {
            Ty::Int(int) => integer(int.bits, int.signed),
            Ty::F32 => "float".to_owned(),
            Ty::F64 => "double".to_owned(),
            _ => "bool".to_owned(),
        }
    }

    fn plain(&mut self, ty: TyId, foreign: &Foreign) -> String {
        match foreign {
            Foreign::Unit => "void".to_owned(),
            Foreign::Bool => "bool".to_owned(),
            Foreign::Int { bits, signed } => integer(*bits, *signed),
            Foreign::F32 => "float".to_owned(),
            Foreign::F64 => "double".to_owned(),
            Foreign::Struct(_) | Foreign::Enum(_) => self.named(ty, foreign),
            _ => "void *".to_owned(),
        }
    }

    /// The name of a struct, union or enum, which is declared before.
    fn named(&mut self, ty: TyId, foreign: &Foreign) -> String {
        let Ty::Adt(id) = *self.program.types.get(ty) else {
            return "void *".to_owned();
        };
        let adt = &self.program.types.adts[id.0 as usize];
        let name = adt.name.as_str().to_owned();
        if self.written.contains(&id) {
            return name;
        }
        self.written.push(id);
        match foreign {
            Foreign::Enum(values) => {
                let variants: Vec<String> = (adt.variants.iter().zip(values.iter()))
                    .map(|(variant, value)| format!("    {name}_{} = {value},\n", variant.name))
                    .collect();
                let _ = writeln!(
                    self.out,
                    "typedef enum {name} {{\n{}}} {name};\n",
                    variants.concat()
                );
            }
            Foreign::Struct(layout) => {
                let fields: Vec<(String, TyId)> = (adt.fields.iter())
                    .map(|field| {
                        (
                            field.name.map_or("", |name| name.as_str()).to_owned(),
                            field.ty,
                        )
                    })
                    .collect();
                let mut lines = String::new();
                for ((field, ty), part) in fields.iter().zip(&layout.fields) {
                    let foreign: &Foreign = &part.1;
                    let ty = if layout.union { self.inside(*ty) } else { *ty };
                    let line = match foreign {
                        Foreign::Inline(item, count) => {
                            format!("{} {field}[{count}]", self.element(ty, item))
                        }
                        _ => self.declare(ty, foreign, field),
                    };
                    let _ = writeln!(lines, "    {line};");
                }
                let word = if layout.union { "union" } else { "struct" };
                let _ = writeln!(self.out, "typedef {word} {name} {{\n{lines}}} {name};\n");
            }
            _ => {}
        }
        name
    }
}

fn integer(bits: u8, signed: bool) -> String {
    format!("{}int{bits}_t", if signed { "" } else { "u" })
}
