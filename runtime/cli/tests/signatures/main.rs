//! Random signatures of foreign functions: C and Simple are written from one description, call each other with values that include the
//! edges, and compare everything that crosses.
//!
//! A signature has up to 12 parameters of every kind that can cross, and any result: numbers of every width, texts, addresses, arrays,
//! parameters that come back, structs, unions and enums by value and in memory, objects that are freed, functions that C calls
//! with signatures of their own, and a variable number of arguments. `types.rs` has types and values, `function.rs` the functions.
//!
//! `SIGNATURES_RUN=100000` tries so many instead of the few of every test run, `SIGNATURES_FROM=N` begins at number N, a multiple of
//! what one program has. A program that finds a difference is kept in the folder that the test names.
//! `layout.rs` compares layouts of records alone, also with compilers for processors that this machine does not have.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod function;
mod layout;
#[path = "../random/mod.rs"]
mod random;
mod types;

use function::Function;
use random::Random;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use types::Pool;

/// How many signatures every test run tries.
const USUAL: u64 = 400;
/// How many are in one program.
const EACH: u64 = 200;
/// One program of so many is run with `--check-ffi` too.
const GUARDED: u64 = 10;

/// What both sides need beside the functions.
const C_HEAD: &str = r#"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int64_t ran, alive;
struct handle;
struct owned { int64_t value; };
static void bad(int function, int what) { printf("C: function %d, place %d\n", function, what); fflush(stdout); }
float float_of(uint32_t bits) { float f; memcpy(&f, &bits, 4); return f; }
double double_of(uint64_t bits) { double d; memcpy(&d, &bits, 8); return d; }
uint32_t float_bits(float f) { uint32_t bits; memcpy(&bits, &f, 4); return bits; }
uint64_t double_bits(double d) { uint64_t bits; memcpy(&bits, &d, 8); return bits; }
void *handle_of(uint64_t bits) { return (void *)bits; }
uint64_t handle_bits(void *handle) { return (uint64_t)handle; }
struct owned *owned_new(int64_t value) { struct owned *o = malloc(sizeof *o); o->value = value; alive++; return o; }
int64_t owned_value(struct owned *o) { return o->value; }
void owned_free(struct owned *o) { alive--; free(o); }
int64_t how_many_ran(void) { return ran; }
int64_t how_many_live(void) { return alive; }
"#;
const SIMPLE_HEAD: &str = r#"
extern type Handle
@frees(owned_free)
extern type Owned
@Lib("signatures")
extern fn owned_free(o: Owned)
@Lib("signatures")
extern fn owned_new(value: i64) -> Owned
@Lib("signatures")
extern fn owned_value(o: Owned) -> i64
@Lib("signatures")
extern fn float_of(bits: u32) -> f32
@Lib("signatures")
extern fn double_of(bits: u64) -> f64
@Lib("signatures")
extern fn float_bits(f: f32) -> u32
@Lib("signatures")
extern fn double_bits(d: f64) -> u64
@Lib("signatures")
extern fn handle_of(bits: u64) -> Handle
@Lib("signatures")
extern fn handle_bits(handle: Handle) -> u64
@Lib("signatures")
extern fn how_many_ran() -> i64
@Lib("signatures")
extern fn how_many_live() -> i64
val nothing = ""
fn joined(s: text) -> text: s + nothing
fn hold<T>(_kept: T): pass
fn differs(function: i64, what: i64): print "Simple: function {function}, place {what}"
"#;

fn number_from(name: &str, usual: u64) -> u64 {
    let set = std::env::var(name).ok();
    set.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Writes, compiles and runs one program; what differs, as text.
fn try_program(from: u64, count: u64, folder: &Path) -> Result<(), String> {
    let mut random = Random::new((from + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let pool = Pool::new(&mut random);
    let (simple_types, c_types) = pool.declare();
    let mut simple = format!("# Written by a test.\n{SIMPLE_HEAD}{simple_types}");
    let mut c = format!("{C_HEAD}{c_types}");
    let mut main = String::from("fn main():\n");
    for number in from..from + count {
        let function = Function::new(number, &mut random, &pool);
        function.c(&pool, &mut c);
        function.simple(&pool, &mut simple);
        let _ = writeln!(main, "    t{number}()");
    }
    let _ = writeln!(simple, "{main}    print how_many_ran(), how_many_live()");
    let (program, source) = (folder.join("signatures.spl"), folder.join("signatures.c"));
    std::fs::write(&program, simple).expect("a writable folder");
    std::fs::write(&source, c).expect("a writable folder");
    let compiled = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
        .args(["-shared", "-fPIC", "-O1", "-w", "-o"])
        .args([folder.join("libsignatures.so"), source])
        .output()
        .expect("a C compiler");
    if !compiled.status.success() {
        return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    run(&program, count, &[])?;
    // Guards must not change what crosses.
    match (from / EACH).is_multiple_of(GUARDED) {
        true => run(&program, count, &["--check-ffi"]),
        false => Ok(()),
    }
}

/// Runs a program; what differs, as text.
fn run(program: &Path, count: u64, options: &[&str]) -> Result<(), String> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_simple"))
        .args(options)
        .arg(program)
        .env("SIMPLE_HOME", home)
        .env("LD_LIBRARY_PATH", program.with_file_name(""))
        .env("SIMPLE_CHECK_LEAKS", "1")
        .stdin(Stdio::null())
        .output()
        .expect("simple starts");
    let said = String::from_utf8_lossy(&output.stdout);
    match said == format!("{count} 0\n") && output.status.success() {
        true => Ok(()),
        false => {
            let errors = String::from_utf8_lossy(&output.stderr);
            Err(format!("{options:?} {}\n{said}{errors}", output.status))
        }
    }
}

#[test]
fn random_signatures_cross_alike() {
    let (from, count) = (
        number_from("SIGNATURES_FROM", 0),
        number_from("SIGNATURES_RUN", USUAL),
    );
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("signatures-{from}"));
    let mut found = Vec::new();
    for first in (from..from + count).step_by(EACH as usize) {
        let folder = home.join(first.to_string());
        std::fs::create_dir_all(&folder).expect("a writable folder");
        match try_program(first, EACH.min(from + count - first), &folder) {
            Ok(()) => std::fs::remove_dir_all(&folder).expect("a folder that can be removed"),
            Err(difference) => {
                let shown: String = difference
                    .lines()
                    .take(20)
                    .map(|line| format!("{line}\n"))
                    .collect();
                eprintln!("{}: {shown}", folder.display());
                found.push(folder);
            }
        }
    }
    assert!(
        found.is_empty(),
        "{} programs of {count} signatures differ: {found:?}",
        found.len()
    );
}

#[test]
fn layouts_are_those_of_c_compilers() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let own = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    for compiler in [own.as_str(), "clang", "aarch64-linux-gnu-gcc"] {
        match layout::compare(compiler, folder) {
            Some(records) => {
                println!("{compiler} has the same layout for each of {records} records");
                assert!(records >= 400);
            }
            None => println!("`{compiler}` is not installed; layouts are not compared with it"),
        }
    }
}
