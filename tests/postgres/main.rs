//! Tests of the store in PostgreSQL: the contract of a store, sites that share one, and what a database does that is
//! restarted, full or away.
//!
//! They start servers of their own, with Debian's package `postgresql`.

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
