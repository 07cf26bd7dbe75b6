//! The public URLs of a site's records, and conversion of stored URLs to absolute ones.

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, LazyLock},
};

use url::Url;

use crate::{
    catalog::Catalog,
    delivery::PublicUrls,
    domain::{
        change::{ChangedRecord, Resource},
        post::{Post, Status},
        setting::Settings,
        tag::Tag,
        user::User,
    },
    render::{outbound_links, urls},
    routing::BoundRoutes,
};

/// The path for records without a page (Ghost 6.65, observed).
const WITHOUT_PAGE: &str = "/404/";

/// The routes of a site without records and without a routes file.
static DEFAULT_ROUTES: LazyLock<Arc<BoundRoutes>> =
    LazyLock::new(|| Arc::new(BoundRoutes::of(&Catalog::default())));

/// Builds the public URLs of one site.
#[derive(Clone)]
pub struct SiteUrls {
    /// The site's public URL.
    url: Url,
    /// The site's public URL with a slash at the end.
    site: String,
    /// The path of that URL: empty, or with a leading and without a trailing slash.
    subdirectory: String,
    /// The paths of its records.
    routes: Arc<BoundRoutes>,
}

/// The sources of a site's public URL, in order of precedence.
#[derive(Clone, Debug)]
pub struct SiteUrlSources {
    /// The URL that the operator configured, which takes precedence over the site's own setting.
    pub operator: Option<SiteUrls>,
    /// The URL of the listener, used if neither is set.
    pub listen: SiteUrls,
}

impl Default for SiteUrlSources {
    /// Returns the URL of a listener at port 2368 of this machine.
    fn default() -> Self {
        Self {
            operator: None,
            listen: SiteUrls::new("http://127.0.0.1:2368").expect("it is a site's URL"),
        }
    }
}

impl SiteUrlSources {
    /// Returns the sources of a site whose operator configured `urls`.
    pub fn of_operator(urls: SiteUrls) -> Self {
        Self {
            operator: Some(urls),
            ..Self::default()
        }
    }

    /// Returns the URLs of a site with this catalog.
    pub fn of(&self, catalog: &Catalog) -> SiteUrls {
        let configured = self.configured(&catalog.settings);
        let site_urls = configured.unwrap_or_else(|| self.listen.clone());
        site_urls.with_routes_of(catalog)
    }

    /// Returns the configured URLs with the default routes, or `None` if neither the operator nor the site sets one.
    pub fn configured(&self, settings: &Settings) -> Option<SiteUrls> {
        let own = || SiteUrls::new(&settings.text("url")?).ok();
        self.operator.clone().or_else(own)
    }
}

impl PublicUrls for SiteUrlSources {
    fn site(&self, settings: &Settings) -> Url {
        let configured = self.configured(settings);
        configured.unwrap_or_else(|| self.listen.clone()).url
    }

    fn post(&self, catalog: &Catalog, post: &Post) -> String {
        self.of(catalog).post_or_preview_url(post)
    }
}

/// The text is not a valid URL of a site.
#[derive(Debug, thiserror::Error)]
#[error(
    "\"{0}\" is not a valid site URL; a valid one looks like https://example.com or https://example.com/blog"
)]
pub struct SiteUrlError(String);

impl SiteUrls {
    /// Returns the URLs of the site at `url`, which is http or https and may have a path, with the default routes.
    ///
    /// # Errors
    ///
    /// If `url` is not a valid site URL.
    pub fn new(url: &str) -> Result<Self, SiteUrlError> {
        let parsed = Url::parse(url).map_err(|_| SiteUrlError(url.to_owned()))?;
        let is_site = matches!(parsed.scheme(), "http" | "https")
            && parsed.has_host()
            && parsed.query().is_none()
            && parsed.fragment().is_none()
            && parsed.username().is_empty();
        if !is_site {
            return Err(SiteUrlError(url.to_owned()));
        }
        Ok(Self {
            site: format!("{}/", parsed.as_str().trim_end_matches('/')),
            subdirectory: parsed.path().trim_end_matches('/').to_owned(),
            url: parsed,
            routes: Arc::clone(&DEFAULT_ROUTES),
        })
    }

    /// Returns the same URLs with the routes of a site.
    pub fn with_routes_of(self, catalog: &Catalog) -> Self {
        Self {
            routes: Arc::new(BoundRoutes::of(catalog)),
            ..self
        }
    }

    /// Returns the routes.
    pub fn routes(&self) -> &BoundRoutes {
        &self.routes
    }

    /// Returns the site's URL.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the site's URL with a slash at the end.
    pub fn site(&self) -> &str {
        &self.site
    }

    /// Returns the site's URL without a slash at the end.
    pub fn base(&self) -> &str {
        &self.site[..self.site.len() - 1]
    }

    /// Returns the value that browsers send as `Origin` from pages of the site.
    pub fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// Returns the host name or IP address of the site, without a port.
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Returns the path below which the site is served: empty, or with a leading and without a trailing slash.
    pub fn subdirectory(&self) -> &str {
        &self.subdirectory
    }

    /// Returns `path`, which must have no query, without the subdirectory of the site in any case; `/` for the subdirectory
    /// itself. A reverse proxy may already have removed the subdirectory.
    pub fn path_on_site<'a>(&self, path: &'a str) -> &'a str {
        match self.below_subdirectory(path) {
            None => path,
            Some("") => "/",
            Some(rest) => rest,
        }
    }

    /// Returns whether `path` is below the subdirectory but differs from the URLs of the site: in case, or without the slash
    /// after the subdirectory. Each page has only one URL, to which such paths redirect.
    pub fn is_other_spelling(&self, path: &str) -> bool {
        self.below_subdirectory(path)
            .is_some_and(|rest| rest.is_empty() || !path.starts_with(self.subdirectory.as_str()))
    }

    /// Returns the part of `path` after the subdirectory: empty, or with a leading slash. `None` if the site has no subdirectory, or
    /// the path is not below it.
    fn below_subdirectory<'a>(&self, path: &'a str) -> Option<&'a str> {
        // Checked, because the path may be shorter, or have a character of several bytes at this
        // index.
        let (start, rest) = path.split_at_checked(self.subdirectory.len())?;
        let is_below = !start.is_empty()
            && start.eq_ignore_ascii_case(&self.subdirectory)
            // `/blogs/` is not below `/blog`.
            && (rest.is_empty() || rest.starts_with('/'));
        is_below.then_some(rest)
    }

    /// Returns the path under which clients reach `path`: in the subdirectory of the site, even if a reverse proxy has removed
    /// it.
    pub fn public_path(&self, path: &str) -> String {
        format!("{}{}", self.subdirectory, self.path_on_site(path))
    }

    fn url_of(&self, path: &str) -> String {
        format!("{}{path}", self.base())
    }

    /// Returns the path of a post or a page on the site.
    pub fn post_path(&self, post: &Post) -> String {
        let path = self.routes.post_path(post);
        path.unwrap_or_else(|| WITHOUT_PAGE.to_owned())
    }

    /// Returns the path of a tag's posts on the site; internal tags have no such page (Ghost 6.65, recorded).
    pub fn tag_path(&self, tag: &Tag) -> String {
        let path = self.routes.tag_path(tag);
        path.unwrap_or_else(|| WITHOUT_PAGE.to_owned())
    }

    /// Returns the path of an author's posts on the site.
    pub fn author_path(&self, author: &User) -> String {
        let path = self.routes.author_path(author);
        path.unwrap_or_else(|| WITHOUT_PAGE.to_owned())
    }

    /// Returns the URL of a post or a page.
    pub fn post(&self, post: &Post) -> String {
        self.url_of(&self.post_path(post))
    }

    /// Returns the URL of the page that a record has or had with this slug. `None` for kinds that have no page, and if the URL
    /// depends on a post that no longer exists.
    pub fn page(&self, catalog: &Catalog, subject: ChangedRecord, slug: &str) -> Option<String> {
        let ChangedRecord { resource, id } = subject;
        let path = match (resource, catalog.posts.get(id)) {
            (Resource::Posts | Resource::Pages, Some(post)) => {
                self.routes.post_path_with_slug(post, slug)?
            }
            (Resource::Posts, None) => self.routes.removed_post_path(id, slug)?,
            (Resource::Pages, None) => BoundRoutes::page_path(slug),
            (Resource::Tags, _) => self.routes.tag_path_of_slug(slug)?,
            (Resource::Authors, _) => self.routes.author_path_of_slug(slug)?,
            (
                Resource::Tiers
                | Resource::Newsletters
                | Resource::Recommendations
                | Resource::Settings,
                _,
            ) => return None,
        };
        Some(self.url_of(&path))
    }

    /// Returns the URL at which authors see a post or a page: its public URL once it is published, and a secret preview URL until
    /// then. A post sent only by mail has its final URL from the beginning (Ghost 6.65, recorded).
    pub fn post_or_preview_url(&self, post: &Post) -> String {
        if post.status == Status::Published {
            return self.post(post);
        }
        match post.public_status() {
            Status::Sent => format!("{}/email/{}/", self.base(), post.uuid),
            _ => format!("{}/p/{}/", self.base(), post.uuid),
        }
    }

    /// Returns the URL of a tag's posts.
    pub fn tag(&self, tag: &Tag) -> String {
        self.url_of(&self.tag_path(tag))
    }

    /// Returns the URL of an author's posts.
    pub fn author(&self, author: &User) -> String {
        self.url_of(&self.author_path(author))
    }

    /// Makes the site's own URLs absolute, in a stored URL or in HTML with stored URLs.
    pub fn absolute<'a>(&self, stored: &'a str) -> Cow<'a, str> {
        urls::to_served(stored, &self.url)
    }

    /// Makes the site's URLs absolute in the HTML of a post, for readers: links to other records point to their current pages.
    pub fn absolute_for_readers<'a>(&self, stored: &'a str) -> Cow<'a, str> {
        match self.routes.current_links(stored) {
            Cow::Borrowed(stored) => self.absolute(stored),
            Cow::Owned(current) => Cow::Owned(self.absolute(&current).into_owned()),
        }
    }

    /// Returns HTML whose links to other sites contain a reference to this site (setting `outbound_link_tagging`).
    pub fn tag_outbound_links<'a>(&self, html: &'a str) -> Cow<'a, str> {
        outbound_links::tag(html, &self.url)
    }
}

impl fmt::Debug for SiteUrls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("SiteUrls")
            .field(&self.base())
            .finish()
    }
}
