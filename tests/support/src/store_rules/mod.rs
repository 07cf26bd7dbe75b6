//! Rules for every store engine, and for sites that share a store: functions that fail if a rule is
//! broken.
//!
//! A macro in each module passes the names of its rules to another macro, which defines a test for each:
//! `tests/it/store_rules.rs` for engines in this process, `tests/postgres/store_rules.rs` for PostgreSQL.

pub mod contract;
pub mod nodes;
pub mod shared_counts;
pub mod sharing;
pub mod sign_in;
