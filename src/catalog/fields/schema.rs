//! The table of fields of one resource.

use crate::catalog::{
    fields::field::{Exposure, Field, FieldSource, ViewField},
    value::Value,
};

/// The API that serves the records of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKind {
    /// The Content API, for readers.
    Content,
    /// The Admin API, for staff and integrations.
    Admin,
}

/// The handling of unknown fields in filters (Ghost 6.65, recorded).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownField {
    /// The request is rejected.
    Refuse,
    /// The condition is ignored.
    Ignore,
    /// The field counts as null.
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
    /// Further names that are ignored in filters and orders, also as a part of a dotted name. These
    /// are columns that Ghost does not disclose.
    pub private: &'static [&'static str],
    /// The handling of other names in a filter.
    pub unknown: UnknownField,
}

/// Names that readers cannot use in filters and orders of any resource, also as a part of a dotted
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
pub enum FieldLookup<R: 'static> {
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

    /// Returns the rows that appear in responses, some of them only on request.
    pub fn served(&'static self) -> impl Iterator<Item = &'static Field<R>> {
        let is_served = |exposure| matches!(exposure, Exposure::Public | Exposure::OnRequest);
        self.rows()
            .filter(move |field| is_served(self.exposure(field)))
    }

    /// Returns the row called `name`, regardless of its exposure.
    pub fn row(&self, name: &str) -> Option<&'static Field<R>> {
        self.rows().find(|field| field.name == name)
    }

    /// Returns a name in a filter or an order without its table prefix: `title` for `posts.title`,
    /// and `og_title` for `posts_meta.og_title`. The table of pages is `posts`, and the table of
    /// authors is `users` (Ghost 6.65, observed).
    pub fn without_table<'a>(&self, name: &'a str) -> &'a str {
        let table = match self.name {
            "pages" => "posts",
            "authors" => "users",
            name => name,
        };
        match name.split_once('.') {
            Some((own, column)) if own == table => column,
            // Only columns of that table: `posts_meta.title` is unknown, not the title of the post.
            Some(("posts_meta", column)) if self.is_side(column) => column,
            _ => name,
        }
    }

    /// Returns whether the field called `name` is part of metadata that may be missing.
    fn is_side(&self, name: &str) -> bool {
        self.rows()
            .any(|field| field.name == name && field.in_side_record)
    }

    /// Returns the rows that are served and stored in the record, and whose values differ between
    /// two records.
    pub fn changed(&self, before: &R, after: &R) -> Vec<&'static Field<R>> {
        let is_changed = |field: &&'static Field<R>| {
            field.is_stored()
                && self.exposure(field) == Exposure::Public
                && field.value(before) != field.value(after)
        };
        self.rows().filter(is_changed).collect()
    }

    /// Returns the `names` of fields that are stored in the record itself and have no value in
    /// `record`.
    pub fn without_value(&self, record: &R, names: &[&'static str]) -> Vec<&'static str> {
        let has_none = |name: &&&'static str| {
            self.row(name).is_some_and(|field| {
                field.is_stored() && !field.in_side_record && field.value(record) == Value::Null
            })
        };
        names.iter().filter(has_none).copied().collect()
    }

    /// Returns the exposure of a row in the API of this schema.
    pub fn exposure(&self, field: &Field<R>) -> Exposure {
        match self.api {
            ApiKind::Content => field.to_readers,
            ApiKind::Admin => field.to_staff,
        }
    }

    /// Looks up `name` for a filter or an order. In the Admin API, a field that is not served is
    /// unknown.
    pub fn lookup(&self, name: &str) -> FieldLookup<R> {
        let is_to_readers = self.api == ApiKind::Content;
        let hides =
            |part: &str| is_one_of(part, self.private) || (is_to_readers && self.hides(part));
        // Each part is checked, so that `authors.password` is hidden like `password`.
        if name.split('.').any(hides) {
            return FieldLookup::Private;
        }
        let can_be_queried = |field: &&Field<R>| {
            // Columns that Ghost never fills, including the reading time, are null in filters
            // (Ghost 6.65, observed).
            let has_value =
                !matches!(field.source, FieldSource::View(view) if view != ViewField::ReadingTime);
            field.name == name
                && field.is_queried
                && self.exposure(field) != Exposure::Private
                && (has_value || field.is_of_body)
        };
        // If two rows have the same name, queries use the query-only row.
        let is_for_queries = |field: &&Field<R>| self.exposure(field) == Exposure::QueryOnly;
        let rows = self.rows().filter(can_be_queried);
        rows.max_by_key(is_for_queries)
            .map_or(FieldLookup::Unknown, FieldLookup::Field)
    }

    /// Returns whether the name is hidden from readers, ignoring case.
    fn hides(&self, name: &str) -> bool {
        let is_hidden_row = |field: &Field<R>| {
            field.to_readers == Exposure::Private && field.name.eq_ignore_ascii_case(name)
        };
        is_one_of(name, PRIVATE_EVERYWHERE) || self.rows().any(is_hidden_row)
    }
}

pub(super) fn is_one_of(name: &str, hidden: &[&str]) -> bool {
    hidden
        .iter()
        .any(|hidden| name.eq_ignore_ascii_case(hidden))
}
