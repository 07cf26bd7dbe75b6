//! What an editor puts into a post for an address: a player, or a card that tells what is there (Ghost's clients ask for
//! it while somebody writes).
//!
//! Nobody outside is asked. What can be embedded follows from the address ([`embeds`]); of the site's own posts, tags and
//! authors everything is known; of other addresses, where they lead.

use serde_json::{Value, json};
use url::Url;

use super::{Reply, Request};
use crate::{
    api::content::{settings::served, view::excerpt},
    catalog::Catalog,
    domain::{post::Post, setting::SETTINGS},
    error::{Error, Kind, Result},
    render::embeds::{self, Embed},
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
            "\"url\" says for which address, and is missing.",
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
    let embed = || embeds::of_address(&address);
    let answer = match wanted {
        "bookmark" | "mention" => card(request, wanted, &address),
        "embed" => player(&address, &embed().ok_or_else(|| nothing_there(asked))?),
        _ => match embed() {
            Some(embed) => player(&address, &embed),
            None => card(request, "bookmark", &address),
        },
    };
    Ok(Reply::value(&answer))
}

fn nothing_there(asked: &str) -> Error {
    Error::new(
        Kind::Validation,
        "Nothing that can be embedded is known at this address.",
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

fn card(request: &Request, kind: &str, address: &Url) -> Value {
    let known = own(request, address).unwrap_or_else(|| Known {
        title: address.host_str().unwrap_or_default().to_owned(),
        ..Known::default()
    });
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
struct Known {
    title: String,
    description: Option<String>,
    author: Option<String>,
    publisher: Option<String>,
    image: Option<String>,
    icon: Option<String>,
}

/// What is known of an address of the site itself, as readers see it; `None` for one of another site.
fn own(request: &Request, address: &Url) -> Option<Known> {
    let addresses = request.addresses;
    let is_own = address.host() == addresses.url().host()
        && address.port_or_known_default() == addresses.url().port_or_known_default();
    let path = address.path().strip_prefix(addresses.subdirectory())?;
    if !is_own || !(path.is_empty() || path.starts_with('/')) {
        return None;
    }
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
