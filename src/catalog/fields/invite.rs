//! The fields of invites (Ghost 6.65, recorded).

use super::{
    Audience, Field,
    FieldType::{Integer, Text, Time},
    Schema, UnknownField,
};
use crate::{catalog::value::Value, domain::invite::Invite};

/// The fields of invites, for staff. They are not public.
pub static INVITES: Schema<Invite> = Schema {
    name: "invites",
    audience: Audience::Staff,
    fields: &[FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const FIELDS: &[Field<Invite>] = &[
    Field::required("id", Text, |invite: &Invite| Value::Id(invite.id)).staff_only(),
    Field::required("role_id", Text, |invite: &Invite| {
        Value::Id(invite.role.id())
    })
    .staff_only(),
    // The mail is queued with the invite.
    Field::required("status", Text, |_| "sent".into()).staff_only(),
    Field::required("email", Text, |invite: &Invite| (&*invite.email).into()).staff_only(),
    Field::required("expires", Integer, |invite: &Invite| {
        Value::Integer(invite.expires_at.as_millisecond())
    })
    .staff_only(),
    Field::required("created_at", Time, |invite: &Invite| {
        Value::Time(invite.created_at)
    })
    .staff_only(),
    Field::required("updated_at", Time, |invite: &Invite| {
        Value::Time(invite.updated_at)
    })
    .staff_only(),
];
