//! Binding of foreign functions while a program runs: compiled code asks for one by its number, and who runs the program
//! knows how to find it.
//!
//! A function is asked for at its first call only; the binder then changes the code, so that later calls go straight to
//! it. What cannot be bound is a runtime error like any other. Leaves out how a function is found and how calls are
//! changed, which is for who [sets](with_binder) the binder.

use crate::error;
use std::cell::RefCell;

/// Binds the foreign function of a number, or says why it cannot.
pub type Binder = Box<dyn Fn(i32) -> Result<(), String>>;

thread_local! {
    static BINDER: RefCell<Option<Binder>> = const { RefCell::new(None) };
}

/// Has foreign functions that are first called while `program` runs on this thread bound by `binder`.
pub fn with_binder<T>(binder: Binder, program: impl FnOnce() -> T) -> T {
    /// Puts the binder before back, also when the program panics.
    struct Before(Option<Binder>);
    impl Drop for Before {
        fn drop(&mut self) {
            BINDER.replace(self.0.take());
        }
    }
    let _before = Before(BINDER.replace(Some(binder)));
    program()
}

/// Has foreign functions that are first called on this thread from now on bound by `binder`.
pub fn set_binder(binder: Binder) {
    BINDER.replace(Some(binder));
}

/// Binds the foreign function of this number, or records why it cannot be bound.
pub extern "C" fn rt_bind_extern(index: i32) {
    error::guard((), || {
        let _measured = crate::profile::binding();
        let outcome = BINDER.with_borrow(|binder| match binder {
            Some(binder) => binder(index),
            None => Err(
                "internal error: no binder for foreign functions is set; please report it"
                    .to_owned(),
            ),
        });
        if let Err(message) = outcome {
            error::raise(message);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Why a function cannot be bound now.
    fn reason(index: i32) -> Option<String> {
        rt_bind_extern(index);
        error::take().map(|error| error.message)
    }

    #[test]
    fn what_cannot_be_bound_is_an_error_with_the_reason() {
        let refuse = |index| Err(format!("no function {index}"));
        with_binder(Box::new(refuse), || {
            assert_eq!(reason(3).as_deref(), Some("no function 3"));
        });
        assert!(reason(3).is_some_and(|reason| reason.starts_with("internal error")));
    }

    #[test]
    fn a_program_inside_another_has_its_own_binder() {
        with_binder(Box::new(|_| Err("outer".to_owned())), || {
            with_binder(Box::new(|_| Ok(())), || assert_eq!(reason(1), None));
            assert_eq!(reason(1).as_deref(), Some("outer"));
        });
    }
}
