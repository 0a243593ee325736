//! The one list of runtime functions that compiled code calls: name, parameters, result, whether it can fail.
//!
//! Code generation takes signatures and addresses from here and nowhere else. Rules for every function listed:
//! - the C calling convention; arguments and results are scalars and pointers to counted objects;
//! - pointer arguments are borrowed unless the list says `own`: then the function consumes one reference;
//! - a pointer result is a new reference that the caller owns;
//! - a function marked `fails` records the error (`error.rs`) and returns zero bits; compiled code then looks at
//!   [`crate::error::pending_flag`] right after the call;
//! - no panic leaves a function: what could panic is caught and recorded as an internal error.
//!
//! Externs that programs declare (`rt_math_sqrt` ...) are not here but in `externs/`.

use crate::{
    access, array, array_sort, binding, callback, coverage, cross, curves, destroy, errno, error,
    export, float_state, guard, hash_table, interrupt, io, memory, number, profile, spread, text,
    thread, weak,
};

/// A scalar kind in a runtime function's signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// 8 bits; booleans are 0 or 1.
    I8,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// A 32-bit float.
    F32,
    /// A 64-bit float.
    F64,
    /// A pointer: to a counted object, or to memory of the caller.
    Ptr,
}

/// The signature of a runtime function.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// Its symbol.
    pub name: &'static str,
    /// Its parameters.
    pub params: &'static [Kind],
    /// Its result, if any.
    pub result: Option<Kind>,
    /// Whether it can record an error.
    pub fails: bool,
}

macro_rules! runtime_functions {
    ($($(#[$doc:meta])* $variant:ident = $module:ident::$name:ident($($param:ident),*) $(-> $result:ident)? $([$fails:ident])?;)*) => {
        /// A function of the runtime.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum RtFn {$(
            $(#[$doc])*
            $variant,
        )*}

        impl RtFn {
            /// Every runtime function.
            pub const ALL: &'static [RtFn] = &[$(RtFn::$variant),*];

            /// Its signature.
            pub fn signature(self) -> Signature {
                match self {$(
                    RtFn::$variant => Signature {
                        name: stringify!($name),
                        params: &[$(Kind::$param),*],
                        result: runtime_functions!(@result $($result)?),
                        fails: runtime_functions!(@fails $($fails)?),
                    },
                )*}
            }

            /// Its address in memory.
            pub fn address(self) -> *const u8 {
                match self {$(RtFn::$variant => $module::$name as *const u8,)*}
            }
        }
    };
    (@result) => { None };
    (@result $kind:ident) => { Some(Kind::$kind) };
    (@fails) => { false };
    (@fails fails) => { true };
}

runtime_functions! {
    /// `(kind, a, b)`: records the error `ErrorKind` number `kind`; `a` and `b` go into its message.
    Raise = error::rt_raise(I32, I64, I64);
    /// `(text)`: records a panic with this message.
    Panic = error::rt_panic(Ptr);
    /// `(site)`: adds a call site to the trace of the recorded error.
    Trace = error::rt_trace(I32);
    /// `(extern index)`: binds a foreign function; its slot then holds an address.
    BindExtern = binding::rt_bind_extern(I32) [fails];
    /// `(site)`: turns the message that a foreign function left into a runtime error, if there is one, and adds the call site to the
    /// trace of the recorded error: 1 if one is recorded now, otherwise 0.
    ExternFailed = error::rt_extern_failed(I32) -> I8;
    /// `()`: sets a recorded error aside, if there is one, so that a deferred statement or a `drop` can run while it passes.
    ErrorSuspend = error::rt_error_suspend();
    /// `()`: undoes the last `ErrorSuspend`; the error that was set aside wins over one recorded since.
    ErrorResume = error::rt_error_resume();
    /// `() -> text`: takes the recorded error for a `catch`; its message.
    Catch = error::rt_catch() -> Ptr;
    /// `() -> line`: where the error arose that was caught last.
    CaughtLine = error::rt_caught_line() -> I64;
    /// `() -> text`: the file of the error that was caught last.
    CaughtFile = error::rt_caught_file() -> Ptr;
    /// `() -> text`: the message of the error that was set aside last.
    PassingError = error::rt_passing_error() -> Ptr;
    /// `()`: reports the recorded error as one of a `drop` on standard error and forgets it; the program will end with 1.
    DropFailed = error::rt_drop_failed();
    /// `()`: makes a runtime error of an interruption that waits.
    Poll = interrupt::rt_poll() [fails];
    /// `(object or variable, leaves, site) -> number`: a `me` method begins to change these leaves.
    AccessBegin = access::rt_access_begin(Ptr, I64, I32) -> I64;
    /// `(number)`: the method has returned.
    AccessEnd = access::rt_access_end(I64);
    /// `(object or variable, leaves)`: fails if a `me` method is changing some of these leaves.
    AccessCheck = access::rt_access_check(Ptr, I64) [fails];
    /// `(code)`: flushes the output, runs exit reports and ends the process.
    Exit = error::rt_exit(I64);
    /// `(size in bytes, desc) -> object`: a new object with count 1; its fields are not initialized.
    Alloc = memory::rt_alloc(I64, Ptr) -> Ptr [fails];
    /// `(object, size in bytes)`: gives the memory of a dead object back.
    Free = memory::rt_free(Ptr, I64);
    /// `(own object or null)`: releases a reference; what compiled code does inline where it must be fast.
    Release = destroy::rt_release(Ptr);
    /// `(object)`: keeps a dead object until the stack has room to destroy it.
    DestroyLater = destroy::rt_destroy_later(Ptr);
    /// `()`: destroys what waits, if the stack has room again.
    DestroyWaiting = destroy::rt_destroy_waiting();
    /// `(text)`: destroys a text whose count has reached zero.
    TextDestroy = text::rt_text_destroy(Ptr);
    /// `(a, b) -> text`.
    TextConcat = text::rt_text_concat(Ptr, Ptr) -> Ptr [fails];
    /// `(own a, b) -> text`: `b` appended to `a`, in place when `a` has no other holder; a failing call leaves `a` to the caller.
    TextAppend = text::rt_text_append(Ptr, Ptr) -> Ptr [fails];
    /// `(a, b) -> bool`.
    TextEq = text::rt_text_eq(Ptr, Ptr) -> I8;
    /// `(a, b) -> -1, 0 or 1` by code point.
    TextCompare = text::rt_text_compare(Ptr, Ptr) -> I64;
    /// `(text, index) -> text`: one character.
    TextIndex = text::rt_text_index(Ptr, I64) -> Ptr [fails];
    /// `(text, lo, hi, step) -> text`; `i64::MIN` means a missing bound.
    TextSlice = text::rt_text_slice(Ptr, I64, I64, I64) -> Ptr [fails];
    /// `(text, part) -> bool`.
    TextContains = text::rt_text_contains(Ptr, Ptr) -> I8;
    /// `(text, count) -> text`.
    TextRepeat = text::rt_text_repeat(Ptr, I64) -> Ptr [fails];
    /// `(text) -> hash`.
    TextHash = text::rt_text_hash(Ptr) -> I64;
    /// `(text, byte position) -> text`: the character that begins there, for loops over a text.
    TextCharAt = text::rt_text_char_at(Ptr, I64) -> Ptr [fails];
    /// `(text, separator, cursor, own part before or null) -> text or null`: the part at the cursor, which is moved past it; it points
    /// to an `I64`, 0 at first.
    TextNextPart = text::rt_text_next_part(Ptr, Ptr, Ptr, Ptr) -> Ptr;
    /// `(text, cursor, own line before or null) -> text or null`: the same for lines.
    TextNextLine = text::rt_text_next_line(Ptr, Ptr, Ptr) -> Ptr;
    /// `(text, cursor, own word before or null) -> text or null`: the same for what white space divides.
    TextNextWord = text::rt_text_next_word(Ptr, Ptr, Ptr) -> Ptr;
    /// `()`: called after the last part, which is also where a part for which there was no room ends the loop.
    TextPartsEnd = text::rt_text_parts_end() [fails];
    /// `(data, length in bytes) -> text`: takes over a buffer that a foreign function got from the host.
    TextAdopt = text::rt_text_adopt(Ptr, I64) -> Ptr [fails];
    /// `(text) -> text`: the same text, or a copy, whose bytes are a C string; see `text/c_text.rs`.
    TextTerminated = text::rt_text_terminated(Ptr) -> Ptr [fails];
    /// `(address) -> text`: of the bytes up to a NUL.
    TextFromC = text::rt_text_from_c(I64) -> Ptr [fails];
    /// `(closure, entry, register, bytes, given) -> thunk`: an address by which C can call the closure; see `callback.rs`.
    CallbackTake = callback::rt_callback_take(Ptr, Ptr, I64, I64, Ptr) -> I64 [fails];
    /// `() -> slot`: that of the thunk by which C has just called, where no register was free for it.
    CallbackSlot = callback::rt_callback_slot() -> Ptr;
    /// `(place, bytes)`: zeroes the place of a result.
    CallbackZero = callback::rt_callback_zero(Ptr, I64);
    /// `(thunk or 0)`: gives the address back.
    CallbackGive = callback::rt_callback_give(I64);
    /// `(thunk or 0)`: an error if C has called that address on another thread.
    CallbackCheck = callback::rt_callback_check(I64) [fails];
    /// `()`: C has done so.
    CallbackRefused = callback::rt_callback_refused();
    /// The error of a function that C called by name is recorded: it is taken.
    ExportFailed = export::rt_export_failed();
    /// A function was called by name on another thread.
    ExportRefused = export::rt_export_refused();
    /// `(address, bytes) -> text`: a copy of what C gave.
    TextOfBytes = export::rt_text_of_bytes(I64, I64) -> Ptr [fails];
    /// `(address, elements, descriptor, flags) -> array`: a copy of what C gave.
    ArrayOfMemory = export::rt_array_of_memory(I64, I64, Ptr, I64) -> Ptr [fails];
    /// `(text) -> address`: a copy that C frees.
    TextToC = export::rt_text_to_c(Ptr) -> I64 [fails];
    /// `(start, bytes, elements, place) -> address`: a copy that C frees.
    MemoryToC = export::rt_memory_to_c(Ptr, I64, I64, I64) -> I64 [fails];
    /// `(description) -> call`: a plain C function is about to be called, in a program that is run with `--check-ffi`; see `guard.rs`.
    GuardBegin = guard::rt_guard_begin(Ptr) -> I64;
    /// `(address, bytes, argument, flags) -> address`: what C gets in its place.
    GuardMemory = guard::rt_guard_memory(I64, I64, I64, I64) -> I64;
    /// `(address, align, argument)`: C is about to get this.
    GuardAddress = guard::rt_guard_address(I64, I64, I64) [fails];
    /// `(call)`: it has returned.
    GuardCheck = guard::rt_guard_check(I64) [fails];
    /// `(address) -> address`: the one in the program for one that C gave.
    GuardResult = guard::rt_guard_result(I64) -> I64;
    /// `(call)`: what it was given goes.
    GuardEnd = guard::rt_guard_end(I64);
    /// `(handle)`: C gave it.
    GuardNull = guard::rt_guard_null(I64) [fails];
    /// `()`: a plain C function is about to be called, in a program that asks for `last_error()`.
    ErrnoClear = errno::rt_errno_clear();
    /// `()`: it has returned.
    ErrnoKeep = errno::rt_errno_keep();
    /// `() -> i64`: what `errno` was then.
    LastError = errno::rt_last_error() -> I64;
    /// `() -> state`: how floats are computed, before a foreign function that may change it.
    FloatsKeep = float_state::rt_floats_keep() -> I64;
    /// `(state)`: afterwards.
    FloatsRestore = float_state::rt_floats_restore(I64);
    /// `() -> builder`: an empty text under construction.
    BuilderNew = text::rt_builder_new() -> Ptr;
    /// `(own builder) -> text`, or the error of a piece for which there was no room.
    BuilderFinish = text::rt_builder_finish(Ptr) -> Ptr [fails];
    /// `(own builder)`: frees it, when an error passes.
    BuilderDiscard = text::rt_builder_discard(Ptr);
    /// `(builder, text)`.
    BuilderText = text::rt_builder_text(Ptr, Ptr);
    /// `(builder)`: texts among the values that are printed from now on have quotes.
    BuilderQuote = text::rt_builder_quote(Ptr);
    /// `(builder, text)`: a value that is a text.
    BuilderShown = text::rt_builder_shown(Ptr, Ptr);
    /// `(builder, i64)`.
    BuilderI64 = text::rt_builder_i64(Ptr, I64);
    /// `(builder, u64)`.
    BuilderU64 = text::rt_builder_u64(Ptr, I64);
    /// `(builder, f32)`: shortest form that reads back as the same `f32`.
    BuilderF32 = text::rt_builder_f32(Ptr, F32);
    /// `(builder, f64)`.
    BuilderF64 = text::rt_builder_f64(Ptr, F64);
    /// `(builder, bool)`.
    BuilderBool = text::rt_builder_bool(Ptr, I8);
    /// `(builder, closure)`: its printed form, `<fn name>`.
    BuilderFn = text::rt_builder_fn(Ptr, Ptr);
    /// `(builder, object) -> bool`: a class instance begins to be printed; 0 if it is being printed already.
    BuilderEnter = text::rt_builder_enter(Ptr, Ptr) -> I8;
    /// `(builder, object)`: a class instance has been printed.
    BuilderLeave = text::rt_builder_leave(Ptr, Ptr);
    /// `(spec, i64) -> spec`: the same with another width, until the next call of this kind.
    FormatWidth = text::rt_format_width(Ptr, I64) -> Ptr [fails];
    /// `(spec, i64) -> spec`: the same with another precision, until the next call of this kind.
    FormatPrecision = text::rt_format_precision(Ptr, I64) -> Ptr [fails];
    /// `(spec, i64, signed) -> spec`: the same, if the number is the code point of a character, as the format `c` needs.
    FormatCode = text::rt_format_code(Ptr, I64, I8) -> Ptr [fails];
    /// `(builder, i64, spec)`: `spec` points to a `format::Spec`.
    FormatI64 = text::rt_format_i64(Ptr, I64, Ptr);
    /// `(builder, u64, spec)`.
    FormatU64 = text::rt_format_u64(Ptr, I64, Ptr);
    /// `(builder, f64, spec)`.
    FormatF64 = text::rt_format_f64(Ptr, F64, Ptr);
    /// `(builder, text, spec)`.
    FormatText = text::rt_format_text(Ptr, Ptr, Ptr);
    /// `(desc, length, capacity) -> array` whose elements are not initialized.
    ArrayNew = array::rt_array_new(Ptr, I64, I64) -> Ptr [fails];
    /// `(desc, length, bits) -> array` whose elements all have the low bytes of `bits`: scalars of 1, 2, 4 or 8 bytes.
    ArrayFilled = array::rt_array_filled(Ptr, I64, I64) -> Ptr [fails];
    /// `(own array, extra) -> array`: the same elements, held by no one else, with room for `extra` more.
    ArrayUnique = array::rt_array_unique(Ptr, I64) -> Ptr [fails];
    /// `(array, size of the head and elements is known from desc)`: frees the memory of a dead array.
    ArrayFree = array::rt_array_free(Ptr);
    /// `(array, lo, hi, step) -> array`; elements are copied and retained.
    ArraySlice = array::rt_array_slice(Ptr, I64, I64, I64) -> Ptr [fails];
    /// `(array held by no one else, from, to, target)`: moves the elements `from..to`, which may overlap, so that they begin at
    /// `target`; what was there is not released.
    ArrayMove = array::rt_array_move(Ptr, I64, I64, I64);
    /// `(a, b) -> array`.
    ArrayConcat = array::rt_array_concat(Ptr, Ptr) -> Ptr [fails];
    /// `(own a, b) -> array`: `b` appended to `a`, in place when `a` has no other holder; a failing call leaves `a` to
    /// the caller.
    ArrayAppend = array::rt_array_append(Ptr, Ptr) -> Ptr [fails];
    /// `(array, kind)`: sorts the elements of an array that no one else holds; `kind` is an `array_sort::SortKind`.
    ArraySort = array_sort::rt_array_sort(Ptr, I32) [fails];
    /// `(data, length in elements, desc) -> array`: takes over a buffer that a foreign function got from the host.
    ArrayAdopt = array::rt_array_adopt(Ptr, I64, Ptr) -> Ptr [fails];
    /// `(data, length in elements, desc) -> array`: the same for an array of text buffers.
    ArrayAdoptTexts = array::rt_array_adopt_texts(Ptr, I64, Ptr) -> Ptr [fails];
    /// `(desc, capacity) -> table` without entries.
    TableNew = hash_table::rt_table_new(Ptr, I64) -> Ptr [fails];
    /// `(own table) -> table`: the same entries, held by no one else.
    TableUnique = hash_table::rt_table_unique(Ptr) -> Ptr [fails];
    /// `(table)`: frees the memory of a dead table whose entries have been released.
    TableFree = hash_table::rt_table_free(Ptr);
    /// `(table, key) -> entry or null`.
    TableFindWord = hash_table::rt_table_find_word(Ptr, I64) -> Ptr;
    /// `(table, key) -> entry or null`.
    TableFindText = hash_table::rt_table_find_text(Ptr, Ptr) -> Ptr;
    /// `(table with no other holder, key) -> entry`, made with a zero value if there was none.
    TableEnterWord = hash_table::rt_table_enter_word(Ptr, I64) -> Ptr [fails];
    /// `(table with no other holder, key) -> entry`, made with a zero value if there was none.
    TableEnterText = hash_table::rt_table_enter_text(Ptr, Ptr) -> Ptr [fails];
    /// `(table, hash, cursor) -> entry or null`: the next entry of this hash; `cursor` points to an `I64`, 0 at first.
    TableProbe = hash_table::rt_table_probe(Ptr, I64, Ptr) -> Ptr;
    /// `(table held by no one else, hash) -> entry`: a new one whose key compiled code stores.
    TableAppend = hash_table::rt_table_append(Ptr, I64) -> Ptr [fails];
    /// `(table held by no one else, entry)`: takes out an entry whose key and value have been released.
    TableRemove = hash_table::rt_table_remove(Ptr, Ptr);
    /// `(table, position) -> position` of the first entry from there on.
    TableNext = hash_table::rt_table_next(Ptr, I64) -> I64;
    /// `(address of a weak field, object or null)`: lets the field point there.
    WeakSet = weak::rt_weak_set(Ptr, Ptr);
    /// `(object)`: makes every weak field that points to it null.
    WeakClear = weak::rt_weak_clear(Ptr);
    /// `(text)`: the text and a newline to standard output.
    Print = io::rt_print(Ptr);
    /// `(text)`: the text to standard output.
    PrintRaw = io::rt_print_raw(Ptr);
    /// `(text)`: the text and a newline to standard error.
    Eprint = io::rt_eprint(Ptr);
    /// `(extern index)`: a foreign function is about to be called, in a program that is profiled.
    ProfileEnter = profile::rt_profile_enter(I32);
    /// `()`: it has returned.
    ProfileLeave = profile::rt_profile_leave();
    /// `(text)`: the name that the program has for the layer whose `forward` it calls next.
    LayerName = profile::rt_layer_name(Ptr);
    /// `(object, text)`: `forward` of a layer begins; the text describes its class, see `profile.rs`.
    LayerEnter = profile::rt_layer_enter(Ptr, Ptr);
    /// `()`: it has ended.
    LayerLeave = profile::rt_layer_leave();
    /// `(array) -> parcel` with a copy of what it holds, for another thread.
    CrossPack = cross::rt_cross_pack(Ptr) -> I64 [fails];
    /// `(parcel) -> array`: what it holds is this thread's from then on.
    CrossUnpack = cross::rt_cross_unpack(I64) -> Ptr [fails];
    /// `(task, parcel of a function, entry, table of variables)`: another thread calls the function.
    ThreadStart = thread::rt_thread_start(I64, I64, Ptr, Ptr) [fails];
    /// `(file << 32 | line)`: a line of the source runs, in a program whose lines are counted.
    Cover = coverage::rt_cover(I64);
    /// `(x, y) -> x ** y`.
    PowF64 = number::rt_pow_f64(F64, F64) -> F64;
    /// The same of `f32`.
    PowF32 = number::rt_pow_f32(F32, F32) -> F32;
    /// `(x, y)`: the remainder with the sign of `x`.
    RemF64 = number::rt_rem_f64(F64, F64) -> F64;
    /// `(base, exponent)`: checked integer power; overflow or a negative exponent is an error.
    PowI64 = number::rt_pow_i64(I64, I64) -> I64 [fails];
    /// `(base, exponent)`: the same for an unsigned base; the exponent is signed.
    PowU64 = number::rt_pow_u64(I64, I64) -> I64 [fails];
    /// `(integer, x) -> -1, 0 or 1`: their exact order; `x` is a number.
    OrderI64F64 = number::rt_order_i64_f64(I64, F64) -> I64;
    /// `(integer, x) -> -1, 0 or 1`: the same for a `u64`.
    OrderU64F64 = number::rt_order_u64_f64(I64, F64) -> I64;
    /// `(code, values, turns, grain)`: runs a loop whose turns do not depend on each other, on several threads; see `spread.rs`.
    Spread = spread::rt_spread(Ptr, Ptr, I64, I64);
    /// `(number, a, b, out, count)`: a function of `curves`, of `count` numbers at `a` and `b`, which are written to `out`.
    Curve = curves::rt_curve(I64, Ptr, Ptr, Ptr, I64);
    /// `(x) -> word`: what a float puts into a hash, the same as the integer that it equals.
    FloatWord = number::rt_float_word(F64) -> I64;
}
