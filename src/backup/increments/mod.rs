//! Incremental backups: a site at many moments, in a folder or a bucket.
//!
//! The objects of a location never change. A **state** is the whole site at one moment: for each table of the
//! store and each file, it lists the **chunks** of the content. Records are lines of JSON, sorted by key.
//! Chunk boundaries depend on the hashes of keys, so a change of one record changes one chunk, and the next
//! state shares all others. A **segment** contains the records and files that changed since a preceding state
//! or segment, whose name it contains. A moment is restored from a state and the segments that follow it, all
//! of which are verified.
//!
//! Every object is compressed with gzip, and its name contains the SHA-256 of its uncompressed content. A
//! state or segment lists the names of the objects that it needs. So damaged and missing objects are
//! detected, and `gzip`, `sha256sum` and any JSON parser are enough to read a location. A killed process
//! leaves only objects that no other object refers to.

mod assemble;
mod changed_keys;
mod check;
mod chunks;
mod counted_time;
mod files;
mod format;
mod history;
mod last_moment;
mod last_whole;
mod location;
mod object_name;
mod owner;
mod record_line;
mod retention;
mod segment;
mod state;
mod writer;

pub use self::{
    assemble::assemble,
    check::{LocationVerdict, check},
    counted_time::RetentionTime,
    format::{FORMAT, state_chunk_bytes},
    history::{History, Moment},
    last_moment::AHEAD_MAX,
    last_whole::last_whole,
    location::Location,
    object_name::{MomentName, is_location},
    writer::{IncrementalWriter, SegmentOutcome, SiteSource, WrittenMoment},
};
