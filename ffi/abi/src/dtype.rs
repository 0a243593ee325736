//! The dtypes of tensors: the one list of their words and of the numbers that libtorch gives them (`ScalarType`).
//!
//! The configuration (`runtime/bridge`) and the torch library (`ffi/torch`) both read words by it, so what `Tensor.dtype()` says can be
//! written wherever a dtype is expected. What libtorch can do with a dtype is not decided here.

/// A dtype of libtorch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dtype {
    /// The number in libtorch, which is the place in [`DTYPES`].
    pub number: i32,
    /// What `Tensor.dtype()` says: `f32`.
    pub name: &'static str,
    /// The name in Python without `torch.` before it: `float32`.
    pub python: &'static str,
    /// Bytes of an element; 0 for those that are not plain.
    pub width: usize,
    /// Older words of PyTorch that mean the same: `float`.
    pub others: &'static [&'static str],
    /// Whether tensors can be made with it and converted to it. Quantized tensors need a scale, and bits have no operators.
    pub plain: bool,
}

const fn plain(
    number: i32,
    name: &'static str,
    python: &'static str,
    width: usize,
    others: &'static [&'static str],
) -> Dtype {
    Dtype {
        number,
        name,
        python,
        width,
        others,
        plain: true,
    }
}

const fn other(number: i32, name: &'static str) -> Dtype {
    Dtype {
        number,
        name,
        python: name,
        width: 0,
        others: &[],
        plain: false,
    }
}

/// All of them, each at the place of its number.
pub const DTYPES: [Dtype; 30] = [
    plain(0, "u8", "uint8", 1, &[]),
    plain(1, "i8", "int8", 1, &[]),
    plain(2, "i16", "int16", 2, &["short"]),
    plain(3, "i32", "int32", 4, &["int"]),
    plain(4, "i64", "int64", 8, &["long"]),
    plain(5, "f16", "float16", 2, &["half"]),
    plain(6, "f32", "float32", 4, &["float"]),
    plain(7, "f64", "float64", 8, &["double"]),
    plain(8, "c32", "complex32", 4, &["chalf"]),
    plain(9, "c64", "complex64", 8, &["cfloat"]),
    plain(10, "c128", "complex128", 16, &["cdouble"]),
    plain(11, "bool", "bool", 1, &[]),
    other(12, "qint8"),
    other(13, "quint8"),
    other(14, "qint32"),
    plain(15, "bf16", "bfloat16", 2, &[]),
    other(16, "quint4x2"),
    other(17, "quint2x4"),
    other(18, "bits1x8"),
    other(19, "bits2x4"),
    other(20, "bits4x2"),
    other(21, "bits8"),
    other(22, "bits16"),
    plain(23, "f8e5m2", "float8_e5m2", 1, &[]),
    plain(24, "f8e4m3fn", "float8_e4m3fn", 1, &[]),
    plain(25, "f8e5m2fnuz", "float8_e5m2fnuz", 1, &[]),
    plain(26, "f8e4m3fnuz", "float8_e4m3fnuz", 1, &[]),
    plain(27, "u16", "uint16", 2, &[]),
    plain(28, "u32", "uint32", 4, &[]),
    plain(29, "u64", "uint64", 8, &[]),
];

/// The dtype of new tensors where nothing says otherwise.
pub const F32: &Dtype = &DTYPES[6];

/// The words that messages offer: names of all that tensors can be made with, the usual ones first.
pub const WORDS: &str = "f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, bool, c32, c64, c128, \
                         f8e5m2, f8e4m3fn, f8e5m2fnuz, f8e4m3fnuz";

/// The dtype of a word, among those that tensors can be made with: its name here, in Python or in older Python.
pub fn of_word(word: &str) -> Option<&'static Dtype> {
    DTYPES.iter().find(|dtype| {
        dtype.plain && (dtype.name == word || dtype.python == word || dtype.others.contains(&word))
    })
}

/// The dtype of a number of libtorch.
pub fn of_number(number: i64) -> Option<&'static Dtype> {
    DTYPES.get(usize::try_from(number).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dtype_is_at_the_place_of_its_number() {
        for (place, dtype) in DTYPES.iter().enumerate() {
            assert_eq!(dtype.number as usize, place, "{}", dtype.name);
            assert_eq!(of_number(place as i64), Some(dtype));
        }
        assert_eq!(of_number(-1), None);
        assert_eq!(of_number(30), None);
    }

    #[test]
    fn every_word_means_one_dtype() {
        let plain = || DTYPES.iter().filter(|dtype| dtype.plain);
        for dtype in plain() {
            for word in [dtype.name, dtype.python].iter().chain(dtype.others) {
                assert_eq!(of_word(word), Some(dtype), "{word}");
            }
        }
        assert_eq!(of_word("qint8"), None);
        assert_eq!(of_word(""), None);
    }

    #[test]
    fn messages_offer_all_of_them() {
        let mut offered: Vec<&str> = WORDS.split(", ").collect();
        let mut names: Vec<&str> = DTYPES.iter().filter(|d| d.plain).map(|d| d.name).collect();
        offered.sort_unstable();
        names.sort_unstable();
        assert_eq!(offered, names);
    }
}
