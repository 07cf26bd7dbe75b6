//! Renders the pages of one site snapshot without a connection or a cache, for static sites and checks of themes.

use std::{rc::Rc, sync::Arc};

use super::{
    content::response_memory::ResponseMemory,
    error, site_routes,
    static_renderer::StaticRenderer,
    theme::{
        bodies::PreviewBodies,
        page_sources::{PageSources, content_key},
    },
};
use crate::{
    domain::{
        post::{Status, Visibility},
        reading_member::ReadingMember,
    },
    error::Kind,
    front_end::{
        OwnScript, PageState, ScriptChoice, ScriptUrls, StaffView, Theme,
        head::icon_url,
        pages::{self, PageResponse, RenderedPage},
        public_files::{self, DEFAULT_ICON, PublicFile},
    },
    routing::{PagePath, Resolution},
};

/// The beginnings of paths that always belong to files, even if a route or record has such a path.
const FILES: [&str; 3] = ["/assets/", "/content/", "/public/"];

/// The response to a request for a page.
#[derive(Debug)]
pub enum StaticPage {
    /// A page, which may be an error page.
    Page(RenderedPage),
    /// A redirect to another page.
    Redirect {
        /// The path on the site, or the URL.
        location: String,
        /// Whether clients may cache the redirect.
        is_permanent: bool,
    },
    /// No page: nothing, or another kind of document.
    None,
}

/// The icon of a site.
#[derive(Debug)]
pub enum SiteIcon {
    /// The contents of the default icon, for sites without an icon.
    Default(&'static [u8]),
    /// The URL of the site's icon.
    At(String),
}

/// The pages of one site snapshot, rendered by one theme.
pub struct StaticPages<'a> {
    site: &'a StaticRenderer<'a>,
    theme: Arc<Theme>,
    path_prefix: &'a str,
    content_key: String,
    scripts: ScriptUrls,
}

/// Returns the scripts for pages on a static host, which does not have the files of installed scripts.
fn static_scripts(choice: ScriptChoice, theme: &Theme) -> ScriptUrls {
    let scripts = choice.scripts(theme, "", None);
    let own = scripts.own.map(|_| OwnScript { is_static: true });
    ScriptUrls { own, ..scripts }
}

impl<'a> StaticPages<'a> {
    /// Returns the pages of `site` with `theme`. Their scripts read the Content API with `content_key`, which is by default the
    /// key of the integration that every site has. `path_prefix` is the first segment of the API's paths.
    pub fn new(
        site: &'a StaticRenderer<'a>,
        theme: Arc<Theme>,
        path_prefix: &'a str,
        content_key: Option<&str>,
    ) -> Self {
        let content_key = content_key.map(str::to_owned);
        Self {
            scripts: static_scripts(ScriptChoice::default(), &theme),
            site,
            theme,
            path_prefix,
            content_key: content_key.unwrap_or_else(|| self::content_key(site.snapshot)),
        }
    }

    /// Returns the same pages with the scripts for readers that the operator has chosen.
    #[must_use]
    pub fn with_scripts(self, choice: ScriptChoice) -> Self {
        Self {
            scripts: static_scripts(choice, &self.theme),
            ..self
        }
    }

    /// Returns the theme.
    pub fn theme(&self) -> &Theme {
        &self.theme
    }

    /// Returns the paths at which the site may have pages, except for the second and further pages of lists.
    pub fn paths(&self) -> Vec<PagePath> {
        let routes = self.site.site_urls.routes();
        let paths = routes.page_paths(&self.site.snapshot.catalog).into_iter();
        let is_page = |page: &PagePath| !FILES.iter().any(|file| page.path.starts_with(file));
        paths.filter(is_page).collect()
    }

    /// Returns the page at a path of the site, for a reader.
    pub fn page(&self, path: &str, reader: Option<ReadingMember>) -> StaticPage {
        let catalog = &self.site.snapshot.catalog;
        // Redirects take precedence over pages, as on a server.
        if let Some(target) = catalog.redirects.find(path, None) {
            return StaticPage::Redirect {
                location: target.location,
                is_permanent: target.permanent,
            };
        }
        let routes = self.site.site_urls.routes();
        match routes.resolve(catalog, path, None) {
            Resolution::Redirect {
                location,
                permanent,
            } => StaticPage::Redirect {
                location,
                is_permanent: permanent,
            },
            Resolution::NotFound => {
                match site_routes::alias_target(catalog, &self.site.site_urls, path, None) {
                    Some(target) => StaticPage::Redirect {
                        location: target.location,
                        is_permanent: target.permanent,
                    },
                    None => StaticPage::None,
                }
            }
            resolution => {
                let state = self.state(path, reader);
                match pages::respond(state, routes.routes(), &resolution) {
                    PageResponse::Page(page) => StaticPage::Page(page),
                    PageResponse::Redirect { .. } | PageResponse::Feed(_) => StaticPage::None,
                }
            }
        }
    }

    /// Returns the page with which the server responds if nothing is at a path.
    pub fn missing_page(&self, path: &str) -> RenderedPage {
        let status = error::status(Kind::NotFound).as_u16();
        pages::error(self.state(path, None), status, site_routes::PAGE_NOT_FOUND)
    }

    /// Returns the pages for a reader that are not at a path of [`paths`](Self::paths): error pages, the page that asks for the
    /// password of a private site, and the previews of drafts, also in the form of mailed posts.
    pub fn other_pages(&self, reader: Option<&ReadingMember>) -> Vec<(String, RenderedPage)> {
        let state = |path: &str| self.state(path, reader.cloned());
        let mut found = Vec::new();
        for kind in [Kind::NotFound, Kind::Internal] {
            let status = error::status(kind).as_u16();
            let path = format!("/{status}/");
            let page = pages::error(state(&path), status, "An error");
            found.push((path, page));
        }
        for error in [None, Some("Incorrect password.")] {
            let path = "/private/";
            found.push((path.to_owned(), pages::private(state(path), error)));
        }
        let posts = self.site.snapshot.catalog.posts.iter();
        for post in posts.filter(|post| post.status == Status::Draft) {
            let level = reader.map(ReadingMember::level);
            let may_read = reader.is_some_and(|reader| reader.may_read(post))
                || post.visibility == Visibility::Public;
            let bodies = PreviewBodies {
                snapshot: Arc::clone(self.site.snapshot),
                site_urls: self.site.site_urls.clone(),
                level,
                may_read,
            };
            let path = format!("/p/{}/", post.uuid);
            let page = pages::preview(state(&path), post, Rc::new(bodies), may_read);
            found.push((path, page));
            let path = format!("/email/{}/", post.uuid);
            found.push((path.clone(), pages::mailed(state(&path), post)));
        }
        found
    }

    /// Returns the file at `/public/PATH`; `None` if there is no file.
    pub fn public_file(&self, path: &str) -> Option<PublicFile> {
        public_files::find(path, &self.theme.package)
    }

    /// Returns the site's icon.
    pub fn icon(&self) -> SiteIcon {
        let settings = &self.site.snapshot.catalog.settings;
        match settings.text("icon") {
            None => SiteIcon::Default(DEFAULT_ICON),
            Some(_) => SiteIcon::At(icon_url(&self.state("/", None))),
        }
    }

    /// Returns the state of the page at a path for a reader.
    pub fn state(&self, path: &str, reader: Option<ReadingMember>) -> PageState {
        let sources = PageSources {
            snapshot: self.site.snapshot,
            site_urls: &self.site.site_urls,
            bodies: &self.site.bodies,
            files: &self.site.files,
            memory: ResponseMemory::unbounded(),
            theme: Arc::clone(&self.theme),
            content_key: self.content_key.clone(),
            now: self.site.now,
            scripts: self.scripts.clone(),
            path_prefix: self.path_prefix,
            staff_url: format!("{}{}/", self.site.site_urls.site(), self.path_prefix),
            staff: StaffView::default(),
        };
        sources.state(path, reader)
    }
}
