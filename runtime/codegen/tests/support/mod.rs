//! A small builder of typed programs, for tests that need no front end.

#![allow(dead_code, reason = "each test file uses a part of it")]

use simple_sema::typed::*;
use simple_syntax::{SourceMap, Span, Symbol};
use std::sync::Arc;

/// Builds a typed program.
pub struct Build {
    pub program: Program,
}

pub fn expr(ty: TyId, kind: ExprKind) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}

pub fn int(value: i64) -> Expr {
    expr(TyId::I64, ExprKind::Int(value))
}

pub fn text(value: &str) -> Expr {
    expr(TyId::TEXT, ExprKind::Text(value.to_string()))
}

pub fn local(ty: TyId, index: u32) -> Expr {
    expr(ty, ExprKind::Local(LocalId(index)))
}

pub fn arith(op: ArithOp, a: Expr, b: Expr) -> Expr {
    expr(a.ty, ExprKind::Arith(op, Box::new(a), Box::new(b)))
}

pub fn compare(op: CompareOp, a: Expr, b: Expr) -> Expr {
    expr(TyId::BOOL, ExprKind::Compare(op, Box::new(a), Box::new(b)))
}

pub fn if_else(cond: Expr, then: Expr, otherwise: Expr) -> Expr {
    let ty = then.ty;
    expr(
        ty,
        ExprKind::If {
            cond: Box::new(Cond::Expr(cond)),
            then: Box::new(then),
            otherwise: Some(Box::new(otherwise)),
        },
    )
}

pub fn call(func: u32, ret: TyId, args: Vec<Expr>) -> Expr {
    expr(ret, ExprKind::Call(FuncId(func), args))
}

pub fn block(stmts: Vec<Stmt>) -> Expr {
    expr(TyId::UNIT, ExprKind::Block(stmts, None))
}

pub fn block_value(stmts: Vec<Stmt>, tail: Expr) -> Expr {
    expr(tail.ty, ExprKind::Block(stmts, Some(Box::new(tail))))
}

pub fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Span::default(),
    }
}

pub fn do_(expr: Expr) -> Stmt {
    stmt(StmtKind::Expr(expr))
}

pub fn let_(index: u32, value: Expr) -> Stmt {
    stmt(StmtKind::Let(LocalId(index), value))
}

pub fn print(value: Expr) -> Stmt {
    let text = match value.ty {
        TyId::TEXT => value,
        _ => expr(TyId::TEXT, ExprKind::ToText(Box::new(value))),
    };
    do_(expr(
        TyId::UNIT,
        ExprKind::Intrinsic(Intrinsic::Print, vec![text]),
    ))
}

pub fn place(ty: TyId, index: u32, path: Vec<PlaceStep>) -> Place {
    Place {
        root: PlaceRoot::Local(LocalId(index)),
        path,
        ty,
        span: Span::default(),
    }
}

pub fn update(op: Update, place: Place, ty: TyId, args: Vec<Expr>) -> Expr {
    expr(ty, ExprKind::Update(op, place, args))
}

pub fn interpolate(parts: Vec<TextPart>) -> Expr {
    expr(TyId::TEXT, ExprKind::Interpolate(parts))
}

impl Build {
    pub fn new() -> Build {
        let mut sources = SourceMap::default();
        sources.add("test.spl", "");
        Build {
            program: Program {
                types: Types::default(),
                funcs: Vec::new(),
                externs: Vec::new(),
                globals: Vec::new(),
                inits: Vec::new(),
                main: None,
                main_gives_code: true,
                keeps_errno: false,
                uses_threads: false,
                exports: Vec::new(),
                sources: Arc::new(sources),
            },
        }
    }

    pub fn ty(&mut self, ty: Ty) -> TyId {
        self.program.types.intern(ty)
    }

    /// A function: its first `params` locals are parameters; a local written `var` is mutable.
    pub fn func(
        &mut self,
        name: &str,
        locals: &[(TyId, bool)],
        params: u32,
        ret: TyId,
        body: Expr,
    ) -> u32 {
        self.program.funcs.push(Func {
            name: name.to_string(),
            locals: locals
                .iter()
                .enumerate()
                .map(|(index, (ty, mutable))| Local {
                    name: format!("l{index}"),
                    ty: *ty,
                    mutable: *mutable,
                    cell: false,
                    span: Span::default(),
                })
                .collect(),
            params: (0..params).map(LocalId).collect(),
            captures: Vec::new(),
            inout_self: false,
            ret,
            body: Some(body),
            span: Span::default(),
            inline: false,
            is_generator: false,
        });
        self.program.funcs.len() as u32 - 1
    }

    pub fn main(&mut self, locals: &[(TyId, bool)], body: Expr) {
        let id = self.func("main", locals, 0, TyId::UNIT, body);
        self.program.main = Some(FuncId(id));
    }

    pub fn class(
        &mut self,
        name: &str,
        fields: &[(&str, TyId)],
        drop: Option<u32>,
    ) -> (AdtId, TyId) {
        self.adt(name, AdtKind::Class, fields, drop)
    }

    pub fn adt(
        &mut self,
        name: &str,
        kind: AdtKind,
        fields: &[(&str, TyId)],
        drop: Option<u32>,
    ) -> (AdtId, TyId) {
        let id = AdtId(self.program.types.adts.len() as u32);
        self.program.types.adts.push(Adt {
            name: Symbol::intern(name),
            args: Vec::new(),
            kind,
            fields: fields
                .iter()
                .map(|(name, ty)| Field {
                    name: Some(Symbol::intern(name)),
                    ty: *ty,
                    weak: false,
                })
                .collect(),
            variants: Vec::new(),
            drop: drop.map(FuncId),
            eager_drop: false,
            to_text: None,
            eq: None,
            compare: None,
            enter: None,
            leave: None,
            span: Span::default(),
        });
        (id, self.ty(Ty::Adt(id)))
    }

    pub fn enumeration(&mut self, name: &str, variants: &[(&str, &[TyId])]) -> (AdtId, TyId) {
        let (id, ty) = self.adt(name, AdtKind::Enum, &[], None);
        self.program.types.adts[id.0 as usize].variants = variants
            .iter()
            .enumerate()
            .map(|(index, (name, payload))| Variant {
                name: Symbol::intern(name),
                fields: payload
                    .iter()
                    .map(|ty| Field {
                        name: None,
                        ty: *ty,
                        weak: false,
                    })
                    .collect(),
                discriminant: index as i64,
            })
            .collect();
        (id, ty)
    }
}

/// Runs programs in separate processes.
///
/// What a program prints goes to the process's standard output, so a test starts its binary again with the program's name in an
/// environment variable.
pub mod runner {
    use super::Build;
    use simple_image::{Binder, BoundExtern, Executable, Outcome};
    use simple_middle::lower::{NoExterns, lower};
    use simple_middle::mir::Extern;
    use std::process::Command;

    /// Name, how it is built, and what it prints.
    pub type Programs = [(&'static str, fn(&mut Build), &'static str)];

    const PROGRAM: &str = "SIMPLE_TYPED_PROGRAM";

    struct NoBinder;

    impl Binder for NoBinder {
        fn bind(&self, ext: &Extern) -> Result<BoundExtern, String> {
            Err(format!("no library exports `{}`", ext.symbol))
        }
    }

    /// In the child process: runs the program and ends the process.
    pub fn child(programs: &Programs) {
        let Ok(name) = std::env::var(PROGRAM) else {
            return;
        };
        let build = programs
            .iter()
            .find(|(known, ..)| *known == name)
            .expect("a known program")
            .1;
        let mut program = Build::new();
        build(&mut program);
        let sources = program.program.sources.clone();
        simple_core::memory::track_objects(true);
        let module = match lower(&program.program, &NoExterns) {
            Ok(module) => module,
            Err(diagnostics) => {
                println!("---\n{diagnostics:?}");
                std::process::exit(3);
            }
        };
        if std::env::var("SHOW_MIR").is_ok() {
            eprintln!("{}", simple_middle::mir::print::module(&module));
        }
        println!("---");
        let image = simple_codegen::compile(module, &Default::default()).expect("compiles");
        let executable = Executable::new(image, sources, Box::new(NoBinder)).expect("is placed");
        let outcome = executable.run();
        simple_core::io::flush();
        match outcome {
            Outcome::Exit(code) => println!("exit {code}"),
            Outcome::Error(error) => {
                let names: Vec<&str> = error
                    .trace
                    .head
                    .iter()
                    .map(|frame| &*frame.function)
                    .collect();
                println!("error {} in {}", error.message, names.join(" < "));
            }
        }
        if let Some(leaks) = simple_core::leaks::report().first() {
            println!("leaks: {leaks}");
        }
        std::process::exit(0);
    }

    /// Runs the program and compares what it prints; nothing may be left alive at its end.
    pub fn check(programs: &Programs, name: &str) {
        let (_, _, expected) = programs
            .iter()
            .find(|(known, ..)| *known == name)
            .expect("a known program");
        let output = Command::new(std::env::current_exe().expect("this binary"))
            .args(["--exact", "child", "--nocapture"])
            .env(PROGRAM, name)
            .output()
            .expect("a child process");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let shown = stdout
            .split_once("---\n")
            .map_or(&*stdout, |(_, shown)| shown);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(shown, *expected, "{name}: {:?}\n{stderr}", output.status);
    }
}

/// A test for each program, and the one that runs them.
#[macro_export]
macro_rules! programs {
    ($($name:ident: $expected:literal;)*) => {
        const PROGRAMS: &$crate::support::runner::Programs =
            &[$((stringify!($name), make::$name, concat!($expected))),*];
        #[test]
        fn child() {
            $crate::support::runner::child(PROGRAMS);
        }
        $(
            #[test]
            fn $name() {
                $crate::support::runner::check(PROGRAMS, stringify!($name));
            }
        )*
    };
}

pub fn value(expr: Expr) -> TextPart {
    TextPart::Value(expr)
}

pub fn lit(text: &str) -> TextPart {
    TextPart::Literal(text.to_string())
}

pub fn field(object: Expr, index: u32, ty: TyId) -> Expr {
    expr(ty, ExprKind::Field(Box::new(object), index))
}

/// A class `Noisy(name)` whose drop prints its name; its drop is function 0.
pub fn noisy(b: &mut Build) -> (AdtId, TyId) {
    let (id, ty) = b.class("Noisy", &[("name", TyId::TEXT)], Some(0));
    let name = field(local(ty, 0), 0, TyId::TEXT);
    let body = block(vec![print(interpolate(vec![lit("drop "), value(name)]))]);
    b.func("Noisy.drop", &[(ty, false)], 1, TyId::UNIT, body);
    (id, ty)
}

pub fn new_noisy(id: AdtId, ty: TyId, name: &str) -> Expr {
    expr(ty, ExprKind::New(id, vec![text(name)]))
}

pub fn array(ty: TyId, items: Vec<Expr>) -> Expr {
    expr(ty, ExprKind::Array(items))
}

pub fn ints_of(ty: TyId, items: &[i64]) -> Expr {
    array(ty, items.iter().map(|item| int(*item)).collect())
}

pub fn index(a: Expr, at: Expr, ty: TyId) -> Expr {
    expr(ty, ExprKind::Index(Box::new(a), Box::new(at)))
}

pub fn when(cond: Expr, then: Expr) -> Stmt {
    do_(expr(
        TyId::UNIT,
        ExprKind::If {
            cond: Box::new(Cond::Expr(cond)),
            then: Box::new(then),
            otherwise: None,
        },
    ))
}

pub fn for_range(var: u32, lo: i64, hi: i64, body: Expr) -> Stmt {
    stmt(StmtKind::ForRange {
        var: LocalId(var),
        lo: int(lo),
        hi: int(hi),
        inclusive: false,
        body,
    })
}
