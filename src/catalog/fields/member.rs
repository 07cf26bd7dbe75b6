//! The fields of members, their labels and their events (Ghost 6.65, recorded).

use super::{
    ApiKind, Field,
    FieldType::{Boolean, Integer, Text, Time},
    Schema, UnknownField,
};
use crate::{
    catalog::value::Value,
    domain::{
        label::Label,
        member::Member,
        member_event::{MemberEvent, MemberEventKind},
    },
};

/// The fields of members that lists can be filtered and ordered by. Labels, tiers and newsletters
/// are in [`crate::catalog::relation`].
pub static MEMBERS: Schema<Member> = Schema {
    name: "members",
    api: ApiKind::Admin,
    fields: &[MEMBER_FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const MEMBER_FIELDS: &[Field<Member>] = &[
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
    Field::required("status", Text, |member| member.status().name().into()),
    Field::required("created_at", Time, |member| Value::Time(member.created_at)),
    Field::required("updated_at", Time, |member| Value::Time(member.updated_at)),
    Field::optional("last_seen_at", Time, |member| {
        Value::optional_time(member.last_seen_at)
    }),
    Field::required("email_disabled", Boolean, |member: &Member| {
        Value::Boolean(member.email_suppression.is_some())
    })
    .query_only(),
    Field::required("email_count", Integer, |member| {
        Value::Integer(member.email_count.into())
    }),
    // Opened mails are not tracked.
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

/// The fields of labels.
pub static LABELS: Schema<Label> = Schema {
    name: "labels",
    api: ApiKind::Admin,
    fields: &[LABEL_FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const LABEL_FIELDS: &[Field<Label>] = &[
    Field::required("id", Text, |label| Value::Id(label.id)),
    Field::required("name", Text, |label| (&*label.name).into()),
    Field::required("slug", Text, |label| (&*label.slug).into()),
    Field::required("created_at", Time, |label| Value::Time(label.created_at)),
    Field::required("updated_at", Time, |label| Value::Time(label.updated_at)),
];

/// The fields of member events, for filters only. Responses depend on the kind of event, not on
/// these rows.
pub static MEMBER_EVENTS: Schema<MemberEvent> = Schema {
    name: "events",
    api: ApiKind::Admin,
    fields: &[EVENT_FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const EVENT_FIELDS: &[Field<MemberEvent>] = &[
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
