//! Rules of every store engine, and of sites that share a store: functions that fail if a rule is broken.
//!
//! A macro of each module calls another one with the names of its rules, which defines a test for each:
//! `tests/it/store_rules.rs` for engines in this process, `tests/postgres/store_rules.rs` for PostgreSQL.

pub mod contract;
pub mod nodes;
pub mod shared_counts;
pub mod sharing;
pub mod sign_in;
