//! Imports staff: users with their roles and password hashes.

use std::{borrow::Cow, collections::HashMap};

use serde_json::Value;

use super::{
    cell::Cell,
    importer::{Importer, insert_first, subject},
    keys::{RowKey, record_id},
    rows::RowReader,
    tags::is_same_name,
};
use crate::{
    catalog::fields::USER_TEXTS,
    domain::{
        UNDATED,
        credentials::Credentials,
        member::email_key,
        password,
        role::Role,
        user::{Notifications, User, UserStatus},
    },
    error::Result,
    id::Id,
    render::slug::{self, Kind},
};

/// The name of the user who becomes the author of posts without one, on a site without users.
const UNNAMED: &str = "Author";

/// The columns of users that are skipped.
const SKIPPED: &[&str] = &[
    "visibility",
    "last_login",
    "gift_subscription_notifications",
];

/// Returns the e-mail address of a user, unless it is a placeholder.
fn email<'r>(row: &RowReader<'r>) -> Option<Cow<'r, str>> {
    row.text("email")
        .filter(|email| !User::is_placeholder_email(email))
}

/// The record for a user of the file.
struct MatchedUser {
    id: Id,
    /// True if the record was matched by address or name, and its identifier differs from the one in the file.
    has_other_id: bool,
}

/// Returns the notification settings of a user, with defaults for those that the row lacks.
fn notifications(row: &RowReader<'_>) -> Notifications {
    let defaults = Notifications::default();
    let is_on = |column, default: bool| row.switch(column).unwrap_or(default);
    Notifications {
        comments: is_on("comment_notifications", defaults.comments),
        free_signups: is_on("free_member_signup_notification", defaults.free_signups),
        paid_starts: is_on(
            "paid_subscription_started_notification",
            defaults.paid_starts,
        ),
        paid_cancellations: is_on(
            "paid_subscription_canceled_notification",
            defaults.paid_cancellations,
        ),
        mentions: is_on("mention_notifications", defaults.mentions),
        recommendations: is_on("recommendation_notifications", defaults.recommendations),
        milestones: is_on("milestone_notifications", defaults.milestones),
        donations: is_on("donation_notifications", defaults.donations),
    }
}

/// Returns the names of the roles in a row, which holds names, identifiers of `roles`, or objects with either.
fn roles_in_row(row: &RowReader<'_>, roles: &HashMap<RowKey, Box<str>>) -> Vec<String> {
    let name_of = |role: &Value| {
        let role = match role {
            Value::Object(role) => role.get("name").or_else(|| role.get("id"))?,
            role => role,
        };
        let text = role.as_str()?;
        let name = roles.get(&RowKey::of(text));
        Some(name.map_or_else(|| text.to_owned(), |name| name.to_string()))
    };
    match row.cell("roles") {
        Some(Cell::Nested(Value::Array(roles))) => roles.iter().filter_map(name_of).collect(),
        Some(Cell::Nested(role)) => name_of(role).into_iter().collect(),
        Some(Cell::Text(name)) => vec![name.to_string()],
        _ => Vec::new(),
    }
}

/// Returns the role with this name, ignoring case.
fn role_by_name(name: &str) -> Option<Role> {
    Role::ALL
        .into_iter()
        .find(|role| role.name().eq_ignore_ascii_case(name.trim()))
}

impl Importer<'_> {
    /// Imports the staff.
    pub fn users(&mut self) -> Result<()> {
        let tables = self.tables;
        let mut by_email: HashMap<String, Id> = self
            .transaction
            .catalog()
            .users
            .iter()
            .filter_map(|user| Some((email_key(user.email.as_deref()?), user.id)))
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
        row: &RowReader<'_>,
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
        let slug_text = row.text("slug").unwrap_or_else(|| name.clone());
        let slug = slug::from_text(Kind::User, &slug_text, self.site.path());
        let key = row.key("id");
        let subject = subject("user", email.as_deref().unwrap_or(&slug));
        let id = record_id("user", key.as_ref(), email.as_deref().unwrap_or(&slug));
        let matched = self.matching_user(id, email.as_deref(), &slug, &name, by_email);
        if let Some(key) = &key
            && !insert_first(&mut self.records.users, key, matched.id)
        {
            self.report
                .leave_out(subject, "its identifier is in the file twice");
            return Ok(());
        }
        if matched.has_other_id {
            self.report.change(
                subject.clone(),
                "the site already has this user; its identifier is used",
            );
        }
        let role = self.role(row, key.as_ref(), (matched.id, *owner), &subject);
        let user = self.user_record(row, matched.id, role, &slug, &name);
        if let Some(email) = &email {
            // A later row with the same address is the same user.
            by_email.insert(email_key(email), matched.id);
        }
        // Before columns that are unread are reported as unknown.
        let hash = row.text("password");
        self.report_columns(&subject, row, "users", SKIPPED);
        if self.save_record(user)? {
            if role == Role::Owner {
                *owner = Some(matched.id);
            }
            self.password(hash.as_deref(), &matched, &subject)?;
        }
        Ok(())
    }

    fn user_record(
        &mut self,
        row: &RowReader<'_>,
        id: Id,
        role: Role,
        slug: &str,
        name: &str,
    ) -> User {
        // As in Ghost, a row without dates gets the current time. A repeated import keeps the existing dates.
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
        let mut user = User {
            email: email(row).map(|email| email.as_ref().into()),
            role,
            status: status
                .and_then(|status| UserStatus::from_name(&status))
                .unwrap_or_default(),
            last_seen: row.date("last_seen"),
            created_at,
            notifications: notifications(row),
            ..User::new(id, slug, name, updated_at)
        };
        self.set_texts(&mut user, row, USER_TEXTS);
        user
    }

    /// Returns the user with the same identifier, or else the same e-mail address. Otherwise a user without an address
    /// matches by slug and name: content files name such users.
    fn matching_user(
        &self,
        id: Id,
        email: Option<&str>,
        slug: &str,
        name: &str,
        by_email: &HashMap<String, Id>,
    ) -> MatchedUser {
        let users = &self.transaction.catalog().users;
        let by_address = || by_email.get(&email_key(email?)).copied();
        let by_name = || {
            let known = users.by_slug(slug)?;
            (known.email.is_none() && is_same_name(&known.name, name)).then_some(known.id)
        };
        let other = match users.get(id) {
            Some(_) => None,
            None => by_address().or_else(by_name),
        };
        MatchedUser {
            id: other.unwrap_or(id),
            has_other_id: other.is_some_and(|other| other != id),
        }
    }

    /// Returns the user's role: from the row, where exporters of other systems write it, or else from the table of
    /// roles. A site has one owner: the existing one, or else the file's.
    fn role(
        &mut self,
        row: &RowReader<'_>,
        key: Option<&RowKey>,
        (id, owner): (Id, Option<Id>),
        subject: &str,
    ) -> Role {
        let tables = self.tables;
        let linked = key
            .and_then(|key| tables.roles_of_users.get(key))
            .into_iter()
            .flatten()
            .filter_map(|role| tables.roles.get(role))
            .map(|name| name.to_string());
        // Files of migration tools have either form, and Ghost 6.65 reads both (recorded in
        // admin-db).
        let names: Vec<String> = roles_in_row(row, &tables.roles)
            .into_iter()
            .chain(linked)
            .collect();
        let role = names.iter().find_map(|name| role_by_name(name));
        match role {
            _ if owner == Some(id) => Role::Owner,
            Some(Role::Owner) if owner.is_some() => {
                self.report.change(
                    subject,
                    "was the owner; here an Administrator, because this site has an owner",
                );
                Role::Administrator
            }
            Some(role) => role,
            // A user without a role is an author (Ghost 6.65, recorded).
            None if names.is_empty() => Role::Author,
            None => {
                let names = super::name_list::listed(names.iter().map(String::as_str));
                let text =
                    format!("has a role that Galley does not have ({names}); here a Contributor");
                self.report.change(subject, text);
                Role::Contributor
            }
        }
    }

    /// Saves the password hash, unless the user was matched by e-mail address and has a password here.
    fn password(&mut self, hash: Option<&str>, matched: &MatchedUser, subject: &str) -> Result<()> {
        let Some(hash) = hash else {
            return Ok(());
        };
        if !password::is_hash(hash) {
            self.report.leave_out(
                subject,
                "its password is of a kind that cannot be verified here; the user has to set a new one",
            );
            return Ok(());
        }
        if matched.has_other_id && self.transaction.stored_credentials(matched.id)?.is_some() {
            return Ok(());
        }
        let credentials = Credentials {
            password_hash: hash.into(),
        };
        self.transaction.save_credentials(matched.id, &credentials)
    }

    /// Returns the author for posts without one: the owner, or else the first user of the file, or else any user.
    /// Creates one if there are no users.
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
        let id = record_id("user", None, UNNAMED);
        let slug = slug::from_text(Kind::User, UNNAMED, self.site.path());
        self.report.change(
            subject("user", UNNAMED),
            "was added as the author of posts without one, because the site has no users",
        );
        self.save_record(User::new(id, &slug, UNNAMED, UNDATED))?;
        Ok(id)
    }
}
