//! The bodies of posts as served to readers, cached.
//!
//! The served body is computed from its stored form: the part that is public or that the member may read, with the
//! site's URLs made absolute and outbound links tagged. This takes longer than the rest of a response, so the served
//! body is cached until the post or the site's URL changes. A change to one post does not affect the cached bodies
//! of other posts.

use std::{borrow::Cow, sync::Arc};

use super::{
    response_memory::ResponseMemory,
    served_body::{BodyRepresentation, JsonBody, ServedBody, TextBody},
};
use crate::{
    api::recent_cache::RecentCache,
    domain::{post::Post, reading_member::ReadingMember, setting::Settings},
    error::Result,
    id::Id,
    render::{
        paywall,
        paywall::{PublicForm, Reader},
        plaintext, search_text,
    },
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// The overhead of an entry, in bytes: map slot, counters, and the post, which the catalog may already
/// have dropped.
const ENTRY_OVERHEAD_BYTES: usize = 500;

/// A format in which a body is served to readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RenderedFormat {
    /// HTML.
    Html,
    /// Plain text.
    Plaintext,
    /// The beginning of the plain text.
    Excerpt,
    /// The text for full-text search.
    SearchText,
}

/// The readers that a rendered body is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyReaders {
    /// Anonymous readers.
    Anonymous,
    /// Members of this level; true if they may read the whole post.
    Members(Reader, bool),
}

impl BodyReaders {
    /// Returns the group of readers of a post to which a reader belongs.
    pub fn of(reader: Option<&ReadingMember>, post: &Post) -> Self {
        match reader {
            None => Self::Anonymous,
            Some(reader) => Self::Members(reader.level(), reader.may_read(post)),
        }
    }

    /// Returns whether these readers may not read the whole post.
    fn is_refused(self, post: &Post) -> bool {
        match self {
            Self::Anonymous => post.is_gated(),
            Self::Members(_, may_read) => !may_read,
        }
    }
}

/// The cached bodies of one site at one URL, limited in bytes.
pub struct Bodies {
    site_urls: SiteUrls,
    tags_outbound_links: bool,
    jsons: BodyCache<JsonBody>,
    texts: BodyCache<TextBody>,
}

/// The cached bodies in one representation.
type BodyCache<B> = RecentCache<(Id, RenderedFormat, BodyReaders), ServedBody<B>>;

/// A representation with a separate cache.
pub trait CachedRepresentation: BodyRepresentation + Sized {
    /// Returns the cache for this representation.
    fn cache(bodies: &Bodies) -> &BodyCache<Self>;
}

impl CachedRepresentation for JsonBody {
    fn cache(bodies: &Bodies) -> &BodyCache<Self> {
        &bodies.jsons
    }
}

impl CachedRepresentation for TextBody {
    fn cache(bodies: &Bodies) -> &BodyCache<Self> {
        &bodies.texts
    }
}

impl Bodies {
    /// Returns an empty cache of at most about `bytes_max` bytes, for the site at `site_urls`.
    pub fn new(settings: &Settings, site_urls: &SiteUrls, bytes_max: usize) -> Self {
        Self {
            site_urls: site_urls.clone(),
            tags_outbound_links: tags_outbound_links(settings),
            jsons: RecentCache::new(bytes_max / 2),
            texts: RecentCache::new(bytes_max / 2),
        }
    }

    /// Returns whether the cached bodies are valid for a site with these settings at `site_urls`.
    pub fn is_valid_for(&self, settings: &Settings, site_urls: &SiteUrls) -> bool {
        // Links in a body contain the current URLs of other records, which may have changed.
        let can_links_change = |urls: &SiteUrls| urls.routes().moves_records();
        !can_links_change(&self.site_urls)
            && !can_links_change(site_urls)
            && self.site_urls.url() == site_urls.url()
            && self.tags_outbound_links == tags_outbound_links(settings)
    }

    /// Returns the bodies of `posts` for a reader in this format, in the order of `posts`. Bodies that are not cached
    /// are read from the store.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, and as [`ResponseMemory::take`].
    pub fn of<B: CachedRepresentation>(
        &self,
        snapshot: &SiteSnapshot,
        posts: &[&Arc<Post>],
        form: RenderedFormat,
        reader: Option<&ReadingMember>,
        memory: &ResponseMemory,
    ) -> Result<Vec<Arc<ServedBody<B>>>> {
        let mut bodies: Vec<_> = posts
            .iter()
            .map(|post| self.find::<B>(post, form, BodyReaders::of(reader, post)))
            .collect();
        // Cached bodies count as well, because the response copies them.
        let known = bodies.iter().flatten().map(|body| body.body.bytes());
        memory.take(known.sum())?;
        let is_missing = |index: &usize| bodies[*index].is_none();
        let missing: Vec<usize> = (0..posts.len()).filter(is_missing).collect();
        if !missing.is_empty() {
            let ids = missing.iter().map(|index| posts[*index].id);
            // The visit cannot be stopped from within, so after a refusal the other bodies are
            // skipped.
            let mut taken = Ok(());
            snapshot.visit_bodies(ids, |nth, html| {
                let index = missing[nth];
                if taken.is_ok() {
                    let body = self.make::<B>(
                        posts[index],
                        form,
                        BodyReaders::of(reader, posts[index]),
                        Some(html),
                    );
                    // Only now is the length of the body known.
                    taken = memory.take(body.body.bytes());
                    bodies[index] = Some(body);
                }
            })?;
            taken?;
        }
        let bodies = bodies.into_iter().zip(posts);
        Ok(bodies
            .map(|(body, post)| {
                // The visit has omitted posts without a body.
                body.unwrap_or_else(|| self.make(post, form, BodyReaders::of(reader, post), None))
            })
            .collect())
    }

    /// Returns the same bodies as [`Bodies::of`] if all of them are cached.
    pub fn cached<B: CachedRepresentation>(
        &self,
        posts: &[&Arc<Post>],
        form: RenderedFormat,
        reader: Option<&ReadingMember>,
    ) -> Option<Vec<Arc<ServedBody<B>>>> {
        let find = |post: &&Arc<Post>| self.find(post, form, BodyReaders::of(reader, post));
        posts.iter().map(find).collect()
    }

    /// Evicts the bodies that were not requested since the last call but one.
    pub fn evict_unused(&self) {
        self.jsons.evict_unused();
        self.texts.evict_unused();
    }

    /// Returns the size of the cached bodies, in bytes.
    pub fn bytes(&self) -> usize {
        self.jsons.bytes() + self.texts.bytes()
    }

    fn find<B: CachedRepresentation>(
        &self,
        post: &Arc<Post>,
        form: RenderedFormat,
        readers: BodyReaders,
    ) -> Option<Arc<ServedBody<B>>> {
        let body = B::cache(self).get(&(post.id, form, readers))?;
        // Every change of a post or its body creates a new record, so comparing pointers suffices.
        Arc::ptr_eq(&body.post, post).then_some(body)
    }

    fn make<B: CachedRepresentation>(
        &self,
        post: &Arc<Post>,
        form: RenderedFormat,
        readers: BodyReaders,
        html: Option<&str>,
    ) -> Arc<ServedBody<B>> {
        let body = Arc::new(ServedBody {
            post: Arc::clone(post),
            body: self.represented::<B>(post, form, readers, html),
        });
        let cost = body.body.bytes() + ENTRY_OVERHEAD_BYTES;
        B::cache(self).put((post.id, form, readers), &body, cost);
        body
    }

    /// Returns a body in its served form. `html` is the stored form, `None` if there is no body.
    fn represented<B: BodyRepresentation>(
        &self,
        post: &Post,
        form: RenderedFormat,
        readers: BodyReaders,
        html: Option<&str>,
    ) -> B {
        let is_refused = readers.is_refused(post);
        let visible = html.map(|html| visible_html(post, html, readers));
        let visible = visible.as_deref();
        let text = match form {
            RenderedFormat::Html => visible.map(|html| self.served_html(html)),
            RenderedFormat::Plaintext => visible
                .and_then(|html| self.served_text(is_refused, html))
                .map(Cow::Owned),
            RenderedFormat::Excerpt => visible.map(|html| {
                let text = plaintext::from_html(&self.site_urls.absolute_for_readers(html));
                Cow::Owned(plaintext::excerpt(&text).to_owned())
            }),
            RenderedFormat::SearchText => visible.map(|html| {
                let text = search_text::from_html(&self.site_urls.absolute_for_readers(html));
                Cow::Owned(text)
            }),
        };
        // The HTML of a gated post is an empty text, not null, even without a body.
        let is_empty = form == RenderedFormat::Html && is_refused;
        B::of(text.or_else(|| is_empty.then_some(Cow::Borrowed(""))))
    }

    fn served_html<'h>(&self, html: &'h str) -> Cow<'h, str> {
        let absolute = self.site_urls.absolute_for_readers(html);
        if !self.tags_outbound_links {
            return absolute;
        }
        // A borrowed result means that nothing was tagged; `absolute` then need not be copied.
        match self.site_urls.tag_outbound_links(&absolute) {
            Cow::Owned(tagged) => Cow::Owned(tagged),
            Cow::Borrowed(_) => absolute,
        }
    }

    /// Returns the plain text; `None` if these readers may read the whole post and it has no text
    /// (Ghost 6.65, recorded).
    fn served_text(&self, is_refused: bool, html: &str) -> Option<String> {
        let text = plaintext::from_html(&self.site_urls.absolute_for_readers(html));
        (is_refused || !text.is_empty()).then_some(text)
    }
}

/// Returns the part of the body that these readers may read, in stored form.
pub(in crate::api) fn visible_html<'h>(
    post: &Post,
    html: &'h str,
    readers: BodyReaders,
) -> Cow<'h, str> {
    if let BodyReaders::Members(level, may_read) = readers {
        return paywall::visible_to(html, level, !may_read);
    }
    match paywall::public_form(html, post.is_gated()) {
        PublicForm::Whole => Cow::Borrowed(html),
        PublicForm::Part(part) => part,
        PublicForm::Nothing => Cow::Borrowed(""),
    }
}

fn tags_outbound_links(settings: &Settings) -> bool {
    settings.is_on("outbound_link_tagging")
}
