//! Tests of the operations on posts and pages, beyond the recordings.

mod bodies;
mod body_search;
mod bulk;
mod collisions;
mod content_files;
mod copies;
mod post_site;
mod revisions;
mod rights;
mod slugs;
mod states;
mod tags_and_authors;
