//! Converts panics of redb into errors.

use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe},
};

use ::redb::{Database, Error, StorageError};

/// Closes the database, which writes to the file a last time. If that fails, the next opening
/// repeats it.
pub(super) fn close(database: Database) {
    let _ = guarded(|| {
        drop(database);
        Ok::<(), Error>(())
    });
}

thread_local! {
    /// True while this thread is in a call of redb whose panics are caught.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Excludes panics of redb that are caught and reported as damage from the log. All other panics
/// are logged.
pub fn silence_caught_panics() {
    let log = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !IS_GUARDED.get() {
            log(panic);
        }
    }));
}

/// Runs `work`, which calls redb, and converts a panic, which damaged pages can cause, into an
/// error.
pub(super) fn guarded<T, E: From<StorageError>>(
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    // Restored afterwards instead of cleared, because calls can be nested.
    let was_guarded = IS_GUARDED.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(was_guarded);
    outcome.unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or_default();
        // The message of an assertion spans several lines.
        let message: Vec<&str> = message.split_whitespace().collect();
        let detail = format!("a page is corrupt ({})", message.join(" "));
        Err(StorageError::Corrupted(detail).into())
    })
}
