//! Function values that are known where they are passed: the callee gets a copy that calls them directly.
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

use crate::mir::{Const, FnId, Function, Inst, Module, Var};
use rustc_hash::FxHashMap;
use simple_core::layout::FIELDS;

/// The most instructions of a function that is copied.
const LARGEST: usize = 600;
/// The most functions that are made in a program.
const MOST: usize = 2000;

/// A function with the code of some of its parameters known.
type Key = (FnId, Vec<(u32, FnId)>);

/// Copies functions for the closures that are passed to them.
pub fn specialize(module: &mut Module) {
    let mut made: FxHashMap<Key, FnId> = FxHashMap::default();
    let mut known: Vec<Vec<(u32, FnId)>> = vec![Vec::new(); module.funcs.len()];
    let mut at = 0;
    let originals = module.funcs.len();
    while at < module.funcs.len() {
        let codes = known_codes(&module.funcs[at], &known[at]);
        if !codes.is_empty() {
            call_directly(&mut module.funcs[at], &codes);
            for (block, index) in calls(&module.funcs[at]) {
                let Inst::Call { func, args, .. } = &module.funcs[at].blocks[block].insts[index]
                else {
                    continue;
                };
                let callee = *func;
                let passed: Vec<(u32, FnId)> = args
                    .iter()
                    .enumerate()
                    .filter_map(|(position, arg)| Some((position as u32, *codes.get(arg)?)))
                    .filter(|(position, _)| calls_parameter(module, callee, *position))
                    .collect();
                let size: usize = module.funcs[callee.0 as usize]
                    .blocks
                    .iter()
                    .map(|block| block.insts.len())
                    .sum();
                if passed.is_empty() || size > LARGEST {
                    continue;
                }
                // A copy that passes on its own closures stays among the copies of its original.
                let key = (callee, passed);
                let copy = match made.get(&key) {
                    Some(copy) => *copy,
                    None if module.funcs.len() - originals >= MOST => continue,
                    None => {
                        let copy = FnId(module.funcs.len() as u32);
                        let func = module.funcs[callee.0 as usize].clone();
                        module.funcs.push(func);
                        known.push(key.1.clone());
                        made.insert(key, copy);
                        copy
                    }
                };
                if let Inst::Call { func, .. } = &mut module.funcs[at].blocks[block].insts[index] {
                    *func = copy;
                }
            }
        }
        at += 1;
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
fn known_codes(func: &Function, params: &[(u32, FnId)]) -> FxHashMap<Var, FnId> {
    let mut times = vec![0u32; func.vars.len()];
    for param in &func.params {
        times[param.0 as usize] += 1;
    }
    let insts = || func.blocks.iter().flat_map(|block| &block.insts);
    for inst in insts() {
        inst.each_def(&mut |var| times[var.0 as usize] += 1);
    }
    let once = |var: &Var| times[var.0 as usize] == 1;
    let mut codes: FxHashMap<Var, FnId> = FxHashMap::default();
    let mut addresses: FxHashMap<Var, FnId> = FxHashMap::default();
    for (position, code) in params {
        let param = func.params[*position as usize];
        if once(&param) {
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
