//! Tests of the store in PostgreSQL: the contract of a store, sites that share one, and databases that are restarted, full or
//! unavailable.
//!
//! They start separate servers, with Debian's package `postgresql`.

mod copying;
mod expired_counts;
mod failures;
mod node;
mod outages;
mod processes;
mod replicas;
mod server;
mod sign_in;
mod store_rules;
mod stores;
