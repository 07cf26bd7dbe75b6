//! The date of records without a known date.

use jiff::Timestamp;

/// The date of records without a known date: records created with the store, and records from
/// content files without a date.
///
/// It is fixed rather than the time of the first start, so that two machines that serve the same
/// folder respond with the same bytes.
pub const UNDATED: Timestamp = Timestamp::UNIX_EPOCH;
