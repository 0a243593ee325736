//! The code of a function as bytes, in which what it refers to has the numbers of `content.rs`: another program reads
//! them with its own names.
//!
//! What is read was written by this compiler for a function with the same content, which a [`Store`](crate::Store)
//! vouches for. Numbers are compared with what there is all the same, so that a mistake there is a function that is
//! compiled again and no place outside of the code that is written.

use super::compile::{CallPlace, Code, Relocation, Target};
use super::content::{Name, Names};
use super::symbol::Symbol;
use simple_core::table::RtFn;
use simple_image::form::{Caller, RelocationKind};
use simple_image::reloc_size;
use simple_image::stored::{Input, Stored};
use simple_middle::mir::{ExternId, SiteId};

/// Code of a function with these names as bytes; `None` where it refers to something else, which no translation does.
pub(crate) fn written(code: &Code, names: &Names) -> Option<Vec<u8>> {
    let Code {
        bytes,
        relocs,
        calls,
        callers,
        frame,
    } = code;
    let mut out = Vec::with_capacity(bytes.len() + 8 * (relocs.len() + calls.len()) + 16);
    let site = |site: SiteId| names.number(Name::Site(site));
    bytes.put(&mut out);
    frame.put(&mut out);
    relocs.len().put(&mut out);
    for reloc in relocs {
        let Relocation {
            offset,
            kind,
            target,
            addend,
        } = *reloc;
        (offset, (kind, addend)).put(&mut out);
        put_target(target, names, &mut out)?;
    }
    calls.len().put(&mut out);
    for call in calls {
        let CallPlace {
            returns_to,
            site: of_call,
            inlined,
            foreign,
        } = *call;
        (returns_to, inlined).put(&mut out);
        // Absent is another thing than unknown.
        of_call.is_some().put(&mut out);
        if let Some(of_call) = of_call {
            site(of_call)?.put(&mut out);
        }
        foreign.is_some().put(&mut out);
        if let Some(foreign) = foreign {
            names.number(Name::Extern(foreign))?.put(&mut out);
        }
    }
    callers.len().put(&mut out);
    for caller in callers {
        let Caller { site: of, next } = *caller;
        (site(of)?, next).put(&mut out);
    }
    Some(out)
}

/// The code that [`written`] made bytes of, for a function with these names; `None` where it does not fit them.
pub(crate) fn read(bytes: &[u8], names: &Names) -> Option<Code> {
    let input = &mut Input::new(bytes);
    let code: Vec<u8> = Stored::take(input)?;
    let frame = Stored::take(input)?;
    let mut relocs = Vec::new();
    for _ in 0..usize::take(input)? {
        let (offset, (kind, addend)): (u32, (RelocationKind, i64)) = Stored::take(input)?;
        let target = take_target(names, input)?;
        let inside = (offset as usize).checked_add(reloc_size(kind))? <= code.len();
        let here = match target {
            Target::Here(place) => place as usize <= code.len(),
            _ => true,
        };
        relocs.push((inside && here).then_some(Relocation {
            offset,
            kind,
            target,
            addend,
        })?);
    }
    let mut calls = Vec::new();
    for _ in 0..usize::take(input)? {
        let (returns_to, inlined) = Stored::take(input)?;
        let site = match bool::take(input)? {
            true => Some(take_site(names, input)?),
            false => None,
        };
        let foreign = match bool::take(input)? {
            true => Some(take_extern(names, input)?),
            false => None,
        };
        calls.push(CallPlace {
            returns_to,
            site,
            inlined,
            foreign,
        });
    }
    let mut callers = Vec::new();
    for _ in 0..usize::take(input)? {
        let site = take_site(names, input)?;
        let next = Stored::take(input)?;
        callers.push(Caller { site, next });
    }
    let known = |number: Option<u32>| number.is_none_or(|it| (it as usize) < callers.len());
    let fits = input.is_at_end()
        && calls.iter().all(|call| known(call.inlined))
        && callers.iter().all(|caller| known(caller.next));
    fits.then_some(Code {
        bytes: code,
        relocs,
        calls,
        callers,
        frame,
    })
}

fn put_target(target: Target, names: &Names, out: &mut Vec<u8>) -> Option<()> {
    let mut named = |kind: u8, name: Name| {
        (kind, names.number(name)?).put(out);
        Some(())
    };
    match target {
        Target::Symbol(Symbol::Func(id)) => named(0, Name::Func(id))?,
        Target::Symbol(Symbol::Extern(id)) => named(1, Name::Extern(id))?,
        Target::Symbol(Symbol::Memory(constant)) => named(2, Name::Memory(constant))?,
        Target::Symbol(Symbol::Bound(id)) => named(3, Name::Extern(id))?,
        Target::Symbol(Symbol::Runtime(func)) => (4u8, func as u32).put(out),
        Target::Symbol(Symbol::Kept(func)) => (5u8, func as u32).put(out),
        Target::Symbol(Symbol::Data) => 6u8.put(out),
        Target::Here(place) => (7u8, place).put(out),
        Target::Helper(helper) => (8u8, helper).put(out),
    }
    Some(())
}

fn take_target(names: &Names, input: &mut Input<'_>) -> Option<Target> {
    let runtime = |number: u32| RtFn::ALL.get(number as usize).copied();
    Some(match u8::take(input)? {
        0 => match names.name(Stored::take(input)?)? {
            Name::Func(id) => Target::Symbol(Symbol::Func(id)),
            _ => return None,
        },
        1 => Target::Symbol(Symbol::Extern(take_extern(names, input)?)),
        2 => match names.name(Stored::take(input)?)? {
            Name::Memory(constant) => Target::Symbol(Symbol::Memory(constant)),
            _ => return None,
        },
        3 => Target::Symbol(Symbol::Bound(take_extern(names, input)?)),
        4 => Target::Symbol(Symbol::Runtime(runtime(Stored::take(input)?)?)),
        5 => Target::Symbol(Symbol::Kept(runtime(Stored::take(input)?)?)),
        6 => Target::Symbol(Symbol::Data),
        7 => Target::Here(Stored::take(input)?),
        8 => Target::Helper(Stored::take(input)?),
        _ => return None,
    })
}

fn take_site(names: &Names, input: &mut Input<'_>) -> Option<SiteId> {
    match names.name(Stored::take(input)?)? {
        Name::Site(id) => Some(id),
        _ => None,
    }
}

fn take_extern(names: &Names, input: &mut Input<'_>) -> Option<ExternId> {
    match names.name(Stored::take(input)?)? {
        Name::Extern(id) => Some(id),
        _ => None,
    }
}
