//! Inference: types that are not known yet.

mod table;

pub(crate) use table::InferTable;
