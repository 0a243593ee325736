//! Which arms can be reached, and what no arm covers.
//!
//! The usefulness algorithm of Luc Maranget, "Warnings for pattern matching" (Journal of Functional Programming 17(3), 2007), for all
//! arms at once: rows of patterns are taken apart one constructor at a time, and where nothing is left to look at, the first row is
//! reached. Integers are split at the bounds of the ranges that occur, arrays by length. For example
//!
//! ```text
//! match (a, b):                     rows        column 1 = true        missing: (false, true)
//!     case (true, _): ...           T _         _
//!     case (false, false): ...      F F
//! ```
//!
//! Each row goes straight to the constructors that it names, and all that no row names are looked at as one, so that thousands of
//! constants take thousands of steps. The work is bounded by [`FUEL`]: a match that would take longer counts as exhaustive with every
//! arm reachable, so that no program makes the checker hang; code generation then still has a failing last arm.
//!
//! Next: `exhaustive/lines.rs`, which moves patterns between the columns of an arm.

mod lines;

use crate::checker::Checker;
use crate::typed::{AdtKind, ExprKind, Pattern, Ty, TyId};
use lines::{Line, Made, Shape, named, with_alternatives};
use rustc_hash::{FxHashMap, FxHashSet};

/// Columns of rows that are looked at before the analysis gives up.
const FUEL: usize = 4_000_000;
/// How deep patterns are taken apart, counting all at the same level.
const DEEPEST: usize = 2_000;
/// How many missing patterns are named.
const MOST_MISSING: usize = 3;
/// Up to this length, every length of an array is looked at, so that the shortest missing one is named.
const EACH_LENGTH: usize = 64;

/// An arm.
pub(crate) struct Row<'p> {
    pub(crate) pattern: &'p Pattern,
    /// Whether it has a guard, and so covers nothing for sure.
    pub(crate) guarded: bool,
}

/// What was found.
pub(crate) struct Report {
    /// Per arm: whether some value reaches it.
    pub(crate) useful: Vec<bool>,
    /// Patterns that no arm covers, as they would be written; at most a few.
    pub(crate) missing: Vec<String>,
}

/// Analyzes the arms of a match on a value of type `ty`.
pub(crate) fn analyze(cx: &mut Checker<'_>, ty: TyId, rows: &[Row<'_>]) -> Report {
    let mut analysis = Analysis {
        cx,
        fuel: FUEL,
        depth: 0,
        enumerating: false,
        guarded: rows.iter().map(|row| row.guarded).collect(),
        useful: vec![false; rows.len()],
    };
    let shapes: Vec<Shape> = rows
        .iter()
        .map(|row| analysis.shape(row.pattern, ty))
        .collect();
    let line = |(arm, shape)| Line {
        arm,
        columns: vec![shape],
    };
    let lines: Vec<Line<'_>> = shapes.iter().enumerate().map(line).collect();
    let covering: Vec<Line<'_>> = lines
        .iter()
        // [condition exhaustive.guarded_names]: what only arms with guards name is not listed on its own.
        .filter(|line| !rows[line.arm].guarded)
        .cloned()
        .collect();
    let all_cover = covering.len() == lines.len();
    let mut missing = analysis.walk(lines, vec![ty]);
    let useful = analysis.useful.clone();
    if !all_cover {
        // Constructors that only arms with guards name are not listed separately among the missing ones.
        missing = analysis.walk(covering, vec![ty]);
    }
    // [condition exhaustive.fuel]: an analysis that ran out of fuel knows nothing about any arm.
    if analysis.fuel == 0 {
        return Report {
            useful: vec![true; rows.len()],
            missing: Vec::new(),
        };
    }
    Report {
        useful,
        missing: missing.into_iter().flatten().collect(),
    }
}

/// The constructors that the patterns of a column tell apart.
struct Ways {
    ways: Vec<Made>,
    /// Whether these are all.
    complete: bool,
}

/// Per constructor, the lines for it, unless no line names it; and the lines that fit all constructors.
type Sorted<'s> = (Vec<Option<Vec<Line<'s>>>>, Vec<Line<'s>>);

/// A value that no arm covers: one pattern per column, the first column last.
type Witness = Vec<String>;

struct Analysis<'k, 'a> {
    cx: &'k mut Checker<'a>,
    fuel: usize,
    depth: usize,
    /// Whether the search is below a place where variants are listed for their own sake.
    enumerating: bool,
    /// Per arm: whether it has a guard.
    guarded: Vec<bool>,
    /// Per arm: whether some value reaches it.
    useful: Vec<bool>,
}

impl Analysis<'_, '_> {
    fn shape(&mut self, pattern: &Pattern, ty: TyId) -> Shape {
        match pattern {
            Pattern::Wildcard | Pattern::Bind(_) => Shape::Any,
            Pattern::Literal(value) => {
                let made = match value.kind {
                    ExprKind::Bool(value) => Made::Bool(value),
                    ExprKind::Int(value) => {
                        // [condition exhaustive.literal_type]: the bits of a `u64` above those of an `i64` are not negative.
                        let number = self.cx.types().number(ty, value);
                        Made::Ints(number, number)
                    }
                    ExprKind::Float(value) => Made::Literal(format!("{value:?}")),
                    ExprKind::Text(ref value) => Made::Literal(format!("{value:?}")),
                    _ => return Shape::Any,
                };
                Shape::Made(made, Vec::new())
            }
            Pattern::IntRange(lo, hi) => {
                // [condition exhaustive.range_type]: as for numbers, also for the ends of a range.
                let (lo, hi) = (
                    self.cx.types().number(ty, *lo),
                    self.cx.types().number(ty, *hi),
                );
                Shape::Made(Made::Ints(lo, hi), Vec::new())
            }
            Pattern::Nil => Shape::Made(Made::Nil, Vec::new()),
            Pattern::Some(inner) => self.one(Made::Some, inner, ty),
            Pattern::Ok(inner) => self.one(Made::Ok, inner, ty),
            Pattern::Err(inner) => self.one(Made::Err, inner, ty),
            Pattern::Variant(_, number, parts) => {
                let types = self.field_types(&Made::Variant(*number), ty);
                let parts = parts
                    .iter()
                    .zip(types)
                    .map(|(part, ty)| self.shape(part, ty))
                    .collect();
                Shape::Made(Made::Variant(*number), parts)
            }
            Pattern::Tuple(parts) => {
                let types = self.field_types(&Made::Single, ty);
                let parts = parts
                    .iter()
                    .zip(types)
                    .map(|(part, ty)| self.shape(part, ty))
                    .collect();
                Shape::Made(Made::Single, parts)
            }
            Pattern::TupleRest { front, back, .. } => {
                let types = self.field_types(&Made::Single, ty);
                let mut parts = vec![Shape::Any; types.len()];
                // [condition exhaustive.back_of_tuple]: the patterns after the rest are those of the last members.
                let skip = types.len().saturating_sub(back.len());
                for (index, part) in (0..).zip(front).chain((skip..).zip(back)) {
                    parts[index] = self.shape(part, types[index]);
                }
                Shape::Made(Made::Single, parts)
            }
            Pattern::Fields(_, fields) => {
                let types = self.field_types(&Made::Single, ty);
                let mut parts = vec![Shape::Any; types.len()];
                // [condition exhaustive.fields]: fields are found by their number, in whatever order they are written.
                for (index, part) in fields {
                    parts[*index as usize] = self.shape(part, types[*index as usize]);
                }
                Shape::Made(Made::Single, parts)
            }
            Pattern::Array { front, rest, back } => {
                let item = self.item(ty);
                let front: Vec<Shape> = front.iter().map(|part| self.shape(part, item)).collect();
                let back: Vec<Shape> = back.iter().map(|part| self.shape(part, item)).collect();
                // [condition exhaustive.array_rest]: with a rest, longer arrays fit too.
                if rest.is_some() {
                    Shape::LongArray(front, back)
                } else {
                    // [condition exhaustive.exact_array]: without a rest, no other length fits.
                    Shape::Made(Made::Array(front.len()), front)
                }
            }
            Pattern::Or(parts) => {
                Shape::Either(parts.iter().map(|part| self.shape(part, ty)).collect())
            }
        }
    }

    fn one(&mut self, made: Made, inner: &Pattern, ty: TyId) -> Shape {
        let types = self.field_types(&made, ty);
        let inner = types
            .first()
            .map_or(Shape::Any, |&ty| self.shape(inner, ty));
        Shape::Made(made, vec![inner])
    }

    fn item(&self, ty: TyId) -> TyId {
        match self.cx.types().get(ty) {
            Ty::Array(item) => *item,
            _ => TyId::ERROR,
        }
    }

    /// The types of the parts of a value made by this constructor.
    fn field_types(&mut self, made: &Made, ty: TyId) -> Vec<TyId> {
        match (made, self.cx.types().get(ty).clone()) {
            (Made::Some, Ty::Option(item)) => vec![item],
            // [condition exhaustive.either_side_of_result]: `Ok` and `Err` hold different types.
            (Made::Ok, Ty::Result(ok, _)) => vec![ok],
            (Made::Err, Ty::Result(_, err)) => vec![err],
            (Made::Single, Ty::Tuple(members)) => members.into_iter().map(|(_, ty)| ty).collect(),
            (Made::Single, Ty::Adt(adt)) => {
                self.cx.ensure_adt(adt);
                self.cx.types().adts[adt.0 as usize]
                    .fields
                    .iter()
                    .map(|field| field.ty)
                    .collect()
            }
            (Made::Variant(number), Ty::Adt(adt)) => {
                self.cx.ensure_adt(adt);
                let variants = &self.cx.types().adts[adt.0 as usize].variants;
                variants
                    .get(*number as usize)
                    .map_or(Vec::new(), |v| v.fields.iter().map(|f| f.ty).collect())
            }
            (Made::Array(length) | Made::LongerArray(length), Ty::Array(item)) => {
                vec![item; *length]
            }
            _ => Vec::new(),
        }
    }

    /// Every constructor of the type that the column tells apart.
    fn ways(&mut self, lines: &[Line<'_>], ty: TyId) -> Ways {
        let all = |ways: Vec<Made>| Ways {
            ways,
            complete: true,
        };
        match self.cx.types().get(ty).clone() {
            Ty::Bool => all(vec![Made::Bool(false), Made::Bool(true)]),
            Ty::Option(_) => all(vec![Made::Nil, Made::Some]),
            Ty::Result(..) => all(vec![Made::Ok, Made::Err]),
            Ty::Unit | Ty::Tuple(_) => all(vec![Made::Single]),
            Ty::Adt(adt) => {
                self.cx.ensure_adt(adt);
                let info = &self.cx.types().adts[adt.0 as usize];
                all(match info.kind {
                    AdtKind::Enum => (0..info.variants.len() as u32).map(Made::Variant).collect(),
                    _ => vec![Made::Single],
                })
            }
            Ty::Int(int) => {
                // [condition exhaustive.signed]: an unsigned type begins at 0 and ends later.
                let (least, most) = if int.signed {
                    (-(1i128 << (int.bits - 1)), (1i128 << (int.bits - 1)) - 1)
                } else {
                    (0, (1i128 << int.bits) - 1)
                };
                let mut starts = vec![least];
                for made in named(lines) {
                    if let Made::Ints(lo, hi) = made {
                        starts.push((*lo).max(least));
                        // [condition exhaustive.after_end]: what follows a range begins after its last number.
                        starts.push((*hi + 1).min(most + 1));
                    }
                }
                starts.retain(|&start| start <= most);
                starts.sort_unstable();
                starts.dedup();
                // [condition exhaustive.up_to_most]: the greatest value belongs to the last range.
                let ends = starts.iter().skip(1).map(|&next| next - 1).chain([most]);
                let ranges = starts.iter().copied().zip(ends);
                all(ranges.map(|(lo, hi)| Made::Ints(lo, hi)).collect())
            }
            Ty::Array(_) => {
                let lengths: Vec<usize> = lines.iter().filter_map(Line::length).collect();
                let longest = lengths.iter().copied().max().unwrap_or(0);
                let mut told: Vec<usize> = if longest <= EACH_LENGTH {
                    (0..=longest).collect()
                } else {
                    // The lengths between two that patterns name are all alike.
                    // [condition exhaustive.between_lengths]: a length between two that are named fits neither.
                    let next = lengths.iter().map(|length| length + 1);
                    let all = next.filter(|next| *next <= longest).chain([0]);
                    all.chain(lengths.iter().copied()).collect()
                };
                told.sort_unstable();
                told.dedup();
                let longer = Made::LongerArray(longest + 1);
                // [condition exhaustive.longer]: arrays longer than all that are named are there too.
                all(told.into_iter().map(Made::Array).chain([longer]).collect())
            }
            _ => {
                let mut seen = FxHashSet::default();
                let mut ways = Vec::new();
                for made in named(lines) {
                    if seen.insert(made) {
                        ways.push(made.clone());
                    }
                }
                Ways {
                    ways,
                    // [condition exhaustive.open_types]: there are always more texts and floats than those that are named.
                    complete: false,
                }
            }
        }
    }

    /// Marks the arms that some value reaches; the values that no line fits, at most [`MOST_MISSING`]. `types` are those of the
    /// columns, the first last.
    fn walk(&mut self, mut lines: Vec<Line<'_>>, mut types: Vec<TyId>) -> Vec<Witness> {
        let mut passed = 0;
        let found = loop {
            let Some(&ty) = types.last() else {
                break self.reach(&lines);
            };
            self.fuel = self.fuel.saturating_sub(lines.len() + 1);
            if self.fuel == 0 || self.depth > DEEPEST {
                self.fuel = 0;
                return Vec::new();
            }
            lines = with_alternatives(lines);
            // Names variants where nothing at all is covered, but only once: an enum may hold itself.
            let enumerable = lines.is_empty()
                && !self.enumerating
                && self
                    .cx
                    .types()
                    .adt(ty)
                    .is_some_and(|adt| adt.kind == AdtKind::Enum);
            types.pop();
            // [condition exhaustive.all_open]: a column is passed over only if no line looks at it.
            if enumerable || !lines.iter().all(|line| matches!(line.first(), Shape::Any)) {
                self.depth += 1;
                let found = self.split(lines, ty, &types, enumerable);
                self.depth -= 1;
                break found;
            }
            for line in &mut lines {
                line.columns.pop();
            }
            passed += 1;
        };
        let any = |mut witness: Witness| {
            witness.extend(std::iter::repeat_n("_".to_owned(), passed));
            witness
        };
        found.into_iter().map(any).collect()
    }

    /// Nothing is left to look at: values reach the lines in order, until one has no guard.
    fn reach(&mut self, lines: &[Line<'_>]) -> Vec<Witness> {
        for line in lines {
            // [condition exhaustive.reached]: an arm to which some value comes is reached.
            self.useful[line.arm] = true;
            // [condition exhaustive.guard]: an arm with a guard covers nothing for sure.
            if !self.guarded[line.arm] {
                return Vec::new();
            }
        }
        vec![Vec::new()]
    }

    /// As [`Analysis::walk`], taking the first column apart, which has type `ty`; the others have the types `rest`.
    fn split(
        &mut self,
        lines: Vec<Line<'_>>,
        ty: TyId,
        rest: &[TyId],
        enumerable: bool,
    ) -> Vec<Witness> {
        let Ways { ways, complete } = self.ways(&lines, ty);
        let fields: Vec<Vec<TyId>> = match self.field_types_of(&ways, ty) {
            Some(fields) => fields,
            None => return Vec::new(),
        };
        let buckets = self.sort_by_way(&lines, &ways, &fields);
        let Some((mut buckets, others)) = buckets else {
            self.fuel = 0;
            return Vec::new();
        };
        // What no line names fits all open lines alike; it is walked once.
        let mut otherwise: Option<Vec<Witness>> = None;
        let mut found: Vec<Witness> = Vec::new();
        let before = self.enumerating;
        for (index, way) in ways.iter().enumerate() {
            self.enumerating = before || enumerable || matches!(way, Made::Variant(_));
            let arity = fields[index].len();
            let bucket = std::mem::take(&mut buckets[index]);
            let alike = matches!(way, Made::Variant(_) | Made::Ints(..));
            let witnesses = match bucket {
                // [condition exhaustive.unnamed_ways]: a variant or range that no line names takes the lines that fit everything.
                None if alike => {
                    let known = match otherwise.take() {
                        Some(known) => known,
                        None => self.walk(others.clone(), rest.to_vec()),
                    };
                    let any = |witness: &Witness| {
                        let parts = std::iter::repeat_n("_".to_owned(), arity);
                        witness.iter().cloned().chain(parts).collect()
                    };
                    let witnesses = if found.len() < MOST_MISSING {
                        known.iter().map(any).collect()
                    } else {
                        Vec::new()
                    };
                    otherwise = Some(known);
                    witnesses
                }
                // [condition exhaustive.other_ways]: so does every other constructor that no line names.
                bucket => {
                    let lines = bucket.unwrap_or_else(|| {
                        others.iter().map(|line| line.extended(arity)).collect()
                    });
                    let types = rest.iter().chain(fields[index].iter().rev()).copied();
                    self.walk(lines, types.collect())
                }
            };
            for mut witness in witnesses {
                if found.len() >= MOST_MISSING {
                    break;
                }
                let mut parts = witness.split_off(witness.len() - arity);
                parts.reverse();
                witness.push(self.write(way, &parts, ty));
                if !found.contains(&witness) {
                    found.push(witness);
                }
            }
        }
        self.enumerating = before;
        if !complete {
            // [condition exhaustive.unnamed]: and so do the texts and floats that no line names.
            let left = self.walk(others, rest.to_vec());
            found.extend(left.into_iter().map(|mut witness| {
                witness.push("_".to_owned());
                witness
            }));
            found.truncate(MOST_MISSING);
        }
        found
    }

    fn field_types_of(&mut self, ways: &[Made], ty: TyId) -> Option<Vec<Vec<TyId>>> {
        ways.iter()
            .map(|way| {
                let types = self.field_types(way, ty);
                self.fuel = self.fuel.saturating_sub(types.len());
                (self.fuel > 0).then_some(types)
            })
            .collect()
    }

    /// The lines of each constructor that some line names, with what the value holds in place of the first column, and
    /// the lines that fit every constructor, without that column; `None` when this is too much.
    fn sort_by_way<'s>(
        &mut self,
        lines: &[Line<'s>],
        ways: &[Made],
        fields: &[Vec<TyId>],
    ) -> Option<Sorted<'s>> {
        let numbers: FxHashMap<&Made, usize> = ways.iter().zip(0..).collect();
        // The constructors that a line names, as a range of their numbers.
        let fitting = |line: &Line<'s>| match line.first() {
            Shape::Made(Made::Ints(lo, hi), _) => {
                let start = |way: &Made| match way {
                    Made::Ints(start, _) => *start,
                    _ => i128::MIN,
                };
                // [condition exhaustive.range_start]: a range covers those that begin at its first number or later.
                ways.partition_point(|way| start(way) < *lo)
                    // [condition exhaustive.range_end]: it covers none that begins after its last number.
                    ..ways.partition_point(|way| start(way) <= *hi)
            }
            Shape::Made(made, _) => match numbers.get(made) {
                Some(&number) => number..number + 1,
                None => 0..0,
            },
            Shape::LongArray(front, back) => {
                // [condition exhaustive.shortest]: no array fits that is shorter than what is written.
                let least = front.len() + back.len();
                // [condition exhaustive.least_length]: an array of just the written elements fits.
                let short = |way: &Made| matches!(way, Made::Array(length) if *length < least);
                ways.partition_point(short)..ways.len()
            }
            Shape::Any | Shape::Either(_) => 0..0,
        };
        let mut buckets: Vec<Option<Vec<Line<'s>>>> = vec![None; ways.len()];
        let mut named = Vec::new();
        for way in lines.iter().flat_map(fitting) {
            if buckets[way].is_none() {
                buckets[way] = Some(Vec::new());
                named.push(way);
            }
        }
        let mut others = Vec::new();
        for line in lines {
            let open = matches!(line.first(), Shape::Any);
            let range = fitting(line);
            let count = if open { named.len() } else { range.len() };
            let width = line.columns.len();
            self.fuel = self.fuel.saturating_sub(count.saturating_mul(width));
            if self.fuel == 0 {
                return None;
            }
            if open {
                others.push(line.widened(0));
                // [condition exhaustive.wildcards]: a line that fits everything fits the constructors that others name.
                for &way in &named {
                    let lines = buckets[way].get_or_insert_default();
                    lines.push(line.widened(fields[way].len()));
                }
            }
            for way in range {
                let lines = buckets[way].get_or_insert_default();
                lines.push(line.opened(fields[way].len()));
            }
        }
        Some((buckets, others))
    }

    /// A value made by this constructor, as a pattern would be written.
    fn write(&self, made: &Made, parts: &[String], ty: TyId) -> String {
        let call = |name: &str| format!("{name}({})", parts.join(", "));
        match made {
            Made::Bool(value) => value.to_string(),
            Made::Nil => "nil".to_owned(),
            Made::Some => call("Some"),
            Made::Ok => call("Ok"),
            Made::Err => call("Err"),
            Made::Variant(number) => match self.cx.types().adt(ty) {
                Some(adt) => {
                    let name = adt.variants[*number as usize].name;
                    if parts.is_empty() {
                        name.to_string()
                    } else {
                        call(name.as_str())
                    }
                }
                None => "_".to_owned(),
            },
            Made::Single => match self.cx.types().adt(ty) {
                Some(adt) => call(adt.name.as_str()),
                None => call(""),
            },
            Made::Ints(lo, hi) if lo == hi => lo.to_string(),
            Made::Ints(lo, hi) => match self.cx.types().get(ty) {
                Ty::Int(int) => {
                    let most = if int.signed {
                        (1i128 << (int.bits - 1)) - 1
                    } else {
                        (1i128 << int.bits) - 1
                    };
                    let least = if int.signed {
                        -(1i128 << (int.bits - 1))
                    } else {
                        0
                    };
                    if *lo == least || *hi == most {
                        "_".to_owned()
                    } else {
                        format!("{lo}..={hi}")
                    }
                }
                _ => "_".to_owned(),
            },
            Made::Literal(text) => text.clone(),
            Made::Array(_) => format!("[{}]", parts.join(", ")),
            Made::LongerArray(_) => format!("[{}, ...]", parts.join(", ")),
        }
    }
}
