//! sift: a search index for Simple.
//!
//! From the table below come the C functions and what Simple is told about them. `sift.spl` declares them for programs, `index.rs` does
//! the work.

mod index;

use index::Index;
use simple_ffi_abi::export::Table;
use simple_ffi_abi::handle::{HandleError, HandleTable};
use std::cell::RefCell;

simple_ffi_abi::functions! {
    /// An index without texts.
    fn sift_new() -> i64, fails(0), NEW_HANDLE => new;
    /// Adds a text and yields its number.
    fn sift_add(index: i64, text: text) -> i64, fails(-1), WRITES => add;
    /// How many texts there are.
    fn sift_len(index: i64) -> i64, fails(-1), READS => len;
    /// The numbers of the texts that fit best, at most so many.
    fn sift_search(index: i64, query: text, most: i64) -> [i64], fails, READS => search;
    /// The scores of the same texts.
    fn sift_scores(index: i64, query: text, most: i64) -> [f64], fails, READS => scores;
    /// The words that begin so, with spaces between them.
    fn sift_complete(index: i64, start: text) -> text, fails, READS => complete;
    /// Frees an index.
    fn sift_free(index: i64) -> (), flag, FREES => free;
}

static TABLES: &[&[Table]] = &[&[Table {
    area: "sift",
    functions: FUNCTIONS,
}]];

simple_ffi_abi::library! {
    name = "sift 0.1.0";
    live_handles = live_handles;
    init = init;
    tables = TABLES;
}

thread_local! {
    /// What programs hold handles of: a wrong or freed one is an error that says so.
    static INDEXES: RefCell<HandleTable<Index>> = const { RefCell::new(HandleTable::new("index", 1)) };
}

/// Runs once, when a program uses the library for the first time.
fn init() {}

fn live_handles() -> i64 {
    INDEXES.with_borrow(|all| all.live() as i64)
}

fn new() -> Result<i64, HandleError> {
    INDEXES.with_borrow_mut(|all| all.insert(Index::default()))
}

fn add(index: i64, text: &str) -> Result<i64, HandleError> {
    INDEXES.with_borrow_mut(|all| all.get_mut(index).map(|index| index.add(text) as i64))
}

/// What an index says.
fn ask<T>(index: i64, question: impl FnOnce(&Index) -> Result<T, String>) -> Result<T, String> {
    INDEXES.with_borrow(|all| question(all.get(index).map_err(|error| error.to_string())?))
}

fn len(index: i64) -> Result<i64, String> {
    ask(index, |index| Ok(index.len() as i64))
}

fn ranked(index: i64, query: &str, most: i64) -> Result<Vec<(usize, f64)>, String> {
    let most = usize::try_from(most).map_err(|_| format!("{most} results cannot be found"))?;
    ask(index, |index| {
        let mut found = index.search(query);
        found.truncate(most);
        Ok(found)
    })
}

fn search(index: i64, query: &str, most: i64) -> Result<Vec<i64>, String> {
    let found = ranked(index, query, most)?;
    Ok(found.into_iter().map(|(number, _)| number as i64).collect())
}

fn scores(index: i64, query: &str, most: i64) -> Result<Vec<f64>, String> {
    let found = ranked(index, query, most)?;
    Ok(found.into_iter().map(|(_, score)| score).collect())
}

fn complete(index: i64, start: &str) -> Result<String, String> {
    ask(index, |index| Ok(index.complete(start).join(" ")))
}

fn free(index: i64) -> Result<(), HandleError> {
    INDEXES.with_borrow_mut(|all| all.remove(index).map(drop))
}
