//! The tables of fields: one row for each field of each resource.
//!
//! A row says what the field is called, how it is served, where its value comes from, and whether the Content API shows
//! it and lets filters and orders use it. Serialisation, `fields=`, filters, orders and the schema documents all read
//! these rows, so they cannot disagree.

mod newsletter;
mod post;
mod tag;
mod tier;
mod user;

pub use newsletter::NEWSLETTERS;
pub use post::{PAGES, POSTS};
pub use tag::TAGS;
pub use tier::TIERS;
pub use user::AUTHORS;

use super::value::Value;

/// How a field is written in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// As it is.
    Text,
    /// An address: stored relative to the site, served absolute.
    Address,
    /// HTML: the addresses in it are stored relative to the site and served absolute.
    Markup,
    /// Yes or no.
    Boolean,
    /// A whole number.
    Integer,
    /// An instant.
    Time,
    /// A list of texts.
    TextList,
}

/// Where a field's value comes from.
pub enum Source<R: 'static> {
    /// The record itself: filters and orders can use it.
    Record(for<'a> fn(&'a R) -> Value<'a>),
    /// What the view works out for each answer.
    View(ViewField),
}

/// Fields that are worked out for an answer, from more than the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewField {
    /// The body as HTML, as far as everybody may read it.
    Html,
    /// The body as plain text, likewise.
    Plaintext,
    /// The author's summary, or the start of the plain text.
    Excerpt,
    /// The record's absolute address.
    Url,
    /// Minutes that the whole body takes to read.
    ReadingTime,
    /// Whether the reader may read the body.
    Access,
    /// Whether the reader may comment.
    Comments,
    /// What a tier's members get.
    Benefits,
    /// What a month of a tier costs.
    MonthlyPrice,
    /// What a year of a tier costs.
    YearlyPrice,
    /// What was asked for is always null.
    AlwaysNull,
}

/// What the Content API does with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposure {
    /// Served, and open to filters and orders where the record holds it.
    Public,
    /// Served only when it is asked for by an include or a format.
    OnRequest,
    /// Not served, but open to filters and orders (Ghost 6.65, recorded: `type`).
    QueryOnly,
    /// Neither: conditions and orders on it are passed over, so that it cannot be probed.
    Private,
}

/// One row: a field of the records `R`.
pub struct Field<R: 'static> {
    /// Its name on the wire.
    pub name: &'static str,
    /// How it is written.
    pub kind: FieldType,
    /// Where it comes from.
    pub source: Source<R>,
    /// What the Content API does with it.
    pub exposure: Exposure,
    /// Whether it may be null in an answer.
    pub nullable: bool,
    /// Part of a side record that may be missing as a whole; then "is not x" holds (Ghost 6.65, recorded).
    pub in_side_record: bool,
}

/// What a filter does about a field that the table does not have (Ghost 6.65, recorded).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownField {
    /// The request is refused.
    Refuse,
    /// The condition is passed over.
    PassOver,
    /// Nothing is found.
    FindNothing,
}

/// The rows of one resource.
pub struct Schema<R: 'static> {
    /// The resource's name on the wire, plural.
    pub name: &'static str,
    /// Its rows, in the order in which they are served.
    pub fields: &'static [&'static [Field<R>]],
    /// Further names that are passed over in filters and orders, also as a part of a dotted name: columns that the
    /// reference keeps to itself.
    pub private: &'static [&'static str],
    /// What a filter does about other names.
    pub unknown: UnknownField,
}

/// Names that no filter and no order reaches on any resource, also as a part of a dotted name, in any case of letters
/// (Ghost 6.65, recorded).
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

/// What a table says about a name in a filter or an order.
pub enum Lookup<R: 'static> {
    /// It can be asked for.
    Field(&'static Field<R>),
    /// It exists and is nobody's business.
    Private,
    /// There is no such field.
    Unknown,
}

impl<R> Schema<R> {
    /// All rows, in the order in which they are served.
    pub fn rows(&self) -> impl Iterator<Item = &'static Field<R>> + use<R> {
        self.fields.iter().flat_map(|group| group.iter())
    }

    /// The row called `name`, whatever its exposure.
    pub fn row(&self, name: &str) -> Option<&'static Field<R>> {
        self.rows().find(|field| field.name == name)
    }

    /// What a filter or an order may do with `name`.
    pub fn lookup(&self, name: &str) -> Lookup<R> {
        let mut parts = name.split('.');
        if parts.any(|part| is_one_of(part, PRIVATE_EVERYWHERE) || is_one_of(part, self.private)) {
            return Lookup::Private;
        }
        match self.row(name) {
            Some(field) if field.exposure == Exposure::Private => Lookup::Private,
            Some(field) if matches!(field.source, Source::Record(_)) => Lookup::Field(field),
            _ => Lookup::Unknown,
        }
    }
}

fn is_one_of(name: &str, hidden: &[&str]) -> bool {
    hidden
        .iter()
        .any(|hidden| name.eq_ignore_ascii_case(hidden))
}

impl<R> Field<R> {
    /// A public field that the record holds and that always has a value.
    pub const fn required(
        name: &'static str,
        kind: FieldType,
        get: for<'a> fn(&'a R) -> Value<'a>,
    ) -> Self {
        Self {
            name,
            kind,
            source: Source::Record(get),
            exposure: Exposure::Public,
            nullable: false,
            in_side_record: false,
        }
    }

    /// A public field that the record may hold.
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

    /// A public field that may stand in a side record.
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

    /// A public field that the view works out.
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
            exposure: Exposure::Public,
            nullable,
            in_side_record: false,
        }
    }

    /// A public field that the view works out only when it is asked for.
    pub const fn view_on_request(
        name: &'static str,
        kind: FieldType,
        view: ViewField,
        nullable: bool,
    ) -> Self {
        Self {
            exposure: Exposure::OnRequest,
            ..Self::view(name, kind, view, nullable)
        }
    }

    /// A field that filters and orders can use, and that is not served.
    pub const fn query_only(
        name: &'static str,
        kind: FieldType,
        get: for<'a> fn(&'a R) -> Value<'a>,
    ) -> Self {
        Self {
            exposure: Exposure::QueryOnly,
            ..Self::required(name, kind, get)
        }
    }

    /// A field that neither is served nor can be asked about.
    pub const fn private(
        name: &'static str,
        kind: FieldType,
        get: for<'a> fn(&'a R) -> Value<'a>,
    ) -> Self {
        Self {
            exposure: Exposure::Private,
            ..Self::required(name, kind, get)
        }
    }

    /// The value in `record`; null for a field that the view works out.
    pub fn value<'a>(&self, record: &'a R) -> Value<'a> {
        match self.source {
            Source::Record(get) => get(record),
            Source::View(_) => Value::Null,
        }
    }
}
