//! Compiler-generated functions: destroying, comparing, hashing and printing values of a type, and shims for calls by
//! address.
//!
//! Lowering asks for them by [`Glue`]; each is made once, from the work list, after the functions of the program.

mod compare;
mod destroy;
mod print;
mod shim;
mod table;

use super::builder::Builder;
use super::cx::Cx;
use crate::mir::{Convention, FnId};
use simple_sema::typed::{FuncId, TyId};

/// What hashes begin with.
pub(crate) const HASH_SEED: i64 = 0x2545_F491_4F6C_DD1D;

/// A function that lowering makes up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Glue {
    /// Destroys a dead array, dict, set, class instance or boxed enum value.
    Destroy(TyId),
    /// Destroys the box of a value in a trait object.
    DestroyBox(TyId),
    /// Destroys a closure over the captures of a function.
    DestroyClosure(FuncId),
    /// Retains copied elements of this type.
    RetainElements(TyId),
    /// Retains copied entries of a dict or set of this type.
    RetainEntries(TyId),
    /// A named function as a closure's code.
    FuncShim(FuncId),
    /// A method of a type called through a trait object.
    BoxedMethod(FuncId, TyId),
    /// `(object, in place) -> object`: makes the box of a trait object unshared.
    Unshare(TyId),
    /// `(object, object) -> I8`: whether two trait objects of this type are equal.
    EqualBoxed(TyId),
    /// `(object, builder)`: prints the value in a trait object.
    PrintBoxed(TyId),
    /// `(builder, leaves)`: prints a value.
    Print(TyId),
    /// `(leaves, leaves) -> I8`.
    Equal(TyId),
    /// `(leaves, leaves) -> I64`: -1, 0 or 1.
    Order(TyId),
    /// `(seed, leaves) -> I64`.
    Hash(TyId),
    /// `(array, element leaves) -> I8`.
    Contains(TyId),
    /// `(array, separator) -> text`, by the element type.
    Join(TyId),
    /// `(table, key leaves) -> entry or null`.
    FindEntry(TyId),
    /// `(table, key leaves) -> entry`, made if there is none.
    EnterEntry(TyId),
    /// `(dict) -> array` of the second type: the keys.
    Keys(TyId, TyId),
    /// `(dict) -> array` of the second type: the values.
    Values(TyId, TyId),
    /// What C calls for functions of this type; whether the function may be given up while it runs.
    Callback(TyId, bool),
    /// How an instance of a class leaves its thread.
    Leave(TyId),
    /// How it enters another thread.
    Enter(TyId),
    /// What a new thread begins with.
    ThreadMain,
    /// What C calls by the name of this function of the program's exports.
    Export(usize),
}

/// Makes the glue function `id`.
pub(crate) fn make(cx: &mut Cx<'_>, id: FnId, glue: Glue) {
    let name = name(cx, glue);
    let convention = match glue {
        Glue::Destroy(_)
        | Glue::DestroyBox(_)
        | Glue::DestroyClosure(_)
        | Glue::RetainElements(_)
        | Glue::RetainEntries(_)
        | Glue::Leave(_)
        | Glue::Enter(_)
        | Glue::ThreadMain => Convention::C,
        Glue::Callback(..) => Convention::Callback { returned: 0 },
        Glue::Export(_) => Convention::Export { returned: 0 },
        _ => Convention::Simple,
    };
    let span = match glue {
        Glue::FuncShim(func) | Glue::BoxedMethod(func, _) | Glue::DestroyClosure(func) => {
            cx.program.funcs[func.0 as usize].span
        }
        Glue::Destroy(ty)
        | Glue::DestroyBox(ty)
        | Glue::RetainElements(ty)
        | Glue::Unshare(ty)
        | Glue::EqualBoxed(ty)
        | Glue::PrintBoxed(ty)
        | Glue::Print(ty)
        | Glue::Equal(ty)
        | Glue::Order(ty)
        | Glue::Hash(ty)
        | Glue::Contains(ty)
        | Glue::Join(ty)
        | Glue::RetainEntries(ty)
        | Glue::FindEntry(ty)
        | Glue::EnterEntry(ty)
        | Glue::Keys(ty, _)
        | Glue::Values(ty, _)
        | Glue::Leave(ty)
        | Glue::Enter(ty)
        | Glue::Callback(ty, _) => cx.type_span(ty),
        Glue::ThreadMain => Default::default(),
        Glue::Export(at) => cx.program.exports[at].span,
    };
    let program = cx.program;
    let mut builder = Builder::new(cx, id, &name, convention);
    match glue {
        Glue::Destroy(ty) => builder.destroy_glue(ty, span),
        Glue::DestroyBox(ty) => builder.destroy_box_glue(ty, span),
        Glue::DestroyClosure(func) => builder.destroy_closure_glue(func, span),
        Glue::RetainElements(item) => builder.retain_elements_glue(item),
        Glue::FuncShim(func) => builder.func_shim_glue(func, span),
        Glue::BoxedMethod(func, ty) => builder.boxed_method_glue(func, ty, span),
        Glue::Unshare(ty) => builder.unshare_glue(ty, span),
        Glue::EqualBoxed(ty) => builder.equal_boxed_glue(ty, span),
        Glue::PrintBoxed(ty) => builder.print_boxed_glue(ty, span),
        Glue::Print(ty) => builder.print_glue(ty, span),
        Glue::Equal(ty) => builder.equal_glue(ty, span),
        Glue::Order(ty) => builder.order_glue(ty, span),
        Glue::Hash(ty) => builder.hash_glue(ty, span),
        Glue::Contains(item) => builder.contains_glue(item, span),
        Glue::Join(item) => builder.join_glue(item, span),
        Glue::RetainEntries(ty) => builder.retain_entries_glue(ty),
        Glue::FindEntry(ty) => builder.find_entry_glue(ty, false, span),
        Glue::EnterEntry(ty) => builder.find_entry_glue(ty, true, span),
        Glue::Keys(ty, array) => builder.table_array_glue(ty, array, true, span),
        Glue::Values(ty, array) => builder.table_array_glue(ty, array, false, span),
        Glue::Callback(ty, kept) => builder.callback_glue(ty, kept, span),
        Glue::Leave(ty) => builder.leave_glue(ty, span),
        Glue::Enter(ty) => builder.enter_glue(ty, span),
        Glue::ThreadMain => builder.thread_main_glue(span),
        Glue::Export(at) => builder.export_glue(&program.exports[at]),
    }
    builder.finish();
}

fn name(cx: &Cx<'_>, glue: Glue) -> String {
    let ty = |ty| cx.types.name(ty);
    let func = |func: FuncId| cx.program.funcs[func.0 as usize].name.clone();
    match glue {
        Glue::Destroy(of) => format!("<destroy {}>", ty(of)),
        Glue::DestroyBox(of) => format!("<destroy boxed {}>", ty(of)),
        Glue::Leave(of) => format!("<leave {}>", ty(of)),
        Glue::Enter(of) => format!("<enter {}>", ty(of)),
        Glue::ThreadMain => "<thread>".to_owned(),
        Glue::DestroyClosure(of) => format!("<destroy closure {}>", func(of)),
        Glue::RetainElements(of) => format!("<retain elements {}>", ty(of)),
        // Function values print under this name.
        Glue::FuncShim(of) => func(of),
        Glue::BoxedMethod(of, _) => format!("<method {}>", func(of)),
        Glue::Unshare(of) => format!("<unshare {}>", ty(of)),
        Glue::EqualBoxed(of) => format!("<equal boxed {}>", ty(of)),
        Glue::PrintBoxed(of) => format!("<print boxed {}>", ty(of)),
        Glue::Print(of) => format!("<print {}>", ty(of)),
        Glue::Equal(of) => format!("<equal {}>", ty(of)),
        Glue::Order(of) => format!("<compare {}>", ty(of)),
        Glue::Hash(of) => format!("<hash {}>", ty(of)),
        Glue::Contains(of) => format!("<contains {}>", ty(of)),
        Glue::Join(of) => format!("<join {}>", ty(of)),
        Glue::RetainEntries(of) => format!("<retain entries {}>", ty(of)),
        Glue::FindEntry(of) => format!("<find in {}>", ty(of)),
        Glue::EnterEntry(of) => format!("<enter into {}>", ty(of)),
        Glue::Keys(of, _) => format!("<keys of {}>", ty(of)),
        Glue::Values(of, _) => format!("<values of {}>", ty(of)),
        Glue::Export(at) => cx.program.exports[at].symbol.clone(),
        Glue::Callback(of, _) => format!("<C calls {}>", ty(of)),
    }
}
