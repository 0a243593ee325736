//! Does nothing: a package without a build script has no build dependencies.

fn main() {}
