//! The content of a feed, independent of its format.

use std::sync::Arc;

use jiff::Timestamp;

use super::{FeedPosts, Publication};
use crate::{
    api::content::{bodies::RenderedFormat, served_body::TextBody},
    catalog::{
        Catalog,
        browse::PostSearch,
        fields::POSTS,
        listing::{self, FilterRules},
        params::Paging,
        post_orders::Listing,
        relation::Relations,
    },
    domain::{
        change::Resource,
        post::{Post, PostKind},
        routes::{PostList, RouteData, RouteResource, Selection},
    },
    error::Result,
};

/// Most posts in a feed (Ghost 6.65).
const POSTS_MAX: usize = 15;

/// Most words in a summary that is taken from the beginning of the text (Ghost 6.65).
pub(super) const SUMMARY_WORDS_MAX: usize = 50;

/// A feed.
pub(super) struct Feed {
    pub title: String,
    pub description: String,
    pub language: String,
    /// The URL of the site's home page for readers.
    pub home: String,
    /// The URL of the feed itself.
    pub url: String,
    /// The URL of the site's icon.
    pub icon: Option<String>,
    /// The date of the latest change of a post; without posts, the date of the site.
    pub updated_at: Timestamp,
    pub items: Vec<FeedItem>,
}

/// A post in a feed.
pub(super) struct FeedItem {
    pub post: Arc<Post>,
    pub url: String,
    pub summary: String,
    /// The part of the body that the reader may read, as HTML.
    pub body: Arc<str>,
    pub image: Option<String>,
    pub tags: Vec<String>,
    pub authors: Vec<FeedAuthor>,
}

/// An author of a post in a feed.
pub(super) struct FeedAuthor {
    pub name: String,
    pub url: String,
    pub avatar: Option<String>,
}

impl Feed {
    /// Returns the feed of these posts at `path`, newest first; `None` if the tag, author or list does not exist for readers.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, and `Busy` if there is no memory for the posts.
    pub fn of(publication: &Publication, posts: &FeedPosts, path: &str) -> Result<Option<Self>> {
        let Some((name, newest)) = newest_of(publication, posts) else {
            return Ok(None);
        };
        let settings = &publication.snapshot.catalog.settings;
        let text = |key| settings.text(key).unwrap_or_default();
        let title = match name {
            Some(name) => format!("{name} - {}", text("title")),
            None => text("title"),
        };
        let items = items(publication, &newest)?;
        Ok(Some(Self {
            // RSS 2.0 requires a description.
            description: match text("description") {
                empty if empty.is_empty() => title.clone(),
                description => description,
            },
            title,
            language: text("locale"),
            home: publication.link("/"),
            url: format!("{}{path}", publication.site_urls.base()),
            icon: publication.icon(),
            updated_at: items
                .iter()
                .map(|item| item.post.updated_at)
                .max()
                .unwrap_or_else(|| publication.snapshot.catalog.beginning()),
            items,
        }))
    }
}

/// Returns the name for the title of the feed, and its posts; `None` if the tag, author or list does not exist for readers.
fn newest_of<'a>(
    publication: &Publication<'a>,
    posts: &FeedPosts,
) -> Option<(Option<&'a str>, Vec<Arc<Post>>)> {
    let catalog = &publication.snapshot.catalog;
    let newest = |listing: Option<&Listing>| {
        // A tag or an author without listed posts has no listing.
        let newest = listing.map(|listing| listing.window(0, POSTS_MAX));
        newest.unwrap_or_default()
    };
    match posts {
        FeedPosts::OfSite => Some((None, newest(Some(catalog.posts.listed(PostKind::Post))))),
        FeedPosts::OfTag(slug) => {
            let tag = catalog.tags.by_slug(slug)?;
            let is_shown = !tag.internal && catalog.is_slug_public(Resource::Tags, slug);
            let listing = catalog.posts.with_tag(PostKind::Post, tag.id);
            is_shown.then(|| (Some(&*tag.name), newest(listing)))
        }
        FeedPosts::OfAuthor(slug) => {
            let author = catalog.users.by_slug(slug)?;
            let is_shown = catalog.is_slug_public(Resource::Authors, slug);
            let listing = catalog.posts.by_author(PostKind::Post, author.id);
            is_shown.then(|| (Some(&*author.name), newest(listing)))
        }
        FeedPosts::OfList(list) => {
            let (posts, data) = publication.site_urls.routes().list(*list)?;
            Some((name_of(catalog, data), posts_of_list(publication, posts)?))
        }
    }
}

/// Returns the name of the tag or author that a route passes to its template as `tag` or `author`.
fn name_of<'a>(catalog: &'a Catalog, data: &[RouteData]) -> Option<&'a str> {
    data.iter()
        .find_map(|data| match (&data.selection, data.resource) {
            (Selection::Read { slug, .. }, RouteResource::Tags) if data.name == "tag" => {
                Some(&*catalog.tags.by_slug(slug)?.name)
            }
            (Selection::Read { slug, .. }, RouteResource::Authors) if data.name == "author" => {
                Some(&*catalog.users.by_slug(slug)?.name)
            }
            _ => None,
        })
}

/// Returns the first posts of a list; `None` if its filter is invalid.
fn posts_of_list(publication: &Publication, list: &PostList) -> Option<Vec<Arc<Post>>> {
    let catalog = &publication.snapshot.catalog;
    let paging = Paging {
        filter: list.filter.clone(),
        order: list.order.clone(),
        page: 1,
        limit: POSTS_MAX,
    };
    let rules = FilterRules {
        schema: &POSTS,
        relations: Relations::OfPosts,
        with_post_count: false,
    };
    let query = listing::query(catalog, publication.now, &paging, &rules).ok()?;
    let search = PostSearch::new(catalog, PostKind::Post, &query);
    Some(search.page().records)
}

fn items(publication: &Publication, posts: &[Arc<Post>]) -> Result<Vec<FeedItem>> {
    let bodies = publication.bodies.of::<TextBody>(
        publication.snapshot,
        &posts.iter().collect::<Vec<_>>(),
        RenderedFormat::Html,
        publication.reader,
        publication.memory,
    )?;
    let items = posts.iter().zip(bodies).map(|(post, body)| {
        // Shared with the cache, so the feed does not copy the bodies.
        let html = body.text().cloned();
        item(publication, post, html.unwrap_or_default())
    });
    Ok(items.collect())
}

fn item(publication: &Publication, post: &Arc<Post>, body: Arc<str>) -> FeedItem {
    let catalog = &publication.snapshot.catalog;
    let absolute = |stored: &str| publication.site_urls.absolute(stored).into_owned();
    let tags = catalog.tags.all(&post.tags).into_iter();
    let authors = catalog.users.all(&post.authors).into_iter();
    FeedItem {
        url: publication.link(&publication.site_urls.post_path(post)),
        summary: absolute(&summary(post)),
        body,
        image: post.feature_image.as_deref().map(absolute),
        tags: tags
            .filter(|tag| !tag.internal)
            .map(|tag| tag.name.to_string())
            .collect(),
        authors: authors
            .map(|author| FeedAuthor {
                name: author.name.to_string(),
                url: publication.link(&publication.site_urls.author_path(author)),
                avatar: author.profile_image.as_deref().map(absolute),
            })
            .collect(),
        post: Arc::clone(post),
    }
}

/// Returns the custom excerpt, or the description for search engines.
pub(super) fn description_of(post: &Post) -> Option<&str> {
    let meta = post.meta.as_ref();
    let description = || meta.and_then(|meta| meta.social.meta_description.as_deref());
    post.custom_excerpt.as_deref().or_else(description)
}

/// Returns the description of a post, or the beginning of its text.
fn summary(post: &Post) -> String {
    if let Some(description) = description_of(post) {
        return description.to_owned();
    }
    let excerpt = post.shown_excerpt().unwrap_or_default();
    let words: Vec<&str> = excerpt.split_whitespace().take(SUMMARY_WORDS_MAX).collect();
    words.join(" ")
}
