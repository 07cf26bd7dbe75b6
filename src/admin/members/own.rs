//! What members do themselves, by an address that came to them by mail.

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

/// What a member no longer wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwanted {
    /// One newsletter.
    One(Id),
    /// All that there are.
    All,
}

/// Ends what a member no longer wants, and returns what ended. Nothing is written when the member does not get it, or is
/// not there.
///
/// # Errors
///
/// When the change cannot be committed.
pub fn unsubscribe(site: &Site, member: Id, unwanted: Unwanted) -> Result<Vec<Arc<Newsletter>>> {
    site.write(|transaction| {
        let Some(before) = transaction.catalog().members.get(member).cloned() else {
            return Ok(Vec::new());
        };
        let is_unwanted = |newsletter: Id| match unwanted {
            Unwanted::One(one) => newsletter == one,
            Unwanted::All => true,
        };
        let (ended, left) = before.newsletters.iter().partition(|id| is_unwanted(**id));
        save(transaction, &before, left)?;
        Ok(named(transaction.catalog(), &ended))
    })
}

/// Lets a member have newsletters again, and returns those that the member gets of them now. What is not sent any more and
/// what the member may not have stay away.
///
/// # Errors
///
/// When the change cannot be committed.
pub fn resubscribe(site: &Site, member: Id, wanted: &[Id]) -> Result<Vec<Arc<Newsletter>>> {
    site.write(|transaction| {
        let Some(before) = transaction.catalog().members.get(member).cloned() else {
            return Ok(Vec::new());
        };
        let mut had = named(transaction.catalog(), wanted);
        had.retain(|newsletter| may_have(&before, newsletter));
        let mut newsletters = before.newsletters.clone();
        for newsletter in &had {
            if !newsletters.contains(&newsletter.id) {
                newsletters.push(newsletter.id);
            }
        }
        save(transaction, &before, newsletters)?;
        Ok(had)
    })
}

/// Whether a member may be put down for a newsletter.
pub fn may_have(member: &Member, newsletter: &Newsletter) -> bool {
    newsletter.active && (&*newsletter.visibility != "paid" || member.status != Status::Free)
}

/// Newsletters in the order in which readers see them; those that are gone are passed over.
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
