//! Every runtime error that compiled code raises by number, with its message.
//!
//! Messages say what was found and, where it helps, what to do. Next: `error.rs` records them.

macro_rules! error_kinds {
    ($($(#[$doc:meta])* $name:ident = $number:literal: $message:literal;)*) => {
        /// The number of a runtime error.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(i32)]
        pub enum ErrorKind {$(
            $(#[$doc])*
            $name = $number,
        )*}

        impl ErrorKind {
            /// The kind of this number.
            pub fn from_number(number: i32) -> Option<ErrorKind> {
                match number {
                    $($number => Some(ErrorKind::$name),)*
                    _ => None,
                }
            }

            /// Its message; `{a}` and `{b}` are replaced by the two numbers that come with it.
            pub fn template(self) -> &'static str {
                match self {$(ErrorKind::$name => $message,)*}
            }
        }
    };
}

error_kinds! {
    /// Integer `+ - *` or negation left its type.
    Overflow = 0: "integer overflow: the result does not fit its type; use a wider type, or wrapping_add and its like";
    /// `/` or `%` by zero.
    DivisionByZero = 1: "division by zero";
    /// `a` is the index, `b` the length.
    IndexOutOfRange = 2: "index {a} is out of range for a length of {b}";
    /// `a!` on an absent value.
    UnwrapNil = 3: "the value is nil, but `!` needs one that is present";
    /// A lenient optional was absent where its payload is needed.
    LenientNil = 4: "the value is nil here, but a plain value is needed; use `??` to give a default or `if val` to test it";
    /// `assert` without a message.
    AssertFailed = 6: "assertion failed";
    /// Calls nested too deeply.
    StackOverflow = 7: "stack overflow: calls are nested too deeply, probably a recursion that does not end";
    /// No arm of a match on a lenient optional fits because it is absent.
    MatchNil = 8: "the matched value is nil and no arm takes nil";
    /// `a` is the count.
    NegativeCount = 9: "a count of {a} is negative";
    /// `remove` or `insert` outside the array.
    PositionOutOfRange = 10: "position {a} is out of range for a length of {b}";
    /// `**` with a negative integer exponent.
    NegativeExponent = 11: "the exponent {a} is negative; make the base a float to get a fraction";
    /// A slice step of zero.
    ZeroStep = 12: "the step of a slice must not be zero";
    /// A `me` method through a trait object that holds a value and is not a place.
    FixedObject = 13: "this method changes its receiver, which is a value here and would lose the change; hold the trait object in a `var`, or make its type a class";
    /// A shift by a count outside the width; `a` is the count, `b` the greatest that is allowed.
    ShiftCount = 14: "a shift count of {a} is out of range: this type can be shifted by 0 to {b}";
    /// A foreign function was given an array with fewer elements than it uses; `a` is how many it uses, `b` how many there are.
    ArrayTooShort = 15: "the function uses {a} elements of an array that has {b}; make it longer before the call, such as `[0] * n`";
    /// NULL came from a foreign function whose declaration does not allow it.
    UnexpectedNull = 16: "a foreign function gave NULL where its declaration does not allow it; add `?` to the type there: NULL is nil then";
    /// An object of a type of `@frees` was passed to a foreign function after what it refers to was freed.
    AlreadyFreed = 17: "this object has been freed: the function of its `@frees` was called with it before";
    /// An array for a field `[T; n]` of a C struct has another length; `a` is `n`, `b` the length.
    FieldLength = 18: "the field of the C struct takes an array of {a} elements, and this one has {b}";
    /// A number that came from C for an enum is of none of its variants; `a` is the number.
    NoVariant = 19: "C gave {a} for an enum, which none of its variants has; declare a variant `Name = {a}`, or take the number as `i32`";
}
