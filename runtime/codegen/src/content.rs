//! What the machine code of a function depends on, as bytes: functions with the same bytes have the same code.
//!
//! The bytes are those of the function's middle form, of what its translation asks the [`Plan`], and of the machine and
//! the options. What it refers to (functions, foreign functions, constants, places in the source) appears by the order
//! in which it is met first, with what the translation knows of it: of a function how it is called, of a constant
//! nothing, since a relocation leads to it. So neither numbers nor places of the rest of the program are in the bytes,
//! and the code of a library's function is the same in every program. The numbers of sites are in them, because they
//! are in the code (`sites.rs`).
//!
//! Everything is matched field by field, without `..`: whoever adds a field decides here whether code depends on it.
//! What is not here is the compiler itself; a [`Store`](crate::Store) is for one build of it. Next: `stored.rs`, which
//! writes code by the same names.

use super::Options;
use super::isa::Isas;
use super::plan::Plan;
use super::translate::KEPT;
use rustc_hash::FxHashMap;
use simple_image::stored::Stored;
use simple_middle::mir::{
    Block, CParam, Const, Convention, Extern, ExternId, ExternKind, Fail, Failure, FnId, Function,
    Inst, MTy, Release, SiteId, Term, Var,
};
use std::hash::{DefaultHasher, Hasher};

/// Stands for the content of a function: 128 bits of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key(pub [u8; 16]);

impl Key {
    /// That of some bytes.
    fn of(bytes: &[u8]) -> Key {
        let mut key = [0; 16];
        for (half, salt) in key.chunks_exact_mut(8).zip([0u64, 0x9e37_79b9_7f4a_7c15]) {
            let mut hasher = DefaultHasher::new();
            hasher.write_u64(salt);
            hasher.write(bytes);
            half.copy_from_slice(&hasher.finish().to_le_bytes());
        }
        Key(key)
    }
}

/// What a function refers to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Name {
    Func(FnId),
    Extern(ExternId),
    Memory(Const),
    Site(SiteId),
}

/// What a function refers to, in the order in which it is met first.
#[derive(Default, Debug)]
pub(crate) struct Names {
    list: Vec<Name>,
    numbers: FxHashMap<Name, u32>,
}

impl Names {
    /// The number of a name; `None` for one that was not met.
    pub(crate) fn number(&self, name: Name) -> Option<u32> {
        self.numbers.get(&name).copied()
    }

    /// The name with a number.
    pub(crate) fn name(&self, number: u32) -> Option<Name> {
        self.list.get(number as usize).copied()
    }
}

/// A function as a store knows it.
#[derive(Debug)]
pub(crate) struct Content {
    key: Key,
    names: Names,
}

impl Content {
    /// That of every function of the module, then of the wrappers; `None` for functions without a body, which share
    /// their code.
    pub(crate) fn of_all(plan: &Plan<'_>, isas: &Isas, options: &Options) -> Vec<Option<Content>> {
        let mut writer = Writer {
            plan,
            out: Vec::new(),
            names: Names::default(),
        };
        let machines = [false, true].map(|quick| machine(plan, isas, options, quick));
        let funcs = plan.module.funcs.iter().enumerate().map(|(index, func)| {
            let machine = &machines[usize::from(func.quick)];
            (!func.is_empty()).then(|| writer.content(machine, |it| it.func(index, func)))
        });
        let mut contents: Vec<Option<Content>> = funcs.collect();
        for kept in KEPT {
            let wrapper = writer.content(&machines[0], |it| it.put(kept as u32));
            contents.push(Some(wrapper));
        }
        contents
    }

    pub(crate) fn key(&self) -> Key {
        self.key
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }
}

/// What the code of all functions with the same effort depends on.
fn machine(plan: &Plan<'_>, isas: &Isas, options: &Options, quick: bool) -> Vec<u8> {
    let Options {
        // Both decide how Cranelift is set up, and its settings follow.
        opt_level: _,
        verify: _,
        portable: _,
        // Not what is compiled.
        threads: _,
        parallel_above: _,
        // In the plan.
        test_bound: _,
        first: _,
    } = options;
    let isa = isas.with_effort(quick);
    let mut words = isa.triple().to_string();
    for flag in isa.flags().iter().chain(isa.isa_flags()) {
        words.push(' ');
        words.push_str(&flag.to_string());
    }
    let mut out = Vec::new();
    words.put(&mut out);
    (plan.test_bound, plan.module.profiled).put(&mut out);
    out
}

/// Writes the content of one function after the other.
struct Writer<'p> {
    plan: &'p Plan<'p>,
    out: Vec<u8>,
    names: Names,
}

impl Writer<'_> {
    fn content(&mut self, machine: &[u8], write: impl FnOnce(&mut Self)) -> Content {
        self.out.clear();
        self.out.extend_from_slice(machine);
        write(self);
        Content {
            key: Key::of(&self.out),
            names: std::mem::take(&mut self.names),
        }
    }

    fn put(&mut self, value: impl Stored) {
        value.put(&mut self.out);
    }

    /// The number of a name, and whether it is met the first time.
    fn name(&mut self, name: Name) -> bool {
        let next = self.names.list.len() as u32;
        let number = *self.names.numbers.entry(name).or_insert(next);
        self.put(number);
        let first = number == next;
        if first {
            self.names.list.push(name);
        }
        first
    }

    fn func(&mut self, index: usize, func: &Function) {
        let Function {
            // Only messages about mistakes of the compiler have it.
            name: _,
            // Code does not ask where a function came from.
            part: _,
            // It decides which machine's words come first.
            quick: _,
            vars,
            params,
            results,
            blocks,
            slots,
            can_fail,
            checks_stack,
            convention,
            on_stack,
            site,
        } = func;
        // Two functions never have the same bytes up to here and different ones later: each list has its length.
        self.put(u32::MAX);
        self.types(vars);
        self.vars(params);
        self.types(results);
        self.put(slots.len());
        slots.iter().for_each(|&size| self.put(size));
        self.put((*can_fail, *checks_stack));
        self.put(self.plan.returns_status(index));
        self.convention(*convention, on_stack);
        self.put(site.is_some());
        site.iter().for_each(|&site| self.site(site));
        self.put(blocks.len());
        for block in blocks {
            let Block { insts, term, cold } = block;
            self.put(*cold);
            self.put(insts.len());
            insts.iter().for_each(|inst| self.inst(inst));
            self.term(term);
        }
    }

    fn types(&mut self, types: &[MTy]) {
        self.put(types.len());
        self.out.extend(types.iter().map(|&ty| ty as u8));
    }

    fn vars(&mut self, vars: &[Var]) {
        self.put(vars.len());
        vars.iter().for_each(|&var| self.var(var));
    }

    fn var(&mut self, var: Var) {
        self.put(var.0);
    }

    fn maybe(&mut self, var: Option<Var>) {
        self.put(var.is_some());
        var.into_iter().for_each(|var| self.var(var));
    }

    fn convention(&mut self, convention: Convention, on_stack: &[(usize, u32)]) {
        let (kind, returned) = match convention {
            Convention::Simple => (0u8, 0),
            Convention::C => (1, 0),
            Convention::Callback { returned } => (2, returned),
            Convention::Export { returned } => (3, returned),
        };
        self.put((kind, returned));
        self.put(on_stack.len());
        on_stack.iter().for_each(|&place| self.put(place));
    }

    /// A place in the source: the number is in the code.
    fn site(&mut self, site: SiteId) {
        if self.name(Name::Site(site)) {
            self.put(self.plan.site(site));
        }
    }

    fn fail(&mut self, fail: Fail) {
        let Fail { site, unwind } = fail;
        self.site(site);
        self.put(unwind.0);
    }

    fn maybe_fail(&mut self, fail: Option<Fail>) {
        self.put(fail.is_some());
        fail.into_iter().for_each(|fail| self.fail(fail));
    }

    /// Another function: how it is called.
    fn callee(&mut self, id: FnId) {
        if !self.name(Name::Func(id)) {
            return;
        }
        let index = id.0 as usize;
        let func = self.plan.func(index);
        self.put(func.params.len());
        for param in &func.params {
            self.out.push(func.vars[param.0 as usize] as u8);
        }
        self.types(&func.results);
        self.put((func.can_fail, self.plan.returns_status(index)));
        self.convention(func.convention, &func.on_stack);
    }

    /// A foreign function: how it is called, and how the call is told.
    fn foreign(&mut self, id: ExternId) {
        if !self.name(Name::Extern(id)) {
            return;
        }
        let Extern {
            // Said of a call when it is made, not in its code.
            name: _,
            symbol: _,
            library: _,
            declared: _,
            site: _,
            // Asked by the passes.
            pure: _,
            curve: _,
            kind,
            params,
            results,
            address,
            failure,
            slow,
        } = &self.plan.module.externs[id.0 as usize];
        let (kind, number) = match *kind {
            ExternKind::Function => (0u8, 0),
            ExternKind::Variadic { floats } => (1, u32::from(floats)),
            ExternKind::Variable { size } => (2, size),
            ExternKind::Given => (3, 0),
        };
        self.put((kind, number));
        for list in [params, results] {
            self.put(list.len());
            for param in list {
                let CParam {
                    ty,
                    signed,
                    on_stack,
                } = *param;
                self.put((ty as u8, (signed, on_stack)));
            }
        }
        let (failure, bits) = match *failure {
            Failure::Never => (0u8, 0),
            Failure::Value(bits) => (1, bits),
            Failure::Flag => (2, 0),
        };
        self.put((failure, bits));
        // Where it is known, a relocation leads to it; its value is not in the code.
        self.put((address.is_some(), *slow));
        // Code that binds or measures it says its number.
        if self.plan.test_bound || self.plan.module.profiled {
            self.put(self.plan.foreign(id));
        }
    }

    fn constant(&mut self, constant: Const) {
        match constant {
            Const::Int(value) => self.put((0u8, value)),
            Const::Float(value) => self.put((1u8, value.to_bits() as i64)),
            Const::Slot(slot) => self.put((2u8, slot.0)),
            Const::Site(site) => {
                self.put(3u8);
                self.site(site);
            }
            Const::Func(id) => {
                self.put(4u8);
                self.callee(id);
            }
            Const::Text(_)
            | Const::Desc(_)
            | Const::Empty(_)
            | Const::Closure(_)
            | Const::Vtable(_)
            | Const::Static(_)
            | Const::Bytes(_) => {
                self.put(5u8);
                self.name(Name::Memory(constant));
            }
        }
    }

    fn inst(&mut self, inst: &Inst) {
        match *inst {
            Inst::Const(dst, constant) => {
                self.put((0u8, dst.0));
                self.constant(constant);
            }
            Inst::Copy(dst, src) => self.put((1u8, (dst.0, src.0))),
            Inst::Bin(dst, op, a, b) => self.put(((2u8, op as u8), (dst.0, (a.0, b.0)))),
            Inst::Un(dst, op, a) => self.put(((3u8, op as u8), (dst.0, a.0))),
            Inst::Cmp(dst, op, a, b) => self.put(((4u8, op as u8), (dst.0, (a.0, b.0)))),
            Inst::Conv(dst, op, src) => self.put(((5u8, op as u8), (dst.0, src.0))),
            Inst::Select(dst, cond, a, b) => self.put((6u8, ((dst.0, cond.0), (a.0, b.0)))),
            Inst::Checked(dst, op, signed, a, b, fail) => {
                self.put(((7u8, op as u8), (signed, (dst.0, (a.0, b.0)))));
                self.fail(fail);
            }
            Inst::Check {
                cond,
                error,
                a,
                b,
                fail,
            } => {
                self.put((8u8, (cond.0, error as i32)));
                self.maybe(a);
                self.maybe(b);
                self.fail(fail);
            }
            Inst::Load(dst, base, offset) => self.put((9u8, (offset, (dst.0, base.0)))),
            Inst::Store(base, offset, src) => self.put((10u8, (offset, (base.0, src.0)))),
            Inst::LoadAt(dst, base, index, scale, offset) => {
                self.put((11u8, ((scale, offset), (dst.0, (base.0, index.0)))));
            }
            Inst::StoreAt(base, index, scale, offset, src) => {
                self.put((12u8, ((scale, offset), (base.0, (index.0, src.0)))));
            }
            Inst::AddrAt(dst, base, index, scale, offset) => {
                self.put((13u8, ((scale, offset), (dst.0, (base.0, index.0)))));
            }
            Inst::Retain(var, nullable) => self.put((14u8, (nullable, var.0))),
            Inst::Release(var, how) => self.release(var, how),
            Inst::Call {
                ref dsts,
                func,
                ref args,
                fail,
            } => {
                self.put(16u8);
                self.vars(dsts);
                self.callee(func);
                self.vars(args);
                self.maybe_fail(fail);
            }
            Inst::CallIndirect {
                ref dsts,
                code,
                ref args,
                fail,
            } => {
                self.put((17u8, code.0));
                self.vars(dsts);
                self.vars(args);
                self.fail(fail);
            }
            Inst::CallRuntime {
                dst,
                func,
                ref args,
                fail,
            } => {
                self.put((18u8, func as u32));
                self.maybe(dst);
                self.vars(args);
                self.maybe_fail(fail);
            }
            Inst::CallExtern {
                ref dsts,
                func,
                ref args,
                fail,
            } => {
                self.put(19u8);
                self.vars(dsts);
                self.foreign(func);
                self.vars(args);
                self.fail(fail);
            }
            Inst::Raise(error, fail) => {
                self.put((20u8, error as i32));
                self.fail(fail);
            }
            Inst::Panic(message, fail) => {
                self.put((21u8, message.0));
                self.fail(fail);
            }
        }
    }

    fn release(&mut self, var: Var, how: Release) {
        let Release {
            destroy,
            text,
            nullable,
        } = how;
        self.put((15u8, ((text, nullable), var.0)));
        self.put(destroy.is_some());
        destroy.into_iter().for_each(|id| self.callee(id));
    }

    fn term(&mut self, term: &Term) {
        match term {
            Term::Jump(to) => self.put((0u8, to.0)),
            Term::Branch(cond, then, otherwise) => {
                self.put((1u8, (cond.0, (then.0, otherwise.0))));
            }
            Term::Switch(value, cases, otherwise) => {
                self.put((2u8, (value.0, otherwise.0)));
                self.put(cases.len());
                cases.iter().for_each(|(case, to)| self.put((*case, to.0)));
            }
            Term::Return(values) => {
                self.put(3u8);
                self.vars(values);
            }
            Term::Propagate => self.put(4u8),
            Term::PropagateWith(values) => {
                self.put(5u8);
                self.vars(values);
            }
            Term::Unreachable => self.put(6u8),
        }
    }
}
