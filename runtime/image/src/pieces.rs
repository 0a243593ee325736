//! Modules that run one after the other over the same variables: what a session runs.
//!
//! Every piece is a separate module with its own code, and all stay in memory until the end: values that a piece has
//! left point to its texts, its type descriptors and the code of its closures. Sites and foreign functions are
//! numbered through all pieces, because a trace passes through the code of several, and because a closure of an
//! early piece may be the first to call a foreign function.

use super::run::Family;
use super::{Binder, Executable, First, Image, Outcome, PlaceError, RuntimeFailure};
use simple_middle::lower::Variable;
use simple_middle::mir::{Const, VtableId};
use simple_sema::typed::GlobalId;
use simple_syntax::SourceMap;
use std::rc::Rc;
use std::sync::Arc;

/// The pieces of a session. They belong to the thread that made them.
#[derive(Default)]
pub struct Pieces {
    pieces: Vec<Executable>,
    /// How many of them have released their variables.
    released: usize,
    family: Family,
}

/// What came of a piece.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub outcome: Outcome,
    /// The variables that it gave a value, with their addresses.
    pub set: Vec<(GlobalId, usize)>,
    /// The method tables that it has made, by what they are of, with their addresses.
    pub tables: Vec<(String, usize)>,
}

impl Pieces {
    /// The numbers that the next piece begins with.
    pub fn next(&self) -> First {
        self.family.next()
    }

    /// Runs the next piece, which begins with the numbers of [`Pieces::next`]. `variables` and `tables` begin with it.
    ///
    /// # Errors
    ///
    /// [`PlaceError`]; never because of a mistake in the user's program.
    pub fn run(
        &mut self,
        piece: Image,
        variables: &[Variable],
        tables: Vec<(String, VtableId)>,
        sources: Arc<SourceMap>,
        binder: Box<dyn Binder>,
    ) -> Result<Ran, PlaceError> {
        let executable = Executable::new(piece, sources, binder)?;
        self.family.add(Rc::clone(&executable.shared));
        let outcome = executable.run_among(&self.family, false);
        let set = variables
            .iter()
            .filter(|variable| executable.static_byte(variable.home, variable.flag) == Some(1))
            .filter_map(|variable| {
                Some((
                    variable.id,
                    executable.address_of(Const::Static(variable.home))?,
                ))
            })
            .collect();
        let tables = tables
            .into_iter()
            .filter_map(|(of, id)| Some((of, executable.address_of(Const::Vtable(id))?)))
            .collect();
        self.pieces.push(executable);
        Ok(Ran {
            outcome,
            set,
            tables,
        })
    }

    /// Releases the variables, the last first, so that drops run; returns their errors. The code stays, as something
    /// may still refer to it.
    pub fn release(&mut self) -> Vec<RuntimeFailure> {
        let mut failures = Vec::new();
        let released = std::mem::replace(&mut self.released, self.pieces.len());
        for executable in self.pieces[released..].iter().rev() {
            if let Outcome::Error(failure) = executable.run_among(&self.family, true) {
                failures.push(failure);
            }
        }
        failures
    }
}

impl std::fmt::Debug for Pieces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.pieces).finish()
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        self.release();
    }
}
