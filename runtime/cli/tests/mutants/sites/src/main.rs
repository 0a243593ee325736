//! Lists every small mistake that can be put into sources in Rust, for `rust.py` one folder up.
//!
//! The arguments are files; each line of the output is one mistake as JSON: the file, its line, the bytes that are replaced, what they
//! are replaced by, and what it is in words. In the new text `@` is where the mistake's number goes: `mutant__(@)` is true in a run
//! that is to make this mistake, so one build holds them all. Left out is what cannot ask at run time (constants, patterns, types,
//! arguments of macros), tests, and what formats for people who look for faults (`Debug`). Nothing here knows types, so some of
//! the texts do not compile: `rust.py` throws those away.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Expr, Lit, Stmt};

/// One file.
struct Sites<'t> {
    file: &'t str,
    text: &'t str,
}

/// The operator that someone could have meant instead, one step away and, for comparisons, the opposite.
fn instead_of(op: &BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Add(_) => &["-"],
        BinOp::Sub(_) => &["+"],
        BinOp::Mul(_) => &["/"],
        BinOp::Div(_) | BinOp::Rem(_) => &["*"],
        BinOp::BitAnd(_) => &["|"],
        BinOp::BitOr(_) => &["&"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::AddAssign(_) => &["-="],
        BinOp::SubAssign(_) => &["+="],
        BinOp::MulAssign(_) => &["/="],
        BinOp::BitOrAssign(_) => &["&="],
        BinOp::BitAndAssign(_) => &["|="],
        _ => &[],
    }
}

/// Whether an item is for tests, or only for the compiler's constants.
fn left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let words = quoted(attribute);
        words.starts_with("test") || words.contains("cfg test") || words.contains("cfg any test")
    })
}

/// An attribute's words with one space between them.
fn quoted(attribute: &Attribute) -> String {
    let syn::Meta::List(list) = &attribute.meta else {
        return attribute
            .path()
            .get_ident()
            .map(ToString::to_string)
            .unwrap_or_default();
    };
    let name = list
        .path
        .get_ident()
        .map(ToString::to_string)
        .unwrap_or_default();
    let inner = list.tokens.to_string().replace(['(', ')'], " ");
    format!(
        "{name} {}",
        inner.split_whitespace().collect::<Vec<_>>().join(" ")
    )
}

/// Whether a condition binds names, so that it cannot be put into parentheses.
fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => binds(&binary.left) || binds(&binary.right),
        _ => false,
    }
}

/// Whether a block ends by leaving: what makes an `if` a guard.
fn leaves(block: &syn::Block) -> bool {
    matches!(
        block.stmts.last(),
        Some(Stmt::Expr(
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_),
            _
        ))
    )
}

impl<'t> Sites<'t> {
    fn words(&self, of: impl Spanned) -> &'t str {
        &self.text[of.span().byte_range()]
    }

    fn add(&self, at: Span, text: String, what: &str) {
        let bytes = at.byte_range();
        let line = serde_json::json!({
            "file": self.file, "line": at.start().line, "start": bytes.start, "end": bytes.end, "text": text, "what": what,
        });
        println!("{line}");
    }

    /// `wrong` instead of the expression in the run that makes this mistake.
    fn or(&self, at: Span, wrong: &str, what: &str) {
        let right = &self.text[at.byte_range()];
        let text = format!("(if mutant__(@) {{ {wrong} }} else {{ {right} }})");
        self.add(at, text, what);
    }

    fn condition(&self, condition: &Expr) {
        if !binds(condition) {
            let text = format!("(mutant__(@) != ({}))", self.words(condition));
            self.add(condition.span(), text, "condition negated");
        }
    }

    fn dropped(&self, statement: &Stmt, what: &str) {
        let text = format!("if !mutant__(@) {{ {} }}", self.words(statement));
        self.add(statement.span(), text, what);
    }

    fn literal(&self, literal: &syn::ExprLit) {
        match &literal.lit {
            Lit::Bool(value) => {
                let wrong = (!value.value).to_string();
                self.or(
                    literal.span(),
                    &wrong,
                    &format!("`{}` to `{wrong}`", value.value),
                );
            }
            Lit::Int(value) => {
                if let Ok(number) = value.base10_parse::<u64>() {
                    let wrong = format!("{}{}", number.wrapping_add(1), value.suffix());
                    self.or(literal.span(), &wrong, &format!("`{value}` to `{wrong}`"));
                }
            }
            _ => {}
        }
    }

    fn range(&self, range: &syn::ExprRange) {
        let Some(end) = &range.end else { return };
        let (sign, other, dots) = match range.limits {
            syn::RangeLimits::HalfOpen(_) => ("+", "..=", ".."),
            syn::RangeLimits::Closed(_) => ("-", "..", "..="),
        };
        let wrong = format!("({}) {sign} 1", self.words(end));
        self.or(end.span(), &wrong, &format!("`{dots}` to `{other}`"));
    }

    fn method(&self, call: &syn::ExprMethodCall) {
        let other = match call.method.to_string().as_str() {
            "min" => "max",
            "max" => "min",
            _ => return,
        };
        let (whole, name) = (call.span().byte_range(), call.method.span().byte_range());
        let wrong = format!(
            "{}{other}{}",
            &self.text[whole.start..name.start],
            &self.text[name.end..whole.end]
        );
        self.or(
            call.span(),
            &wrong,
            &format!("`{}` to `{other}`", call.method),
        );
    }

    fn binary(&self, binary: &syn::ExprBinary) {
        if binds(&binary.left) || binds(&binary.right) {
            return;
        }
        let (left, right) = (self.words(&binary.left), self.words(&binary.right));
        for other in instead_of(&binary.op) {
            let what = format!("`{}` to `{other}`", self.words(binary.op));
            self.or(binary.span(), &format!("{left} {other} {right}"), &what);
        }
    }
}

impl<'ast> Visit<'ast> for Sites<'_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Binary(binary) => self.binary(binary),
            Expr::Lit(literal) => self.literal(literal),
            Expr::Range(range) => self.range(range),
            Expr::MethodCall(call) => self.method(call),
            Expr::If(branch) => self.condition(&branch.cond),
            Expr::While(repeat) => self.condition(&repeat.cond),
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Not(_)) => {
                self.condition(expression)
            }
            Expr::Const(_) => return,
            // The length is a constant.
            Expr::Repeat(repeat) => return self.visit_expr(&repeat.expr),
            // A minus before a number belongs to it.
            Expr::Unary(unary) if matches!(*unary.expr, Expr::Lit(_)) => return,
            _ => {}
        }
        visit::visit_expr(self, expression);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        match statement {
            Stmt::Expr(
                Expr::Call(_) | Expr::MethodCall(_) | Expr::Try(_) | Expr::Assign(_),
                Some(_),
            ) => {
                self.dropped(statement, "statement dropped");
            }
            Stmt::Expr(Expr::If(branch), None)
                if branch.else_branch.is_none() && leaves(&branch.then_branch) =>
            {
                self.dropped(statement, "guard dropped");
            }
            _ => {}
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.condition(guard);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if item.sig.constness.is_none() && !left_out(&item.attrs) {
            self.visit_block(&item.block);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.sig.constness.is_none() && !left_out(&item.attrs) {
            self.visit_block(&item.block);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let debug = matches!(&item.trait_, Some((_, path, _)) if path.segments.last().is_some_and(|last| last.ident == "Debug"));
        if !debug && !left_out(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    // The function that asks stands at the end of the file; modules inside it have other names.
    fn visit_item_mod(&mut self, _: &'ast syn::ItemMod) {}
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_macro(&mut self, _: &'ast syn::Macro) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_generics(&mut self, _: &'ast syn::Generics) {}
    fn visit_angle_bracketed_generic_arguments(
        &mut self,
        _: &'ast syn::AngleBracketedGenericArguments,
    ) {
    }
    fn visit_path(&mut self, _: &'ast syn::Path) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file)?;
        let parsed = syn::parse_file(&text).map_err(|error| format!("{file}: {error}"))?;
        Sites {
            file: &file,
            text: &text,
        }
        .visit_file(&parsed);
    }
    Ok(())
}
