//! The fields of recommendations (Ghost 6.65, recorded).

use super::{
    Audience, Field,
    FieldType::{Address, Boolean, Text, Time},
    Schema, UnknownField,
};
use crate::{catalog::value::Value, domain::recommendation::Recommendation};

/// The fields of recommendations, to readers.
pub static RECOMMENDATIONS: Schema<Recommendation> = Schema {
    name: "recommendations",
    audience: Audience::Readers,
    fields: &[FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

/// The fields of recommendations, to staff.
pub static STAFF_RECOMMENDATIONS: Schema<Recommendation> = Schema {
    name: "recommendations",
    audience: Audience::Staff,
    fields: &[FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const FIELDS: &[Field<Recommendation>] = &[
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
