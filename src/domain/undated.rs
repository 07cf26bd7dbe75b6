//! The date of records without a known one.

use jiff::Timestamp;

/// The date of records without one: records created with the store, and content files without a
/// date.
///
/// It is fixed, not the time of the first start, so that two machines that serve the same folder
/// respond with the same bytes.
pub const UNDATED: Timestamp = Timestamp::UNIX_EPOCH;
