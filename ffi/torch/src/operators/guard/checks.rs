//! One function for each row of [`GUARDS`](super::GUARDS). Each says what is wrong in a sentence that ends with what is
//! expected. A check costs no more than a small part of the operator.

use crate::libtorch::Tensor;

use super::call::{Call, is_plain, is_quantized, room};
use crate::device::{self, number};
use crate::error::shape;

type Checked = Result<(), String>;

/// An error with this message unless `holds`.
fn need(holds: bool, message: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(message()) }
}

pub fn never(_: &Call<'_>) -> Checked {
    Err("this is a part of `vmap`, which Simple does not have: write a loop, or use a dimension for the batch".to_owned())
}

pub fn foreach(call: &Call<'_>) -> Checked {
    let lengths: Vec<_> = call.lengths().collect();
    let Some(((first, count), others)) = lengths.split_first() else {
        return Ok(());
    };
    need(*count > 0, || {
        format!("`{first}` has no tensors; at least one is needed")
    })?;
    for (name, length) in others {
        need(length == count, || {
            format!(
                "`{name}` has {length} elements and `{first}` {count}; they must have the same number"
            )
        })?;
    }
    Ok(())
}

pub fn some_tensors(call: &Call<'_>) -> Checked {
    need(call.lengths().all(|(_, length)| length > 0), || {
        "the list of tensors is empty; at least one is needed".to_owned()
    })
}

pub fn fft(call: &Call<'_>) -> Checked {
    let (Some(input), Some(dims)) = (call.tensor("input"), call.ints("dim")) else {
        return Ok(());
    };
    let rank = input.dim() as i64;
    let mut seen = vec![false; input.dim()];
    for &dim in dims {
        let at = if dim < 0 {
            dim.saturating_add(rank)
        } else {
            dim
        };
        need((0..rank).contains(&at), || {
            format!(
                "dimension {dim} is out of range for a tensor of shape {}",
                shape(&input.size())
            )
        })?;
        let again = std::mem::replace(&mut seen[at as usize], true);
        need(!again, || format!("dimension {dim} is named twice"))?;
    }
    let real = call.row.name.contains("r2c") || call.row.name.contains("c2r");
    need(!real || !dims.is_empty(), || {
        "no dimension is named; at least one is needed".to_owned()
    })?;
    let normalization = call.int("normalization").unwrap_or(0);
    need((0..=2).contains(&normalization), || {
        format!(
            "the normalization is {normalization}; expected 0 (none), 1 (by the root of the size) or 2 (by the size)"
        )
    })?;
    if let Some(size) = call.int("last_dim_size") {
        need(size >= 1, || {
            format!("`last_dim_size` is {size}; expected 1 or more")
        })?;
    }
    Ok(())
}

pub fn finite(call: &Call<'_>) -> Checked {
    let Some(input) = call.tensor("input") else {
        return Ok(());
    };
    // Tensors without this property, such as sparse ones, are refused by libtorch itself.
    let all = input
        .isfinite()
        .and_then(|finite| finite.all())
        .and_then(|all| all.double_value(&[]));
    need(all.map_or(true, |all| all != 0.0), || {
        "the matrix contains NaN or infinity; only finite numbers have eigenvalues".to_owned()
    })
}

pub fn batch_norm(call: &Call<'_>) -> Checked {
    let Some(input) = call.tensor("input") else {
        return Ok(());
    };
    let sizes = input.size();
    let Some(&channels) = sizes.get(1) else {
        return Err(format!(
            "the input has the shape {}; at least two dimensions are needed, the second of which has the channels",
            shape(&sizes)
        ));
    };
    plain_tensors(call)?;
    if let Some(gradient) = call.either("grad_out", "grad_output") {
        need(gradient.size() == sizes, || {
            format!(
                "the gradient has the shape {} and the input {}; they must be equal",
                shape(&gradient.size()),
                shape(&sizes)
            )
        })?;
    }
    let trains = call.truth("training").or_else(|| call.truth("train"));
    let backward = call.row.name.contains("backward");
    let (running, saved) = (
        ["running_mean", "running_var"],
        ["save_mean", "save_invstd", "save_var"],
    );
    let mut wanted = vec!["weight", "bias"];
    wanted.extend(running);
    if backward && trains != Some(false) {
        wanted.extend(saved);
    }
    for name in wanted {
        if let Some(tensor) = call.tensor(name) {
            need(tensor.dim() == 1 && tensor.size() == [channels], || {
                format!(
                    "`{name}` has the shape {}; expected [{channels}], a number for each channel",
                    shape(&tensor.size())
                )
            })?;
        }
    }
    let given = |names: [&str; 2]| names.iter().all(|name| call.tensor(name).is_some());
    let by_statistics = trains == Some(false) || call.row.name.contains("no_update");
    need(!by_statistics || given(running), || {
        "outside of training `running_mean` and `running_var` are needed".to_owned()
    })?;
    if backward && trains == Some(true) {
        let there =
            call.tensor("save_mean").is_some() && call.either("save_invstd", "save_var").is_some();
        need(there, || {
            "in training the saved mean and deviation are needed".to_owned()
        })?;
    }
    Ok(())
}

pub fn padding(call: &Call<'_>) -> Checked {
    let dims = image_dims(call.row.name);
    let (Some(input), Some(padding)) = (call.tensor("input"), call.ints("padding")) else {
        return Ok(());
    };
    need(padding.len() == 2 * dims, || {
        format!(
            "`padding` has {} sizes; expected {}, two for each padded dimension",
            padding.len(),
            2 * dims
        )
    })?;
    plain_tensors(call)?;
    let sizes = input.size();
    need_image(input, dims, "input")?;
    let Some(gradient) = call.tensor("grad_output") else {
        return Ok(());
    };
    // The sizes of padding come for the last dimension first.
    let mut padded = sizes;
    let rank = padded.len();
    for (at, sides) in padding.chunks(2).enumerate() {
        let size = &mut padded[rank - 1 - at];
        *size = size.saturating_add(sides[0]).saturating_add(sides[1]);
    }
    need(gradient.size() == padded, || {
        format!(
            "the gradient has the shape {}; expected {}",
            shape(&gradient.size()),
            shape(&padded)
        )
    })?;
    same_dtype(call, &["input", "grad_output"])
}

pub fn convolution(call: &Call<'_>) -> Checked {
    let dims = image_dims(call.row.name);
    plain_tensors(call)?;
    for (name, least) in [
        ("kernel_size", 1),
        ("stride", 1),
        ("dilation", 1),
        ("padding", 0),
        ("output_padding", 0),
    ] {
        let Some(sizes) = call.ints(name) else {
            continue;
        };
        need(sizes.len() == dims, || {
            format!(
                "`{name}` has {} sizes; expected {dims}, one for each dimension of the image",
                sizes.len()
            )
        })?;
        need(sizes.iter().all(|&size| size >= least), || {
            format!(
                "`{name}` is {}; each size must be {least} or more",
                shape(sizes)
            )
        })?;
    }
    if let Some(input) = call.tensor("input") {
        need_image(input, dims, "input")?;
    }
    if let Some(weight) = call.tensor("weight") {
        need(weight.dim() == dims + 2, || {
            format!(
                "the weight has the shape {}; expected {} dimensions",
                shape(&weight.size()),
                dims + 2
            )
        })?;
    }
    if let Some(gradient) = call.tensor("grad_output") {
        need_image(gradient, dims, "gradient")?;
    }
    same_dtype(call, &["input", "weight", "bias", "grad_output"])
}

pub fn weight_norm(call: &Call<'_>) -> Checked {
    let Some(weight) = call.either("v", "saved_v") else {
        return Ok(());
    };
    plain_tensors(call)?;
    let sizes = weight.size();
    let last = sizes.len() as i64 - 1;
    let dim = call.int("dim").unwrap_or(0);
    need(last >= 0 && (dim == 0 || dim == last), || {
        format!(
            "`dim` is {dim} for a weight of shape {}; expected the first or the last dimension",
            shape(&sizes)
        )
    })?;
    let count = sizes[dim as usize];
    for name in ["g", "saved_g", "saved_norms"] {
        if let Some(tensor) = call.tensor(name) {
            need(tensor.numel() as i64 == count, || {
                format!(
                    "`{name}` has the shape {}; expected {count} numbers, one for each place of dimension {dim}",
                    shape(&tensor.size())
                )
            })?;
        }
    }
    if let Some(gradient) = call.tensor("grad_w") {
        need(gradient.size() == sizes, || {
            format!(
                "the gradient has the shape {} and the weight {}; they must be equal",
                shape(&gradient.size()),
                shape(&sizes)
            )
        })?;
    }
    same_dtype(call, &["v", "g", "saved_v", "saved_g", "grad_w"])
}

pub fn sobol(call: &Call<'_>) -> Checked {
    const BITS: i64 = 30;
    let dimension = call.int("dimension").unwrap_or(0);
    need((1..=21201).contains(&dimension), || {
        format!("`dimension` is {dimension}; expected 1 to 21201")
    })?;
    let begins = call.row.name.contains("initialize") || call.row.name.contains("scramble");
    let matrix = vec![dimension, BITS];
    let wanted: [(&str, Vec<i64>); 4] = [
        (
            "input",
            if begins {
                matrix.clone()
            } else {
                vec![dimension]
            },
        ),
        ("quasi", vec![dimension]),
        ("sobolstate", matrix),
        ("ltm", vec![dimension, BITS, BITS]),
    ];
    for (name, sizes) in wanted {
        if let Some(tensor) = call.tensor(name) {
            let fits = tensor.size() == sizes && tensor.dtype() == number::I64 && is_plain(tensor);
            need(fits, || {
                format!(
                    "`{name}` must be a tensor of i64 of shape {}",
                    shape(&sizes)
                )
            })?;
        }
    }
    Ok(())
}

pub fn two_states(call: &Call<'_>) -> Checked {
    let count = call.tensors("hx").len();
    need(count == 2, || {
        format!("`hx` has {count} tensors; expected two, the hidden state and the cell state")
    })
}

pub fn compressed_indices(call: &Call<'_>) -> Checked {
    plain_tensors(call)?;
    let starts = call.either("crow_indices", "input");
    let Some(starts) = starts else {
        return Ok(());
    };
    let integers = [3, number::I64];
    for (name, tensor) in call.all_tensors() {
        need(name == "out" || integers.contains(&tensor.dtype()), || {
            format!("`{name}` must have the dtype i32 or i64")
        })?;
    }
    same_dtype(call, &["crow_indices", "col_indices"])?;
    let (least, most, columns) = match (call.tensor("col_indices"), call.int("size")) {
        (Some(columns), _) => {
            let count = columns.size().last().copied().unwrap_or(0);
            (0, count, Some(columns))
        }
        (None, Some(size)) => (0, size - 1, None),
        _ => return Ok(()),
    };
    let rows = starts.size();
    let width = rows.last().copied().unwrap_or(0);
    need(
        !rows.is_empty() && (columns.is_none() || width >= 1),
        || {
            format!(
                "the indices have the shape {}; at least one dimension is needed",
                shape(&rows)
            )
        },
    )?;
    if let Some(columns) = columns {
        let batch = |tensor: &Tensor| {
            let mut sizes = tensor.size();
            sizes.pop();
            sizes
        };
        need(batch(columns) == batch(starts), || {
            "the indices of rows and columns must have the same batch".to_owned()
        })?;
    } else {
        need(rows.len() == 1, || {
            format!(
                "the indices have the shape {}; expected one dimension",
                shape(&rows)
            )
        })?;
    }
    let all = numbers(starts)?;
    for row in all.chunks(width.max(1) as usize) {
        let ordered = row.windows(2).all(|pair| pair[0] <= pair[1]);
        let ends = columns.is_none() || (row.first() == Some(&0) && row.last() == Some(&most));
        let inside = row.iter().all(|index| (least..=most).contains(index));
        if columns.is_none() {
            // Rows out of order make no sense, but libtorch answers them and stays within its memory.
            need(inside, || {
                format!("the indices of rows must be from {least} to {most}")
            })?;
        } else {
            need(ordered && inside && ends, || {
                format!("the starts of rows must be in order, from {least} to {most}")
            })?;
        }
    }
    Ok(())
}

pub fn within_memory(call: &Call<'_>) -> Checked {
    plain_tensors(call)?;
    let (Some(input), Some(sizes), Some(strides)) =
        (call.tensor("input"), call.ints("size"), call.ints("stride"))
    else {
        return Ok(());
    };
    need(sizes.len() == strides.len(), || {
        format!(
            "there are {} sizes and {} strides; they must be equal in number",
            sizes.len(),
            strides.len()
        )
    })?;
    need(
        sizes.iter().chain(strides).all(|&number| number >= 0),
        || "sizes and strides must not be negative".to_owned(),
    )?;
    if sizes.contains(&0) {
        return Ok(());
    }
    let last = sizes
        .iter()
        .zip(strides)
        .try_fold(0i64, |sum, (size, stride)| {
            sum.checked_add((size - 1).checked_mul(*stride)?)
        });
    let room = room(input);
    need(last.is_some_and(|last| last < room), || {
        format!(
            "sizes {} and strides {} go beyond the memory of the tensor, which holds {room} elements from its first on",
            shape(sizes),
            shape(strides)
        )
    })
}

pub fn not_quantized(call: &Call<'_>) -> Checked {
    let quantized = call
        .all_tensors()
        .into_iter()
        .find(|(_, tensor)| is_quantized(tensor));
    need(quantized.is_none(), || {
        "the tensor is quantized; `dequantize` makes floats of it".to_owned()
    })
}

pub fn plain_tensors(call: &Call<'_>) -> Checked {
    for (name, tensor) in call.all_tensors() {
        need(is_plain(tensor), || {
            format!(
                "`{name}` is sparse, quantized or in a layout of oneDNN; a plain tensor is needed, as `to_dense` or `dequantize` makes it"
            )
        })?;
    }
    Ok(())
}

pub fn feature_meta(call: &Call<'_>) -> Checked {
    plain_tensors(call)?;
    let (Some(input), Some(batch)) = (call.tensor("input"), call.int("self_num_batch_dims")) else {
        return Ok(());
    };
    need((0..=input.dim() as i64).contains(&batch), || {
        format!(
            "`self_num_batch_dims` is {batch} for a tensor of shape {}; expected 0 to {}",
            shape(&input.size()),
            input.dim()
        )
    })
}

pub fn unchecked_indices(call: &Call<'_>) -> Checked {
    plain_tensors(call)?;
    let Some(input) = call.tensor("input") else {
        return Ok(());
    };
    let sizes = input.size();
    let indices = call.tensors("indices");
    need(indices.len() <= sizes.len(), || {
        format!(
            "there are {} indices for a tensor of shape {}",
            indices.len(),
            shape(&sizes)
        )
    })?;
    for (dim, index) in indices.into_iter().enumerate() {
        let Some(index) = index else { continue };
        let size = sizes[dim];
        for position in numbers(index)? {
            need((-size..size).contains(&position), || {
                format!("index {position} is out of range for dimension {dim} of size {size}")
            })?;
        }
    }
    Ok(())
}

pub fn cholesky_solve(call: &Call<'_>) -> Checked {
    plain_tensors(call)?;
    let (Some(right), Some(factor)) = (call.tensor("input"), call.tensor("A")) else {
        return Ok(());
    };
    let (right, factor) = (right.size(), factor.size());
    let fits = match (right.as_slice(), factor.as_slice()) {
        ([batch @ .., rows, _], [factor_batch @ .., height, width]) => {
            batch == factor_batch && height == width && rows == height
        }
        _ => false,
    };
    need(fits, || {
        format!(
            "a factor of shape {} does not fit a right side of shape {}",
            shape(&factor),
            shape(&right)
        )
    })?;
    same_dtype(call, &["input", "A"])
}

pub fn distances(call: &Call<'_>) -> Checked {
    plain_tensors(call)?;
    let expected = match (call.tensor("input"), call.tensor("x1"), call.tensor("x2")) {
        (Some(input), ..) => match input.size()[..] {
            [rows, _] => vec![rows * (rows - 1) / 2],
            _ => {
                return Err(format!(
                    "the input has the shape {}; expected two dimensions",
                    shape(&input.size())
                ));
            }
        },
        (None, Some(left), Some(right)) => {
            let (left, right) = (left.size(), right.size());
            match (left.as_slice(), right.as_slice()) {
                ([batch @ .., rows, width], [other @ .., others, same])
                    if batch == other && width == same =>
                {
                    [batch, &[*rows, *others]].concat()
                }
                _ => {
                    return Err(format!(
                        "rows of shapes {} and {} have no distances",
                        shape(&left),
                        shape(&right)
                    ));
                }
            }
        }
        _ => return Ok(()),
    };
    for name in ["grad", "pdist", "cdist"] {
        if let Some(tensor) = call.tensor(name) {
            need(tensor.size() == expected, || {
                format!(
                    "`{name}` has the shape {}; expected {}",
                    shape(&tensor.size()),
                    shape(&expected)
                )
            })?;
        }
    }
    same_dtype(call, &["grad", "input", "x1", "x2", "pdist", "cdist"])
}

pub fn same_as_result(call: &Call<'_>) -> Checked {
    let (Some(input), Some(out)) = (call.tensor("input"), call.tensor("out")) else {
        return Ok(());
    };
    plain_tensors(call)?;
    same_dtype(call, &["input", "out"])?;
    let sizes = out.size();
    need(sizes == input.size() || sizes == [0], || {
        format!(
            "the result has the shape {}; expected {}",
            shape(&sizes),
            shape(&input.size())
        )
    })
}

/// The number of dimensions of an image that an operator's name tells: the digit before its `d`.
fn image_dims(name: &str) -> usize {
    match name
        .as_bytes()
        .iter()
        .find(|byte| (b'1'..=b'3').contains(byte))
    {
        Some(digit) => usize::from(digit - b'0'),
        None => 2,
    }
}

/// `dims` dimensions and that of the channels, and perhaps that of a batch.
fn need_image(tensor: &Tensor, dims: usize, what: &str) -> Checked {
    need([dims + 1, dims + 2].contains(&tensor.dim()), || {
        format!(
            "the {what} has the shape {}; expected {} or {} dimensions",
            shape(&tensor.size()),
            dims + 1,
            dims + 2
        )
    })
}

/// The tensors of these parameters, where they are given, have one dtype.
fn same_dtype(call: &Call<'_>, names: &[&str]) -> Checked {
    let mut first: Option<(&str, i32)> = None;
    for name in names {
        let Some(tensor) = call.tensor(name) else {
            continue;
        };
        let dtype = tensor.dtype();
        match first {
            None => first = Some((name, dtype)),
            Some((other, known)) => need(known == dtype, || {
                format!(
                    "`{other}` is of {} and `{name}` of {}; they must have one dtype",
                    device::name_of_dtype(known),
                    device::name_of_dtype(dtype)
                )
            })?,
        }
    }
    Ok(())
}

/// All elements of a tensor of integers.
fn numbers(tensor: &Tensor) -> Result<Vec<i64>, String> {
    tensor
        .to_vec()
        .map_err(|_| "the indices must be integers".to_owned())
}
