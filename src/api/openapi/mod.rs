//! The OpenAPI 3.1 document of the API, generated from the rows of `routes` and the tables of
//! fields and settings.
//!
//! `schema/openapi.json` is this document, and a test compares both it and real responses with it.
//! `served` serves it to clients, with the site's URL. An operation is generated from its row; this
//! module has the errors that operations share, and the schemas that they refer to.

mod bodies;
mod document;
mod operations;
mod parameters;
pub mod records;
mod schemas;
pub mod served;

pub use self::document::document;
