//! The response to a request for a page.

use crate::routing::FeedOf;

/// The response to a request for a page.
#[derive(Debug)]
pub enum PageResponse {
    /// A page, also one that says what went wrong.
    Page(Page),
    /// The page is elsewhere.
    Redirect {
        /// The path with the site's subdirectory, or a URL.
        location: String,
        /// Whether clients may remember it.
        is_permanent: bool,
        /// Whether the path lacks only its last slash.
        adds_slash: bool,
    },
    /// A feed, which the caller writes.
    Feed(FeedOf),
}

/// A rendered page.
#[derive(Debug)]
pub struct Page {
    /// The HTTP status.
    pub status: u16,
    /// The media type.
    pub content_type: String,
    /// The text.
    pub text: String,
}
