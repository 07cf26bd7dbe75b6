//! Feeds in JSON Feed 1.1.

use serde::Serialize;

use super::feed::{Feed, FeedAuthor, FeedItem};
use crate::{
    clock::written,
    error::{Error, Result},
    render::{feed_html::for_feeds, html_escape::push_attribute},
};

#[derive(Serialize)]
struct JsonFeed<'a> {
    version: &'static str,
    title: &'a str,
    home_page_url: &'a str,
    feed_url: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    language: &'a str,
    items: Vec<JsonItem<'a>>,
}

#[derive(Serialize)]
struct JsonItem<'a> {
    id: String,
    url: &'a str,
    title: &'a str,
    content_html: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    summary: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_published: Option<String>,
    date_modified: String,
    authors: Vec<JsonAuthor<'a>>,
    tags: &'a [String],
}

#[derive(Serialize)]
struct JsonAuthor<'a> {
    name: &'a str,
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    avatar: Option<&'a str>,
}

impl Feed {
    /// Returns the feed as JSON.
    ///
    /// # Errors
    ///
    /// If the feed cannot be serialised.
    pub fn json(&self) -> Result<Vec<u8>> {
        let feed = JsonFeed {
            version: "https://jsonfeed.org/version/1.1",
            title: &self.title,
            home_page_url: &self.home,
            feed_url: &self.url,
            description: &self.description,
            icon: self.icon.as_deref(),
            language: &self.language,
            items: self.items.iter().map(FeedItem::json).collect(),
        };
        serde_json::to_vec(&feed).map_err(Error::internal)
    }
}

impl FeedItem {
    fn json(&self) -> JsonItem<'_> {
        JsonItem {
            id: self.post.id.to_string(),
            url: &self.url,
            title: &self.post.title,
            content_html: self.json_html(),
            summary: &self.summary,
            image: self.image.as_deref(),
            date_published: self.post.published_at.map(written),
            date_modified: written(self.post.updated_at),
            authors: self.authors.iter().map(FeedAuthor::json).collect(),
            tags: &self.tags,
        }
    }
}

impl FeedItem {
    /// Returns the image of the post, followed by the body.
    fn json_html(&self) -> String {
        let mut html = String::with_capacity(self.body.len());
        if let Some(image) = &self.image {
            html.push_str("<p><img");
            push_attribute(&mut html, "src", image);
            push_attribute(&mut html, "alt", &self.post.title);
            html.push_str("></p>");
        }
        html.push_str(&for_feeds(&self.body));
        html
    }
}

impl FeedAuthor {
    fn json(&self) -> JsonAuthor<'_> {
        JsonAuthor {
            name: &self.name,
            url: &self.url,
            avatar: self.avatar.as_deref(),
        }
    }
}
