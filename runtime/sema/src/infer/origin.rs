//! Why a type is not known yet: what it would be the type of.

use std::fmt;

/// What a variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// A parameter of a lambda without a type.
    Parameter,
    /// What a lambda yields.
    LambdaResult,
    /// What a function that is a value yields.
    FunctionResult,
    /// What a function yields that is given to something.
    GivenResult,
    /// What a call yields whose function depends on types that are not known.
    CallResult,
    /// What `&:name` is called on.
    Receiver,
    /// What `&:name` yields.
    MethodResult,
    /// The payload of `nil`.
    Nil,
    /// The elements of an array literal.
    ArrayElements,
    /// The elements of a set literal.
    SetElements,
    /// The keys of a dict literal.
    DictKeys,
    /// The values of a dict literal.
    DictValues,
    /// The elements of a collection that is made empty.
    CollectionElements,
    /// The elements that an array pattern matches.
    PatternElements,
    /// What a part of a tuple pattern matches.
    PatternPart,
    /// The error of an `Ok`.
    ErrorOfResult,
    /// The value of an `Err`.
    ValueOfResult,
    /// The error that `ok_or` gives.
    Error,
    /// The type arguments of a type that are not written.
    TypeArgs,
    /// Those of a function that is a value.
    FunctionTypeArgs,
    /// Those of a call.
    CallTypeArgs,
}

impl Origin {
    /// What to do about a type that nothing determines.
    pub fn how_to_write(self) -> &'static str {
        match self {
            Origin::Nil => "write the type, as in `val x: i64? = nil`",
            Origin::Parameter => "write the type, as in `\\(x: i64): x + 1`",
            Origin::CallTypeArgs => "write them, as in `f<i64>(x)`",
            Origin::FunctionTypeArgs => {
                "write the function's type, as in `val f: fn(i64) -> [i64] = pair`"
            }
            Origin::DictKeys | Origin::DictValues => {
                "write the type, as in `val d: {text: i64} = {}`"
            }
            Origin::SetElements => "write the type, as in `val s: Set<i64> = s{}`",
            _ => "write the type, as in `val xs: [i64] = []`",
        }
    }
}

/// As messages call it.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Origin::Parameter => "this parameter",
            Origin::LambdaResult => "the result of this lambda",
            Origin::FunctionResult => "the result of this function",
            Origin::GivenResult => "the function's result",
            Origin::CallResult => "the result of this call",
            Origin::Receiver => "the value that the method is called on",
            Origin::MethodResult => "the result of this method",
            Origin::Nil => "this `nil`",
            Origin::ArrayElements => "the elements of this array",
            Origin::SetElements => "the elements of this set",
            Origin::DictKeys => "the keys of this dict",
            Origin::DictValues => "the values of this dict",
            Origin::CollectionElements => "the elements of this collection",
            Origin::PatternElements => "the elements of this pattern",
            Origin::PatternPart => "this part of the pattern",
            Origin::ErrorOfResult => "the error of this result",
            Origin::ValueOfResult => "the value of this result",
            Origin::Error => "the error",
            Origin::TypeArgs => "this type's arguments",
            Origin::FunctionTypeArgs => "this function's type arguments",
            Origin::CallTypeArgs => "this call's type arguments",
        })
    }
}
