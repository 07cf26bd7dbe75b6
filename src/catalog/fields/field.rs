//! One row of a table of fields.

use crate::catalog::{fields::stored::StoredText, value::Value};

/// The encoding of a field in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// Text, unchanged.
    Text,
    /// A URL: stored relative to the site, served absolute.
    Url,
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
pub enum FieldSource<R: 'static> {
    /// The value is in the record; filters and orders can use it.
    Record(for<'a> fn(&'a R) -> Value<'a>),
    /// The value is in the record; the function takes the name of the field.
    Named(for<'a> fn(&'a R, &'static str) -> Value<'a>),
    /// The view computes the value for each response.
    View(ViewField),
}

/// Fields that are computed for a response, not only from the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewField {
    /// The body as HTML; for readers, limited to the part that they have access to.
    Html,
    /// The body as plain text; for readers, limited to the part that they have access to.
    Plaintext,
    /// The body as the editor's document.
    Lexical,
    /// The body as a document of Ghost's earlier editor; always null.
    Mobiledoc,
    /// The author's summary, or the start of the plain text.
    Excerpt,
    /// The record's absolute URL.
    Url,
    /// The reading time of the whole body, in minutes.
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

/// The access of an API to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposure {
    /// Served, and available to filters and orders if the record holds it.
    Public,
    /// Served only if requested by an include or a format.
    OnRequest,
    /// Not served, but available to filters and orders (Ghost 6.65, recorded: `type`).
    QueryOnly,
    /// Not served; conditions and orders that use the field are ignored, so that its values cannot
    /// be probed.
    Private,
}

/// One row: a field of the records `R`.
pub struct Field<R: 'static> {
    /// Its name on the wire.
    pub name: &'static str,
    /// Its encoding.
    pub kind: FieldType,
    /// The source of its value.
    pub source: FieldSource<R>,
    /// Its exposure in the Content API.
    pub(super) to_readers: Exposure,
    /// Its exposure in the Admin API.
    pub(super) to_staff: Exposure,
    /// True if it may be null in a response.
    pub nullable: bool,
    /// True if the field is part of metadata that may be missing. If the value or the metadata is
    /// missing, "is not x" holds (Ghost 6.65, observed).
    pub in_side_record: bool,
    /// True if the field is a form of a post's body. Filters and orders of staff read it from the
    /// store.
    pub is_of_body: bool,
    /// True if filters and orders can use the field; otherwise its name is unknown to them.
    pub(super) is_queried: bool,
    /// The handling in changes, content files, imports and exports, if the field is a text that
    /// they can set.
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
            source: FieldSource::Record(get),
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

    /// Returns a field of metadata that may be missing.
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
            source: FieldSource::View(view),
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

    /// Returns the same field, available to filters and orders only.
    pub const fn query_only(self) -> Self {
        Self {
            to_readers: Exposure::QueryOnly,
            to_staff: Exposure::QueryOnly,
            ..self
        }
    }

    /// Returns the same field, unknown to filters and orders.
    pub const fn unqueried(self) -> Self {
        Self {
            is_queried: false,
            ..self
        }
    }

    /// Returns the same field with a default for records without a value.
    pub const fn with_default(self, get: for<'a> fn(&'a R) -> Value<'a>) -> Self {
        Self {
            source: FieldSource::Record(get),
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

    /// Returns the same field, for staff only. Readers can neither read nor query it.
    pub const fn staff_only(self) -> Self {
        Self {
            to_readers: Exposure::Private,
            ..self
        }
    }

    /// Returns the same field, marked as a form of a post's body that filters and orders of staff
    /// can use.
    pub const fn of_body(self) -> Self {
        Self {
            is_of_body: true,
            ..self
        }
    }

    /// Returns the form of a post's body that the field represents; `None` for other fields, and
    /// for a form that is never stored.
    pub fn body_form(&self) -> Option<BodyForm> {
        match self.source {
            _ if !self.is_of_body => None,
            FieldSource::View(ViewField::Html) => Some(BodyForm::Html),
            FieldSource::View(ViewField::Plaintext) => Some(BodyForm::Plaintext),
            FieldSource::View(ViewField::Lexical) => Some(BodyForm::Lexical),
            _ => None,
        }
    }

    /// Returns whether the value is in the record rather than computed by a view.
    pub fn is_stored(&self) -> bool {
        !matches!(self.source, FieldSource::View(_))
    }

    /// Returns the value in `record`; null for a field that the view computes.
    pub fn value<'a>(&self, record: &'a R) -> Value<'a> {
        match self.source {
            FieldSource::Record(get) => get(record),
            FieldSource::Named(get) => get(record, self.name),
            FieldSource::View(_) => Value::Null,
        }
    }
}
