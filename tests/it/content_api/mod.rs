//! Tests of the Content API over real sockets, as specified.
//!
//! Every test starts the whole program on the small publication of [`fixture`], or on a separate one. Where no source is
//! named, the rule is that of the specification or, beyond it, of Ghost 6.65 as recorded.

mod access;
mod addresses;
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
