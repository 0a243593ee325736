//! Lambdas, colon blocks and placeholder arguments. Next: `nested.rs` for functions inside functions, `named.rs` for
//! calls of both by name.

use super::convert::Why;
use super::named::NamedParam;
use super::*;
use crate::codes;
use crate::shapes::Site;
use crate::typed::{Expr, Func, Stmt};
use simple_syntax::Diagnostic;
use simple_syntax::ast;

/// The parameters that `_` and `_1` mean in one argument.
#[derive(Clone)]
pub(in crate::body) struct PlaceholderScope {
    params: Vec<LocalId>,
    next: usize,
}

impl PlaceholderScope {
    pub(in crate::body) fn new(params: Vec<LocalId>) -> PlaceholderScope {
        PlaceholderScope { params, next: 0 }
    }

    /// The parameter that `_number` means, or the next one for `_`, whose number is 0.
    pub(in crate::body) fn next(&mut self, number: u32) -> Option<LocalId> {
        let index = match number {
            0 => {
                self.next += 1;
                self.next - 1
            }
            _ => number as usize - 1,
        };
        self.params.get(index).copied()
    }
}

/// The types of a lambda's parameters.
struct ParamTypes {
    types: Vec<TyId>,
    /// How many parameters the expected function type has.
    hinted: Option<usize>,
}

impl<'c, 'a> Body<'c, 'a> {
    /// An argument, which may be an expression over placeholders.
    pub(crate) fn argument(&mut self, e: &'a ast::Expr, ty: TyId) -> Expr {
        if has_placeholder(e) && matches!(self.kind(ty), Ty::Fn(..)) {
            return self.placeholder_lambda(e, ty);
        }
        let ty = self.literal_type(ty);
        self.expr(e, Want::Ty(ty))
    }

    pub(in crate::body) fn open_frame(&mut self, kind: FrameKind, ret: Option<TyId>) -> usize {
        self.scopes.push_frame(Frame::new(kind, ret));
        self.open()
    }

    /// Ends the innermost frame: its function, and a closure over what it captured.
    pub(in crate::body) fn close_frame(
        &mut self,
        mark: usize,
        name: &str,
        value: Expr,
        ret: TyId,
        span: Span,
    ) -> Expr {
        self.close_named_frame(mark, (name, None), value, ret, span)
    }

    /// The same for a function that may call itself by the variable `own`. It is given a closure over the captured
    /// values whenever the function begins: a closure that held itself would never be freed.
    pub(in crate::body) fn close_named_frame(
        &mut self,
        mark: usize,
        (name, own): (&str, Option<LocalId>),
        mut value: Expr,
        ret: TyId,
        span: Span,
    ) -> Expr {
        self.close(mark);
        let Some(mut frame) = self.scopes.pop_frame() else {
            return self.bad(span);
        };
        self.end_of_frame(self.scopes.frames().len());
        self.make_cells(&mut frame);
        let params: Vec<TyId> = frame
            .params
            .iter()
            .map(|id| frame.locals[id.0 as usize].ty)
            .collect();
        let ty = self.intern(Ty::Fn(params.clone(), ret));
        // The body of a generator is another function, which comes before the one that makes it.
        let pending = self.duties.pending().len() + usize::from(frame.generates.is_some());
        if let Some(own) = own {
            let captured = frame.captures.iter().map(|&(_, inner)| inner).collect();
            let itself = FuncId(PENDING + pending as u32);
            let itself = self.mk(ExprKind::Closure(itself, captured), ty, span);
            let bind = Stmt {
                kind: StmtKind::Let(own, itself),
                span,
            };
            let result = value.ty;
            value = self.mk(
                ExprKind::Block(vec![bind], Some(Box::new(value))),
                result,
                span,
            );
        }
        let mut func = Func {
            name: name.to_owned(),
            locals: frame.locals,
            params: frame.params,
            captures: frame.captures.iter().map(|&(_, inner)| inner).collect(),
            inout_self: false,
            ret,
            body: Some(value),
            span: Span {
                hi: span.hi.min(span.lo + 1),
                ..span
            },
            inline: false,
            is_generator: false,
        };
        if let Some(item) = frame.generates {
            self.make_generator(&mut func, item, name.to_owned());
        }
        let outer: Vec<LocalId> = frame.captures.iter().map(|&(outer, _)| outer).collect();
        let id = self.pend(Pending::Lambda(Box::new(func)));
        if frame.kind == FrameKind::ColonBlock {
            self.scopes.frame_mut().blocks.push(BlockCaptures {
                pending,
                captures: frame.captures,
                blocks: frame.blocks,
            });
        }
        self.mk(ExprKind::Closure(id, outer), ty, span)
    }

    pub(crate) fn lambda(&mut self, lambda: &'a ast::Lambda, want: Want, span: Span) -> Expr {
        let (types, unpack, ret) = self.lambda_types(lambda, want);
        // Given where fewer arguments are passed, the rest of the parameters are variables that hold their defaults.
        let passed = types.hinted.unwrap_or(lambda.params.len());
        let passed = match lambda.params.get(passed..) {
            Some(rest) if unpack.is_none() && rest.iter().all(|p| p.default.is_some()) => passed,
            _ => lambda.params.len(),
        };
        let mut types = types.types;
        // Without a name no call can leave an argument out, but a default is checked nevertheless.
        self.default_closures(&lambda.params[..passed], &mut types, &mut Vec::new());
        self.lambda_of(lambda, &types, (passed, unpack), ret, span)
    }

    /// A lambda that becomes the value of a variable: with what a call by the variable's name knows about the
    /// parameters. What holds their defaults goes to `out`.
    pub(in crate::body) fn lambda_with_name(
        &mut self,
        lambda: &'a ast::Lambda,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> (Expr, Rc<[NamedParam<'a>]>) {
        let (types, unpack, ret) = self.lambda_types(lambda, Want::Any);
        let mut types = types.types;
        let named = self.default_closures(&lambda.params, &mut types, out);
        let passed = lambda.params.len();
        let value = if unpack.is_none() && types.iter().any(|&ty| self.is_unknown(ty)) {
            self.lambda_or_waiting(lambda, &types, ret, span)
        } else {
            self.lambda_of(lambda, &types, (passed, unpack), ret, span)
        };
        (value, named)
    }

    /// What is known about a lambda's types before its body is checked: those of the parameters, the type of the tuple
    /// that they take apart, the result.
    fn lambda_types(
        &mut self,
        lambda: &'a ast::Lambda,
        want: Want,
    ) -> (ParamTypes, Option<TyId>, Option<TyId>) {
        let expected = self.hint(want).and_then(|ty| match self.kind(ty) {
            Ty::Fn(params, ret) => Some((params, ret)),
            Ty::Option(item) => match self.kind(item) {
                Ty::Fn(params, ret) => Some((params, ret)),
                _ => None,
            },
            Ty::Trait(_) => self.cx.function_of_trait(ty, lambda.params.len()),
            _ => None,
        });
        let scope = self.scopes.types().clone();
        let (mut hints, mut hinted, mut ret, mut unpack) = (Vec::new(), None, None, None);
        if let Some((params, expected_ret)) = expected {
            // A function of one tuple, given a lambda of several parameters, takes the tuple apart.
            if params.len() == 1
                && lambda.params.len() > 1
                && let Ty::Tuple(members) = self.kind(params[0])
                && members.len() == lambda.params.len()
            {
                unpack = Some(params[0]);
                hints = members.into_iter().map(|(_, ty)| ty).collect();
            } else {
                hinted = Some(params.len());
                hints = params;
            }
            ret = Some(expected_ret);
        }
        if let Some(written) = &lambda.ret {
            ret = Some(self.cx.resolve_type(written, &scope));
        }
        let types = lambda
            .params
            .iter()
            .enumerate()
            .map(|(index, param)| match (&param.ty, hints.get(index)) {
                (Some(written), _) => {
                    self.cx
                        .output_mut()
                        .shapes_mut()
                        .binding(param.name.span, written);
                    let ty = self.cx.resolve_type(written, &scope);
                    self.cx.type_of_param(param, ty)
                }
                (None, Some(&hint)) => hint,
                (None, None) => self.fresh(param.name.span, infer::Origin::Parameter),
            })
            .collect();
        (ParamTypes { types, hinted }, unpack, ret)
    }

    /// A lambda whose parameter types are known. The first `passed` parameters are the function's, or parts of the
    /// tuple that it takes; the others are variables that hold their defaults.
    pub(in crate::body) fn lambda_of(
        &mut self,
        lambda: &'a ast::Lambda,
        types: &[TyId],
        (passed, unpack): (usize, Option<TyId>),
        ret: Option<TyId>,
        span: Span,
    ) -> Expr {
        self.lambda_in(
            FrameKind::Lambda,
            lambda,
            types,
            (passed, unpack),
            ret,
            span,
        )
    }

    /// The same in a frame of this kind: that of a block sees the variables around it.
    fn lambda_in(
        &mut self,
        kind: FrameKind,
        lambda: &'a ast::Lambda,
        types: &[TyId],
        (passed, unpack): (usize, Option<TyId>),
        ret: Option<TyId>,
        span: Span,
    ) -> Expr {
        let mark = self.open_frame(kind, ret);
        let (mut parts, mut before) = (Vec::new(), Vec::new());
        for (index, (param, &ty)) in lambda.params.iter().zip(types).enumerate() {
            if let (true, Some(default)) = (index >= passed, &param.default) {
                let want = self.want_of(ty);
                let value = self.expr(default, want);
                let value = self.coerce(value, ty, Why::Default);
                let id = self.declare(param.name, ty, Origin::Param);
                before.push(Stmt {
                    kind: StmtKind::Let(id, value),
                    span: default.span,
                });
                continue;
            }
            let id = self.declare(param.name, ty, Origin::Param);
            if unpack.is_some() {
                parts.push(Pattern::Bind(id));
            } else {
                self.scopes.frame_mut().params.push(id);
            }
        }
        if let Some(ty) = unpack {
            let id = self.temp(ty, span);
            self.scopes.frame_mut().params.push(id);
            let read = self.read(id, span);
            before.push(Stmt {
                kind: StmtKind::LetPattern(Pattern::Tuple(parts), read),
                span,
            });
        }
        self.scopes.frame_mut().written_ret = lambda.ret.as_ref();
        before.extend(self.expect_params(&lambda.params, &[], |_| Site::Lambda));
        let (value, ret) = self.lambda_body(&lambda.body, ret, span);
        let value = self.after(before, value);
        self.close_frame(mark, "<lambda>", value, ret, span)
    }

    /// The body of a lambda and its result type.
    fn lambda_body(&mut self, body: &'a ast::Block, ret: Option<TyId>, span: Span) -> (Expr, TyId) {
        match ret {
            Some(ret) if !self.is_unknown(ret) => {
                let value = self.function_body(body, Some(ret), span, false);
                (value, ret)
            }
            Some(ret) => {
                self.scopes.frame_mut().ret = None;
                let value = self.function_body(body, None, span, false);
                let ty = value.ty;
                if ty == TyId::ERROR {
                    self.unify(ret, TyId::ERROR);
                } else if !self.unify(ret, ty) {
                    self.mismatch(&value, ret, Why::Return);
                }
                (value, ret)
            }
            None => {
                let value = self.function_body(body, None, span, false);
                let ty = value.ty;
                (value, ty)
            }
        }
    }

    /// The block of a call statement that ends in `:`. The parameter may be an option of a function. A block with
    /// parameters is a lambda alone in it: `walk(3):` with `\k, v: out.push(v)` below.
    pub(crate) fn colon_block(&mut self, block: &'a ast::Block, ty: TyId) -> Expr {
        let span = block.span;
        if let [
            ast::Stmt {
                kind: ast::StmtKind::Expr(e),
                ..
            },
        ] = &block.stmts[..]
            && let ast::ExprKind::Lambda(lambda) = &e.kind
            && self.takes_parameters(ty)
        {
            let (types, unpack, ret) = self.lambda_types(lambda, Want::Ty(ty));
            let passed = (lambda.params.len(), unpack);
            let kind = FrameKind::ColonBlock;
            let block = self.lambda_in(kind, lambda, &types.types, passed, ret, e.span);
            return self.coerce(block, ty, Why::Argument("block"));
        }
        let wanted = match self.kind(ty) {
            Ty::Option(inside) => self.kind(inside),
            kind => kind,
        };
        let ret = match wanted {
            Ty::Fn(params, ret) if params.is_empty() => ret,
            Ty::Error => TyId::ERROR,
            Ty::Infer(_) => TyId::UNIT,
            _ => {
                let name = self.show(ty);
                let mut d = Diagnostic::error(
                    codes::TYPE_MISMATCH,
                    span,
                    "an indented block is a function without parameters",
                )
                .found_expected("fn()", name);
                if self.takes_parameters(ty) {
                    d = d.help("name its parameters: the block is then `\\x: ...` alone");
                }
                self.cx.report(d);
                return self.bad(span);
            }
        };
        let mark = self.open_frame(FrameKind::ColonBlock, Some(ret));
        let (value, ret) = self.lambda_body(block, Some(ret), span);
        let closure = self.close_frame(mark, "<block>", value, ret, span);
        self.coerce(closure, ty, Why::Argument("block"))
    }

    /// Whether a type is that of functions with parameters, or an option of it.
    fn takes_parameters(&self, ty: TyId) -> bool {
        match self.kind(ty) {
            Ty::Option(inside) => self.takes_parameters(inside),
            Ty::Fn(params, _) => !params.is_empty(),
            _ => false,
        }
    }

    /// `&:name`: a function that calls a method of its first argument, or reads a field of its only one.
    pub(crate) fn method_ref(&mut self, name: ast::Ident, want: Want, span: Span) -> Expr {
        let expected = self.hint(want).and_then(|ty| match self.kind(ty) {
            Ty::Fn(params, ret) => Some((params, ret)),
            _ => None,
        });
        let Some((params, ret)) = expected else {
            let d = Diagnostic::error(
                codes::UNDETERMINED,
                span,
                "a method reference needs an expected function type",
            )
            .help("write a lambda with a typed parameter: `\\(x: T) -> U: x.name()`");
            self.cx.report(d);
            return self.bad(span);
        };
        if params.is_empty() {
            self.cx.error(
                codes::ARG_COUNT,
                span,
                "a method reference takes the value that the method is called on",
            );
            return self.bad(span);
        }
        self.referred_method(name, &params, ret, span)
    }

    /// The function that `&:name` is, for parameters of these types, of which there is at least one.
    pub(in crate::body) fn referred_method(
        &mut self,
        name: ast::Ident,
        params: &[TyId],
        ret: TyId,
        span: Span,
    ) -> Expr {
        self.function_of(params, ret, span, |this, mut args, want| {
            let first = match args.remove(0).value {
                args::GivenValue::Typed(Some(value)) => value,
                _ => return this.bad(span),
            };
            if args.is_empty() {
                // As in `x.name`, a field of that name wins.
                let target = this.field_target(place::Target::Value(first), name, span);
                return this.target_value(target);
            }
            let receiver = method::Receiver::value(first);
            this.method_on(receiver, name, &[], args, want, span)
        })
    }

    /// A function that does with its parameters what `body` says.
    pub(crate) fn function_of(
        &mut self,
        params: &[TyId],
        ret: TyId,
        span: Span,
        body: impl FnOnce(&mut Self, Vec<args::Given<'a>>, Want) -> Expr,
    ) -> Expr {
        let mark = self.open_frame(FrameKind::Lambda, Some(ret));
        let mut args = Vec::with_capacity(params.len());
        for &ty in params {
            let id = self.local("_", ty, Origin::Param, span);
            self.scopes.frame_mut().params.push(id);
            args.push(args::Given::typed(self.read(id, span)));
        }
        let unit = self.shallow(ret) == TyId::UNIT;
        let want = if unit { Want::Discard } else { Want::Ty(ret) };
        let value = body(self, args, want);
        let value = if unit {
            self.discarded(value)
        } else {
            self.coerce(value, ret, Why::Return)
        };
        self.close_frame(mark, "<lambda>", value, ret, span)
    }

    fn placeholder_lambda(&mut self, e: &'a ast::Expr, ty: TyId) -> Expr {
        let span = e.span;
        let Ty::Fn(params, ret) = self.kind(ty) else {
            return self.bad(span);
        };
        let mark = self.open_frame(FrameKind::Lambda, Some(ret));
        // `_1 + _2` over a function of one tuple takes the tuple apart.
        let highest = highest_placeholder(e);
        let mut unpack = Vec::new();
        let mut locals = Vec::new();
        if let ([only], true) = (&params[..], highest > 1)
            && let Ty::Tuple(members) = self.kind(*only)
        {
            let whole = self.temp(*only, span);
            self.scopes.frame_mut().params.push(whole);
            for (_, ty) in members {
                let id = self.local("_", ty, Origin::Param, span);
                unpack.push(Pattern::Bind(id));
                locals.push(id);
            }
            let read = self.read(whole, span);
            unpack = vec![Pattern::Tuple(unpack)];
            self.scopes.open_placeholders(locals);
            let value = self.placeholder_body(e, ret);
            self.scopes.close_placeholders();
            let take = Stmt {
                kind: StmtKind::LetPattern(unpack.remove(0), read),
                span,
            };
            let ty = value.ty;
            let value = self.mk(ExprKind::Block(vec![take], Some(Box::new(value))), ty, span);
            return self.close_frame(mark, "<lambda>", value, ret, span);
        }
        for ty in params {
            let id = self.local("_", ty, Origin::Param, span);
            self.scopes.frame_mut().params.push(id);
            locals.push(id);
        }
        self.scopes.open_placeholders(locals);
        let value = self.placeholder_body(e, ret);
        self.scopes.close_placeholders();
        self.close_frame(mark, "<lambda>", value, ret, span)
    }

    fn placeholder_body(&mut self, e: &'a ast::Expr, ret: TyId) -> Expr {
        if self.shallow(ret) == TyId::UNIT {
            let value = self.expr(e, Want::Discard);
            return self.discarded(value);
        }
        let value = self.expr(e, Want::Ty(ret));
        self.coerce(value, ret, Why::Return)
    }

    pub(crate) fn placeholder(&mut self, number: u32, span: Span) -> Expr {
        let Some(found) = self.scopes.next_placeholder(number) else {
            let message = "`_` is a parameter only inside an argument that is a function";
            self.cx.error(codes::UNKNOWN_NAME, span, message);
            return self.bad(span);
        };
        match found {
            Some(id) if (id.0 as usize) < self.scopes.frame_mut().locals.len() => {
                self.read(id, span)
            }
            _ => {
                self.cx.error(
                    codes::ARG_COUNT,
                    span,
                    "the function has fewer parameters than placeholders",
                );
                self.bad(span)
            }
        }
    }
}

/// Whether an argument is an expression over its own placeholders.
pub(crate) fn has_placeholder(e: &ast::Expr) -> bool {
    highest_placeholder(e) > 0
}

/// The number of parameters that the placeholders of an argument ask for.
pub(crate) fn highest_placeholder(e: &ast::Expr) -> u32 {
    use ast::ExprKind as K;
    let max = |list: &[&ast::Expr]| {
        list.iter()
            .map(|e| highest_placeholder(e))
            .max()
            .unwrap_or(0)
    };
    match &e.kind {
        K::Placeholder(0) => 1,
        K::Placeholder(n) => *n,
        K::Binary(_, a, b)
        | K::And(a, b)
        | K::Or(a, b)
        | K::Coalesce(a, b)
        | K::In(a, b, _)
        | K::Range(a, b, _)
        | K::Index(a, b, _) => {
            let blank = |e: &ast::Expr| matches!(e.kind, K::Placeholder(0));
            if blank(a) && blank(b) {
                2
            } else {
                max(&[a, b])
            }
        }
        K::Unary(_, a)
        | K::Field(a, ..)
        | K::TupleField(a, ..)
        | K::Paren(a)
        | K::Presence(a)
        | K::Try(a)
        | K::Unwrap(a)
        | K::Cast(a, _)
        | K::Is(a, _) => highest_placeholder(a),
        K::Compare(first, rest) => rest
            .iter()
            .map(|(_, _, e)| highest_placeholder(e))
            .max()
            .unwrap_or(0)
            .max(highest_placeholder(first)),
        // Arguments of an inner call are separate scopes; its receiver is not.
        K::Call(call) => match &call.callee.kind {
            K::Field(base, ..) => highest_placeholder(base),
            _ => 0,
        },
        K::Text(parts) => parts
            .iter()
            .flat_map(ast::TextPart::exprs)
            .map(highest_placeholder)
            .max()
            .unwrap_or(0),
        _ => 0,
    }
}

/// Whether an argument is a lambda or a placeholder expression, which mean nothing on their own.
pub(crate) fn is_lambda_like(e: &ast::Expr) -> bool {
    matches!(e.kind, ast::ExprKind::Lambda(_)) || has_placeholder(e)
}
