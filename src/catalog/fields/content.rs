//! The fields of tags (specification 2.5), snippets and recommendations (Ghost 6.65, recorded).

use super::{
    Audience, Field,
    FieldType::{Address, Boolean, Markup, Text, Time},
    Schema, UnknownField, ViewField,
};
use crate::{
    catalog::value::Value,
    domain::{recommendation::Recommendation, snippet::Snippet, tag::Tag},
};

/// The fields of tags, to readers.
pub static TAGS: Schema<Tag> = Schema {
    name: "tags",
    audience: Audience::Readers,
    fields: &[TAG_FIELDS],
    private: &["parent_id", "parent"],
    unknown: UnknownField::Refuse,
};

/// The fields of tags, to staff.
pub static STAFF_TAGS: Schema<Tag> = Schema {
    name: "tags",
    audience: Audience::Staff,
    fields: &[TAG_FIELDS, TAG_COLUMNS],
    private: &[],
    unknown: UnknownField::Refuse,
};

/// Fields for filters and orders that are not in responses.
const TAG_COLUMNS: &[Field<Tag>] = &[Field::optional("parent_id", Text, |_: &Tag| Value::Null)
    .query_only()
    .staff_only()];

const TAG_FIELDS: &[Field<Tag>] = &[
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

/// The fields of snippets, for staff. They are not public.
pub static SNIPPETS: Schema<Snippet> = Schema {
    name: "snippets",
    audience: Audience::Staff,
    fields: &[SNIPPET_FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const SNIPPET_FIELDS: &[Field<Snippet>] = &[
    Field::required("id", Text, |snippet: &Snippet| Value::Id(snippet.id)).staff_only(),
    Field::required("name", Text, |snippet: &Snippet| (&*snippet.name).into()).staff_only(),
    Field::view("mobiledoc", Text, ViewField::Mobiledoc, false).staff_only(),
    Field::view("lexical", Text, ViewField::Lexical, true).staff_only(),
    Field::required("created_at", Time, |snippet: &Snippet| {
        Value::Time(snippet.created_at)
    })
    .staff_only(),
    Field::required("updated_at", Time, |snippet: &Snippet| {
        Value::Time(snippet.updated_at)
    })
    .staff_only(),
];

/// The fields of recommendations, to readers.
pub static RECOMMENDATIONS: Schema<Recommendation> = Schema {
    name: "recommendations",
    audience: Audience::Readers,
    fields: &[RECOMMENDATION_FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

/// The fields of recommendations, to staff.
pub static STAFF_RECOMMENDATIONS: Schema<Recommendation> = Schema {
    name: "recommendations",
    audience: Audience::Staff,
    fields: &[RECOMMENDATION_FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const RECOMMENDATION_FIELDS: &[Field<Recommendation>] = &[
    Field::required("id", Text, |found| Value::Id(found.id)),
    Field::required("title", Text, |found| (&*found.title).into()),
    Field::optional("description", Text, |found| {
        Value::optional_text(found.description.as_deref())
    }),
    Field::optional("excerpt", Text, |found| {
        Value::optional_text(found.excerpt.as_deref())
    }),
    Field::optional("featured_image", Address, |found| {
        Value::optional_text(found.featured_image.as_deref())
    }),
    Field::optional("favicon", Address, |found| {
        Value::optional_text(found.favicon.as_deref())
    }),
    Field::required("url", Text, |found| (&*found.url).into()),
    Field::required("one_click_subscribe", Boolean, |found| {
        Value::Boolean(found.one_click_subscribe)
    }),
    Field::required("created_at", Time, |found| Value::Time(found.created_at)),
    Field::required("updated_at", Time, |found| Value::Time(found.updated_at)),
];
