//! Tests of the store in PostgreSQL: the contract of a store, sites that share one, and what a database does that is
//! restarted, full or away.
//!
//! They start servers of their own, with Debian's package `postgresql`.

#[macro_use]
mod stores;

#[path = "../it/store/contract.rs"]
mod contract;
mod copying;
mod expired_counts;
mod failures;
#[path = "../it/store/nodes.rs"]
mod nodes;
mod processes;
#[allow(dead_code, reason = "one test uses it")]
#[path = "../it/random.rs"]
mod random;
mod replicas;
mod server;
#[path = "../it/store/shared_counts.rs"]
mod shared_counts;
#[path = "../it/site/sharing/mod.rs"]
mod sharing;
mod sign_in;
#[path = "../it/site_records.rs"]
mod site_records;
