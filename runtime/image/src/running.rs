//! Which call an address on the stack belongs to, and where that call is in the source.
//!
//! Asked when a foreign function has ended the process, in a signal handler (`simple_core::fatal`), and for where
//! objects were made that were never freed. So nothing here takes memory, waits for a lock or panics: what is just
//! being changed counts as not there.

use super::form::CallPlace;
use super::run::{Family, Shared};
use simple_core::frames::{Call, CodeMap};
use simple_middle::mir::{NO_FUNCTION, SiteId};
use std::fmt::Write;

impl Family {
    /// What the module that contains it says about it.
    fn find<T>(&self, ask: impl Fn(&Shared) -> Option<T>) -> Option<T> {
        let modules = self.0.try_borrow().ok()?;
        modules.iter().find_map(|module| ask(module))
    }
}

impl Shared {
    fn placed(&self, returns_to: usize) -> Option<CallPlace> {
        self.placed.try_borrow().ok()?.call(returns_to)
    }
}

impl CodeMap for Family {
    fn call(&self, returns_to: usize) -> Option<Call> {
        self.find(|module| {
            let call = module.placed(returns_to)?;
            let foreign = call
                .foreign
                .map(|id| (module.first().foreign + id.0) as i32);
            Some(Call {
                foreign,
                frame: call.frame,
            })
        })
    }

    fn has_code(&self, address: usize) -> bool {
        let found = self.find(|module| {
            let placed = module.placed.try_borrow().ok()?;
            placed.has_code(address).then_some(())
        });
        found.is_some()
    }

    fn sites(&self, returns_to: usize, visit: &mut dyn FnMut(i32) -> bool) {
        let visit = std::cell::RefCell::new(visit);
        self.find(|module| {
            let placed = module.placed.try_borrow().ok()?;
            let call = placed.call(returns_to)?;
            let written = |site: &SiteId| {
                let site = module.image.sites.get(site.0 as usize);
                site.is_some_and(|site| site.func != NO_FUNCTION)
            };
            for site in placed.sites(call).filter(written) {
                if !visit.borrow_mut()(module.image.number_of_site(site) as i32) {
                    break;
                }
            }
            Some(())
        });
    }

    fn in_library(&self, site: i32) -> bool {
        let library = self.find(|module| {
            let file = module.site(site)?.span.file;
            Some(module.sources.file(file).library)
        });
        library.unwrap_or(false)
    }

    fn write_site(&self, site: i32, out: &mut dyn Write) {
        let out = std::cell::RefCell::new(out);
        self.find(|module| {
            let site = module.site(site)?;
            let position = module.sources.position(site.span);
            let path = &module.sources.file(site.span.file).path;
            let func = module.image.names.get(site.func.0 as usize)?;
            let _ = write!(
                out.borrow_mut(),
                "{path}:{}:{} in {}",
                position.line,
                position.column,
                func
            );
            Some(())
        });
    }

    fn place(&self, site: i32) -> Option<(String, String, u32)> {
        self.find(|module| {
            let frame = module.frame(site)?;
            Some((frame.function, frame.path, frame.line))
        })
    }

    fn write_foreign(&self, foreign: i32, out: &mut dyn Write) {
        let out = std::cell::RefCell::new(out);
        self.find(|module| {
            let index = (foreign as u32).checked_sub(module.first().foreign)?;
            let name = &module.image.externs.get(index as usize)?.name;
            let _ = out.borrow_mut().write_str(name);
            Some(())
        });
    }
}
