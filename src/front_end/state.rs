//! The state of one page while it is rendered, which helpers read beside their arguments.

use std::{cell::Cell, rc::Rc, sync::Arc};

use jiff::{Timestamp, tz::TimeZone};

use super::{head::ScriptUrls, theme::Theme};
use crate::{
    domain::{post::Post, reading_member::ReadingMember},
    error::Result,
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// The state of one page.
#[derive(Clone)]
pub struct PageState {
    /// The site, at one commit.
    pub snapshot: Arc<SiteSnapshot>,
    /// The URLs of its records.
    pub site_urls: SiteUrls,
    /// The theme.
    pub theme: Arc<Theme>,
    /// The bodies of posts, for the reader of the page.
    pub bodies: Rc<dyn PostBodies>,
    /// The sizes of the site's images.
    pub images: Rc<dyn ImageSizes>,
    /// The scripts of readers.
    pub scripts: Arc<ScriptUrls>,
    /// The member who reads; `None` for anonymous readers.
    pub reader: Option<ReadingMember>,
    /// The time of the request.
    pub now: Timestamp,
    /// The language of the site, such as `en`.
    pub locale: String,
    /// The time zone of the site.
    pub time_zone: TimeZone,
    /// What the page is, in Ghost's order: `home` and `index`, `post`, `tag` and `paged` …; empty on an error page.
    pub contexts: Vec<String>,
    /// The path of the request on the site, without a query, such as `/tag/letters/page/2/`.
    pub path: String,
    /// The query of the request without `?`; empty if there is none.
    pub query: String,
    /// The status of the response.
    pub status: u16,
    /// The key by which scripts of the page read the Content API.
    pub content_key: String,
    /// The calls of `{{#get}}` so far.
    pub get_calls: Cell<usize>,
}

/// The bodies of posts as one reader may see them, with public URLs.
pub trait PostBodies {
    /// Returns the HTML; `None` for a post without a body.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn html(&self, post: &Arc<Post>) -> Result<Option<Arc<str>>>;

    /// Returns the plain text; `None` for a post without text.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn plaintext(&self, post: &Arc<Post>) -> Result<Option<Arc<str>>>;

    /// Returns the beginning of the plain text, or the custom excerpt; `None` for a post without text.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn excerpt(&self, post: &Arc<Post>) -> Result<Option<Arc<str>>>;
}

/// The sizes of the site's images, in pixels.
pub trait ImageSizes {
    /// Returns the width and the height of the image at a URL; `None` if it is not a file of the site, or cannot be measured.
    fn size(&self, url: &str) -> Option<(u32, u32)>;
}
