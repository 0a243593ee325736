//! Foreign functions of a running program, found by the bridge.

use simple_bridge::{Bridge, HostSide};
use simple_ffi_abi::export::Entry;
use simple_image::{Binder, BinderMaker, BoundExtern};
use simple_middle::mir::{Extern, ExternKind, Failure};
use std::sync::Arc;

/// Finds a function or a variable when it is first used.
///
/// # Errors
///
/// A message for the user: the symbol, every place that was searched, or how the declaration is wrong.
pub fn bind(bridge: &Bridge, ext: &Extern) -> Result<BoundExtern, String> {
    let library = ext.library.as_deref();
    if let ExternKind::Variable { size } = ext.kind {
        let address = bridge.variable(&ext.symbol, library, size);
        return Ok(BoundExtern {
            address: address.map_err(|error| error.to_string())?,
            failure: Failure::Never,
        });
    }
    let (params, result) = &ext.declared;
    let bound = bridge.bind(&ext.symbol, library, (params, result));
    let bound = bound.map_err(|error| error.to_string())?;
    Ok(BoundExtern {
        address: bound.address,
        failure: Failure::of(bound.failure, bound.failure_value),
    })
}

/// Finds foreign functions of a thread that a program has started, with the bridge of the program.
struct Beside(Arc<Bridge>);

impl Binder for Beside {
    fn bind(&self, ext: &Extern) -> Result<BoundExtern, String> {
        bind(&self.0, ext)
    }
}

/// What makes that.
pub fn for_threads(bridge: Arc<Bridge>) -> BinderMaker {
    Arc::new(move || {
        bridge.use_on_this_thread();
        Box::new(Beside(Arc::clone(&bridge)))
    })
}

/// The address of a function that was known before the program ran, if it still is.
pub fn address(bridge: &Bridge, ext: &Extern) -> Option<usize> {
    bridge.known(&ext.symbol, ext.library.as_deref())?.address
}

/// The functions that a process which runs programs has beside the runtime's.
pub fn offered() -> Vec<&'static [Entry]> {
    vec![
        simple_bridge::FUNCTIONS,
        simple_files::FUNCTIONS,
        simple_std::FUNCTIONS,
    ]
}

/// Whether a function is part of every process which runs programs.
pub fn is_own(symbol: &str) -> bool {
    simple_bridge::own_address(&HostSide::default(), &offered(), symbol).is_some()
}
