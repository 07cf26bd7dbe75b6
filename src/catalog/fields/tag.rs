//! The fields of tags (specification 2.5).

use super::{
    Audience, Field,
    FieldType::{Address, Markup, Text, Time},
    Schema, UnknownField, ViewField,
};
use crate::{catalog::value::Value, domain::tag::Tag};

/// The fields of tags, to readers.
pub static TAGS: Schema<Tag> = Schema {
    name: "tags",
    audience: Audience::Readers,
    fields: &[FIELDS],
    private: &["parent_id", "parent"],
    unknown: UnknownField::Refuse,
};

/// The fields of tags, to staff.
pub static STAFF_TAGS: Schema<Tag> = Schema {
    name: "tags",
    audience: Audience::Staff,
    fields: &[FIELDS, COLUMNS],
    private: &[],
    unknown: UnknownField::Refuse,
};

/// Fields for filters and orders that are not in responses.
const COLUMNS: &[Field<Tag>] = &[Field::optional("parent_id", Text, |_: &Tag| Value::Null)
    .query_only()
    .staff_only()];

const FIELDS: &[Field<Tag>] = &[
    Field::required("id", Text, |tag| Value::Id(tag.id)),
    Field::required("name", Text, |tag| (&*tag.name).into()),
    Field::required("slug", Text, |tag| (&*tag.slug).into()),
    Field::optional("description", Text, |tag| {
        Value::optional_text(tag.description.as_deref())
    }),
    Field::optional("feature_image", Address, |tag| {
        Value::optional_text(tag.feature_image.as_deref())
    }),
    Field::required("visibility", Text, |tag| tag.visibility().into()),
    Field::optional("og_image", Address, |tag| {
        Value::optional_text(tag.og_image.as_deref())
    }),
    Field::optional("og_title", Text, |tag| {
        Value::optional_text(tag.og_title.as_deref())
    }),
    Field::optional("og_description", Text, |tag| {
        Value::optional_text(tag.og_description.as_deref())
    }),
    Field::optional("twitter_image", Address, |tag| {
        Value::optional_text(tag.twitter_image.as_deref())
    }),
    Field::optional("twitter_title", Text, |tag| {
        Value::optional_text(tag.twitter_title.as_deref())
    }),
    Field::optional("twitter_description", Text, |tag| {
        Value::optional_text(tag.twitter_description.as_deref())
    }),
    Field::optional("meta_title", Text, |tag| {
        Value::optional_text(tag.meta_title.as_deref())
    }),
    Field::optional("meta_description", Text, |tag| {
        Value::optional_text(tag.meta_description.as_deref())
    }),
    Field::optional("codeinjection_head", Markup, |tag| {
        Value::optional_text(tag.codeinjection_head.as_deref())
    }),
    Field::optional("codeinjection_foot", Markup, |tag| {
        Value::optional_text(tag.codeinjection_foot.as_deref())
    }),
    Field::optional("canonical_url", Address, |tag| {
        Value::optional_text(tag.canonical_url.as_deref())
    }),
    Field::optional("accent_color", Text, |tag| {
        Value::optional_text(tag.accent_color.as_deref())
    }),
    Field::required("created_at", Time, |tag: &Tag| Value::Time(tag.created_at)).staff_only(),
    Field::required("updated_at", Time, |tag: &Tag| Value::Time(tag.updated_at)).staff_only(),
    Field::view("url", Text, ViewField::Url, false),
];
