//! Embeds for editors: a player or a bookmark card for a URL.
//!
//! Players are derived from the URL ([`embeds`]). Cards of the site's own posts, tags and authors are
//! built from the catalog; cards of other URLs contain only the host name. If the operator allows
//! requests to other sites (`oembed.outside`), the page at the URL provides the card's texts and its
//! oEmbed data.

use serde_json::{Value, json};
use url::Url;

use super::{Reply, Request};
use crate::{
    api::content::settings::served,
    catalog::Catalog,
    domain::{post::Post, setting::SETTINGS},
    error::{Error, Kind, Result},
    render::{
        embeds::{self, Embed},
        page_metadata::PageMetadata,
    },
};

/// Longest URL, in characters.
const URL_CHARACTERS_MAX: usize = 2000;

/// `GET admin/oembed/`: `url` is the page; `type` is `embed`, `bookmark` or `mention`; by default a
/// player if there is one, and a card otherwise.
pub fn read(request: &Request) -> Result<Reply> {
    let requested = request
        .parameters
        .all("url")
        .next()
        .unwrap_or_default()
        .trim();
    if requested.is_empty() {
        return Err(Error::new(
            Kind::BadRequest,
            "The parameter \"url\" is required.",
        ));
    }
    let is_short = requested.chars().count() <= URL_CHARACTERS_MAX;
    let url = Url::parse(requested)
        .ok()
        .filter(|url| is_short && matches!(url.scheme(), "http" | "https") && url.has_host());
    let Some(url) = url else {
        return Err(not_embeddable(requested));
    };
    let kind = request.parameters.all("type").next().unwrap_or_default();
    let known_player = || embeds::of_url(&url).map(|embed| player(&url, &embed));
    let record = match kind {
        "bookmark" | "mention" => card(request, kind, &url, fetch(request, &url).as_ref()),
        "embed" => known_player()
            .or_else(|| from_oembed(request, &fetch(request, &url)?))
            .ok_or_else(|| not_embeddable(requested))?,
        _ => known_player().unwrap_or_else(|| {
            let page = fetch(request, &url);
            let from_oembed = page.as_ref().and_then(|page| from_oembed(request, page));
            from_oembed.unwrap_or_else(|| card(request, "bookmark", &url, page.as_ref()))
        }),
    };
    Ok(Reply::value(&record))
}

fn not_embeddable(requested: &str) -> Error {
    Error::new(
        Kind::Validation,
        "The URL has nothing that can be embedded.",
    )
    .context(requested.to_owned())
}

fn player(url: &Url, embed: &Embed) -> Value {
    let mut record = json!({
        "version": "1.0",
        "type": embed.kind,
        "url": url.as_str(),
        "provider_name": embed.provider_name,
        "provider_url": embed.provider_url,
        "html": embed.html,
        "width": embed.width,
        "height": embed.height,
    });
    if let Some(thumbnail) = &embed.thumbnail_url {
        record["thumbnail_url"] = json!(thumbnail);
    }
    record
}

/// A fetched page of another site.
struct FetchedPage {
    /// The URL after redirects.
    url: Url,
    metadata: PageMetadata,
}

/// Fetches a page of another site, if that is allowed; `None` if there is no page.
fn fetch(request: &Request, url: &Url) -> Option<FetchedPage> {
    let client = request.api.live().outside.clone()?;
    // The catalog has the texts of the site's own pages, so no request is needed.
    if is_own(request, url) {
        return None;
    }
    let fetched = client.get(url.as_str());
    let fetched = fetched
        .inspect_err(|error| tracing::debug!("cannot fetch {url}: {error}"))
        .ok()?;
    matches!(&*fetched.kind, "text/html" | "application/xhtml+xml").then(|| FetchedPage {
        url: Url::parse(&fetched.address).unwrap_or_else(|_| url.clone()),
        metadata: PageMetadata::of(&String::from_utf8_lossy(&fetched.body)),
    })
}

/// Returns the oEmbed data of a page, if it is a video or other HTML (oEmbed 1.0, sections 2.3 and
/// 4).
fn from_oembed(request: &Request, page: &FetchedPage) -> Option<Value> {
    let client = request.api.live().outside.clone()?;
    let url = page.url.join(page.metadata.oembed.as_deref()?).ok()?;
    let response = client.get(url.as_str()).ok()?;
    let data: Value = serde_json::from_slice(&response.body).ok()?;
    let text = |name: &str| data[name].as_str().filter(|text| !text.is_empty());
    let pixels = |name: &str| data[name].as_u64().filter(|pixels| *pixels > 0);
    // The other types of oEmbed, photos and links, are shown as bookmark cards.
    let kind = text("type").filter(|kind| matches!(*kind, "video" | "rich"))?;
    let mut record = json!({
        "version": "1.0",
        "type": kind,
        "url": page.url.as_str(),
        "provider_name": text("provider_name").or(page.url.host_str()),
        "provider_url": text("provider_url").map_or_else(|| page.url.origin().ascii_serialization(), str::to_owned),
        "html": text("html")?,
        "width": pixels("width"),
        "height": pixels("height"),
    });
    if let Some(thumbnail) = text("thumbnail_url") {
        record["thumbnail_url"] = json!(thumbnail);
    }
    Some(record)
}

fn card(request: &Request, kind: &str, url: &Url, page: Option<&FetchedPage>) -> Value {
    let summary = own_page(request, url).unwrap_or_else(|| external_page(url, page));
    json!({
        "version": "1.0",
        "type": kind,
        "url": url.as_str(),
        "metadata": {
            "url": url.as_str(),
            "title": summary.title,
            "description": summary.description,
            "author": summary.author,
            "publisher": summary.publisher,
            "thumbnail": summary.image,
            "icon": summary.icon,
        },
    })
}

/// The metadata of the page at a URL.
#[derive(Default)]
pub(super) struct PageSummary {
    pub(super) title: String,
    pub(super) description: Option<String>,
    author: Option<String>,
    publisher: Option<String>,
    pub(super) image: Option<String>,
    pub(super) icon: Option<String>,
}

/// Returns the metadata of a page of another site, if such pages may be fetched; `None` if there is
/// no page.
pub(super) fn fetch_summary(request: &Request, url: &Url) -> Option<PageSummary> {
    let page = fetch(request, url)?;
    Some(external_page(url, Some(&page)))
}

/// Returns the metadata of a URL of another site.
fn external_page(url: &Url, page: Option<&FetchedPage>) -> PageSummary {
    let host = url.host_str().unwrap_or_default().to_owned();
    // From here, `url` is the URL after redirects, to which the URLs in the page are relative.
    let Some(FetchedPage { url, metadata }) = page else {
        return PageSummary {
            title: host,
            ..PageSummary::default()
        };
    };
    let absolute = |stored: &Option<String>| {
        let joined = url.join(stored.as_deref()?).ok();
        // Other sites could name `javascript:` or `data:` URLs.
        joined
            .filter(|joined| matches!(joined.scheme(), "http" | "https"))
            .map(String::from)
    };
    PageSummary {
        title: metadata.title.clone().unwrap_or(host),
        description: metadata.description.clone(),
        author: metadata.author.clone(),
        publisher: metadata.publisher.clone(),
        image: absolute(&metadata.image),
        icon: absolute(&metadata.icon),
    }
}

/// Returns whether a URL belongs to the site itself.
fn is_own(request: &Request, url: &Url) -> bool {
    let site = request.site_urls.url();
    // `/blogroll` does not belong to a site at `/blog`, although it begins with that path.
    let path = url.path().strip_prefix(request.site_urls.subdirectory());
    url.host() == site.host()
        && url.port_or_known_default() == site.port_or_known_default()
        && path.is_some_and(|path| path.is_empty() || path.starts_with('/'))
}

/// Returns the metadata of a URL of the site itself, as readers see it; `None` for another site.
fn own_page(request: &Request, url: &Url) -> Option<PageSummary> {
    if !is_own(request, url) {
        return None;
    }
    let site_urls = request.site_urls;
    let path = url.path().strip_prefix(site_urls.subdirectory())?;
    let catalog = &request.snapshot.catalog;
    let absolute = |stored: &str| site_urls.absolute(stored).into_owned();
    let segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    // Only the default paths of records are recognised. For the paths of other routes, the card
    // describes the site.
    let page = match segments[..] {
        [slug] => post(catalog, slug).map(|post| PageSummary {
            title: post.title.to_string(),
            description: description_of(post).map(absolute),
            author: author_of(catalog, post),
            image: post.feature_image.as_deref().map(absolute),
            ..PageSummary::default()
        }),
        ["tag", slug] => catalog
            .tags
            .by_slug(slug)
            .filter(|tag| !tag.internal)
            .map(|tag| PageSummary {
                title: tag.name.to_string(),
                description: tag.description.as_deref().map(str::to_owned),
                image: tag.feature_image.as_deref().map(absolute),
                ..PageSummary::default()
            }),
        ["author", slug] => catalog.users.by_slug(slug).map(|author| PageSummary {
            title: author.name.to_string(),
            description: author.bio.as_deref().map(str::to_owned),
            image: author.profile_image.as_deref().map(absolute),
            ..PageSummary::default()
        }),
        _ => None,
    };
    let text = |key: &str| {
        let setting = SETTINGS.iter().find(|setting| setting.key == key)?;
        let value = served(setting, &catalog.settings, site_urls);
        value.as_str().map(str::to_owned)
    };
    let publisher = text("title");
    let site = || PageSummary {
        title: publisher.clone().unwrap_or_default(),
        description: text("description"),
        image: text("cover_image"),
        ..PageSummary::default()
    };
    Some(PageSummary {
        publisher: publisher.clone(),
        icon: text("icon"),
        ..page.unwrap_or_else(site)
    })
}

/// Returns the post or page with this slug, if readers can see it.
fn post<'a>(catalog: &'a Catalog, slug: &str) -> Option<&'a Post> {
    let post = catalog.posts.by_slug(slug)?;
    post.is_listed().then_some(post)
}

fn description_of(post: &Post) -> Option<&str> {
    let meta = post.meta.as_deref();
    let description = meta.and_then(|meta| meta.social.meta_description.as_deref());
    description
        .or_else(|| post.shown_excerpt())
        .filter(|text| !text.is_empty())
}

fn author_of(catalog: &Catalog, post: &Post) -> Option<String> {
    let first = post.authors.first()?;
    Some(catalog.users.get(*first)?.name.to_string())
}
