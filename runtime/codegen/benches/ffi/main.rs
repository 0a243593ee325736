//! 100 million calls of a C function `i64 -> i64` in a shared library: compiled code against LuaJIT's FFI, in one run.
//!
//! The loop is what a program's `while` becomes, error edges included; the function is bound at its first call and, having no
//! manifest, compiled to be looked at for failures after every call. See `README.md` for how to run it.

use simple_image::{Binder, BoundExtern, Executable, Outcome};
use simple_middle::mir::{
    BinOp, Block, BlockId, CParam, CmpOp, Const, Convention, Extern, ExternId, ExternKind, Fail,
    Failure, FnId, Function, Inst, MTy, Module, Site, SiteId, Term, Var,
};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

const CALLS: i64 = 100_000_000;

/// `x = f(x)` as many times as asked; returns `x`.
fn program(calls: i64, failure: Failure, address: Option<usize>) -> Module {
    let [n, x, zero, one, more] = [0, 1, 2, 3, 4].map(Var);
    let block = |insts, term, cold| Block { insts, term, cold };
    let fail = Fail {
        site: SiteId(0),
        unwind: BlockId(4),
    };
    let blocks = vec![
        block(
            vec![
                Inst::Const(n, Const::Int(calls)),
                Inst::Const(x, Const::Int(0)),
                Inst::Const(zero, Const::Int(0)),
                Inst::Const(one, Const::Int(1)),
            ],
            Term::Jump(BlockId(1)),
            false,
        ),
        block(
            vec![Inst::Cmp(more, CmpOp::Gt, n, zero)],
            Term::Branch(more, BlockId(2), BlockId(3)),
            false,
        ),
        block(
            vec![
                Inst::CallExtern {
                    dsts: vec![x],
                    func: ExternId(0),
                    args: vec![x],
                    fail,
                },
                Inst::Bin(n, BinOp::Sub, n, one),
            ],
            Term::Jump(BlockId(1)),
            false,
        ),
        block(vec![], Term::Return(vec![x]), false),
        block(vec![], Term::Propagate, true),
    ];
    let main = Function {
        name: "main".into(),
        vars: vec![MTy::I64, MTy::I64, MTy::I64, MTy::I64, MTy::I8],
        params: vec![],
        results: vec![MTy::I64],
        blocks,
        slots: vec![],
        can_fail: true,
        checks_stack: false,
        quick: false,
        part: false,
        convention: Convention::Simple,
        on_stack: Vec::new(),
        site: None,
    };
    let int = CParam::new(MTy::I64, true);
    let ext = Extern {
        name: "bench_add_one".into(),
        symbol: "bench_add_one".into(),
        library: Some("bench".into()),
        kind: ExternKind::Function,
        params: vec![int],
        results: vec![int],
        declared: (vec!["i64".into()], "i64".into()),
        address,
        failure,
        slow: false,
        pure: false,
        curve: None,
        site: SiteId(0),
    };
    Module {
        funcs: vec![main],
        externs: vec![ext],
        sites: vec![Site {
            func: FnId(0),
            span: simple_syntax::Span::default(),
        }],
        entry: Some(FnId(0)),
        ..Module::default()
    }
}

struct Fixed(usize);

impl Binder for Fixed {
    fn bind(&self, _: &Extern) -> Result<BoundExtern, String> {
        Ok(BoundExtern {
            address: self.0,
            failure: Failure::Never,
        })
    }
}

fn compiled(address: usize, failure: Failure, known: bool) -> Result<Duration, Box<dyn Error>> {
    let module = program(CALLS, failure, known.then_some(address));
    let image = simple_codegen::compile(module, &Default::default())?;
    let executable = Executable::new(image, Arc::default(), Box::new(Fixed(address)))?;
    let start = processor_time();
    let outcome = executable.run();
    let time = processor_time() - start;
    if outcome != Outcome::Exit(CALLS) {
        return Err(format!("the program ended with {outcome:?}").into());
    }
    Ok(time)
}

fn luajit(script: &Path, library: &Path) -> Result<Duration, Box<dyn Error>> {
    let output = Command::new("luajit")
        .arg(script)
        .arg(library)
        .arg(CALLS.to_string())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(Duration::from_secs_f64(
        String::from_utf8(output.stdout)?.trim().parse()?,
    ))
}

fn main() -> Result<(), Box<dyn Error>> {
    let rounds = std::env::args()
        .skip(1)
        .find_map(|arg| arg.parse().ok())
        .unwrap_or(5);
    let here = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/ffi"));
    let folder = std::env::temp_dir().join(format!("simple-bench-ffi-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let library = folder.join("libbench.so");
    let source = here.join("call.c");
    let status = Command::new("cc")
        .args(["-O2", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(source)
        .status()?;
    if !status.success() {
        return Err("cc failed".into());
    }
    let loaded = load(&library)?;
    let mut best = [Duration::MAX; 4];
    for _ in 0..rounds {
        let times = [
            compiled(loaded, Failure::Flag, false)?,
            compiled(loaded, Failure::Never, false)?,
            compiled(loaded, Failure::Never, true)?,
            luajit(&here.join("call.lua"), &library)?,
        ];
        for (best, time) in best.iter_mut().zip(times) {
            *best = time.min(*best);
        }
    }
    let names = [
        "Simple, bound late, failures looked for",
        "Simple, bound late",
        "Simple, address known",
        "LuaJIT FFI",
    ];
    for (name, time) in names.iter().zip(best) {
        let nanoseconds = time.as_secs_f64() * 1e9 / CALLS as f64;
        println!(
            "{name:<42} {nanoseconds:6.2} ns per call, {:.3} s",
            time.as_secs_f64()
        );
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// What this process has used of a processor; LuaJIT's `os.clock` is the same, so other programs disturb both alike.
#[allow(unsafe_code, reason = "asks the system for the time")]
fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a `timespec` of this frame. A failure leaves it zero, which the results would show.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The address of the function in the library, which stays open.
#[allow(
    unsafe_code,
    reason = "opens a library that this benchmark has just compiled"
)]
fn load(library: &Path) -> Result<usize, Box<dyn Error>> {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;
    let path = CString::new(library.as_os_str().as_bytes())?;
    // SAFETY: the path is a C string, and the library, made from `call.c`, runs nothing when it is opened.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        return Err("the library cannot be opened".into());
    }
    // SAFETY: the handle is open, the name is a C string.
    let address = unsafe { libc::dlsym(handle, c"bench_add_one".as_ptr()) };
    if address.is_null() {
        Err("the function is missing".into())
    } else {
        Ok(address as usize)
    }
}
