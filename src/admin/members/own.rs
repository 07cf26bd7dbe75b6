//! Changes that members make to their own account, signed in or with a link in a mail.

use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

use super::newsletters_of_new_members;
use crate::{
    catalog::Catalog,
    domain::{
        OptionalText,
        member::{Member, Status},
        member_event::EventSource,
        member_link::{ghost_unsubscribe_key, unsubscribe_key},
        newsletter::Newsletter,
        secret::Digest,
    },
    error::Result,
    id::Id,
    site::{Site, Transaction},
};

/// The newsletters that a member unsubscribes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsubscription {
    /// One newsletter.
    One(Id),
    /// All newsletters.
    All,
}

/// Changes to the account of the acting member; `None` leaves a value unchanged.
#[derive(Clone, Debug, Default)]
pub struct OwnChange {
    /// The name.
    pub name: Option<OptionalText>,
    /// All newsletters. Newsletters that are not available to the member are ignored.
    pub newsletters: Option<Vec<Id>>,
    /// True for the default newsletters, false for none. Applies only if no newsletters are named.
    pub subscribed: Option<bool>,
}

/// Returns whether `key` is valid in unsubscribe URLs of a member: the key of this site, or of the
/// Ghost site whose secret was imported.
pub fn is_key_of(catalog: &Catalog, member: Uuid, key: &Digest) -> bool {
    let own = catalog.member_secret.as_ref();
    let own = own.map(|secret| unsubscribe_key(secret, member));
    let ghost = catalog.ghost_member_secret.as_ref();
    let ghost = ghost.map(|secret| ghost_unsubscribe_key(secret, member));
    own == Some(*key) || ghost == Some(*key)
}

/// Changes the account of `member`.
///
/// # Errors
///
/// `NotFound` if the member does not exist, `Validation` if the name is too long.
pub fn edit(site: &Site, member: Id, change: &OwnChange) -> Result<Arc<Member>> {
    change_member(site, member, |catalog, member| {
        if let Some(name) = &change.name {
            member.name.clone_from(name);
        }
        let requested = match (&change.newsletters, change.subscribed) {
            (Some(chosen), _) => chosen.clone(),
            (None, Some(true)) if member.newsletters.is_empty() => {
                newsletters_of_new_members(catalog)
            }
            (None, Some(false)) => Vec::new(),
            (None, _) => return,
        };
        // Responses omit archived newsletters, so pages cannot send them back.
        let is_archived = |newsletter: &Newsletter| !newsletter.active;
        let mut newsletters = named(catalog, &member.newsletters);
        newsletters.retain(|newsletter| is_archived(newsletter));
        let mut allowed = named(catalog, &requested);
        allowed.retain(|newsletter| may_have(member, newsletter));
        newsletters.extend(allowed);
        let mut newsletters: Vec<Id> = newsletters.iter().map(|one| one.id).collect();
        // Duplicates are adjacent: `named` sorts, and the archived newsletters before are none of
        // the allowed ones.
        newsletters.dedup();
        member.newsletters = newsletters;
    })
}

/// Signs a member out everywhere, and revokes sign-in links.
///
/// # Errors
///
/// `NotFound` if the member does not exist.
pub fn sign_out_everywhere(site: &Site, member: Id) -> Result<Arc<Member>> {
    change_member(site, member, |_, member| member.revoke_proofs())
}

/// Allows mail to a suppressed member again.
///
/// # Errors
///
/// `NotFound` if the member does not exist.
pub fn lift_suppression(site: &Site, member: Id) -> Result<Arc<Member>> {
    change_member(site, member, |_, member| member.email_suppression = None)
}

/// Records a visit of a member, at most once a day (UTC), and returns the member.
///
/// # Errors
///
/// If the change cannot be committed.
pub fn record_visit(site: &Site, member: Arc<Member>) -> Result<Arc<Member>> {
    let day = |time: Timestamp| time.as_second().div_euclid(24 * 60 * 60);
    let now = site.now();
    if member.last_seen_at.map(day) == Some(day(now)) {
        return Ok(member);
    }
    change_member(site, member.id, |_, member| member.last_seen_at = Some(now))
}

/// Deletes the account of `member`.
///
/// # Errors
///
/// If the change cannot be committed.
pub fn delete(site: &Site, member: Id) -> Result<()> {
    site.write(|transaction| transaction.delete_member(member))
}

fn change_member(
    site: &Site,
    id: Id,
    change: impl Fn(&Catalog, &mut Member),
) -> Result<Arc<Member>> {
    site.write(|transaction| {
        let before = super::found(transaction.catalog(), Some(id))?;
        let mut member = before.at(transaction.now()).into_owned();
        change(transaction.catalog(), &mut member);
        if member == *before {
            return Ok(before);
        }
        member.updated_at = transaction.now_after(before.updated_at);
        transaction.record_member_change(Some(&before), &member, EventSource::Member)?;
        transaction.save_member(member)?;
        super::found(transaction.catalog(), Some(id))
    })
}

/// Unsubscribes a member, and returns the newsletters that the member was unsubscribed from. Writes
/// nothing if the member does not exist or does not receive them.
///
/// # Errors
///
/// If the change cannot be committed.
pub fn unsubscribe(
    site: &Site,
    member: Id,
    unwanted: Unsubscription,
) -> Result<Vec<Arc<Newsletter>>> {
    site.write(|transaction| {
        let Some(before) = transaction.catalog().members.get(member).cloned() else {
            return Ok(Vec::new());
        };
        let is_unwanted = |newsletter: Id| match unwanted {
            Unsubscription::One(one) => newsletter == one,
            Unsubscription::All => true,
        };
        let (ended, remaining) = before.newsletters.iter().partition(|id| is_unwanted(**id));
        save(transaction, &before, remaining)?;
        Ok(named(transaction.catalog(), &ended))
    })
}

/// Subscribes a member again, and returns the requested newsletters that the member now receives.
/// Archived newsletters and those that are not available to the member are left out.
///
/// # Errors
///
/// If the change cannot be committed.
pub fn resubscribe(site: &Site, member: Id, requested: &[Id]) -> Result<Vec<Arc<Newsletter>>> {
    site.write(|transaction| {
        let Some(before) = transaction.catalog().members.get(member).cloned() else {
            return Ok(Vec::new());
        };
        let mut allowed = named(transaction.catalog(), requested);
        // A tier that has expired no longer admits the member to newsletters for paying members.
        let current = before.at(transaction.now());
        allowed.retain(|newsletter| may_have(&current, newsletter));
        let mut newsletters = before.newsletters.clone();
        for newsletter in &allowed {
            if !newsletters.contains(&newsletter.id) {
                newsletters.push(newsletter.id);
            }
        }
        save(transaction, &before, newsletters)?;
        Ok(allowed)
    })
}

/// Returns whether a member may subscribe to a newsletter.
pub fn may_have(member: &Member, newsletter: &Newsletter) -> bool {
    newsletter.active && (&*newsletter.visibility != "paid" || member.status() != Status::Free)
}

/// Returns newsletters in the order in which readers see them; missing ones are ignored.
pub fn named(catalog: &Catalog, ids: &[Id]) -> Vec<Arc<Newsletter>> {
    let newsletters = ids.iter().filter_map(|id| catalog.newsletters.get(*id));
    let mut newsletters: Vec<Arc<Newsletter>> = newsletters.cloned().collect();
    newsletters.sort_by_key(|newsletter| (newsletter.sort_order, newsletter.id));
    newsletters
}

fn save(transaction: &mut Transaction, before: &Member, newsletters: Vec<Id>) -> Result<()> {
    if newsletters == before.newsletters {
        return Ok(());
    }
    let after = Member {
        newsletters,
        updated_at: transaction.now_after(before.updated_at),
        ..before.clone()
    };
    transaction.record_member_change(Some(before), &after, EventSource::Member)?;
    transaction.save_member(after)
}
