//! Changes that a function does not see (W0439): it took the value of a variable when it was made, and the variable is changed after that.
//!
//! Looked at are nested functions and lambdas that a `val` or `var` names, and only if they are used again after the change: a lambda
//! that is given to a call is usually done by then. "After" is by the text: a later statement, or the same loop around both. Places that
//! no statement of the body shows, such as what a `defer` runs at the end, are left out. Next: `scope.rs`, which tells this of uses and changes.

use super::*;
use crate::codes;
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast;

/// What names a function inside a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Holder {
    /// A variable of a frame.
    Local(usize, LocalId),
    /// A generic function.
    Fn(FnIdx),
}

/// A change of a captured variable.
#[derive(Clone, Copy)]
struct Change {
    variable: LocalId,
    place: Span,
    statement: Span,
}

/// A function inside a function, and what happened since it was made.
#[derive(Clone)]
struct Watched {
    holder: Holder,
    name: ast::Ident,
    /// The frame that it is declared in, and the variables of that frame that it captured.
    frame: usize,
    captured: Vec<LocalId>,
    changes: Vec<Change>,
    /// The statements that mention it.
    uses: Vec<Span>,
}

/// The functions of a body that captured something.
#[derive(Clone, Default)]
pub(crate) struct Stale {
    watched: Vec<Watched>,
    /// The innermost statement that is being checked.
    statement: Span,
}

/// The variables that a value captures if it is a lambda as it is written.
pub(in crate::body) fn captured_by(value: &Expr) -> Vec<LocalId> {
    match &value.kind {
        ExprKind::Closure(_, captured) => captured.clone(),
        ExprKind::Block(_, Some(value)) => captured_by(value),
        _ => Vec::new(),
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// Says which statement is being checked; the result, given to the next call, ends it.
    pub(in crate::body) fn enter_statement(&mut self, span: Span) -> Span {
        std::mem::replace(&mut self.scopes.stale_mut().statement, span)
    }

    /// Watches a function of the innermost frame that captured these of its variables.
    pub(in crate::body) fn watch(
        &mut self,
        holder: Holder,
        name: ast::Ident,
        captured: &[LocalId],
    ) {
        let frame = self.scopes.here();
        let mut captured = captured.to_vec();
        // What a captured function captured has been captured, too.
        for earlier in self
            .scopes
            .stale()
            .watched
            .iter()
            .filter(|w| w.frame == frame)
        {
            if let Holder::Local(_, id) = earlier.holder
                && captured.contains(&id)
            {
                captured.extend_from_slice(&earlier.captured);
            }
        }
        if captured.is_empty() || self.in_library() {
            return;
        }
        self.scopes.stale_mut().watched.push(Watched {
            holder,
            name,
            frame,
            captured,
            changes: Vec::new(),
            uses: Vec::new(),
        });
    }

    /// Notes that a name which means this was met.
    pub(in crate::body) fn note_use(&mut self, found: Holder) {
        let statement = self.scopes.stale().statement;
        let Some(at) = self
            .scopes
            .stale()
            .watched
            .iter()
            .rposition(|watched| watched.holder == found)
        else {
            return;
        };
        let watched = &mut self.scopes.stale_mut().watched[at];
        watched.uses.push(statement);
        let missed = watched
            .changes
            .iter()
            .find(|change| change.statement.hi <= statement.lo);
        if let Some(&change) = missed {
            self.report_stale(at, change, statement);
        }
    }

    /// Notes that a variable of a frame is changed.
    pub(in crate::body) fn note_change(&mut self, frame: usize, variable: LocalId, place: Span) {
        let statement = self.scopes.stale().statement;
        for watched in &mut self.scopes.stale_mut().watched {
            if watched.frame == frame && watched.captured.contains(&variable) {
                watched.changes.push(Change {
                    variable,
                    place,
                    statement,
                });
            }
        }
    }

    /// A loop ends: what is used anywhere in it may come after a change anywhere in it.
    pub(in crate::body) fn end_of_loop(&mut self, body: Span) {
        let inside = |span: Span| body.lo <= span.lo && span.hi <= body.hi;
        let found = self
            .scopes
            .stale()
            .watched
            .iter()
            .enumerate()
            .find_map(|(at, watched)| {
                if inside(watched.name.span) {
                    return None;
                }
                let change = watched.changes.iter().find(|c| inside(c.statement))?;
                let used = watched.uses.iter().find(|&&used| inside(used))?;
                Some((at, *change, *used))
            });
        if let Some((at, change, used)) = found {
            self.report_stale(at, change, used);
        }
    }

    /// A frame ends, and with it its variables.
    pub(in crate::body) fn end_of_frame(&mut self, frame: usize) {
        self.scopes
            .stale_mut()
            .watched
            .retain(|watched| watched.frame < frame);
    }

    /// Reports it once for each function.
    fn report_stale(&mut self, at: usize, change: Change, used: Span) {
        let watched = self.scopes.stale_mut().watched.remove(at);
        let variable = self.scopes.frames()[watched.frame].locals[change.variable.0 as usize]
            .name
            .clone();
        let name = watched.name.name;
        let message = format!("`{name}` does not see this change of `{variable}`");
        let used = self.first_line(used);
        let d = Diagnostic::warning(codes::STALE_CAPTURE, change.place, message)
            .related(
                watched.name.span,
                format!("`{name}` took the value of `{variable}` here"),
            )
            .related(used, "and is used again here")
            .help(format!(
                "give `{name}` the value as an argument, declare it after the change, or keep `{variable}` in a field of a class"
            ));
        self.cx.report(d);
    }
}
