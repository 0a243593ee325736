//! What a captured step cannot do, found before the run (W0460): reading what a tensor contains.
//!
//! A function of the library with `@replays` records the functions that it is given and does again what was recorded (`lib.torch.capture`).
//! Which foreign functions read is known from their contract (`@effects(reads)`), which functions of a backend in Simple do from `@reads`: a
//! function of the library reads if it calls one of them, or one that reads, on every way through it; so `item()`, `print` and `==` are found
//! without a name. In the step itself every place is reported, in functions of the program that it calls those that are reached for sure: more is
//! not known before the run. What is called through a trait object or a function value is left to the run, which fails at the line. The steps are found
//! by `steps.rs`; what they share with the program is the matter of `unreplayed.rs`.

use rustc_hash::{FxHashMap, FxHashSet};
use simple_syntax::{Diagnostic, Span};

use crate::certain::{Met, Search, Walk};
use crate::checker::Checker;
use crate::codes;
use crate::decls::FnInfo;
use crate::steps::Steps;
use crate::typed::*;
use crate::unreplayed;

/// The annotation of a function that replays what it is given.
const REPLAYS: &str = "replays";
/// The annotation of a function of the library that fails in a captured step, as it reads what a tensor contains.
const READS: &str = "reads";
/// The annotation of a function of the library that says whether a step is being recorded.
const RECORDING: &str = "recording";

impl Checker<'_> {
    /// Decides that nothing is ever recorded in a program that captures no step, so that the code for it is left out. An entry of a session
    /// may capture one later.
    pub(crate) fn settle_recording(&mut self) {
        if self.input().session().is_open() || self.annotated(REPLAYS).next().is_some() {
            return;
        }
        let settled: Vec<FuncId> = self.annotated(RECORDING).collect();
        for func in settled {
            if let Some(body) = &mut self.output_mut()[func].body {
                body.kind = ExprKind::Bool(false);
            }
        }
    }

    /// The functions of the library with an annotation.
    pub(crate) fn annotated(&self, name: &'static str) -> impl Iterator<Item = FuncId> {
        let has = move |info: &FnInfo| {
            let mut annotations = info.item.annotations.iter();
            self.modules()[info.module].library
                && annotations.any(|annotation| annotation.name.name.as_str() == name)
        };
        let instances = self.instances().fns().iter();
        instances
            .filter(move |instance| has(&self.decls()[instance.fn_idx]))
            .map(|instance| instance.id)
    }

    /// Reports what the program's captured steps read, and what they share with the program. `inits` are the functions that set the variables
    /// of modules.
    pub(crate) fn check_replayed(&mut self, inits: &[FuncId]) {
        if self.reports().has_errors() || self.annotated(REPLAYS).next().is_none() {
            return;
        }
        let mut replaying = FxHashSet::default();
        let mut reading = FxHashMap::default();
        let mut library = FxHashSet::default();
        for instance in self.instances().fns() {
            let info = &self.decls()[instance.fn_idx];
            if !self.modules()[info.module].library {
                continue;
            }
            library.insert(instance.id);
            for annotation in &info.item.annotations {
                match annotation.name.name.as_str() {
                    REPLAYS => _ = replaying.insert(instance.id),
                    READS => _ = reading.insert(instance.id, true),
                    _ => {}
                }
            }
        }
        if replaying.is_empty() {
            return;
        }
        let steps = Steps::new(self, library, &replaying);
        let shared = unreplayed::shared(&steps, inits);
        let found = Reads::reads_of(&steps, reading);
        for one in shared {
            self.report_unreplayed(&one);
        }
        for (span, call) in found {
            let step = self.shown_capture(call);
            let message = "a captured step cannot read what a tensor contains";
            let d = Diagnostic::warning(codes::READ_IN_STEP, span, message)
                .note("a replay does what was recorded and would not read again, so the run fails here")
                .help("return the tensor from the step, and read it after the call")
                .related(step, "the step function is captured here");
            self.report(d);
        }
    }
}

struct Reads<'s, 'c, 'a> {
    steps: &'s Steps<'c, 'a>,
    /// Whether functions read.
    reading: FxHashMap<FuncId, bool>,
    /// Functions of the program whose reads are noted.
    seen: FxHashSet<FuncId>,
    /// Places that read, with the place where the step is captured.
    found: Vec<(Span, Span)>,
}

impl<'s, 'c, 'a> Reads<'s, 'c, 'a> {
    /// The places where steps read, each with the call that captures the step. `reading` are functions that are known to read.
    fn reads_of(steps: &'s Steps<'c, 'a>, reading: FxHashMap<FuncId, bool>) -> Vec<(Span, Span)> {
        let mut search = Reads {
            steps,
            reading,
            seen: FxHashSet::default(),
            found: Vec::new(),
        };
        for &(step, at) in &steps.captured {
            search.step(step, at);
        }
        search.found
    }

    /// Notes what a step reads, and the functions of the program that it calls.
    fn step(&mut self, step: FuncId, at: Span) {
        let mut met = Vec::new();
        if let Some(body) = self.steps.body(step) {
            let walk = match self.steps.library.contains(&step) {
                true => Walk::Certain,
                // [condition replayed.everywhere]: in the step itself every place is reported.
                false => Walk::Everywhere,
            };
            self.walk(body, walk, &mut met);
        }
        while let Some(next) = met.pop() {
            match next {
                Met::Found(span, ()) => {
                    if !self.found.iter().any(|(known, _)| *known == span) {
                        self.found.push((span, at));
                    }
                }
                Met::Call(func) => {
                    if self.seen.insert(func)
                        && let Some(body) = self.steps.body(func)
                    {
                        // [condition replayed.called_certain]: in what it calls, those that are reached for sure.
                        self.walk(body, Walk::Certain, &mut met);
                    }
                }
            }
        }
        self.found.sort_by_key(|(span, _)| *span);
    }

    /// Whether a function of the library reads on every way through it.
    fn reads(&mut self, func: FuncId) -> bool {
        if let Some(&known) = self.reading.get(&func) {
            return known;
        }
        // One that calls itself reads if the rest of it does.
        self.reading.insert(func, false);
        let mut met = Vec::new();
        if let Some(body) = self.steps.body(func) {
            self.walk(body, Walk::Certain, &mut met);
        }
        let reads = met.iter().any(|met| matches!(met, Met::Found(..)));
        self.reading.insert(func, reads);
        reads
    }

    fn printing_reads(&mut self, ty: TyId) -> bool {
        self.type_reads(ty, |adt| adt.to_text)
    }

    /// Whether `method` reads, of a type or of what a value of it consists of.
    fn type_reads(&mut self, ty: TyId, method: fn(&Adt) -> Option<FuncId>) -> bool {
        let mut seen = FxHashSet::default();
        let mut left = vec![ty];
        while let Some(ty) = left.pop() {
            if !seen.insert(ty) {
                continue;
            }
            let cx = self.steps.cx;
            match cx.types().get(ty) {
                Ty::Array(item) | Ty::Set(item) | Ty::Option(item) => left.push(*item),
                Ty::Dict(a, b) | Ty::Result(a, b) => left.extend([*a, *b]),
                Ty::Tuple(members) => left.extend(members.iter().map(|(_, ty)| *ty)),
                Ty::Adt(adt) => {
                    let adt = &cx.types().adts[adt.0 as usize];
                    match method(adt) {
                        Some(func) if self.reads(func) => return true,
                        // [condition replayed.own_method]: a type's own method decides for its parts.
                        Some(_) => {}
                        None => {
                            let payloads = adt.variants.iter().flat_map(|variant| &variant.fields);
                            left.extend(adt.fields.iter().chain(payloads).map(|field| field.ty));
                        }
                    }
                }
                _ => {}
            }
        }
        false
    }
}

impl<'c> Search<'c> for Reads<'_, 'c, '_> {
    type What = ();

    fn own(&mut self, e: &'c Expr, walk: Walk, met: &mut Vec<Met<()>>) {
        let reads = match &e.kind {
            ExprKind::CallExtern(id, _) => self.steps.cx.output()[*id].contract.reads(),
            ExprKind::Call(func, _) | ExprKind::CallInout(func, ..) => {
                if !self.steps.library.contains(func) {
                    met.push(Met::Call(*func));
                    return;
                }
                self.reads(*func)
            }
            ExprKind::ToText(value) => self.printing_reads(value.ty),
            ExprKind::Interpolate(texts) => {
                let mut values = texts.iter().flat_map(TextPart::exprs);
                values.any(|value| self.printing_reads(value.ty))
            }
            // [condition replayed.only_equality]: tensors have no order that reads them.
            ExprKind::Compare(CompareOp::Eq | CompareOp::Ne, a, _) => {
                self.type_reads(a.ty, |adt| adt.eq)
            }
            // [condition replayed.closures]: in a called function a closure may never run.
            ExprKind::Closure(func, _) if walk == Walk::Everywhere => {
                if let Some(body) = self.steps.body(*func) {
                    self.walk(body, walk, met);
                }
                false
            }
            _ => false,
        };
        if reads {
            met.push(Met::Found(e.span, ()));
        }
    }
}
