//! The tables of fields: one row for each field of each resource.
//!
//! A row says what the field is called, how it is served, where its value comes from, and what each of the two APIs does
//! with it: whether it is shown, and whether filters and orders may use it. Both APIs have a [`Schema`] over the same rows.
//! Serialisation, `fields=`, filters, orders and the schema documents all read these rows, so they cannot disagree.

mod action;
mod email;
mod invite;
mod label;
mod member;
mod member_event;
mod newsletter;
mod offer;
mod post;
mod recommendation;
mod snippet;
mod tag;
mod tier;
mod user;

pub use action::ACTIONS;
pub use email::EMAILS;
pub use invite::INVITES;
pub use label::LABELS;
pub use member::MEMBERS;
pub use member_event::MEMBER_EVENTS;
pub use newsletter::{NEWSLETTERS, STAFF_NEWSLETTERS};
pub use offer::OFFERS;
pub use post::{PAGES, POSTS, STAFF_PAGES, STAFF_POSTS};
pub use recommendation::{RECOMMENDATIONS, STAFF_RECOMMENDATIONS};
pub use snippet::SNIPPETS;
pub use tag::{STAFF_TAGS, TAGS};
pub use tier::{STAFF_TIERS, TIERS};
pub use user::{AUTHORS, USERS};

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
    /// The body as HTML; to readers, as far as everybody may read it.
    Html,
    /// The body as plain text, likewise.
    Plaintext,
    /// The body as the editor's document.
    Lexical,
    /// The body as a document of the editor before that one: always null.
    Mobiledoc,
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

/// Who asks for the records of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Everybody: the Content API.
    Readers,
    /// Staff and integrations: the Admin API.
    Staff,
}

/// What an API does with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposure {
    /// Served, and open to filters and orders where the record holds it.
    Public,
    /// Served only when it is asked for by an include or a format.
    OnRequest,
    /// Not served, but open to filters and orders (Ghost 6.65, recorded: `type`).
    QueryOnly,
    /// Neither: to readers, conditions and orders on it are passed over, so that it cannot be probed.
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
    to_readers: Exposure,
    /// What the Admin API does with it.
    to_staff: Exposure,
    /// Whether it may be null in an answer.
    pub nullable: bool,
    /// Part of a side record that may be missing, as a whole or in this; then "is not x" holds (Ghost 6.65, observed).
    pub in_side_record: bool,
    /// A form of a post's body: staff's filters and orders read it from the store.
    pub is_of_body: bool,
}

/// A form of a post's body that filters and orders can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyForm {
    /// HTML, in stored form.
    Html,
    /// The text of it.
    Plaintext,
    /// The editor's document, in stored form.
    Lexical,
}

/// What a filter does about a field that the table does not have (Ghost 6.65, recorded).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownField {
    /// The request is refused.
    Refuse,
    /// The condition is passed over.
    PassOver,
    /// It is null.
    Null,
}

/// The rows of one resource.
pub struct Schema<R: 'static> {
    /// The resource's name on the wire, plural.
    pub name: &'static str,
    /// Who sees it so.
    pub audience: Audience,
    /// Its rows, in the order in which they are served.
    pub fields: &'static [&'static [Field<R>]],
    /// Further names that are ignored in filters and orders, also as a part of a dotted name: columns that the reference
    /// does not disclose.
    pub private: &'static [&'static str],
    /// What a filter does about other names.
    pub unknown: UnknownField,
}

/// Names that no reader's filter and order reaches on any resource, also as a part of a dotted name, in any case of letters
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

    /// Returns a name of a filter or an order without the table that it begins with: `posts.title` is `title` of posts, and
    /// `posts_meta.og_title` is `og_title`. Pages are posts there, and authors are users (Ghost 6.65, observed).
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

    /// Whether the field called `name` stands in the side record.
    fn is_side(&self, name: &str) -> bool {
        self.rows()
            .any(|field| field.name == name && field.in_side_record)
    }

    /// The rows that are shown and held by the record, and in which two records differ.
    pub fn changed(&self, before: &R, after: &R) -> Vec<&'static Field<R>> {
        let is_changed = |field: &&'static Field<R>| match field.source {
            Source::Record(get) => {
                self.exposure(field) == Exposure::Public && get(before) != get(after)
            }
            Source::View(_) => false,
        };
        self.rows().filter(is_changed).collect()
    }

    /// Returns those of `names` that are fields of the record itself and have no value in `record`.
    pub fn without_value(&self, record: &R, names: &[&'static str]) -> Vec<&'static str> {
        let has_none = |name: &&&'static str| {
            self.row(name).is_some_and(|field| match field.source {
                Source::Record(get) => !field.in_side_record && get(record) == Value::Null,
                Source::View(_) => false,
            })
        };
        names.iter().filter(has_none).copied().collect()
    }

    /// What this table's API does with one of its rows.
    pub fn exposure(&self, field: &Field<R>) -> Exposure {
        match self.audience {
            Audience::Readers => field.to_readers,
            Audience::Staff => field.to_staff,
        }
    }

    /// What a filter or an order may do with `name`. Little is hidden from staff: what they are not served is unknown.
    pub fn lookup(&self, name: &str) -> Lookup<R> {
        let is_to_readers = self.audience == Audience::Readers;
        let hides =
            |part: &str| is_one_of(part, self.private) || (is_to_readers && self.hides(part));
        if name.split('.').any(hides) {
            return Lookup::Private;
        }
        let can_be_asked = |field: &&Field<R>| {
            // What the reference has a column for that it never fills, the time to read among it, is null to a filter
            // (Ghost 6.65, observed).
            let has_value = matches!(
                field.source,
                Source::Record(_) | Source::View(ViewField::ReadingTime)
            );
            field.name == name
                && self.exposure(field) != Exposure::Private
                && (has_value || field.is_of_body)
        };
        // Of two rows of one name, the one that is for queries alone says what a query means.
        let is_for_queries = |field: &&Field<R>| self.exposure(field) == Exposure::QueryOnly;
        let rows = self.rows().filter(can_be_asked);
        rows.max_by_key(is_for_queries)
            .map_or(Lookup::Unknown, Lookup::Field)
    }

    /// Whether readers reach nothing of this name, in any case of letters.
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
    /// A field that the record holds and that always has a value.
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
        }
    }

    /// A field that the record may hold.
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

    /// A field that may stand in a side record.
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

    /// A field that the view works out.
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
        }
    }

    /// The same field, served only when it is asked for.
    pub const fn on_request(self) -> Self {
        Self {
            to_readers: Exposure::OnRequest,
            to_staff: Exposure::OnRequest,
            ..self
        }
    }

    /// The same field, for filters and orders alone.
    pub const fn query_only(self) -> Self {
        Self {
            to_readers: Exposure::QueryOnly,
            to_staff: Exposure::QueryOnly,
            ..self
        }
    }

    /// The same field, for readers alone.
    pub const fn readers_only(self) -> Self {
        Self {
            to_staff: Exposure::Private,
            ..self
        }
    }

    /// The same field, for staff alone: readers are not served it and cannot ask about it.
    pub const fn staff_only(self) -> Self {
        Self {
            to_readers: Exposure::Private,
            ..self
        }
    }

    /// The same field as a form of a post's body, which staff's filters and orders read.
    pub const fn of_body(self) -> Self {
        Self {
            is_of_body: true,
            ..self
        }
    }

    /// The form of a post's body that the field is; `None` for every other field, and for a form that no body has.
    pub fn body_form(&self) -> Option<BodyForm> {
        match self.source {
            _ if !self.is_of_body => None,
            Source::View(ViewField::Html) => Some(BodyForm::Html),
            Source::View(ViewField::Plaintext) => Some(BodyForm::Plaintext),
            Source::View(ViewField::Lexical) => Some(BodyForm::Lexical),
            _ => None,
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
