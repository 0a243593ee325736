//! Operators: numbers, comparisons, functions made of functions, formulas.

pub(in crate::body) mod compare;
mod compose;
mod division;
mod elementwise;
mod math;
pub(in crate::body) mod ops;

use super::*;
