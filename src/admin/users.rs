//! Members of the staff: what may be changed of them, and who may (rules as recorded from Ghost 6.65).

use std::sync::Arc;

use super::{active_urls::passive, content_files};
use crate::{
    domain::{
        OptionalText,
        action::{ActionEvent, Subject},
        actor::Actor,
        email,
        permission::{
            USERS_ASSIGN_ROLES, USERS_CHANGE_OWN_ROLE, USERS_EDIT_OTHERS, USERS_SUSPEND,
            USERS_TRANSFER_OWNERSHIP,
        },
        role::Role,
        user::{Notifications, User, UserStatus},
    },
    error::{Error, Kind, Result},
    id::Id,
    render::{active_urls::Usage, slug},
    site::{Site, Transaction},
};

/// Longest name, in characters.
pub const NAME_CHARACTERS_MAX: usize = 191;

/// A text that a user may have or not.
pub struct TextField {
    /// What it is called.
    pub name: &'static str,
    /// Its greatest length, in characters.
    pub characters_max: usize,
    /// What it may be.
    pub kind: TextKind,
    /// Where the user has it.
    of: fn(&mut User) -> &mut OptionalText,
}

/// What a text of a user may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Anything.
    Plain,
    /// The address of a picture.
    Picture,
    /// The address of a site.
    Website,
    /// The name of somebody at another site, or the URL of their page there.
    Profile,
}

impl TextKind {
    /// How it is used, if it is a URL.
    fn usage(self) -> Option<Usage> {
        match self {
            Self::Plain => None,
            Self::Picture => Some(Usage::Image),
            Self::Website | Self::Profile => Some(Usage::Link),
        }
    }
}

macro_rules! texts {
    ($($name:literal: $kind:ident, $max:literal, $user:ident => $place:expr;)*) => {
        /// The texts that a user may have or not.
        pub static TEXTS: &[TextField] = &[$(TextField {
            name: $name,
            characters_max: $max,
            kind: TextKind::$kind,
            of: |$user| &mut $place,
        }),*];
    };
}

texts! {
    "profile_image": Picture, 2000, user => user.profile_image;
    "cover_image": Picture, 2000, user => user.cover_image;
    "bio": Plain, 250, user => user.bio;
    "website": Website, 2000, user => user.website;
    "location": Plain, 150, user => user.location;
    "facebook": Profile, 2000, user => user.social.facebook;
    "twitter": Profile, 2000, user => user.social.twitter;
    "threads": Profile, 191, user => user.social.threads;
    "bluesky": Profile, 191, user => user.social.bluesky;
    "mastodon": Profile, 191, user => user.social.mastodon;
    "tiktok": Profile, 191, user => user.social.tiktok;
    "youtube": Profile, 191, user => user.social.youtube;
    "instagram": Profile, 191, user => user.social.instagram;
    "linkedin": Profile, 191, user => user.social.linkedin;
    "meta_title": Plain, 300, user => user.meta_title;
    "meta_description": Plain, 500, user => user.meta_description;
    "locale": Plain, 6, user => user.locale;
    "accessibility": Plain, 65535, user => user.accessibility;
    "tour": Plain, 65535, user => user.tour;
}

/// Something that a user may be written to about.
pub type Notification = fn(&mut Notifications) -> &mut bool;

/// What is to be changed of a user; what is not named stays as it is.
#[derive(Default)]
pub struct Changes {
    /// What readers see.
    pub name: Option<Box<str>>,
    /// The last part of the author page's address.
    pub slug: Option<Box<str>>,
    /// Where to write to, and the name to sign in with.
    pub email: Option<OptionalText>,
    /// Texts; pictures in stored form.
    pub texts: Vec<(&'static TextField, OptionalText)>,
    /// What the user is written to about.
    pub notifications: Vec<(Notification, bool)>,
    /// Whether the user may sign in.
    pub status: Option<UserStatus>,
    /// What the user may do.
    pub role: Option<Role>,
}

/// A user after a change.
#[derive(Debug)]
pub struct Edited {
    /// The user.
    pub user: Arc<User>,
    /// Whether the site counts as changed: readers see any of it, or the status is another one (Ghost 6.65, observed).
    pub changes_site: bool,
}

/// Changes a user. A slug that is taken gets a number; one that lives at the path `subdirectory` is not hidden by it.
///
/// # Errors
///
/// `NotFound` when there is none, `NoPermission` when the actor may not, `Validation` for what cannot be, and for what a
/// content file says of the user.
pub fn edit(
    site: &Site,
    actor: &Actor,
    id: Option<Id>,
    changes: &Changes,
    subdirectory: &str,
) -> Result<Edited> {
    site.write(|transaction| {
        let known = found(transaction, id)?;
        check_rights(actor, &known, changes)?;
        let user = changed(transaction, &known, changes, subdirectory)?;
        if user == *known {
            return Ok(Edited {
                user: known,
                changes_site: false,
            });
        }
        let is_public = known.is_seen_otherwise_as(&user);
        // An address that is there may be the file's; one that is not, is not.
        let is_other_address = known.email.is_some() && user.email != known.email;
        if is_public || is_other_address {
            content_files::refuse(&format!("author \"{}\"", known.slug), &known.source)?;
        }
        let is_other_status = user.status != known.status;
        if is_other_status {
            transaction.announce_site();
        }
        let user = save(transaction, actor, user)?;
        Ok(Edited {
            user,
            changes_site: is_public || is_other_status,
        })
    })
}

/// Hands the site over to an administrator, and returns the former owner, an administrator now, and the new one.
///
/// # Errors
///
/// `NoPermission` when the actor is not the owner, `NotFound` when there is no such user, `Validation` when it is no
/// administrator who can sign in.
pub fn transfer_ownership(site: &Site, actor: &Actor, to: Option<Id>) -> Result<[Arc<User>; 2]> {
    site.write(|transaction| {
        let owner = transaction.catalog().owner().cloned();
        let owner = owner.ok_or_else(|| USERS_TRANSFER_OWNERSHIP.refusal())?;
        if actor.user() != Some(owner.id) {
            return Err(USERS_TRANSFER_OWNERSHIP.refusal());
        }
        let heir = found(transaction, to)?;
        if heir.role != Role::Administrator || heir.status == UserStatus::Inactive {
            return Err(Error::new(
                Kind::Validation,
                "The site can be handed over to an active administrator only.",
            )
            .context(format!("{} is not one.", heir.name)));
        }
        let with_role = |user: &User, role| User {
            role,
            ..user.clone()
        };
        let former = save(transaction, actor, with_role(&owner, Role::Administrator))?;
        let new = save(transaction, actor, with_role(&heir, Role::Owner))?;
        Ok([former, new])
    })
}

/// The user with this identifier.
///
/// # Errors
///
/// `NotFound` when there is none.
pub(super) fn found(transaction: &Transaction, id: Option<Id>) -> Result<Arc<User>> {
    id.and_then(|id| transaction.catalog().users.get(id).cloned())
        .ok_or_else(|| Error::not_found("user"))
}

/// Keeps a user that was changed, and notes who did it. What only a content file named is somebody from now on.
pub(super) fn save(transaction: &mut Transaction, actor: &Actor, user: User) -> Result<Arc<User>> {
    let user = User {
        updated_at: transaction.now_after(user.updated_at),
        implied: false,
        ..user
    };
    let id = user.id;
    transaction.save(user)?;
    let saved = found(transaction, Some(id))?;
    note(transaction, actor, ActionEvent::Edited, &saved)?;
    Ok(saved)
}

/// Notes what was done to a user.
pub(super) fn note(
    transaction: &mut Transaction,
    actor: &Actor,
    event: ActionEvent,
    user: &User,
) -> Result<()> {
    let subject = Subject {
        id: user.id,
        resource_type: "user",
        name: Some(&user.name),
        kind: None,
    };
    transaction.record_action(actor, event, subject)
}

/// The user that somebody becomes who joins the staff. Who is known by the address already, as the author of content files
/// or by an import, and cannot sign in yet, becomes that user. A slug made of the name is not hidden by the path
/// `subdirectory`, at which the site lives.
///
/// # Errors
///
/// `Validation` with the code `USER_ALREADY_REGISTERED` when somebody signs in with the address.
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
            name: match &known.source {
                Some(_) => known.name.clone(),
                None => name.trim().into(),
            },
            role,
            status: UserStatus::Active,
            implied: false,
            ..User::clone(known)
        });
    }
    new_account(transaction, name, email, role, subdirectory)
}

/// Returns an account for a person whom the site does not know. The owner takes the place of the user who stands in for the
/// owner, if there is one.
///
/// # Errors
///
/// When the randomness for an identifier cannot be had.
pub(super) fn new_account(
    transaction: &Transaction,
    name: &str,
    email: &str,
    role: Role,
    subdirectory: &str,
) -> Result<User> {
    let (users, now) = (&transaction.catalog().users, transaction.now());
    let replaced = |user: &User| role == Role::Owner && user.stands_in;
    let slug = slug::user_candidates(name.trim(), subdirectory)
        .find(|slug| users.by_slug(slug).is_none_or(|user| replaced(user)))
        .expect("invariant: candidates have no end");
    let begun = match users.iter().find(|user| replaced(user)) {
        Some(stand_in) => User::clone(stand_in),
        None => User::new(Id::generate(now).map_err(Error::internal)?, "", "", now),
    };
    Ok(User {
        slug: slug.into(),
        name: name.trim().into(),
        email: Some(email.trim().into()),
        role,
        stands_in: false,
        ..begun
    })
}

/// Refuses an address that somebody signs in with.
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

fn check_rights(actor: &Actor, known: &User, changes: &Changes) -> Result<()> {
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
        Some(Role::Owner) if matches!(actor.role(), Some(Role::Owner) | None) => Err(Error::new(
            Kind::Validation,
            "A site has one owner. Hand it over to make somebody else the owner.",
        )),
        Some(role) => covers(&USERS_ASSIGN_ROLES, role),
        None => Ok(()),
    }
}

/// The user as it is to be.
fn changed(
    transaction: &Transaction,
    known: &User,
    changes: &Changes,
    subdirectory: &str,
) -> Result<User> {
    let mut user = known.clone();
    if let Some(name) = &changes.name {
        check_name(name)?;
        user.name = name.clone();
    }
    if let Some(wanted) = changes.slug.as_deref().filter(|slug| *slug != &*known.slug) {
        let wanted = slug::from_text(slug::Kind::User, wanted, subdirectory);
        let users = &transaction.catalog().users;
        let is_free = |slug: &String| {
            users
                .by_slug(slug)
                .is_none_or(|holder| holder.id == known.id)
        };
        user.slug = slug::candidates(wanted)
            .find(is_free)
            .expect("invariant: candidates have no end")
            .into();
    }
    if let Some(wanted) = changes
        .email
        .as_ref()
        .filter(|email| **email != known.email)
    {
        let wanted = wanted.as_deref().unwrap_or_default();
        check_email(transaction, wanted, Some(known.id))?;
        user.email = Some(wanted.trim().into());
    }
    for (field, text) in &changes.texts {
        if let Some(text) = text {
            field.check(text)?;
        }
        let place = (field.of)(&mut user);
        *place = match (field.kind, text) {
            // What a client sends back as it read it stays, whoever wrote it.
            _ if place == text => continue,
            (TextKind::Website, Some(text)) => Some(kept_website(text).into()),
            (kind, Some(text)) => match kind.usage() {
                Some(usage) => passive(field.name, text, usage).map(Into::into),
                None => Some(text.clone()),
            },
            (_, None) => None,
        };
    }
    for (notification, is_on) in &changes.notifications {
        *notification(&mut user.notifications) = *is_on;
    }
    user.status = changes.status.unwrap_or(known.status);
    user.role = changes.role.unwrap_or(known.role);
    Ok(user)
}

/// Refuses a name that is empty or too long. The error names no field (Ghost 6.65, recorded).
pub(super) fn check_name(name: &str) -> Result<()> {
    if !name.trim().is_empty() && name.chars().count() <= NAME_CHARACTERS_MAX {
        Ok(())
    } else {
        Err(Error::new(
            Kind::Validation,
            format!("The name of a user has 1 to {NAME_CHARACTERS_MAX} characters."),
        ))
    }
}

/// Refuses an address that is none, or somebody else's than `own`. The error names no field (Ghost 6.65, recorded).
pub(super) fn check_email(transaction: &Transaction, wanted: &str, own: Option<Id>) -> Result<()> {
    if !email::is_address(wanted.trim()) {
        return Err(Error::new(
            Kind::Validation,
            format!("\"{wanted}\" is not an e-mail address."),
        ));
    }
    match transaction.catalog().user_by_email(wanted) {
        Some(holder) if Some(holder.id) != own => Err(Error::already_exists(format!(
            "A user with the address {wanted}"
        ))),
        _ => Ok(()),
    }
}

impl TextField {
    fn check(&self, text: &str) -> Result<()> {
        let fault = if text.chars().count() > self.characters_max {
            format!("has at most {} characters", self.characters_max)
        } else if self.kind == TextKind::Website && !is_website(text) {
            "takes the address of a site, such as https://example.com".to_owned()
        } else {
            return Ok(());
        };
        Err(Error::new(
            Kind::Validation,
            format!("\"{}\" of a user {fault}.", self.name),
        ))
    }
}

/// The address of a site as it is kept: with a scheme (Ghost 6.65, observed).
fn kept_website(text: &str) -> String {
    if has_scheme(text) {
        text.to_owned()
    } else {
        format!("http://{text}")
    }
}

fn has_scheme(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// Whether the text is the address of a site; the scheme may be missing.
fn is_website(text: &str) -> bool {
    let has_scheme = has_scheme(text);
    let address = if has_scheme {
        url::Url::parse(text)
    } else {
        url::Url::parse(&format!("https://{text}"))
    };
    let is_blank = |character: char| character.is_whitespace() || character.is_control();
    !text.contains(is_blank)
        && address.is_ok_and(|address| {
            let host = address.host_str().unwrap_or_default();
            has_scheme || host.contains('.')
        })
}
