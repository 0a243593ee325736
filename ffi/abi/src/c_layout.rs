//! Memory of C: layouts of structs and unions, and which registers carry them by value.
//!
//! Layouts are those of the C compilers of 64-bit Linux for types without packing or alignment of their own: fields in order, each at
//! the next multiple of its alignment. By value the rules of System V for x86-64 hold: up to 16 bytes in registers by
//! eightbytes, more in memory. `foreign.rs` has the types.

use crate::foreign::Foreign;
use std::sync::Arc;

/// A struct or union of C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CStruct {
    /// Its name in the program.
    pub name: String,
    /// Its fields with their offsets, in order.
    pub fields: Vec<(u32, Foreign)>,
    /// Bytes, padding included.
    pub size: u32,
    /// Its alignment.
    pub align: u32,
    /// Whether the fields share one place.
    pub union: bool,
}

impl CStruct {
    /// The layout of these fields; `None` for one of no bytes, which C does not have, or of too many.
    pub fn new(name: &str, fields: Vec<Foreign>, union: bool) -> Option<Arc<CStruct>> {
        let (mut size, mut align) = (0u32, 1u32);
        let mut placed = Vec::with_capacity(fields.len());
        for field in fields {
            let at = match union {
                true => 0,
                false => size.checked_next_multiple_of(field.align())?,
            };
            size = size.max(at.checked_add(field.size())?);
            align = align.max(field.align());
            placed.push((at, field));
        }
        let size = size.checked_next_multiple_of(align)?;
        (size > 0 && size < 1 << 30).then(|| {
            Arc::new(CStruct {
                name: name.to_owned(),
                fields: placed,
                size,
                align,
                union,
            })
        })
    }

    /// Its scalars with their offsets, those of nested structs and arrays included.
    pub fn scalars(&self) -> Vec<(u32, Foreign)> {
        let mut out = Vec::new();
        for (at, field) in &self.fields {
            scalars_of(field, *at, &mut out);
        }
        out
    }

    /// The registers that carry one by value: for each eightbyte whether it is a floating-point one. `None` when it goes through
    /// memory.
    pub fn eightbytes(&self) -> Option<Vec<bool>> {
        if self.size > 16 {
            return None;
        }
        let mut floats = vec![true; self.size.div_ceil(8) as usize];
        for (at, scalar) in self.scalars() {
            floats[at as usize / 8] &= matches!(scalar, Foreign::F32 | Foreign::F64);
        }
        Some(floats)
    }

    /// Whether each eightbyte is one number of 64 bits, so that the fields are what the registers carry.
    pub fn is_words(&self) -> bool {
        let word =
            |scalar: &Foreign| matches!(scalar, Foreign::F64 | Foreign::Int { bits: 64, .. });
        self.is_plain() && self.scalars().iter().all(|(_, scalar)| word(scalar))
    }

    /// Whether its scalars are those of its value in the program: no array and no union is inside of it.
    pub fn is_plain(&self) -> bool {
        let plain = |field: &Foreign| match field {
            Foreign::Inline(..) => false,
            Foreign::Struct(inner) => inner.is_plain(),
            _ => true,
        };
        !self.union && self.fields.iter().all(|(_, field)| plain(field))
    }
}

fn scalars_of(foreign: &Foreign, at: u32, out: &mut Vec<(u32, Foreign)>) {
    match foreign {
        Foreign::Struct(inner) => {
            for (offset, field) in &inner.fields {
                scalars_of(field, at + offset, out);
            }
        }
        Foreign::Inline(item, count) => {
            for index in 0..*count {
                scalars_of(item, at + index * item.size(), out);
            }
        }
        _ => out.push((at, foreign.clone())),
    }
}

/// How a parameter is passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Passing {
    /// As its scalars.
    Scalars,
    /// A struct, by eightbytes in registers: for each whether it is a floating-point one.
    Registers(Vec<bool>),
    /// A struct, copied to the stack.
    Memory,
}

/// Registers for integers and addresses, and for floats.
const REGISTERS: (usize, usize) = (6, 8);

/// How the parameters of a function are passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passed {
    /// Each of them.
    pub params: Vec<Passing>,
    /// How many of the registers for integers and addresses are taken, by the address of the result too.
    pub words: usize,
}

/// How the parameters of a function are passed by System V's rules: a struct goes into registers as a whole or not at all.
/// `returns_in_memory` says that the first register is taken by the address of the result.
pub fn passing(params: &[&Foreign], returns_in_memory: bool) -> Passed {
    let (mut ints, mut floats) = (REGISTERS.0 - usize::from(returns_in_memory), REGISTERS.1);
    let mut take = |wanted_ints: usize, wanted_floats: usize| {
        let fits = wanted_ints <= ints && wanted_floats <= floats;
        if fits {
            ints -= wanted_ints;
            floats -= wanted_floats;
        }
        fits
    };
    let params = (params.iter())
        .map(|foreign| match foreign {
            Foreign::Struct(layout) => match layout.eightbytes() {
                Some(classes) => {
                    let wanted = classes.iter().filter(|float| **float).count();
                    match take(classes.len() - wanted, wanted) {
                        true => Passing::Registers(classes),
                        false => Passing::Memory,
                    }
                }
                None => Passing::Memory,
            },
            Foreign::F32 | Foreign::F64 => {
                take(0, 1);
                Passing::Scalars
            }
            Foreign::Text | Foreign::Array(_) => {
                take(1, 0);
                take(1, 0);
                Passing::Scalars
            }
            Foreign::Unit => Passing::Scalars,
            _ => {
                take(1, 0);
                Passing::Scalars
            }
        })
        .collect();
    Passed {
        params,
        words: REGISTERS.0 - ints,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const I8: Foreign = Foreign::Int {
        bits: 8,
        signed: true,
    };
    const I32: Foreign = Foreign::Int {
        bits: 32,
        signed: true,
    };

    fn of(fields: Vec<Foreign>) -> Arc<CStruct> {
        CStruct::new("S", fields, false).expect("a layout")
    }

    #[test]
    fn fields_are_padded_as_in_c() {
        let inner = of(vec![I8, I32]);
        let outer = of(vec![I8, Foreign::Struct(inner.clone()), I8]);
        assert_eq!((inner.size, inner.align), (8, 4));
        assert_eq!(
            outer
                .scalars()
                .iter()
                .map(|(at, _)| *at)
                .collect::<Vec<_>>(),
            [0, 4, 8, 12]
        );
        assert_eq!(outer.size, 16);
        assert!(CStruct::new("S", Vec::new(), false).is_none());
    }

    #[test]
    fn registers_are_those_of_system_v() {
        assert_eq!(
            of(vec![Foreign::F32, Foreign::F32, Foreign::F32]).eightbytes(),
            Some(vec![true, true])
        );
        assert_eq!(
            of(vec![Foreign::F32, I32, Foreign::F64]).eightbytes(),
            Some(vec![false, true])
        );
        let big = of(vec![Foreign::I64, Foreign::I64, I8]);
        assert_eq!(big.eightbytes(), None);
        let pair = Foreign::Struct(of(vec![Foreign::I64, Foreign::I64]));
        let i64 = Foreign::I64;
        let five = [&i64, &i64, &i64, &i64, &i64, &pair, &i64];
        assert_eq!(passing(&five, false).params[5], Passing::Memory);
        assert_eq!(
            passing(&five[1..], false).params[4],
            Passing::Registers(vec![false, false])
        );
        assert_eq!(passing(&five[1..], true).params[4], Passing::Memory);
        assert_eq!(passing(&five[2..], true).words, 6);
    }
}
