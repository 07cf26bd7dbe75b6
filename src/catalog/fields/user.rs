//! The fields of staff users: readers see them as authors, without the private ones (specification
//! 2.3; those for staff as recorded from Ghost 6.65).

use super::{
    Audience, Field,
    FieldType::{Address, Boolean, Text, Time},
    Schema, UnknownField, ViewField,
};
use crate::{
    catalog::value::Value,
    domain::user::{SocialAccounts, User},
};

/// The fields of users, to readers.
pub static AUTHORS: Schema<User> = Schema {
    name: "authors",
    audience: Audience::Readers,
    fields: &[FIELDS, COLUMNS],
    private: &["visibility", "roles"],
    unknown: UnknownField::Refuse,
};

/// The fields of users, to staff.
pub static USERS: Schema<User> = Schema {
    name: "users",
    audience: Audience::Staff,
    fields: &[FIELDS, COLUMNS],
    private: &["password"],
    unknown: UnknownField::Refuse,
};

/// Fields for filters and orders that are not in responses.
const COLUMNS: &[Field<User>] = &[
    Field::optional("locale", Text, |user: &User| {
        Value::optional_text(user.locale.as_deref())
    })
    .query_only()
    .staff_only(),
    Field::required("visibility", Text, |_: &User| "public".into())
        .query_only()
        .staff_only(),
    Field::required("roles.id", Text, |user: &User| Value::Id(user.role.id()))
        .query_only()
        .staff_only(),
    Field::required("roles.name", Text, |user: &User| user.role.name().into())
        .query_only()
        .staff_only(),
    Field::required("roles.description", Text, |user: &User| {
        user.role.description().into()
    })
    .query_only()
    .staff_only(),
    // Gift subscriptions are not supported.
    Field::required("gift_subscription_notifications", Boolean, |_: &User| {
        Value::Boolean(true)
    })
    .query_only()
    .staff_only(),
];

/// Appearance of the editor for a user who never chose one.
const ACCESSIBILITY: &str = r#"{"nightShift":"system"}"#;

const FIELDS: &[Field<User>] = &[
    Field::required("id", Text, |user| Value::Id(user.id)),
    Field::required("name", Text, |user| (&*user.name).into()),
    Field::required("slug", Text, |user| (&*user.slug).into()),
    Field::optional("email", Text, |user: &User| {
        Value::optional_text(user.email.as_deref())
    })
    .staff_only(),
    Field::optional("profile_image", Address, |user| {
        Value::optional_text(user.profile_image.as_deref())
    }),
    Field::optional("cover_image", Address, |user| {
        Value::optional_text(user.cover_image.as_deref())
    }),
    Field::optional("bio", Text, |user| {
        Value::optional_text(user.bio.as_deref())
    }),
    Field::optional("website", Text, |user| {
        Value::optional_text(user.website.as_deref())
    }),
    Field::optional("location", Text, |user| {
        Value::optional_text(user.location.as_deref())
    }),
    Field::optional("facebook", Text, |user| {
        social(user, |accounts| &accounts.facebook)
    }),
    Field::optional("twitter", Text, |user| {
        social(user, |accounts| &accounts.twitter)
    }),
    Field::optional("threads", Text, |user| {
        social(user, |accounts| &accounts.threads)
    }),
    Field::optional("bluesky", Text, |user| {
        social(user, |accounts| &accounts.bluesky)
    }),
    Field::optional("mastodon", Text, |user| {
        social(user, |accounts| &accounts.mastodon)
    }),
    Field::optional("tiktok", Text, |user| {
        social(user, |accounts| &accounts.tiktok)
    }),
    Field::optional("youtube", Text, |user| {
        social(user, |accounts| &accounts.youtube)
    }),
    Field::optional("instagram", Text, |user| {
        social(user, |accounts| &accounts.instagram)
    }),
    Field::optional("linkedin", Text, |user| {
        social(user, |accounts| &accounts.linkedin)
    }),
    Field::required("accessibility", Text, |user: &User| {
        user.accessibility
            .as_deref()
            .unwrap_or(ACCESSIBILITY)
            .into()
    })
    .staff_only(),
    Field::required("status", Text, |user: &User| user.status.name().into()).staff_only(),
    Field::optional("meta_title", Text, |user| {
        Value::optional_text(user.meta_title.as_deref())
    }),
    Field::optional("meta_description", Text, |user| {
        Value::optional_text(user.meta_description.as_deref())
    }),
    Field::optional("tour", Text, |user: &User| {
        Value::optional_text(user.tour.as_deref())
    })
    .staff_only(),
    Field::optional("last_seen", Time, |user: &User| {
        Value::optional_time(user.last_seen)
    })
    .staff_only(),
    notification("comment_notifications", |user| {
        Value::Boolean(user.notifications.comments)
    }),
    notification("free_member_signup_notification", |user| {
        Value::Boolean(user.notifications.free_signups)
    }),
    notification("paid_subscription_started_notification", |user| {
        Value::Boolean(user.notifications.paid_starts)
    }),
    notification("paid_subscription_canceled_notification", |user| {
        Value::Boolean(user.notifications.paid_cancellations)
    }),
    notification("mention_notifications", |user| {
        Value::Boolean(user.notifications.mentions)
    }),
    notification("recommendation_notifications", |user| {
        Value::Boolean(user.notifications.recommendations)
    }),
    notification("milestone_notifications", |user| {
        Value::Boolean(user.notifications.milestones)
    }),
    notification("donation_notifications", |user| {
        Value::Boolean(user.notifications.donations)
    }),
    Field::required("created_at", Time, |user: &User| {
        Value::Time(user.created_at)
    })
    .staff_only(),
    Field::required("updated_at", Time, |user: &User| {
        Value::Time(user.updated_at)
    })
    .staff_only(),
    Field::view("url", Text, ViewField::Url, false),
];

/// Returns a field for one kind of notification mail.
const fn notification(name: &'static str, get: for<'a> fn(&'a User) -> Value<'a>) -> Field<User> {
    Field::required(name, Boolean, get).staff_only()
}

fn social(user: &User, get: fn(&SocialAccounts) -> &Option<Box<str>>) -> Value<'_> {
    Value::optional_text(get(&user.social).as_deref())
}
