//! Copies of a program for its threads: the image is placed once more, with the words of the thread that runs it.
//!
//! Code refers to its data by distances, so a copy has variables, descriptors and constants of its own without any
//! change to the code, and a program that starts no thread is not copied. `simple_core::world` says when a copy is
//! made; here is how.

use crate::form::{Image, Outside};
use crate::host;
use crate::run::{Binder, BoundExtern, Executable, Family};
use simple_core::table::RtFn;
use simple_core::world::Copies;
use simple_middle::mir::Extern;
use simple_syntax::SourceMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Makes what finds foreign functions on another thread.
pub type BinderMaker = Arc<dyn Fn() -> Box<dyn Binder> + Send + Sync>;

/// A program that is copied for each of its threads.
pub(crate) struct Original {
    image: Image,
    sources: Arc<SourceMap>,
    binder: Option<BinderMaker>,
}

/// Whether a program can start threads.
fn starts_threads(image: &Image) -> bool {
    let start = Outside::Runtime(RtFn::ThreadStart);
    image.stubs.iter().any(|(target, _)| *target == start)
}

/// What a program is copied from, if it can start threads; before it is placed.
pub(crate) fn original(
    image: &Image,
    sources: &Arc<SourceMap>,
    binder: &dyn Binder,
) -> Option<Arc<Original>> {
    starts_threads(image).then(|| {
        Arc::new(Original {
            image: image.clone(),
            sources: Arc::clone(sources),
            binder: binder.for_thread(),
        })
    })
}

/// Finds nothing: who runs the program has no way to find functions on other threads.
struct FindsNothing;

impl Binder for FindsNothing {
    fn bind(&self, ext: &Extern) -> Result<BoundExtern, String> {
        Err(format!(
            "`{}` is a function of a library, and cannot be called on a thread that the program has started",
            ext.name
        ))
    }
}

impl Copies for Original {
    fn with_copy(&self, work: &mut dyn FnMut(Range<usize>)) -> Result<(), String> {
        let binder = match &self.binder {
            Some(make) => make(),
            None => Box::new(FindsNothing),
        };
        let copy = Executable::new_copy(self.image.clone(), Arc::clone(&self.sources), binder);
        let copy = copy.map_err(|error| error.to_string())?;
        let family = Family::default();
        family.add(Rc::clone(&copy.shared));
        let (binding, locating) = (family.clone(), family.clone());
        host::running_beside(
            Box::new(move |index| binding.bind(index)),
            Box::new(move |sites| locating.place(sites)),
            Box::new(family),
            || work(copy.range()),
        );
        Ok(())
    }
}
