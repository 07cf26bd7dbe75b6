//! The bodies of posts as served to readers, cached as JSON.
//!
//! The served body is computed from its stored form: the public part of it, with the site's URLs
//! made absolute and outbound links tagged. That takes longer than all the rest of a response. So
//! it is cached for as long as the post and the site's URL are the same; a change of one post
//! leaves the bodies of the others cached.

use std::{borrow::Cow, sync::Arc};

use super::response_memory::ResponseMemory;
use crate::{
    api::{json, recent_cache::RecentCache, site_urls::SiteUrls},
    domain::{post::Post, setting::Settings},
    error::Result,
    id::Id,
    render::{
        paywall::{self, PublicForm},
        plaintext,
    },
    site::SiteSnapshot,
};

/// The cost of an entry besides its text, in bytes: map slot, counters, and the post, which the
/// catalog may have dropped.
const ENTRY_OVERHEAD_BYTES: usize = 500;

/// A format in which readers get a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RenderedFormat {
    /// HTML.
    Html,
    /// Plain text.
    Plaintext,
}

/// The served body of a post.
pub struct ServedBody {
    /// The catalog record it belongs to: a changed record may have a changed body.
    post: Arc<Post>,
    json: Box<[u8]>,
}

impl ServedBody {
    /// Returns a JSON string, or `null`.
    pub fn json(&self) -> &[u8] {
        &self.json
    }

    /// Returns whether there is no text.
    pub fn is_null(&self) -> bool {
        &*self.json == b"null"
    }
}

/// Returns the length of these bodies in a response, in bytes.
pub fn bytes(bodies: &[Arc<ServedBody>]) -> usize {
    bodies.iter().map(|body| body.json.len()).sum()
}

/// Cached bodies of one site at one URL, bounded in bytes.
pub struct Bodies {
    site_urls: SiteUrls,
    tags_outbound_links: bool,
    cache: RecentCache<(Id, RenderedFormat), ServedBody>,
}

impl Bodies {
    /// Returns an empty cache of at most about `bytes_max` bytes, for the site at `addresses`.
    pub fn new(settings: &Settings, site_urls: &SiteUrls, bytes_max: usize) -> Self {
        Self {
            site_urls: site_urls.clone(),
            tags_outbound_links: tags_outbound_links(settings),
            cache: RecentCache::new(bytes_max),
        }
    }

    /// Returns whether the cached bodies are valid for a site with these settings at `addresses`.
    pub fn is_valid_for(&self, settings: &Settings, site_urls: &SiteUrls) -> bool {
        self.site_urls == *site_urls && self.tags_outbound_links == tags_outbound_links(settings)
    }

    /// Returns the bodies of `posts` in this format, in their order. Those not cached are read from
    /// the store.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, and as [`ResponseMemory::take`].
    pub fn of(
        &self,
        snapshot: &SiteSnapshot,
        posts: &[&Arc<Post>],
        form: RenderedFormat,
        memory: &ResponseMemory,
    ) -> Result<Vec<Arc<ServedBody>>> {
        let mut bodies: Vec<_> = posts.iter().map(|post| self.find(post, form)).collect();
        let known = bodies.iter().flatten().map(|body| body.json.len());
        memory.take(known.sum())?;
        let is_missing = |place: &usize| bodies[*place].is_none();
        let missing: Vec<usize> = (0..posts.len()).filter(is_missing).collect();
        if !missing.is_empty() {
            let ids = missing.iter().map(|place| posts[*place].id);
            let mut taken = Ok(());
            snapshot.visit_bodies(ids, |nth, html| {
                let place = missing[nth];
                if taken.is_ok() {
                    let body = self.make(posts[place], form, Some(html));
                    taken = memory.take(body.json.len());
                    bodies[place] = Some(body);
                }
            })?;
            taken?;
        }
        let bodies = bodies.into_iter().zip(posts);
        Ok(bodies
            .map(|(body, post)| body.unwrap_or_else(|| self.make(post, form, None)))
            .collect())
    }

    /// Returns the same, if all of them are cached.
    pub fn cached(
        &self,
        posts: &[&Arc<Post>],
        form: RenderedFormat,
    ) -> Option<Vec<Arc<ServedBody>>> {
        posts.iter().map(|post| self.find(post, form)).collect()
    }

    /// Evicts the bodies that were not requested since the last call but one.
    pub fn evict_unused(&self) {
        self.cache.evict_unused();
    }

    /// Returns the bytes that the cached bodies take.
    pub fn bytes(&self) -> usize {
        self.cache.bytes()
    }

    fn find(&self, post: &Arc<Post>, form: RenderedFormat) -> Option<Arc<ServedBody>> {
        let body = self.cache.get(&(post.id, form))?;
        Arc::ptr_eq(&body.post, post).then_some(body)
    }

    fn make(&self, post: &Arc<Post>, form: RenderedFormat, html: Option<&str>) -> Arc<ServedBody> {
        let body = Arc::new(ServedBody {
            post: Arc::clone(post),
            json: self.write(post, form, html).into_boxed_slice(),
        });
        let cost = body.json.len() + ENTRY_OVERHEAD_BYTES;
        self.cache.put((post.id, form), &body, cost);
        body
    }

    /// Returns the JSON of a body, of which `html` is the stored form; `None` if it is missing.
    fn write(&self, post: &Post, form: RenderedFormat, html: Option<&str>) -> Vec<u8> {
        let public = html.map(|html| public_html(post, html));
        let text = match form {
            RenderedFormat::Html => public.as_deref().map(|html| self.served_html(html)),
            RenderedFormat::Plaintext => public
                .as_deref()
                .and_then(|html| self.served_text(post, html))
                .map(Cow::Owned),
        };
        let mut bytes = Vec::new();
        match text {
            Some(text) => json::text(&mut bytes, &text),
            // A gated post shows an empty text even if it has none.
            None if form == RenderedFormat::Html && post.is_closed() => json::text(&mut bytes, ""),
            None => json::value(&mut bytes, ()),
        }
        bytes
    }

    fn served_html<'h>(&self, html: &'h str) -> Cow<'h, str> {
        let absolute = self.site_urls.absolute(html);
        if !self.tags_outbound_links {
            return absolute;
        }
        match self.site_urls.tag_outbound_links(&absolute) {
            Cow::Owned(tagged) => Cow::Owned(tagged),
            Cow::Borrowed(_) => absolute,
        }
    }

    /// Returns the plain text; `None` for a public post without any (Ghost 6.65, recorded).
    fn served_text(&self, post: &Post, html: &str) -> Option<String> {
        let text = plaintext::from_html(&self.site_urls.absolute(html));
        (post.is_closed() || !text.is_empty()).then_some(text)
    }
}

/// Returns the public part of the body, in stored form.
fn public_html<'h>(post: &Post, html: &'h str) -> Cow<'h, str> {
    match paywall::public_form(html, post.is_closed()) {
        PublicForm::Whole => Cow::Borrowed(html),
        PublicForm::Part(part) => part,
        PublicForm::Nothing => Cow::Borrowed(""),
    }
}

fn tags_outbound_links(settings: &Settings) -> bool {
    settings.is_on("outbound_link_tagging")
}
