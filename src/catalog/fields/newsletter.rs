//! The fields of newsletters (Ghost 6.65, recorded).

use super::{
    Audience, Field,
    FieldType::{Boolean, Integer, Text, Time},
    Schema, UnknownField,
};
use crate::{catalog::value::Value, domain::newsletter::Newsletter};

/// The fields of newsletters, to readers.
pub static NEWSLETTERS: Schema<Newsletter> = Schema {
    name: "newsletters",
    audience: Audience::Readers,
    fields: &[FIELDS],
    private: &[],
    unknown: UnknownField::PassOver,
};

/// The fields of newsletters, to staff.
pub static STAFF_NEWSLETTERS: Schema<Newsletter> = Schema {
    name: "newsletters",
    audience: Audience::Staff,
    fields: &[FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const FIELDS: &[Field<Newsletter>] = &[
    Field::required("id", Text, |newsletter| Value::Id(newsletter.id)),
    Field::required("uuid", Text, |newsletter| Value::Uuid(newsletter.uuid)),
    Field::required("name", Text, |newsletter| (&*newsletter.name).into()),
    Field::optional("description", Text, |newsletter| {
        Value::optional_text(newsletter.description.as_deref())
    }),
    Field::required("slug", Text, |newsletter| (&*newsletter.slug).into()),
    Field::optional("sender_email", Text, |newsletter| {
        Value::optional_text(newsletter.sender_email.as_deref())
    }),
    Field::required("status", Text, |newsletter: &Newsletter| {
        newsletter.status().into()
    })
    .staff_only(),
    Field::required("subscribe_on_signup", Boolean, |newsletter| {
        Value::Boolean(newsletter.subscribe_on_signup)
    }),
    Field::required("visibility", Text, |newsletter| {
        (&*newsletter.visibility).into()
    }),
    Field::required("sort_order", Integer, |newsletter| {
        Value::Integer(newsletter.sort_order.into())
    }),
    Field::required("created_at", Time, |newsletter| {
        Value::Time(newsletter.created_at)
    }),
    Field::required("updated_at", Time, |newsletter| {
        Value::Time(newsletter.updated_at)
    }),
];
