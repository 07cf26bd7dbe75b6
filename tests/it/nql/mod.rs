//! The filter language, as specification: files of filters with what becomes of each, limits, and properties.

mod golden;
mod limits;
mod properties;
