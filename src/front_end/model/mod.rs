//! The data that templates see: a lazy view of one snapshot.
