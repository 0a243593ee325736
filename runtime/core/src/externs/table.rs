//! The list of the runtime's externs: name, signature, failure, effects, and the Rust function that implements it.
//!
//! Conventions: a search answers -1 for "not found"; positions and widths are in characters unless the name says bytes; file
//! functions that answer `bool` never fail but leave their reason in `rt_file_error`. Everything that programs see under
//! friendlier names (`text.upper`, `std.io.file_read`) comes from here. Effects and failures are explained in
//! `simple_ffi_abi`; every extern that touches the world outside its arguments is marked `STATE`.
//!
//! `numbers.rs` has those over many numbers and `documents.rs` those over SDN and profiles: an executable that calls
//! none of them does without.

use super::call::runtime_externs;
use super::{case, env, file, input, math, memory, random, spec, text, text_edit, time};
use crate::{channel, thread, world};
use simple_ffi_abi::effects::{PURE, STATE};

runtime_externs! {
    /// The square root; `nan` below zero.
    fn rt_math_sqrt(x: f64) -> f64, never, PURE => f64::sqrt;
    /// The cube root.
    fn rt_math_cbrt(x: f64) -> f64, never, PURE => f64::cbrt;
    /// `x` to the power `y`.
    fn rt_math_pow(x: f64, y: f64) -> f64, never, PURE => f64::powf;
    /// `e` to the power `x`.
    fn rt_math_exp(x: f64) -> f64, never, PURE => f64::exp;
    /// The natural logarithm.
    fn rt_math_ln(x: f64) -> f64, never, PURE => f64::ln;
    /// The logarithm to a base.
    fn rt_math_log(x: f64, base: f64) -> f64, never, PURE => math::log;
    /// The logarithm to base 2.
    fn rt_math_log2(x: f64) -> f64, never, PURE => f64::log2;
    /// The logarithm to base 10.
    fn rt_math_log10(x: f64) -> f64, never, PURE => f64::log10;
    /// The sine.
    fn rt_math_sin(x: f64) -> f64, never, PURE => f64::sin;
    /// The cosine.
    fn rt_math_cos(x: f64) -> f64, never, PURE => f64::cos;
    /// The tangent.
    fn rt_math_tan(x: f64) -> f64, never, PURE => f64::tan;
    /// The inverse sine.
    fn rt_math_asin(x: f64) -> f64, never, PURE => f64::asin;
    /// The inverse cosine.
    fn rt_math_acos(x: f64) -> f64, never, PURE => f64::acos;
    /// The inverse tangent.
    fn rt_math_atan(x: f64) -> f64, never, PURE => f64::atan;
    /// The angle of the point `(x, y)`.
    fn rt_math_atan2(y: f64, x: f64) -> f64, never, PURE => f64::atan2;
    /// The hyperbolic sine.
    fn rt_math_sinh(x: f64) -> f64, never, PURE => f64::sinh;
    /// The hyperbolic cosine.
    fn rt_math_cosh(x: f64) -> f64, never, PURE => f64::cosh;
    /// The hyperbolic tangent.
    fn rt_math_tanh(x: f64) -> f64, never, PURE => f64::tanh;
    /// The length of the vector `(x, y)`.
    fn rt_math_hypot(x: f64, y: f64) -> f64, never, PURE => f64::hypot;
    /// The greatest whole number not above `x`.
    fn rt_math_floor(x: f64) -> f64, never, PURE => f64::floor;
    /// The least whole number not below `x`.
    fn rt_math_ceil(x: f64) -> f64, never, PURE => f64::ceil;
    /// The nearest whole number, halves to the even one.
    fn rt_math_round(x: f64) -> f64, never, PURE => f64::round_ties_even;
    /// `x` without its places.
    fn rt_math_trunc(x: f64) -> f64, never, PURE => f64::trunc;
    /// `x` rounded to so many places, as Python's `round`: ties of the exact value to the even digit; fewer than none rounds to
    /// tens, hundreds and so on.
    fn rt_math_round_to(x: f64, places: i64) -> f64, never, PURE => math::round_to;

    /// The content of a file of text.
    fn rt_file_read_text(path: text) -> text, fails, STATE => file::read_text;
    /// The content of a file of text, or the empty text with the reason in `rt_file_error`.
    fn rt_file_try_read(path: text) -> text, never, STATE => file::try_read;
    /// The bytes of a file.
    fn rt_file_read_bytes(path: text) -> [u8], fails, STATE => file::read_bytes;
    /// Writes a file, in place of what it held.
    fn rt_file_write_text(path: text, content: text) -> bool, never, STATE => file::write_text;
    /// Writes a file of bytes, in place of what it held.
    fn rt_file_write_bytes(path: text, content: [u8]) -> bool, never, STATE => file::write_bytes;
    /// Appends to a file, which is created if it does not exist.
    fn rt_file_append_text(path: text, content: text) -> bool, never, STATE => file::append_text;
    /// Whether there is a file or folder of that path.
    fn rt_file_exists(path: text) -> bool, never, STATE => file::exists;
    /// Removes a file.
    fn rt_file_delete(path: text) -> bool, never, STATE => file::delete;
    /// Copies a file.
    fn rt_file_copy(source: text, target: text) -> bool, never, STATE => file::copy;
    /// Gives a file or folder another path.
    fn rt_file_rename(source: text, target: text) -> bool, never, STATE => file::rename;
    /// The size of a file in bytes; -1 if there is none.
    fn rt_file_size(path: text) -> i64, never, STATE => file::size;
    /// When a file was last written, in milliseconds since 1970; -1 if there is none.
    fn rt_file_modified_ms(path: text) -> i64, never, STATE => file::modified_ms;
    /// Whether the path is a folder.
    fn rt_file_is_dir(path: text) -> bool, never, STATE => file::is_dir;
    /// Why the last file function that does not fail answered as if nothing was there; empty after a success.
    fn rt_file_error() -> text, never, STATE => file::last_error;
    /// Makes a folder and those above it; true also if it is there already.
    fn rt_dir_create(path: text) -> bool, never, STATE => file::create_dir;
    /// The names in a folder, sorted.
    fn rt_dir_list(path: text) -> [text], fails, STATE => file::list_dir;
    /// Removes an empty folder.
    fn rt_dir_delete(path: text) -> bool, never, STATE => file::delete_dir;

    /// Writes what the program has printed so far.
    fn rt_output_flush() -> (), never, STATE => crate::io::flush;

    /// The value of an environment variable; empty if it is not set.
    fn rt_env_get(name: text) -> text, never, STATE => env::get;
    /// Whether an environment variable is set.
    fn rt_env_has(name: text) -> bool, never, STATE => env::has;
    /// Sets an environment variable of this process and those it starts; false if the name or value cannot be one.
    fn rt_env_set(name: text, value: text) -> bool, never, STATE => env::set;
    /// The current folder.
    fn rt_cwd() -> text, fails, STATE => env::cwd;
    /// The user's home folder; empty if there is none.
    fn rt_home() -> text, never, STATE => env::home;
    /// The arguments of the program.
    fn sys_get_args() -> [text], never, STATE => env::args;
    /// The operating system: `linux`, `macos`, `windows` ...
    fn rt_os_name() -> text, never, PURE => env::os_name;
    /// Runs a command line in the system's shell and answers its exit code.
    fn rt_process_shell(command: text) -> i64, fails(i64::MIN), STATE => env::shell;
    /// Runs a command line in the system's shell and answers what it wrote to standard output.
    fn rt_process_shell_output(command: text) -> text, fails, STATE => env::shell_output;
    /// Runs a program with arguments (each ended by a NUL character) and answers its exit code; what it wrote is kept.
    /// One that cannot be started has the code 127, with the reason in place of what it wrote to standard error.
    fn rt_process_run(program: text, arguments: text) -> i64, fails(i64::MIN), STATE => env::run;
    /// What the last program of `rt_process_run` wrote to standard output.
    fn rt_process_stdout() -> text, fails, STATE => env::stdout;
    /// What the last program of `rt_process_run` wrote to standard error.
    fn rt_process_stderr() -> text, fails, STATE => env::stderr;
    /// The exit code of the last command that was run.
    fn rt_process_exit_code() -> i64, never, STATE => env::exit_code;

    /// An option of the run that spec files ask for: `filter`, `list`, `fail-fast`, `colour`, `times`; empty if it is
    /// not set.
    fn rt_spec_option(name: text) -> text, never, STATE => spec::option;
    /// An example begins, in groups with these names.
    fn rt_spec_begin(group: text, name: text) -> (), never, STATE => spec::begin;
    /// An example has ended: 0 it passed, 1 it failed, 2 it was skipped; the message says why. Answers how many
    /// nanoseconds it ran, 0 for one that did not begin.
    fn rt_spec_record(group: text, name: text, outcome: i64, message: text) -> i64, never, STATE => spec::record;
    /// Where two long texts differ, in lines; empty if both are short.
    fn rt_spec_difference(wanted: text, got: text) -> text, never, STATE => spec::difference;

    /// Milliseconds since 1970.
    fn rt_time_now_ms() -> i64, never, STATE => time::now_ms;
    /// Nanoseconds of a clock that never goes back, for measuring.
    fn rt_time_now_ns() -> i64, never, STATE => time::now_ns;
    /// Waits; not at all for a negative time.
    fn rt_sleep_ms(duration: i64) -> (), never, STATE => time::sleep_ms;

    /// A random number from 0 up to but not including 1.
    fn rt_random_f64() -> f64, never, STATE => random::next_f64;
    /// A random integer from `lo` to `hi`, both possible.
    fn rt_random_int(lo: i64, hi: i64) -> i64, flag, STATE => random::next_int;
    /// Starts the random numbers over: the same seed gives the same numbers.
    fn rt_random_seed(seed: i64) -> (), never, STATE => random::seed;

    /// The next line of standard input without its line break; empty at the end.
    fn rt_input_line() -> text, fails, STATE => input::line;
    /// Whether the last `rt_input_line` found the end instead of a line.
    fn rt_input_ended() -> bool, never, STATE => input::ended;

    /// In capitals.
    fn rt_text_upper(s: text) -> text, fails, PURE => case::upper;
    /// In small letters.
    fn rt_text_lower(s: text) -> text, fails, PURE => case::lower;
    /// The first character in capitals, the others small.
    fn rt_text_capitalize(s: text) -> text, fails, PURE => case::capitalize;
    /// The first letter of each word in capitals, the others small.
    fn rt_text_title(s: text) -> text, fails, PURE => case::title;
    /// Capitals small and small letters in capitals.
    fn rt_text_swapcase(s: text) -> text, fails, PURE => case::swapcase;
    /// Without whitespace at both ends.
    fn rt_text_trim(s: text) -> text, fails, PURE => text_edit::trim;
    /// Without whitespace at the start.
    fn rt_text_trim_start(s: text) -> text, fails, PURE => text_edit::trim_start;
    /// Without whitespace at the end.
    fn rt_text_trim_end(s: text) -> text, fails, PURE => text_edit::trim_end;
    /// Without one line break at the end.
    fn rt_text_chomp(s: text) -> text, fails, PURE => text_edit::chomp;
    /// Without `part` at the start, however often it occurs there.
    fn rt_text_trim_start_matches(s: text, part: text) -> text, fails, PURE => text_edit::trim_start_matches;
    /// Without `part` at the end, however often it occurs there.
    fn rt_text_trim_end_matches(s: text, part: text) -> text, fails, PURE => text_edit::trim_end_matches;
    /// Without `part` at the start, once.
    fn rt_text_remove_prefix(s: text, part: text) -> text, fails, PURE => text_edit::remove_prefix;
    /// Without `part` at the end, once.
    fn rt_text_remove_suffix(s: text, part: text) -> text, fails, PURE => text_edit::remove_suffix;
    /// Every `from` replaced by `to`.
    fn rt_text_replace(s: text, from: text, to: text) -> text, fails, PURE => text_edit::replace;
    /// The first `from` replaced by `to`.
    fn rt_text_replace_first(s: text, from: text, to: text) -> text, fails, PURE => text_edit::replace_first;
    /// The characters in reverse.
    fn rt_text_reversed(s: text) -> text, fails, PURE => text_edit::reversed;
    /// The characters in order of their code points.
    fn rt_text_sorted(s: text) -> text, fails, PURE => text_edit::sorted;
    /// Each run of one character made one character.
    fn rt_text_squeeze(s: text) -> text, fails, PURE => text_edit::squeeze;
    /// Without the whitespace that all lines that are not blank begin with.
    fn rt_text_dedent(s: text) -> text, fails, PURE => text_edit::dedent;
    /// Filled at the left to `width` characters with `fill`, repeated and cut as needed; a blank if it is empty.
    fn rt_text_pad_left(s: text, width: i64, fill: text) -> text, fails, PURE => text_edit::pad_left;
    /// Filled at the right to `width` characters.
    fn rt_text_pad_right(s: text, width: i64, fill: text) -> text, fails, PURE => text_edit::pad_right;
    /// Filled at both sides to `width` characters, one more at the right if it does not come out even.
    fn rt_text_center(s: text, width: i64, fill: text) -> text, fails, PURE => text_edit::center;
    /// Filled with zeros after the sign to `width` characters.
    fn rt_text_zfill(s: text, width: i64) -> text, fails, PURE => text_edit::zfill;

    /// Where `part` first occurs; -1 if it does not.
    fn rt_text_find(s: text, part: text) -> i64, never, PURE => text::find;
    /// Where `part` last occurs; -1 if it does not.
    fn rt_text_rfind(s: text, part: text) -> i64, never, PURE => text::rfind;
    /// Where `part` occurs, each time after the one before.
    fn rt_text_find_all(s: text, part: text) -> [i64], fails, PURE => text::find_all;
    /// How often `part` occurs without overlap.
    fn rt_text_count(s: text, part: text) -> i64, never, PURE => text::count;
    /// Whether the text begins with `part`.
    fn rt_text_starts_with(s: text, part: text) -> bool, never, PURE => text::starts_with;
    /// Whether the text ends with `part`.
    fn rt_text_ends_with(s: text, part: text) -> bool, never, PURE => text::ends_with;
    /// Whether there are only ASCII digits, and any.
    fn rt_text_is_numeric(s: text) -> bool, never, PURE => text::is_numeric;
    /// Whether there are only letters, and any.
    fn rt_text_is_alpha(s: text) -> bool, never, PURE => text::is_alpha;
    /// Whether there are only letters and numbers, and any.
    fn rt_text_is_alphanumeric(s: text) -> bool, never, PURE => text::is_alphanumeric;
    /// Whether there is only whitespace, and any.
    fn rt_text_is_whitespace(s: text) -> bool, never, PURE => text::is_whitespace;
    /// The integer that the text spells, ignoring whitespace around it; 0 if it is not an integer.
    fn rt_text_parse_int(s: text) -> i64, never, PURE => text::parse_int;
    /// Whether `rt_text_parse_int` finds an integer.
    fn rt_text_parse_int_ok(s: text) -> bool, never, PURE => text::parse_int_ok;
    /// The float that the text spells, ignoring whitespace around it; 0 if it is not a float.
    fn rt_text_parse_float(s: text) -> f64, never, PURE => text::parse_float;
    /// Whether `rt_text_parse_float` finds a float.
    fn rt_text_parse_float_ok(s: text) -> bool, never, PURE => text::parse_float_ok;
    /// The integer that the text spells, ignoring whitespace around it; 0 if it is not an integer, a failure if it does
    /// not fit.
    fn rt_text_to_int(s: text) -> i64, flag, PURE => text::to_int;
    /// As `rt_text_parse_float`, by the name of the method without an option.
    fn rt_text_to_float(s: text) -> f64, never, PURE => text::parse_float;
    /// The integer that the text begins with, after blanks, as far as its digits go; 0 if there is none, a failure if it does
    /// not fit.
    fn rt_text_int_prefix(s: text) -> i64, flag, PURE => text::int_prefix;
    /// The code point of the first character; 0 if there is none.
    fn rt_text_ord(s: text) -> i64, never, PURE => text::ord;
    /// The character of a code point.
    fn rt_text_chr(code: i64) -> text, fails, PURE => text::chr;
    /// The code points.
    fn rt_text_codes(s: text) -> [i64], fails, PURE => text::codes;
    /// The bytes of UTF-8.
    fn rt_text_bytes(s: text) -> [u8], fails, PURE => text::bytes;
    /// The text of bytes of UTF-8.
    fn rt_text_from_bytes(bytes: [u8]) -> text, fails, PURE => text::from_bytes;
    /// The pieces between separators; the characters for an empty separator.
    fn rt_text_split(s: text, separator: text) -> [text], fails, PURE => text::split;
    /// The pieces that white space divides, none of them empty.
    fn rt_text_words(s: text) -> [text], fails, PURE => text::words;
    /// The lines, without their line breaks.
    fn rt_text_lines(s: text) -> [text], fails, PURE => text::lines;
    /// Zeroed memory of C for so many elements of so many bytes.
    fn rt_memory_alloc(count: i64, size: i64) -> i64, fails(-1), STATE => memory::alloc;
    /// Gives memory of C back.
    fn rt_memory_free(address: i64) -> (), flag, STATE => memory::free;
    /// Gives back an address by which C calls a function.
    fn rt_callback_release(thunk: i64) -> (), never, STATE => memory::release_callback;
    /// Copies bytes within memory of C.
    fn rt_memory_copy(source: i64, target: i64, bytes: i64) -> (), flag, STATE => memory::copy;
    /// The text of the bytes at an address, up to a NUL.
    fn rt_memory_text(address: i64) -> text, fails, STATE => memory::text;

    /// How many threads the machine runs at once.
    fn rt_thread_processors() -> i64, never, STATE => world::processors;
    /// A task without work, under a name that may be empty.
    fn rt_task_new(name: text) -> i64, never, STATE => thread::new_task;
    /// Keeps the parcel of a task's result.
    fn rt_task_finish(task: i64, parcel: i64) -> (), never, STATE => thread::finish_task;
    /// Waits for a task; false if it failed.
    fn rt_task_join(task: i64) -> bool, flag, STATE => thread::join;
    /// Whether a task has ended.
    fn rt_task_is_done(task: i64) -> bool, flag, STATE => thread::is_done;
    /// The parcel of the result of a task that has ended well.
    fn rt_task_result(task: i64) -> i64, fails(i64::MIN), STATE => thread::result;
    /// Fails as a task has failed.
    fn rt_task_fail(task: i64) -> i64, fails(i64::MIN), STATE => thread::fail_as;
    /// Why a task has failed.
    fn rt_task_problem(task: i64) -> text, never, STATE => thread::problem;
    /// Holds a task or channel once more.
    fn rt_thread_retain(number: i64) -> (), never, STATE => world::retain;
    /// Lets go of a task or channel.
    fn rt_thread_release(number: i64) -> (), never, STATE => world::release;
    /// A channel with room for `room` values; without a limit if that is not positive.
    fn rt_channel_new(room: i64) -> i64, never, STATE => channel::new;
    /// Sends a parcel; false if the channel is closed.
    fn rt_channel_send(channel: i64, parcel: i64) -> bool, flag, STATE => channel::send;
    /// A parcel; 0 when the channel is closed and empty, -1 after `milliseconds`, if that is not negative.
    fn rt_channel_receive(channel: i64, milliseconds: i64) -> i64, fails(i64::MIN), STATE => channel::receive;
    /// The place of a channel that has something or is closed; -1 when the time is over.
    fn rt_channel_select(channels: [i64], milliseconds: i64) -> i64, fails(i64::MIN), STATE => channel::select;
    /// The parcel that the last selection received; 0 where the channel is closed.
    fn rt_channel_selected() -> i64, never, STATE => channel::selected;
    /// Closes a channel.
    fn rt_channel_close(channel: i64) -> (), flag, STATE => channel::close;
    /// How many values wait in a channel.
    fn rt_channel_len(channel: i64) -> i64, fails(i64::MIN), STATE => channel::len;
    /// Whether a channel is closed.
    fn rt_channel_is_closed(channel: i64) -> bool, flag, STATE => channel::is_closed;
}
