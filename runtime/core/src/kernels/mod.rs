//! Functions that change lists of `f32` in place: what a planned step of native tensors calls instead of making new lists.
//!
//! Programs reach them as the functions of a plain C library of the name [`LIBRARY`], which is part of the runtime: there an array that is
//! passed can be written to, and a call costs as much as one of C. `lib/native/kernels.spl` declares them all and says what they
//! compute; the bridge compares a declaration with [`Kernel::params`]. The caller checks that each list has as many elements as the call says;
//! what is done within them is checked here, and a kernel that would leave a list does nothing and yields `false`.
//!
//! No sum or product is fused or put in another order than the loop in Simple that does the same, so both give the same bits; products of large
//! matrices are those of `gemm.rs`. Next: `step.rs`, a planned step as a whole; its instructions are in `chain.rs`, elementwise work, `product.rs`, and
//! `classes.rs`, cross entropy, and `update.rs`, optimizers and sums of columns.

mod chain;
mod classes;
mod product;
mod step;
mod update;

pub(crate) use update::sums as column_sums;

/// The name that a declaration gives to `@Lib`.
pub const LIBRARY: &str = "simple.kernels";

/// One of the functions.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Its name.
    pub name: &'static str,
    /// The types of its parameters, as `Foreign::name` of `simple_ffi_abi` writes them.
    pub params: &'static [&'static str],
    /// The type of its result.
    pub result: &'static str,
    /// Where it is.
    pub address: *const (),
}

/// A row for each function.
macro_rules! kernels {
    ($($name:literal ($($param:literal),*) -> $result:literal => $function:expr, $type:ty;)*) => {
        /// The names of all of them.
        pub const NAMES: &[&str] = &[$($name),*];

        /// All of them.
        pub fn kernels() -> Vec<Kernel> {
            vec![$(Kernel {
                name: $name,
                params: &[$($param),*],
                result: $result,
                address: ($function as $type) as *const (),
            }),*]
        }
    };
}

/// A list of floats that may be written to, and how many elements there are.
type Floats = *mut f32;
type Numbers = *const i64;

kernels! {
    "places" ("[i64; n]", "i64", "i64", "[f32; n]", "i64", "[f32; n]", "i64", "[f32; n]", "i64", "[f32; n]", "i64", "[f32; n]", "i64", "[f32; n]", "i64") -> "bool"
        => step::places, unsafe extern "C" fn(*mut i64, i64, i64, Floats, i64, Floats, i64, Floats, i64, Floats, i64, Floats, i64, Floats, i64) -> u8;
    "place_of_ints" ("[i64; n]", "i64", "i64", "[i64; n]", "i64") -> "bool"
        => step::place_of_ints, unsafe extern "C" fn(*mut i64, i64, i64, *mut i64, i64) -> u8;
    "step" ("[i64; n]", "i64", "[f64; n]", "i64", "[i64; n]", "i64", "[i64; n]", "i64") -> "bool"
        => step::step, unsafe extern "C" fn(Numbers, i64, *const f64, i64, Numbers, i64, Numbers, i64) -> u8;
    "descend" ("[f32; n]", "[f32; n]", "i64", "f64", "f64", "f64") -> "bool"
        => update::descend, unsafe extern "C" fn(Floats, Floats, i64, f64, f64, f64) -> u8;
    "descend_with" ("[f32; n]", "[f32; n]", "[f32; n]", "i64", "[f64; n]", "i64") -> "bool"
        => update::descend_with, unsafe extern "C" fn(Floats, Floats, Floats, i64, *const f64, i64) -> u8;
    "adam" ("[f32; n]", "[f32; n]", "[f32; n]", "[f32; n]", "i64", "[f64; n]", "i64") -> "bool"
        => update::adam, unsafe extern "C" fn(Floats, Floats, Floats, Floats, i64, *const f64, i64) -> u8;
}

/// The function of a name.
pub fn find(name: &str) -> Option<Kernel> {
    kernels().into_iter().find(|kernel| kernel.name == name)
}

/// Defines a function whose body is compiled for the vectors that the machine has.
macro_rules! with_vectors {
    ($(#[$doc:meta])* $visible:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) -> $result:ty $body:block) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments, reason = "what a kernel takes")]
        $visible fn $name($($arg: $type),*) -> $result {
            #[allow(clippy::too_many_arguments, reason = "what a kernel takes")]
            #[inline(always)]
            fn plain($($arg: $type),*) -> $result $body
            #[cfg(target_arch = "x86_64")]
            {
                #[allow(clippy::too_many_arguments, reason = "what a kernel takes")]
                #[target_feature(enable = "avx2")]
                fn avx2($($arg: $type),*) -> $result {
                    plain($($arg),*)
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the machine has the instructions.
                    return unsafe { avx2($($arg),*) };
                }
            }
            plain($($arg),*)
        }
    };
}
use with_vectors;

/// The elements of a list that was passed, to be read.
///
/// # Safety
///
/// The list has as many elements, which nobody writes to during the call.
unsafe fn read<'a, T>(from: *const T, count: i64) -> &'a [T] {
    if from.is_null() || count <= 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(from, count as usize) }
}

/// The elements of a list that was passed, to be written to.
///
/// # Safety
///
/// The list has as many elements, which only this call uses.
unsafe fn written<'a, T>(to: *mut T, count: i64) -> &'a mut [T] {
    if to.is_null() || count <= 0 {
        return &mut [];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(to, count as usize) }
}
