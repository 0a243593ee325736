//! Where a checked program uses its variables, functions, fields and module-level variables, and the type of each
//! expression: what an editor asks about a place in a file.
//!
//! Leaves out names of types and modules, of which a typed program keeps nothing, and what never runs: a function of
//! the library that nothing calls is not in it.

use super::*;
use crate::steps::each;
use simple_syntax::FileId;

/// What an expression is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// A variable of a function.
    Local(FuncId, LocalId),
    /// A function or method that is called or used as a value.
    Func(FuncId),
    /// A foreign function that is called.
    Extern(ExternId),
    /// A module-level variable.
    Global(GlobalId),
    /// A field, by its number, of a value of this type.
    Field(TyId, u32),
    /// Anything else.
    Value,
}

/// An expression at its place.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// The whole expression: of a call with its arguments.
    pub span: Span,
    /// What it is about.
    pub target: Target,
    /// Its type.
    pub ty: TyId,
}

/// Every expression and assigned place of the program in one file, in no order. A generic function has them once for
/// each of its instances.
pub fn uses(program: &Program, file: FileId) -> Vec<Use> {
    let mut found = Vec::new();
    for (number, func) in program.funcs.iter().enumerate() {
        let Some(body) = &func.body else { continue };
        if body.span.file != file && func.span.file != file {
            continue;
        }
        let id = FuncId(number as u32);
        let mut walk = Walk {
            func: id,
            file,
            found: &mut found,
        };
        each(body, &mut |e| walk.expr(e));
    }
    found
}

/// Notes the expressions and places in a file.
struct Walk<'f> {
    func: FuncId,
    file: FileId,
    found: &'f mut Vec<Use>,
}

impl Walk<'_> {
    fn note(&mut self, span: Span, target: Target, ty: TyId) {
        if span.file == self.file && span.lo < span.hi {
            self.found.push(Use { span, target, ty });
        }
    }

    /// An expression, and the places in it; its parts are expressions of their own.
    fn expr(&mut self, e: &Expr) {
        let target = match &e.kind {
            ExprKind::Local(id) => Target::Local(self.func, *id),
            ExprKind::Global(id) => Target::Global(*id),
            ExprKind::FuncRef(func)
            | ExprKind::Closure(func, _)
            | ExprKind::Call(func, _)
            | ExprKind::CallInout(func, ..) => Target::Func(*func),
            ExprKind::CallExtern(id, _) => Target::Extern(*id),
            ExprKind::Field(base, number) => Target::Field(base.ty, *number),
            _ => Target::Value,
        };
        self.note(e.span, target, e.ty);
        match &e.kind {
            ExprKind::CallInout(_, place, _)
            | ExprKind::Update(_, place, _)
            | ExprKind::CallTraitInout(_, _, place, _) => self.place(place),
            ExprKind::Block(stmts, _) => stmts.iter().for_each(|stmt| self.assigned(stmt)),
            _ => {}
        }
    }

    fn assigned(&mut self, stmt: &Stmt) {
        if let StmtKind::Assign(place, _)
        | StmtKind::AssignArith(place, _, _)
        | StmtKind::AssignBits(place, _, _)
        | StmtKind::Append(place, _) = &stmt.kind
        {
            self.place(place);
        }
    }

    /// A place that is a variable as a whole is a use of it; of a longer one the last field is.
    fn place(&mut self, place: &Place) {
        let target = match (place.path.last(), &place.root) {
            (None, PlaceRoot::Local(id)) => Target::Local(self.func, *id),
            (None, PlaceRoot::Global(id)) => Target::Global(*id),
            (Some(PlaceStep::Field(ty, number)), _) => Target::Field(*ty, *number),
            _ => Target::Value,
        };
        self.note(place.span, target, place.ty);
    }
}
