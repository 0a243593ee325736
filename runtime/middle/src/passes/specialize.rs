//! Arguments that are known where they are passed: the callee gets a copy made for them.
//!
//! `xs.map(\x: x * 2)` passes a closure to a function that calls it through its code address. Here that function is copied for
//! this one closure, once per program, and the calls in the copy become direct; then `inline.rs` can take the lambda in:
//!
//! ```text
//! v2 = closure f5              v2 = closure f5
//! v3 = call f1 map(v0, v2)     v3 = call f9 map(v0, v2)        ; f9: a copy of f1 whose parameter 1 runs f5
//! f1: v7 = load [v1 + 16]      f9: v7 = load [v1 + 16]
//!     v8 = call v7(v1, v6)         v8 = call f5(v1, v6)
//! ```
//!
//! The closure object is still passed, because its code finds what it captured there. A copy passes its closure on to other
//! functions likewise, so helpers are copied too.
//!
//! An integer, a truth value or the variant of an enum is known likewise. `compute(Op.Sin, x)` gets a copy of `compute` in which `match op`
//! is the arm for `Sin` (`constants.rs`), shared by all calls with that variant; what only the other arms call is not compiled. Such
//! a copy is made where much of the function is gone in it, or where it passes the constant on to a function of which that is true.

use super::constants;
use crate::mir::{Const, FnId, Function, Inst, Module, Term, Var};
use rustc_hash::FxHashMap;
use simple_core::layout::FIELDS;

/// The most instructions of a function that is copied for a closure, or because it passes a constant on to one with a `match`.
const LARGEST: usize = 600;
/// The most instructions of a function that is copied because it passes a constant on to one that only compares it.
const WRAPPER: usize = 60;
/// The most instructions that may be left in a copy from which a constant took a quarter or more.
const LARGEST_LEFT: usize = 3000;
/// The most functions that are made in a program.
const MOST: usize = 2000;
/// The most instructions that are made in a program by copies for constants.
const ROOM: usize = 300_000;
/// Cases from which on a jump by a number is what a function is about.
const MANY_CASES: usize = 3;

/// What is known about a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Known {
    /// It is a closure with this code.
    Code(FnId),
    /// It is this integer.
    Int(i64),
}

/// The parameters about which something is known, by their position.
type Knowledge = Vec<(u32, Known)>;

/// What a function does with a parameter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Decides {
    /// Nothing that depends on its value.
    Nothing,
    /// It compares it, or passes it on to a function that does.
    Something,
    /// It jumps by it to one of many places, or passes it on to a function that does.
    Much,
}

/// Copies functions for closures and constants that are passed to them.
pub fn specialize(module: &mut Module) {
    let originals = module.funcs.len();
    let mut work = Work {
        module,
        copies: FxHashMap::default(),
        known: vec![Vec::new(); originals],
        decides: FxHashMap::default(),
        originals,
        room: ROOM,
    };
    let mut open = work.roots();
    let mut seen = vec![false; originals];
    while let Some(id) = open.pop() {
        let index = id.0 as usize;
        seen.resize(work.module.funcs.len(), false);
        if !std::mem::replace(&mut seen[index], true) {
            constants::fold(&mut work.module.funcs[index]);
            work.function(index);
            leads_to(&work.module.funcs[index], &mut open);
        }
    }
}

/// Functions that a function may run, by calls and by their addresses; tables and descriptors are roots.
fn leads_to(func: &Function, open: &mut Vec<FnId>) {
    for inst in func.blocks.iter().flat_map(|block| &block.insts) {
        match inst {
            Inst::Call { func, .. } | Inst::Const(_, Const::Func(func) | Const::Closure(func)) => {
                open.push(*func);
            }
            Inst::Release(_, how) => open.extend(how.destroy),
            _ => {}
        }
    }
}

fn size(func: &Function) -> usize {
    func.blocks.iter().map(|block| block.insts.len() + 1).sum()
}

struct Work<'m> {
    module: &'m mut Module,
    /// The copies; `None` where one would gain too little.
    copies: FxHashMap<(FnId, Knowledge), Option<FnId>>,
    /// Per function: what is known in it.
    known: Vec<Knowledge>,
    /// What functions do with their parameters.
    decides: FxHashMap<(FnId, u32), Decides>,
    originals: usize,
    /// How many more instructions may be made by copies for constants.
    room: usize,
}

impl Work<'_> {
    /// What may run without being called by other code. Without an entry all of it.
    fn roots(&self) -> Vec<FnId> {
        let module = &*self.module;
        let Some(entry) = module.entry else {
            return (0..self.originals as u32).map(FnId).collect();
        };
        let mut roots: Vec<FnId> = module.vtables.iter().flatten().copied().collect();
        for desc in &module.descs {
            roots.extend(desc.destroy.into_iter().chain(desc.retain_elements));
            roots.extend(desc.leave.into_iter().chain(desc.enter));
        }
        roots.extend(module.release);
        roots.extend(module.exports.iter().map(|(_, func)| *func));
        roots.push(entry);
        roots
    }

    /// Lets the calls of one function go to copies.
    fn function(&mut self, at: usize) {
        let codes = known_codes(&self.module.funcs[at], &self.known[at]);
        if !codes.is_empty() {
            call_directly(&mut self.module.funcs[at], &codes);
        }
        let numbers = constants::known_constants(&self.module.funcs[at]);
        if codes.is_empty() && numbers.is_empty() {
            return;
        }
        for (block, index) in calls(&self.module.funcs[at]) {
            let Inst::Call { func, args, .. } = &self.module.funcs[at].blocks[block].insts[index]
            else {
                continue;
            };
            let (callee, args) = (*func, args.clone());
            let mut passed = Knowledge::new();
            for (position, arg) in (0..).zip(&args) {
                if let Some(code) = codes.get(arg)
                    && calls_parameter(self.module, callee, position)
                {
                    passed.push((position, Known::Code(*code)));
                } else if let Some(number) = numbers.get(arg)
                    && self.decides(callee, position) > Decides::Nothing
                {
                    passed.push((position, Known::Int(*number)));
                }
            }
            if let Some(copy) = self.copy(callee, passed)
                && let Inst::Call { func, .. } =
                    &mut self.module.funcs[at].blocks[block].insts[index]
            {
                *func = copy;
            }
        }
    }

    /// The copy of a function for what is known about its arguments, if one pays.
    fn copy(&mut self, callee: FnId, passed: Knowledge) -> Option<FnId> {
        if passed.is_empty() {
            return None;
        }
        // A copy that passes on its own closures stays among the copies of its original.
        let key = (callee, passed);
        if let Some(made) = self.copies.get(&key) {
            return *made;
        }
        if self.module.funcs.len() - self.originals >= MOST {
            return None;
        }
        let made = self.make(callee, &key.1);
        let made = made.map(|(func, known)| {
            self.module.funcs.push(func);
            self.known.push(known);
            FnId(self.module.funcs.len() as u32 - 1)
        });
        self.copies.insert(key, made);
        made
    }

    /// The copy, and what is known in it.
    fn make(&mut self, callee: FnId, passed: &Knowledge) -> Option<(Function, Knowledge)> {
        let original = &self.module.funcs[callee.0 as usize];
        let whole = size(original);
        let is_code = |known: &&(u32, Known)| matches!(known.1, Known::Code(_));
        let codes: Knowledge = passed.iter().filter(is_code).copied().collect();
        let numbers: Vec<(u32, i64)> = passed
            .iter()
            .filter_map(|&(position, known)| match known {
                Known::Int(number) => Some((position, number)),
                Known::Code(_) => None,
            })
            .collect();
        let mut func = original.clone();
        if !numbers.is_empty() && !func.part {
            for (position, number) in &numbers {
                constants::set_parameter(&mut func, *position, *number);
            }
            constants::fold(&mut func);
            let left = size(&func);
            let shrinks = left * 4 <= whole * 3 && left <= LARGEST_LEFT;
            let most = match self.passed_on(&func) {
                _ if !codes.is_empty() => LARGEST,
                Decides::Much => LARGEST,
                Decides::Something => WRAPPER,
                Decides::Nothing => 0,
            };
            if left <= self.room && (shrinks || left <= most) {
                self.room -= left;
                let closures = left <= LARGEST;
                return Some((func, if closures { codes } else { Knowledge::new() }));
            }
        }
        // Without the constants, which gain too little.
        (!codes.is_empty() && whole <= LARGEST)
            .then(|| (self.module.funcs[callee.0 as usize].clone(), codes))
    }

    /// How much the functions that get constants from this one do with them.
    fn passed_on(&mut self, func: &Function) -> Decides {
        let numbers = constants::known_constants(func);
        let mut most = Decides::Nothing;
        for inst in func.blocks.iter().flat_map(|block| &block.insts) {
            if let Inst::Call { func, args, .. } = inst {
                for (position, arg) in (0..).zip(args) {
                    if numbers.contains_key(arg) {
                        most = most.max(self.decides(*func, position));
                    }
                }
            }
        }
        most
    }

    /// What a function does with a parameter that is an integer.
    fn decides(&mut self, id: FnId, position: u32) -> Decides {
        if let Some(known) = self.decides.get(&(id, position)) {
            return *known;
        }
        // What a recursion does with it shows elsewhere in the function.
        self.decides.insert((id, position), Decides::Nothing);
        let func = &self.module.funcs[id.0 as usize];
        let Some(param) = func.params.get(position as usize).copied() else {
            return Decides::Nothing;
        };
        let times = constants::assignments(func);
        if times[param.0 as usize] != 1 || func.part {
            return Decides::Nothing;
        }
        let mut names = vec![param];
        let mut most = Decides::Nothing;
        let mut given = Vec::new();
        for block in &func.blocks {
            for inst in &block.insts {
                match inst {
                    Inst::Copy(dst, src) | Inst::Conv(dst, _, src)
                        if names.contains(src) && times[dst.0 as usize] == 1 =>
                    {
                        names.push(*dst);
                    }
                    Inst::Cmp(_, _, a, b) if names.contains(a) || names.contains(b) => {
                        most = most.max(Decides::Something);
                    }
                    Inst::Select(_, cond, ..) if names.contains(cond) => {
                        most = most.max(Decides::Something);
                    }
                    Inst::Call { func, args, .. } if *func != id => {
                        let passed = (0..).zip(args).filter(|(_, arg)| names.contains(arg));
                        given.extend(passed.map(|(position, _)| (*func, position)));
                    }
                    _ => {}
                }
            }
            match &block.term {
                Term::Branch(cond, ..) if names.contains(cond) => {
                    most = most.max(Decides::Something);
                }
                Term::Switch(var, cases, _) if names.contains(var) => {
                    most = most.max(match cases.len() + 1 >= MANY_CASES {
                        true => Decides::Much,
                        false => Decides::Something,
                    });
                }
                _ => {}
            }
        }
        for (func, position) in given {
            if most == Decides::Much {
                break;
            }
            most = most.max(self.decides(func, position));
        }
        self.decides.insert((id, position), most);
        most
    }
}

/// Where a function calls others directly.
fn calls(func: &Function) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    for (block, insts) in func.blocks.iter().map(|block| &block.insts).enumerate() {
        let is_call = |(index, inst): (usize, &Inst)| {
            matches!(inst, Inst::Call { .. }).then_some((block, index))
        };
        out.extend(insts.iter().enumerate().filter_map(is_call));
    }
    out
}

/// Whether a function may do something with a parameter that knowing its code makes cheaper: call it, or pass it on.
fn calls_parameter(module: &Module, id: FnId, position: u32) -> bool {
    let func = &module.funcs[id.0 as usize];
    let Some(param) = func.params.get(position as usize) else {
        return false;
    };
    let mut names = vec![*param];
    let mut called = false;
    for inst in func.blocks.iter().flat_map(|block| &block.insts) {
        match inst {
            Inst::Copy(dst, src) if names.contains(src) && !names.contains(dst) => names.push(*dst),
            Inst::CallIndirect { args, .. } | Inst::Call { args, .. } => {
                called |= args.iter().any(|arg| names.contains(arg));
            }
            _ => {}
        }
    }
    called
}

/// The variables that hold a closure of known code for all of their life.
fn known_codes(func: &Function, params: &[(u32, Known)]) -> FxHashMap<Var, FnId> {
    let times = constants::assignments(func);
    let insts = || func.blocks.iter().flat_map(|block| &block.insts);
    let once = |var: &Var| times[var.0 as usize] == 1;
    let mut codes: FxHashMap<Var, FnId> = FxHashMap::default();
    let mut addresses: FxHashMap<Var, FnId> = FxHashMap::default();
    for (position, known) in params {
        let param = func.params[*position as usize];
        if let Known::Code(code) = known
            && once(&param)
        {
            codes.insert(param, *code);
        }
    }
    for inst in insts() {
        match inst {
            Inst::Const(dst, Const::Closure(code)) if once(dst) => {
                codes.insert(*dst, *code);
            }
            Inst::Const(dst, Const::Func(code)) if once(dst) => {
                addresses.insert(*dst, *code);
            }
            _ => {}
        }
    }
    if codes.is_empty() && addresses.is_empty() {
        return codes;
    }
    for inst in insts() {
        // Only the making of a closure stores an address of code there.
        if let Inst::Store(object, FIELDS, src) = inst
            && let Some(code) = addresses.get(src)
            && once(object)
        {
            codes.insert(*object, *code);
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for inst in insts() {
            if let Inst::Copy(dst, src) = inst
                && once(dst)
                && let Some(code) = codes.get(src).copied()
                && codes.insert(*dst, code).is_none()
            {
                changed = true;
            }
        }
    }
    codes
}

/// Calls the known closures by their functions instead of by the addresses in their objects.
fn call_directly(func: &mut Function, codes: &FxHashMap<Var, FnId>) {
    let mut times = vec![0u32; func.vars.len()];
    let mut loaded: FxHashMap<Var, FnId> = FxHashMap::default();
    for inst in func.blocks.iter().flat_map(|block| &block.insts) {
        inst.each_def(&mut |var| times[var.0 as usize] += 1);
        if let Inst::Load(dst, object, FIELDS) = inst
            && let Some(code) = codes.get(object)
        {
            loaded.insert(*dst, *code);
        }
    }
    for inst in func.blocks.iter_mut().flat_map(|block| &mut block.insts) {
        if let Inst::CallIndirect {
            dsts,
            code,
            args,
            fail,
        } = inst
            && times[code.0 as usize] == 1
            && let Some(known) = loaded.get(code)
        {
            *inst = Inst::Call {
                dsts: std::mem::take(dsts),
                func: *known,
                args: std::mem::take(args),
                fail: Some(*fail),
            };
        }
    }
}
