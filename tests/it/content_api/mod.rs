//! Tests of the Content API over real sockets, as specified.
//!
//! Every test starts the complete program with the sample site of [`fixture`] or with a separate one. Unless a test names
//! another source, its rule is from the specification or, beyond that, from recordings of Ghost 6.65.

mod absolute_urls;
mod access;
mod caching;
mod changes;
mod cors;
mod endpoints;
mod filters;
pub mod fixture;
mod hidden_records;
mod include;
mod inline_responses;
mod keys;
mod lists;
mod openapi;
mod parameters;
mod paths;
mod prepared_requests;
mod private_fields;
mod relations;
mod relative_dates;
mod versions;
