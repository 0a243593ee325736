//! Arguments that must not reach libtorch, since a function of it does not check them and ends the process: it reads beyond a list or
//! a tensor, divides by zero, or calls itself without end. PyTorch in Python crashes likewise.
//!
//! [`GUARDS`] is the table: families of operators by name, what they require, and the function in [`checks`] that makes
//! sure of it. The row of an operator says whether it has a guard, so that all others pay nothing.
//! `doc/internals/guards.md` is written from the table, and says which operators can still end the process. A call that
//! libtorch itself refuses needs no guard.

mod call;
mod checks;

use std::cell::RefCell;

use crate::libtorch::Tensor;
use simple_ffi_abi::handle::HandleTable;

use super::argument::{self, Argument};
use super::row::Row;

pub use call::Call;

/// Says why the arguments of a call must not reach libtorch.
pub type Check = fn(&Call<'_>) -> Result<(), String>;

/// A family of operators and what their arguments must be.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "holds a function")]
pub struct Guard {
    /// Names without `rt_torch_`; `*` at the beginning or the end matches any text.
    pub operators: &'static [&'static str],
    /// What is expected, for the document.
    pub wanted: &'static str,
    /// Makes sure of it.
    pub check: Check,
}

const fn guard(operators: &'static [&'static str], wanted: &'static str, check: Check) -> Guard {
    Guard {
        operators,
        wanted,
        check,
    }
}

/// All guards. The first that fits an operator's name is its guard.
pub const GUARDS: &[Guard] = &[
    guard(
        &["_foreach_*"],
        "lists of tensors that are not empty and of one length, and as many numbers where there is a list of them",
        checks::foreach,
    ),
    guard(
        &["_stack", "_stack_out", "align_tensors"],
        "at least one tensor",
        checks::some_tensors,
    ),
    guard(
        &["_fft_r2c*", "_fft_c2r*", "_fft_c2c*"],
        "dimensions that the tensor has, each once, at least one for real numbers; a normalization from 0 to 2",
        checks::fft,
    ),
    guard(
        &["linalg_eigvals", "linalg_eigvals_out", "_linalg_eigvals"],
        "a matrix without NaN and infinity",
        checks::finite,
    ),
    guard(
        &[
            "native_batch_norm*",
            "_native_batch_norm*",
            "_batch_norm_*",
            "batch_norm_update_stats*",
        ],
        "at least two dimensions; a weight, a bias and statistics of one number for each channel; statistics unless it trains",
        checks::batch_norm,
    ),
    guard(
        &[
            "reflection_pad1d*",
            "reflection_pad2d*",
            "reflection_pad3d*",
            "replication_pad1d*",
            "replication_pad2d*",
            "replication_pad3d*",
        ],
        "two sizes of padding for each padded dimension; a gradient of the padded size",
        checks::padding,
    ),
    guard(
        &[
            "slow_conv3d*",
            "_slow_conv2d_*",
            "slow_conv_dilated2d*",
            "slow_conv_dilated3d*",
            "slow_conv_transpose2d*",
            "slow_conv_transpose3d*",
            "conv_depthwise3d*",
            "_conv_depthwise2d*",
            "_nnpack_spatial_convolution*",
        ],
        "a size for each dimension of the image in every list, positive where it must be; plain tensors of as many dimensions",
        checks::convolution,
    ),
    guard(
        &[
            "_weight_norm_interface*",
            "_weight_norm_differentiable_backward",
        ],
        "the first or last dimension; norms and factors of as many numbers as that has; a gradient of the weight's shape",
        checks::weight_norm,
    ),
    guard(
        &["_sobol_engine_*"],
        "a dimension from 1 to 21201, and a state of i64 with 30 numbers for each",
        checks::sobol,
    ),
    guard(&["quantized_lstm_cell"], "two states", checks::two_states),
    guard(
        &[
            "_convert_indices_from_csr_to_coo*",
            "_convert_indices_from_coo_to_csr*",
        ],
        "plain indices within the size; starts of rows in order",
        checks::compressed_indices,
    ),
    guard(
        &["_reshape_alias*"],
        "sizes and strides of one length that stay within the tensor's memory",
        checks::within_memory,
    ),
    guard(
        &["_neg_view*", "view_copy_dtype*"],
        "a tensor that is not quantized",
        checks::not_quantized,
    ),
    guard(
        &["index_copy*", "index_add*", "index_fill*", "index_reduce*"],
        "plain tensors",
        checks::plain_tensors,
    ),
    guard(
        &["_unsafe_index*", "_unsafe_masked_index*"],
        "plain tensors, and indices within the dimensions",
        checks::unchecked_indices,
    ),
    guard(
        &["_new_zeros_with_same_feature_meta*"],
        "as many dimensions of a batch as the tensor has, at most, and plain tensors",
        checks::feature_meta,
    ),
    guard(
        &["_cholesky_solve_helper*"],
        "matrices of one dtype and one batch, the factor square and of as many rows as the right side",
        checks::cholesky_solve,
    ),
    guard(
        &["_pdist_backward*", "_cdist_backward*"],
        "a gradient and distances of the shape that distances of these rows have, all of one dtype",
        checks::distances,
    ),
    guard(
        &["_logcumsumexp*"],
        "a result of the input's dtype and shape",
        checks::same_as_result,
    ),
    guard(
        &["_add_batch_dim", "_remove_batch_dim"],
        "never: they are parts of `vmap`, which Simple does not have",
        checks::never,
    ),
];

/// Whether a call may reach libtorch; if not, the reason is kept for [`report`](super::argument::report).
#[inline(never)]
pub fn passes(
    table: &RefCell<HandleTable<Tensor>>,
    row: &'static Row,
    arguments: &[Argument<'_>],
) -> bool {
    let Some(check) = of(row.name) else {
        return true;
    };
    let table = table.borrow();
    let call = Call {
        table: &table,
        row,
        arguments,
    };
    match check(&call) {
        Ok(()) => true,
        Err(reason) => {
            argument::keep_reason(reason);
            false
        }
    }
}

/// The guard of an operator, by its name with `rt_torch_`.
pub fn of(name: &str) -> Option<Check> {
    let name = name.strip_prefix("rt_torch_")?;
    let guard = |guard: &&Guard| guard.operators.iter().any(|pattern| fits(pattern, name));
    Some(GUARDS.iter().find(guard)?.check)
}

/// Whether a name fits a pattern, which may end with `*`.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

/// Calls that can end the process and have no guard, with the reason.
const OPEN: &[(&str, &str)] = &[
    (
        "`ctc_loss` with a class number out of range, and `grid_sampler` at places such as 1e30",
        "a check would have to read every element; libtorch reads outside its memory, in PyTorch too",
    ),
    (
        "`choose_qparams_optimized`, `kaiser_window` and others that are told to do something a billion times",
        "they do, and no size is too large for every use",
    ),
];

/// The text of `doc/internals/guards.md`.
pub fn page() -> String {
    let mut text = String::from(
        "# Arguments that are checked before libtorch sees them

Made by `cargo test -p simple-torch` from the table in `ffi/torch/src/operators/guard/mod.rs`.

Some functions of libtorch end the process on arguments that they should refuse: PyTorch in Python ends too. Here such
calls are errors that a program can catch.
",
    );
    for guard in GUARDS {
        let names: Vec<String> = guard
            .operators
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        text.push_str(&format!(
            "\n- {}\n  - needed: {}\n",
            wrapped(&names.join(", "), 2),
            wrapped(guard.wanted, 4)
        ));
    }
    text.push_str("\n## Not checked\n");
    for (calls, why) in OPEN {
        text.push_str(&format!(
            "\n- {}\n  - because {}\n",
            wrapped(calls, 2),
            wrapped(why, 4)
        ));
    }
    text
}

/// Text in lines of at most 110 letters, the later ones indented.
fn wrapped(text: &str, indent: usize) -> String {
    let mut out = String::new();
    let mut width = indent + 10;
    for word in text.split(' ') {
        width += word.len() + 1;
        if width > 110 {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            width = indent + word.len();
        } else if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> impl Iterator<Item = &'static str> {
        crate::TABLES
            .iter()
            .flat_map(|tables| tables.iter())
            .flat_map(|table| table.functions.iter())
            .map(|entry| entry.name)
    }

    #[test]
    fn every_pattern_fits_an_operator() {
        for pattern in GUARDS.iter().flat_map(|guard| guard.operators) {
            assert!(
                names().any(|name| fits(pattern, name.trim_start_matches("rt_torch_"))),
                "{pattern} fits no operator"
            );
        }
    }

    /// The rows of all tables as they are written.
    fn rows() -> Vec<String> {
        let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let tables = source.join("operators/table");
        let files = [source, tables].map(|folder| std::fs::read_dir(folder).unwrap());
        let texts = files.into_iter().flatten().map(|file| file.unwrap().path());
        let texts = texts
            .filter(|path| path.is_file())
            .map(|path| std::fs::read_to_string(path).unwrap());
        let rows = |text: String| -> Vec<String> {
            let rows = text
                .lines()
                .filter(|line| line.trim_start().starts_with("fn rt_torch_"));
            rows.filter(|row| row.contains(" = "))
                .map(str::to_owned)
                .collect()
        };
        texts.flat_map(rows).collect()
    }

    #[test]
    fn rows_say_whether_they_are_guarded() {
        let rows = rows();
        assert!(rows.len() > 2000);
        for row in rows {
            let name = row.trim_start().trim_start_matches("fn ");
            let name = name.split('(').next().unwrap();
            assert_eq!(row.contains("= [guarded"), of(name).is_some(), "{row}");
        }
    }

    #[test]
    fn patterns_end_where_they_say() {
        assert!(of("rt_torch__foreach_add_list").is_some());
        assert!(of("rt_torch_linalg_eigvals").is_some());
        assert!(of("rt_torch_linalg_eigvalsh").is_none());
        assert!(of("rt_torch_stack").is_none());
        assert!(of("rt_torch_add").is_none());
        assert!(of("rt_torch_batch_norm").is_none());
    }
}
