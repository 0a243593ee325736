//! A typed program as compact text: one function per paragraph, types where they are not plain.

use simple_sema::typed::*;
use std::fmt::Write;

/// The whole program.
pub fn program(p: &Program) -> String {
    let mut d = Dump {
        p,
        locals: &[],
        out: String::new(),
    };
    for e in &p.externs {
        let params: Vec<String> = (e.params.iter())
            .map(|param| p.types.name(param.ty))
            .collect();
        let lib = e
            .library
            .as_ref()
            .map_or(String::new(), |l| format!(" in {l}"));
        let _ = writeln!(
            d.out,
            "extern {}={}({}) -> {}{lib}",
            e.name,
            e.symbol,
            params.join(", "),
            p.types.name(e.ret)
        );
    }
    for g in &p.globals {
        let checked = if g.checked { " checked" } else { "" };
        let _ = writeln!(d.out, "global {}: {}{checked}", g.name, p.types.name(g.ty));
    }
    for t in &p.types.traits {
        for (ty, funcs) in &t.impls {
            let names: Vec<&str> = funcs
                .iter()
                .map(|f| p.funcs[f.0 as usize].name.as_str())
                .collect();
            let _ = writeln!(
                d.out,
                "table {} for {}: {}",
                t.name,
                p.types.name(*ty),
                names.join(", ")
            );
        }
    }
    for f in &p.funcs {
        d.func(f);
    }
    let name = |f: &FuncId| p.funcs[f.0 as usize].name.clone();
    let inits: Vec<String> = p.inits.iter().map(name).collect();
    if !inits.is_empty() {
        let _ = writeln!(d.out, "init {}", inits.join(", "));
    }
    if let Some(main) = &p.main {
        let _ = writeln!(d.out, "main {}", name(main));
    }
    d.out
}

struct Dump<'p> {
    p: &'p Program,
    locals: &'p [Local],
    out: String,
}

impl<'p> Dump<'p> {
    fn func(&mut self, f: &'p Func) {
        self.locals = &f.locals;
        let params: Vec<String> = f
            .params
            .iter()
            .map(|&l| format!("{}: {}", self.local(l), self.ty(f.locals[l.0 as usize].ty)))
            .collect();
        let captures: Vec<String> = f.captures.iter().map(|&l| self.local(l)).collect();
        let captures = if captures.is_empty() {
            String::new()
        } else {
            format!(" captures {}", captures.join(", "))
        };
        let inout = if f.inout_self { " inout" } else { "" };
        let inline = if f.inline { " inline" } else { "" };
        let ret = self.ty(f.ret);
        let _ = writeln!(
            self.out,
            "fn {}({}) -> {ret}{inout}{inline}{captures}",
            f.name,
            params.join(", ")
        );
        match &f.body {
            Some(Expr {
                kind: ExprKind::Block(stmts, tail),
                ..
            }) => {
                for s in stmts {
                    let text = self.stmt(s);
                    let _ = writeln!(self.out, "  {text}");
                }
                if let Some(tail) = tail {
                    let text = self.expr(tail);
                    let _ = writeln!(self.out, "  {text}");
                }
            }
            Some(body) => {
                let text = self.expr(body);
                let _ = writeln!(self.out, "  {text}");
            }
            None => self.out.push_str("  (no body)\n"),
        }
    }

    fn ty(&self, ty: TyId) -> String {
        self.p.types.name(ty)
    }

    fn local(&self, id: LocalId) -> String {
        let local = &self.locals[id.0 as usize];
        let star = match local {
            Local { cell: true, .. } => "''",
            Local { mutable: true, .. } => "'",
            _ => "",
        };
        if local.name.is_empty() {
            format!("t{}{star}", id.0)
        } else {
            format!("{}{star}", local.name)
        }
    }

    fn list(&self, items: &[Expr]) -> String {
        items
            .iter()
            .map(|e| self.expr(e))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn name(&self, f: FuncId) -> &str {
        &self.p.funcs[f.0 as usize].name
    }

    fn stmt(&self, s: &Stmt) -> String {
        match &s.kind {
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Let(l, e) => {
                format!(
                    "let {}: {} = {}",
                    self.local(*l),
                    self.ty(self.locals[l.0 as usize].ty),
                    self.expr(e)
                )
            }
            StmtKind::LetPattern(p, e) => format!("let {} = {}", self.pattern(p), self.expr(e)),
            StmtKind::Assign(p, e) => format!("{} = {}", self.place(p), self.expr(e)),
            StmtKind::AssignArith(p, op, e) => {
                format!("{} {op:?}= {}", self.place(p), self.expr(e))
            }
            StmtKind::AssignBits(p, op, e) => format!("{} {op:?}= {}", self.place(p), self.expr(e)),
            StmtKind::Append(p, e) => format!("{} append {}", self.place(p), self.expr(e)),
            StmtKind::While(c, e) => format!("while {} {}", self.cond(c), self.expr(e)),
            StmtKind::ForRange {
                var,
                lo,
                hi,
                inclusive,
                body,
            } => {
                let dots = if *inclusive { "..=" } else { ".." };
                format!(
                    "for {} in {}{dots}{} {}",
                    self.local(*var),
                    self.expr(lo),
                    self.expr(hi),
                    self.expr(body)
                )
            }
            StmtKind::ForPart {
                pattern,
                text,
                cut,
                body,
            } => {
                let cut = match cut {
                    Cut::Lines => "lines".to_owned(),
                    Cut::Words => "words".to_owned(),
                    Cut::Separator(separator) => format!("parts at {}", self.expr(separator)),
                };
                format!(
                    "for {} in {cut} of {} {}",
                    self.pattern(pattern),
                    self.expr(text),
                    self.expr(body)
                )
            }
            StmtKind::ForEach {
                pattern,
                iterable,
                body,
            } => {
                format!(
                    "for {} in {} {}",
                    self.pattern(pattern),
                    self.expr(iterable),
                    self.expr(body)
                )
            }
            StmtKind::Defer(e) => format!("defer {}", self.expr(e)),
            StmtKind::Assert(e, m) => match m {
                Some(m) => format!("assert {}, {}", self.expr(e), self.expr(m)),
                None => format!("assert {}", self.expr(e)),
            },
        }
    }

    fn cond(&self, c: &Cond) -> String {
        match c {
            Cond::Expr(e) => self.expr(e),
            Cond::Pattern(p, e) => format!("{} := {}", self.pattern(p), self.expr(e)),
        }
    }

    fn place(&self, p: &Place) -> String {
        let mut out = match &p.root {
            PlaceRoot::Local(l) => self.local(*l),
            PlaceRoot::Global(g) => format!("@{}", self.p.globals[g.0 as usize].name),
            PlaceRoot::Object(e) => format!("^{}", self.expr(e)),
        };
        for step in &p.path {
            match step {
                PlaceStep::Field(ty, n) => out.push_str(&format!(".{}", self.field(*ty, *n))),
                PlaceStep::Index(_, e) => out.push_str(&format!("[{}]", self.expr(e))),
            }
        }
        out
    }

    fn field(&self, ty: TyId, n: u32) -> String {
        match self.p.types.adt(ty) {
            Some(adt) => adt.fields[n as usize]
                .name
                .map_or(n.to_string(), |name| name.to_string()),
            None => n.to_string(),
        }
    }

    fn pattern(&self, p: &Pattern) -> String {
        let list = |ps: &[Pattern]| {
            ps.iter()
                .map(|p| self.pattern(p))
                .collect::<Vec<_>>()
                .join(", ")
        };
        match p {
            Pattern::Wildcard => "_".into(),
            Pattern::Bind(l) => format!(
                "{}:{}",
                self.local(*l),
                self.ty(self.locals[l.0 as usize].ty)
            ),
            Pattern::Literal(e) => self.expr(e),
            Pattern::IntRange(lo, hi) => format!("{lo}..={hi}"),
            Pattern::Nil => "nil".into(),
            Pattern::Some(p) => format!("Some({})", self.pattern(p)),
            Pattern::Ok(p) => format!("Ok({})", self.pattern(p)),
            Pattern::Err(p) => format!("Err({})", self.pattern(p)),
            Pattern::Variant(adt, n, ps) => {
                format!(
                    "{}({})",
                    self.p.types.adts[adt.0 as usize].variants[*n as usize].name,
                    list(ps)
                )
            }
            Pattern::TupleRest { front, rest, back } => {
                format!("({} ...{} {})", list(front), rest.0, list(back))
            }
            Pattern::Tuple(ps) => format!("({})", list(ps)),
            Pattern::Fields(adt, ps) => {
                let adt = &self.p.types.adts[adt.0 as usize];
                let parts: Vec<String> = ps
                    .iter()
                    .map(|(n, p)| format!("{n}: {}", self.pattern(p)))
                    .collect();
                format!("{}{{{}}}", adt.name, parts.join(", "))
            }
            Pattern::Array { front, rest, back } => {
                let rest = match rest {
                    None => String::new(),
                    Some(None) => " ...".into(),
                    Some(Some(l)) => format!(" ...{}", self.local(*l)),
                };
                format!("[{}{rest} {}]", list(front), list(back))
            }
            Pattern::Or(ps) => ps
                .iter()
                .map(|p| self.pattern(p))
                .collect::<Vec<_>>()
                .join(" | "),
        }
    }

    fn expr(&self, e: &Expr) -> String {
        let ty = || self.ty(e.ty);
        match &e.kind {
            ExprKind::Unit => "()".into(),
            ExprKind::Bool(b) => b.to_string(),
            ExprKind::Int(n) if e.ty == TyId::I64 => n.to_string(),
            ExprKind::Int(n) => format!("{n}{}", ty()),
            ExprKind::Float(x) if e.ty == TyId::F64 => format!("{x:?}"),
            ExprKind::Float(x) => format!("{x:?}{}", ty()),
            ExprKind::Text(t) => format!("{t:?}"),
            ExprKind::Nil => format!("nil<{}>", ty()),
            ExprKind::Local(l) => self.local(*l),
            ExprKind::Global(g) => format!("@{}", self.p.globals[g.0 as usize].name),
            ExprKind::FuncRef(f) => format!("&{}", self.name(*f)),
            ExprKind::Closure(f, captures) => {
                let captures: Vec<String> = captures.iter().map(|&l| self.local(l)).collect();
                format!(
                    "closure {}[{}]: {}",
                    self.name(*f),
                    captures.join(", "),
                    ty()
                )
            }
            ExprKind::Block(stmts, tail) => {
                let mut parts: Vec<String> = stmts.iter().map(|s| self.stmt(s)).collect();
                if let Some(tail) = tail {
                    parts.push(self.expr(tail));
                }
                format!("{{ {} }}", parts.join("; "))
            }
            ExprKind::If {
                cond,
                then,
                otherwise,
            } => {
                let rest = otherwise
                    .as_ref()
                    .map_or(String::new(), |o| format!(" else {}", self.expr(o)));
                format!("if {} then {}{rest}", self.cond(cond), self.expr(then))
            }
            ExprKind::Match { scrutinee, arms } => {
                let arms: Vec<String> = arms
                    .iter()
                    .map(|a| {
                        let guard = a
                            .guard
                            .as_ref()
                            .map_or(String::new(), |g| format!(" if {}", self.expr(g)));
                        format!(
                            "{}{guard} => {}",
                            self.pattern(&a.pattern),
                            self.expr(&a.body)
                        )
                    })
                    .collect();
                format!("match {} {{ {} }}", self.expr(scrutinee), arms.join("; "))
            }
            ExprKind::Arith(op, a, b) => {
                format!("{op:?}<{}>({}, {})", ty(), self.expr(a), self.expr(b))
            }
            ExprKind::Bits(op, a, b) => {
                format!("{op:?}<{}>({}, {})", ty(), self.expr(a), self.expr(b))
            }
            ExprKind::Neg(a) => format!("Neg({})", self.expr(a)),
            ExprKind::BitNot(a) => format!("BitNot({})", self.expr(a)),
            ExprKind::Not(a) => format!("not {}", self.expr(a)),
            ExprKind::And(a, b) => format!("({} and {})", self.expr(a), self.expr(b)),
            ExprKind::Or(a, b) => format!("({} or {})", self.expr(a), self.expr(b)),
            ExprKind::Compare(op, a, b) => format!(
                "{op:?}<{}>({}, {})",
                self.ty(a.ty),
                self.expr(a),
                self.expr(b)
            ),
            ExprKind::Concat(a, b) => format!("Concat({}, {})", self.expr(a), self.expr(b)),
            ExprKind::Convert(c, a) => format!("{c:?}<{}>({})", ty(), self.expr(a)),
            ExprKind::ToText(a) => format!("text({})", self.expr(a)),
            ExprKind::Interpolate(parts) => {
                let parts: Vec<String> = parts
                    .iter()
                    .map(|p| match p {
                        TextPart::Literal(t) => format!("{t:?}"),
                        TextPart::Value(e) => self.expr(e),
                        TextPart::Formatted(part) => {
                            format!("{}:{:?}", self.expr(&part.value), part.spec.kind)
                        }
                    })
                    .collect();
                format!("join({})", parts.join(", "))
            }
            ExprKind::Call(f, args) => format!("{}({})", self.name(*f), self.list(args)),
            ExprKind::CallInout(f, p, args) => format!(
                "{}(inout {}; {})",
                self.name(*f),
                self.place(p),
                self.list(args)
            ),
            ExprKind::CallExtern(x, args) => format!(
                "!{}({})",
                self.p.externs[x.0 as usize].name,
                self.list(args)
            ),
            ExprKind::CallValue(f, args) => format!("call {}({})", self.expr(f), self.list(args)),
            ExprKind::CallTrait(t, n, o, args) => {
                let t = &self.p.types.traits[t.0 as usize];
                format!(
                    "dyn {}.{}({}; {})",
                    t.name,
                    t.methods[*n as usize].name,
                    self.expr(o),
                    self.list(args)
                )
            }
            ExprKind::CallTraitInout(t, n, p, args) => {
                let t = &self.p.types.traits[t.0 as usize];
                format!(
                    "dyn {}.{}(inout {}; {})",
                    t.name,
                    t.methods[*n as usize].name,
                    self.place(p),
                    self.list(args)
                )
            }
            ExprKind::IsType(e, ty) => {
                format!("({} is {})", self.expr(e), self.p.types.name(*ty))
            }
            ExprKind::Downcast(e) => format!("downcast({})", self.expr(e)),
            ExprKind::Intrinsic(i, args) => format!("{i:?}({})", self.list(args)),
            ExprKind::Update(u, p, args) => {
                format!("{u:?}({}; {})", self.place(p), self.list(args))
            }
            ExprKind::New(_, args) => format!("new {}({})", ty(), self.list(args)),
            ExprKind::Variant(adt, n, args) => {
                let variant = &self.p.types.adts[adt.0 as usize].variants[*n as usize];
                format!("{}.{}({})", ty(), variant.name, self.list(args))
            }
            ExprKind::Tuple(items) => format!("tuple({})", self.list(items)),
            ExprKind::Array(items) if items.is_empty() => format!("[]<{}>", ty()),
            ExprKind::Array(items) => format!("[{}]", self.list(items)),
            ExprKind::Dict(pairs) => {
                let pairs: Vec<String> = pairs
                    .iter()
                    .map(|(k, v)| format!("{}: {}", self.expr(k), self.expr(v)))
                    .collect();
                format!("{{{}}}<{}>", pairs.join(", "), ty())
            }
            ExprKind::Set(items) => format!("s{{{}}}<{}>", self.list(items), ty()),
            ExprKind::Range(a, b, inclusive) => {
                format!(
                    "{}{}{}",
                    self.expr(a),
                    if *inclusive { "..=" } else { ".." },
                    self.expr(b)
                )
            }
            ExprKind::Field(a, n) => format!("{}.{}", self.expr(a), self.field(a.ty, *n)),
            ExprKind::Index(a, i) => format!("{}[{}]", self.expr(a), self.expr(i)),
            ExprKind::Some(a) => format!("Some({})", self.expr(a)),
            ExprKind::Ok(a) => format!("Ok({})<{}>", self.expr(a), ty()),
            ExprKind::Err(a) => format!("Err({})<{}>", self.expr(a), ty()),
            ExprKind::Unwrap(a, kind) => format!("unwrap:{kind:?}({})", self.expr(a)),
            ExprKind::IsPresent(a) => format!("present({})", self.expr(a)),
            ExprKind::Coalesce(a, b) => format!("({} ?? {})", self.expr(a), self.expr(b)),
            ExprKind::TryCatch { body, handler, .. } => {
                format!("{{try {} catch {}}}", self.expr(body), self.expr(handler))
            }
            ExprKind::Try(a) => format!("try({})", self.expr(a)),
            ExprKind::Let(l, a, b) => format!(
                "(let {} = {} in {})",
                self.local(*l),
                self.expr(a),
                self.expr(b)
            ),
            ExprKind::Return(None) => "return".into(),
            ExprKind::Return(Some(a)) => format!("return {}", self.expr(a)),
            ExprKind::Break => "break".into(),
            ExprKind::Continue => "continue".into(),
        }
    }
}
