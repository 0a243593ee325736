//! Tensors cut out of the storages of a `.pth` file: views with offset, sizes and strides become numbers in row order.
//!
//! Claims of a file are checked before anything is allocated: a view must be within its storage, and all views together may not be
//! larger than the file by more than a factor, whatever `expand` repeats.

use simple_system::memory;

use super::pickle::View;
use super::plain::{Plain, byte_count};
use super::source::Fault;

/// Checks views before the first one is cut out of a file of this many bytes.
pub fn check_all(views: &[(String, View)], length: u64) -> Result<(), Fault> {
    let mut total: u64 = 0;
    for (name, view) in views {
        check(view).map_err(|why| Fault::tensor(name, why))?;
        total = total.saturating_add(
            byte_count(view.storage.element, &view.dims).unwrap_or(usize::MAX) as u64,
        );
    }
    let most = length.saturating_mul(8).saturating_add(64 << 20);
    if total > most {
        return Err(Fault::whole(format!(
            "its tensors would take {total} bytes, but the file has only {length}; save `tensor.contiguous()` of those that repeat \
             their numbers"
        )));
    }
    Ok(())
}

/// Checks that a view is within its storage.
fn check(view: &View) -> Result<(), String> {
    let count = view
        .dims
        .iter()
        .try_fold(1usize, |count, &size| count.checked_mul(size));
    if view.dims.contains(&0) {
        return Ok(());
    }
    let last =
        view.dims
            .iter()
            .zip(&view.strides)
            .try_fold(view.offset, |last, (&size, &stride)| {
                (size - 1)
                    .checked_mul(stride)
                    .and_then(|more| last.checked_add(more))
            });
    match (count, last) {
        (Some(_), Some(last)) if last < view.storage.count => Ok(()),
        _ => Err(format!(
            "shape {:?} with strides {:?} from number {} is not within its storage of {} numbers",
            view.dims, view.strides, view.offset, view.storage.count
        )),
    }
}

/// The numbers of a checked view in row order, out of the bytes that the file has for its storage.
pub fn cut(name: &str, view: &View, bytes: &[u8]) -> Result<Plain, Fault> {
    let width = view.storage.element.width();
    // Each tensor states how long the storage is; what counts is its actual length.
    let (start, needed) = (
        view.storage.start.saturating_mul(width),
        view.storage.count.saturating_mul(width),
    );
    let Some(storage) = bytes.get(start..start.saturating_add(needed)) else {
        return Err(Fault::tensor(
            name,
            format!(
                "its storage `{}` should have {} bytes, but has {}",
                view.storage.key,
                start.saturating_add(needed),
                bytes.len()
            ),
        ));
    };
    let mut plain = in_order(view, storage)?;
    change_signs(&mut plain, view).map_err(|why| Fault::tensor(name, why))?;
    Ok(plain)
}

/// What a tensor that is a conjugate, or has the other sign, by a note alone: PyTorch computes such only when it has to.
fn change_signs(plain: &mut Plain, view: &View) -> Result<(), String> {
    let element = plain.element;
    if !view.conjugate && !view.negative {
        return Ok(());
    }
    if !element.has_sign_bit() || (view.conjugate && !element.is_complex()) {
        return Err(format!(
            "numbers of {} have neither a conjugate nor another sign by a note alone",
            element.name()
        ));
    }
    let (width, part) = (element.width(), element.part_width());
    for number in plain.bytes.chunks_exact_mut(width) {
        for (at, part) in number.chunks_exact_mut(part).enumerate() {
            if let Some(last) = part.last_mut()
                && view.negative ^ (view.conjugate && at == 1)
            {
                *last ^= 0x80;
            }
        }
    }
    Ok(())
}

fn in_order(view: &View, storage: &[u8]) -> Result<Plain, Fault> {
    let width = view.storage.element.width();
    let mut bytes = Vec::new();
    if !view.dims.contains(&0) {
        let (dims, strides) = merged(view);
        let count: usize = dims.iter().product();
        bytes = memory::with_room(count * width)?;
        let (run, step) = match (dims.last(), strides.last()) {
            (Some(&run), Some(&step)) => (run, step),
            _ => (1, 1),
        };
        let outer = dims.len().saturating_sub(1);
        let mut index = vec![0; outer];
        let mut start = view.offset;
        loop {
            if step == 1 {
                bytes.extend_from_slice(&storage[start * width..(start + run) * width]);
            } else {
                for k in 0..run {
                    let at = (start + k * step) * width;
                    bytes.extend_from_slice(&storage[at..at + width]);
                }
            }
            // The next row: count up the outer indices, the last one first.
            let mut dim = outer;
            loop {
                if dim == 0 {
                    return Ok(Plain {
                        element: view.storage.element,
                        dims: view.dims.clone(),
                        bytes,
                    });
                }
                dim -= 1;
                index[dim] += 1;
                start += strides[dim];
                if index[dim] < dims[dim] {
                    break;
                }
                start -= strides[dim] * dims[dim];
                index[dim] = 0;
            }
        }
    }
    Ok(Plain {
        element: view.storage.element,
        dims: view.dims.clone(),
        bytes,
    })
}

/// Dimensions and strides with neighbours joined that are adjacent, so that rows are as long as can be.
fn merged(view: &View) -> (Vec<usize>, Vec<usize>) {
    let (mut dims, mut strides): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for (&size, &stride) in view.dims.iter().zip(&view.strides) {
        if size == 1 {
            continue;
        }
        match (dims.last_mut(), strides.last_mut()) {
            (Some(outer), Some(outer_stride)) if *outer_stride == stride.saturating_mul(size) => {
                *outer *= size;
                *outer_stride = stride;
            }
            _ => {
                dims.push(size);
                strides.push(stride);
            }
        }
    }
    (dims, strides)
}
