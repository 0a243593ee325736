//! Declarations with bodies: functions and initializers, from their beginning to their end.

pub(in crate::body) mod decorate;
mod defaults;
pub(in crate::body) mod duty;
pub(in crate::body) mod finish;
pub(in crate::body) mod function;
mod generator;
pub(in crate::body) mod init;
mod nested;
mod spec;

use super::*;
