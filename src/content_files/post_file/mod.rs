//! Posts and pages: the document files in `posts/` or `pages/`.
//!
//! Every field has its own name and the aliases of Hugo, Zola, Jekyll, Eleventy and Astro. Keys with another name *and*
//! another format (`draft: true`, `published: false`, categories next to tags) have a separate table and are merged into the
//! fields. The caller decides whether a post with a future date is scheduled or published, since it knows the time.
//!
//! Documents of other generators are read *leniently*. Invalid values are warnings and never make the document unusable;
//! long values are truncated; keys of themes are silent. A document that its generator does not build has a reason to be
//! left out ([`PostFile::left_out`]), and one that it hides in a way that Galley does not support becomes a draft, so that
//! no hidden document becomes public.

mod document;
mod front_matter;
mod hidden;
mod reading;

pub use self::document::PostFile;
pub(super) use self::document::Role;
pub(crate) use self::front_matter::names_of_key;
pub(super) use self::front_matter::{OTHER_GENERATOR_SET, SET};
pub use self::front_matter::{PostFields, Status, Visibility};
pub(super) use self::reading::{add_aliases, read};
