//! What the analysis takes apart: patterns without their bindings, and the lines of arms with the columns that are left of each.
//!
//! Only moves patterns between columns. What constructors a type has, and which line is reached, is the analysis's (`exhaustive.rs`).

/// A pattern without its bindings.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Any,
    Made(Made, Vec<Shape>),
    /// Arrays of at least `front + back` elements.
    LongArray(Vec<Shape>, Vec<Shape>),
    Either(Vec<Shape>),
}

/// What a value is made by.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Made {
    /// The only constructor: tuples, structs, classes, `()`.
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

/// What is left to look at of an arm.
#[derive(Clone)]
pub(super) struct Line<'s> {
    /// Which arm.
    pub(super) arm: usize,
    /// The patterns that are still to be looked at, the first column last.
    pub(super) columns: Vec<&'s Shape>,
}

/// The constructors that the first columns name.
pub(super) fn named<'l, 's>(lines: &'l [Line<'s>]) -> impl Iterator<Item = &'s Made> + use<'l, 's> {
    lines.iter().filter_map(|line| match line.first() {
        Shape::Made(made, _) => Some(made),
        _ => None,
    })
}

/// The lines with a line for each alternative of the first column.
pub(super) fn with_alternatives(lines: Vec<Line<'_>>) -> Vec<Line<'_>> {
    if !lines
        .iter()
        .any(|line| matches!(line.first(), Shape::Either(_)))
    {
        return lines;
    }
    fn add<'s>(line: Line<'s>, out: &mut Vec<Line<'s>>) {
        let Shape::Either(parts) = line.first() else {
            return out.push(line);
        };
        for part in parts {
            let mut columns = line.columns.clone();
            if let Some(first) = columns.last_mut() {
                *first = part;
            }
            let arm = line.arm;
            // [condition exhaustive.nested_alternatives]: an alternative may have alternatives.
            add(Line { arm, columns }, out);
        }
    }
    let mut out = Vec::with_capacity(lines.len());
    for line in lines {
        add(line, &mut out);
    }
    out
}

impl<'s> Line<'s> {
    pub(super) fn first(&self) -> &'s Shape {
        self.columns.last().copied().unwrap_or(&Shape::Any)
    }

    /// The length that the first column names as that of an array.
    pub(super) fn length(&self) -> Option<usize> {
        match self.first() {
            Shape::Made(Made::Array(length), _) => Some(*length),
            Shape::LongArray(front, back) => Some(front.len() + back.len()),
            _ => None,
        }
    }

    /// The line with `arity` columns that fit anything in place of its first.
    pub(super) fn widened(&self, arity: usize) -> Line<'s> {
        self.with(arity, std::iter::repeat_n(&Shape::Any, arity))
    }

    /// The line with `arity` more columns that fit anything before its first.
    pub(super) fn extended(&self, arity: usize) -> Line<'s> {
        let mut line = self.clone();
        let any = std::iter::repeat_n(&Shape::Any, arity);
        line.columns.extend(any);
        line
    }

    /// The line with `arity` columns for what its first one holds.
    pub(super) fn opened(&self, arity: usize) -> Line<'s> {
        match self.first() {
            Shape::LongArray(front, back) => {
                // [condition exhaustive.middle_of_array]: the elements after the rest are the last ones.
                let between = arity.saturating_sub(front.len() + back.len());
                let between = std::iter::repeat_n(&Shape::Any, between);
                self.with(arity, front.iter().chain(between).chain(back))
            }
            Shape::Made(_, parts) => {
                let missing = std::iter::repeat_n(&Shape::Any, arity.saturating_sub(parts.len()));
                self.with(arity, parts.iter().take(arity).chain(missing))
            }
            Shape::Any | Shape::Either(_) => self.widened(arity),
        }
    }

    fn with(&self, arity: usize, parts: impl Iterator<Item = &'s Shape>) -> Line<'s> {
        let kept = self.columns.len().saturating_sub(1);
        let mut columns = Vec::with_capacity(kept + arity);
        columns.extend_from_slice(&self.columns[..kept]);
        columns.extend(parts);
        columns[kept..].reverse();
        let arm = self.arm;
        Line { arm, columns }
    }
}
