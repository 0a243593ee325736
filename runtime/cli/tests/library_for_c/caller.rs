//! Calls the library of `words.spl` from Rust: a text that is the caller's, a struct by value, an error.

use std::ffi::{CStr, CString, c_char, c_void};

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Point {
    x: f64,
    y: f64,
}

#[link(name = "words")]
unsafe extern "C" {
    fn words_longest(content: *const c_char) -> *mut c_char;
    fn center(points: *const Point, count: i64) -> Point;
    fn words_error() -> *const c_char;
    fn free(memory: *mut c_void);
}

fn main() {
    let words = CString::new("some longer words").unwrap();
    let points = [Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 6.0 }];
    // SAFETY: the functions are those of the library's header, and all calls come from this thread.
    unsafe {
        let longest = words_longest(words.as_ptr());
        println!("{}", CStr::from_ptr(longest).to_str().unwrap());
        free(longest.cast());
        println!("{:?}", center(points.as_ptr(), 2));
        println!("{:?}", center(points.as_ptr(), 0));
        let error = CStr::from_ptr(words_error()).to_str().unwrap();
        println!("{}", error.lines().next().unwrap());
    }
}
