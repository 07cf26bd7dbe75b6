//! The inputs of the pages of a site: its snapshot, theme, bodies, files and URLs.

use std::{cell::Cell, rc::Rc, sync::Arc};

use http::StatusCode;
use jiff::Timestamp;

use super::{bodies::ReaderBodies, images::SiteImages};
use crate::{
    api::{
        content::{bodies::Bodies, response_memory::ResponseMemory},
        files::FileRoots,
    },
    domain::reading_member::ReadingMember,
    front_end::{ModelContext, PageState, ScriptUrls, StaffView, Theme},
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// The sources of the pages of a site, at one commit with one theme.
pub(in crate::api) struct PageSources<'a> {
    pub snapshot: &'a Arc<SiteSnapshot>,
    pub site_urls: &'a SiteUrls,
    pub bodies: &'a Arc<Bodies>,
    pub files: &'a FileRoots,
    /// The memory for bodies.
    pub memory: ResponseMemory,
    pub theme: Arc<Theme>,
    /// The key with which scripts of the pages read the Content API.
    pub content_key: String,
    pub now: Timestamp,
    /// The URLs of the scripts for readers.
    pub scripts: ScriptUrls,
    /// The first segment of the API's paths.
    pub path_prefix: &'a str,
    /// The URL of the staff client, with a slash at the end.
    pub staff_url: String,
    /// The changes to the page for staff.
    pub staff: StaffView,
}

impl PageSources<'_> {
    /// Returns the state of the page at `path`, with the bodies that `reader` may read.
    pub(in crate::api) fn state(self, path: &str, reader: Option<ReadingMember>) -> PageState {
        let snapshot = Arc::clone(self.snapshot);
        let site_urls = self.site_urls.clone();
        // The bodies for the reader and those for everyone count towards the memory of one
        // response.
        let memory = Rc::new(self.memory);
        let bodies = |reader: Option<ReadingMember>| {
            Rc::new(ReaderBodies {
                snapshot: Arc::clone(&snapshot),
                bodies: Arc::clone(self.bodies),
                reader,
                memory: Rc::clone(&memory),
            })
        };
        let (own_bodies, public_bodies) = (bodies(reader.clone()), bodies(None));
        let images = SiteImages {
            snapshot: Arc::clone(&snapshot),
            site_urls: site_urls.clone(),
            files: self.files.clone(),
        };
        let settings = &self.snapshot.catalog.settings;
        let mut model = ModelContext::new(
            snapshot,
            site_urls,
            own_bodies,
            public_bodies,
            reader,
            self.now,
        );
        model.staff = self.staff;
        model.staff_url = self.staff_url;
        PageState {
            model: Rc::new(model),
            theme: self.theme,
            images: Rc::new(images),
            scripts: Arc::new(self.scripts),
            locale: settings.text("locale").unwrap_or_else(|| "en".to_owned()),
            contexts: Vec::new(),
            path: path.to_owned(),
            route_limit: None,
            status: StatusCode::OK.as_u16(),
            content_key: self.content_key,
            path_prefix: self.path_prefix.to_owned(),
            get_calls: Cell::new(0),
        }
    }
}

/// Returns the Content API key of the integration that every site has; empty if it was revoked.
pub(in crate::api) fn content_key(snapshot: &SiteSnapshot) -> String {
    let mut integrations = snapshot.catalog.integrations();
    let own = integrations.find(|integration| integration.came_with_site);
    own.map_or_else(String::new, |integration| {
        integration.content_key.secret.to_string()
    })
}
