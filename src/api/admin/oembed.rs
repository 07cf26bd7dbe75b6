//! What an editor puts into a post for an address: a player, or a card that tells what is there (Ghost's clients ask for
//! it while somebody writes).
//!
//! What can be embedded follows from the address ([`embeds`]); of the site's own posts, tags and authors everything is known;
//! of other addresses, where they lead. Nobody outside is asked, unless the operator allows that (`oembed.outside`): then
//! the page at the address tells what it is, and whether it can be embedded.

use serde_json::{Value, json};
use url::Url;

use super::{Reply, Request};
use crate::{
    api::content::{settings::served, view::excerpt},
    catalog::Catalog,
    domain::{post::Post, setting::SETTINGS},
    error::{Error, Kind, Result},
    render::{
        embeds::{self, Embed},
        page_facts::PageFacts,
    },
};

/// Longest address, in characters.
const ADDRESS_CHARACTERS_MAX: usize = 2000;

/// `GET admin/oembed/`: `url` is asked for; `type` is `embed`, `bookmark` or `mention`, or a player if there is one and a
/// card otherwise.
pub fn read(request: &Request) -> Result<Reply> {
    let asked = request
        .parameters
        .all("url")
        .next()
        .unwrap_or_default()
        .trim();
    if asked.is_empty() {
        return Err(Error::new(
            Kind::BadRequest,
            "The parameter \"url\" is required.",
        ));
    }
    let is_short = asked.chars().count() <= ADDRESS_CHARACTERS_MAX;
    let address = Url::parse(asked).ok().filter(|address| {
        is_short && matches!(address.scheme(), "http" | "https") && address.has_host()
    });
    let Some(address) = address else {
        return Err(nothing_there(asked));
    };
    let wanted = request.parameters.all("type").next().unwrap_or_default();
    let known = || embeds::of_address(&address).map(|embed| player(&address, &embed));
    let answer = match wanted {
        "bookmark" | "mention" => card(request, wanted, &address, look(request, &address).as_ref()),
        "embed" => known()
            .or_else(|| offered(request, &look(request, &address)?))
            .ok_or_else(|| nothing_there(asked))?,
        _ => known().unwrap_or_else(|| {
            let seen = look(request, &address);
            let offered = seen.as_ref().and_then(|seen| offered(request, seen));
            offered.unwrap_or_else(|| card(request, "bookmark", &address, seen.as_ref()))
        }),
    };
    Ok(Reply::value(&answer))
}

fn nothing_there(asked: &str) -> Error {
    Error::new(
        Kind::Validation,
        "The URL has nothing that can be embedded.",
    )
    .context(asked.to_owned())
}

fn player(address: &Url, embed: &Embed) -> Value {
    let mut answer = json!({
        "version": "1.0",
        "type": embed.kind,
        "url": address.as_str(),
        "provider_name": embed.provider_name,
        "provider_url": embed.provider_url,
        "html": embed.html,
        "width": embed.width,
        "height": embed.height,
    });
    if let Some(thumbnail) = &embed.thumbnail_url {
        answer["thumbnail_url"] = json!(thumbnail);
    }
    answer
}

/// A page of another site.
struct Seen {
    /// Where it was found in the end.
    address: Url,
    facts: PageFacts,
}

/// Looks at the page at an address of another site, where that is allowed; `None` when nothing is seen there.
fn look(request: &Request, address: &Url) -> Option<Seen> {
    let client = request.options().outside.as_ref()?;
    if is_own(request, address) {
        return None;
    }
    let page = client.get(address.as_str());
    let page = page
        .inspect_err(|error| tracing::debug!("nothing is seen at {address}: {error}"))
        .ok()?;
    matches!(&*page.kind, "text/html" | "application/xhtml+xml").then(|| Seen {
        address: Url::parse(&page.address).unwrap_or_else(|_| address.clone()),
        facts: PageFacts::of(&String::from_utf8_lossy(&page.body)),
    })
}

/// What the page says that is to stand for it elsewhere, when that is a film or other HTML (oEmbed 1.0, sections 2.3 and 4).
fn offered(request: &Request, seen: &Seen) -> Option<Value> {
    let client = request.options().outside.as_ref()?;
    let address = seen.address.join(seen.facts.oembed.as_deref()?).ok()?;
    let page = client.get(address.as_str()).ok()?;
    let offer: Value = serde_json::from_slice(&page.body).ok()?;
    let text = |name: &str| offer[name].as_str().filter(|text| !text.is_empty());
    let pixels = |name: &str| offer[name].as_u64().filter(|pixels| *pixels > 0);
    let kind = text("type").filter(|kind| matches!(*kind, "video" | "rich"))?;
    let mut answer = json!({
        "version": "1.0",
        "type": kind,
        "url": seen.address.as_str(),
        "provider_name": text("provider_name").or(seen.address.host_str()),
        "provider_url": text("provider_url").map_or_else(|| seen.address.origin().ascii_serialization(), str::to_owned),
        "html": text("html")?,
        "width": pixels("width"),
        "height": pixels("height"),
    });
    if let Some(thumbnail) = text("thumbnail_url") {
        answer["thumbnail_url"] = json!(thumbnail);
    }
    Some(answer)
}

fn card(request: &Request, kind: &str, address: &Url, seen: Option<&Seen>) -> Value {
    let known = own(request, address).unwrap_or_else(|| elsewhere(address, seen));
    json!({
        "version": "1.0",
        "type": kind,
        "url": address.as_str(),
        "metadata": {
            "url": address.as_str(),
            "title": known.title,
            "description": known.description,
            "author": known.author,
            "publisher": known.publisher,
            "thumbnail": known.image,
            "icon": known.icon,
        },
    })
}

/// What is known of the page at an address.
#[derive(Default)]
pub(super) struct Known {
    pub(super) title: String,
    pub(super) description: Option<String>,
    author: Option<String>,
    publisher: Option<String>,
    pub(super) image: Option<String>,
    pub(super) icon: Option<String>,
}

/// What a page of another site tells of itself, where such pages may be looked at; `None` when nothing is seen there.
pub(super) fn seen_elsewhere(request: &Request, address: &Url) -> Option<Known> {
    let seen = look(request, address)?;
    Some(elsewhere(address, Some(&seen)))
}

/// What is known of an address of another site.
fn elsewhere(address: &Url, seen: Option<&Seen>) -> Known {
    let host = address.host_str().unwrap_or_default().to_owned();
    let Some(Seen { address, facts }) = seen else {
        return Known {
            title: host,
            ..Known::default()
        };
    };
    let absolute = |stored: &Option<String>| {
        let joined = address.join(stored.as_deref()?).ok();
        joined
            .filter(|joined| matches!(joined.scheme(), "http" | "https"))
            .map(String::from)
    };
    Known {
        title: facts.title.clone().unwrap_or(host),
        description: facts.description.clone(),
        author: facts.author.clone(),
        publisher: facts.publisher.clone(),
        image: absolute(&facts.image),
        icon: absolute(&facts.icon),
    }
}

/// Whether an address is one of the site itself.
fn is_own(request: &Request, address: &Url) -> bool {
    let site = request.addresses.url();
    let path = address
        .path()
        .strip_prefix(request.addresses.subdirectory());
    address.host() == site.host()
        && address.port_or_known_default() == site.port_or_known_default()
        && path.is_some_and(|path| path.is_empty() || path.starts_with('/'))
}

/// What is known of an address of the site itself, as readers see it; `None` for one of another site.
fn own(request: &Request, address: &Url) -> Option<Known> {
    if !is_own(request, address) {
        return None;
    }
    let addresses = request.addresses;
    let path = address.path().strip_prefix(addresses.subdirectory())?;
    let catalog = &request.edition.catalog;
    let absolute = |stored: &str| addresses.absolute(stored).into_owned();
    let segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let page = match segments[..] {
        [slug] => post(catalog, slug).map(|post| Known {
            title: post.title.to_string(),
            description: description_of(post).map(absolute),
            author: author_of(catalog, post),
            image: post.feature_image.as_deref().map(absolute),
            ..Known::default()
        }),
        ["tag", slug] => catalog
            .tags
            .by_slug(slug)
            .filter(|tag| !tag.internal)
            .map(|tag| Known {
                title: tag.name.to_string(),
                description: tag.description.as_deref().map(str::to_owned),
                image: tag.feature_image.as_deref().map(absolute),
                ..Known::default()
            }),
        ["author", slug] => catalog.users.by_slug(slug).map(|author| Known {
            title: author.name.to_string(),
            description: author.bio.as_deref().map(str::to_owned),
            image: author.profile_image.as_deref().map(absolute),
            ..Known::default()
        }),
        _ => None,
    };
    let text = |key: &str| {
        let setting = SETTINGS.iter().find(|setting| setting.key == key)?;
        let value = served(setting, &catalog.settings, addresses);
        value.as_str().map(str::to_owned)
    };
    let publisher = text("title");
    let site = || Known {
        title: publisher.clone().unwrap_or_default(),
        description: text("description"),
        image: text("cover_image"),
        ..Known::default()
    };
    Some(Known {
        publisher: publisher.clone(),
        icon: text("icon"),
        ..page.unwrap_or_else(site)
    })
}

/// The post or page with this slug, if readers can see it.
fn post<'a>(catalog: &'a Catalog, slug: &str) -> Option<&'a Post> {
    let post = catalog.posts.by_slug(slug)?;
    post.is_listed().then_some(post)
}

fn description_of(post: &Post) -> Option<&str> {
    let own = post.meta.as_deref();
    let own = own.and_then(|meta| meta.meta_description.as_deref());
    own.or_else(|| excerpt(post))
        .filter(|text| !text.is_empty())
}

fn author_of(catalog: &Catalog, post: &Post) -> Option<String> {
    let first = post.authors.first()?;
    Some(catalog.users.get(*first)?.name.to_string())
}
