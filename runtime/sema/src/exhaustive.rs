//! Which arms can be reached, and what no arm covers.
//!
//! The usefulness algorithm of Luc Maranget, "Warnings for pattern matching" (Journal of Functional Programming 17(3), 2007): rows of patterns
//! are taken apart one constructor at a time. Integers are split at the bounds of the ranges that occur, arrays by length. For example
//!
//! ```text
//! match (a, b):                     rows        column 1 = true        missing: (false, true)
//!     case (true, _): ...           T _         _
//!     case (false, false): ...      F F
//! ```
//!
//! The work is bounded by [`FUEL`]: a match that would take longer counts as exhaustive with every arm reachable, so that no program makes
//! the checker hang; code generation then still has a failing last arm.

use crate::checker::Checker;
use crate::typed::{AdtKind, ExprKind, Pattern, Ty, TyId};

/// Steps after which the analysis gives up.
const FUEL: u32 = 200_000;
/// How many missing patterns are named.
const MOST_MISSING: usize = 3;

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
        enumerating: false,
    };
    let mut matrix: Vec<Vec<Shape>> = Vec::with_capacity(rows.len());
    let mut useful = Vec::with_capacity(rows.len());
    for row in rows {
        let shape = analysis.shape(row.pattern, ty);
        useful.push(analysis.useful(&matrix, std::slice::from_ref(&shape), &[ty]));
        if !row.guarded {
            matrix.push(vec![shape]);
        }
    }
    let missing = analysis
        .missing(&matrix, &[ty])
        .into_iter()
        .map(|mut witness| witness.remove(0))
        .collect();
    if analysis.fuel == 0 {
        return Report {
            useful: vec![true; rows.len()],
            missing: Vec::new(),
        };
    }
    Report { useful, missing }
}

/// A pattern without its bindings.
#[derive(Clone, Debug)]
enum Shape {
    Any,
    Made(Made, Vec<Shape>),
    /// Arrays of at least `front + back` elements.
    LongArray(Vec<Shape>, Vec<Shape>),
    Either(Vec<Shape>),
}

/// What a value is made by.
#[derive(Clone, PartialEq, Debug)]
enum Made {
    /// The only way: tuples, structs, classes, `()`.
    Single,
    Bool(bool),
    Nil,
    Some,
    Ok,
    Err,
    Variant(u32),
    /// Integers of an inclusive range.
    Ints(i128, i128),
    /// A text or float constant by its printed form.
    Literal(String),
    /// An array of exactly this length.
    Array(usize),
    /// An array longer than every length that the column's patterns name.
    LongerArray(usize),
}

struct Analysis<'k, 'a> {
    cx: &'k mut Checker<'a>,
    fuel: u32,
    /// Whether the search is below a place where variants are listed for their own sake.
    enumerating: bool,
}

impl Analysis<'_, '_> {
    fn shape(&mut self, pattern: &Pattern, ty: TyId) -> Shape {
        match pattern {
            Pattern::Wildcard | Pattern::Bind(_) => Shape::Any,
            Pattern::Literal(value) => {
                let made = match (&value.kind, self.cx.types.get(ty)) {
                    (ExprKind::Bool(value), _) => Made::Bool(*value),
                    (ExprKind::Int(value), Ty::Int(int)) if !int.signed => {
                        Made::Ints(*value as u64 as i128, *value as u64 as i128)
                    }
                    (ExprKind::Int(value), _) => Made::Ints(*value as i128, *value as i128),
                    (ExprKind::Float(value), _) => Made::Literal(format!("{value:?}")),
                    (ExprKind::Text(value), _) => Made::Literal(format!("{value:?}")),
                    _ => return Shape::Any,
                };
                Shape::Made(made, Vec::new())
            }
            Pattern::IntRange(lo, hi) => {
                Shape::Made(Made::Ints(*lo as i128, *hi as i128), Vec::new())
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
                let skip = types.len().saturating_sub(back.len());
                for (index, part) in (0..).zip(front).chain((skip..).zip(back)) {
                    parts[index] = self.shape(part, types[index]);
                }
                Shape::Made(Made::Single, parts)
            }
            Pattern::Fields(_, fields) => {
                let types = self.field_types(&Made::Single, ty);
                let mut parts = vec![Shape::Any; types.len()];
                for (index, part) in fields {
                    parts[*index as usize] = self.shape(part, types[*index as usize]);
                }
                Shape::Made(Made::Single, parts)
            }
            Pattern::Array { front, rest, back } => {
                let item = self.item(ty);
                let front: Vec<Shape> = front.iter().map(|part| self.shape(part, item)).collect();
                let back: Vec<Shape> = back.iter().map(|part| self.shape(part, item)).collect();
                if rest.is_some() {
                    Shape::LongArray(front, back)
                } else {
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
        match self.cx.types.get(ty) {
            Ty::Array(item) => *item,
            _ => TyId::ERROR,
        }
    }

    /// The types of what a value made this way holds.
    fn field_types(&mut self, made: &Made, ty: TyId) -> Vec<TyId> {
        match (made, self.cx.types.get(ty).clone()) {
            (Made::Some, Ty::Option(item)) => vec![item],
            (Made::Ok, Ty::Result(ok, _)) => vec![ok],
            (Made::Err, Ty::Result(_, err)) => vec![err],
            (Made::Single, Ty::Tuple(members)) => members.into_iter().map(|(_, ty)| ty).collect(),
            (Made::Single, Ty::Adt(adt)) => {
                self.cx.ensure_adt(adt);
                self.cx.types.adts[adt.0 as usize]
                    .fields
                    .iter()
                    .map(|field| field.ty)
                    .collect()
            }
            (Made::Variant(number), Ty::Adt(adt)) => {
                self.cx.ensure_adt(adt);
                let variants = &self.cx.types.adts[adt.0 as usize].variants;
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

    /// Every way to make a value of the type that the column tells apart, and whether that is all of them.
    fn ways(&mut self, column: &[&Shape], ty: TyId) -> (Vec<Made>, bool) {
        match self.cx.types.get(ty).clone() {
            Ty::Bool => (vec![Made::Bool(false), Made::Bool(true)], true),
            Ty::Option(_) => (vec![Made::Nil, Made::Some], true),
            Ty::Result(..) => (vec![Made::Ok, Made::Err], true),
            Ty::Unit | Ty::Tuple(_) => (vec![Made::Single], true),
            Ty::Adt(adt) => {
                self.cx.ensure_adt(adt);
                let info = &self.cx.types.adts[adt.0 as usize];
                match info.kind {
                    AdtKind::Enum => (
                        (0..info.variants.len() as u32).map(Made::Variant).collect(),
                        true,
                    ),
                    _ => (vec![Made::Single], true),
                }
            }
            Ty::Int(int) => {
                let (least, most) = if int.signed {
                    (-(1i128 << (int.bits - 1)), (1i128 << (int.bits - 1)) - 1)
                } else {
                    (0, (1i128 << int.bits) - 1)
                };
                let mut starts = vec![least];
                each_made(column, &mut |made| {
                    if let Made::Ints(lo, hi) = made {
                        starts.push((*lo).max(least));
                        starts.push((*hi + 1).min(most + 1));
                    }
                });
                starts.retain(|&start| start <= most);
                starts.sort_unstable();
                starts.dedup();
                let ends = starts.iter().skip(1).map(|&next| next - 1).chain([most]);
                (
                    starts
                        .iter()
                        .copied()
                        .zip(ends)
                        .map(|(lo, hi)| Made::Ints(lo, hi))
                        .collect(),
                    true,
                )
            }
            Ty::Array(_) => {
                let mut longest = 0;
                each_array(column, &mut |length| longest = longest.max(length));
                let mut ways: Vec<Made> = (0..=longest).map(Made::Array).collect();
                ways.push(Made::LongerArray(longest + 1));
                (ways, true)
            }
            _ => {
                let mut ways: Vec<Made> = Vec::new();
                each_made(column, &mut |made| {
                    if !ways.contains(made) {
                        ways.push(made.clone());
                    }
                });
                (ways, false)
            }
        }
    }

    /// Whether some value fits `row` and none of the rows of `matrix`.
    fn useful(&mut self, matrix: &[Vec<Shape>], row: &[Shape], types: &[TyId]) -> bool {
        let Some((&ty, rest_types)) = types.split_first() else {
            return matrix.is_empty();
        };
        if self.fuel == 0 {
            return true;
        }
        self.fuel -= 1;
        if let Shape::Either(parts) = &row[0] {
            return parts.iter().any(|part| {
                let mut alternative = row.to_vec();
                alternative[0] = part.clone();
                self.useful(matrix, &alternative, types)
            });
        }
        let column: Vec<&Shape> = matrix.iter().map(|row| &row[0]).chain([&row[0]]).collect();
        if column.iter().all(|shape| matches!(shape, Shape::Any)) {
            let matrix: Vec<Vec<Shape>> = matrix.iter().map(|row| row[1..].to_vec()).collect();
            return self.useful(&matrix, &row[1..], rest_types);
        }
        let (ways, complete) = self.ways(&column, ty);
        for way in ways {
            let mut types = self.field_types(&way, ty);
            let arity = types.len();
            types.extend(rest_types);
            let Some(taken) = specialize(row, &way, arity).into_iter().next() else {
                continue;
            };
            let matrix: Vec<Vec<Shape>> = matrix
                .iter()
                .flat_map(|row| specialize(row, &way, arity))
                .collect();
            if self.useful(&matrix, &taken, &types) {
                return true;
            }
        }
        if !complete && matches!(row[0], Shape::Any) {
            let matrix = default_rows(matrix);
            return self.useful(&matrix, &row[1..], rest_types);
        }
        false
    }

    /// Values, one pattern per column, that no row of `matrix` fits; at most [`MOST_MISSING`].
    fn missing(&mut self, matrix: &[Vec<Shape>], types: &[TyId]) -> Vec<Vec<String>> {
        let Some((&ty, rest_types)) = types.split_first() else {
            return if matrix.is_empty() {
                vec![Vec::new()]
            } else {
                Vec::new()
            };
        };
        if self.fuel == 0 {
            return Vec::new();
        }
        self.fuel -= 1;
        let column: Vec<&Shape> = matrix.iter().map(|row| &row[0]).collect();
        // Names variants where nothing at all is covered, but only once: an enum may hold itself.
        let enumerable = matrix.is_empty()
            && !self.enumerating
            && self
                .cx
                .types
                .adt(ty)
                .is_some_and(|adt| adt.kind == AdtKind::Enum);
        if column.iter().all(|shape| matches!(shape, Shape::Any)) && !enumerable {
            let matrix: Vec<Vec<Shape>> = matrix.iter().map(|row| row[1..].to_vec()).collect();
            let mut found = self.missing(&matrix, rest_types);
            found
                .iter_mut()
                .for_each(|witness| witness.insert(0, "_".to_owned()));
            return found;
        }
        let (ways, complete) = self.ways(&column, ty);
        let mut found: Vec<Vec<String>> = Vec::new();
        for way in ways {
            let mut types = self.field_types(&way, ty);
            let arity = types.len();
            types.extend(rest_types);
            let matrix: Vec<Vec<Shape>> = matrix
                .iter()
                .flat_map(|row| specialize(row, &way, arity))
                .collect();
            let before = self.enumerating;
            self.enumerating |= enumerable || matches!(way, Made::Variant(_));
            let witnesses = self.missing(&matrix, &types);
            self.enumerating = before;
            for witness in witnesses {
                let (parts, rest) = witness.split_at(arity);
                let mut joined = vec![self.write(&way, parts, ty)];
                joined.extend(rest.iter().cloned());
                if !found.contains(&joined) {
                    found.push(joined);
                }
                if found.len() >= MOST_MISSING {
                    return found;
                }
            }
        }
        if !complete {
            let matrix = default_rows(matrix);
            for mut witness in self.missing(&matrix, rest_types) {
                witness.insert(0, "_".to_owned());
                found.push(witness);
            }
            found.truncate(MOST_MISSING);
        }
        found
    }

    /// A value made this way, as a pattern would be written.
    fn write(&self, made: &Made, parts: &[String], ty: TyId) -> String {
        let call = |name: &str| format!("{name}({})", parts.join(", "));
        match made {
            Made::Bool(value) => value.to_string(),
            Made::Nil => "nil".to_owned(),
            Made::Some => call("Some"),
            Made::Ok => call("Ok"),
            Made::Err => call("Err"),
            Made::Variant(number) => match self.cx.types.adt(ty) {
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
            Made::Single => match self.cx.types.adt(ty) {
                Some(adt) => call(adt.name.as_str()),
                None => call(""),
            },
            Made::Ints(lo, hi) if lo == hi => lo.to_string(),
            Made::Ints(lo, hi) => match self.cx.types.get(ty) {
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

/// Calls `with` for each constructor that a column names.
fn each_made(column: &[&Shape], with: &mut dyn FnMut(&Made)) {
    for shape in column {
        match shape {
            Shape::Made(made, _) => with(made),
            Shape::Either(parts) => each_made(&parts.iter().collect::<Vec<_>>(), with),
            Shape::Any | Shape::LongArray(..) => {}
        }
    }
}

/// Calls `with` for each length that the array patterns of a column name.
fn each_array(column: &[&Shape], with: &mut dyn FnMut(usize)) {
    for shape in column {
        match shape {
            Shape::Made(Made::Array(length), _) => with(*length),
            Shape::LongArray(front, back) => with(front.len() + back.len()),
            Shape::Either(parts) => each_array(&parts.iter().collect::<Vec<_>>(), with),
            _ => {}
        }
    }
}

/// The row for values made this way, its first column replaced by what they hold; none if it does not fit them, several for alternatives.
fn specialize(row: &[Shape], way: &Made, arity: usize) -> Vec<Vec<Shape>> {
    let with = |parts: Vec<Shape>| {
        let mut new = parts;
        new.extend_from_slice(&row[1..]);
        vec![new]
    };
    match &row[0] {
        Shape::Any => with(vec![Shape::Any; arity]),
        Shape::Made(Made::Ints(lo, hi), _) => match way {
            Made::Ints(from, to) if lo <= from && to <= hi => with(Vec::new()),
            _ => Vec::new(),
        },
        Shape::Made(made, parts) if made == way => {
            let mut parts = parts.clone();
            parts.resize(arity, Shape::Any);
            with(parts)
        }
        Shape::Made(..) => Vec::new(),
        Shape::LongArray(front, back) => match way {
            Made::Array(length) | Made::LongerArray(length)
                if front.len() + back.len() <= *length =>
            {
                let mut parts = front.clone();
                parts.resize(length - back.len(), Shape::Any);
                parts.extend_from_slice(back);
                with(parts)
            }
            _ => Vec::new(),
        },
        Shape::Either(parts) => parts
            .iter()
            .flat_map(|part| {
                let mut alternative = row.to_vec();
                alternative[0] = part.clone();
                specialize(&alternative, way, arity)
            })
            .collect(),
    }
}

/// The rows that fit values of no named constructor, without their first column.
fn default_rows(matrix: &[Vec<Shape>]) -> Vec<Vec<Shape>> {
    fn open(shape: &Shape) -> bool {
        match shape {
            Shape::Any => true,
            Shape::Either(parts) => parts.iter().any(open),
            _ => false,
        }
    }
    matrix
        .iter()
        .filter(|row| open(&row[0]))
        .map(|row| row[1..].to_vec())
        .collect()
}
