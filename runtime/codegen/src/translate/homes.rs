//! Where the values of a function's variables are while it is translated.
//!
//! A variable that is assigned in one place *is* the value assigned there: the middle form is read only after it was assigned, and
//! blocks are translated after what leads to them. One that is assigned in several places is a `cranelift_frontend` variable, which
//! finds out where values meet. That takes memory for every block of every such variable, which is why there are not more of them.

use cranelift_codegen::ir;
use cranelift_frontend::{FunctionBuilder, Variable};
use simple_middle::mir::{BlockId, Function, Inst, MTy, Var};

/// Where a variable's value is.
#[derive(Clone, Copy)]
enum Home {
    /// The value itself, once it was assigned.
    Value(Option<ir::Value>),
    /// What the frontend makes from several assignments.
    Variable(Variable),
}

/// The variables of a function.
pub(super) struct Homes(Vec<Home>);

/// Per variable: in how many places it is assigned, two meaning more.
fn places(func: &Function, order: &[BlockId], repeated: &[Option<BlockId>]) -> Vec<u8> {
    let mut places = vec![0u8; func.vars.len()];
    let mut note = |var: Var| {
        let count = &mut places[var.0 as usize];
        *count = (*count + 1).min(2);
    };
    func.params.iter().copied().for_each(&mut note);
    for id in order {
        let insts = |id: BlockId| func.blocks[id.0 as usize].insts.iter();
        let test = repeated[id.0 as usize].into_iter().flat_map(insts);
        for inst in insts(*id).chain(test) {
            Inst::each_def(inst, &mut note);
        }
    }
    places
}

impl Homes {
    /// Finds a home for every variable of `func`, whose blocks are translated in `order`.
    pub(super) fn new(
        func: &Function,
        order: &[BlockId],
        repeated: &[Option<BlockId>],
        builder: &mut FunctionBuilder<'_>,
    ) -> Homes {
        let places = places(func, order, repeated);
        let home = |(count, ty): (&u8, &MTy)| match count {
            // [condition homes.several]: where values meet the frontend finds out.
            0 | 1 => Home::Value(None),
            _ => Home::Variable(builder.declare_var(super::clif_type(*ty))),
        };
        Homes(places.iter().zip(&func.vars).map(home).collect())
    }
}

impl super::Translator<'_, '_> {
    /// What a variable holds here.
    pub(super) fn get(&mut self, var: Var) -> ir::Value {
        match self.homes.0[var.0 as usize] {
            Home::Value(Some(value)) => value,
            // Only in code that is never reached.
            Home::Value(None) => self.zero(self.ty(var)),
            Home::Variable(variable) => self.builder.use_var(variable),
        }
    }

    /// Lets a variable hold a value from here on.
    pub(super) fn set(&mut self, var: Var, value: ir::Value) {
        match &mut self.homes.0[var.0 as usize] {
            Home::Value(home) => *home = Some(value),
            Home::Variable(variable) => self.builder.def_var(*variable, value),
        }
    }
}
