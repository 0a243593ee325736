//! The table of diagnostic codes of this crate: one line per code with its title.
//!
//! Codes are stable: a code is never given a second meaning. E0101 to E0149 and W0150 to W0152 and W0154 belong to the
//! syntax, E0501 to W0514 to tensor shapes. Leaves out the long explanations, which are pages under `doc/errors/`.

macro_rules! codes {
    ($($name:ident = $code:literal: $title:literal;)*) => {
        $(#[doc = $title] pub const $name: &str = $code;)*
        /// Every code with its title, in order.
        pub const ALL: &[(&str, &str)] = &[$(($code, $title)),*];
    };
}

codes! {
    EMPTY_LOOP = "W0153": "loop over a range that ends before it starts";
    UNKNOWN_NAME = "E0201": "unknown name";
    UNKNOWN_TYPE = "E0202": "unknown type";
    UNKNOWN_FIELD = "E0203": "unknown field";
    UNKNOWN_METHOD = "E0204": "unknown method";
    UNKNOWN_MODULE = "E0205": "unknown module";
    UNKNOWN_ITEM = "E0206": "unknown item of a module";
    NOT_EXPORTED = "E0207": "import of a name that its module does not export";
    DUPLICATE = "E0208": "duplicate definition";
    IMPORT_CLASH = "E0209": "two imports of one name";
    UNKNOWN_VARIANT = "E0210": "unknown variant";
    INHERITANCE = "E0211": "`super`, where nothing is inherited";
    BAD_ANNOTATION = "E0213": "malformed annotation";
    LOAD_FAILED = "E0214": "a module cannot be read";
    NOT_A_VALUE = "E0215": "a module, type or trait used as a value";
    DEPRECATED = "W0216": "use of something deprecated";
    BAD_MIXIN = "E0217": "malformed mixin";
    AMBIGUOUS_BOUND = "E0218": "method of several traits";
    CAPITAL_NAME = "E0219": "capitalised name without a meaning in a pattern";
    UNKNOWN_ANNOTATION = "E0220": "unknown annotation";
    BAD_DECORATOR = "E0221": "decorator that does not fit";
    PRIVATE_FIELD = "E0222": "private field used in another file";
    NOT_SUPPORTED = "E0290": "not supported yet";
    TYPE_MISMATCH = "E0301": "type mismatch";
    ARG_COUNT = "E0302": "wrong number of arguments";
    ARG_LABEL = "E0303": "unknown, repeated or missing argument label";
    MISSING_FIELD = "E0304": "missing field";
    DUPLICATE_FIELD = "E0305": "duplicate field";
    UNDETERMINED = "E0306": "type cannot be determined";
    BAD_OPERAND = "E0307": "operator does not fit its operands";
    OPTIONAL_USED = "E0308": "optional where a plain value is needed";
    MISSING_RETURN = "E0309": "missing return value";
    RECURSIVE_INFERENCE = "E0310": "result type cannot be inferred";
    BAD_CAST = "E0311": "impossible conversion";
    LITERAL_RANGE = "E0312": "literal out of range";
    NOT_CALLABLE = "E0313": "not callable";
    NOT_ITERABLE = "E0314": "not iterable";
    BAD_FORMAT = "E0315": "format spec that is malformed or does not fit";
    MISSING_TRAIT_METHOD = "E0316": "trait method that is missing or does not fit";
    TRAIT_BOUND = "E0317": "trait not implemented";
    EXTERN_TYPE = "E0318": "type that cannot cross to a foreign function";
    EXTERN_CONTRADICTION = "E0319": "extern declaration contradicts the known signature";
    TYPE_ARGS = "E0320": "wrong type arguments";
    NOT_INDEXABLE = "E0321": "not indexable";
    NOT_CONSTANT = "E0322": "not a constant expression";
    MISSING_TYPE = "E0323": "missing type";
    RECURSIVE_TYPE = "E0324": "type of infinite size";
    UNFIT_CALL = "E0325": "library function called with types that it does not work with";
    RECURSIVE_DEFAULT = "E0326": "default that needs itself";
    UNFINISHED = "E0329": "compiler bug in checking a function";
    SHIFT_COUNT = "E0335": "shift by more bits than the type has";
    EXTERN_RESULT = "E0336": "result that a plain C function cannot yield";
    FOREIGN_FORM = "E0340": "foreign declaration that does not fit";
    FOREIGN_ONLY = "E0341": "type that only a foreign declaration can have";
    NUL_IN_CSTR = "E0342": "NUL character in a text for `cstr`";
    NO_LAYOUT = "E0343": "type without a layout in memory of C";
    BAD_FREES = "E0344": "`@frees` that does not fit";
    FOREIGN_ARGUMENT = "E0345": "argument that a foreign function cannot be given";
    BAD_C_TYPE = "E0346": "type of `@c` that cannot be in memory of C";
    NON_EXHAUSTIVE = "E0401": "match is not exhaustive";
    UNREACHABLE_ARM = "W0402": "unreachable arm";
    BAD_PATTERN = "E0403": "pattern does not fit the value";
    OR_BINDINGS = "E0404": "alternatives bind different names";
    IMMUTABLE = "E0405": "assignment to an immutable place";
    CAPTURED_ASSIGN = "E0406": "assignment to a captured variable";
    OUTSIDE_LOOP = "E0407": "break or continue outside a loop";
    BAD_TRY = "E0408": "? outside its context";
    DISCARDED_COPY = "E0409": "discarded updated copy";
    ASSIGN_UNKNOWN = "E0410": "assignment to an undeclared name";
    REFUTABLE = "E0411": "pattern may not fit";
    BAD_MAIN = "E0412": "main with a wrong signature";
    NOT_A_PLACE = "E0413": "not assignable";
    TODO = "W0414": "unfinished code";
    NO_SELF = "E0415": "self outside a method";
    OUTSIDE_FUNCTION = "E0417": "return outside a function";
    BAD_YIELD = "E0428": "`yield` where no generator can be";
    LEAVES_DEFER = "E0419": "return in deferred code";
    OTHER_CASE = "W0422": "variable that is a variant or constant in other letters";
    CATCHES_ALL = "W0423": "`catch` with the name of an error type";
    OVERLAPPING = "E0424": "place changed while a `me` method changes it";
    TRAIT_ARGUMENTS = "E0425": "impl with other defaults, names or forms of parameters than its trait";
    FIXED_LENGTH = "E0426": "change of the length of an array of fixed length";
    GONE_FUNCTION = "E0427": "operator that this libtorch lacks";
    NOT_SENDABLE = "E0429": "what cannot go to another thread";
    UNUSED_RESULT = "W0430": "unused `Result`";
    UNUSED_VALUE = "W0431": "expression whose value is dropped";
    UNREACHABLE_CODE = "W0432": "unreachable code";
    DUPLICATE_KEY = "W0433": "key that a dict literal has twice";
    INTEGER_DIVISION = "W0434": "division of integers where a float is expected";
    TENSOR_UPDATE = "W0435": "`+=` that leaves the tensor as it is";
    UNUSED_VARIABLE = "W0436": "unused variable";
    UNUSED_IMPORT = "W0437": "unused import";
    UNKNOWN_WARNING = "W0438": "unknown name of a warning";
    STALE_CAPTURE = "W0439": "change that a function does not see";
    NO_LEAF = "W0440": "tensor in a field that is not a parameter";
    DTYPE_WORD = "W0441": "comparison with an unknown dtype or device name";
    NIL_TRAP = "W0442": "comparison with `nil` that is not what it looks like";
    OLD_CREATE = "W0445": "`create` for the name of the type";
    READ_IN_STEP = "W0460": "captured step that reads what a tensor contains";
    SHARED_WITH_STEP = "W0461": "captured step that uses a variable which the program changes";
    ON_SOME_RANKS = "W0462": "call for all ranks that only some make";
    SHAPE_MISMATCH = "E0501": "shapes that should be equal differ";
    LAYER_MISMATCH = "E0502": "a layer's input does not fit what flows into it";
    RANK_MISMATCH = "E0503": "different number of dimensions";
    MATMUL_MISMATCH = "E0504": "inner dimensions of a matrix product differ";
    BROADCAST_MISMATCH = "E0505": "shapes cannot be broadcast";
    BATCH_MISMATCH = "E0506": "batch sizes differ";
    CHANNEL_MISMATCH = "E0507": "channel counts differ";
    SEQUENCE_MISMATCH = "E0508": "sequence lengths differ";
    DIM_RANGE = "E0509": "a size outside its declared range";
    DIM_UNDETERMINED = "E0510": "a dimension of a result cannot be determined";
    SIZE_MISMATCH = "E0511": "the number of elements differs";
    NO_DIMENSION = "E0512": "a dimension that the tensor does not have";
    NO_ELEMENT = "E0513": "an index that the tensor does not have";
    BOTH_STRETCHED = "W0514": "operands that are both stretched";
}
