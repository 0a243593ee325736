//! The tree as text: one statement per line, nested forms in parentheses. Used by golden tests and for debugging.
//!
//! The form is stable, so that a changed line in a golden file is a changed tree. Leaves out places, except that the
//! tests compare them by other means. Declarations are in `items.rs`. Bodies are indented by two spaces below their head.

use super::*;
use std::fmt::Write;

mod items;

/// The dump of a whole file.
pub fn dump(module: &Module) -> String {
    let mut out = Dumper {
        text: String::new(),
        indent: 0,
    };
    if let Some(docs) = &module.docs {
        out.line(&format!("docs {docs:?}"));
    }
    for stmt in &module.stmts {
        out.stmt(stmt);
    }
    out.text
}

/// The dump of one expression, on one line unless it holds blocks.
pub fn dump_expr(expr: &Expr) -> String {
    Dumper {
        text: String::new(),
        indent: 0,
    }
    .expr(expr)
}

struct Dumper {
    text: String,
    indent: usize,
}

impl Dumper {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.indent * 2);
    }

    /// A block as `{ ... }`: its statements on separate lines, unless it is one short statement.
    fn block(&self, block: &Block) -> String {
        let mut inner = Dumper {
            text: String::new(),
            indent: self.indent + 1,
        };
        for stmt in &block.stmts {
            inner.stmt(stmt);
        }
        let text = inner.text;
        match text.trim_end().lines().count() {
            0 => "{}".to_string(),
            1 => format!("{{ {} }}", text.trim()),
            _ => format!("{{\n{text}{:1$}}}", "", self.indent * 2),
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Item(item) = &stmt.kind {
            return self.item(item);
        }
        let line = match &stmt.kind {
            StmtKind::Let {
                kind,
                pattern,
                ty,
                value,
            } => {
                let word = match kind {
                    LetKind::Val => "val",
                    LetKind::Var => "var",
                    LetKind::Const => "const",
                };
                let ty = ty
                    .as_ref()
                    .map_or(String::new(), |ty| format!(": {}", self.ty(ty)));
                let value = value
                    .as_ref()
                    .map_or(String::new(), |value| format!(" = {}", self.expr(value)));
                format!("{word} {}{ty}{value}", self.pattern(pattern))
            }
            StmtKind::Assign { place, op, value } => {
                let op = op.map_or(String::new(), |op| binary_text(op).to_string());
                format!("{} {op}= {}", self.expr(place), self.expr(value))
            }
            StmtKind::AssignAbsent { place, value } => {
                format!("{} ??= {}", self.expr(place), self.expr(value))
            }
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::Return(value) => format!("return{}", self.optional(value.as_ref())),
            StmtKind::Break => "break".into(),
            StmtKind::Continue => "continue".into(),
            StmtKind::Pass => "pass".into(),
            StmtKind::PassTodo => "pass_todo".into(),
            StmtKind::While { cond, body } => {
                format!("while {} {}", self.cond(cond), self.block(body))
            }
            StmtKind::Loop(body) => format!("loop {}", self.block(body)),
            StmtKind::For {
                pattern,
                iterable,
                body,
            } => {
                format!(
                    "for {} in {} {}",
                    self.pattern(pattern),
                    self.expr(iterable),
                    self.block(body)
                )
            }
            StmtKind::Defer(body) => format!("defer {}", self.block(body)),
            StmtKind::Assert { cond, message } => {
                format!(
                    "assert {}{}",
                    self.expr(cond),
                    self.optional(message.as_ref())
                )
            }
            StmtKind::Throw(value) => format!("throw {}", self.expr(value)),
            StmtKind::Yield(value) => format!("yield {}", self.expr(value)),
            StmtKind::Try {
                body,
                catch,
                finally,
            } => {
                let mut line = format!("try {}", self.block(body));
                if let Some((name, body)) = catch {
                    let name = name.map_or(String::new(), |name| format!(" {}", name.name));
                    let _ = write!(line, " catch{name} {}", self.block(body));
                }
                if let Some(body) = finally {
                    let _ = write!(line, " finally {}", self.block(body));
                }
                line
            }
            StmtKind::NoGrad(body) => format!("nograd {}", self.block(body)),
            StmtKind::Loss(body) => format!("loss {}", self.block(body)),
            StmtKind::Unsafe(body) => format!("unsafe {}", self.block(body)),
            StmtKind::Item(_) => String::new(),
            StmtKind::Error => "<error>".into(),
        };
        self.line(&line);
    }

    fn optional(&self, expr: Option<&Expr>) -> String {
        expr.map_or(String::new(), |expr| format!(" {}", self.expr(expr)))
    }

    fn labelled(&self, members: impl Iterator<Item = (Option<Ident>, String)>) -> String {
        let members = members.map(|(label, text)| match label {
            Some(label) => format!("{}: {text}", label.name),
            None => text,
        });
        members.collect::<Vec<_>>().join(", ")
    }

    fn cond(&self, cond: &Cond) -> String {
        match cond {
            Cond::Expr(expr) => self.expr(expr),
            Cond::Let {
                mutable,
                pattern,
                value,
            } => {
                let word = if *mutable { "var" } else { "val" };
                format!("({word} {} = {})", self.pattern(pattern), self.expr(value))
            }
        }
    }

    fn list<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> String {
        exprs
            .into_iter()
            .map(|expr| self.expr(expr))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn slice_bounds(&self, bounds: &SliceBounds) -> String {
        let bound = |bound: &Option<Expr>| bound.as_ref().map_or("_".to_string(), |b| self.expr(b));
        format!(
            "{}:{}:{}",
            bound(&bounds.lo),
            bound(&bounds.hi),
            bound(&bounds.step)
        )
    }

    fn args(&self, args: &[Arg]) -> String {
        let args = args.iter().map(|arg| {
            let label = arg
                .label
                .map_or(String::new(), |label| format!("{}: ", label.name));
            format!(
                "{label}{}{}",
                if arg.spread { "..." } else { "" },
                self.expr(&arg.value)
            )
        });
        args.collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, expr: &Expr) -> String {
        let e = |expr: &Expr| self.expr(expr);
        match &expr.kind {
            ExprKind::Int(value, suffix) => {
                format!("{value}{}", suffix.map_or("", |suffix| suffix.as_str()))
            }
            ExprKind::Float(value, suffix) => {
                format!(
                    "{:?}{}",
                    value.wide,
                    suffix.map_or("", |suffix| suffix.as_str())
                )
            }
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Nil => "nil".into(),
            ExprKind::Text(parts) => self.text_parts(parts),
            ExprKind::Name(name) => name.name.to_string(),
            ExprKind::SelfValue => "self".into(),
            ExprKind::Super => "super".into(),
            ExprKind::Unit => "()".into(),
            ExprKind::Tuple(members) => {
                format!(
                    "(tuple {})",
                    self.labelled(members.iter().map(|(label, value)| (*label, e(value))))
                )
            }
            ExprKind::Array(elements) => {
                let elements = elements.iter().map(|element| match element {
                    Element::Expr(value) => e(value),
                    Element::Spread(value) => format!("...{}", e(value)),
                });
                format!("[{}]", elements.collect::<Vec<_>>().join(", "))
            }
            ExprKind::ArrayComprehension(element, rest) => {
                format!("[{} {}]", e(element), self.comprehension(rest))
            }
            ExprKind::Dict(elements) => {
                let elements = elements.iter().map(|element| match element {
                    DictElement::Pair(key, value) => format!("{}: {}", e(key), e(value)),
                    DictElement::Spread(value) => format!("**{}", e(value)),
                });
                format!("(dict {})", elements.collect::<Vec<_>>().join(", "))
                    .replace("(dict )", "(dict)")
            }
            ExprKind::DictComprehension(key, value, rest) => {
                format!(
                    "(dict {}: {} {})",
                    e(key),
                    e(value),
                    self.comprehension(rest)
                )
            }
            ExprKind::Set(elements) => format!("(set {})", self.list(elements)),
            ExprKind::SetComprehension(item, rest) => {
                format!("(set {} {})", e(item), self.comprehension(rest))
            }
            ExprKind::Lambda(lambda) => {
                let ret = lambda
                    .ret
                    .as_ref()
                    .map_or(String::new(), |ty| format!(" -> {}", self.ty(ty)));
                format!(
                    "(\\{}{ret} {})",
                    self.params(&lambda.params),
                    self.block(&lambda.body)
                )
            }
            ExprKind::If(branches) => {
                let mut text = String::from("(if");
                for (index, (cond, body)) in branches.branches.iter().enumerate() {
                    let word = if index == 0 { "" } else { " elif" };
                    let _ = write!(text, "{word} {} {}", self.cond(cond), self.block(body));
                }
                if let Some(body) = &branches.otherwise {
                    let _ = write!(text, " else {}", self.block(body));
                }
                text + ")"
            }
            ExprKind::Match(subject, arms) => {
                let mut text = format!("(match {}", e(subject));
                let inner = Dumper {
                    text: String::new(),
                    indent: self.indent + 1,
                };
                for arm in arms {
                    let guard = arm
                        .guard
                        .as_ref()
                        .map_or(String::new(), |guard| format!(" if {}", inner.expr(guard)));
                    let _ = write!(
                        text,
                        "\n{:width$}case {}{guard} {}",
                        "",
                        inner.pattern(&arm.pattern),
                        inner.block(&arm.body),
                        width = inner.indent * 2
                    );
                }
                text + ")"
            }
            ExprKind::With(bindings, body) => {
                let bindings = bindings.iter().map(|binding| {
                    let name = binding
                        .name
                        .map_or(String::new(), |name| format!(" as {}", name.name));
                    format!("{}{name}", e(&binding.value))
                });
                format!(
                    "(with {} {})",
                    bindings.collect::<Vec<_>>().join(", "),
                    self.block(body)
                )
            }
            ExprKind::StructLit { path, args, fields } => {
                let fields =
                    self.labelled(fields.iter().map(|(name, value)| (Some(*name), e(value))));
                format!("(new {}{} {fields})", path_text(path), self.type_args(args))
                    .replace(" )", ")")
            }
            ExprKind::MathBlock(kind, value) => {
                let word = match kind {
                    MathKind::Math => "m",
                    MathKind::Loss => "loss",
                    MathKind::NoGrad => "nograd",
                };
                format!("{word}{{{}}}", e(value))
            }
            ExprKind::Placeholder(0) => "_".into(),
            ExprKind::Placeholder(number) => format!("_{number}"),
            ExprKind::MethodRef(name) => format!("&:{}", name.name),
            ExprKind::Unary(op, operand) => {
                let op = match op {
                    UnaryOp::Neg => "neg",
                    UnaryOp::Not => "not",
                    UnaryOp::BitNot => "bitnot",
                    UnaryOp::Await => "await",
                };
                format!("({op} {})", e(operand))
            }
            ExprKind::Binary(op, lhs, rhs) => {
                format!("({} {} {})", e(lhs), binary_text(*op), e(rhs))
            }
            ExprKind::Compare(first, links) => {
                let mut text = format!("({}", e(first));
                for (op, _, operand) in links {
                    let _ = write!(text, " {} {}", compare_text(*op), e(operand));
                }
                text + ")"
            }
            ExprKind::And(lhs, rhs) => format!("({} and {})", e(lhs), e(rhs)),
            ExprKind::Or(lhs, rhs) => format!("({} or {})", e(lhs), e(rhs)),
            ExprKind::Coalesce(lhs, rhs) => format!("({} ?? {})", e(lhs), e(rhs)),
            ExprKind::In(lhs, rhs, negated) => {
                format!(
                    "({} {} {})",
                    e(lhs),
                    if *negated { "not-in" } else { "in" },
                    e(rhs)
                )
            }
            ExprKind::Is(value, ty) => format!("({} is {})", e(value), self.ty(ty)),
            ExprKind::Cast(value, ty) => format!("({} as {})", e(value), self.ty(ty)),
            ExprKind::Range(lo, hi, inclusive) => {
                format!(
                    "({} {} {})",
                    e(lo),
                    if *inclusive { "..=" } else { ".." },
                    e(hi)
                )
            }
            ExprKind::Call(call) => {
                let mut text = format!(
                    "(call{} {}",
                    if call.parens { "" } else { "'" },
                    e(&call.callee)
                );
                if !call.args.is_empty() {
                    let _ = write!(text, " {}", self.args(&call.args));
                }
                if let Some(block) = &call.block {
                    let _ = write!(text, " : {}", self.block(block));
                }
                text + ")"
            }
            ExprKind::Index(object, index, optional) => {
                format!(
                    "(index{} {} {})",
                    if *optional { "?" } else { "" },
                    e(object),
                    e(index)
                )
            }
            ExprKind::Slice(object, bounds) => {
                format!("(slice {} {})", e(object), self.slice_bounds(bounds))
            }
            ExprKind::IndexPart(Some(bounds)) => format!("(part {})", self.slice_bounds(bounds)),
            ExprKind::IndexPart(None) => "(rest)".to_owned(),
            ExprKind::Field(object, name, optional) => {
                format!(
                    "{}{}.{}",
                    e(object),
                    if *optional { "?" } else { "" },
                    name.name
                )
            }
            ExprKind::TupleField(object, index, _, optional) => {
                format!("{}{}.{index}", e(object), if *optional { "?" } else { "" })
            }
            ExprKind::Generic(target, args) => format!("{}{}", e(target), self.type_args(args)),
            ExprKind::Presence(value) => format!("(present {})", e(value)),
            ExprKind::Try(value) => format!("(try {})", e(value)),
            ExprKind::Unwrap(value) => format!("(unwrap {})", e(value)),
            ExprKind::Update(target, name, args) => {
                format!("(update {} {} {})", e(target), name.name, self.args(args))
                    .replace(" )", ")")
            }
            ExprKind::Paren(inner) => format!("(paren {})", e(inner)),
            ExprKind::Return(value) => format!("(return{})", self.optional(value.as_deref())),
            ExprKind::Break => "(break)".into(),
            ExprKind::Continue => "(continue)".into(),
            ExprKind::Throw(value) => format!("(throw {})", e(value)),
            ExprKind::Block(block) => format!("(block {})", self.block(block)),
            ExprKind::Error => "<error>".into(),
        }
    }

    fn text_parts(&self, parts: &[TextPart]) -> String {
        match parts {
            [] => "\"\"".into(),
            [TextPart::Literal(text)] => format!("{text:?}"),
            parts => {
                let parts = parts.iter().map(|part| match part {
                    TextPart::Literal(text) => format!("{text:?}"),
                    TextPart::Hole { expr, spec: None } => format!("{{{}}}", self.expr(expr)),
                    TextPart::Hole {
                        expr,
                        spec: Some(spec),
                    } => {
                        let numbers = spec.numbers.iter().map(|e| format!(" {}", self.expr(e)));
                        let numbers: String = numbers.collect();
                        format!("{{{} : {:?}{numbers}}}", self.expr(expr), spec.form)
                    }
                });
                format!("(text {})", parts.collect::<Vec<_>>().join(" "))
            }
        }
    }

    fn comprehension(&self, rest: &Comprehension) -> String {
        let loops = rest.loops.iter().map(|turn| {
            let filters = turn.filters.iter();
            let filters = filters.map(|filter| format!(" if {}", self.expr(filter)));
            format!(
                "for {} in {}{}",
                self.pattern(&turn.pattern),
                self.expr(&turn.iterable),
                filters.collect::<String>()
            )
        });
        loops.collect::<Vec<_>>().join(" ")
    }

    fn pattern(&self, pattern: &Pattern) -> String {
        let list = |patterns: &[Pattern], separator: &str| {
            patterns
                .iter()
                .map(|pattern| self.pattern(pattern))
                .collect::<Vec<_>>()
                .join(separator)
        };
        match &pattern.kind {
            PatternKind::Wildcard => "_".into(),
            PatternKind::Name(name) => name.name.to_string(),
            PatternKind::Literal(value) => self.expr(value),
            PatternKind::Nil => "nil".into(),
            PatternKind::Range { lo, hi, inclusive } => {
                format!(
                    "({} {} {})",
                    self.expr(lo),
                    if *inclusive { "..=" } else { ".." },
                    self.expr(hi)
                )
            }
            PatternKind::Tuple(parts) => format!("(tuple {})", list(parts, ", ")),
            PatternKind::Array(parts) => format!("[{}]", list(parts, ", ")),
            PatternKind::Rest(name) => format!("...{}", name.map_or("", |name| name.name.as_str())),
            PatternKind::Constructor { path, args } => {
                let args = self.labelled(
                    args.iter()
                        .map(|(label, part)| (*label, self.pattern(part))),
                );
                format!("{}({args})", path_text(path))
            }
            PatternKind::Path(path) => path_text(path),
            PatternKind::Fields { path, fields } => {
                let fields = self.labelled(
                    fields
                        .iter()
                        .map(|(name, part)| (Some(*name), self.pattern(part))),
                );
                let path = path
                    .as_ref()
                    .map_or(String::new(), |path| path_text(path) + " ");
                format!("{path}{{{fields}}}")
            }
            PatternKind::Or(parts) => format!("({})", list(parts, " | ")),
            PatternKind::Error => "<error>".into(),
        }
    }

    fn ty(&self, ty: &TypeExpr) -> String {
        match &ty.kind {
            TypeExprKind::Named { path, args } => {
                format!("{}{}", path_text(path), self.type_args(args))
            }
            TypeExprKind::Array(element) => format!("[{}]", self.ty(element)),
            TypeExprKind::FixedArray(element, length) => {
                format!("[{}; {}]", self.ty(element), self.expr(length))
            }
            TypeExprKind::Dict(key, value) => format!("{{{}: {}}}", self.ty(key), self.ty(value)),
            TypeExprKind::Unit => "()".into(),
            TypeExprKind::Tuple(members) => {
                format!(
                    "({})",
                    self.labelled(members.iter().map(|(label, ty)| (*label, self.ty(ty))))
                )
            }
            TypeExprKind::Optional(inner) => format!("{}?", self.ty(inner)),
            TypeExprKind::Fn(params, ret) => {
                let params: Vec<_> = params.iter().map(|ty| self.ty(ty)).collect();
                let ret = ret
                    .as_ref()
                    .map_or(String::new(), |ty| format!(" -> {}", self.ty(ty)));
                format!("fn({}){ret}", params.join(", "))
            }
            TypeExprKind::Dyn(path) => format!("dyn {}", path_text(path)),
            TypeExprKind::Error => "<error>".into(),
        }
    }

    fn type_args(&self, args: &[TypeArg]) -> String {
        if args.is_empty() {
            return String::new();
        }
        let args = args.iter().map(|arg| match arg {
            TypeArg::Type(ty) => self.ty(ty),
            TypeArg::Const(value) => format!("const {}", self.expr(value)),
            TypeArg::Dims(dims, _) => {
                let dims = dims.iter().map(|dim| match dim {
                    Dim::Unknown(_) => "?".to_string(),
                    Dim::Expr(value) => self.expr(value),
                    Dim::Range {
                        name,
                        lo,
                        hi,
                        inclusive,
                    } => {
                        let dots = if *inclusive { "..=" } else { ".." };
                        format!("{}: {}{dots}{}", name.name, self.expr(lo), self.expr(hi))
                    }
                });
                format!("dims[{}]", dims.collect::<Vec<_>>().join(", "))
            }
        });
        format!("<{}>", args.collect::<Vec<_>>().join(", "))
    }
}

fn path_text(path: &Path) -> String {
    let segments: Vec<_> = path
        .segments
        .iter()
        .map(|segment| segment.name.as_str())
        .collect();
    segments.join(".")
}

fn compare_text(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}

fn binary_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Pow => "**",
        BinaryOp::MatMul => "@",
        BinaryOp::DotAdd => ".+",
        BinaryOp::DotSub => ".-",
        BinaryOp::DotMul => ".*",
        BinaryOp::DotDiv => "./",
        BinaryOp::DotPow => ".^",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        // What it is follows from types, which are not known yet.
        BinaryOp::Caret | BinaryOp::JoinedCaret => "^?",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Pipe => "|>",
        BinaryOp::Connect => "~>",
        BinaryOp::Parallel => "//",
    }
}
