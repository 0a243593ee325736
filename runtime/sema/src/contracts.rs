//! `@fails`, `@effects` and `@absent` above a foreign function: what the runtime must know of it besides its types.
//!
//! What the annotations mean is decided in `simple_ffi_abi::contract`, as for the bridge; here are the places of mistakes. Where a manifest
//! describes the function they must say what it says. Otherwise the effects are believed, and a failure is looked for after every call,
//! which is right for every function. Next: `externs.rs`, which asks.

use crate::checker::Checker;
use crate::codes;
use simple_ffi_abi::SffiFailure;
use simple_ffi_abi::contract::{ANNOTATIONS, Annotations, Contract, Malformed};
use simple_spelling::nearest;
use simple_syntax::ast::{self, Annotation, ExprKind, UnaryOp};
use simple_syntax::{Diagnostic, Span};

/// Whether an annotation says something of a foreign function.
pub(crate) fn is_stated(annotation: &Annotation) -> bool {
    ANNOTATIONS.contains(&annotation.name.name.as_str())
}

impl Checker<'_> {
    /// What the annotations above a foreign function state; those that cannot be read are reported.
    pub(crate) fn stated(&mut self, annotations: &[Annotation]) -> Annotations {
        let mut stated = Annotations::default();
        for annotation in annotations.iter().filter(|a| is_stated(a)) {
            let arguments: Vec<String> = (annotation.args.iter())
                .map(|(label, value)| match label {
                    Some(label) => format!("{}: {}", label.name, self.word(value)),
                    None => self.word(value),
                })
                .collect();
            let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
            if let Err(wrong) = stated.read(annotation.name.name.as_str(), &words) {
                self.malformed(annotation, &words, wrong);
            }
        }
        stated
    }

    /// An argument as the text that `Annotations` reads.
    fn word(&self, value: &ast::Expr) -> String {
        match &value.kind {
            ExprKind::Int(number, None) => number.to_string(),
            ExprKind::Unary(UnaryOp::Neg, operand) => format!("-{}", self.word(operand)),
            _ => self.input().text(value.span).to_owned(),
        }
    }

    fn malformed(&mut self, annotation: &Annotation, words: &[&str], wrong: Malformed) {
        let argument = wrong.argument.map(|at| (annotation.args[at].1.span, at));
        let span = argument.map_or(annotation.span, |(span, _)| span);
        let mut d = Diagnostic::error(codes::BAD_ANNOTATION, span, wrong.message);
        if let Some((span, at)) = argument
            && let Some(near) = nearest(words[at], wrong.words.iter().copied())
        {
            d = d.help(format!("did you mean `{near}`?")).fix(span, near);
        }
        self.report(d);
    }

    /// Compares what annotations state with what a manifest says, which is right.
    pub(crate) fn compare_stated(
        &mut self,
        (name, annotations): (ast::Ident, &[Annotation]),
        stated: &Annotations,
        (known, origin): (&Contract, &str),
    ) {
        if stated.fit(known) {
            return;
        }
        let places: Vec<Span> = (annotations.iter().filter(|a| is_stated(a)))
            .map(|annotation| annotation.span)
            .collect();
        let Some((&first, &last)) = places.first().zip(places.last()) else {
            return;
        };
        let written: Vec<&str> = places.iter().map(|span| self.input().text(*span)).collect();
        let d = Diagnostic::error(
            codes::EXTERN_CONTRADICTION,
            first.to(last),
            format!(
                "the annotations of `{}` contradict what is known about it",
                name.name
            ),
        )
        .note(format!("declared: {}", written.join(" ")))
        .note(format!("actual:   {known}"))
        .note(format!("according to {origin}"))
        .help(format!(
            "write `{known}`, or leave these annotations out: the compiler knows it"
        ));
        self.report(d);
    }

    /// What can be believed of a function about which only its declaration says something.
    pub(crate) fn believed(
        &mut self,
        annotations: &[Annotation],
        stated: &Annotations,
        library: Option<&str>,
    ) -> Contract {
        let place = |name: &str| {
            let mut named = annotations.iter().filter(|a| a.name.name.as_str() == name);
            named.next().map(|annotation| annotation.span)
        };
        if let (Some(library), Some(_), Some(span)) = (library, stated.absent, place("absent")) {
            let message = "`@absent` cannot be above a function with `@Lib`";
            let d = Diagnostic::error(codes::BAD_ANNOTATION, span, message)
                .note("only a registered library, which has a manifest, can be asked for while it is absent")
                .help(format!(
                    "ask before the call: `if library_available(\"{library}\"): ...`, from `std.ffi`"
                ));
            self.report(d);
        }
        let fails = stated
            .fails
            .is_some_and(|(kind, _)| kind != SffiFailure::Never);
        if let (Some(library), true, Some(span)) = (library, fails, place("fails"))
            && self.input().externs().is_plain(library)
        {
            let message =
                format!("a function of the plain C library `{library}` does not report failures");
            let d = Diagnostic::error(codes::BAD_ANNOTATION, span, message)
                .note("`@fails` describes how a function of an SFFI library, which can leave a message, reports failure")
                .help("leave it out, and compare the result after the call");
            self.report(d);
        }
        Contract {
            absent: None,
            ..Annotations {
                fails: None,
                ..*stated
            }
            .contract()
        }
    }
}
