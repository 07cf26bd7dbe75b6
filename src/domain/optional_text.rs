//! Optional texts of records.

/// Text that most records do not have. Boxed, since the catalog holds tens of thousands of them in
/// memory.
pub type OptionalText = Option<Box<str>>;
