//! Sitemaps (sitemaps.org, protocol 0.9), with the images of the pages.

use std::{cmp::Reverse, io};

use jiff::Timestamp;
use quick_xml::Writer;

use super::{
    documents::{FeedDocument, SitemapKind},
    publication::Publication,
    xml::{document, text},
};
use crate::{
    catalog::post_orders::Listing,
    clock::written,
    domain::{
        change::Resource,
        post::{Post, PostKind},
        tag::Tag,
        user::User,
    },
    error::{Error, Result},
    id::Id,
};

const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";
const IMAGES: &str = "http://www.google.com/schemas/sitemap-image/1.1";

/// Most URLs in a part, by the protocol.
const URLS_MAX: usize = 50_000;

/// A page in a sitemap.
pub(super) struct SitemapEntry {
    url: String,
    updated_at: Timestamp,
    image: Option<String>,
}

/// Returns the number of parts that these entries take.
pub(super) fn parts(entries: &[SitemapEntry]) -> usize {
    entries.len().div_ceil(URLS_MAX)
}

impl Publication<'_> {
    /// Returns the pages of one kind, the latest changed first. Those whose canonical URL is elsewhere are left out.
    pub(super) fn sitemap_entries(&self, kind: SitemapKind) -> Vec<SitemapEntry> {
        let catalog = &self.snapshot.catalog;
        let mut entries: Vec<SitemapEntry> = match kind {
            SitemapKind::Posts => self.entries_of_posts(PostKind::Post),
            SitemapKind::Pages => {
                let mut entries = self.entries_of_posts(PostKind::Page);
                // The home page is not in a table of records.
                entries.push(self.home());
                entries
            }
            SitemapKind::Tags => {
                let tags = catalog.all_public(Resource::Tags, Id::MIN);
                tags.filter(|tag| tag.has_page)
                    .filter_map(|tag| self.entry_of_tag(catalog.tags.get(tag.subject.id)?))
                    .collect()
            }
            SitemapKind::Authors => {
                let authors = catalog.all_public(Resource::Authors, Id::MIN);
                authors
                    .filter_map(|author| catalog.users.get(author.subject.id))
                    .filter_map(|author| self.entry_of_author(author))
                    .collect()
            }
        };
        entries.sort_by(|one, other| {
            let sort_key = |entry: &SitemapEntry| Reverse(entry.updated_at);
            sort_key(one)
                .cmp(&sort_key(other))
                // Records of one import have one date; parts must not depend on the order in
                // memory.
                .then_with(|| one.url.cmp(&other.url))
        });
        entries
    }

    fn entries_of_posts(&self, kind: PostKind) -> Vec<SitemapEntry> {
        let posts = self.snapshot.catalog.posts.listed(kind);
        posts
            .iter()
            .filter_map(|post| self.entry_of_post(post))
            .collect()
    }

    fn entry_of_post(&self, post: &Post) -> Option<SitemapEntry> {
        let url = self.link(&self.site_urls.routes().post_path(post)?);
        self.is_canonical(
            post.canonical_url.as_deref(),
            &url,
            &self.site_urls.post(post),
        )
        .then(|| self.entry(url, post.updated_at, post.feature_image.as_deref()))
    }

    fn entry_of_tag(&self, tag: &Tag) -> Option<SitemapEntry> {
        let url = self.link(&self.site_urls.routes().tag_path(tag)?);
        let posts = &self.snapshot.catalog.posts;
        let newest = self.newest(posts.with_tag(PostKind::Post, tag.id));
        let changed = tag.updated_at.max(newest);
        self.is_canonical(tag.canonical_url.as_deref(), &url, &self.site_urls.tag(tag))
            .then(|| self.entry(url, changed, tag.feature_image.as_deref()))
    }

    fn entry_of_author(&self, author: &User) -> Option<SitemapEntry> {
        let url = self.link(&self.site_urls.routes().author_path(author)?);
        let image = author.cover_image.as_deref();
        let image = image.or(author.profile_image.as_deref());
        let posts = &self.snapshot.catalog.posts;
        let newest = self.newest(posts.by_author(PostKind::Post, author.id));
        Some(self.entry(url, author.updated_at.max(newest), image))
    }

    /// Returns the home page.
    fn home(&self) -> SitemapEntry {
        let posts = self.snapshot.catalog.posts.listed(PostKind::Post);
        self.entry(self.link("/"), self.newest(Some(posts)), None)
    }

    /// Returns when the latest of these posts was published, which changes the page that lists them; without posts, the date of
    /// the site.
    fn newest(&self, posts: Option<&Listing>) -> Timestamp {
        let newest = posts.and_then(|posts| posts.iter().next());
        newest
            .and_then(|post| post.published_at)
            .unwrap_or_else(|| self.snapshot.catalog.beginning())
    }

    fn entry(&self, url: String, updated_at: Timestamp, image: Option<&str>) -> SitemapEntry {
        SitemapEntry {
            url,
            updated_at,
            image: image.map(|image| self.site_urls.absolute(image).into_owned()),
        }
    }

    /// Returns whether a page is at its canonical URL: at `url`, or at `own`, where the site itself has it.
    fn is_canonical(&self, canonical: Option<&str>, url: &str, own: &str) -> bool {
        let Some(canonical) = canonical else {
            return true;
        };
        let canonical = self.site_urls.absolute(canonical);
        let canonical = canonical.trim_end_matches('/');
        [url, own]
            .iter()
            .any(|url| url.trim_end_matches('/') == canonical)
    }

    /// Returns the list of all sitemaps that have pages.
    ///
    /// # Errors
    ///
    /// None that can happen: the document is in memory.
    pub(super) fn sitemap_index(&self) -> Result<Vec<u8>> {
        let mut xml = document();
        xml.create_element("sitemapindex")
            .with_attribute(("xmlns", NAMESPACE))
            .write_inner_content(|xml| {
                for kind in SitemapKind::ALL {
                    let entries = self.sitemap_entries(kind);
                    for (index, part) in entries.chunks(URLS_MAX).enumerate() {
                        let path = FeedDocument::Sitemap(kind, index + 1);
                        let path = path.path(self.site_urls.routes());
                        let url = format!("{}{path}", self.site_urls.base());
                        xml.create_element("sitemap").write_inner_content(|xml| {
                            text(xml, "loc", &url)?;
                            // The entries are sorted.
                            text(xml, "lastmod", &written(part[0].updated_at))
                        })?;
                    }
                }
                Ok(())
            })
            .map_err(Error::internal)?;
        Ok(xml.into_inner())
    }

    /// Returns a part of the sitemap of one kind, numbered from 1; `None` if it has no pages.
    ///
    /// # Errors
    ///
    /// None that can happen: the document is in memory.
    pub(super) fn sitemap(&self, kind: SitemapKind, part: usize) -> Result<Option<Vec<u8>>> {
        let entries = self.sitemap_entries(kind);
        let Some(entries) = entries.chunks(URLS_MAX).nth(part - 1) else {
            return Ok(None);
        };
        let mut xml = document();
        xml.create_element("urlset")
            .with_attributes([("xmlns", NAMESPACE), ("xmlns:image", IMAGES)])
            .write_inner_content(|xml| entries.iter().try_for_each(|entry| entry.push(xml)))
            .map_err(Error::internal)?;
        Ok(Some(xml.into_inner()))
    }
}

impl SitemapEntry {
    fn push(&self, xml: &mut Writer<Vec<u8>>) -> io::Result<()> {
        xml.create_element("url").write_inner_content(|xml| {
            text(xml, "loc", &self.url)?;
            text(xml, "lastmod", &written(self.updated_at))?;
            if let Some(image) = &self.image {
                let element = xml.create_element("image:image");
                element.write_inner_content(|xml| text(xml, "image:loc", image))?;
            }
            Ok(())
        })?;
        Ok(())
    }
}
