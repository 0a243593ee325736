//! The arguments of a call by name, as checks read them. What is missing is left to libtorch, which says so.

use crate::libtorch::C_tensor;
use crate::libtorch::Tensor;
use crate::pending;
use simple_ffi_abi::export::names_of;
use simple_ffi_abi::handle::HandleTable;

use super::super::argument::Argument;
use super::super::row::Row;

unsafe extern "C" {
    fn simple_is_strided(input: *const C_tensor) -> i32;
    fn simple_room(input: *const C_tensor) -> i64;
}

/// The numbers of libtorch's quantized dtypes.
const QUANTIZED: [i32; 5] = [12, 13, 14, 16, 17];

/// A call of an operator, before it reaches libtorch.
#[derive(Debug)]
pub struct Call<'a> {
    pub(super) table: &'a HandleTable<Tensor>,
    pub(super) row: &'static Row,
    pub(super) arguments: &'a [Argument<'a>],
}

impl<'a> Call<'a> {
    fn argument(&self, name: &str) -> Option<Argument<'a>> {
        let found = self.named().find(|(parameter, _)| *parameter == name)?;
        Some(found.1)
    }

    /// The arguments with the names of their parameters.
    fn named(&self) -> impl Iterator<Item = (&'static str, Argument<'a>)> + use<'a> {
        let names = names_of(self.row.params);
        names.zip(self.arguments.iter().copied())
    }

    fn defined(&self, handle: i64) -> Option<&'a Tensor> {
        // A failure of the GPU is reported where the call looks its arguments up.
        let _ = pending::settle(handle);
        self.table.find(handle).filter(|tensor| tensor.defined())
    }

    /// A tensor; `None` when it is missing.
    pub fn tensor(&self, name: &str) -> Option<&'a Tensor> {
        match self.argument(name)? {
            Argument::Tensor(handle) | Argument::OptionalTensor(handle) => self.defined(handle),
            _ => None,
        }
    }

    /// A tensor or the other: operators call the same thing differently.
    pub fn either(&self, name: &str, other: &str) -> Option<&'a Tensor> {
        self.tensor(name).or_else(|| self.tensor(other))
    }

    /// All tensors of the call with the names of their parameters, those in lists too.
    pub fn all_tensors(&self) -> Vec<(&'a str, &'a Tensor)> {
        let mut found = Vec::new();
        for (name, argument) in self.named() {
            match argument {
                Argument::Tensor(handle) | Argument::OptionalTensor(handle) => {
                    found.extend(self.defined(handle).map(|tensor| (name, tensor)));
                }
                Argument::Tensors(list) | Argument::OptionalTensors(list) => {
                    let defined = list.iter().filter_map(|handle| self.defined(*handle));
                    found.extend(defined.map(|tensor| (name, tensor)));
                }
                _ => {}
            }
        }
        found
    }

    /// The tensors of a list that may have gaps.
    pub fn tensors(&self, name: &str) -> Vec<Option<&'a Tensor>> {
        match self.argument(name) {
            Some(Argument::Tensors(list) | Argument::OptionalTensors(list)) => {
                list.iter().map(|handle| self.defined(*handle)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The lengths of all lists of tensors and of floats, with the names of their parameters.
    pub fn lengths(&self) -> impl Iterator<Item = (&'a str, usize)> + '_ {
        self.named().filter_map(|(name, argument)| match argument {
            Argument::Tensors(list) => Some((name, list.len())),
            Argument::Floats(list) => Some((name, list.len())),
            _ => None,
        })
    }

    /// A list of integers.
    pub fn ints(&self, name: &str) -> Option<&'a [i64]> {
        match self.argument(name)? {
            Argument::Ints(list) => Some(list),
            _ => None,
        }
    }

    /// An integer.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.argument(name)? {
            Argument::Int(value) => Some(value),
            _ => None,
        }
    }

    /// A truth value.
    pub fn truth(&self, name: &str) -> Option<bool> {
        match self.argument(name)? {
            Argument::Bool(value) => Some(value),
            _ => None,
        }
    }
}

/// Whether a tensor is quantized.
pub fn is_quantized(tensor: &Tensor) -> bool {
    QUANTIZED.contains(&tensor.dtype())
}

/// Whether the elements of a tensor are numbers at strides: it is not sparse, not quantized, and not in a layout of oneDNN.
pub fn is_plain(tensor: &Tensor) -> bool {
    // SAFETY: the tensor is alive for the call, which only reads it.
    let strided = unsafe { simple_is_strided(tensor.as_ptr()) != 0 };
    strided && !is_quantized(tensor)
}

/// How many elements the memory of a plain tensor has room for, from the first of the tensor on.
pub fn room(tensor: &Tensor) -> i64 {
    // SAFETY: as above.
    unsafe { simple_room(tensor.as_ptr()) }
}
