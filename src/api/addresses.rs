//! Where things are: the absolute addresses of a site's records, and stored addresses made absolute.

use std::borrow::Cow;

use url::Url;

use crate::{
    delivery::Whereabouts,
    domain::{
        change::Resource,
        mail::Letterhead,
        post::{Post, Status},
        setting::Settings,
        tag::Tag,
        user::User,
    },
    render::{outbound_links, urls},
};

/// The addresses of one site.
#[derive(Clone, Debug, PartialEq)]
pub struct Addresses {
    /// The site's public address.
    url: Url,
    /// The same without a slash at the end.
    base: String,
    /// The path of that address: empty, or with a slash in front and none at the end.
    subdirectory: String,
}

/// Who says where a site is for its readers.
#[derive(Clone, Debug)]
pub struct AddressSources {
    /// What the operator says, which comes before what the site's own setting says.
    pub operator: Option<Addresses>,
    /// Where it listens, when nobody says anything.
    pub listen: Addresses,
}

impl AddressSources {
    /// Where a site with these settings is.
    pub fn of(&self, settings: &Settings) -> Addresses {
        let configured = self.configured(settings);
        configured.unwrap_or_else(|| self.listen.clone())
    }

    /// The same, if anybody says anything.
    pub fn configured(&self, settings: &Settings) -> Option<Addresses> {
        let own = || Addresses::new(&settings.text("url")?).ok();
        self.operator.clone().or_else(own)
    }
}

impl Whereabouts for AddressSources {
    fn site(&self, settings: &Settings) -> Url {
        self.of(settings).url
    }

    fn post(&self, settings: &Settings, post: &Post) -> String {
        self.of(settings).post_or_preview(post)
    }
}

/// The text is no address that a site can have.
#[derive(Debug, thiserror::Error)]
#[error(
    "\"{0}\" is not the address of a site: it looks like https://example.com or https://example.com/blog"
)]
pub struct AddressError(String);

impl Addresses {
    /// The addresses of the site at `url`, http or https, which may have a path.
    ///
    /// # Errors
    ///
    /// When `url` is no such address.
    pub fn new(url: &str) -> Result<Self, AddressError> {
        let parsed = Url::parse(url).map_err(|_| AddressError(url.to_owned()))?;
        let is_site = matches!(parsed.scheme(), "http" | "https")
            && parsed.has_host()
            && parsed.query().is_none()
            && parsed.fragment().is_none()
            && parsed.username().is_empty();
        if !is_site {
            return Err(AddressError(url.to_owned()));
        }
        Ok(Self {
            base: parsed.as_str().trim_end_matches('/').to_owned(),
            subdirectory: parsed.path().trim_end_matches('/').to_owned(),
            url: parsed,
        })
    }

    /// The site's address.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The site's address with a slash at the end.
    pub fn site(&self) -> String {
        format!("{}/", self.base)
    }

    /// The site's address without a slash at the end.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// What browsers send as `Origin` from pages of the site.
    pub fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// The name or number of the site's host, without a port.
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// What stands on letters of the site that is called `title`.
    pub fn letterhead<'a>(&'a self, title: &'a str) -> Letterhead<'a> {
        Letterhead {
            title,
            url: self.url.as_str(),
            host: self.host(),
        }
    }

    /// The path below which the site lives: empty, or with a slash in front and none at the end.
    pub fn subdirectory(&self) -> &str {
        &self.subdirectory
    }

    /// A path without the folder that the site lives in. A proxy in front may have taken that off already.
    pub fn path_on_site<'a>(&self, path: &'a str) -> &'a str {
        path.strip_prefix(self.subdirectory.as_str())
            .filter(|rest| rest.starts_with('/'))
            .unwrap_or(path)
    }

    /// Where a post or a page is.
    pub fn post(&self, post: &Post) -> String {
        format!("{}/{}/", self.base, post.slug)
    }

    /// Where the page of a record with this slug is; `None` for kinds that have none.
    pub fn page(&self, resource: Resource, slug: &str) -> Option<String> {
        let base = &self.base;
        match resource {
            Resource::Posts | Resource::Pages => Some(format!("{base}/{slug}/")),
            Resource::Tags => Some(format!("{base}/tag/{slug}/")),
            Resource::Authors => Some(format!("{base}/author/{slug}/")),
            Resource::Tiers
            | Resource::Newsletters
            | Resource::Recommendations
            | Resource::Settings => None,
        }
    }

    /// Where whoever made a post or a page sees it: at its address once it is public, and at one that only they know until
    /// then; what is for mail alone has an address of its own from the beginning (Ghost 6.65, recorded).
    pub fn post_or_preview(&self, post: &Post) -> String {
        if post.status == Status::Published {
            return self.post(post);
        }
        match post.public_status() {
            Status::Sent => format!("{}/email/{}/", self.base, post.uuid),
            _ => format!("{}/p/{}/", self.base, post.uuid),
        }
    }

    /// Where a tag's posts are; internal tags have no such place (Ghost 6.65, recorded).
    pub fn tag(&self, tag: &Tag) -> String {
        match tag.internal {
            true => format!("{}/404/", self.base),
            false => format!("{}/tag/{}/", self.base, tag.slug),
        }
    }

    /// Where an author's posts are.
    pub fn author(&self, author: &User) -> String {
        format!("{}/author/{}/", self.base, author.slug)
    }

    /// A stored address, or HTML with stored addresses in it, with the site's own made absolute.
    pub fn absolute<'a>(&self, stored: &'a str) -> Cow<'a, str> {
        urls::to_served(stored, &self.url)
    }

    /// HTML whose links to other sites name this one (setting `outbound_link_tagging`).
    pub fn tag_outbound_links<'a>(&self, html: &'a str) -> Cow<'a, str> {
        outbound_links::tag(html, &self.url)
    }
}
