//! Metadata for social networks: Open Graph and X cards.

use super::{
    description::description,
    images::PageImages,
    page::{Page, text, utc},
    tags::HeadTags,
    title::{MetadataKind, title},
};
use crate::{front_end::helpers::social::account_url, templates::Value};

/// Adds the `meta` elements for social networks.
pub(super) fn add(page: &Page, images: &PageImages, head: &mut HeadTags) {
    let keywords = page.keywords();
    add_open_graph(page, images, head);
    for (property, date) in [
        (
            "article:published_time",
            page.first_context_record().get("published_at"),
        ),
        ("article:modified_time", page.record().get("updated_at")),
    ] {
        add_if(head, property, utc(&date));
    }
    if let Some(keywords) = &keywords {
        for keyword in keywords.iter().filter(|keyword| !keyword.is_empty()) {
            head.add_meta("article:tag", keyword);
        }
        head.add("");
    }
    let facebook = |name: Option<String>| account_url("facebook", &name?);
    add_if(
        head,
        "article:publisher",
        facebook(page.setting("facebook")),
    );
    add_if(head, "article:author", facebook(profile(page, "facebook")));
    add_twitter(page, images, keywords.as_deref(), head);
    let sized =
        |image: &Option<super::images::SizedImage>| image.as_ref().and_then(|image| image.size);
    if let Some((width, height)) = sized(&images.open_graph).or_else(|| sized(&images.cover)) {
        head.add_meta("og:image:width", &width.to_string());
        head.add_meta("og:image:height", &height.to_string());
    }
}

fn add_open_graph(page: &Page, images: &PageImages, head: &mut HeadTags) {
    // Previews have `preview` as their first context, so they are websites, as in Ghost.
    let kind = match page.first_context() {
        Some("author") => "profile",
        Some("post") => "article",
        _ => "website",
    };
    if let Some(title) = page.setting("title").filter(|title| !title.is_empty()) {
        head.add_meta("og:site_name", &title);
    }
    head.add_meta("og:type", kind);
    head.add_meta(
        "og:title",
        &title(page, page.root, MetadataKind::OpenGraph, None),
    );
    add_if(
        head,
        "og:description",
        description(page, page.root, MetadataKind::OpenGraph),
    );
    head.add_meta("og:url", &page.canonical_url());
    let image = images.open_graph.as_ref().or(images.cover.as_ref());
    add_if(head, "og:image", image.map(|image| image.url.clone()));
}

fn add_twitter(page: &Page, images: &PageImages, keywords: Option<&[String]>, head: &mut HeadTags) {
    let image = images.twitter.as_ref().or(images.cover.as_ref());
    let card = if image.is_some() {
        "summary_large_image"
    } else {
        "summary"
    };
    head.add_meta("twitter:card", card);
    head.add_meta(
        "twitter:title",
        &title(page, page.root, MetadataKind::Twitter, None),
    );
    add_if(
        head,
        "twitter:description",
        description(page, page.root, MetadataKind::Twitter),
    );
    head.add_meta("twitter:url", &page.canonical_url());
    add_if(head, "twitter:image", image.map(|image| image.url.clone()));
    if let Some(name) = text(&page.root.get("post").get("primary_author").get("name")) {
        head.add_meta("twitter:label1", "Written by");
        head.add_meta("twitter:data1", &name);
    }
    if let Some(keywords) = keywords {
        head.add_meta("twitter:label2", "Filed under");
        head.add_meta("twitter:data2", &keywords.join(", "));
    }
    add_if(head, "twitter:site", page.setting("twitter"));
    add_if(head, "twitter:creator", profile(page, "twitter"));
}

/// Returns the name on a social network of the author of the post or page, or of the author that
/// the page shows.
fn profile(page: &Page, network: &str) -> Option<String> {
    let of_author = || Some(page.record()).filter(|_| page.is("author"));
    let own = text(&page.primary_author().get(network));
    own.or_else(|| text(&of_author().unwrap_or(Value::Undefined).get(network)))
}

fn add_if(head: &mut HeadTags, property: &str, content: Option<String>) {
    if let Some(content) = content {
        head.add_meta(property, &content);
    }
}
