//! The bridge as the binder of foreign functions.

use super::run::{Binder, BoundExtern};
use crate::mir::{Extern, ExternKind, Failure};
use simple_bridge::{Bridge, SffiFailure};
use std::rc::Rc;

impl Binder for Bridge {
    fn bind(&self, ext: &Extern) -> Result<BoundExtern, String> {
        if let ExternKind::Variable { size } = ext.kind {
            let address = self
                .variable(&ext.symbol, ext.library.as_deref(), size)
                .map_err(|error| error.to_string())?;
            return Ok(BoundExtern {
                address,
                failure: Failure::Never,
            });
        }
        let (params, result) = &ext.declared;
        let bound = Bridge::bind(self, &ext.symbol, ext.library.as_deref(), (params, result))
            .map_err(|error| error.to_string())?;
        let failure = match bound.failure {
            SffiFailure::Never => Failure::Never,
            SffiFailure::Value => Failure::Value(bound.failure_value),
            SffiFailure::Flag => Failure::Flag,
        };
        Ok(BoundExtern {
            address: bound.address,
            failure,
        })
    }
}

impl<B: Binder> Binder for Rc<B> {
    fn bind(&self, ext: &Extern) -> Result<BoundExtern, String> {
        B::bind(self, ext)
    }
}
