//! Clients that are made for an older version of the API: the administrators are told (specification section 7).
//!
//! Anybody can say to be any client, so only so many are told of in a day.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::letters::Place;
use crate::{
    domain::{
        mail::Mail,
        role::Role,
        secret::Digest,
        user::{User, UserStatus},
    },
    error::Result,
    site::{Edition, Site},
    store::Table,
};

/// How long nothing more is said about a client.
const SILENCE: SignedDuration = SignedDuration::from_hours(24);

/// Of how many clients the administrators are told in that time.
const CLIENTS_MAX: usize = 20;

/// A client that asked for what there is not any more.
#[derive(Clone, Debug)]
pub struct Client {
    /// What it is known again by.
    pub identity: String,
    /// What it is called, as the subject of a sentence.
    pub name: String,
    /// The version that it says it is made for.
    pub version: String,
}

/// Tells the administrators that a client is too old, unless they were told within a day.
///
/// # Errors
///
/// When the store cannot be read or written.
pub fn report(site: &Site, place: &Place, client: &Client) -> Result<()> {
    let identity = Digest::of(&client.identity);
    let now = site.now();
    // Most often there is nothing to write, and nobody is kept waiting for that.
    let (recent, old): (Vec<_>, Vec<_>) = notices(&site.current())?
        .into_iter()
        .partition(|(_, at)| is_recent(*at, now));
    let is_known = recent.iter().any(|(known, _)| known == identity.as_bytes());
    if is_known || recent.len() >= CLIENTS_MAX {
        return Ok(());
    }
    site.write(|transaction| {
        for (known, _) in &old {
            transaction.delete(Table::ClientNotices, known)?;
        }
        let key = identity.as_bytes();
        let told: Option<Timestamp> = transaction.read(Table::ClientNotices, key)?;
        if told.is_some_and(|at| is_recent(at, now)) {
            // Another request of the same client was quicker.
            return Ok(());
        }
        transaction.put(Table::ClientNotices, key, &now)?;
        let users = transaction.catalog().users.iter();
        let mails: Vec<Mail> = users
            .filter_map(administrator)
            .map(|email| place.outdated_client(email, &client.name, &client.version))
            .collect();
        mails
            .into_iter()
            .try_for_each(|mail| transaction.send_mail(mail))
    })
}

/// Of whom the administrators were told, and when. There are few: what is old goes when there is something new.
fn notices(edition: &Edition) -> Result<Vec<(Vec<u8>, Timestamp)>> {
    let mut notices = Vec::new();
    edition.visit(Table::ClientNotices, |key, at| {
        notices.push((key.to_vec(), at));
        Ok(())
    })?;
    Ok(notices)
}

fn is_recent(at: Timestamp, now: Timestamp) -> bool {
    now.duration_since(at) < SILENCE
}

/// The address of a user who looks after the site.
fn administrator(user: &Arc<User>) -> Option<&str> {
    let looks_after = matches!(user.role, Role::Owner | Role::Administrator);
    let is_there = !matches!(user.status, UserStatus::Inactive);
    user.email.as_deref().filter(|_| looks_after && is_there)
}
