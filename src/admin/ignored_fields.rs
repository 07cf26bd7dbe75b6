//! The fields of a request that an operation ignored, by name.
//!
//! An operation runs on a single thread, so the names are collected in a thread-local variable.
//! Without a collector, as on the command line, they are dropped.

use std::cell::RefCell;

/// Maximum number of collected names; no record of any resource has that many fields.
pub const NAMES_MAX: usize = 100;

thread_local! {
    static COLLECTED: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Runs an operation and returns its result with the reported names, without duplicates.
pub fn collect<T>(operation: impl FnOnce() -> T) -> (T, Vec<String>) {
    let outer = COLLECTED.replace(Some(Vec::new()));
    let result = operation();
    // The outer collector is restored, so that an operation within another one reports separately.
    let names = COLLECTED.replace(outer).unwrap_or_default();
    (result, names)
}

/// Reports that the field `name` was ignored. Repeated reports of a name are counted once.
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
