//! Incremental backups: a site at many moments, in a folder or a bucket.
//!
//! A location has objects that are never changed. A **state** is the whole site at one moment: it
//! names, for each table of the store and each file, the **chunks** that these consist of. Records
//! are lines of JSON in the order of their keys, cut where the hash of a key says so, so that a
//! change of one record changes one chunk, and the next state shares all others. A **segment** has
//! the records and files that changed since the state or segment that it names. A moment is
//! restored from a state and the segments that follow it, each verified.
//!
//! Every object is compressed with gzip and has the SHA-256 of its uncompressed content in its
//! name, and a state or segment names the objects that it needs. So damage and missing objects are found, and
//! `gzip`, `sha256sum` and any program that reads JSON are enough to read a location. A process
//! that is killed leaves only objects that nothing names.

mod assemble;
mod changed_keys;
mod check;
mod chunks;
mod counted_time;
mod files;
mod format;
mod head;
mod history;
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
    format::FORMAT,
    head::AHEAD_MAX,
    history::{History, Moment},
    last_whole::last_whole,
    location::Location,
    object_name::{MomentName, is_location},
    writer::{IncrementalWriter, SegmentOutcome, SiteSource, WrittenMoment},
};
