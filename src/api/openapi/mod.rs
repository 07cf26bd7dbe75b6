//! The OpenAPI 3.1 document of the API, generated from the rows of `routes` and the tables of
//! fields and settings.
//!
//! `schema/openapi.json` is a copy of this document. Tests compare the copy and real responses with the
//! document. `served` serves it to clients, with the site's URL. Each operation is generated from its
//! row; this module contains the errors that operations share, and the schemas to which they refer.

mod bodies;
mod document;
mod operations;
mod parameters;
pub mod records;
mod schemas;
pub mod served;

pub use self::document::document;
