//! The read model: an immutable index of the whole site, replaced as a whole after each commit.
//!
//! It contains everything that the lists, filters and orders of readers and staff need, except the
//! bodies of posts, which remain in the store. Its parts are persistent maps: cloning is cheap, and
//! a change copies only the path to the changed records. A transaction therefore works on a
//! separate copy while readers continue to use theirs. Nothing in this module blocks or writes.

pub mod browse;
pub mod changes;
pub mod comparison;
pub mod emails;
pub mod fields;
pub mod file_edits;
pub mod filter;
mod filter_date;
mod key_index;
mod keys;
pub mod listing;
pub mod members;
pub mod order;
pub mod params;
pub mod post_orders;
pub mod posts;
pub mod public_records;
pub mod recipients;
pub mod records;
mod reference_counts;
pub mod relation;
pub mod sessions;
mod site_records;
pub mod sorted_posts;
pub mod text_index;
pub mod value;
pub mod webhooks;

pub use self::site_records::Catalog;

pub use self::key_index::{KeyHolder, KeyUse};
