//! Tests of the store in PostgreSQL: the contract of a store, sites that share a store, and databases that are restarted, full
//! or unavailable.
//!
//! The tests start their own servers from Debian's package `postgresql`.

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
