//! Staff users and their roles: `users`, `roles`, `roles_users`.

use std::borrow::Cow;

use serde::Serialize;

use super::{
    super::{ExportError, Report},
    Options,
    document::{Columns, ExportDocument, Time},
};
use crate::{
    catalog::fields::{Field, USERS},
    domain::{UNDATED, credentials::Credentials, role::Role, user::User},
    id::Id,
    site::SiteSnapshot,
    store::Table,
};

/// A row of `users`.
#[derive(Serialize)]
struct UserRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<&'a str>,
    email: Cow<'a, str>,
    accessibility: Option<&'a str>,
    #[serde(flatten)]
    columns: Columns<'a, User>,
}

/// Returns whether the field is a column of `users` with the value that the Admin API shows.
fn is_column(field: &Field<User>) -> bool {
    // These columns differ from the Admin API: a placeholder for a missing address, and no default
    // for the appearance.
    !matches!(field.name, "email" | "accessibility") && !field.name.starts_with("roles.")
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
            password: credentials.map(|credentials| &*credentials.password_hash),
            email: match user.email.as_deref() {
                Some(email) => Cow::Borrowed(email),
                None => Cow::Owned(User::placeholder_email(&user.slug)),
            },
            accessibility: user.accessibility.as_deref(),
            columns: Columns(&USERS, user, is_column),
        }
    }
}
