//! The counters of the program, and the text format in which they are exported.
//!
//! Counting is one atomic addition by the thread that does the counted work: it takes no lock,
//! allocates nothing and waits for no other thread. Only the reader adds up the counters of all
//! threads.

mod counter;
mod durations;
mod exposition;
mod process;

pub use self::counter::Counter;
pub use self::durations::{BOUNDS, DurationTotals, Durations};

pub use exposition::{CONTENT_TYPE, Family, FamilyKind, MetricsPage};
pub use process::Process;
