//! What a program of one text asks for: no modules and no foreign functions.

use simple_image::{Binder, BoundExtern};
use simple_middle::mir::Extern;
use simple_sema::loader::{
    ExternLookup, ExternSignatures, FoundModule, ModuleRequest, SourceLoader,
};

/// No files, no foreign functions: for programs of one text.
pub struct Nothing;

impl SourceLoader for Nothing {
    fn find(&self, _request: ModuleRequest<'_>) -> Option<FoundModule> {
        None
    }

    fn read(&self, path: &str) -> Result<String, String> {
        Err(format!("there is no {path}"))
    }

    fn searched(&self, _request: ModuleRequest<'_>) -> Vec<String> {
        Vec::new()
    }

    fn candidates(&self, _request: ModuleRequest<'_>) -> Vec<String> {
        Vec::new()
    }
}

impl ExternSignatures for Nothing {
    fn lookup(&self, _symbol: &str, _library: Option<&str>) -> ExternLookup {
        ExternLookup::Unknown
    }
}

impl Binder for Nothing {
    fn bind(&self, ext: &Extern) -> Result<BoundExtern, String> {
        Err(format!("no library exports `{}`", ext.symbol))
    }
}
