//! The state of a page during rendering, which helpers read in addition to their arguments.

use std::{cell::Cell, ops::Deref, rc::Rc, sync::Arc};

use super::{model::ModelContext, script_urls::ScriptUrls, theme::Theme};
use crate::domain::routes::Limit;

/// The state of one page.
#[derive(Clone)]
pub struct PageState {
    /// The site and its reader, shared with the objects of the data model.
    pub model: Rc<ModelContext>,
    /// The theme.
    pub theme: Arc<Theme>,
    /// The sizes of the site's images.
    pub images: Rc<dyn ImageSizes>,
    /// The URLs of the reader scripts.
    pub scripts: Arc<ScriptUrls>,
    /// The language of the site, such as `en`.
    pub locale: String,
    /// The contexts of the page in Ghost's order: `home` and `index`, `post`, `tag` and `paged` …; empty on an error page, unless
    /// a template failed.
    pub contexts: Vec<String>,
    /// The path of the request, relative to the site and without the query, such as `/tag/letters/page/2/`.
    pub path: String,
    /// The maximum number of posts on a page of the list, if the route defines it. Templates see it instead of the theme's
    /// number.
    pub route_limit: Option<Limit>,
    /// The HTTP status of the response.
    pub status: u16,
    /// The first segment of API paths: `ghost` in `/ghost/api/`.
    pub path_prefix: String,
    /// The API key with which scripts of the page read the Content API.
    pub content_key: String,
    /// The number of calls of `{{#get}}` so far.
    pub get_calls: Cell<usize>,
}

/// Gives access to the site, the reader and the time as fields of the page: `state.snapshot`, `state.site_urls`, `state.bodies`,
/// `state.reader`, `state.time_zone`.
impl Deref for PageState {
    type Target = ModelContext;

    fn deref(&self) -> &ModelContext {
        &self.model
    }
}

/// The sizes of the site's images, in pixels.
pub trait ImageSizes {
    /// Returns the width and the height of the image at a URL; `None` if the image is not a file of the site or cannot be
    /// measured.
    fn size(&self, url: &str) -> Option<(u32, u32)>;
}
