//! The fields of newsletters and of post emails (Ghost 6.65, recorded).

use std::borrow::Cow;

use super::{
    ApiKind, Field, FieldSource,
    FieldType::{Boolean, Integer, Text, Time, Url},
    Requests, Schema, StoredText, TextContent, TextRules, UnknownField,
};
use crate::{
    catalog::{
        fields::text_fields::{text_count, texts},
        value::Value,
    },
    domain::{
        newsletter::Newsletter,
        newsletter_design::{DESIGN, DesignChoice, DesignType},
        post_email::PostEmail,
    },
};

/// The fields of newsletters in the Content API.
pub static NEWSLETTERS: Schema<Newsletter> = Schema {
    name: "newsletters",
    api: ApiKind::Content,
    fields: &[NEWSLETTER_FIELDS],
    private: &[],
    unknown: UnknownField::Ignore,
};

/// The fields of newsletters in the Admin API.
pub static STAFF_NEWSLETTERS: Schema<Newsletter> = Schema {
    name: "newsletters",
    api: ApiKind::Admin,
    fields: &[NEWSLETTER_FIELDS, DESIGN_FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

/// The fields of the design options of mails, generated from the table of options.
const DESIGN_FIELDS: &[Field<Newsletter>] = &{
    // A constant cannot use iterators, and an array needs initial values: the first row fills it.
    let mut fields = [const { designed(&DESIGN[0]) }; DESIGN.len()];
    let mut row = 1;
    while row < DESIGN.len() {
        fields[row] = designed(&DESIGN[row]);
        row += 1;
    }
    fields
};

const fn designed(choice: &DesignChoice) -> Field<Newsletter> {
    let kind = match choice.kind {
        DesignType::Switch(_) => Boolean,
        DesignType::Image(_) => Url,
        _ => Text,
    };
    Field {
        source: FieldSource::Named(chosen),
        ..Field::optional(choice.name, kind, |_| Value::Null)
    }
    .staff_only()
}

/// Returns the value of the option called `name`.
fn chosen<'a>(newsletter: &'a Newsletter, name: &str) -> Value<'a> {
    match newsletter.chosen(name) {
        Some(serde_json::Value::Bool(is_on)) => Value::Boolean(is_on),
        Some(serde_json::Value::String(text)) => Value::Text(Cow::Owned(text)),
        _ => Value::Null,
    }
}

/// The texts of newsletters that clients, content files and imports can set. The sender address is
/// not included, because it has separate rules.
pub const NEWSLETTER_TEXTS: &[&StoredText<Newsletter>] =
    &texts::<Newsletter, { text_count(&[NEWSLETTER_FIELDS]) }>(&[NEWSLETTER_FIELDS]);

const NEWSLETTER_FIELDS: &[Field<Newsletter>] = &[
    Field::required("id", Text, |newsletter| Value::Id(newsletter.id)),
    Field::required("uuid", Text, |newsletter| Value::Uuid(newsletter.uuid)),
    Field::required("name", Text, |newsletter| (&*newsletter.name).into()),
    Field::text(StoredText {
        name: "description",
        content: TextContent::Plain(2000),
        meaning: "Description of the newsletter.",
        rules: TextRules {
            requests: Requests::CheckedLater,
            ..TextRules::USUAL
        },
        get: |newsletter| Value::optional_text(newsletter.description.as_deref()),
        set: |newsletter, text| newsletter.description = text,
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

/// The fields of emails.
///
/// Mail counts as delivered when the mail server accepts it; later bounces are not recorded. Opens
/// and clicks are not tracked.
pub static EMAILS: Schema<PostEmail> = Schema {
    name: "emails",
    api: ApiKind::Admin,
    fields: &[EMAIL_FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const EMAIL_FIELDS: &[Field<PostEmail>] = &[
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
    // Mail is not counted by domain, because all mail is sent from one domain.
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
    // The message is stored with placeholders for values that depend on the recipient, and not
    // served.
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
