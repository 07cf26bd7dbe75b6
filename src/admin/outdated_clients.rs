//! Notifies administrators of clients that were written for an older version of the API
//! (specification, section 7).
//!
//! A client can claim any identity, so the number of reported clients per day is limited.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::auth_mails::MailSite;
use crate::{
    domain::{
        mail::Mail,
        role::Role,
        secret::Digest,
        user::{User, UserStatus},
    },
    error::Result,
    site::{Site, SiteSnapshot},
    store::Table,
};

/// Time during which a reported client is not reported again.
const SILENCE: SignedDuration = SignedDuration::from_hours(24);

/// Maximum number of clients reported during [`SILENCE`].
const CLIENTS_MAX: usize = 20;

/// A client that requested a removed endpoint.
#[derive(Clone, Debug)]
pub struct Client {
    /// The values that identify it.
    pub identity: String,
    /// Its name, as the subject of a sentence.
    pub name: String,
    /// The version that it declares.
    pub version: String,
}

/// Notifies the administrators of an outdated client, unless they were notified within a day.
///
/// # Errors
///
/// If the store cannot be read or written.
pub fn report(site: &Site, mail_site: &MailSite, client: &Client) -> Result<()> {
    let identity = Digest::of(&client.identity);
    let now = site.now();
    // Usually there is nothing to write, so the notices are read without a transaction.
    let (recent, old): (Vec<_>, Vec<_>) = notices(&site.current())?
        .into_iter()
        .partition(|(_, at)| is_recent(*at, now));
    let is_known = recent.iter().any(|(known, _)| known == identity.as_bytes());
    if is_known || recent.len() >= CLIENTS_MAX {
        return Ok(());
    }
    site.write(|transaction| {
        // Old notices are deleted together with a new one, so that other requests need no commit.
        for (known, _) in &old {
            transaction.delete(Table::ClientNotices, known);
        }
        let key = identity.as_bytes();
        let reported_at: Option<Timestamp> = transaction.read(Table::ClientNotices, key)?;
        if reported_at.is_some_and(|at| is_recent(at, now)) {
            // Another request of the same client has been reported in the meantime.
            return Ok(());
        }
        transaction.put(Table::ClientNotices, key, &now)?;
        let users = transaction.catalog().users.iter();
        let mails: Vec<Mail> = users
            .filter_map(administrator)
            .map(|email| mail_site.outdated_client(email, &client.name, &client.version))
            .collect();
        mails
            .into_iter()
            .try_for_each(|mail| transaction.send_mail(mail))
    })
}

/// Returns the digests of the reported clients, with the times of the reports. There are few,
/// because old ones are deleted whenever a new one is added.
fn notices(snapshot: &SiteSnapshot) -> Result<Vec<(Vec<u8>, Timestamp)>> {
    let mut notices = Vec::new();
    snapshot.visit(Table::ClientNotices, |key, at| {
        notices.push((key.to_vec(), at));
        Ok(())
    })?;
    Ok(notices)
}

fn is_recent(at: Timestamp, now: Timestamp) -> bool {
    now.duration_since(at) < SILENCE
}

/// Returns the email address of `user` if the user is an active administrator or owner.
fn administrator(user: &Arc<User>) -> Option<&str> {
    let is_administrator = matches!(user.role, Role::Owner | Role::Administrator);
    let is_active = !matches!(user.status, UserStatus::Inactive);
    user.email
        .as_deref()
        .filter(|_| is_administrator && is_active)
}
