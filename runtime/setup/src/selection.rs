//! What in the surroundings chooses a libtorch, as a stamp remembers it: a set-up that was made with another choice is not this one's.
//!
//! How a libtorch is found is in `find.rs`. The launcher, `bin/simple`, compares the same two values.

use std::ffi::{OsStr, OsString};

use super::env::Env;

/// The variables that choose a libtorch, as they were at a set-up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// `LIBTORCH_PATH`, which alone decides where it is set.
    pub libtorch_path: Option<OsString>,
    /// The active Python environment, where `LIBTORCH_PATH` is not set.
    pub environment: Option<OsString>,
}

/// The name of a value in a stamp, what messages call it, and the value.
pub type Named<'a> = (&'static str, &'static str, Option<&'a OsStr>);

impl Selection {
    /// The choice that these surroundings make.
    pub fn of(env: &Env) -> Self {
        let own = |name| env.get(name).map(OsStr::to_owned);
        let libtorch_path = own("LIBTORCH_PATH");
        let environment = match libtorch_path {
            Some(_) => None,
            None => own("VIRTUAL_ENV").or_else(|| own("CONDA_PREFIX")),
        };
        Self {
            libtorch_path,
            environment,
        }
    }

    /// Its values.
    pub fn named(&self) -> [Named<'_>; 2] {
        let path = self.libtorch_path.as_deref();
        let environment = self.environment.as_deref();
        [
            ("libtorch_path", "LIBTORCH_PATH", path),
            ("environment", "the active Python environment", environment),
        ]
    }

    /// A choice of `LIBTORCH_PATH`, for tests.
    #[cfg(test)]
    pub fn path(path: impl Into<OsString>) -> Self {
        Self {
            libtorch_path: Some(path.into()),
            environment: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libtorch_path_alone_decides_then_the_innermost_environment() {
        let mut env = Env::empty();
        assert_eq!(Selection::of(&env), Selection::default());
        env.set("CONDA_PREFIX", "/conda");
        assert_eq!(Selection::of(&env).environment, Some("/conda".into()));
        env.set("VIRTUAL_ENV", "/venv");
        assert_eq!(Selection::of(&env).environment, Some("/venv".into()));
        env.set("LIBTORCH_PATH", "/lt");
        assert_eq!(Selection::of(&env), Selection::path("/lt"));
    }
}
