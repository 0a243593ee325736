//! What `--emit=clif` and `--emit=asm` print: Cranelift's form and the machine code of every function.
//!
//! Code knows no address, so the text is the same in every run. Cranelift shows functions as numbers; a line of
//! comment below each function says which they are.

use super::compile::Compiler;
use super::isa::Isas;
use super::plan::{Plan, SiteNumbers};
use super::symbol::Symbol;
use super::{CompileError, Options};
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::Function;
use simple_middle::mir::{Module, print};
use std::fmt::Write;

/// The functions in Cranelift's form, before Cranelift improves them.
///
/// # Errors
///
/// [`CompileError::Host`] on a machine that is not supported.
pub fn clif(module: &Module, options: &Options) -> Result<String, CompileError> {
    let isas = Isas::host(options)?;
    let plan = Plan::new(module, isas.native(), options, SiteNumbers::InOrder);
    let mut compiler = Compiler::new(&plan, &isas);
    let mut text = String::new();
    for (index, func) in module.funcs.iter().enumerate() {
        let context = compiler.translate(index);
        let code = context.func.display().to_string();
        let _never_fails = writeln!(text, "; {}\n{code}", func.name);
        tell_names(&mut text, &context.func, module);
    }
    Ok(text)
}

/// The functions as assembly of this machine.
///
/// # Errors
///
/// [`CompileError`] as for compiling.
pub fn asm(module: &Module, options: &Options) -> Result<String, CompileError> {
    let isas = Isas::host(options)?;
    let plan = Plan::new(module, isas.native(), options, SiteNumbers::InOrder);
    let mut compiler = Compiler::new(&plan, &isas);
    let mut text = String::new();
    for (index, func) in module.funcs.iter().enumerate() {
        let isa = compiler.isa(index);
        let context = compiler.translate(index);
        context.set_disasm(true);
        let compiled = context
            .compile(isa, &mut ControlPlane::default())
            .map_err(|error| CompileError::Function {
                name: func.name.clone(),
                message: cranelift_codegen::print_errors::pretty_error(error.func, error.inner),
            })?;
        let code = compiled.vcode.as_deref().unwrap_or("");
        let _never_fails = writeln!(text, "; {}\n{code}", func.name);
        tell_names(&mut text, &context.func, module);
    }
    Ok(text)
}

/// What the functions are called that a function names: `u1:7` in Cranelift's form, `userextname0` in assembly.
fn tell_names(text: &mut String, func: &Function, module: &Module) {
    for (number, name) in func.params.user_named_funcs() {
        let shown = match Symbol::from_name(name) {
            Some(Symbol::Func(id)) => module.funcs[id.0 as usize].name.clone(),
            Some(Symbol::Runtime(func) | Symbol::Kept(func)) => func.signature().name.to_owned(),
            Some(Symbol::Extern(id)) => module.externs[id.0 as usize].name.clone(),
            Some(Symbol::Data) => "the data".to_owned(),
            Some(Symbol::Memory(constant)) => print::constant(module, constant),
            Some(Symbol::Bound(id)) => {
                format!("whether {} is bound", module.externs[id.0 as usize].name)
            }
            None => continue,
        };
        let _never_fails = writeln!(
            text,
            "; {number}, u{}:{} is {shown}",
            name.namespace, name.index
        );
    }
    text.push('\n');
}
