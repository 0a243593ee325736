//! A number of either type, as libraries in Rust take it ([`crate::SffiType::Scalar`]).

/// An integer or a float.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scalar {
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
}

impl Scalar {
    /// From its two C parameters.
    #[inline]
    pub fn of(bits: i64, is_float: u8) -> Scalar {
        match is_float {
            0 => Scalar::Int(bits),
            _ => Scalar::Float(f64::from_bits(bits as u64)),
        }
    }
}
