//! What `lib/std` does not do in Simple itself: the externs `rt_std_*`.
//!
//! A file here has a module of the library, or a part of one; each says what crosses and what is left out. Executables
//! that call one of these functions begin with `simple-start`; those that do not have nothing of this crate.

#![allow(unsafe_code, reason = "the C functions of the table")]

pub mod archive;
pub mod bytes;
pub mod compress;
pub mod file;
pub mod fs;
pub mod hash;
pub mod http;
pub mod json;
pub mod net;
pub mod process;
pub mod regex;
pub mod tables;
pub mod time;
pub mod toml;

simple_ffi_abi::functions! {
    /// Reads JSON: empty, or the place and what is wrong there. The streams of `json.rs` are then asked for.
    fn rt_std_json_parse(source: text) -> text, fails, STATE => json::parse;
    /// The kinds of all values.
    fn rt_std_json_kinds() -> [u8], never, STATE => json::kinds;
    /// Its integers.
    fn rt_std_json_ints() -> [i64], never, STATE => json::ints;
    /// Its floats.
    fn rt_std_json_floats() -> [f64], never, STATE => json::floats;
    /// How many members its arrays and objects have.
    fn rt_std_json_counts() -> [i64], never, STATE => json::counts;
    /// The number of the key of each member.
    fn rt_std_json_keys() -> [i64], never, STATE => json::keys;
    /// Its texts, cut from the same source.
    fn rt_std_json_texts(source: text) -> [text], fails, STATE => json::texts;
    /// The different keys, cut from the same source.
    fn rt_std_json_names(source: text) -> [text], fails, STATE => json::names;
    /// A text in quotes with escapes, all but ASCII too if asked for.
    fn rt_std_json_quote(content: text, ascii: bool) -> text, fails, PURE => json::quote;
    /// Whether a text is ASCII and needs no escapes.
    fn rt_std_json_is_plain(content: text) -> bool, never, PURE => json::is_plain;

    /// The bytes of a file.
    fn rt_std_fs_read(path: text) -> [u8], fails, STATE => fs::read;
    /// The text of a file.
    fn rt_std_fs_read_text(path: text) -> text, fails, STATE => fs::read_text;
    /// Writes a file of bytes.
    fn rt_std_fs_write(path: text, content: [u8]) -> (), flag, STATE => fs::write;
    /// Writes a file of text.
    fn rt_std_fs_write_text(path: text, content: text) -> (), flag, STATE => fs::write_text;
    /// Adds bytes at the end of a file.
    fn rt_std_fs_append(path: text, content: [u8]) -> (), flag, STATE => fs::append;
    /// Adds text at the end of a file.
    fn rt_std_fs_append_text(path: text, content: text) -> (), flag, STATE => fs::append_text;
    /// Gives a file or folder another path.
    fn rt_std_fs_rename(source: text, target: text) -> (), flag, STATE => fs::rename;
    /// Copies a file.
    fn rt_std_fs_copy(source: text, target: text) -> (), flag, STATE => fs::copy;
    /// Copies a folder with all that is in it.
    fn rt_std_fs_copy_all(source: text, target: text) -> (), flag, STATE => fs::copy_all;
    /// Removes a file or an empty folder.
    fn rt_std_fs_remove(path: text) -> (), flag, STATE => fs::remove;
    /// Removes a file or a folder with all that is in it.
    fn rt_std_fs_remove_all(path: text) -> (), flag, STATE => fs::remove_all;
    /// Makes a folder, with those above it if asked for.
    fn rt_std_fs_make_dir(path: text, parents: bool) -> (), flag, STATE => fs::make_dir;
    /// The names in a folder.
    fn rt_std_fs_list(path: text) -> [text], fails, STATE => fs::list;
    /// The paths of all files below a folder, and of folders if asked for.
    fn rt_std_fs_walk(path: text, folders: bool) -> [text], fails, STATE => fs::walk;
    /// The paths that match a pattern.
    fn rt_std_fs_glob(pattern: text) -> [text], fails, STATE => fs::glob;
    /// 0 for a file, 1 for a folder, 2 for a link, 3 for something else, -1 for nothing.
    fn rt_std_fs_kind(path: text, follow: bool) -> i64, never, STATE => fs::kind;
    /// Kind, size, mode, times of change and reading.
    fn rt_std_fs_facts(path: text, follow: bool) -> [i64], fails, STATE => fs::facts;
    /// Sets the mode.
    fn rt_std_fs_set_mode(path: text, mode: i64) -> (), flag, STATE => fs::set_mode;
    /// Sets the times of reading and change, in nanoseconds since 1970.
    fn rt_std_fs_set_times(path: text, read: i64, changed: i64) -> (), flag, STATE => fs::set_times;
    /// Makes an empty file, or sets the times of the one that is there to now.
    fn rt_std_fs_touch(path: text) -> (), flag, STATE => fs::touch;
    /// The path without links, `.` and `..`.
    fn rt_std_fs_real(path: text) -> text, fails, STATE => fs::real;
    /// Makes a link.
    fn rt_std_fs_link(target: text, path: text) -> (), flag, STATE => fs::link;
    /// Where a link leads.
    fn rt_std_fs_link_target(path: text) -> text, fails, STATE => fs::link_target;
    /// A new temporary folder or file.
    fn rt_std_fs_temporary(
        is_folder: bool, prefix: text, suffix: text, within: text,
    ) -> text, fails, STATE => fs::temporary;
    /// Makes a folder the working one.
    fn rt_std_fs_enter(path: text) -> (), flag, STATE => fs::enter;

    /// Opens a file to read or write it; its handle.
    fn rt_std_file_open(path: text, mode: text) -> i64, fails(0), NEW_HANDLE | STATE => file::open;
    /// The next bytes; fewer than asked for only at the end.
    fn rt_std_file_read(file: i64, most: i64) -> [u8], fails, STATE => file::read;
    /// The next line; empty at the end.
    fn rt_std_file_line(file: i64) -> text, fails, STATE => file::line;
    /// Writes bytes.
    fn rt_std_file_write(file: i64, content: [u8]) -> (), flag, STATE => file::write;
    /// Gives the system what was collected.
    fn rt_std_file_flush(file: i64) -> (), flag, STATE => file::flush;
    /// Continues at a place in bytes; yields the place.
    fn rt_std_file_seek(file: i64, place: (i64?)) -> i64, fails(-1), STATE => file::seek;
    /// Closes a file.
    fn rt_std_file_close(file: i64) -> (), flag, FREES => file::close;

    /// Starts a program; its handle.
    fn rt_std_process_start(
        words: text, folder: text, environment: text, clear: bool, streams: text,
    ) -> i64, fails(0), NEW_HANDLE | STATE => process::start;
    /// Writes to its input.
    fn rt_std_process_write(process: i64, content: [u8]) -> (), flag, STATE => process::write;
    /// Closes its input.
    fn rt_std_process_close_input(process: i64) -> (), flag, STATE => process::close_input;
    /// The next line of its output; empty at the end.
    fn rt_std_process_line(process: i64) -> [u8], fails, STATE => process::line;
    /// What is there of its output; empty at the end.
    fn rt_std_process_read(process: i64, most: i64) -> [u8], fails, STATE => process::read;
    /// What it has written to its errors since this was asked before.
    fn rt_std_process_errors_so_far(process: i64) -> [u8], fails, STATE => process::errors_so_far;
    /// Writes input, reads both outputs and waits; its exit code.
    fn rt_std_process_finish(process: i64, input: [u8], milliseconds: i64) -> i64, fails(-1), STATE => process::finish;
    /// Waits; its exit code.
    fn rt_std_process_wait(process: i64, milliseconds: i64) -> i64, fails(-1), STATE => process::wait;
    /// What was collected of its output.
    fn rt_std_process_output(process: i64) -> [u8], fails, STATE => process::output;
    /// What was collected of its errors.
    fn rt_std_process_errors(process: i64) -> [u8], fails, STATE => process::errors;
    /// Its number in the system.
    fn rt_std_process_id(process: i64) -> i64, fails(-1), STATE => process::id;
    /// Asks it to end, or ends it at once.
    fn rt_std_process_kill(process: i64, gently: bool) -> (), flag, STATE => process::kill;
    /// Releases it.
    fn rt_std_process_free(process: i64) -> (), flag, FREES => process::free;
    /// Names and values of the environment.
    fn rt_std_process_environment() -> [text], fails, STATE => process::environment;

    /// The hash of this name of bytes; the key counts for `hmac-` only.
    fn rt_std_hash_digest(name: text, key: [u8], content: [u8]) -> [u8], fails, PURE => hash::digest;
    /// The hash of a file.
    fn rt_std_hash_file(name: text, key: [u8], path: text) -> [u8], fails, STATE => hash::file;
    /// A hasher for pieces; its handle.
    fn rt_std_hash_new(name: text, key: [u8]) -> i64, fails(0), NEW_HANDLE | STATE => hash::new;
    /// Adds a piece.
    fn rt_std_hash_update(hasher: i64, content: [u8]) -> (), flag, STATE => hash::update;
    /// The hash of the pieces so far.
    fn rt_std_hash_current(hasher: i64) -> [u8], fails, STATE => hash::current;
    /// Releases a hasher.
    fn rt_std_hash_free(hasher: i64) -> (), flag, FREES => hash::free;
    /// Bytes of the system's generator.
    fn rt_std_random_bytes(count: i64) -> [u8], fails, STATE => hash::random_bytes;

    /// The text of UTF-8.
    fn rt_std_bytes_text(content: [u8]) -> text, fails, PURE => bytes::text;
    /// The text of bytes; what is not UTF-8 is replaced by U+FFFD.
    fn rt_std_bytes_lossy(content: [u8]) -> text, fails, PURE => bytes::lossy;
    /// Bytes in an encoding, such as `base64`.
    fn rt_std_bytes_encode(name: text, content: [u8]) -> text, fails, PURE => bytes::encode;
    /// The bytes of a text in an encoding.
    fn rt_std_bytes_decode(name: text, content: text) -> [u8], fails, PURE => bytes::decode;

    /// Compiles a pattern with its flags: the names of its groups.
    fn rt_std_regex_compile(pattern: text) -> [text], fails, STATE => regex::compile;
    /// Start and end of the groups of the first match from a place on.
    fn rt_std_regex_find(pattern: text, content: text, start: i64) -> [i64], fails, STATE => regex::find;
    /// The same of all matches.
    fn rt_std_regex_find_all(pattern: text, content: text, limit: i64) -> [i64], fails, STATE => regex::find_all;
    /// The texts of the groups that the last search found.
    fn rt_std_regex_cut(content: text) -> [text], fails, STATE => regex::cut;
    /// The pieces between the matches that the last search found.
    fn rt_std_regex_between(content: text, groups: i64) -> [text], fails, STATE => regex::between;
    /// The texts of all matches.
    fn rt_std_regex_texts(pattern: text, content: text) -> [text], fails, STATE => regex::texts;
    /// Whether it matches anywhere.
    fn rt_std_regex_is_match(pattern: text, content: text) -> bool, fails(false), STATE => regex::is_match;
    /// The text with matches replaced, at most `limit`, all for 0.
    fn rt_std_regex_replace(
        pattern: text, content: text, replacement: text, limit: i64,
    ) -> text, fails, STATE => regex::replace;
    /// The pieces between matches.
    fn rt_std_regex_split(pattern: text, content: text, limit: i64) -> [text], fails, STATE => regex::split;
    /// A text with what means something in a pattern escaped.
    fn rt_std_regex_escape(content: text) -> text, fails, PURE => regex::escape;

    /// Seconds and nanoseconds since 1970.
    fn rt_std_time_now() -> [i64], fails, STATE => time::now;
    /// The name of a time zone, of `local` that of the machine.
    fn rt_std_time_zone_name(zone: text) -> text, fails, STATE => time::zone_name;
    /// The names of all time zones.
    fn rt_std_time_zones() -> [text], fails, STATE => time::zones;
    /// Year, month, day, hour, minute, second, nanosecond and offset of a moment in a zone.
    fn rt_std_time_parts(seconds: i64, nanos: i64, zone: text) -> [i64], fails, STATE => time::parts;
    /// The same of a date and time in a zone.
    fn rt_std_time_local(parts: [i64], zone: text) -> [i64], fails, STATE => time::local;
    /// The same of a moment that is years, months, weeks, days, hours, minutes, seconds and nanoseconds later.
    fn rt_std_time_plus(seconds: i64, nanos: i64, zone: text, amounts: [i64]) -> [i64], fails, STATE => time::plus;
    /// A moment by a format of `strftime`.
    fn rt_std_time_format(seconds: i64, nanos: i64, zone: text, format: text) -> text, fails, STATE => time::format;
    /// The parts of a text by a format of `strptime`.
    fn rt_std_time_parse(content: text, format: text, zone: text) -> [i64], fails, STATE => time::parse;
    /// The same of ISO 8601.
    fn rt_std_time_parse_iso(content: text, zone: text) -> [i64], fails, STATE => time::parse_iso;
    /// Seconds and nanoseconds of a duration.
    fn rt_std_time_duration(content: text) -> [i64], fails, PURE => time::duration;

    /// The fields of all rows of a table; the shape is then asked for.
    fn rt_std_csv_parse(source: text, dialect: text, trims: bool) -> [text], fails, STATE => tables::parse;
    /// How many fields each row has that was read last.
    fn rt_std_csv_counts() -> [i64], never, STATE => tables::counts;
    /// The line that each of these rows begins in.
    fn rt_std_csv_lines() -> [i64], never, STATE => tables::lines;
    /// Opens a file whose rows are read later; its handle.
    fn rt_std_csv_open(path: text, dialect: text, trims: bool) -> i64, fails(0), NEW_HANDLE | STATE => tables::open;
    /// The fields of the next rows of a file; none at the end.
    fn rt_std_csv_next(table: i64, most: i64) -> [text], fails, STATE => tables::next;
    /// Closes a file.
    fn rt_std_csv_free(table: i64) -> (), flag, FREES => tables::free;

    /// Reads TOML to the streams that `rt_std_json_kinds` and the others yield.
    fn rt_std_toml_parse(source: text) -> (), flag, STATE => toml::parse;
    /// Its texts.
    fn rt_std_toml_texts() -> [text], fails, STATE => toml::texts;
    /// Its different keys.
    fn rt_std_toml_names() -> [text], fails, STATE => toml::names;

    /// Bytes compressed as `gzip`, `zlib`, `deflate` or `zstd`.
    fn rt_std_compress_pack(format: text, content: [u8], level: i64) -> [u8], fails, PURE => compress::pack;
    /// Bytes decompressed, at most `limit`.
    fn rt_std_compress_unpack(format: text, content: [u8], limit: i64) -> [u8], fails, PURE => compress::unpack;
    /// Opens an archive of bytes; its handle.
    fn rt_std_archive_open(content: [u8], limit: i64) -> i64, fails(0), NEW_HANDLE | STATE => archive::open;
    /// The names of its entries.
    fn rt_std_archive_names(archive: i64) -> [text], fails, STATE => archive::names;
    /// Kind, size, mode and time of the last change of each.
    fn rt_std_archive_facts(archive: i64) -> [i64], fails, STATE => archive::facts;
    /// The content of an entry.
    fn rt_std_archive_read(archive: i64, number: i64, limit: i64) -> [u8], fails, STATE => archive::read;
    /// Releases an archive.
    fn rt_std_archive_free(archive: i64) -> (), flag, FREES => archive::free;
    /// A new archive; its handle.
    fn rt_std_archive_new(format: text) -> i64, fails(0), NEW_HANDLE | STATE => archive::new;
    /// Adds a file or folder.
    fn rt_std_archive_add(
        archive: i64, name: text, content: [u8], mode: i64, modified: i64,
    ) -> (), flag, STATE => archive::add;
    /// The bytes of a new archive.
    fn rt_std_archive_finish(archive: i64) -> [u8], fails, STATE => archive::finish;
    /// Releases an archive that was being made.
    fn rt_std_archive_free_writer(archive: i64) -> (), flag, FREES => archive::free_writer;

    /// Sends a request of HTTP: its status; headers and body are then asked for.
    fn rt_std_http_request(
        method: text, address: text, headers: text, body: ([u8]?), milliseconds: i64, limit: i64, verify: bool,
        path: text,
    ) -> i64, fails(0), STATE => http::request;
    /// Names and values of the headers of the last answer.
    fn rt_std_http_headers() -> [text], fails, STATE => http::headers;
    /// The body of the last answer.
    fn rt_std_http_body() -> [u8], fails, STATE => http::body;

    /// The addresses of a host.
    fn rt_std_net_resolve(host: text) -> [text], fails, STATE => net::resolve;
    /// Connects to a host; its handle.
    fn rt_std_net_connect(
        host: text, port: i64, milliseconds: i64,
    ) -> i64, fails(0), NEW_HANDLE | STATE => net::connect;
    /// Listens at an address of this machine; its handle.
    fn rt_std_net_listen(host: text, port: i64) -> i64, fails(0), NEW_HANDLE | STATE => net::listen;
    /// Waits for a connection; its handle.
    fn rt_std_net_accept(listener: i64, milliseconds: i64) -> i64, fails(0), NEW_HANDLE | STATE => net::accept;
    /// Host and port of both ends.
    fn rt_std_net_ends(socket: i64) -> [text], fails, STATE => net::ends;
    /// How long reading and writing may wait.
    fn rt_std_net_set_timeout(socket: i64, milliseconds: i64) -> (), flag, STATE => net::set_timeout;
    /// What is there to read; empty at the end.
    fn rt_std_net_read(socket: i64, most: i64) -> [u8], fails, STATE => net::read;
    /// Exactly this many bytes.
    fn rt_std_net_read_exact(socket: i64, count: i64) -> [u8], fails, STATE => net::read_exact;
    /// The next line; empty at the end.
    fn rt_std_net_line(socket: i64, most: i64) -> [u8], fails, STATE => net::line;
    /// Writes all bytes.
    fn rt_std_net_write(socket: i64, content: [u8]) -> (), flag, STATE => net::write;
    /// Tells the other end that nothing more is written.
    fn rt_std_net_finish(socket: i64) -> (), flag, STATE => net::finish;
    /// A socket for packets; its handle.
    fn rt_std_net_udp(host: text, port: i64) -> i64, fails(0), NEW_HANDLE | STATE => net::udp;
    /// Sends a packet.
    fn rt_std_net_send_to(socket: i64, content: [u8], host: text, port: i64) -> (), flag, STATE => net::send_to;
    /// Waits for a packet.
    fn rt_std_net_receive(socket: i64) -> [u8], fails, STATE => net::receive;
    /// Host and port that the last packet came from.
    fn rt_std_net_sender() -> [text], fails, STATE => net::sender;
    /// Closes a socket.
    fn rt_std_net_free(socket: i64) -> (), flag, FREES => net::free;
}
