//! The fields of members that lists can be filtered and ordered by (Ghost 6.65, observed). Labels,
//! tiers and newsletters are in [`crate::catalog::relation`].

use super::{
    Audience, Field,
    FieldType::{Boolean, Integer, Text, Time},
    Schema, UnknownField,
};
use crate::{catalog::value::Value, domain::member::Member};

/// The fields of members.
pub static MEMBERS: Schema<Member> = Schema {
    name: "members",
    audience: Audience::Staff,
    fields: &[FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const FIELDS: &[Field<Member>] = &[
    Field::required("id", Text, |member| Value::Id(member.id)),
    Field::required("uuid", Text, |member| Value::Uuid(member.uuid)),
    Field::required("email", Text, |member| (&*member.email).into()),
    Field::optional("name", Text, |member| {
        Value::optional_text(member.name.as_deref())
    }),
    Field::optional("note", Text, |member| {
        Value::optional_text(member.note.as_deref())
    }),
    Field::optional("geolocation", Text, |member| {
        Value::optional_text(member.geolocation.as_deref())
    }),
    Field::required("status", Text, |member| member.status.name().into()),
    Field::required("created_at", Time, |member| Value::Time(member.created_at)),
    Field::required("updated_at", Time, |member| Value::Time(member.updated_at)),
    Field::optional("last_seen_at", Time, |member| {
        Value::optional_time(member.last_seen_at)
    }),
    Field::required("email_disabled", Boolean, |member: &Member| {
        Value::Boolean(member.email_suppression.is_some())
    })
    .query_only(),
    // The recipients of a mail are stored with the mail, not with the member, and opens are not
    // tracked.
    Field::required("email_count", Integer, |_| Value::Integer(0)),
    Field::required("email_opened_count", Integer, |_| Value::Integer(0)),
    Field::optional("email_open_rate", Integer, |_| Value::Null),
    Field::required("enable_comment_notifications", Boolean, |_| {
        Value::Boolean(true)
    }),
    Field::optional("last_commented_at", Time, |_| Value::Null).query_only(),
    Field::optional("expertise", Text, |_| Value::Null).query_only(),
    Field::optional("commenting", Text, |_| Value::Null).query_only(),
    // Members have one secret identifier besides their own.
    Field::required("transient_id", Text, |member: &Member| {
        Value::Uuid(member.uuid)
    })
    .query_only(),
];
