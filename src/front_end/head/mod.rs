//! The content of the head and the foot of a page: `{{ghost_head}}` and related helpers.
//!
//! The facts are those of Ghost 6.65, recorded. `page` reads the subject of the page, `title`, `description` and `images` find
//! the texts and images that describe it, `structured` and `schema` write them for networks and search engines, and `ghost_head`
//! puts all of it into order, with the scripts of readers.

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

/// The helpers of this room.
pub const HELPERS: &[HelperRow] = &[
    HelperRow::inline("body_class", classes::body_class),
    HelperRow::inline("ghost_foot", code::ghost_foot),
    HelperRow::inline("ghost_head", ghost_head::ghost_head),
    HelperRow::inline("meta_description", description::meta_description),
    HelperRow::inline("meta_title", title::meta_title),
    HelperRow::inline("post_class", classes::post_class),
];
