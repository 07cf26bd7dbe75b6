//! Reads documents of another generator's folder, for serving and importing.
//!
//! They were not written for Galley, so invalid values in their front matter are ignored and reported. A missing title is
//! that of the first heading, or derived from the file name as the generator does; properties without a key (kind, language,
//! section) come from the path.

mod document;
mod kind;
mod language;
mod omission;
mod tags;
mod title;

pub use document::read;
