//! What staff and integrations may do: the operations behind the Admin API, one noun, one file.
//!
//! An operation takes the site, who acts and what is to be changed, as typed values; it decides what is right, makes the
//! change by the one door of the site and writes down who did what. No JSON of the wire and no HTTP in here.

pub mod content_files;
pub mod db;
pub mod integrations;
