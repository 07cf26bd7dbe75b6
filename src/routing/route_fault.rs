//! The faults of a routes file.

use crate::content_text::document::Value;

/// An invalid setting of a routes file.
#[derive(Debug)]
pub struct RouteFault {
    /// Its position, in bytes.
    pub start: usize,
    /// The code for programs.
    pub code: &'static str,
    /// The reason.
    pub reason: String,
}

/// What a valid setting is.
pub(super) type Checked<T> = Result<T, RouteFault>;

/// Code for a value of another type.
pub(super) const SETTINGS: &str = "INVALID_ROUTE_SETTINGS";

/// Code for data.
pub(super) const DATA: &str = "INVALID_DATA";

pub(super) fn fault(value: &Value, code: &'static str, reason: String) -> RouteFault {
    RouteFault {
        start: value.span.start,
        code,
        reason,
    }
}

pub(super) fn data_fault(path: &str, value: &Value, what: &str) -> RouteFault {
    fault(value, DATA, format!("the data of \"{path}\" {what}"))
}
