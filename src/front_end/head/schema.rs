//! JSON-LD: the page as search engines read it.

use serde::Serialize;
use serde_json::{Map, Value as Json, json, ser::PrettyFormatter};

use super::{
    description::description,
    images::{PageImages, SizedImage},
    page::{Page, items, text, utc},
    title::{Audience, title},
};
use crate::{front_end::helpers::social::account_url, templates::Value};

/// The networks of authors, in their order.
const NETWORKS: [&str; 9] = [
    "facebook",
    "twitter",
    "threads",
    "bluesky",
    "mastodon",
    "tiktok",
    "youtube",
    "instagram",
    "linkedin",
];

/// Returns the script element of the page; `None` for kinds of pages that have none.
pub(super) fn script(page: &Page, images: &PageImages) -> Option<String> {
    let schema = if page.is_entry() {
        article(page, images)?
    } else if page.is("home") {
        home(page, images)
    } else if page.is("tag") {
        series(page, images)
    } else if page.is("author") {
        person(page, images)
    } else {
        return None;
    };
    let json = pretty(&Json::Object(without_nulls(schema)))?;
    Some(format!(
        "<script type=\"application/ld+json\">\n{json}\n    </script>\n"
    ))
}

/// Returns the JSON, indented, with the characters escaped that could end the script.
fn pretty(schema: &Json) -> Option<String> {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(b"    ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    schema.serialize(&mut serializer).ok()?;
    let json = String::from_utf8(bytes).ok()?;
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            c => escaped.push(c),
        }
    }
    Some(escaped)
}

/// Returns the schema of a post or a page; `None` if it has no author.
fn article(page: &Page, images: &PageImages) -> Option<Json> {
    let name = if page.root.get("page").is_true() {
        "page"
    } else {
        "post"
    };
    let entry = page.root.get(name);
    let author = entry.get("primary_author");
    if !author.is_true() {
        return None;
    }
    let author_url = page.first_context_record().get("primary_author").get("url");
    let authors = entry.get("authors");
    let others: Vec<Json> = items(&authors).iter().skip(1).map(contributor).collect();
    let keywords = page.keywords().filter(|keywords| !keywords.is_empty());
    Some(json!({
        "@context": "https://schema.org",
        "@type": "Article",
        "publisher": publisher(page, images),
        "author": without_nulls(json!({
            "@type": "Person",
            "name": text(&author.get("name")),
            "image": image(images.author.as_ref()),
            "url": text(&author_url),
            "sameAs": same_as(&author),
        })),
        "contributor": (!others.is_empty()).then_some(others),
        "headline": title(page, page.root, Audience::Search, None),
        "url": page.url(),
        "datePublished": utc(&page.first_context_record().get("published_at")),
        "dateModified": utc(&page.record().get("updated_at")),
        "image": image(images.cover.as_ref()),
        "keywords": keywords.map(|keywords| keywords.join(", ")),
        "description": excerpt(&page.root.get("post")),
        "mainEntityOfPage": page.url(),
    }))
}

/// Returns the excerpt of a post, or its description for search engines.
fn excerpt(post: &Value) -> Option<String> {
    ["excerpt", "custom_excerpt", "meta_description"]
        .into_iter()
        .find_map(|name| text(&post.get(name)))
}

fn home(page: &Page, images: &PageImages) -> Json {
    json!({
        "@context": "https://schema.org",
        "@type": "WebSite",
        "publisher": publisher(page, images),
        "url": page.url(),
        "name": page.setting("title"),
        "image": image(images.cover.as_ref()),
        "mainEntityOfPage": page.url(),
        "description": description(page, page.root, Audience::Search),
    })
}

fn series(page: &Page, images: &PageImages) -> Json {
    json!({
        "@context": "https://schema.org",
        "@type": "Series",
        "publisher": publisher(page, images),
        "url": page.url(),
        "image": image(images.cover.as_ref()),
        "name": text(&page.root.get("tag").get("name")),
        "mainEntityOfPage": page.url(),
        "description": description(page, page.root, Audience::Search),
    })
}

fn person(page: &Page, images: &PageImages) -> Json {
    let author = page.root.get("author");
    let url = text(&author.get("url"));
    json!({
        "@context": "https://schema.org",
        "@type": "Person",
        "sameAs": same_as(&author),
        "name": text(&author.get("name")),
        "url": url,
        "image": image(images.cover.as_ref()),
        "mainEntityOfPage": url,
        "description": description(page, page.root, Audience::Search),
    })
}

/// Returns an author after the first.
fn contributor(author: &Value) -> Json {
    let profile = text(&author.get("profile_image")).map(|url| SizedImage { url, size: None });
    Json::Object(without_nulls(json!({
        "@type": "Person",
        "name": text(&author.get("name")),
        "image": image(profile.as_ref()),
        "url": text(&author.get("url")),
        "sameAs": same_as(author),
        "description": text(&author.get("meta_description")),
    })))
}

fn publisher(page: &Page, images: &PageImages) -> Json {
    json!({
        "@type": "Organization",
        "name": page.setting("title"),
        "url": page.state.site_urls.site(),
        "logo": image(Some(&images.logo)),
    })
}

fn image(image: Option<&SizedImage>) -> Option<Json> {
    let image = image?;
    let (width, height) = image.size.unzip();
    let object =
        json!({ "@type": "ImageObject", "url": image.url, "width": width, "height": height });
    Some(Json::Object(without_nulls(object)))
}

/// Returns the website of an author and the profiles on networks.
fn same_as(author: &Value) -> Vec<String> {
    let website = text(&author.get("website"));
    let profile = |network: &&str| account_url(network, &text(&author.get(network))?);
    website
        .into_iter()
        .chain(NETWORKS.iter().filter_map(profile))
        .collect()
}

fn without_nulls(object: Json) -> Map<String, Json> {
    match object {
        Json::Object(properties) => properties
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .collect(),
        _ => Map::new(),
    }
}
