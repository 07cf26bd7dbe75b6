//! The tables of fields: one row for each field of each resource.
//!
//! A row has the name of the field, its form in responses, the source of its value, and its use in each
//! of the two APIs: whether it is shown, and whether filters and orders may use it.
//! Both APIs have a [`Schema`] over the same rows. A row of a text also says how requests, content
//! files, imports and exports set it ([`StoredText`]). Serialisation, `fields=`, filters, orders,
//! changes, files and the schema documents all read these rows, so they cannot disagree.

mod content;
mod member;
mod newsletter;
mod post;
mod staff;
mod stored;
mod tier;

pub use content::{RECOMMENDATIONS, SNIPPETS, STAFF_RECOMMENDATIONS, STAFF_TAGS, TAG_TEXTS, TAGS};
pub use member::{LABELS, MEMBER_EVENTS, MEMBERS};
pub use newsletter::{EMAILS, NEWSLETTER_TEXTS, NEWSLETTERS, STAFF_NEWSLETTERS};
pub use post::{PAGES, POST_TEXTS, POSTS, STAFF_PAGES, STAFF_POSTS};
pub use staff::{ACTIONS, AUTHOR_TEXTS, AUTHORS, INVITES, USER_TEXTS, USERS};
pub use stored::{Requests, StoredText, TextContent, TextRules};
pub use tier::{OFFER_TEXTS, OFFERS, STAFF_OFFERS, STAFF_TIERS, TIER_TEXTS, TIERS};

use super::value::Value;

/// The encoding of a field in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// Text, unchanged.
    Text,
    /// A URL: stored relative to the site, served absolute.
    Address,
    /// HTML: the URLs in it are stored relative to the site and served absolute.
    Markup,
    /// A boolean.
    Boolean,
    /// A whole number.
    Integer,
    /// An instant.
    Time,
    /// A list of texts.
    TextList,
}

/// The source of a field's value.
pub enum Source<R: 'static> {
    /// The record itself: filters and orders can use it.
    Record(for<'a> fn(&'a R) -> Value<'a>),
    /// The same, by the field's name.
    Named(for<'a> fn(&'a R, &'static str) -> Value<'a>),
    /// Computed by the view for each response.
    View(ViewField),
}

/// Fields that are computed for a response, from more than the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewField {
    /// The body as HTML; for readers, as far as they have access.
    Html,
    /// The body as plain text, with the same restriction.
    Plaintext,
    /// The body as the editor's document.
    Lexical,
    /// The body as a document of Ghost's earlier editor: always null.
    Mobiledoc,
    /// The author's summary, or the start of the plain text.
    Excerpt,
    /// The record's absolute URL.
    Url,
    /// Minutes that the whole body takes to read.
    ReadingTime,
    /// The reader's access to the body.
    Access,
    /// The reader's right to comment.
    Comments,
    /// The benefits of a tier.
    Benefits,
    /// The monthly price of a tier.
    MonthlyPrice,
    /// The yearly price of a tier.
    YearlyPrice,
    /// Always null, even if requested.
    AlwaysNull,
}

/// The API that serves the records of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKind {
    /// The Content API, for everybody.
    Content,
    /// The Admin API, for staff and integrations.
    Admin,
}

/// The access of an API to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposure {
    /// Served, and available to filters and orders if the record holds it.
    Public,
    /// Served only if requested by an include or a format.
    OnRequest,
    /// Not served, but available to filters and orders (Ghost 6.65, recorded: `type`).
    QueryOnly,
    /// Not served; readers' conditions and orders on it are ignored, so that it cannot be probed.
    Private,
}

/// One row: a field of the records `R`.
pub struct Field<R: 'static> {
    /// Its name on the wire.
    pub name: &'static str,
    /// Its encoding.
    pub kind: FieldType,
    /// The source of its value.
    pub source: Source<R>,
    /// Its exposure in the Content API.
    to_readers: Exposure,
    /// Its exposure in the Admin API.
    to_staff: Exposure,
    /// True if it may be null in a response.
    pub nullable: bool,
    /// Part of a side record that may be missing, as a whole or in this; then "is not x" holds
    /// (Ghost 6.65, observed).
    pub in_side_record: bool,
    /// A form of a post's body: staff's filters and orders read it from the store.
    pub is_of_body: bool,
    /// True if filters and orders can use it; as a name in them it is unknown otherwise.
    is_queried: bool,
    /// The handling in changes, content files, imports and exports, if it is a text that they set.
    pub stored: Option<StoredText<R>>,
}

/// A form of a post's body that filters and orders can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyForm {
    /// HTML, in stored form.
    Html,
    /// The plain text of the HTML.
    Plaintext,
    /// The editor's document, in stored form.
    Lexical,
}

/// The handling in a filter of a field that the table does not have (Ghost 6.65, recorded).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownField {
    /// The request is refused.
    Refuse,
    /// The condition is ignored.
    Ignore,
    /// It is null.
    Null,
}

/// The rows of one resource.
pub struct Schema<R: 'static> {
    /// The resource's name on the wire, plural.
    pub name: &'static str,
    /// The API that serves the records.
    pub api: ApiKind,
    /// Its rows, in the order in which they are served.
    pub fields: &'static [&'static [Field<R>]],
    /// Further names that are ignored in filters and orders, also as a part of a dotted name:
    /// columns that Ghost does not disclose.
    pub private: &'static [&'static str],
    /// The handling of other names in a filter.
    pub unknown: UnknownField,
}

/// Names that readers' filters and orders cannot use on any resource, also as a part of a dotted
/// name, ignoring case (Ghost 6.65, recorded).
pub const PRIVATE_EVERYWHERE: &[&str] = &[
    "password",
    "email",
    "email_only",
    "html",
    "plaintext",
    "lexical",
    "mobiledoc",
    "locale",
    "newsletter_id",
    "email_recipient_filter",
    "published_by",
    "post_revisions",
    "mobiledoc_revisions",
];

/// The result of looking up a name in a filter or an order.
pub enum Lookup<R: 'static> {
    /// A field that can be used.
    Field(&'static Field<R>),
    /// A field that is private.
    Private,
    /// There is no such field.
    Unknown,
}

impl<R> Schema<R> {
    /// Returns all rows, in the order in which they are served.
    pub fn rows(&self) -> impl Iterator<Item = &'static Field<R>> + use<R> {
        self.fields.iter().flat_map(|group| group.iter())
    }

    /// Returns the rows that responses have, some of them only if requested.
    pub fn served(&'static self) -> impl Iterator<Item = &'static Field<R>> {
        let is_served = |exposure| matches!(exposure, Exposure::Public | Exposure::OnRequest);
        self.rows()
            .filter(move |field| is_served(self.exposure(field)))
    }

    /// Returns the row called `name`, whatever its exposure.
    pub fn row(&self, name: &str) -> Option<&'static Field<R>> {
        self.rows().find(|field| field.name == name)
    }

    /// Returns a name of a filter or an order without the table that it begins with: `posts.title`
    /// is `title` of posts, and `posts_meta.og_title` is `og_title`. Pages are posts there, and
    /// authors are users (Ghost 6.65, observed).
    pub fn without_table<'a>(&self, name: &'a str) -> &'a str {
        let table = match self.name {
            "pages" => "posts",
            "authors" => "users",
            name => name,
        };
        match name.split_once('.') {
            Some((own, column)) if own == table => column,
            Some(("posts_meta", column)) if self.is_side(column) => column,
            _ => name,
        }
    }

    /// Returns whether the field called `name` is in the side record.
    fn is_side(&self, name: &str) -> bool {
        self.rows()
            .any(|field| field.name == name && field.in_side_record)
    }

    /// Returns the rows that are shown and stored in the record, and whose values differ between
    /// two records.
    pub fn changed(&self, before: &R, after: &R) -> Vec<&'static Field<R>> {
        let is_changed = |field: &&'static Field<R>| {
            field.is_stored()
                && self.exposure(field) == Exposure::Public
                && field.value(before) != field.value(after)
        };
        self.rows().filter(is_changed).collect()
    }

    /// Returns those of `names` that are fields of the record itself and have no value in `record`.
    pub fn without_value(&self, record: &R, names: &[&'static str]) -> Vec<&'static str> {
        let has_none = |name: &&&'static str| {
            self.row(name).is_some_and(|field| {
                field.is_stored() && !field.in_side_record && field.value(record) == Value::Null
            })
        };
        names.iter().filter(has_none).copied().collect()
    }

    /// Returns how this table's API exposes one of its rows.
    pub fn exposure(&self, field: &Field<R>) -> Exposure {
        match self.api {
            ApiKind::Content => field.to_readers,
            ApiKind::Admin => field.to_staff,
        }
    }

    /// Returns the use of `name` in a filter or an order. For staff, a field that is not served
    /// is unknown.
    pub fn lookup(&self, name: &str) -> Lookup<R> {
        let is_to_readers = self.api == ApiKind::Content;
        let hides =
            |part: &str| is_one_of(part, self.private) || (is_to_readers && self.hides(part));
        // Each part counts: `authors.password` must be as invisible as `password`.
        if name.split('.').any(hides) {
            return Lookup::Private;
        }
        let can_be_queried = |field: &&Field<R>| {
            // Columns that Ghost never fills, including the reading time, are null to a filter
            // (Ghost 6.65, observed).
            let has_value =
                !matches!(field.source, Source::View(view) if view != ViewField::ReadingTime);
            field.name == name
                && field.is_queried
                && self.exposure(field) != Exposure::Private
                && (has_value || field.is_of_body)
        };
        // If two rows share a name, a query uses the one for queries only.
        let is_for_queries = |field: &&Field<R>| self.exposure(field) == Exposure::QueryOnly;
        let rows = self.rows().filter(can_be_queried);
        rows.max_by_key(is_for_queries)
            .map_or(Lookup::Unknown, Lookup::Field)
    }

    /// Returns whether the name is hidden from readers, ignoring case.
    fn hides(&self, name: &str) -> bool {
        let is_hidden_row = |field: &Field<R>| {
            field.to_readers == Exposure::Private && field.name.eq_ignore_ascii_case(name)
        };
        is_one_of(name, PRIVATE_EVERYWHERE) || self.rows().any(is_hidden_row)
    }
}

fn is_one_of(name: &str, hidden: &[&str]) -> bool {
    hidden
        .iter()
        .any(|hidden| name.eq_ignore_ascii_case(hidden))
}

impl<R> Field<R> {
    /// Returns a field that is stored in the record and always has a value.
    pub const fn required(
        name: &'static str,
        kind: FieldType,
        get: for<'a> fn(&'a R) -> Value<'a>,
    ) -> Self {
        Self {
            name,
            kind,
            source: Source::Record(get),
            to_readers: Exposure::Public,
            to_staff: Exposure::Public,
            nullable: false,
            in_side_record: false,
            is_of_body: false,
            is_queried: true,
            stored: None,
        }
    }

    /// Returns a field that is stored in the record and may be null.
    pub const fn optional(
        name: &'static str,
        kind: FieldType,
        get: for<'a> fn(&'a R) -> Value<'a>,
    ) -> Self {
        Self {
            nullable: true,
            ..Self::required(name, kind, get)
        }
    }

    /// Returns a field of a side record.
    pub const fn side(
        name: &'static str,
        kind: FieldType,
        get: for<'a> fn(&'a R) -> Value<'a>,
    ) -> Self {
        Self {
            in_side_record: true,
            ..Self::optional(name, kind, get)
        }
    }

    /// Returns a field that the view computes.
    pub const fn view(
        name: &'static str,
        kind: FieldType,
        view: ViewField,
        nullable: bool,
    ) -> Self {
        Self {
            name,
            kind,
            source: Source::View(view),
            to_readers: Exposure::Public,
            to_staff: Exposure::Public,
            nullable,
            in_side_record: false,
            is_of_body: false,
            is_queried: true,
            stored: None,
        }
    }

    /// Returns the same field, served only if requested.
    pub const fn on_request(self) -> Self {
        Self {
            to_readers: Exposure::OnRequest,
            to_staff: Exposure::OnRequest,
            ..self
        }
    }

    /// Returns the same field, for filters and orders only.
    pub const fn query_only(self) -> Self {
        Self {
            to_readers: Exposure::QueryOnly,
            to_staff: Exposure::QueryOnly,
            ..self
        }
    }

    /// Returns the same field, which filters and orders do not know.
    pub const fn unqueried(self) -> Self {
        Self {
            is_queried: false,
            ..self
        }
    }

    /// Returns the same field with a value for records that have none.
    pub const fn with_default(self, get: for<'a> fn(&'a R) -> Value<'a>) -> Self {
        Self {
            source: Source::Record(get),
            nullable: false,
            ..self
        }
    }

    /// Returns the same field, for readers only.
    pub const fn readers_only(self) -> Self {
        Self {
            to_staff: Exposure::Private,
            ..self
        }
    }

    /// Returns the same field, for staff only: readers can neither read nor query it.
    pub const fn staff_only(self) -> Self {
        Self {
            to_readers: Exposure::Private,
            ..self
        }
    }

    /// Returns the same field as a form of a post's body, which filters and orders of staff read.
    pub const fn of_body(self) -> Self {
        Self {
            is_of_body: true,
            ..self
        }
    }

    /// Returns the form of a post's body that the field is; `None` for every other field, and for a
    /// form that is never stored.
    pub fn body_form(&self) -> Option<BodyForm> {
        match self.source {
            _ if !self.is_of_body => None,
            Source::View(ViewField::Html) => Some(BodyForm::Html),
            Source::View(ViewField::Plaintext) => Some(BodyForm::Plaintext),
            Source::View(ViewField::Lexical) => Some(BodyForm::Lexical),
            _ => None,
        }
    }

    /// Returns whether the record has the value, so that no view computes it.
    pub fn is_stored(&self) -> bool {
        !matches!(self.source, Source::View(_))
    }

    /// Returns the value in `record`; null for a field that the view computes.
    pub fn value<'a>(&self, record: &'a R) -> Value<'a> {
        match self.source {
            Source::Record(get) => get(record),
            Source::Named(get) => get(record, self.name),
            Source::View(_) => Value::Null,
        }
    }
}
