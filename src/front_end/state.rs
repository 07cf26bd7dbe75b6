//! The state of one page while it is rendered, which helpers read beside their arguments.

use std::{cell::Cell, ops::Deref, rc::Rc, sync::Arc};

use super::{model::ModelContext, script_urls::ScriptUrls, theme::Theme};
use crate::domain::routes::Limit;

/// The state of one page.
#[derive(Clone)]
pub struct PageState {
    /// The site and its reader, which the objects of the data model share.
    pub model: Rc<ModelContext>,
    /// The theme.
    pub theme: Arc<Theme>,
    /// The sizes of the site's images.
    pub images: Rc<dyn ImageSizes>,
    /// The scripts of readers.
    pub scripts: Arc<ScriptUrls>,
    /// The language of the site, such as `en`.
    pub locale: String,
    /// The contexts of the page, in Ghost's order: `home` and `index`, `post`, `tag` and `paged` …; empty on an error page,
    /// unless its template failed.
    pub contexts: Vec<String>,
    /// The path of the request on the site, without a query, such as `/tag/letters/page/2/`.
    pub path: String,
    /// The most posts of a page of the list, if its route limits them: templates see it in place of the theme's own number.
    pub route_limit: Option<Limit>,
    /// The status of the response.
    pub status: u16,
    /// The first segment of the API's paths: `ghost` in `/ghost/api/`.
    pub path_prefix: String,
    /// The key by which scripts of the page read the Content API.
    pub content_key: String,
    /// The calls of `{{#get}}` so far.
    pub get_calls: Cell<usize>,
}

/// The site, its reader and the time are read as fields of the page: `state.snapshot`, `state.site_urls`, `state.bodies`,
/// `state.reader`, `state.time_zone`.
impl Deref for PageState {
    type Target = ModelContext;

    fn deref(&self) -> &ModelContext {
        &self.model
    }
}

/// The sizes of the site's images, in pixels.
pub trait ImageSizes {
    /// Returns the width and the height of the image at a URL; `None` if it is not a file of the site, or cannot be measured.
    fn size(&self, url: &str) -> Option<(u32, u32)>;
}
