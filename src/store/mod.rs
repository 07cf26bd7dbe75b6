//! Storage: ordered bytes under keys, in a fixed set of tables, changed only by atomic and durable
//! commits.
//!
//! The rest of the program uses only a few operations ([`Store::snapshot`], [`Snapshot::get`],
//! [`Snapshot::scan`], [`Store::writer`], [`Writer::commit`], [`Store::changes_since`]), so further
//! engines can be added. There are three: [`redb`], one file on disk, [`postgres`], a database that
//! several processes share, and [`memory`], for tests, which injects failures. The store never
//! interprets a value and never replaces a file that it cannot read. A snapshot never waits for a
//! writer.
//!
//! Several users may share a store. One user at a time has its [`Writer`], which shows the revision
//! of the last commit: a user that has read an earlier revision reads again before writing. If the
//! users are processes, the store knows which of them are alive ([`Store::nodes`]).

pub mod memory;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(not(feature = "postgres"))]
#[path = "without_postgres.rs"]
pub mod postgres;
pub mod redb;

mod batch;
mod begun_copies;
mod digest;
mod engine;
mod error;
mod format;
mod keys;
mod memory_counts;
mod memory_nodes;
mod metered;
mod nodes;
mod recent_commits;
mod shared_counts;
mod snapshot;
mod spill;
mod tables;

pub use self::engine::{CommitWaiter, Reached, Store, Writer};
pub use self::snapshot::{Record, Snapshot, Visit};

pub use batch::Batch;
pub use begun_copies::has_begun_copy;
pub use digest::RecordsDigest;
pub use error::{StoreError, is_out_of_space};
pub use format::FORMAT_VERSION;
pub use keys::Keys;
pub use metered::{MeasuredStore, StoreMetrics};
pub use nodes::{NewNode, Node, NodeId, Nodes};
pub use recent_commits::ChangedKeys;
pub use shared_counts::{CountChange, SharedCount, SharedCounts};
pub use tables::{Audience, Events, IndexedTable, Table};
