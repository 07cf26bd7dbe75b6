//! From what is wanted to the record.

use std::collections::HashSet;

use super::{
    change::{MemberChange, NewsletterReference, TierReference},
    labels,
};
use crate::{
    catalog::Catalog,
    domain::{
        actor::Actor,
        member::{Member, Status, TierGrant},
        newsletter::Newsletter,
        tier::Tier,
    },
    error::{Error, Kind, Result},
    id::Id,
    site::Transaction,
};

/// Makes the member what is wanted.
pub fn apply(
    transaction: &mut Transaction,
    actor: &Actor,
    member: &mut Member,
    change: &MemberChange,
) -> Result<()> {
    if let Some(email) = &change.email {
        member.email = email.clone();
    }
    if let Some(name) = &change.name {
        member.name = name.clone();
    }
    if let Some(note) = &change.note {
        member.note = note.clone();
    }
    let catalog = transaction.catalog();
    match (&change.newsletters, change.subscribed) {
        (Some(named), _) => member.newsletters = newsletters(catalog, named)?,
        (None, Some(false)) => member.newsletters.clear(),
        (None, Some(true)) if !gets_any(catalog, member) => {
            member.newsletters = newsletters_of_new_members(catalog);
        }
        (None, Some(true) | None) => {}
    }
    if let Some(named) = &change.tiers {
        give_tiers(catalog, member, named)?;
    }
    if let Some(named) = &change.labels {
        member.labels = labels::resolved(transaction, actor, named)?;
    }
    Ok(())
}

/// What whoever signs up gets unasked, in its order.
pub fn newsletters_of_new_members(catalog: &Catalog) -> Vec<Id> {
    let newsletters = catalog.newsletters.iter();
    let mut newsletters: Vec<&Newsletter> = newsletters
        .map(AsRef::as_ref)
        .filter(|newsletter| newsletter.is_for_new_members())
        .collect();
    newsletters.sort_by_key(|newsletter| (newsletter.sort_order, newsletter.id));
    newsletters.iter().map(|newsletter| newsletter.id).collect()
}

/// Whether one of the member's newsletters is still there.
fn gets_any(catalog: &Catalog, member: &Member) -> bool {
    let mut newsletters = member.newsletters.iter();
    newsletters.any(|id| catalog.newsletters.get(*id).is_some())
}

fn newsletters(catalog: &Catalog, named: &[NewsletterReference]) -> Result<Vec<Id>> {
    let mut known = HashSet::new();
    let mut found = Vec::with_capacity(named.len());
    for reference in named {
        let newsletter = match reference {
            NewsletterReference::Id(id) => catalog.newsletters.get(*id),
            NewsletterReference::Name(name) => catalog
                .newsletters
                .iter()
                .find(|newsletter| newsletter.name == *name),
        };
        // The error names no field (Ghost 6.65, observed).
        let newsletter = newsletter.ok_or_else(|| {
            Error::new(Kind::Validation, "A newsletter is named that there is not.")
        })?;
        if known.insert(newsletter.id) {
            found.push(newsletter.id);
        }
    }
    Ok(found)
}

/// Gives the member these tiers and no others. Who pays goes on paying; whoever else has a tier was given it.
fn give_tiers(catalog: &Catalog, member: &mut Member, named: &[TierReference]) -> Result<()> {
    let mut grants: Vec<TierGrant> = Vec::with_capacity(named.len());
    for reference in named {
        let tier = paid_tier(catalog, reference)?;
        if grants.iter().any(|grant| grant.tier == tier) {
            continue;
        }
        let had = member.tiers.iter().find(|grant| grant.tier == tier);
        grants.push(TierGrant {
            tier,
            expires_at: match reference.expires_at {
                Some(expires_at) => expires_at,
                None => had.and_then(|had| had.expires_at),
            },
        });
    }
    member.status = match (member.status, grants.is_empty()) {
        (Status::Paid, _) => Status::Paid,
        (_, true) => Status::Free,
        (_, false) => Status::Comped,
    };
    member.tiers = grants;
    Ok(())
}

fn paid_tier(catalog: &Catalog, reference: &TierReference) -> Result<Id> {
    let refused = |message: &str| Error::new(Kind::Validation, message).property("tiers");
    let tier: Option<&Tier> = match (reference.id, reference.slug.as_deref()) {
        (Some(id), _) => catalog.tiers.get(id).map(AsRef::as_ref),
        (None, Some(slug)) => catalog.tiers.by_slug(slug).map(AsRef::as_ref),
        (None, None) => None,
    };
    match tier {
        None => Err(refused("A tier is named that there is not.")),
        Some(tier) if tier.price.is_none() => Err(refused("Every member has the free tier.")),
        Some(tier) => Ok(tier.id),
    }
}
