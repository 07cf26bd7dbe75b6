//! JSON-LD for search engines.

use super::{
    description::description,
    images::{PageImages, SizedImage},
    linked_data::{Object, pretty},
    page::{Page, items, text, utc},
    title::{MetadataKind, title},
};
use crate::{front_end::helpers::social::account_url, templates::Value};

/// The social networks of authors, in order.
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

/// Returns the script element of the page; `None` for types of pages without a schema.
pub(super) fn script(page: &Page, images: &PageImages) -> Option<String> {
    let schema = if page.is_entry() {
        article(page, images)?
    } else if page.is("home") {
        home(page, images)
    } else if page.is("tag") && page.root.get("tag").is_true() {
        series(page, images)
    } else if page.is("author") && page.root.get("author").is_true() {
        person(page, images)
    } else {
        return None;
    };
    let json = pretty(&schema)?;
    Some(format!(
        "<script type=\"application/ld+json\">\n{json}\n    </script>\n"
    ))
}

/// Returns the schema of a post or page; `None` if it has no author.
fn article(page: &Page, images: &PageImages) -> Option<Object> {
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
    let others: Vec<Object> = items(&authors).iter().skip(1).map(contributor).collect();
    // A post with internal tags only has an empty list, which is not written.
    let keywords = page.keywords().filter(|keywords| !keywords.is_empty());
    Some(
        Object::document("Article")
            .with("publisher", publisher(page, images))
            .with(
                "author",
                Object::new("Person")
                    .with("name", text(&author.get("name")))
                    .with("image", image(images.author.as_ref()))
                    .with("url", text(&author_url))
                    .with("sameAs", same_as(&author)),
            )
            .with("contributor", (!others.is_empty()).then_some(others))
            .with(
                "headline",
                title(page, page.root, MetadataKind::Search, None),
            )
            .with("url", page.url())
            .with(
                "datePublished",
                utc(&page.first_context_record().get("published_at")),
            )
            .with("dateModified", utc(&page.record().get("updated_at")))
            .with("image", image(images.cover.as_ref()))
            .with("keywords", keywords.map(|keywords| keywords.join(", ")))
            .with("description", excerpt(&page.root.get("post")))
            .with("mainEntityOfPage", page.url()),
    )
}

/// Returns the excerpt of a post, or its description for search engines.
fn excerpt(post: &Value) -> Option<String> {
    ["excerpt", "custom_excerpt", "meta_description"]
        .into_iter()
        .find_map(|name| text(&post.get(name)))
}

fn home(page: &Page, images: &PageImages) -> Object {
    Object::document("WebSite")
        .with("publisher", publisher(page, images))
        .with("url", page.url())
        .with("name", page.setting("title"))
        .with("image", image(images.cover.as_ref()))
        .with("mainEntityOfPage", page.url())
        .with(
            "description",
            description(page, page.root, MetadataKind::Search),
        )
}

fn series(page: &Page, images: &PageImages) -> Object {
    Object::document("Series")
        .with("publisher", publisher(page, images))
        .with("url", page.url())
        .with("image", image(images.cover.as_ref()))
        .with("name", text(&page.root.get("tag").get("name")))
        .with("mainEntityOfPage", page.url())
        .with(
            "description",
            description(page, page.root, MetadataKind::Search),
        )
}

fn person(page: &Page, images: &PageImages) -> Object {
    let author = page.root.get("author");
    let url = text(&author.get("url"));
    Object::document("Person")
        .with("sameAs", same_as(&author))
        .with("name", text(&author.get("name")))
        .with("url", url.clone())
        .with("image", image(images.cover.as_ref()))
        .with("mainEntityOfPage", url)
        .with(
            "description",
            description(page, page.root, MetadataKind::Search),
        )
}

/// Returns an author other than the first.
fn contributor(author: &Value) -> Object {
    let profile = text(&author.get("profile_image")).map(|url| SizedImage { url, size: None });
    Object::new("Person")
        .with("name", text(&author.get("name")))
        .with("image", image(profile.as_ref()))
        .with("url", text(&author.get("url")))
        .with("sameAs", same_as(author))
        .with("description", text(&author.get("meta_description")))
}

fn publisher(page: &Page, images: &PageImages) -> Object {
    Object::new("Organization")
        .with_nullable("name", page.setting("title"))
        .with("url", page.state.site_urls.site())
        .with("logo", image(Some(&images.logo)))
}

fn image(image: Option<&SizedImage>) -> Option<Object> {
    let image = image?;
    let (width, height) = image.size.unzip();
    let object = Object::new("ImageObject").with("url", image.url.as_str());
    Some(object.with("width", width).with("height", height))
}

/// Returns the URLs of the website and the social media profiles of an author.
fn same_as(author: &Value) -> Vec<String> {
    let website = text(&author.get("website"));
    let profile = |network: &&str| account_url(network, &text(&author.get(network))?);
    website
        .into_iter()
        .chain(NETWORKS.iter().filter_map(profile))
        .collect()
}
