//! Sitemaps (sitemaps.org, protocol 0.9) in the form of Ghost (6.65, recorded), with the images of the pages.

use std::{cmp::Reverse, io};

use jiff::Timestamp;
use quick_xml::{
    Writer,
    events::{BytesPI, Event},
};

use super::{
    documents::{FeedDocument, SITEMAP_STYLES, SitemapKind},
    publication::Publication,
    xml::{document, text},
};
use crate::{
    clock::written_time,
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

/// The style sheet with which browsers display sitemaps.
pub(super) const STYLES: &[u8] = include_bytes!("sitemap.xsl");

/// Most URLs in a part (limit of the protocol).
const URLS_MAX: usize = 50_000;

/// A page in a sitemap.
pub(super) struct SitemapEntry {
    /// The identifier of the record, for the order; [`Id::MIN`] for the pages of `routes.yaml`.
    id: Id,
    url: String,
    updated_at: Timestamp,
    image: Option<String>,
}

/// Returns the number of parts into which these entries are split.
pub(super) fn parts(entries: &[SitemapEntry]) -> usize {
    entries.len().div_ceil(URLS_MAX)
}

impl Publication<'_> {
    /// Returns the pages of one kind, the latest change first. Pages with a canonical URL elsewhere are left out.
    pub(super) fn sitemap_entries(&self, kind: SitemapKind) -> Vec<SitemapEntry> {
        let catalog = &self.snapshot.catalog;
        let mut entries: Vec<SitemapEntry> = match kind {
            SitemapKind::Posts => self.entries_of_posts(PostKind::Post),
            SitemapKind::Pages => {
                let mut entries = self.entries_of_posts(PostKind::Page);
                entries.extend(self.entries_of_routes());
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
        // Records of one import have equal dates, so the identifier decides: parts must not depend on the order in memory. The
        // sort is stable, so the pages of `routes.yaml` remain in the order of the file, as in Ghost (6.65, recorded).
        entries.sort_by_key(|entry| (Reverse(entry.updated_at), entry.id));
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
        .then(|| self.entry(post.id, url, post.updated_at, post.feature_image.as_deref()))
    }

    fn entry_of_tag(&self, tag: &Tag) -> Option<SitemapEntry> {
        let url = self.link(&self.site_urls.routes().tag_path(tag)?);
        self.is_canonical(tag.canonical_url.as_deref(), &url, &self.site_urls.tag(tag))
            .then(|| self.entry(tag.id, url, tag.updated_at, tag.feature_image.as_deref()))
    }

    fn entry_of_author(&self, author: &User) -> Option<SitemapEntry> {
        let url = self.link(&self.site_urls.routes().author_path(author)?);
        let image = author.cover_image.as_deref();
        let image = image.or(author.profile_image.as_deref());
        // For authors, Ghost lists only images on other hosts.
        let image = image.filter(|image| image.starts_with("http"));
        Some(self.entry(author.id, url, author.updated_at, image))
    }

    /// Returns the pages of `routes.yaml`: its routes and the lists of its collections, with the date of the latest change of
    /// a post.
    fn entries_of_routes(&self) -> impl Iterator<Item = SitemapEntry> {
        let routes = self.site_urls.routes().routes();
        let posts = self.snapshot.catalog.posts.listed(PostKind::Post);
        let latest = posts.iter().map(|post| post.updated_at).max();
        let latest = latest.unwrap_or_else(|| self.snapshot.catalog.beginning());
        let of_routes = routes.routes.iter().map(|route| &route.path);
        let of_collections = routes.collections.iter().map(|list| &list.path);
        // A path with a variable is not the path of a single page.
        of_routes
            .chain(of_collections)
            .filter(|path| !path.contains(':'))
            .map(move |path| self.entry(Id::MIN, self.link(path), latest, None))
    }

    fn entry(
        &self,
        id: Id,
        url: String,
        updated_at: Timestamp,
        image: Option<&str>,
    ) -> SitemapEntry {
        SitemapEntry {
            id,
            url,
            updated_at,
            image: image.map(|image| self.site_urls.absolute(image).into_owned()),
        }
    }

    /// Returns whether a page has no canonical URL, or is at that URL: `url` is its URL for readers, `own` its URL on the site.
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

    /// Returns an empty document that refers to the style sheet.
    fn sitemap_document(&self) -> Result<Writer<Vec<u8>>> {
        let base = self.site_urls.base();
        let base = base.find("//").map_or(base, |start| &base[start..]);
        let styles = format!("xml-stylesheet type=\"text/xsl\" href=\"{base}{SITEMAP_STYLES}\"");
        let mut xml = document();
        xml.write_event(Event::PI(BytesPI::new(styles)))
            .map_err(Error::internal)?;
        Ok(xml)
    }

    /// Returns the index of all sitemaps that have pages.
    ///
    /// # Errors
    ///
    /// Never in practice, because the document is written to memory.
    pub(super) fn sitemap_index(&self) -> Result<Vec<u8>> {
        let mut xml = self.sitemap_document()?;
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
                            // The entries are sorted, so the first has the latest change.
                            text(xml, "lastmod", &written_time(part[0].updated_at))
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
    /// Never in practice, because the document is written to memory.
    pub(super) fn sitemap(&self, kind: SitemapKind, part: usize) -> Result<Option<Vec<u8>>> {
        let entries = self.sitemap_entries(kind);
        let Some(entries) = entries.chunks(URLS_MAX).nth(part - 1) else {
            return Ok(None);
        };
        let mut xml = self.sitemap_document()?;
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
            text(xml, "lastmod", &written_time(self.updated_at))?;
            if let Some(image) = &self.image {
                let element = xml.create_element("image:image");
                element.write_inner_content(|xml| {
                    text(xml, "image:loc", image)?;
                    let name = image.trim_end_matches('/').rsplit('/').next();
                    text(xml, "image:caption", name.unwrap_or_default())
                })?;
            }
            Ok(())
        })?;
        Ok(())
    }
}
