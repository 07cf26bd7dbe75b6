//! What staff and integrations may do to a site: the operations behind the Admin API and the command line.
//!
//! One noun, one file. An operation takes the site or a transaction, who acts, and what is wanted as typed values; it
//! knows the rules (who may, what goes together, what follows from what), writes what was done into the list of actions,
//! and leaves the record that came of it. *No JSON of the wire, no HTTP.*

pub mod content_file;
pub mod posts;
