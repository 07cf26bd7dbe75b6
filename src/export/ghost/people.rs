//! Staff users and their roles: `users`, `roles`, `roles_users`.

use std::borrow::Cow;

use serde::Serialize;

use super::{
    super::{ExportError, Report},
    Options,
    document::{ExportDocument, Time},
};
use crate::{
    domain::{
        UNDATED,
        credentials::Credentials,
        role::Role,
        user::{Notifications, User},
    },
    id::Id,
    site::SiteSnapshot,
    store::Table,
};

/// A row of `users`.
#[derive(Serialize)]
struct UserRow<'a> {
    id: Id,
    name: &'a str,
    slug: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<&'a str>,
    email: Cow<'a, str>,
    profile_image: Option<&'a str>,
    cover_image: Option<&'a str>,
    bio: Option<&'a str>,
    website: Option<&'a str>,
    location: Option<&'a str>,
    facebook: Option<&'a str>,
    twitter: Option<&'a str>,
    threads: Option<&'a str>,
    bluesky: Option<&'a str>,
    mastodon: Option<&'a str>,
    tiktok: Option<&'a str>,
    youtube: Option<&'a str>,
    instagram: Option<&'a str>,
    linkedin: Option<&'a str>,
    status: &'a str,
    locale: Option<&'a str>,
    visibility: &'a str,
    meta_title: Option<&'a str>,
    meta_description: Option<&'a str>,
    tour: Option<&'a str>,
    accessibility: Option<&'a str>,
    #[serde(flatten)]
    notifications: NotificationColumns,
    last_seen: Option<Time>,
    created_at: Time,
    updated_at: Time,
}

/// The mail notifications of a user.
#[derive(Serialize)]
struct NotificationColumns {
    comment_notifications: bool,
    free_member_signup_notification: bool,
    paid_subscription_started_notification: bool,
    paid_subscription_canceled_notification: bool,
    mention_notifications: bool,
    recommendation_notifications: bool,
    milestone_notifications: bool,
    donation_notifications: bool,
    /// Gift subscriptions are not supported here.
    gift_subscription_notifications: bool,
}

impl From<Notifications> for NotificationColumns {
    fn from(notifications: Notifications) -> Self {
        Self {
            comment_notifications: notifications.comments,
            free_member_signup_notification: notifications.free_signups,
            paid_subscription_started_notification: notifications.paid_starts,
            paid_subscription_canceled_notification: notifications.paid_cancellations,
            mention_notifications: notifications.mentions,
            recommendation_notifications: notifications.recommendations,
            milestone_notifications: notifications.milestones,
            donation_notifications: notifications.donations,
            gift_subscription_notifications: true,
        }
    }
}

#[derive(Serialize)]
struct RoleRow {
    id: Id,
    name: &'static str,
    description: &'static str,
    created_at: Time,
    updated_at: Time,
}

#[derive(Serialize)]
struct RoleOfUser {
    id: Id,
    role_id: Id,
    user_id: Id,
}

/// Writes all tables of staff users.
pub fn write(
    snapshot: &SiteSnapshot,
    options: Options<'_>,
    document: &mut ExportDocument,
    report: &mut Report,
) -> Result<(), ExportError> {
    let users = &snapshot.catalog.users;
    let mut table = document.table("users")?;
    for user in users.iter() {
        let credentials: Option<Credentials> = if options.with_passwords {
            snapshot.read(Table::Credentials, user.id.as_bytes())?
        } else {
            None
        };
        table.row(&UserRow::of(user, credentials.as_ref()))?;
        if user.email.is_none() {
            report.remarks.push(format!(
                "author \"{}\" has no e-mail address, which Ghost requires: {} is used instead",
                user.slug,
                User::placeholder_email(&user.slug)
            ));
        }
    }
    report.add("authors", table.end()?);
    let mut table = document.table("roles")?;
    for role in Role::ALL {
        table.row(&RoleRow {
            id: role.id(),
            name: role.name(),
            description: role.description(),
            created_at: Time(UNDATED),
            updated_at: Time(UNDATED),
        })?;
    }
    table.end()?;
    let mut table = document.table("roles_users")?;
    for user in users.iter() {
        table.row(&RoleOfUser {
            id: Id::derive("roles_users", &user.id.to_string()),
            role_id: user.role.id(),
            user_id: user.id,
        })?;
    }
    table.end()?;
    Ok(())
}

impl<'a> UserRow<'a> {
    fn of(user: &'a User, credentials: Option<&'a Credentials>) -> Self {
        Self {
            id: user.id,
            name: &user.name,
            slug: &user.slug,
            password: credentials.map(|credentials| &*credentials.password_hash),
            email: match user.email.as_deref() {
                Some(email) => Cow::Borrowed(email),
                None => Cow::Owned(User::placeholder_email(&user.slug)),
            },
            profile_image: user.profile_image.as_deref(),
            cover_image: user.cover_image.as_deref(),
            bio: user.bio.as_deref(),
            website: user.website.as_deref(),
            location: user.location.as_deref(),
            facebook: user.social.facebook.as_deref(),
            twitter: user.social.twitter.as_deref(),
            threads: user.social.threads.as_deref(),
            bluesky: user.social.bluesky.as_deref(),
            mastodon: user.social.mastodon.as_deref(),
            tiktok: user.social.tiktok.as_deref(),
            youtube: user.social.youtube.as_deref(),
            instagram: user.social.instagram.as_deref(),
            linkedin: user.social.linkedin.as_deref(),
            status: user.status.name(),
            locale: user.locale.as_deref(),
            visibility: "public",
            meta_title: user.meta_title.as_deref(),
            meta_description: user.meta_description.as_deref(),
            tour: user.tour.as_deref(),
            accessibility: user.accessibility.as_deref(),
            notifications: user.notifications.into(),
            last_seen: user.last_seen.map(Time),
            created_at: Time(user.created_at),
            updated_at: Time(user.updated_at),
        }
    }
}
