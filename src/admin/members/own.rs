//! Changes that members make themselves, by a link in a mail.

use std::sync::Arc;

use crate::{
    catalog::Catalog,
    domain::{
        member::{Member, Status},
        member_event::EventSource,
        newsletter::Newsletter,
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

/// Unsubscribes a member, and returns the newsletters that ended. Writes nothing if the member does
/// not exist or does not receive them.
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

/// Subscribes a member again, and returns the newsletters that the member now receives of those
/// named. Archived ones and those that the member may not have are left out.
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
        allowed.retain(|newsletter| may_have(&before, newsletter));
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
    newsletter.active && (&*newsletter.visibility != "paid" || member.status != Status::Free)
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
