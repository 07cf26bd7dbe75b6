//! The fields of authors (specification 2.3): staff users, without what is theirs alone.

use super::{
    Field,
    FieldType::{Address, Text, Time},
    Schema, UnknownField, ViewField,
};
use crate::{
    catalog::value::Value,
    domain::user::{SocialAccounts, User},
};

/// The fields of authors.
pub static AUTHORS: Schema<User> = Schema {
    name: "authors",
    fields: &[FIELDS],
    private: &[
        "status",
        "visibility",
        "last_seen",
        "roles",
        "tour",
        "accessibility",
        "comment_notifications",
        "free_member_signup_notification",
        "paid_subscription_started_notification",
        "paid_subscription_canceled_notification",
        "mention_notifications",
        "recommendation_notifications",
        "milestone_notifications",
        "donation_notifications",
    ],
    unknown: UnknownField::Refuse,
};

const FIELDS: &[Field<User>] = &[
    Field::required("id", Text, |user| Value::Id(user.id)),
    Field::required("name", Text, |user| (&*user.name).into()),
    Field::required("slug", Text, |user| (&*user.slug).into()),
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
    Field::optional("meta_title", Text, |user| {
        Value::optional_text(user.meta_title.as_deref())
    }),
    Field::optional("meta_description", Text, |user| {
        Value::optional_text(user.meta_description.as_deref())
    }),
    Field::view("url", Text, ViewField::Url, false),
    Field::private("created_at", Time, |user| Value::Time(user.created_at)),
    Field::private("updated_at", Time, |user| Value::Time(user.updated_at)),
];

fn social(user: &User, get: fn(&SocialAccounts) -> &Option<Box<str>>) -> Value<'_> {
    Value::optional_text(get(&user.social).as_deref())
}
