//! How records are written: the rows of their table that were asked for, in the table's order.

use std::borrow::Cow;

use jiff::tz::TimeZone;

use super::{
    super::{
        addresses::Addresses,
        json::{self, Object},
        params::{Rows, Selection},
        values,
    },
    Request,
};
use crate::{
    catalog::{
        Catalog,
        fields::{AUTHORS, FieldType, Schema, Source, TAGS, TIERS, ViewField},
        records::Record,
        value::Value,
    },
    domain::{
        post::{Post, Visibility},
        tag::Tag,
        tier::Tier,
        user::User,
    },
    render::{
        paywall::{self, PublicForm},
        plaintext,
    },
};

/// What is served of each record of one answer.
pub struct View<'a> {
    catalog: &'a Catalog,
    addresses: &'a Addresses,
    selection: &'a Selection,
    time_zone: TimeZone,
    tags_outbound_links: bool,
    has_comments: bool,
}

impl<'a> View<'a> {
    /// The view of `request`, restricted to `selection`.
    pub fn new(request: &Request<'a>, selection: &'a Selection) -> Self {
        let settings = &request.catalog.settings;
        Self {
            catalog: request.catalog,
            addresses: request.addresses,
            selection,
            time_zone: settings.time_zone(),
            tags_outbound_links: settings.is_on("outbound_link_tagging"),
            has_comments: settings.text("comments_enabled").as_deref() != Some("off"),
        }
    }

    /// The rows that are served, as [`Selection::rows`].
    pub fn rows<R>(&self, schema: &'static Schema<R>, keys: &[&str]) -> Rows<R> {
        self.selection.rows(schema, keys)
    }

    /// Writes a post or a page. `html` is its stored body, when one of the rows needs it.
    pub fn post(&self, bytes: &mut Vec<u8>, post: &Post, rows: &Rows<Post>, html: Option<&str>) {
        let mut object = Object::begin(bytes);
        let public = self.public_html(post, html);
        for field in rows {
            match field.source {
                Source::Record(get) => values::write(
                    object.name(field.name),
                    field.kind,
                    get(post),
                    self.addresses,
                    Some(&self.time_zone),
                ),
                Source::View(view) => {
                    self.post_field(&mut object, field.name, view, post, public.as_deref())
                }
            }
        }
        self.post_relations(&mut object, post);
        object.end();
    }

    /// The body as an anonymous reader may see it, in stored form; `None` when there is none.
    fn public_html<'h>(&self, post: &Post, html: Option<&'h str>) -> Option<Cow<'h, str>> {
        let html = html?;
        Some(match paywall::public_form(html, post.is_closed()) {
            PublicForm::Whole => Cow::Borrowed(html),
            PublicForm::Part(part) => part,
            PublicForm::Nothing => Cow::Borrowed(""),
        })
    }

    fn post_field(
        &self,
        object: &mut Object,
        name: &str,
        view: ViewField,
        post: &Post,
        html: Option<&str>,
    ) {
        match view {
            ViewField::Html => {
                // A closed post shows that there is nothing to see even when there is nothing at all.
                let closed = post.is_closed().then_some(Cow::Borrowed(""));
                object.field(name, html.map(|html| self.served_html(html)).or(closed));
            }
            ViewField::Plaintext => {
                object.field(name, html.and_then(|html| self.served_text(post, html)))
            }
            ViewField::Excerpt => object.field(
                name,
                excerpt(post).map(|text| self.addresses.absolute(text)),
            ),
            ViewField::Url => object.field(name, self.addresses.post(post)),
            // Without a body there is nothing to read, and the key is absent (Ghost 6.65, recorded).
            ViewField::ReadingTime => {
                if let Some(minutes) = post.reading_time {
                    object.field(name, minutes);
                }
            }
            ViewField::Access => object.field(name, !post.is_closed()),
            ViewField::Comments => object.field(name, !post.is_closed() && self.has_comments),
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

    /// The plain text; null for an open post without any (Ghost 6.65, recorded).
    fn served_text(&self, post: &Post, html: &str) -> Option<String> {
        let text = plaintext::from_html(&self.addresses.absolute(html));
        (post.is_closed() || !text.is_empty()).then_some(text)
    }

    fn served_html<'h>(&self, html: &'h str) -> Cow<'h, str> {
        let absolute = self.addresses.absolute(html);
        if !self.tags_outbound_links {
            return absolute;
        }
        match self.addresses.tag_outbound_links(&absolute) {
            Cow::Owned(tagged) => Cow::Owned(tagged),
            Cow::Borrowed(_) => absolute,
        }
    }

    /// Writes what was asked for with `include`. With `fields`, the lists come anyway, the main tag and author only when
    /// they are named, and the addresses of tags and authors only when `url` is (Ghost 6.65, recorded).
    fn post_relations(&self, object: &mut Object, post: &Post) {
        let names = |name| !self.selection.is_restricted() || self.selection.names(name);
        if self.selection.includes("authors") {
            let authors: Vec<&User> = self.catalog.users.all(&post.authors);
            let rows = self.selection.related_rows(&AUTHORS);
            json::list(object.name("authors"), authors.iter(), |bytes, author| {
                self.author(bytes, author, &rows, None);
            });
            if names("primary_author") {
                let bytes = object.name("primary_author");
                self.first(bytes, authors.first(), |bytes, author| {
                    self.author(bytes, author, &rows, None)
                });
            }
        }
        if self.selection.includes("tags") {
            let tags: Vec<&Tag> = self.catalog.tags.all(&post.tags);
            let rows = self.selection.related_rows(&TAGS);
            json::list(object.name("tags"), tags.iter(), |bytes, tag| {
                self.tag(bytes, tag, &rows, None)
            });
            if names("primary_tag") {
                let main = tags.first().filter(|tag| !tag.internal);
                let bytes = object.name("primary_tag");
                self.first(bytes, main, |bytes, tag| self.tag(bytes, tag, &rows, None));
            }
        }
        if self.selection.includes("tiers") {
            let tiers = self.readers(post);
            json::list(object.name("tiers"), tiers.iter(), |bytes, tier| {
                self.tier_of_post(bytes, tier)
            });
        }
    }

    fn first<R>(
        &self,
        bytes: &mut Vec<u8>,
        record: Option<&&R>,
        write: impl FnOnce(&mut Vec<u8>, &R),
    ) {
        match record {
            Some(record) => write(bytes, record),
            None => json::value(bytes, ()),
        }
    }

    /// The tiers whose members may read a post (Ghost 6.65, recorded).
    fn readers(&self, post: &Post) -> Vec<&Tier> {
        let mut tiers: Vec<&Tier> = match post.visibility {
            Visibility::Tiers => self.catalog.tiers.all(&post.tiers),
            Visibility::Paid => self
                .catalog
                .tiers
                .iter()
                .map(AsRef::as_ref)
                .filter(|tier| tier.price.is_some())
                .collect(),
            Visibility::Public | Visibility::Members => {
                self.catalog.tiers.iter().map(AsRef::as_ref).collect()
            }
        };
        // Those that were put away come last (Ghost 6.65, recorded).
        let price = |tier: &Tier| tier.price.as_ref().map(|price| price.monthly);
        tiers.sort_by_key(|tier| (!tier.active, price(tier), &tier.slug));
        tiers
    }

    fn tier_of_post(&self, bytes: &mut Vec<u8>, tier: &Tier) {
        let mut object = Object::begin(bytes);
        for field in TIERS.rows() {
            if let Source::Record(get) = field.source {
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

    /// Writes a tag. `posts` is its number of posts, when that was asked for.
    pub fn tag(&self, bytes: &mut Vec<u8>, tag: &Tag, rows: &Rows<Tag>, posts: Option<usize>) {
        self.record(bytes, tag, rows, posts, |tag| self.addresses.tag(tag));
    }

    /// Writes an author. `posts` is the number of posts, when that was asked for.
    pub fn author(
        &self,
        bytes: &mut Vec<u8>,
        author: &User,
        rows: &Rows<User>,
        posts: Option<usize>,
    ) {
        self.record(bytes, author, rows, posts, |author| {
            self.addresses.author(author)
        });
    }

    /// Writes a record of which the view works out nothing but the address.
    pub fn record<R: Record>(
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
                Source::Record(get) => self.value(object.name(field.name), field.kind, get(record)),
                Source::View(_) => object.field(field.name, url(record)),
            }
        }
        if let Some(posts) = posts {
            object.field("count", serde_json::json!({ "posts": posts }));
        }
        object.end();
    }

    fn value(&self, bytes: &mut Vec<u8>, kind: FieldType, value: Value) {
        values::write(bytes, kind, value, self.addresses, None);
    }

    /// Writes a tier. `rows` decide which prices are told; the currency comes with paid tiers only (specification 2.6).
    pub fn tier(&self, bytes: &mut Vec<u8>, tier: &Tier, rows: &Rows<Tier>) {
        let mut object = Object::begin(bytes);
        for field in rows {
            match field.source {
                Source::Record(_) if field.name == "currency" && tier.price.is_none() => {}
                Source::Record(get) => self.value(object.name(field.name), field.kind, get(tier)),
                Source::View(ViewField::Benefits) => {
                    let asked =
                        self.selection.includes("benefits") || self.selection.names("benefits");
                    object.field(field.name, asked.then_some(&tier.benefits));
                }
                Source::View(ViewField::MonthlyPrice) => {
                    object.field(field.name, tier.price.as_ref().map(|price| price.monthly));
                }
                Source::View(ViewField::YearlyPrice) => {
                    object.field(field.name, tier.price.as_ref().map(|price| price.yearly));
                }
                Source::View(_) => object.field(field.name, ()),
            }
        }
        object.end();
    }
}

/// The author's summary, or the start of the text; nothing of a closed post without a paywall, and null for an empty body
/// (Ghost 6.65, recorded).
pub fn excerpt(post: &Post) -> Option<&str> {
    match &post.public_excerpt {
        None if post.is_closed() => Some(""),
        start => post.custom_excerpt.as_deref().or(start.as_deref()),
    }
}
