//! Layers: what flows through a chain of them, and where it cannot.
//!
//! A layer value is a pipeline of stages. Two pipelines are joined by running both over shapes of variables in one store; a
//! tensor goes through the stages one by one, so that a stage may compute with sizes that only the tensor has.

use super::dim::Dim;
use super::fact::{Fact, Scope};
use super::report::Fault;
use super::rule::{Item, Pattern, Size};
use super::unify::{Mismatch, Part, Shape, Store, of_sizes, product};
use crate::codes;
use simple_syntax::Symbol;
use std::rc::Rc;

/// What one layer does to shapes.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Stage {
    /// Its class, for messages.
    pub(super) name: String,
    pub(super) input: Pattern,
    pub(super) output: Pattern,
    /// What is known about the names in the patterns.
    pub(super) known: Vec<(Symbol, Fact)>,
    /// The dimension of its input that holds channels, counted from the end, if it has one.
    pub(super) channel: Option<usize>,
    /// Advice for a last dimension that does not fit, with `<left>` and `<right>` for the sizes.
    pub(super) between: Option<String>,
    /// Advice where an image flows in, which does not fit.
    pub(super) images: Option<String>,
}

impl Stage {
    /// A layer whose shapes are written in its type.
    pub(super) fn written(
        name: &str,
        input: &Pattern,
        output: &Pattern,
        known: Vec<(Symbol, Fact)>,
    ) -> Stage {
        Stage {
            name: name.to_owned(),
            input: input.clone(),
            output: output.clone(),
            known,
            channel: None,
            between: None,
            images: None,
        }
    }
}

/// The position of a name in a pattern, counted from the end.
pub(super) fn from_end(pattern: &Pattern, name: Symbol) -> Option<usize> {
    let wanted = Item::Size(Size::Name(name));
    let at = pattern.iter().position(|item| *item == wanted)?;
    Some(pattern.len() - at)
}

/// More dimensions than a layer splits, or has beside the one that it splits.
const MOST_SPLIT: usize = 16;

/// A layer that splits dimension `dim` into those of `sizes`, of which one may be -1, for what is left.
pub(super) fn split(dim: &Fact, sizes: &Fact) -> Fact {
    let (Some(dim), Some(sizes)) = (dim.known_int(), sizes.sizes()) else {
        return Fact::Unknown;
    };
    // The dimensions that must be there beside it, before it or, counted from the end, after it.
    let beside = usize::try_from(if dim < 0 { -(dim + 1) } else { dim });
    let Some(beside) = beside.ok().filter(|count| *count <= MOST_SPLIT) else {
        return Fact::Unknown;
    };
    if sizes.len() > MOST_SPLIT {
        return Fact::Unknown;
    }
    let named = |name: String| Symbol::intern(&name);
    let size = |name: Symbol| Item::Size(Size::Name(name));
    let whole = (
        named("whole size".to_owned()),
        product(&of_sizes(sizes.iter().map(left))),
    );
    let parts = (0..)
        .zip(&sizes)
        .map(|(at, part)| (named(format!("size {at}")), left(part)));
    let known: Vec<(Symbol, Dim)> = parts.chain([whole.clone()]).collect();
    let split: Pattern = known[..sizes.len()]
        .iter()
        .map(|(name, _)| size(*name))
        .collect();
    let others: Pattern = (0..beside)
        .map(|at| match at {
            0 if dim > 0 => size(named("batch".to_owned())),
            _ => size(named(format!("d{at}"))),
        })
        .collect();
    let row = [Item::Row(Some(named("rest".to_owned())))];
    let around = |middle: &[Item]| -> Pattern {
        if dim < 0 {
            [&row, middle, &others].concat()
        } else {
            [&others, middle, &row].concat()
        }
    };
    let (input, output) = (around(&[size(whole.0)]), around(&split));
    let known = known.into_iter().map(|(name, dim)| (name, Fact::Int(dim)));
    // Its name is that of the class that makes it.
    let stage = Stage::written("", &input, &output, known.collect());
    Fact::Layer(Rc::new(Pipeline::of(stage)))
}

/// A size, where -1 is one that is left to be found.
fn left(size: &Dim) -> Dim {
    match size.known() {
        Some(..0) => Dim::Unknown,
        _ => size.clone(),
    }
}

/// Layers in a row; `None` is a layer of which nothing is known.
#[derive(Clone, Default, PartialEq, Debug)]
pub(super) struct Pipeline {
    pub(super) stages: Vec<Option<Rc<Stage>>>,
}

/// Longer chains are checked at their joints only.
const LONGEST: usize = 256;

/// Where a shape does not fit a stage.
struct Misfit {
    stage: usize,
    found: Shape,
    expected: Shape,
    mismatch: Mismatch,
}

impl Pipeline {
    pub(super) fn of(stage: Stage) -> Pipeline {
        Pipeline {
            stages: vec![Some(Rc::new(stage))],
        }
    }

    /// What a value of unknown shape, or a layer of unknown kind, is in a chain.
    pub(super) fn from_fact(fact: &Fact) -> Rc<Pipeline> {
        match fact {
            Fact::Layer(pipeline) => pipeline.clone(),
            _ => Rc::new(Pipeline { stages: vec![None] }),
        }
    }

    /// Its layer, if it is a single one of which something is known.
    pub(super) fn only(&self) -> Option<Rc<Stage>> {
        match self.stages.as_slice() {
            [Some(stage)] => Some(stage.clone()),
            _ => None,
        }
    }

    /// The same, with a name for a single layer that has none.
    pub(super) fn named(self: Rc<Pipeline>, name: Symbol) -> Rc<Pipeline> {
        match self.only() {
            Some(stage) if stage.name.is_empty() => Rc::new(Pipeline::of(Stage {
                name: name.to_string(),
                ..(*stage).clone()
            })),
            _ => self,
        }
    }

    /// See [`Fact::outside`].
    pub(super) fn outside(&self) -> Pipeline {
        let stage = |stage: &Rc<Stage>| {
            let known = stage
                .known
                .iter()
                .map(|(name, fact)| (*name, fact.outside()))
                .collect();
            Rc::new(Stage {
                known,
                ..(**stage).clone()
            })
        };
        Pipeline {
            stages: self
                .stages
                .iter()
                .map(|of| of.as_ref().map(stage))
                .collect(),
        }
    }

    /// Runs `input`, or a shape that the first stage takes, through the stages. Yields input and output.
    fn run(&self, input: Option<Shape>, store: &mut Store) -> Result<(Shape, Shape), Misfit> {
        let mut first = input.clone();
        let mut shape = input;
        for (index, stage) in self.stages.iter().enumerate() {
            let Some(stage) = stage else {
                first.get_or_insert_with(|| vec![Part::Rest]);
                shape = Some(vec![Part::Rest]);
                continue;
            };
            let mut scope = Scope::new(&stage.known);
            let wanted = scope.shape(&stage.input, store);
            match shape {
                Some(found) => {
                    if let Err(mismatch) = store.unify(&found, &wanted) {
                        return Err(Misfit {
                            stage: index,
                            found,
                            expected: wanted,
                            mismatch,
                        });
                    }
                }
                None => first = Some(wanted),
            }
            shape = Some(scope.shape(&stage.output, store));
        }
        let all = || vec![Part::Rest];
        Ok((first.unwrap_or_else(all), shape.unwrap_or_else(all)))
    }

    /// What it takes and yields, with variables of `store`; `None` where its own stages contradict each other.
    pub(super) fn ends(&self, store: &mut Store) -> Option<(Shape, Shape)> {
        self.run(None, store).ok()
    }

    /// The two in a row; a fault if the output of this one does not fit the next.
    pub(super) fn connect(&self, next: &Pipeline) -> Result<Pipeline, Fault> {
        let mut stages = self.stages.clone();
        stages.extend(next.stages.iter().cloned());
        let whole = Pipeline { stages };
        let mut store = Store::default();
        let (Some((_, output)), Some((input, _))) = (self.ends(&mut store), next.ends(&mut store))
        else {
            return Ok(whole);
        };
        if let Some(fault) = self.image_into(next, &output, &input, &store) {
            return Err(fault);
        }
        if let Err(mismatch) = store.unify(&output, &input) {
            let channel = next.stages.iter().flatten().find_map(|stage| stage.channel);
            let advice = [next.stages.first(), self.stages.last()];
            let between = advice
                .into_iter()
                .flatten()
                .flatten()
                .find_map(|stage| stage.between.clone());
            let found = format!("output shape {} on the left", store.show(&output));
            let expected = format!("input shape {} on the right", store.show(&input));
            let (left, right) = (store.resolve(&output), store.resolve(&input));
            let at = [left.as_slice(), right.as_slice()];
            return Err(fault(&mismatch, at, channel, between, &store)
                .message("layer dimension mismatch in ~> pipeline")
                .found(found)
                .expected(expected));
        }
        if whole.stages.len() > LONGEST {
            return Ok(whole);
        }
        // The joint fits; what later stages compute from sizes further left may still not.
        let mut store = Store::default();
        match whole.run(None, &mut store) {
            Ok(_) => Ok(whole),
            Err(misfit) => Err(whole
                .inside(misfit, &store)
                .message("layer dimension mismatch in ~> pipeline")),
        }
    }

    /// The fault of an image, which has channels, that flows into a layer for its last dimension alone.
    fn image_into(
        &self,
        next: &Pipeline,
        output: &[Part],
        input: &[Part],
        store: &Store,
    ) -> Option<Fault> {
        let advice = next
            .stages
            .iter()
            .flatten()
            .find(|stage| stage.input != stage.output)?
            .images
            .clone()?;
        let image = self
            .stages
            .iter()
            .flatten()
            .any(|stage| stage.channel.is_some());
        let output = store.resolve(output);
        if !image || output.len() < 4 {
            return None;
        }
        Some(
            Fault::new(codes::RANK_MISMATCH)
                .message("layer dimension mismatch in ~> pipeline")
                .found(format!("output shape {} on the left", store.show(&output)))
                .expected(format!("input shape {} on the right", store.show(input)))
                .note(format!(
                    "{} dimensions against {}",
                    output.len(),
                    input.len()
                ))
                .help(advice),
        )
    }

    /// What a tensor of this shape comes out as.
    pub(super) fn apply(&self, input: Shape) -> Result<Fact, Fault> {
        let mut store = Store::default();
        match self.run(Some(input), &mut store) {
            Ok((_, output)) => Ok(Fact::Tensor(store.ground(&output))),
            Err(misfit) => Err(self.inside(misfit, &store)),
        }
    }

    /// A fault at one of the stages.
    fn inside(&self, misfit: Misfit, store: &Store) -> Fault {
        let Misfit {
            stage: at,
            found,
            expected,
            mismatch,
        } = misfit;
        let Some(stage) = self.stages[at].as_ref() else {
            return Fault::new(codes::LAYER_MISMATCH);
        };
        let (found_text, wanted) = (store.show(&found), store.show(&expected));
        let before = at.checked_sub(1).map(|before| &self.stages[before]);
        let found_text = match before {
            None => format!("a tensor of shape {found_text}"),
            Some(Some(before)) => format!("shape {found_text} after {}", before.name),
            Some(None) => format!("shape {found_text}"),
        };
        let (left, right) = (store.resolve(&found), store.resolve(&expected));
        let at = [left.as_slice(), right.as_slice()];
        fault(&mismatch, at, stage.channel, stage.between.clone(), store)
            .message(format!("tensor does not fit the input of {}", stage.name))
            .found(found_text)
            .expected(format!("input shape {wanted} of {}", stage.name))
    }
}

/// The code and the notes of a misfit between `left`, which flows, and `right`, which is expected.
fn fault(
    mismatch: &Mismatch,
    [left, right]: [&[Part]; 2],
    channel: Option<usize>,
    between: Option<String>,
    store: &Store,
) -> Fault {
    match mismatch {
        Mismatch::Rank => Fault::rank(left, right),
        Mismatch::Dims(dims) => {
            let channels =
                channel.is_some_and(|at| dims.iter().any(|(index, ..)| left.len() - index == at));
            let mut fault = Fault::new(if channels {
                codes::CHANNEL_MISMATCH
            } else {
                codes::LAYER_MISMATCH
            });
            fault = fault.dims(dims, store);
            if let [(index, found, wanted)] = dims.as_slice()
                && let (Some(found), Some(wanted)) = (found.known(), wanted.known())
            {
                if channels {
                    fault = fault.help(format!(
                        "the channels must agree: let the left side yield {wanted}, or the right side take {found}"
                    ));
                } else if let Some(between) = between
                    && index + 1 == left.len()
                {
                    let text = between
                        .replace("<left>", &found.to_string())
                        .replace("<right>", &wanted.to_string());
                    fault = fault.help(text);
                }
            }
            fault
        }
    }
}
