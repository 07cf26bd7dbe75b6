//! What the list of what happened to members is filtered by (Ghost 6.65, observed). It is served by kind, not by rows.

use super::{
    Audience, Field,
    FieldType::{Text, Time},
    Schema, UnknownField,
};
use crate::{
    catalog::value::Value,
    domain::member_event::{Happening, MemberEvent},
};

/// What can be asked about what happened to members.
pub static MEMBER_EVENTS: Schema<MemberEvent> = Schema {
    name: "events",
    audience: Audience::Staff,
    fields: &[FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const FIELDS: &[Field<MemberEvent>] = &[
    Field::optional("type", Text, |event: &MemberEvent| {
        Value::optional_text(event.happening.name())
    })
    .query_only(),
    Field::required("data.created_at", Time, |event: &MemberEvent| {
        Value::Time(event.created_at)
    })
    .query_only(),
    Field::required("data.member_id", Text, |event: &MemberEvent| {
        Value::Id(event.member)
    })
    .query_only(),
    Field::required("data.source", Text, |event: &MemberEvent| {
        event.source.name().into()
    })
    .query_only(),
    Field::optional(
        "data.newsletter_id",
        Text,
        |event: &MemberEvent| match event.happening {
            Happening::Newsletter { newsletter, .. } => Value::Id(newsletter),
            _ => Value::Null,
        },
    )
    .query_only(),
    // Nothing that is kept here happened at a post.
    Field::optional("data.post_id", Text, |_: &MemberEvent| Value::Null).query_only(),
];
