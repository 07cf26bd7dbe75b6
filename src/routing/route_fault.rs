//! The errors in a routes file.

use crate::content_text::document::Value;

/// An invalid setting of a routes file.
#[derive(Debug)]
pub struct RouteFault {
    /// The byte offset of the setting.
    pub start: usize,
    /// The code, which programs evaluate.
    pub code: &'static str,
    /// The reason.
    pub reason: String,
}

/// The result of checking a setting.
pub(super) type Checked<T> = Result<T, RouteFault>;

/// The code for a value of the wrong type.
pub(super) const SETTINGS: &str = "INVALID_ROUTE_SETTINGS";

/// The code for invalid data.
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
