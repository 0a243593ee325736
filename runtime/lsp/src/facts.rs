//! What is known about a place in a file: its type, its declaration, its uses.

use crate::analysis::Analysis;
use crate::call::{Call, Head};
use crate::document::Document;
use crate::report::location;
use serde_json::{Value, json};
use simple_document::signature::parameters;
use simple_document::{Entry, document};
use simple_sema::typed::uses::{Target, Use, uses};
use simple_sema::typed::{AdtKind, FuncId, Program, Ty, TyId};
use simple_syntax::Span;
use std::collections::HashMap;

/// Questions about one file.
pub(crate) struct Facts<'a> {
    analysis: &'a Analysis,
    /// The text as it is now.
    document: &'a Document,
    uses: Vec<Use>,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(analysis: &'a Analysis, document: &'a Document) -> Facts<'a> {
        Facts {
            analysis,
            document,
            uses: uses(&analysis.program, analysis.file),
        }
    }

    fn program(&self) -> &Program {
        &self.analysis.program
    }

    /// The innermost expression around a byte of the text as it is now, or the variable that is declared there.
    fn at(&self, offset: usize) -> Option<Use> {
        let then = self.analysis.then(self.document.text(), offset)? as u32;
        let around = |span: Span| span.lo <= then && then <= span.hi;
        let declared = self.declared().find(|one| around(one.span));
        let inner = self
            .uses
            .iter()
            .filter(|one| around(one.span))
            .min_by_key(|one| {
                (
                    one.span.hi - one.span.lo,
                    matches!(one.target, Target::Value),
                )
            });
        match (inner, declared) {
            (Some(inner), Some(name))
                if inner.span.hi - inner.span.lo < name.span.hi - name.span.lo =>
            {
                Some(*inner)
            }
            (_, Some(name)) => Some(name),
            (inner, None) => inner.copied(),
        }
    }

    /// The variables of the file's functions, at the places of their names.
    fn declared(&self) -> impl Iterator<Item = Use> {
        let funcs = self.program().funcs.iter().enumerate();
        let file = self.analysis.file;
        funcs.flat_map(move |(number, func)| {
            let id = FuncId(number as u32);
            let named = func.locals.iter().enumerate();
            named
                .filter(move |(_, local)| !local.name.is_empty() && local.span.file == file)
                .filter(|(_, local)| (local.span.hi - local.span.lo) as usize == local.name.len())
                .map(move |(at, local)| Use {
                    span: local.span,
                    target: Target::Local(id, simple_sema::typed::LocalId(at as u32)),
                    ty: local.ty,
                })
        })
    }

    /// What is shown where the mouse rests.
    pub(crate) fn hover(&self, offset: usize) -> Option<Value> {
        let one = self.at(offset)?;
        let program = self.program();
        let ty = program.types.name(one.ty);
        let (code, docs) = match one.target {
            Target::Local(func, id) => {
                let local = &program.funcs[func.0 as usize].locals[id.0 as usize];
                (format!("{}: {ty}", local.name), None)
            }
            Target::Func(func) => self.declaration(program.funcs[func.0 as usize].span),
            Target::Extern(id) => self.declaration(program.externs[id.0 as usize].span),
            Target::Global(id) => {
                let global = &program.globals[id.0 as usize];
                (format!("{}: {ty}", global.name), None)
            }
            Target::Field(of, number) => (self.field(of, number, &ty), None),
            Target::Value => (ty, None),
        };
        let mut text = format!("```simple\n{code}\n```");
        if let Some(shape) = self.analysis.shape(one.span) {
            text.push_str(&format!("\n\nshape `{shape}`"));
        }
        if let Some(docs) = docs.filter(|docs| !docs.is_empty()) {
            text.push_str("\n\n");
            text.push_str(&docs);
        }
        Some(json!({"contents": {"kind": "markdown", "value": text}}))
    }

    /// The head of a declaration, with its comment where it has one.
    fn declaration(&self, span: Span) -> (String, Option<String>) {
        let sources = &self.program().sources;
        let line = sources.position(span).line as usize;
        let documented = document(&sources.file(span.file).text);
        match documented
            .entries
            .into_iter()
            .find(|entry| entry.line == line)
        {
            Some(entry) => (entry.signature, Some(entry.docs)),
            // A private name, or a foreign function.
            None => {
                let head = sources.text(span).trim_end().trim_end_matches(':');
                let words: Vec<&str> = head.split_whitespace().collect();
                (words.join(" "), None)
            }
        }
    }

    fn field(&self, of: TyId, number: u32, ty: &str) -> String {
        let types = &self.program().types;
        let of_name = types.name(of);
        let name = match (types.adt(of), types.get(of)) {
            (Some(adt), _) => adt.fields.get(number as usize).and_then(|field| field.name),
            (None, Ty::Tuple(members)) => members.get(number as usize).and_then(|member| member.0),
            _ => None,
        };
        match name {
            Some(name) => format!("{of_name}.{name}: {ty}"),
            None => format!("{of_name}.{number}: {ty}"),
        }
    }

    /// What a function, method or type of this name takes, the best first: this file's, the program's, the library's.
    pub(crate) fn heads(&self, call: &Call<'_>) -> Vec<Head> {
        let sources = &self.program().sources;
        let types = &self.program().types;
        let receiver = call.receiver.and_then(|end| self.at(end));
        let owner = receiver.map(|one| types.name(one.ty));
        // `[i64]` and `Box<T>` have the methods of `[T]` and `Box`.
        let owner = owner
            .as_deref()
            .map(|name| name.split(['<', '?']).next().unwrap_or(name));
        let mut files: Vec<_> = sources
            .files()
            .filter(|(_, file)| file.text.contains(call.name))
            .collect();
        files.sort_by_key(|(id, file)| (*id != self.analysis.file, file.library));
        let (mut certain, mut possible) = (Vec::new(), Vec::new());
        for (_, file) in files {
            let entries = document(&file.text).entries;
            for entry in entries.iter().filter(|entry| entry.name == call.name) {
                let method = entry.owner.is_some();
                let list = match (&entry.owner, owner) {
                    (None, _) if call.receiver.is_none() => &mut certain,
                    (Some(of), Some(owner)) if of == owner => &mut certain,
                    _ if method && call.receiver.is_some() => &mut possible,
                    // A function of a module that is written before the dot.
                    (None, None) => &mut possible,
                    _ => continue,
                };
                match entry.fields.is_empty() && entry.signature.contains("fn ") || method {
                    true => list.push(Head::of_function(&entry.signature, &entry.docs)),
                    false => list.push(constructor(entry, &entries)),
                }
            }
        }
        match certain.is_empty() {
            true => possible,
            false => certain,
        }
    }

    /// The variables and the fields without a dot at their places.
    pub(crate) fn variables(&self) -> HashMap<usize, Variable> {
        let text = self.document.text();
        let program = self.program();
        let mut found = HashMap::new();
        for one in self.uses.iter().copied().chain(self.declared()) {
            let written = program.sources.text(one.span);
            let fact = match one.target {
                Target::Local(func, id) => {
                    let func = &program.funcs[func.0 as usize];
                    let local = &func.locals[id.0 as usize];
                    // A field that is written without `self` is one of a variable that is not written.
                    match (local.name == written, func.params.contains(&id)) {
                        (false, _) => continue,
                        (true, true) => Variable::Parameter(local.mutable),
                        (true, false) => Variable::Local(local.mutable),
                    }
                }
                Target::Field(..) if is_name(written) => Variable::Field,
                _ => continue,
            };
            if let Some(lo) = self.analysis.now(text, one.span.lo as usize) {
                found.insert(lo, fact);
            }
        }
        found
    }

    /// The number of a type's kind among those of semantic tokens.
    pub(crate) fn kind_of_type(&self, name: &str) -> Option<u32> {
        let adts = &self.program().types.adts;
        let adt = adts.iter().find(|adt| adt.name.as_str() == name)?;
        Some(match adt.kind {
            AdtKind::Class => 2,
            AdtKind::Enum => 3,
            AdtKind::Struct => 4,
        })
    }

    /// Where what is at a place is declared.
    pub(crate) fn definition(&self, offset: usize) -> Option<Value> {
        let program = self.program();
        let span = self.at(offset).and_then(|one| match one.target {
            Target::Local(func, id) => {
                Some(program.funcs[func.0 as usize].locals[id.0 as usize].span)
            }
            Target::Func(func) => Some(program.funcs[func.0 as usize].span),
            Target::Extern(id) => Some(program.externs[id.0 as usize].span),
            Target::Global(id) => Some(program.globals[id.0 as usize].span),
            Target::Field(..) | Target::Value => None,
        });
        let span = span
            .filter(|span| span.lo < span.hi)
            .or_else(|| self.declared_type(offset))?;
        Some(self.place(span))
    }

    /// A place in any file, in this one where it is now.
    fn place(&self, span: Span) -> Value {
        if span.file == self.analysis.file {
            let now = |at: u32| self.analysis.now(self.document.text(), at as usize);
            if let (Some(lo), Some(hi)) = (now(span.lo), now(span.hi)) {
                let path = &self.program().sources.file(span.file).path;
                let uri = crate::document::uri_of(path);
                return json!({"uri": uri, "range": self.document.range(lo, hi)});
            }
        }
        location(&self.program().sources, span, self.document)
    }

    /// The declaration that the word at a place names, in the file or one that it imports.
    fn declared_type(&self, offset: usize) -> Option<Span> {
        let (lo, hi) = self.document.word(offset);
        let word = self.document.text().get(lo..hi)?;
        if word.is_empty() {
            return None;
        }
        let sources = &self.program().sources;
        let mut files: Vec<_> = sources.files().collect();
        // This file first, then the program's, then the library's.
        files.sort_by_key(|(id, file)| (*id != self.analysis.file, file.library));
        for (id, file) in files {
            // Most files do not mention it, and need not be parsed.
            if !file.text.contains(word) {
                continue;
            }
            let entries = document(&file.text).entries;
            let found = entries
                .iter()
                .find(|entry| entry.owner.is_none() && entry.name == word);
            if let Some(entry) = found {
                let before = file.text.split_inclusive('\n').take(entry.line - 1);
                let start: usize = before.map(str::len).sum();
                let at = start + file.text[start..].find(word)?;
                return Some(Span::new(id, at as u32, (at + word.len()) as u32));
            }
        }
        None
    }

    /// The places of the name of the variable or function at a place, in this file as it is now.
    pub(crate) fn same(&self, offset: usize) -> Vec<(usize, usize)> {
        let Some(one) = self.at(offset) else {
            return Vec::new();
        };
        let program = self.program();
        let mut spans: Vec<Span> = match one.target {
            Target::Local(func, id) => {
                let at = program.funcs[func.0 as usize].locals[id.0 as usize].span;
                // A generic function has the variable in each instance, and a lambda a copy of it.
                let is_it = |target: Target| {
                    matches!(target, Target::Local(func, id)
                        if program.funcs[func.0 as usize].locals[id.0 as usize].span == at)
                };
                let used = self.uses.iter().filter(|other| is_it(other.target));
                used.map(|other| other.span).chain([at]).collect()
            }
            Target::Func(func) => {
                let at = program.funcs[func.0 as usize].span;
                let is_it = |target: Target| {
                    matches!(target, Target::Func(func)
                        if program.funcs[func.0 as usize].span == at)
                };
                let name = last_part(&program.funcs[func.0 as usize].name).to_owned();
                let used = self.uses.iter().filter(|other| is_it(other.target));
                let spans = used.map(|other| other.span).chain([at]);
                return self.names_in(spans, &name);
            }
            Target::Global(id) => {
                let at = program.globals[id.0 as usize].span;
                let used = self.uses.iter().filter(|other| other.target == one.target);
                used.map(|other| other.span).chain([at]).collect()
            }
            _ => return Vec::new(),
        };
        spans.retain(|span| span.file == self.analysis.file);
        self.settled(spans)
    }

    /// Where `name` is in each of the spans: of a call it is what precedes the arguments.
    fn names_in(&self, spans: impl Iterator<Item = Span>, name: &str) -> Vec<(usize, usize)> {
        let text = self.analysis.text();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let found = spans
            .filter(|span| span.file == self.analysis.file)
            .filter_map(|span| {
                let part = text.get(span.lo as usize..span.hi as usize)?;
                let at = part.match_indices(name).map(|(at, _)| at).find(|at| {
                    let before = part[..*at].chars().next_back();
                    let after = part[at + name.len()..].chars().next();
                    !before.is_some_and(is_word) && !after.is_some_and(is_word)
                })?;
                let lo = span.lo + at as u32;
                Some(Span::new(span.file, lo, lo + name.len() as u32))
            });
        self.settled(found.collect())
    }

    fn settled(&self, mut spans: Vec<Span>) -> Vec<(usize, usize)> {
        spans.sort_unstable();
        spans.dedup();
        let now = |at: u32| self.analysis.now(self.document.text(), at as usize);
        let each = spans.iter();
        each.filter_map(|span| Some((now(span.lo)?, now(span.hi)?)))
            .collect()
    }

    /// The places of a variable, if its name can be changed in this file alone.
    pub(crate) fn renamed(&self, offset: usize) -> Option<Vec<(usize, usize)>> {
        let one = self.at(offset)?;
        let Target::Local(func, id) = one.target else {
            return None;
        };
        let local = &self.program().funcs[func.0 as usize].locals[id.0 as usize];
        let places = self.same(offset);
        let text = self.document.text();
        // A place that is not the name itself is one that the checker made up, such as of a field written without
        // `self`.
        let plain = |(lo, hi): &(usize, usize)| text.get(*lo..*hi) == Some(local.name.as_str());
        (!places.is_empty() && places.iter().all(plain)).then_some(places)
    }

    /// The types of variables that are written without one, beside their names.
    pub(crate) fn hints(&self, (lo, hi): (usize, usize)) -> Vec<Value> {
        let text = self.document.text();
        let mut hints = Vec::new();
        let mut seen = Vec::new();
        for one in self.declared() {
            let Some(end) = self.analysis.now(text, one.span.hi as usize) else {
                continue;
            };
            let is_let = {
                let line = text[..end].rsplit('\n').next().unwrap_or_default();
                let mut words = line.split_whitespace();
                words.any(|word| matches!(word, "val" | "var"))
            };
            let written = text[end..]
                .trim_start_matches(' ')
                .starts_with([':', ',', ')']);
            let shown = is_let && !written && (lo..=hi).contains(&end) && !seen.contains(&end);
            let simple = !matches!(self.program().types.get(one.ty), Ty::Unit | Ty::Error);
            if shown && simple {
                seen.push(end);
                let shape = self.analysis.shape(one.span);
                let shape = shape.map_or(String::new(), |shape| format!(" {shape}"));
                hints.push(json!({
                    "position": self.document.position(end),
                    "label": format!(": {}{shape}", self.program().types.name(one.ty)),
                    "kind": 1,
                }));
            }
        }
        hints
    }

    /// What kind of thing a name that could be completed is, as the protocol numbers them: of types, by the program.
    pub(crate) fn kind_of(&self, name: &str) -> Option<u32> {
        let adts = &self.program().types.adts;
        let adt = adts.iter().find(|adt| adt.name.as_str() == name)?;
        Some(match adt.kind {
            AdtKind::Class => 7,
            AdtKind::Enum => 13,
            AdtKind::Struct => 22,
        })
    }
}

/// What a name is that means neither a function nor a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Variable {
    /// A parameter, and whether it is changed.
    Parameter(bool),
    /// Another variable of a function, and whether it is changed.
    Local(bool),
    /// A field of `self`.
    Field,
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// What the constructor of a type takes: its `init`, else its fields.
fn constructor(entry: &Entry, entries: &[Entry]) -> Head {
    let is_init =
        |other: &&Entry| other.name == "init" && other.owner.as_ref() == Some(&entry.name);
    match entries.iter().find(is_init) {
        Some(init) => {
            let parameters = parameters(&init.signature).into_iter().map(str::to_owned);
            Head::of_type(&entry.name, parameters.collect(), &entry.docs)
        }
        None => {
            let fields = entry.fields.iter().map(|field| field.text.clone());
            Head::of_type(&entry.name, fields.collect(), &entry.docs)
        }
    }
}

/// The name of a function without the type before it.
fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
