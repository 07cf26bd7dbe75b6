//! The fields that events of members are filtered by (Ghost 6.65, observed). The list is served by
//! kind of event, not by these rows.

use super::{
    Audience, Field,
    FieldType::{Text, Time},
    Schema, UnknownField,
};
use crate::{
    catalog::value::Value,
    domain::member_event::{MemberEvent, MemberEventKind},
};

/// The fields of member events, for filters.
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
            MemberEventKind::Newsletter { newsletter, .. } => Value::Id(newsletter),
            _ => Value::Null,
        },
    )
    .query_only(),
    // No recorded event belongs to a post.
    Field::optional("data.post_id", Text, |_: &MemberEvent| Value::Null).query_only(),
];
