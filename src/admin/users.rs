//! Staff users: editing, transfer of ownership, and the roles that actors may assign (rules as
//! recorded from Ghost 6.65).

use std::sync::Arc;

use url::Url;

use super::{
    collection, content_files,
    texts::{self, TextChanges},
};
use crate::{
    catalog::fields::{StoredText, TextContent},
    domain::{
        OptionalText,
        action::ActionEvent,
        actor::{Actor, SignInMethod},
        email,
        role::Role,
        secret::Digest,
        user::{
            Notifications, USERS_ASSIGN_ROLES, USERS_CHANGE_OWN_ROLE, USERS_EDIT_OTHERS,
            USERS_SUSPEND, USERS_TRANSFER_OWNERSHIP, User, UserStatus,
        },
    },
    error::{Error, Kind, Result},
    id::Id,
    render::slug,
    site::{Site, Transaction},
};

/// Longest name, in characters.
pub const NAME_CHARACTERS_MAX: usize = 191;

/// A kind of notification mail to a user.
pub type Notification = fn(&mut Notifications) -> &mut bool;

/// New values for a user; values that are not named remain unchanged.
#[derive(Default)]
pub struct UserChanges {
    /// The name.
    pub name: Option<Box<str>>,
    /// The slug of the author page.
    pub slug: Option<Box<str>>,
    /// The email address, which is also the sign-in name.
    pub email: Option<OptionalText>,
    /// Texts.
    pub texts: TextChanges<User>,
    /// The kinds of notification mail.
    pub notifications: Vec<(Notification, bool)>,
    /// The status.
    pub status: Option<UserStatus>,
    /// The role.
    pub role: Option<Role>,
}

/// A user after a change.
#[derive(Debug)]
pub struct EditedUser {
    /// The user.
    pub user: Arc<User>,
    /// True if the site counts as changed: because readers see a difference, or because the status
    /// changed (Ghost 6.65, observed).
    pub changes_site: bool,
}

/// Updates a user of the site at `site_url`, whose path the slug must not shadow. If the slug is in
/// use, a number is appended. A new address, a new role and a suspension revoke all credentials of
/// the user, except the password and the acting user's own `session`.
///
/// # Errors
///
/// `NotFound` if the user does not exist, `NoPermission` if the actor may not make the change,
/// `Validation` for an invalid value, and for values that come from a content file.
pub fn edit(
    site: &Site,
    actor: &Actor,
    id: Option<Id>,
    changes: &UserChanges,
    session: Option<Digest>,
    site_url: &Url,
) -> Result<EditedUser> {
    content_files::edit(site, actor, |transaction| {
        edit_in(transaction, actor, id, changes, session, site_url)
    })
}

/// Updates a user like [`edit`], as a part of `transaction`, which may write content files.
///
/// # Errors
///
/// The errors of [`edit`].
pub(super) fn edit_in(
    transaction: &mut Transaction,
    actor: &Actor,
    id: Option<Id>,
    changes: &UserChanges,
    session: Option<Digest>,
    site_url: &Url,
) -> Result<EditedUser> {
    // Before the save, which ends the sessions of a user with a new address or role.
    keep_own_session(transaction, actor, session);
    let known = found(transaction, id)?;
    check_rights(actor, &known, changes)?;
    let user = changed(transaction, &known, changes, site_url)?;
    if user == *known {
        return Ok(EditedUser {
            user: known,
            changes_site: false,
        });
    }
    let is_public = known.differs_for_readers(&user);
    let is_status_changed = user.status != known.status;
    if is_status_changed {
        transaction.announce_site();
    }
    let user = save(transaction, actor, user)?;
    Ok(EditedUser {
        user,
        changes_site: is_public || is_status_changed,
    })
}

/// Transfers the ownership of the site to an administrator. Returns the former owner, who is now an
/// administrator, and the new owner. All sessions of both end, except the current one.
///
/// # Errors
///
/// `NoPermission` if the actor is not the owner, `NotFound` if there is no such user, `Validation`
/// if the user is not an active administrator.
pub fn transfer_ownership(
    site: &Site,
    actor: &Actor,
    to: Option<Id>,
    session: Option<Digest>,
) -> Result<[Arc<User>; 2]> {
    site.write(|transaction| {
        keep_own_session(transaction, actor, session);
        let owner = transaction.catalog().owner().cloned();
        let owner = owner.ok_or_else(|| USERS_TRANSFER_OWNERSHIP.refusal())?;
        if actor.user() != Some(owner.id) {
            return Err(USERS_TRANSFER_OWNERSHIP.refusal());
        }
        let new_owner = found(transaction, to)?;
        // A suspended owner could not sign in, and only the owner can transfer the ownership again.
        if new_owner.role != Role::Administrator || new_owner.status == UserStatus::Inactive {
            return Err(Error::new(
                Kind::Validation,
                "The ownership can be transferred to an active administrator only.",
            )
            .context(format!("{} is not one.", new_owner.name)));
        }
        let with_role = |user: &User, role| User {
            role,
            ..user.clone()
        };
        let former = save(transaction, actor, with_role(&owner, Role::Administrator))?;
        let new = save(transaction, actor, with_role(&new_owner, Role::Owner))?;
        Ok([former, new])
    })
}

/// Exempts the acting user's `session` from being ended by the change.
fn keep_own_session(transaction: &mut Transaction, actor: &Actor, session: Option<Digest>) {
    if let (Actor::User { id, method, .. }, Some(session)) = (actor, session)
        && *method == SignInMethod::Session
        && transaction
            .catalog()
            .sessions
            .get(&session)
            .is_some_and(|session| session.user == *id)
    {
        transaction.keep_session(session);
    }
}

/// Returns the user with this identifier.
///
/// # Errors
///
/// `NotFound` if it does not exist.
pub(super) fn found(transaction: &Transaction, id: Option<Id>) -> Result<Arc<User>> {
    id.and_then(|id| transaction.catalog().users.get(id).cloned())
        .ok_or_else(|| Error::not_found("user"))
}

/// Saves a changed user, and records the action. A user named only by content files becomes
/// permanent.
pub(super) fn save(transaction: &mut Transaction, actor: &Actor, user: User) -> Result<Arc<User>> {
    let user = User {
        updated_at: transaction.now_after(user.updated_at),
        implied: false,
        ..user
    };
    let id = user.id;
    transaction.save_edited(user)?;
    let saved = found(transaction, Some(id))?;
    collection::record_action(transaction, actor, ActionEvent::Edited, &*saved)?;
    Ok(saved)
}

/// Returns the user for a person who joins the staff: the existing user with this email address who
/// cannot sign in yet, such as an author of content files or of an import, or else a new user. The
/// slug derived from the name must not shadow `subdirectory`, the path of the site's URL.
///
/// # Errors
///
/// `Validation` with the code `USER_ALREADY_REGISTERED` if a user already signs in with the
/// address.
pub(super) fn joining(
    transaction: &Transaction,
    name: &str,
    email: &str,
    role: Role,
    subdirectory: &str,
) -> Result<User> {
    refuse_registered(transaction, email)?;
    if let Some(known) = transaction.catalog().user_by_email(email) {
        return Ok(User {
            name: if known.origin.is_file() {
                known.name.clone()
            } else {
                name.trim().into()
            },
            role,
            status: UserStatus::Active,
            implied: false,
            ..User::clone(known)
        });
    }
    new_account(transaction, name, email, role, subdirectory)
}

/// Returns an account for a new person. An owner takes over the placeholder for the owner, if there
/// is one.
///
/// # Errors
///
/// If no randomness for an identifier is available.
pub(super) fn new_account(
    transaction: &Transaction,
    name: &str,
    email: &str,
    role: Role,
    subdirectory: &str,
) -> Result<User> {
    let (users, now) = (&transaction.catalog().users, transaction.now());
    let replaced = |user: &User| role == Role::Owner && user.is_placeholder;
    // The slug of the placeholder counts as free, because the account replaces the placeholder.
    let slug = slug::user_candidates(name.trim(), subdirectory)
        .find(|slug| users.by_slug(slug).is_none_or(|user| replaced(user)))
        .expect("invariant: candidates have no end");
    let begun = match users.iter().find(|user| replaced(user)) {
        Some(placeholder) => User::clone(placeholder),
        None => User::new(Id::generate(now).map_err(Error::internal)?, "", "", now),
    };
    Ok(User {
        slug: slug.into(),
        name: name.trim().into(),
        email: Some(email.trim().into()),
        role,
        is_placeholder: false,
        ..begun
    })
}

/// Rejects an email address with which a user signs in.
pub(super) fn refuse_registered(transaction: &Transaction, email: &str) -> Result<()> {
    let Some(user) = transaction.catalog().user_by_email(email) else {
        return Ok(());
    };
    match transaction.stored_credentials(user.id)? {
        Some(_) => Err(
            Error::already_exists(format!("A user with the address {email}"))
                .code("USER_ALREADY_REGISTERED")
                .property("email"),
        ),
        None => Ok(()),
    }
}

fn check_rights(actor: &Actor, known: &User, changes: &UserChanges) -> Result<()> {
    let role = changes.role.filter(|role| *role != known.role);
    let changes_status = changes.status.is_some_and(|status| status != known.status);
    if actor.user() == Some(known.id) {
        return match (role, changes_status) {
            (Some(_), _) => Err(USERS_CHANGE_OWN_ROLE.refusal()),
            (None, true) => Err(USERS_SUSPEND.refusal()),
            (None, false) => Ok(()),
        };
    }
    let covers = |permission: &crate::domain::permission::Permission, role| {
        let right = permission.admit(actor)?;
        if right.covers_role(role) {
            Ok(())
        } else {
            Err(permission.refusal())
        }
    };
    covers(&USERS_EDIT_OTHERS, known.role)?;
    if changes_status {
        covers(&USERS_SUSPEND, known.role)?;
    }
    match role {
        // Actors who may assign the other roles get the reason; others get the usual refusal.
        Some(Role::Owner) if matches!(actor.role(), Some(Role::Owner) | None) => Err(Error::new(
            Kind::Validation,
            "A site has one owner. Transfer the ownership to make another user the owner.",
        )),
        Some(role) => covers(&USERS_ASSIGN_ROLES, role),
        None => Ok(()),
    }
}

/// Returns the changed user.
fn changed(
    transaction: &Transaction,
    known: &User,
    changes: &UserChanges,
    site_url: &Url,
) -> Result<User> {
    let mut user = known.clone();
    if let Some(name) = &changes.name {
        check_name(name)?;
        user.name = name.clone();
    }
    if let Some(requested) = changes.slug.as_deref().filter(|slug| *slug != &*known.slug) {
        let requested = slug::from_text(slug::Kind::User, requested, site_url.path());
        let users = &transaction.catalog().users;
        let is_free = |slug: &String| {
            users
                .by_slug(slug)
                .is_none_or(|holder| holder.id == known.id)
        };
        user.slug = slug::candidates(requested)
            .find(is_free)
            .expect("invariant: candidates have no end")
            .into();
    }
    if let Some(requested) = changes
        .email
        .as_ref()
        .filter(|email| **email != known.email)
    {
        let requested = requested.as_deref().unwrap_or_default();
        check_email(transaction, requested, Some(known.id))?;
        user.email = Some(requested.trim().into());
    }
    for (field, text) in &changes.texts {
        if let Some(text) = text {
            check_text(field, text)?;
        }
        let stored = text
            .as_deref()
            .and_then(|text| texts::stored(field, text, site_url));
        // Unchanged values are accepted from any origin, because clients send them back.
        let known = field.text(&user);
        if known.as_deref() != text.as_deref() && known.as_deref() != stored.as_deref() {
            (field.set)(&mut user, stored);
        }
    }
    for (notification, is_on) in &changes.notifications {
        *notification(&mut user.notifications) = *is_on;
    }
    user.status = changes.status.unwrap_or(known.status);
    user.role = changes.role.unwrap_or(known.role);
    Ok(user)
}

/// Rejects a name that is empty or too long. The error names no field (Ghost 6.65, recorded).
pub(super) fn check_name(name: &str) -> Result<()> {
    if !name.trim().is_empty() && name.chars().count() <= NAME_CHARACTERS_MAX {
        Ok(())
    } else {
        Err(Error::new(
            Kind::Validation,
            format!("The name of a user must have 1 to {NAME_CHARACTERS_MAX} characters."),
        ))
    }
}

/// Rejects an email address that is invalid or belongs to a user other than `own`. The error names
/// no field (Ghost 6.65, recorded).
pub(super) fn check_email(
    transaction: &Transaction,
    requested: &str,
    own: Option<Id>,
) -> Result<()> {
    if !email::is_address(requested.trim()) {
        return Err(Error::new(
            Kind::Validation,
            format!("\"email\" is {requested:?}, which is not an e-mail address."),
        ));
    }
    match transaction.catalog().user_by_email(requested) {
        Some(holder) if Some(holder.id) != own => Err(Error::already_exists(format!(
            "A user with the address {requested}"
        ))),
        _ => Ok(()),
    }
}

/// Rejects a text that is too long, or an invalid website URL.
fn check_text(field: &StoredText<User>, text: &str) -> Result<()> {
    texts::check_length(field, text, "user")?;
    if field.content != TextContent::Website || is_website(text) {
        return Ok(());
    }
    let name = field.name;
    Err(Error::new(
        Kind::Validation,
        format!("\"{name}\" of a user must be the URL of a website, such as https://example.com."),
    ))
}

/// Returns whether the text is the URL of a website; the scheme may be missing.
fn is_website(text: &str) -> bool {
    let has_scheme = texts::has_scheme(text);
    let address = if has_scheme {
        url::Url::parse(text)
    } else {
        url::Url::parse(&format!("https://{text}"))
    };
    let is_blank = |character: char| character.is_whitespace() || character.is_control();
    !text.contains(is_blank)
        && address.is_ok_and(|address| {
            let host = address.host_str().unwrap_or_default();
            // Without a scheme a dot is required, because any word after `https://` is a valid host
            // name.
            has_scheme || host.contains('.')
        })
}

/// Returns the roles that `actor` may assign.
pub fn assignable_roles(actor: &Actor) -> Vec<Role> {
    let Ok(right) = USERS_ASSIGN_ROLES.admit(actor) else {
        return Vec::new();
    };
    let roles = Role::ALL.into_iter();
    roles.filter(|role| right.covers_role(*role)).collect()
}
