//! Inference: types that are not known yet.

mod origin;
mod table;

pub(crate) use origin::Origin;
pub(crate) use table::InferTable;
