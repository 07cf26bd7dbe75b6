//! Catches panics of the handler.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::api::request::RequestRefusal;

/// Calls the handler's code and catches its panic.
pub(super) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, RequestRefusal> {
    // State that a handler shares between calls is behind locks, which a panic poisons.
    catch_unwind(AssertUnwindSafe(call)).map_err(|_| RequestRefusal::Panicked)
}
