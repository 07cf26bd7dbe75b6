//! The fields of staff users, invites and actions.
//!
//! Readers see users as authors, without private fields (specification 2.3; fields for staff as
//! recorded from Ghost 6.65).

use std::borrow::Cow;

use serde_json::{Map, json};

use super::{
    ApiKind, Field,
    FieldType::{Boolean, Integer, Text, Time},
    Requests, Schema, StoredText, TextContent, TextRules, UnknownField, ViewField,
};
use crate::{
    catalog::{
        fields::text_fields::{count_of_files, of_files, text_count, texts},
        value::Value,
    },
    domain::{
        action::{Action, ActionActor},
        invite::Invite,
        setting::{SETTINGS, Setting},
        user::User,
    },
};

/// The fields of users in the Content API, as authors.
pub static AUTHORS: Schema<User> = Schema {
    name: "authors",
    api: ApiKind::Content,
    fields: USER_ROWS,
    private: &["visibility", "roles"],
    unknown: UnknownField::Refuse,
};

/// The fields of users in the Admin API.
pub static USERS: Schema<User> = Schema {
    name: "users",
    api: ApiKind::Admin,
    fields: USER_ROWS,
    private: &["password"],
    unknown: UnknownField::Refuse,
};

/// The texts of users that clients and imports can set.
pub const USER_TEXTS: &[&StoredText<User>] = &texts::<User, { text_count(USER_ROWS) }>(USER_ROWS);

/// The texts of an author, which content files can also set.
pub const AUTHOR_TEXTS: &[&StoredText<User>] =
    &of_files::<User, { count_of_files(USER_TEXTS) }>(USER_TEXTS);

const USER_ROWS: &[&[Field<User>]] = &[USER_FIELDS, USER_COLUMNS];

/// The rules of texts about the author.
const OF_AUTHOR: TextRules = TextRules {
    requests: Requests::CheckedLater,
    ..TextRules::USUAL
};

/// The rules of texts of the account.
const OF_ACCOUNT: TextRules = TextRules {
    in_files: false,
    ..OF_AUTHOR
};

/// Fields for filters and orders that are not in responses.
const USER_COLUMNS: &[Field<User>] = &[
    Field::text(StoredText {
        name: "locale",
        content: TextContent::Plain(6),
        meaning: "The language of the admin app.",
        rules: OF_ACCOUNT,
        get: |user: &User| Value::optional_text(user.locale.as_deref()),
        set: |user, text| user.locale = text,
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

/// Default appearance of the admin app, for a user who has not chosen one.
const ACCESSIBILITY: &str = r#"{"nightShift":"system"}"#;

const USER_FIELDS: &[Field<User>] = &[
    Field::required("id", Text, |user| Value::Id(user.id)),
    Field::required("name", Text, |user| (&*user.name).into()),
    Field::required("slug", Text, |user| (&*user.slug).into()),
    Field::optional("email", Text, |user: &User| {
        Value::optional_text(user.email.as_deref())
    })
    .staff_only(),
    Field::text(StoredText {
        name: "profile_image",
        content: TextContent::Image,
        meaning: "Portrait: a path relative to this file, a path on the site, or a full URL.",
        rules: TextRules {
            aliases: &["avatar", "image", "image_url", "photo", "picture"],
            former_columns: &["image"],
            ..OF_AUTHOR
        },
        get: |user| Value::optional_text(user.profile_image.as_deref()),
        set: |user, text| user.profile_image = text,
    }),
    Field::text(StoredText {
        name: "cover_image",
        content: TextContent::Image,
        meaning: "Wide image for the author's page.",
        rules: TextRules {
            aliases: &["cover"],
            former_columns: &["cover"],
            ..OF_AUTHOR
        },
        get: |user| Value::optional_text(user.cover_image.as_deref()),
        set: |user, text| user.cover_image = text,
    }),
    Field::text(StoredText {
        name: "bio",
        content: TextContent::Plain(250),
        meaning: "A few words about the author. In a Markdown file the body serves, too.",
        rules: TextRules {
            aliases: &["description", "about"],
            ..OF_AUTHOR
        },
        get: |user| Value::optional_text(user.bio.as_deref()),
        set: |user, text| user.bio = text,
    }),
    Field::text(StoredText {
        name: "website",
        content: TextContent::Website,
        meaning: "URL of the author's own site.",
        rules: TextRules {
            aliases: &["url", "homepage"],
            ..OF_AUTHOR
        },
        get: |user| Value::optional_text(user.website.as_deref()),
        set: |user, text| user.website = text,
    }),
    Field::text(StoredText {
        name: "location",
        content: TextContent::Plain(150),
        meaning: "Location of the author.",
        rules: OF_AUTHOR,
        get: |user| Value::optional_text(user.location.as_deref()),
        set: |user, text| user.location = text,
    }),
    Field::text(StoredText {
        name: "facebook",
        content: TextContent::Account(2000),
        meaning: "Name or URL at Facebook.",
        rules: OF_AUTHOR,
        get: |user| Value::optional_text(user.social.facebook.as_deref()),
        set: |user, text| user.social.facebook = text,
    }),
    Field::text(StoredText {
        name: "twitter",
        content: TextContent::Account(2000),
        meaning: "Name at X.",
        rules: TextRules {
            aliases: &["x"],
            ..OF_AUTHOR
        },
        get: |user| Value::optional_text(user.social.twitter.as_deref()),
        set: |user, text| user.social.twitter = text,
    }),
    Field::text(StoredText {
        name: "threads",
        content: TextContent::Account(191),
        meaning: "Name at Threads.",
        rules: OF_AUTHOR,
        get: |user| Value::optional_text(user.social.threads.as_deref()),
        set: |user, text| user.social.threads = text,
    }),
    Field::text(StoredText {
        name: "bluesky",
        content: TextContent::Account(191),
        meaning: "Name at Bluesky.",
        rules: OF_AUTHOR,
        get: |user| Value::optional_text(user.social.bluesky.as_deref()),
        set: |user, text| user.social.bluesky = text,
    }),
    Field::text(StoredText {
        name: "mastodon",
        content: TextContent::Account(191),
        meaning: "Profile name or URL at Mastodon.",
        rules: OF_AUTHOR,
        get: |user| Value::optional_text(user.social.mastodon.as_deref()),
        set: |user, text| user.social.mastodon = text,
    }),
    Field::text(StoredText {
        name: "tiktok",
        content: TextContent::Account(191),
        meaning: "Name at TikTok.",
        rules: OF_AUTHOR,
        get: |user| Value::optional_text(user.social.tiktok.as_deref()),
        set: |user, text| user.social.tiktok = text,
    }),
    Field::text(StoredText {
        name: "youtube",
        content: TextContent::Account(191),
        meaning: "Name at YouTube.",
        rules: OF_AUTHOR,
        get: |user| Value::optional_text(user.social.youtube.as_deref()),
        set: |user, text| user.social.youtube = text,
    }),
    Field::text(StoredText {
        name: "instagram",
        content: TextContent::Account(191),
        meaning: "Name at Instagram.",
        rules: OF_AUTHOR,
        get: |user| Value::optional_text(user.social.instagram.as_deref()),
        set: |user, text| user.social.instagram = text,
    }),
    Field::text(StoredText {
        name: "linkedin",
        content: TextContent::Account(191),
        meaning: "Name at LinkedIn.",
        rules: OF_AUTHOR,
        get: |user| Value::optional_text(user.social.linkedin.as_deref()),
        set: |user, text| user.social.linkedin = text,
    }),
    Field::text(StoredText {
        name: "accessibility",
        content: TextContent::Scalar(65_535),
        meaning: "Preferences of the editor.",
        rules: OF_ACCOUNT,
        get: |user: &User| Value::optional_text(user.accessibility.as_deref()),
        set: |user, text| user.accessibility = text,
    })
    .with_default(|user| {
        user.accessibility
            .as_deref()
            .unwrap_or(ACCESSIBILITY)
            .into()
    })
    .staff_only(),
    Field::required("status", Text, |user: &User| user.status.name().into()).staff_only(),
    Field::text(StoredText {
        name: "meta_title",
        content: TextContent::Plain(300),
        meaning: "Title for search engines.",
        rules: OF_AUTHOR,
        get: |user| Value::optional_text(user.meta_title.as_deref()),
        set: |user, text| user.meta_title = text,
    }),
    Field::text(StoredText {
        name: "meta_description",
        content: TextContent::Plain(500),
        meaning: "Description for search engines.",
        rules: OF_AUTHOR,
        get: |user| Value::optional_text(user.meta_description.as_deref()),
        set: |user, text| user.meta_description = text,
    }),
    Field::text(StoredText {
        name: "tour",
        content: TextContent::Scalar(65_535),
        meaning: "The state of the editor's introduction.",
        rules: OF_ACCOUNT,
        get: |user: &User| Value::optional_text(user.tour.as_deref()),
        set: |user, text| user.tour = text,
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

/// The fields of invites, which only the Admin API serves.
pub static INVITES: Schema<Invite> = Schema {
    name: "invites",
    api: ApiKind::Admin,
    fields: &[INVITE_FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const INVITE_FIELDS: &[Field<Invite>] = &[
    Field::required("id", Text, |invite: &Invite| Value::Id(invite.id)).staff_only(),
    Field::required("role_id", Text, |invite: &Invite| {
        Value::Id(invite.role.id())
    })
    .staff_only(),
    // Always sent, because the mail is queued together with the invite.
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

/// The fields of actions.
pub static ACTIONS: Schema<Action> = Schema {
    name: "actions",
    api: ApiKind::Admin,
    fields: &[ACTION_FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const ACTION_FIELDS: &[Field<Action>] = &[
    Field::required("id", Text, |action| Value::Id(action.id)),
    Field::required("resource_id", Text, |action| Value::Id(action.resource_id)),
    Field::required("resource_type", Text, |action| {
        (&*action.resource_type).into()
    }),
    Field::optional("actor_id", Text, |action| match action.actor {
        ActionActor::User(id) | ActionActor::Integration(id) => Value::Id(id),
        ActionActor::Operator => Value::Null,
    }),
    Field::required("actor_type", Text, |action| {
        match action.actor {
            ActionActor::User(_) => "user",
            ActionActor::Integration(_) => "integration",
            ActionActor::Operator => "operator",
        }
        .into()
    }),
    Field::required("event", Text, |action| action.event.name().into()),
    Field::required("context", Text, |action| {
        Value::Text(Cow::Owned(context(action)))
    }),
    Field::required("created_at", Time, |action| Value::Time(action.created_at)),
];

fn setting(action: &Action) -> Option<&'static Setting> {
    let key = match &*action.resource_type {
        "setting" => action.name.as_deref()?,
        _ => return None,
    };
    SETTINGS.iter().find(|setting| setting.key == key)
}

/// Returns further details as JSON text.
fn context(action: &Action) -> String {
    let mut context = Map::new();
    if !action.ignored_fields.is_empty() {
        context.insert("ignored_fields".to_owned(), json!(action.ignored_fields));
    }
    // A setting is identified by its key and its group (Ghost 6.65, observed).
    if let Some(setting) = setting(action) {
        context.insert("key".to_owned(), json!(setting.key));
        context.insert("group".to_owned(), json!(setting.group()));
        return json!(context).to_string();
    }
    if let Some(kind) = &action.kind {
        context.insert("type".to_owned(), json!(kind));
    }
    if let Some(name) = &action.name {
        context.insert("primary_name".to_owned(), json!(name));
    }
    if let Some(count) = action.count {
        context.insert("count".to_owned(), json!(count));
    }
    json!(context).to_string()
}
