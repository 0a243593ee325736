//! `simple bind`: bindings that the checker takes as they are, and that programs call.
//!
//! Where there is no C compiler nothing is tested, which the output says. What bindings look like is tested in `runtime/bind`.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn simple(folder: &Path, words: &[&str]) -> Output {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Command::new(env!("CARGO_BIN_EXE_simple"))
        .env("SIMPLE_HOME", home)
        .env_remove("LIBTORCH_PATH")
        .current_dir(folder)
        .args(words)
        .stdin(Stdio::null())
        .output()
        .expect("simple starts")
}

fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(err)
    )
}

fn headers() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bind/tests/golden");
    fs::canonicalize(folder).expect("the headers of the tests")
}

/// Binds a header into `NAME.spl`; false, with words, if it or the C compiler is not there.
fn bound(folder: &Path, header: &str, words: &[&str], file: &str) -> bool {
    let output = simple(folder, &[&["bind", header, "-o", file], words].concat());
    let said = text(&output);
    if said.contains("cannot run the C compiler") || said.contains("cannot find the header") {
        println!("skipped: {said}");
        return false;
    }
    assert!(output.status.success() && said.contains("bound"), "{said}");
    let checked = simple(folder, &["check", file]);
    assert_eq!(
        (checked.status.code(), text(&checked).as_str()),
        (Some(0), ""),
        "{header}"
    );
    let compared = simple(folder, &["bind", "--check", file]);
    assert!(compared.status.success(), "{}", text(&compared));
    true
}

/// Whether a compiler takes a file, with the header of SFFI; true, after a message, where the compiler is not installed.
fn compiles(compiler: &str, folder: &Path, file: &str) -> bool {
    let sffi = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ffi/abi/include");
    let output = Command::new(compiler)
        .current_dir(folder)
        .args(["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"])
        .arg(sffi)
        .arg(file)
        .output();
    match output {
        Ok(output) => {
            println!("{}", text(&output));
            output.status.success()
        }
        Err(error) => {
            println!("skipped: {compiler}: {error}");
            true
        }
    }
}

#[test]
fn headers_for_modules_are_c_and_cpp() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let torch = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lib/torch/ffi");
    let torch = torch.display().to_string();
    let made = simple(at, &["bind", "--header", &torch, "-o", "simple_torch.h"]);
    let said = text(&made);
    assert!(
        made.status.success() && said.contains("functions declared\n"),
        "{said}"
    );
    let header = fs::read_to_string(at.join("simple_torch.h")).expect("the header");
    for part in [
        "#ifndef SIMPLE_TORCH_H\n",
        "/* The version of libtorch, such as `2.11.0`. */\nSffiBuffer rt_torch_version(void);\n",
        "int64_t rt_torch_tensor_zeros(const int64_t *dims, int64_t dims_length);\n",
    ] {
        assert!(header.contains(part), "{part}");
    }
    // Twice, which the guard allows.
    let source = "#include \"simple_torch.h\"\n#include \"simple_torch.h\"\n";
    for (compiler, file) in [("cc", "all.c"), ("c++", "all.cpp")] {
        fs::write(at.join(file), source).expect("a source");
        assert!(compiles(compiler, at, file));
    }

    // Names of C++, a symbol, what is of plain C; without `-o` it is printed.
    let module = "@Lib(\"words\", symbol: \"words_find\")\n## Finds.\nextern fn find(this: text, new: [f64]?) -> bool\n\
        @Lib(\"c\")\nextern fn strlen(s: cstr) -> i64\n";
    fs::write(at.join("words.spl"), module).expect("a module");
    let printed = simple(at, &["bind", "--header", "words.spl"]);
    let header = String::from_utf8_lossy(&printed.stdout);
    assert!(header.contains("#define WORDS_H\n"), "{header}");
    assert!(
        header.contains(" * words.spl:4: strlen: `cstr` is not a type of SFFI\n"),
        "{header}"
    );
    fs::write(at.join("words.cpp"), &*header).expect("a header");
    assert!(compiles("c++", at, "words.cpp"));
    assert_eq!(
        String::from_utf8_lossy(&printed.stderr),
        "words.spl: 1 function declared, 1 left out: the reasons are at the end of the header\n"
    );

    fs::write(at.join("none.spl"), "extern fn (\n").expect("a module");
    for (path, reason) in [
        ("none.spl", "error: none.spl: none.spl:1: "),
        ("nowhere", "error: cannot read nowhere: "),
    ] {
        let output = simple(at, &["bind", "--header", path]);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output).starts_with(reason), "{}", text(&output));
    }
}

#[test]
fn bindings_pass_the_checker() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    for name in ["shop", "layouts", "unbound"] {
        let header = headers().join(format!("{name}.h"));
        bound(
            at,
            &header.display().to_string(),
            &["--lib", "shop"],
            &format!("{name}.spl"),
        );
    }
    let types = headers().join("shop_types.h").display().to_string();
    bound(at, &types, &["--lib", "shop", "--enums"], "types.spl");
    for (header, lib) in [
        ("math.h", "m"),
        ("stdlib.h", "c"),
        ("stdio.h", "c"),
        ("time.h", "c"),
        ("zlib.h", "z"),
        ("sqlite3.h", "sqlite3"),
        ("png.h", "png16"),
        ("curl/curl.h", "curl"),
        ("signal.h", "c"),
    ] {
        bound(at, header, &["--lib", lib], &format!("{lib}.spl"));
    }
}

#[test]
fn programs_call_what_is_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    if !bound(at, "stdlib.h", &["--lib", "c"], "standard.spl")
        || !bound(at, "math.h", &["--lib", "m"], "numbers.spl")
        || !bound(at, "complex.h", &["--lib", "m"], "planes.spl")
    {
        return;
    }
    let program = "\
use standard.{div, strtol, qsort, EXIT_FAILURE}
use numbers.{hypot, fabs, floor, copysign, M_PI}
use planes.{csqrt, cabsf, complex_double, complex_float}

fn main():
    print fabs(-2.5), floor(-2.5), copysign(1.0, -0.0)
    print csqrt(complex_double(-3.0, 4.0)), cabsf(complex_float(3f32, 4f32))
    print hypot(3.0, 4.0), M_PI > 3.14, div(17, 5).rem, strtol(\"ff\", 16).0, EXIT_FAILURE
    val words = Ptr<i32>.from_array([3, 1, 2])
    qsort(words.cast<()>(), 3, 4, \\a, b: a!.cast<i32>().read() - b!.cast<i32>().read())
    print words.to_array(3)
    words.free()
";
    fs::write(at.join("program.spl"), program).expect("written");
    let output = simple(at, &["program.spl"]);
    let expected =
        "2.5 -3.0 -1.0\ncomplex_double(re: 1.0, im: 2.0) 5.0\n5.0 true 2 255 1\n[1, 2, 3]\n";
    assert_eq!(text(&output), expected);
}

#[test]
fn a_program_uses_sqlite() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    if !bound(at, "sqlite3.h", &["--lib", "sqlite3"], "sqlite3.spl") {
        return;
    }
    let program = "\
use sqlite3 as sq

fn main():
    val (code, db) = sq.sqlite3_open(\":memory:\")
    print code == sq.SQLITE_OK
    print sq.sqlite3_exec(db, \"create table t(a); insert into t values (1), (2), (40)\", nil, nil)
    val (_, statement, rest) = sq.sqlite3_prepare_v2(db, \"select sum(a), 'hi' from t; more\", -1)
    print rest
    while sq.sqlite3_step(statement) == sq.SQLITE_ROW:
        print sq.sqlite3_column_int64(statement, 0), sq.sqlite3_column_text(statement, 1)!.to_text()
    print sq.sqlite3_finalize(statement)
    val (failed, message) = sq.sqlite3_exec(db, \"select nonsense\", nil, nil)
    print failed, message!.to_text()
    sq.sqlite3_free(message!.cast<()>())
    print sq.sqlite3_close(db)
";
    fs::write(at.join("program.spl"), program).expect("written");
    let output = simple(at, &["program.spl"]);
    let expected = "true\n(0, nil)\n more\n43 hi\n0\n1 no such column: nonsense\n0\n";
    assert_eq!(text(&output), expected);
}

#[test]
fn a_program_fetches_with_curl() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    if !bound(at, "curl/curl.h", &["--lib", "curl"], "curl.spl") {
        return;
    }
    let program = "\
use curl.{curl_easy_init, curl_easy_setopt, curl_easy_perform, curl_easy_cleanup, CURLOPT_URL, CURLOPT_WRITEFUNCTION}

# After the option `curl_easy_setopt` takes anything; this is it with a function.
@Lib(\"curl\", symbol: \"curl_easy_setopt\")
extern fn set_writer(curl: Ptr<()>?, option: i32, f: Callback<fn(Ptr<u8>, u64, u64, Ptr<u8>?) -> u64>) -> i32

class Received:
    bytes: [u8] = []
    fn take(data: Ptr<u8>, count: u64) -> u64:
        bytes += data.to_array(count as i64)
        count

fn main(args: [text]):
    val received = Received()
    val writer = Callback(\\data: Ptr<u8>, size: u64, count: u64, user: Ptr<u8>?: received.take(data, size * count))
    val easy = curl_easy_init()
    curl_easy_setopt(easy, CURLOPT_URL, \"file://{args[0]}\")
    set_writer(easy, CURLOPT_WRITEFUNCTION, writer)
    print curl_easy_perform(easy), received.bytes
    curl_easy_cleanup(easy)
";
    fs::write(at.join("program.spl"), program).expect("written");
    let data = at.join("data");
    fs::write(&data, "hello").expect("written");
    let data = data.display().to_string();
    for options in [&[][..], &["--check-ffi"]] {
        let words = [options, &["program.spl", &data]].concat();
        assert_eq!(text(&simple(at, &words)), "0 [104, 101, 108, 108, 111]\n");
    }
}

#[test]
fn an_edited_file_is_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::write(
        at.join("a.h"),
        "int one(const char *name);\nint two(long x);\n",
    )
    .expect("written");
    if !bound(at, "a.h", &["--lib", "a"], "a.spl") {
        return;
    }
    let made = fs::read_to_string(at.join("a.spl")).expect("there");
    let edited = made.replace("cstr?", "cstr").replace("x: i64", "x: i32");
    fs::write(at.join("a.spl"), edited).expect("written");
    let output = simple(at, &["bind", "--check", "a.spl"]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("a.spl:19: different: extern fn two(x: i32) -> i32"),
        "{said}"
    );
    assert!(
        said.contains("the header has: extern fn two(x: i64) -> i32"),
        "{said}"
    );
    assert!(
        said.contains("1 difference, 0 declarations as in the header, 1 edited"),
        "{said}"
    );
}

#[test]
fn what_goes_wrong_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::write(at.join("a.h"), "int one(void);\n").expect("written");
    let fails = |words: &[&str], code: i32, part: &str| {
        let output = simple(at, words);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(part), "{said}");
    };
    fails(&["bind", "a.h"], 2, "--lib");
    fails(
        &["bind", "--check", "none.spl"],
        1,
        "cannot read none.spl: no such file",
    );
    fails(
        &["bind", "--check", "a.h"],
        1,
        "does not say how it was made",
    );
    if bound(at, "a.h", &["--lib", "a"], "a.spl") {
        fails(
            &["bind", "none.h", "--lib", "a"],
            1,
            "cannot find the header `none.h`",
        );
        fails(
            &["bind", "a.h", "--lib", "a", "-o", "no/a.spl"],
            1,
            "cannot write no/a.spl",
        );
    }
}
