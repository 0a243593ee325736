//! NAME: a library for Simple.
//!
//! From the table below come the C functions and what Simple is told about them. `NAME.spl` declares them for programs.

use simple_ffi_abi::export::Table;
use simple_ffi_abi::handle::{HandleError, HandleTable};
use std::cell::RefCell;

simple_ffi_abi::functions! {
    /// A text for somebody.
    fn NAME_greeting(name: text) -> text, never, PURE => greeting;
    /// The values, each times a factor.
    fn NAME_scaled(values: [f64], factor: f64) -> [f64], fails, PURE => scaled;
    /// Room for numbers.
    fn NAME_series_new() -> i64, fails(0), NEW_HANDLE => series_new;
    /// Adds a number.
    fn NAME_series_add(series: i64, value: f64) -> (), flag, WRITES => series_add;
    /// The mean of the numbers.
    fn NAME_series_mean(series: i64) -> f64, flag, READS => series_mean;
    /// Frees the numbers.
    fn NAME_series_free(series: i64) -> (), flag, FREES => series_free;
}

static TABLES: &[&[Table]] = &[&[Table {
    area: "NAME",
    functions: FUNCTIONS,
}]];

simple_ffi_abi::library! {
    name = "NAME 0.1.0";
    live_handles = live_handles;
    init = init;
    tables = TABLES;
}

thread_local! {
    /// What programs hold handles of: a wrong or freed one is an error that says so.
    static SERIES: RefCell<HandleTable<Vec<f64>>> = const { RefCell::new(HandleTable::new("series", 1)) };
}

/// Runs once, when a program uses the library for the first time.
fn init() {}

fn live_handles() -> i64 {
    SERIES.with_borrow(|all| all.live() as i64)
}

fn greeting(name: &str) -> String {
    format!("Hello, {name}!")
}

fn scaled(values: &[f64], factor: f64) -> Result<Vec<f64>, &'static str> {
    if factor.is_nan() {
        return Err("the factor is not a number");
    }
    Ok(values.iter().map(|value| value * factor).collect())
}

fn series_new() -> Result<i64, HandleError> {
    SERIES.with_borrow_mut(|all| all.insert(Vec::new()))
}

fn series_add(series: i64, value: f64) -> Result<(), HandleError> {
    SERIES.with_borrow_mut(|all| all.get_mut(series).map(|values| values.push(value)))
}

fn series_mean(series: i64) -> Result<f64, String> {
    SERIES.with_borrow(|all| {
        let values = all.get(series).map_err(|error| error.to_string())?;
        match values.len() {
            0 => Err("a series without numbers has no mean".to_owned()),
            count => Ok(values.iter().sum::<f64>() / count as f64),
        }
    })
}

fn series_free(series: i64) -> Result<(), HandleError> {
    SERIES.with_borrow_mut(|all| all.remove(series).map(drop))
}
