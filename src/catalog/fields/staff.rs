//! The fields of staff users, invites and actions.
//!
//! Readers see users as authors, without the private fields (specification 2.3; those for staff as
//! recorded from Ghost 6.65).

use std::borrow::Cow;

use serde_json::{Map, json};

use super::{
    Audience, Field,
    FieldType::{Address, Boolean, Integer, Text, Time},
    Schema, UnknownField, ViewField,
};
use crate::{
    catalog::value::Value,
    domain::{
        action::{Action, ActionActor},
        invite::Invite,
        setting::{SETTINGS, Setting},
        user::{SocialAccounts, User},
    },
};

/// The fields of users, to readers.
pub static AUTHORS: Schema<User> = Schema {
    name: "authors",
    audience: Audience::Readers,
    fields: &[USER_FIELDS, USER_COLUMNS],
    private: &["visibility", "roles"],
    unknown: UnknownField::Refuse,
};

/// The fields of users, to staff.
pub static USERS: Schema<User> = Schema {
    name: "users",
    audience: Audience::Staff,
    fields: &[USER_FIELDS, USER_COLUMNS],
    private: &["password"],
    unknown: UnknownField::Refuse,
};

/// Fields for filters and orders that are not in responses.
const USER_COLUMNS: &[Field<User>] = &[
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

const USER_FIELDS: &[Field<User>] = &[
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

/// The fields of invites, for staff. They are not public.
pub static INVITES: Schema<Invite> = Schema {
    name: "invites",
    audience: Audience::Staff,
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

/// The fields of actions.
pub static ACTIONS: Schema<Action> = Schema {
    name: "actions",
    audience: Audience::Staff,
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
