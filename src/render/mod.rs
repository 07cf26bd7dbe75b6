//! Text conversions, such as Markdown to HTML, HTML to plain text, titles to slugs, and stored URLs
//! to served ones.
//!
//! Every function here is pure: it reads no file, no clock and no setting. It never panics on any
//! input, takes time linear in its input, and recurses only within named bounds. Where the rules
//! are those of Ghost 6.65, they were recorded from it, and the golden files under
//! `tests/it/render/` verify this module against the recordings. HTML is not sanitised: authors are
//! trusted with their own site. Only URLs that run code are removed from converted documents
//! ([`active_urls`]).
//!
//! ```
//! use galley::render::{
//!     markdown::{self, Dialect},
//!     plaintext, reading_time,
//!     slug::{self, Kind},
//! };
//!
//! let text = "The *night* ferry leaves at [ten](timetable.md).";
//! let html = markdown::to_html(text, Dialect::GALLEY, |link| {
//!     (link.written == "timetable.md").then(|| "/timetable/".to_owned())
//! });
//! assert_eq!(
//!     html.trim_end(),
//!     r#"<p>The <em>night</em> ferry leaves at <a href="/timetable/">ten</a>.</p>"#
//! );
//! assert_eq!(slug::from_text(Kind::Post, "The Night Ferry", "/"), "the-night-ferry");
//! assert_eq!(reading_time::minutes(&html, false), Some(0));
//! assert!(plaintext::from_html(&html).starts_with("The night ferry leaves"));
//! ```

pub mod active_urls;
mod basic_html;
pub mod block_elements;
pub mod body_counts;
pub mod captions;
mod cards;
pub mod embeds;
pub mod equivalence;
pub mod external_media;
pub mod feed_html;
mod heading_id;
mod html_attributes;
pub(crate) mod html_escape;
mod html_scan;
pub mod html_to_lexical;
pub mod html_to_markdown;
mod html_tree;
pub mod lexical;
pub mod limits;
pub mod mail;
pub mod markdown;
pub mod markdown_to_lexical;
pub mod mobiledoc;
pub mod outbound_links;
pub mod page_links;
pub mod page_metadata;
pub mod paywall;
pub mod plaintext;
pub mod reading_time;
pub mod rss_html;
pub mod search_text;
pub mod slug;
pub mod spreadsheet_cell;
mod srcset;
mod text_layout;
pub mod urls;
