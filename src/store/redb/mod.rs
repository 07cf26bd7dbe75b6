//! The store in one redb file.
//!
//! Every commit is a transaction in two phases, each flushed to disk: the second phase only flips a
//! byte that selects the valid half of the header. So after a crash the file contains either commit
//! as a whole, and damage to the newest commit is an error instead of a silent return to the
//! previous one. redb can also save its map of free pages with every commit, to open quickly after
//! a crash. Since opening then reads and verifies the whole file anyway, that would only make
//! commits slower.
//!
//! redb stops using a file after the first failure of the disk. The store then reopens it, and
//! because opening writes nothing, reads continue while the disk is full. A partial commit is never
//! visible.

mod clean_shutdown;
mod compact;
mod copy;
mod disk;
mod open;
mod panics;
mod rebuild;
mod redb_store;
#[cfg(feature = "postgres")]
mod replication;
mod section;
mod snapshot;
mod tables;

pub use self::panics::silence_caught_panics;
pub use self::redb_store::RedbStore;

use super::format::REVISION_KEY;

pub use self::compact::{Compaction, clear_abandoned, compact};
pub use self::copy::{COPY_CACHE_BYTES, COPY_STEP_RECORDS, write_copy};
pub use self::open::OpenDisk;
pub use self::rebuild::{RecordWriter, write_records};
#[cfg(feature = "postgres")]
pub(super) use self::replication::{RecordKey, ReplicaWriter, Replicated, ReplicatedCommit};

/// Default page cache, in bytes: 32 MiB.
pub const DEFAULT_CACHE_BYTES: usize = 32 * 1024 * 1024;
