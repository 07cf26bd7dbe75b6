//! Writes records: the requested rows of their table, in the order of the table.

use std::{collections::HashMap, ops::Range, sync::Arc};

use jiff::tz::TimeZone;

use super::{
    super::{
        json::{self, Object},
        params::{Rows, Selection},
        values,
    },
    Request,
    served_body::ServedBody,
};
use crate::{
    catalog::{
        Catalog,
        fields::{AUTHORS, FieldSource, FieldType, Schema, TAGS, TIERS, ViewField},
        value::Value,
    },
    domain::{
        post::Post, reading_member::ReadingMember, record::Slugged, tag::Tag, tier::Tier,
        user::User,
    },
    id::Id,
    site_urls::SiteUrls,
};

/// The body of a post in the formats to serve.
pub struct PostBody {
    /// The body as HTML.
    pub html: Option<Arc<ServedBody>>,
    /// The body as plain text.
    pub plaintext: Option<Arc<ServedBody>>,
    /// The beginning of the plain text, for members.
    pub excerpt: Option<Arc<ServedBody>>,
}

/// A cache of the tags and authors in one response, because many of them occur repeatedly.
pub struct RelatedRecords {
    tags: WrittenRecords<Tag>,
    authors: WrittenRecords<User>,
}

/// The records of one kind in a response, with the ranges of bytes where they were written.
struct WrittenRecords<R: 'static> {
    rows: Rows<R>,
    ranges: HashMap<Id, Range<usize>>,
}

impl<R: Slugged + 'static> WrittenRecords<R> {
    fn new(rows: Rows<R>) -> Self {
        Self {
            rows,
            ranges: HashMap::new(),
        }
    }

    /// Appends `record`, by copying its earlier occurrence if there is one.
    fn write(
        &mut self,
        bytes: &mut Vec<u8>,
        record: &R,
        write: impl FnOnce(&mut Vec<u8>, &Rows<R>),
    ) {
        // The range is still valid, because the response is only appended to.
        if let Some(range) = self.ranges.get(&record.id()) {
            return bytes.extend_from_within(range.clone());
        }
        let start = bytes.len();
        write(bytes, &self.rows);
        self.ranges.insert(record.id(), start..bytes.len());
    }
}

/// Writes the records of one response.
pub struct View<'a> {
    catalog: &'a Catalog,
    site_urls: &'a SiteUrls,
    selection: &'a Selection,
    time_zone: TimeZone,
    has_comments: bool,
    reader: Option<&'a ReadingMember>,
}

impl<'a> View<'a> {
    /// Returns the view of `request`, restricted to `selection`.
    pub fn new(request: &Request<'a>, selection: &'a Selection) -> Self {
        let settings = &request.catalog.settings;
        Self {
            catalog: request.catalog,
            site_urls: request.site_urls,
            selection,
            time_zone: settings.time_zone(),
            has_comments: settings.text("comments_enabled").as_deref() != Some("off"),
            reader: request.reader,
        }
    }

    /// Returns whether the reader may read the whole post.
    fn has_access(&self, post: &Post) -> bool {
        !post.is_gated() || self.reader.is_some_and(|reader| reader.may_read(post))
    }

    /// Returns the rows to serve, as [`Selection::rows`].
    pub fn rows<R>(&self, schema: &'static Schema<R>, keys: &[&str]) -> Rows<R> {
        self.selection.rows(schema, keys)
    }

    /// Returns an empty cache of the tags and authors of posts.
    pub fn related(&self) -> RelatedRecords {
        RelatedRecords {
            tags: WrittenRecords::new(self.selection.related_rows(&TAGS)),
            authors: WrittenRecords::new(self.selection.related_rows(&AUTHORS)),
        }
    }

    /// Writes a post or a page. `body` must contain the formats that the rows need, and `related` must
    /// be the cache of this response.
    pub fn post(
        &self,
        bytes: &mut Vec<u8>,
        post: &Post,
        rows: &Rows<Post>,
        body: &PostBody,
        related: &mut RelatedRecords,
    ) {
        let mut object = Object::begin(bytes);
        for field in rows {
            match field.source {
                FieldSource::View(view) => {
                    self.post_field(&mut object, field.name, view, post, body)
                }
                _ => values::write(
                    object.name(field.name),
                    field.kind,
                    field.value(post),
                    self.site_urls,
                    Some(&self.time_zone),
                ),
            }
        }
        self.post_relations(&mut object, post, related);
        object.end();
    }

    fn post_field(
        &self,
        object: &mut Object,
        name: &str,
        view: ViewField,
        post: &Post,
        body: &PostBody,
    ) {
        let text = |body: &Option<Arc<ServedBody>>, object: &mut Object| match body {
            Some(body) => object.raw(name, body.json()),
            None => object.field(name, ()),
        };
        match view {
            ViewField::Html => text(&body.html, object),
            // The key is absent if there is no text (Ghost 6.65, recorded).
            ViewField::Plaintext => {
                if let Some(body) = body.plaintext.as_deref().filter(|body| !body.is_null()) {
                    object.raw(name, body.json());
                }
            }
            ViewField::Excerpt if post.is_gated() && self.has_access(post) => {
                // The stored excerpt is that of the public part.
                match (&post.custom_excerpt, &body.excerpt) {
                    (Some(custom), _) => object.text(name, &self.site_urls.absolute(custom)),
                    (None, Some(excerpt)) => object.raw(name, excerpt.json()),
                    (None, None) => object.field(name, ()),
                }
            }
            ViewField::Excerpt => match post.shown_excerpt() {
                Some(excerpt) => object.text(name, &self.site_urls.absolute(excerpt)),
                None => object.field(name, ()),
            },
            ViewField::Url => object.text(name, &self.site_urls.post(post)),
            // The key is absent without a body, which has no reading time (Ghost 6.65, recorded).
            ViewField::ReadingTime => {
                if let Some(minutes) = post.reading_time {
                    object.field(name, minutes);
                }
            }
            ViewField::Access => object.field(name, self.has_access(post)),
            ViewField::Comments => object.field(name, self.has_access(post) && self.has_comments),
            ViewField::Lexical
            | ViewField::Mobiledoc
            | ViewField::Benefits
            | ViewField::MonthlyPrice
            | ViewField::YearlyPrice
            | ViewField::AlwaysNull => {
                object.field(name, ());
            }
        }
    }

    /// Writes the relations requested with `include`. With `fields`, lists are still written, but the
    /// primary tag and author only if `fields` names them, and the URLs of tags and authors only if
    /// it names `url` (Ghost 6.65, recorded).
    fn post_relations(&self, object: &mut Object, post: &Post, related: &mut RelatedRecords) {
        let names = |name| !self.selection.is_restricted() || self.selection.names(name);
        if self.selection.includes("authors") {
            let mut write = |bytes: &mut Vec<u8>, author: &User| {
                related.authors.write(bytes, author, |bytes, rows| {
                    self.author(bytes, author, rows, None);
                });
            };
            let authors: Vec<&User> = self.catalog.users.all(&post.authors);
            json::list(object.name("authors"), authors.iter(), |bytes, author| {
                write(bytes, author);
            });
            if names("primary_author") {
                first(object.name("primary_author"), authors.first(), write);
            }
        }
        if self.selection.includes("tags") {
            let mut write = |bytes: &mut Vec<u8>, tag: &Tag| {
                related.tags.write(bytes, tag, |bytes, rows| {
                    self.tag(bytes, tag, rows, None);
                });
            };
            let tags: Vec<&Tag> = self.catalog.tags.all(&post.tags);
            json::list(object.name("tags"), tags.iter(), |bytes, tag| {
                write(bytes, tag);
            });
            if names("primary_tag") {
                // If the first tag is internal, Ghost has no primary tag, even if a public tag follows
                // (recorded).
                let main = tags.first().filter(|tag| !tag.internal);
                first(object.name("primary_tag"), main, write);
            }
        }
        if self.selection.includes("tiers") {
            let tiers = self.catalog.tiers_of_post(post);
            json::list(object.name("tiers"), tiers.iter(), |bytes, tier| {
                self.tier_of_post(bytes, tier)
            });
        }
    }

    fn tier_of_post(&self, bytes: &mut Vec<u8>, tier: &Tier) {
        let mut object = Object::begin(bytes);
        for field in TIERS.rows() {
            if let FieldSource::Record(get) = field.source {
                self.value(object.name(field.name), field.kind, get(tier));
            }
        }
        object.field("monthly_price_id", ());
        object.field("yearly_price_id", ());
        object.field(
            "monthly_price",
            tier.price.as_ref().map(|price| price.monthly),
        );
        object.field(
            "yearly_price",
            tier.price.as_ref().map(|price| price.yearly),
        );
        object.end();
    }

    /// Writes a tag. `posts` is its number of posts, if requested.
    pub fn tag(&self, bytes: &mut Vec<u8>, tag: &Tag, rows: &Rows<Tag>, posts: Option<usize>) {
        self.record(bytes, tag, rows, posts, |tag| self.site_urls.tag(tag));
    }

    /// Writes an author. `posts` is the number of posts, if requested.
    pub fn author(
        &self,
        bytes: &mut Vec<u8>,
        author: &User,
        rows: &Rows<User>,
        posts: Option<usize>,
    ) {
        self.record(bytes, author, rows, posts, |author| {
            self.site_urls.author(author)
        });
    }

    /// Writes a record whose only computed field is the URL.
    pub fn record<R: Slugged>(
        &self,
        bytes: &mut Vec<u8>,
        record: &R,
        rows: &Rows<R>,
        posts: Option<usize>,
        url: impl Fn(&R) -> String,
    ) {
        let mut object = Object::begin(bytes);
        for field in rows {
            match field.source {
                FieldSource::View(_) => object.text(field.name, &url(record)),
                _ => self.value(object.name(field.name), field.kind, field.value(record)),
            }
        }
        if let Some(posts) = posts {
            let mut count = Object::begin(object.name("count"));
            count.field("posts", posts);
            count.end();
        }
        object.end();
    }

    fn value(&self, bytes: &mut Vec<u8>, kind: FieldType, value: Value) {
        // Only the times of posts are in the time zone of the site.
        values::write(bytes, kind, value, self.site_urls, None);
    }

    /// Writes a tier. `rows` determine which prices are shown; only paid tiers have a currency
    /// (specification 2.6).
    pub fn tier(&self, bytes: &mut Vec<u8>, tier: &Tier, rows: &Rows<Tier>) {
        let mut object = Object::begin(bytes);
        for field in rows {
            match field.source {
                FieldSource::View(ViewField::Benefits) => {
                    let is_requested =
                        self.selection.includes("benefits") || self.selection.names("benefits");
                    object.field(field.name, is_requested.then_some(&tier.benefits));
                }
                FieldSource::View(ViewField::MonthlyPrice) => {
                    object.field(field.name, tier.price.as_ref().map(|price| price.monthly));
                }
                FieldSource::View(ViewField::YearlyPrice) => {
                    object.field(field.name, tier.price.as_ref().map(|price| price.yearly));
                }
                FieldSource::View(_) => object.field(field.name, ()),
                _ if field.name == "currency" && tier.price.is_none() => {}
                _ => self.value(object.name(field.name), field.kind, field.value(tier)),
            }
        }
        object.end();
    }
}

fn first<R>(bytes: &mut Vec<u8>, record: Option<&&R>, write: impl FnOnce(&mut Vec<u8>, &R)) {
    match record {
        Some(record) => write(bytes, record),
        None => json::value(bytes, ()),
    }
}
