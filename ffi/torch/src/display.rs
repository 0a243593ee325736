//! A tensor as PyTorch prints it: `tensor([[1., 2.], [3., 4.]], grad_fn=<AddBackward0>)`, after `torch/_tensor_str.py` of PyTorch 2.11 with its default options.
//!
//! Four places after the point, lines of 80 characters, and above 1000 elements only the first and last three of each dimension, which alone are
//! read then. Left out: sparse, quantized and nested tensors, which this library does not make.

use crate::libtorch::{Device, NoGrad, Tensor};
use simple_ffi_abi::dtype;

use crate::capture;
use crate::device::{self, name_of_dtype, number};
use crate::error::{ShimError, TorchError};
use crate::shim;
use crate::tensor::with;

const PRECISION: usize = 4;
const LINE_WIDTH: usize = 80;
const EDGE_ITEMS: usize = 3;
/// The number of elements above which a tensor is summarized.
const THRESHOLD: i64 = 1000;

const PREFIX: &str = "tensor(";

/// The text of a tensor.
pub fn to_text(handle: i64) -> Result<String, TorchError> {
    let op = "to_string";
    capture::refuse(op, capture::READING)?;
    with(op, handle, |tensor| {
        text(tensor).map_err(|why| TorchError::on_tensors(op, &[tensor], &why))
    })
}

fn text(tensor: &Tensor) -> Result<String, ShimError> {
    let _no_gradients = NoGrad::begin();
    let dtype = tensor.dtype();
    let python = dtype::of_number(dtype.into()).map_or("unknown", |dtype| dtype.python);
    let shape: Vec<usize> = tensor.size().iter().map(|&size| size as usize).collect();
    let mut suffixes = Vec::new();
    if tensor.device() != Device::Cpu {
        suffixes.push(format!("device='{}'", device::name(tensor.device())));
    }
    let body = if shape.contains(&0) {
        if shape.len() != 1 {
            let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
            suffixes.push(format!("size=({})", sizes.join(", ")));
        }
        if dtype != number::F32 {
            suffixes.push(format!("dtype=torch.{python}"));
        }
        "[]".to_owned()
    } else {
        // Those that PyTorch makes from numbers without being told a dtype.
        if !["float32", "complex64", "int64", "bool"].contains(&python) {
            suffixes.push(format!("dtype=torch.{python}"));
        }
        elements(tensor, &shape)?
    };
    if let Some(name) = shim::grad_fn_name(tensor) {
        suffixes.push(format!("grad_fn=<{name}>"));
    } else if tensor.requires_grad() {
        suffixes.push("requires_grad=True".to_owned());
    }
    Ok(with_suffixes(format!("{PREFIX}{body}"), &suffixes))
}

/// Appends the suffixes, each on the last line if it fits there.
fn with_suffixes(mut text: String, suffixes: &[String]) -> String {
    // PyTorch counts from one before the line's first character.
    let mut last_line = match text.rfind('\n') {
        Some(at) => text.len() - at + 1,
        None => text.len() + 2,
    };
    for suffix in suffixes {
        if last_line + suffix.len() + 2 > LINE_WIDTH {
            text.push_str(",\n");
            text.push_str(&" ".repeat(PREFIX.len()));
            last_line = PREFIX.len() + suffix.len();
        } else {
            text.push_str(", ");
            last_line += suffix.len() + 2;
        }
        text.push_str(suffix);
    }
    text.push(')');
    text
}

/// The elements that are shown, in brackets.
fn elements(tensor: &Tensor, shape: &[usize]) -> Result<String, ShimError> {
    let summarize = shape.iter().product::<usize>() as i64 > THRESHOLD;
    let mut shown = tensor.detach()?;
    if summarize {
        for (dim, &size) in shape.iter().enumerate() {
            if size > 2 * EDGE_ITEMS {
                let (size, edge) = (size as i64, EDGE_ITEMS as i64);
                let kept: Vec<i64> = (0..edge).chain(size - edge..size).collect();
                let kept = Tensor::from_slice(&kept)?.to_device(tensor.device())?;
                shown = shown.index_select(dim as i64, &kept)?;
            }
        }
    }
    let words = words(&shown.to_device(Device::Cpu)?)?;
    let layout = Layout {
        shape,
        summarize,
        words: &words.texts,
        width: words.width,
    };
    if shape.is_empty() {
        return Ok(words.texts.concat());
    }
    let mut out = String::new();
    let mut next = 0;
    layout.write(0, PREFIX.len(), &mut next, &mut out);
    Ok(out)
}

/// The formatted elements and the width that a line counts for each.
struct Words {
    texts: Vec<String>,
    width: usize,
}

fn words(shown: &Tensor) -> Result<Words, ShimError> {
    let dtype = shown.dtype();
    let name = name_of_dtype(dtype);
    match name.as_bytes().first() {
        Some(b'c') => {
            let pairs = shown
                .to_dtype(number::C128)?
                .resolve_conj()?
                .resolve_neg()?
                .contiguous()?
                .view_as_real()?;
            let numbers = pairs.to_vec::<f64>()?;
            let part = |offset: usize| -> Vec<f64> {
                numbers.iter().skip(offset).step_by(2).copied().collect()
            };
            let (real, imaginary) = (part(0), part(1));
            let (of_real, of_imaginary) = (Format::of(&real), Format::of(&imaginary));
            let texts = real.iter().zip(&imaginary).map(|(&real, &imaginary)| {
                let tail = format!("{}j", of_imaginary.write(imaginary));
                let tail = tail.trim_start();
                let sign = if tail.starts_with(['-', '+']) {
                    ""
                } else {
                    "+"
                };
                format!("{}{sign}{tail}", of_real.write(real))
            });
            Ok(Words {
                texts: texts.collect(),
                width: of_real.width + of_imaginary.width + 1,
            })
        }
        Some(b'f') | Some(b'b') if dtype != number::BOOL => {
            let numbers = shown.to_vec::<f64>()?;
            let format = Format::of(&numbers);
            Ok(Words {
                texts: numbers.iter().map(|&x| format.write(x)).collect(),
                width: format.width,
            })
        }
        _ => {
            let numbers = shown.to_vec::<i64>()?;
            let texts: Vec<String> = match name {
                "bool" => numbers
                    .iter()
                    .map(|&x| if x == 0 { "False" } else { "True" }.to_owned())
                    .collect(),
                // The bits of what is above all of i64 come through as they are.
                "u64" => numbers.iter().map(|&x| (x as u64).to_string()).collect(),
                _ => numbers.iter().map(i64::to_string).collect(),
            };
            let width = texts.iter().map(String::len).max().unwrap_or(1);
            Ok(Words {
                texts: texts
                    .into_iter()
                    .map(|text| format!("{text:>width$}"))
                    .collect(),
                width,
            })
        }
    }
}

/// How the floats of a tensor are written, the same for all.
struct Format {
    /// All are integers, so that nothing follows the point.
    integers: bool,
    scientific: bool,
    width: usize,
}

impl Format {
    fn of(numbers: &[f64]) -> Format {
        let mut format = Format {
            integers: true,
            scientific: false,
            width: 1,
        };
        let counted: Vec<f64> = numbers
            .iter()
            .copied()
            .filter(|x| x.is_finite() && *x != 0.0)
            .collect();
        if counted.is_empty() {
            return format;
        }
        let least = counted.iter().fold(f64::INFINITY, |m, x| m.min(x.abs()));
        let greatest = counted.iter().fold(0f64, |m, x| m.max(x.abs()));
        format.integers = counted.iter().all(|x| *x == x.ceil());
        format.scientific = greatest / least > 1000.0 || greatest > 1.0e8 || least < 1.0e-4;
        let widths = counted.iter().map(|&x| format.plain(x).len());
        format.width = widths.max().unwrap_or(1);
        format
    }

    fn write(&self, x: f64) -> String {
        format!("{:>width$}", self.plain(x), width = self.width)
    }

    fn plain(&self, x: f64) -> String {
        if x.is_nan() {
            "nan".to_owned()
        } else if x.is_infinite() {
            if x > 0.0 { "inf" } else { "-inf" }.to_owned()
        } else if self.scientific {
            scientific(x)
        } else if self.integers {
            format!("{x:.0}.")
        } else {
            format!("{x:.PRECISION$}")
        }
    }
}

/// `1.0000e-05`: an exponent of at least two digits with its sign.
fn scientific(x: f64) -> String {
    let text = format!("{x:.PRECISION$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    match exponent.strip_prefix('-') {
        Some(size) => format!("{digits}e-{size:0>2}"),
        None => format!("{digits}e+{exponent:0>2}"),
    }
}

/// Elements to be put into brackets and lines.
struct Layout<'a> {
    shape: &'a [usize],
    summarize: bool,
    words: &'a [String],
    width: usize,
}

impl Layout<'_> {
    /// Writes the part of dimension `dim` that begins with word `next`.
    fn write(&self, dim: usize, indent: usize, next: &mut usize, out: &mut String) {
        let size = self.shape[dim];
        let cut = self.summarize && size > 2 * EDGE_ITEMS;
        let shown = if cut { 2 * EDGE_ITEMS } else { size };
        out.push('[');
        if dim + 1 == self.shape.len() {
            let words = &self.words[*next..*next + shown];
            *next += shown;
            self.write_row(words, cut, indent, out);
        } else {
            let between = format!(
                ",{}{}",
                "\n".repeat(self.shape.len() - dim - 1),
                " ".repeat(indent + 1)
            );
            for part in 0..shown {
                if part > 0 {
                    out.push_str(&between);
                }
                if cut && part == EDGE_ITEMS {
                    out.push_str("...");
                    out.push_str(&between);
                }
                self.write(dim + 1, indent + 1, next, out);
            }
        }
        out.push(']');
    }

    fn write_row(&self, words: &[String], cut: bool, indent: usize, out: &mut String) {
        let mut items: Vec<&str> = words.iter().map(String::as_str).collect();
        if cut {
            items.insert(EDGE_ITEMS, " ...");
        }
        let per_line = (LINE_WIDTH.saturating_sub(indent) / (self.width + 2)).max(1);
        for (number, line) in items.chunks(per_line).enumerate() {
            if number > 0 {
                out.push_str(",\n");
                out.push_str(&" ".repeat(indent + 1));
            }
            out.push_str(&line.join(", "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_have_a_sign_and_two_digits() {
        assert_eq!(scientific(0.00001), "1.0000e-05");
        assert_eq!(scientific(-1.5e120), "-1.5000e+120");
        assert_eq!(scientific(0.0), "0.0000e+00");
    }

    #[test]
    fn suffixes_that_do_not_fit_get_a_line() {
        let long = "x".repeat(70);
        let text = with_suffixes(format!("tensor({long}"), &["dtype=torch.int8".to_owned()]);
        assert_eq!(text, format!("tensor({long},\n       dtype=torch.int8)"));
    }
}
