//! The staff of an export: users with their roles and password hashes.

use std::{borrow::Cow, collections::HashMap};

use serde_json::Value;

use super::{
    importer::{Importer, first_of_its_key, subject},
    keys::{Key, record_id},
    rows::{Cell, Reading},
    tags::is_same_name,
};
use crate::{
    domain::{
        UNDATED,
        credentials::Credentials,
        password,
        role::Role,
        user::{Notifications, SocialAccounts, User, UserStatus},
    },
    error::Result,
    id::Id,
    render::slug::{self, Kind},
};

/// The name of the author whom posts get that have none, on a site without any user.
const NOBODY: &str = "Author";

/// The address of a user, unless it only stands for one.
fn email<'r>(row: &Reading<'r>) -> Option<Cow<'r, str>> {
    row.text("email")
        .filter(|email| !User::is_placeholder_email(email))
}

/// The record that a user of the file is, and how it was found.
struct Match {
    id: Id,
    /// By address or name: it has another identifier than the file says.
    is_of_another_id: bool,
}

/// What a user is written to about; what the row does not say is as it is for everybody.
fn notifications(row: &Reading<'_>) -> Notifications {
    let usual = Notifications::default();
    let is_on = |column, usual: bool| row.switch(column).unwrap_or(usual);
    Notifications {
        comments: is_on("comment_notifications", usual.comments),
        free_signups: is_on("free_member_signup_notification", usual.free_signups),
        paid_starts: is_on("paid_subscription_started_notification", usual.paid_starts),
        paid_cancellations: is_on(
            "paid_subscription_canceled_notification",
            usual.paid_cancellations,
        ),
        mentions: is_on("mention_notifications", usual.mentions),
        recommendations: is_on("recommendation_notifications", usual.recommendations),
        milestones: is_on("milestone_notifications", usual.milestones),
        donations: is_on("donation_notifications", usual.donations),
    }
}

/// The roles that a row names: words, identifiers of `roles`, or objects with either.
fn roles_of_row(row: &Reading<'_>, roles: &HashMap<Key, Box<str>>) -> Vec<String> {
    let name_of = |role: &Value| {
        let role = match role {
            Value::Object(role) => role.get("name").or_else(|| role.get("id"))?,
            role => role,
        };
        let text = role.as_str()?;
        let name = roles.get(&Key::of(text));
        Some(name.map_or_else(|| text.to_owned(), |name| name.to_string()))
    };
    match row.cell("roles") {
        Some(Cell::Nested(Value::Array(roles))) => roles.iter().filter_map(name_of).collect(),
        Some(Cell::Nested(role)) => name_of(role).into_iter().collect(),
        Some(Cell::Text(name)) => vec![name.to_string()],
        _ => Vec::new(),
    }
}

/// The role of this name, whatever the case of its letters.
fn role_called(name: &str) -> Option<Role> {
    Role::ALL
        .into_iter()
        .find(|role| role.name().eq_ignore_ascii_case(name.trim()))
}

impl Importer<'_> {
    /// Brings in the staff.
    pub fn users(&mut self) -> Result<()> {
        let tables = self.tables;
        let mut by_email: HashMap<String, Id> = self
            .transaction
            .catalog()
            .users
            .iter()
            .filter_map(|user| Some((user.email.as_deref()?.to_lowercase(), user.id)))
            .collect();
        let users = &self.transaction.catalog().users;
        let mut owner = users
            .iter()
            .find(|user| user.role == Role::Owner)
            .map(|user| user.id);
        for row in &tables.users {
            self.user(&row.read(), &mut by_email, &mut owner)?;
        }
        Ok(())
    }

    fn user(
        &mut self,
        row: &Reading<'_>,
        by_email: &mut HashMap<String, Id>,
        owner: &mut Option<Id>,
    ) -> Result<()> {
        let Some(name) = row.first_text(&["name", "slug", "email"]) else {
            self.report.leave_out(
                "a row of the table users",
                "it has neither name nor address",
            );
            return Ok(());
        };
        let email = email(row);
        let written = row.text("slug").unwrap_or_else(|| name.clone());
        let slug = slug::from_text(Kind::User, &written, self.site.path());
        let key = row.key("id");
        let subject = subject("user", email.as_deref().unwrap_or(&slug));
        let id = record_id("user", key.as_ref(), email.as_deref().unwrap_or(&slug));
        let found = self.same_user(id, email.as_deref(), &slug, &name, by_email);
        if let Some(key) = &key
            && !first_of_its_key(&mut self.records.users, key, found.id)
        {
            self.report
                .leave_out(subject, "its identifier stands in the file twice");
            return Ok(());
        }
        if found.is_of_another_id {
            self.report.change(
                subject.clone(),
                "there is such a user already, whose identifier holds",
            );
        }
        let role = self.role(row, key.as_ref(), (found.id, *owner), &subject);
        let user = self.user_record(row, found.id, role, &slug, &name);
        if let Some(email) = &email {
            by_email.insert(email.to_lowercase(), found.id);
        }
        self.tell_misfits(&subject, row);
        if self.place(user)? {
            if role == Role::Owner {
                *owner = Some(found.id);
            }
            self.password(row, &found, &subject)?;
        }
        Ok(())
    }

    fn user_record(
        &mut self,
        row: &Reading<'_>,
        id: Id,
        role: Role,
        slug: &str,
        name: &str,
    ) -> User {
        // A row without dates is of now, as in Ghost; a second import of it changes nothing.
        let known = self.transaction.catalog().users.get(id);
        let (created_at, updated_at) = match (row.date("created_at"), row.date("updated_at"), known)
        {
            (None, None, Some(known)) => (known.created_at, known.updated_at),
            (created_at, updated_at, _) => {
                let now = self.transaction.now();
                let any = updated_at.or(created_at).unwrap_or(now);
                (created_at.unwrap_or(any), updated_at.unwrap_or(any))
            }
        };
        let status = row.text("status");
        User {
            email: email(row).map(|email| email.as_ref().into()),
            role,
            status: status
                .and_then(|status| UserStatus::from_name(&status))
                .unwrap_or_default(),
            locale: row.boxed("locale"),
            last_seen: row.date("last_seen"),
            created_at,
            profile_image: self.address(row, &["profile_image", "image"]),
            cover_image: self.address(row, &["cover_image", "cover"]),
            bio: row.boxed("bio"),
            website: row.boxed_link("website"),
            location: row.boxed("location"),
            social: SocialAccounts {
                facebook: row.boxed_link("facebook"),
                twitter: row.boxed_link("twitter"),
                threads: row.boxed_link("threads"),
                bluesky: row.boxed_link("bluesky"),
                mastodon: row.boxed_link("mastodon"),
                tiktok: row.boxed_link("tiktok"),
                youtube: row.boxed_link("youtube"),
                instagram: row.boxed_link("instagram"),
                linkedin: row.boxed_link("linkedin"),
            },
            meta_title: row.boxed("meta_title"),
            meta_description: row.boxed("meta_description"),
            notifications: notifications(row),
            accessibility: row.boxed("accessibility"),
            tour: row.boxed("tour"),
            ..User::new(id, slug, name, updated_at)
        }
    }

    /// A user is the one of the same identifier, else of the same address. One without an address, whom a content file
    /// named, is the one of the same slug and name.
    fn same_user(
        &self,
        id: Id,
        email: Option<&str>,
        slug: &str,
        name: &str,
        by_email: &HashMap<String, Id>,
    ) -> Match {
        let users = &self.transaction.catalog().users;
        let by_address = || by_email.get(&email?.to_lowercase()).copied();
        let by_name = || {
            let known = users.by_slug(slug)?;
            (known.email.is_none() && is_same_name(&known.name, name)).then_some(known.id)
        };
        let other = match users.get(id) {
            Some(_) => None,
            None => by_address().or_else(by_name),
        };
        Match {
            id: other.unwrap_or(id),
            is_of_another_id: other.is_some_and(|other| other != id),
        }
    }

    /// The role that the user gets: that of the row, as programs write it that make exports of other systems, else that of
    /// the table of roles. A site has one owner: whom it has, else the file's.
    fn role(
        &mut self,
        row: &Reading<'_>,
        key: Option<&Key>,
        (id, owner): (Id, Option<Id>),
        subject: &str,
    ) -> Role {
        let tables = self.tables;
        let tied = key
            .and_then(|key| tables.roles_of_users.get(key))
            .into_iter()
            .flatten()
            .filter_map(|role| tables.roles.get(role))
            .map(|name| name.to_string());
        let names: Vec<String> = roles_of_row(row, &tables.roles)
            .into_iter()
            .chain(tied)
            .collect();
        let role = names.iter().find_map(|name| role_called(name));
        match role {
            _ if owner == Some(id) => Role::Owner,
            Some(Role::Owner) if owner.is_some() => {
                self.report.change(
                    subject,
                    "was the owner; here an Administrator, for this site has an owner",
                );
                Role::Administrator
            }
            Some(role) => role,
            // As in Ghost, who has no role writes (Ghost 6.65, recorded).
            None if names.is_empty() => Role::Author,
            None => {
                let names = super::listed(names.iter().map(String::as_str));
                let text =
                    format!("has a role that Galley does not have ({names}); here a Contributor");
                self.report.change(subject, text);
                Role::Contributor
            }
        }
    }

    /// Keeps the password. Who was found by address and can sign in here goes on with the password of here.
    fn password(&mut self, row: &Reading<'_>, found: &Match, subject: &str) -> Result<()> {
        let Some(hash) = row.text("password") else {
            return Ok(());
        };
        if !password::is_hash(&hash) {
            self.report.leave_out(
                subject,
                "its password is of a kind that cannot be verified here; the user has to set a new one",
            );
            return Ok(());
        }
        if found.is_of_another_id && self.transaction.stored_credentials(found.id)?.is_some() {
            return Ok(());
        }
        let credentials = Credentials {
            password_hash: hash.as_ref().into(),
        };
        self.transaction.save_credentials(found.id, &credentials)
    }

    /// The author of posts that have none: the owner, else the file's first user, else any, else one who is made for it.
    pub fn fallback_author(&mut self) -> Result<Id> {
        let users = &self.transaction.catalog().users;
        let owner = users.iter().find(|user| user.role == Role::Owner);
        let first_of_file = || {
            let keys = self
                .tables
                .users
                .iter()
                .filter_map(|row| row.read().key("id"));
            keys.filter_map(|key| self.records.users.get(&key))
                .next()
                .copied()
        };
        let any = || users.iter().next().map(|user| user.id);
        if let Some(id) = owner
            .map(|owner| owner.id)
            .or_else(first_of_file)
            .or_else(any)
        {
            return Ok(id);
        }
        let id = record_id("user", None, NOBODY);
        let slug = slug::from_text(Kind::User, NOBODY, self.site.path());
        self.report.change(
            subject("user", NOBODY),
            "was made to be the author of posts that have none, for there is no user",
        );
        self.place(User::new(id, &slug, NOBODY, UNDATED))?;
        Ok(id)
    }
}
