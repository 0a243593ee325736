//! Shape functions of losses: scores for classes against class numbers, pairs of rows against a number for each. Next: `ops.rs`.
//!
//! What they yield is a single number or a loss for each element, as an option says that no fact holds.

use super::dim::{Dim, Relation};
use super::fact::Fact;
use super::operands::stretched;
use super::ops::show;
use super::report::Fault;
use super::unify::{Mismatch, Part, Store, of_sizes, product, sizes};
use crate::codes;

/// Scores `[batch, classes, d...]` or `[classes]` against class numbers, which lack the dimension of the classes, or where `shares`
/// is true a share for each class in the same shape. The weight has a number for each class.
pub(super) fn classes(
    input: &Fact,
    target: &Fact,
    weight: &Fact,
    shares: bool,
) -> Result<Fact, Fault> {
    let any = Ok(Fact::Tensor(vec![Part::Rest]));
    let Some(scores) = sizes(&input.shape()) else {
        return any;
    };
    let whole = input.shape();
    if scores.is_empty() {
        return Err(Fault::new(codes::RANK_MISMATCH)
            .message("the prediction has a number for each class")
            .found("a single number, of shape []")
            .expected("shape [batch, classes], or [classes] for a single sample")
            .at(0));
    }
    let along = usize::from(scores.len() > 1);
    if let Fact::Tensor(weights) = weight
        && product(weights).compare(&scores[along]) == Relation::Different
    {
        let wanted = show(&of_sizes([scores[along].clone()]));
        return Err(Fault::new(codes::SHAPE_MISMATCH)
            .message("the weight has a number for each class")
            .found(format!("weight of shape {}", show(weights)))
            .expected(format!(
                "shape {wanted}, for a prediction of shape {}",
                show(&whole)
            ))
            .at(2));
    }
    let found = target.shape();
    let Some(given) = sizes(&found) else {
        return any;
    };
    let mut without = scores.clone();
    without.remove(along);
    let numbers = of_sizes(without);
    // The class number of a single sample may have the shape [1] too.
    if let ([_], [number]) = (scores.as_slice(), given.as_slice())
        && number.compare(&Dim::int(1)) != Relation::Different
    {
        return any;
    }
    let same_rank = given.len() == scores.len() && shares;
    let wanted = if same_rank { &whole } else { &numbers };
    let mut store = Store::default();
    let Err(mismatch) = store.unify(&found, wanted) else {
        return any;
    };
    let mut fault = Fault::elementwise(&found, wanted, &mismatch, &store);
    // Also where samples are all that the target has.
    if matches!(&mismatch, Mismatch::Dims(dims) if scores.len() > 1 && matches!(dims.as_slice(), [(0, ..)]))
    {
        fault.code = codes::BATCH_MISMATCH;
    }
    let as_numbers = format!("shape {} with class numbers", show(&numbers));
    let expected = match shares {
        true => format!(
            "{as_numbers}, or shape {} with a share for each class",
            show(&whole)
        ),
        false => as_numbers,
    };
    let fault = fault
        .message("the target does not fit the prediction")
        .found(format!("target of shape {}", show(&found)))
        .expected(format!(
            "{expected}, for a prediction of shape {}",
            show(&whole)
        ))
        .at(1);
    let one = given.get(along).and_then(Dim::known) == Some(1);
    Err(if given.len() == scores.len() && one {
        fault.help(format!(
            "`target.squeeze({along})` leaves out the dimension of the classes"
        ))
    } else {
        fault
    })
}

/// Rows `[batch, d]` or `[d]` against `[batch]` or a single number, which are stretched to each other.
pub(super) fn pairs(input: &Fact, target: &Fact) -> Result<Fact, Fault> {
    let any = Ok(Fact::Tensor(vec![Part::Rest]));
    let (rows, found) = (input.shape(), target.shape());
    let (Some(row_sizes), Some(given)) = (sizes(&rows), sizes(&found)) else {
        return any;
    };
    let wanted = of_sizes(
        row_sizes
            .iter()
            .take(row_sizes.len().saturating_sub(1))
            .cloned(),
    );
    let fault = |fault: Fault| {
        fault
            .message("the target does not fit the rows")
            .found(format!("target of shape {}", show(&found)))
            .expected(format!(
                "shape {}, a number for each row of {}",
                show(&wanted),
                show(&rows)
            ))
            .at(1)
    };
    if !matches!(row_sizes.len(), 1 | 2) {
        return Err(Fault::new(codes::RANK_MISMATCH)
            .message("pairs are of rows")
            .found(format!("shape {}", show(&rows)))
            .expected("shape [batch, d], or [d] for a single pair")
            .at(0));
    }
    if given.len() != wanted.len() {
        return Err(fault(Fault::rank(&found, &wanted)));
    }
    match (given.first(), row_sizes.first()) {
        (Some(numbers), Some(batch)) if stretched(numbers, batch).is_err() => {
            let wrong = [(0, numbers.clone(), batch.clone())];
            Err(fault(
                Fault::new(codes::BATCH_MISMATCH).dims(&wrong, &Store::default()),
            ))
        }
        _ => any,
    }
}
