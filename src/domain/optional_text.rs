//! Optional texts of records.

/// Text that is missing in most records. It is boxed to save memory, since the catalog holds tens
/// of thousands of records.
pub type OptionalText = Option<Box<str>>;
