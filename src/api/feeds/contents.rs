//! The documents of a site, and their content.

use super::{
    documents::{FeedDocument, FeedPosts, SitemapKind},
    feed::Feed,
    publication::Publication,
    sitemap,
};
use crate::{
    domain::{change::Resource, post::PostKind},
    error::Result,
    id::Id,
    routing::Resolution,
};

/// The paths that search engines may not visit, in addition to the API (Ghost 6.65).
const DISALLOWED: &[&str] = &[
    "email",
    "members/api/comments/counts",
    "r",
    "webmentions/receive",
    ".ghost/analytics/api",
];

impl Publication<'_> {
    /// Returns all documents of the site, except the Markdown of pages.
    pub fn documents(&self) -> Vec<FeedDocument<'_>> {
        let mut documents = vec![
            FeedDocument::Robots,
            FeedDocument::SitemapIndex,
            FeedDocument::SitemapStyles,
        ];
        for kind in SitemapKind::ALL {
            let parts = 1..=sitemap::parts(&self.sitemap_entries(kind));
            documents.extend(parts.map(|part| FeedDocument::Sitemap(kind, part)));
        }
        let catalog = &self.snapshot.catalog;
        let of_tags = catalog.all_public(Resource::Tags, Id::MIN);
        let routes = self.site_urls.routes().routes();
        let of_tags = of_tags.filter(|tag| tag.has_page && routes.tag.is_some());
        let of_tags = of_tags.filter_map(|tag| Some(FeedPosts::OfTag(tag.slug?.into())));
        let of_authors = catalog.all_public(Resource::Authors, Id::MIN);
        let of_authors = of_authors.filter(|_| routes.author.is_some());
        let of_authors =
            of_authors.filter_map(|author| Some(FeedPosts::OfAuthor(author.slug?.into())));
        let bound = self.site_urls.routes();
        let of_lists = bound.lists_with_feeds().map(FeedPosts::OfList);
        let of_site = bound.has_feed_of_site().then_some(FeedPosts::OfSite);
        // The feed of a claimed page is only a redirect, so it is left out.
        for posts in of_site
            .into_iter()
            .chain(of_lists)
            .chain(of_tags)
            .chain(of_authors)
            .filter(|posts| posts.claimed(bound).is_none())
        {
            documents.push(FeedDocument::Rss(posts.clone()));
            documents.push(FeedDocument::Json(posts));
        }
        documents
    }

    /// Returns the additional documents of a site whose pages are rendered by a theme: the Markdown of posts and pages, and
    /// the lists of that Markdown.
    pub fn markdown_documents(&self) -> Vec<FeedDocument<'_>> {
        let catalog = &self.snapshot.catalog;
        let settings = &catalog.settings;
        if settings.is_on("is_private") || !settings.is_on("llms_enabled") {
            return Vec::new();
        }
        let routes = self.site_urls.routes();
        let kinds = [PostKind::Page, PostKind::Post].into_iter();
        let posts = kinds.flat_map(|kind| catalog.posts.listed(kind).iter());
        let of_posts = posts.filter_map(|post| {
            let path = routes.post_path(post)?;
            let resolution = routes.resolve(catalog, &path, None);
            // Another route may take precedence at the path of the post.
            let is_its_page = matches!(resolution, Resolution::Entry(id) if id == post.id);
            is_its_page.then(|| FeedDocument::Markdown(post.id, path))
        });
        let lists = [FeedDocument::Llms, FeedDocument::LlmsFull].into_iter();
        lists.chain(of_posts).collect()
    }

    /// Returns whether the content of a document changes with time: whether it is the feed of a list whose filter names `now`.
    pub(super) fn is_momentary(&self, document: &FeedDocument) -> bool {
        let (FeedDocument::Rss(posts) | FeedDocument::Json(posts)) = document else {
            return false;
        };
        let FeedPosts::OfList(list) = posts else {
            return false;
        };
        let list = self.site_urls.routes().list(*list);
        let filter = list.and_then(|(posts, _)| posts.filter.as_deref());
        filter.is_some_and(|filter| filter.contains("now"))
    }

    /// Returns the content of a document; `None` if the site does not have it.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, and `Busy` if there is no memory for the posts of a feed.
    pub fn document(&self, document: &FeedDocument) -> Result<Option<Vec<u8>>> {
        match document {
            FeedDocument::Rss(posts) => {
                let feed = Feed::of(self, posts, &document.path(self.site_urls.routes()))?;
                feed.map(|feed| feed.rss()).transpose()
            }
            FeedDocument::Json(posts) => {
                let feed = Feed::of(self, posts, &document.path(self.site_urls.routes()))?;
                feed.map(|feed| feed.json()).transpose()
            }
            FeedDocument::SitemapIndex => self.sitemap_index().map(Some),
            FeedDocument::Sitemap(kind, part) => self.sitemap(*kind, *part),
            FeedDocument::SitemapStyles => Ok(Some(sitemap::STYLES.to_vec())),
            FeedDocument::Llms => Ok(Some(self.llms()?.into_bytes())),
            FeedDocument::LlmsFull => Ok(Some(self.llms_full()?.into_bytes())),
            FeedDocument::Markdown(id, _) => {
                let post = self.snapshot.catalog.posts.get(*id);
                let text = post.map(|post| self.markdown(post)).transpose()?;
                Ok(text.map(String::into_bytes))
            }
            FeedDocument::Robots => Ok(Some(self.robots().into_bytes())),
        }
    }

    /// Returns `robots.txt`. On a private site it ends without a line break, as in Ghost.
    fn robots(&self) -> String {
        if self.snapshot.catalog.settings.is_on("is_private") {
            return "User-agent: *\nDisallow: /".to_owned();
        }
        let (base, top) = (self.site_urls.base(), self.site_urls.subdirectory());
        let mut text = format!("User-agent: *\nSitemap: {base}/sitemap.xml\n");
        for path in [self.path_prefix].iter().chain(DISALLOWED) {
            text.push_str(&format!("Disallow: {top}/{path}/\n"));
        }
        text
    }
}
