//! Notifications: shown to the staff until each user dismisses them (rules as observed with Ghost
//! 6.65).

use crate::{
    domain::{
        OptionalText,
        actor::Actor,
        notification::{MESSAGE_CHARACTERS_MAX, NAME_CHARACTERS_MAX, Notification},
    },
    error::{Error, Kind, Result},
    id::Id,
    site::{Site, SiteSnapshot},
};

/// A new notification.
#[derive(Debug, Default)]
pub struct NewNotification {
    /// Its unique name; by default a new identifier.
    pub name: OptionalText,
    /// The message.
    pub message: OptionalText,
    /// Its type.
    pub kind: OptionalText,
    /// True if later notifications do not replace it.
    pub custom: Option<bool>,
    /// True if it is shown above others.
    pub top: Option<bool>,
    /// True if it can be dismissed; by default it can.
    pub dismissible: Option<bool>,
    /// The position on the page.
    pub location: OptionalText,
    /// The style.
    pub status: OptionalText,
}

/// Returns the notifications that the actor has not dismissed, newest first.
///
/// # Errors
///
/// If the store cannot be read.
pub fn of_actor(snapshot: &SiteSnapshot, actor: &Actor) -> Result<Vec<Notification>> {
    let mut notifications = snapshot.notifications()?;
    if let Some(user) = actor.user() {
        notifications.retain(|notification| !notification.dismissed_by.contains(&user));
    }
    Ok(notifications)
}

/// Adds a notification. Returns `None` if one with this name exists.
///
/// Of the notifications that are not `custom`, only the last one is stored.
///
/// # Errors
///
/// `Validation` without a message, and for a message or another text that is too long.
pub fn add(site: &Site, new: NewNotification) -> Result<Option<Notification>> {
    let message = new
        .message
        .ok_or_else(|| invalid("A notification needs a message, which must be text.".to_owned()))?;
    refuse_long("message", &message, MESSAGE_CHARACTERS_MAX)?;
    for (field, text) in [
        ("id", &new.name),
        ("type", &new.kind),
        ("location", &new.location),
        ("status", &new.status),
    ] {
        refuse_long(
            field,
            text.as_deref().unwrap_or_default(),
            NAME_CHARACTERS_MAX,
        )?;
    }
    site.write(|transaction| {
        let now = transaction.now();
        let name = match &new.name {
            Some(name) => name.clone(),
            None => Id::generate(now)
                .map_err(Error::internal)?
                .to_string()
                .into(),
        };
        if transaction
            .notifications()?
            .iter()
            .any(|known| known.name == name)
        {
            return Ok(None);
        }
        let added = transaction.notify(Notification {
            name,
            message: message.clone(),
            kind: new.kind.clone(),
            custom: new.custom,
            top: new.top,
            dismissible: new.dismissible.unwrap_or(true),
            location: new.location.clone().unwrap_or_else(|| "bottom".into()),
            status: new.status.clone().unwrap_or_else(|| "alert".into()),
            dismissed_by: Vec::new(),
            // Assigned by `notify`.
            number: 0,
            created_at: now,
        })?;
        Ok(Some(added))
    })
}

/// Dismisses a notification for the acting user. Deletes it if the actor is not a user.
///
/// # Errors
///
/// `NotFound` if it does not exist, `NoPermission` for one that cannot be dismissed.
pub fn dismiss(site: &Site, actor: &Actor, name: &str) -> Result<()> {
    site.write(|transaction| {
        let known = transaction.notifications()?;
        let Some(mut found) = known.into_iter().find(|known| &*known.name == name) else {
            return Err(Error::not_found("notification"));
        };
        if !found.dismissible {
            return Err(Error::new(
                Kind::NoPermission,
                "This notification cannot be dismissed.",
            ));
        }
        match actor.user() {
            None => {
                transaction.end_notification(name);
                Ok(())
            }
            Some(user) if found.dismissed_by.contains(&user) => Ok(()),
            Some(user) => {
                found.dismissed_by.push(user);
                transaction.save_notification(&found)
            }
        }
    })
}

fn refuse_long(field: &str, text: &str, characters_max: usize) -> Result<()> {
    if text.chars().count() > characters_max {
        Err(invalid(format!(
            "The \"{field}\" of a notification has at most {characters_max} characters."
        )))
    } else {
        Ok(())
    }
}

fn invalid(message: String) -> Error {
    Error::new(Kind::Validation, message)
}
