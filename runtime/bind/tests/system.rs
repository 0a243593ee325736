//! Bindings of headers of this machine: each is Simple, and how much of it is bound does not shrink.
//!
//! What is not installed is skipped, which the output says. That the checker of the language takes them is a test of the command.

use simple_bind::{Error, Options, bind, check};
use simple_syntax::{FileId, parse};
use std::path::Path;

/// Headers with their library, further headers, and how many of a hundred functions are bound at least.
const HEADERS: [(&str, &str, &[&str], usize); 16] = [
    ("math.h", "m", &[], 64),
    ("complex.h", "m", &[], 66),
    ("poll.h", "c", &[], 50),
    ("gmp.h", "gmp", &[], 100),
    ("fftw3.h", "fftw3", &[], 100),
    ("mpfr.h", "mpfr", &[], 95),
    ("stdlib.h", "c", &[], 90),
    ("stdio.h", "c", &[], 85),
    ("string.h", "c", &[], 100),
    ("time.h", "c", &[], 100),
    ("zlib.h", "z", &["zconf.h"], 95),
    ("sqlite3.h", "sqlite3", &[], 95),
    ("png.h", "png16", &[], 100),
    ("curl/curl.h", "curl", &[], 90),
    ("expat.h", "expat", &[], 100),
    ("lzma.h", "lzma", &[], 100),
];

#[test]
fn headers_of_this_machine() {
    for (header, lib, also, least) in HEADERS {
        let options = Options {
            header: header.to_owned(),
            lib: lib.to_owned(),
            also: also.iter().map(|name| (*name).to_owned()).collect(),
            ..Options::default()
        };
        let bindings = match bind(&options, Path::new(".")) {
            Ok(bindings) => bindings,
            Err(error @ (Error::NoCompiler { .. } | Error::NoHeader { .. })) => {
                println!("skipped: {error}");
                continue;
            }
            Err(error) => panic!("{header}: {error}"),
        };
        println!("{}", bindings.summary);
        // Nothing is lost to the line markers between the tokens of its attributes.
        let is_lost = bindings.text.contains("does not understand");
        assert!(!is_lost, "{header}");
        if header == "math.h" {
            assert!(bindings.text.contains("extern fn fabs(x: f64) -> f64"));
        }
        let (_, diagnostics) = parse(FileId(0), &bindings.text);
        assert_eq!(diagnostics, [], "{header}");
        let summary = &bindings.summary;
        let functions = summary.functions.max(1);
        assert!(summary.bound * 100 / functions >= least, "{summary}");
        let report = check(&bindings.text, &[Path::new(".")]).expect(header);
        assert_eq!(
            (report.differences, report.edited),
            (Vec::new(), 0),
            "{header}"
        );
    }
}
