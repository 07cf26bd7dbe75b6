//! The content of the head and the foot of a page: `{{ghost_head}}` and related helpers.
//!
//! The output is that of Ghost 6.65, recorded. `page` finds the record of the page; `title`, `description` and `images` find its
//! texts and images; `structured` and `schema` write them for social networks and search engines; `ghost_head` assembles all
//! parts, including the reader scripts.

mod classes;
mod code;
mod description;
mod fonts;
mod ghost_head;
mod icon;
mod images;
mod linked_data;
mod page;
mod schema;
mod scripts;
mod structured;
mod tags;
mod title;
mod toolbar;

pub use self::icon::icon_url;
use super::helper_row::HelperRow;

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[
    HelperRow::inline("body_class", classes::body_class),
    HelperRow::inline("ghost_foot", code::ghost_foot),
    HelperRow::inline("ghost_head", ghost_head::ghost_head),
    HelperRow::inline("meta_description", description::meta_description),
    HelperRow::inline("meta_title", title::meta_title),
    HelperRow::inline("post_class", classes::post_class),
];
