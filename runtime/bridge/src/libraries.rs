//! The libraries that programs name, in `@Lib` or by asking for them: each is opened once, whoever comes first.
//!
//! Which file a name means is decided in `search.rs`, what opening checks in `open.rs`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use crate::host::HostSide;
use crate::open::OpenLibrary;
use crate::search::{self, SearchError};

thread_local! {
    /// Those of the bridge that runs the program of this thread, for [`problem`].
    static CURRENT: RefCell<Weak<Libraries>> = const { RefCell::new(Weak::new()) };
}

/// A lock for reading. A panic of who held it has left nothing half done.
pub(crate) fn reading<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// The same for writing.
pub(crate) fn writing<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// The libraries of a bridge.
#[derive(Debug)]
pub(crate) struct Libraries {
    /// Folders that are searched before the system's, as messages show them.
    folders: Vec<PathBuf>,
    /// The folder of the process when it began. Functions of C may change that.
    began_in: Option<PathBuf>,
    host: HostSide,
    open: RwLock<HashMap<String, Arc<OpenLibrary>>>,
}

impl Libraries {
    /// Those of a new bridge, which answer [`problem`] on this thread from now on.
    pub fn new(folders: Vec<PathBuf>, host: HostSide) -> Arc<Libraries> {
        let libraries = Arc::new(Libraries {
            folders,
            began_in: std::env::current_dir().ok(),
            host,
            open: RwLock::default(),
        });
        libraries.use_here();
        libraries
    }

    /// Lets them answer [`problem`] on this thread from now on.
    pub fn use_here(self: &Arc<Libraries>) {
        CURRENT.replace(Arc::downgrade(self));
    }

    /// The folders that are searched before the system's, wherever the process is now.
    pub fn folders(&self) -> Vec<PathBuf> {
        let here = std::env::current_dir().ok();
        match &self.began_in {
            Some(began_in) if here.as_ref() != Some(began_in) => {
                (self.folders.iter().map(|folder| began_in.join(folder))).collect()
            }
            _ => self.folders.clone(),
        }
    }

    /// The library of a name, if it is open.
    pub fn get(&self, name: &str) -> Option<Arc<OpenLibrary>> {
        reading(&self.open).get(name).cloned()
    }

    /// Those that are open, with their names in order.
    pub fn all(&self) -> Vec<(String, Arc<OpenLibrary>)> {
        let open = reading(&self.open);
        let mut all: Vec<_> = open
            .iter()
            .map(|(name, library)| (name.clone(), Arc::clone(library)))
            .collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// Finds and opens the library of a name, once. A failure is not remembered: the user may fix it while a session goes on.
    pub fn open(&self, name: &str) -> Result<Arc<OpenLibrary>, SearchError> {
        if let Some(open) = self.get(name) {
            return Ok(open);
        }
        let open = Arc::new(search::open(name, &self.folders(), &self.host)?);
        writing(&self.open).insert(name.to_owned(), Arc::clone(&open));
        Ok(open)
    }
}

/// Why the library of a name cannot be used, as the first call of a function of it would say; empty if it is open now.
pub(crate) fn problem(name: &str) -> Result<String, String> {
    let current = CURRENT.with_borrow(Weak::upgrade);
    let Some(libraries) = current else {
        return Err("no program is running that could open a library".to_owned());
    };
    Ok(match libraries.open(name) {
        Ok(_) => String::new(),
        Err(error) => error.about(name),
    })
}
