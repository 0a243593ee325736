//! What the language has itself: functions, and methods of its types that lowering knows.

pub(in crate::body) mod built_in_names;
pub(in crate::body) mod builtin;
mod collection;
pub(in crate::body) mod fields;
mod memory;
mod option;
pub(in crate::body) mod option_method;

use super::*;
