//! Values: the forms of expressions that are not calls, operators or control flow, and their conversion to other types.

mod constant;
pub(in crate::body) mod convert;
pub(in crate::body) mod expr;
mod fixed;
mod frozen;
pub(in crate::body) mod lambda;
mod literal;
pub(in crate::body) mod name;
mod text;
mod tuple_array;
pub(in crate::body) mod waiting;

use super::*;
