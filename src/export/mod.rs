//! What goes elsewhere: Ghost's format, content folders, lists of members.
//!
//! An export is written from one edition of the site, so it is the site as it was at one moment; changes go on meanwhile.

pub mod members;
