//! The fields of a request that an operation ignored, by name.
//!
//! An operation runs on the thread of its request from begin to end, so the names are collected
//! there. Without a collector, as on the command line, they are dropped.

use std::cell::RefCell;

/// Most names that are collected; a request with more is not a record of any resource.
pub const NAMES_MAX: usize = 100;

thread_local! {
    static COLLECTED: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Runs an operation and returns its result with the names that it reported, each once.
pub fn collect<T>(operation: impl FnOnce() -> T) -> (T, Vec<String>) {
    let outer = COLLECTED.replace(Some(Vec::new()));
    let result = operation();
    let names = COLLECTED.replace(outer).unwrap_or_default();
    (result, names)
}

/// Reports that the field `name` was ignored. An operation that is repeated may report it again.
pub fn report(name: &str) {
    COLLECTED.with_borrow_mut(|collected| {
        if let Some(names) = collected
            && names.len() < NAMES_MAX
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_owned());
        }
    });
}
