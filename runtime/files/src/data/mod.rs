//! Files of data: `csv`, `image`, `idx` are one module per format; `fetch` brings files from the network, `digits` makes some.
//!
//! Files are read with `save::source`, which does not believe what they claim. `lib/data` says what a data set is.

pub mod csv;
pub mod digits;
pub mod fetch;
pub mod idx;
pub mod image;
pub mod random;

#[cfg(test)]
mod fetch_tests;
#[cfg(test)]
mod tests;
