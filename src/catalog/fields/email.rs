//! The fields of emails: posts that were sent by mail (Ghost 6.65, by their names on the wire).
//!
//! A mail that the mail server accepted counts as delivered; later bounces are not recorded. Opens
//! and clicks are not tracked.

use super::{
    Audience, Field,
    FieldType::{Boolean, Integer, Text, Time},
    Schema, UnknownField,
};
use crate::{catalog::value::Value, domain::post_email::PostEmail};

/// The fields of emails.
pub static EMAILS: Schema<PostEmail> = Schema {
    name: "emails",
    audience: Audience::Staff,
    fields: &[FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const FIELDS: &[Field<PostEmail>] = &[
    Field::required("id", Text, |email| Value::Id(email.id)),
    Field::required("post_id", Text, |email| Value::Id(email.post)),
    Field::required("uuid", Text, |email| Value::Uuid(email.uuid)),
    Field::required("status", Text, |email| email.status.name().into()),
    Field::required("recipient_filter", Text, |email| {
        email.segment.as_deref().unwrap_or("all").into()
    }),
    Field::optional("error", Text, |email| {
        Value::optional_text(email.error.as_deref())
    }),
    Field::optional("error_data", Text, |_| Value::Null),
    Field::required("email_count", Integer, |email| {
        Value::Integer(email.recipients.into())
    }),
    // All mail comes from one domain, so none of it is counted by domain.
    Field::optional("csd_email_count", Integer, |_| Value::Null),
    Field::required("delivered_count", Integer, |email| {
        Value::Integer(email.delivered.into())
    }),
    Field::required("opened_count", Integer, |_| Value::Integer(0)),
    Field::required("failed_count", Integer, |email| {
        Value::Integer(email.failed.into())
    }),
    Field::required("subject", Text, |email| (&*email.subject).into()),
    Field::optional("from", Text, |email| {
        Value::optional_text(email.from.as_deref())
    }),
    Field::optional("reply_to", Text, |email| {
        Value::optional_text(email.reply_to.as_deref())
    }),
    // The message is stored as it is sent, with a placeholder for each recipient's own values, and
    // not shown.
    Field::optional("html", Text, |_| Value::Null),
    Field::optional("plaintext", Text, |_| Value::Null),
    Field::optional("source", Text, |_| Value::Null),
    Field::optional("source_type", Text, |_| Value::Null),
    Field::required("track_opens", Boolean, |_| Value::Boolean(false)),
    Field::required("track_clicks", Boolean, |_| Value::Boolean(false)),
    Field::required("feedback_enabled", Boolean, |_| Value::Boolean(false)),
    Field::required("submitted_at", Time, |email| Value::Time(email.created_at)),
    Field::required("newsletter_id", Text, |email| Value::Id(email.newsletter)),
    Field::required("created_at", Time, |email| Value::Time(email.created_at)),
    Field::required("updated_at", Time, |email| Value::Time(email.updated_at)),
];
