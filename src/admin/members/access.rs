//! Paid access of members: granted, changed and revoked by staff.
//!
//! Clients send back whole members as they read them, so a value that equals the member's current
//! one requests nothing. Every other value must match the access that results from the change.
//! There is no payment provider, so access is also removed here, which Ghost leaves to the
//! provider.

use super::change::{MemberChange, TierReference};
use crate::{
    catalog::Catalog,
    domain::member::{Member, Status, TierGrant},
    error::{Error, Kind, Result},
    id::Id,
    site::Transaction,
};

/// Applies the access in `change` to `member`: changed tiers, `comped`, and the status. Without
/// tiers, `comped: true` grants the default tier; `comped: false` and the status `free` revoke all
/// access.
///
/// # Errors
///
/// `Validation`, naming the field, if two values contradict each other, and for a status that does
/// not result from the change; `Validation` for a tier that does not exist.
pub fn apply(transaction: &Transaction, member: &mut Member, change: &MemberChange) -> Result<()> {
    let catalog = transaction.catalog();
    let tiers = match &change.tiers {
        Some(named) => Some(grants(transaction, named)?),
        None => None,
    };
    let (status, is_comped) = (member.status(), member.status() == Status::Comped);
    // Current values request nothing and are dropped, so that only requested values can contradict
    // each other.
    let tiers = tiers.filter(|tiers| *tiers != shown(catalog, member));
    let comped = change.comped.filter(|comped| *comped != is_comped);
    let status = change.status.filter(|changed| *changed != status);
    match tiers {
        Some(tiers) if tiers.is_empty() => member.end_access(),
        Some(tiers) => {
            member.tiers = tiers;
            // The client has named all tiers: a deleted tier that exists again must not add its old
            // grant.
            member.tiers_deleted.clear();
        }
        None if comped == Some(false) || status == Some(Status::Free) => member.end_access(),
        None if comped == Some(true) && !member.pays => member.tiers = vec![default(catalog)?],
        None => {}
    }
    let result = member.status();
    if comped.is_some_and(|comped| comped != (result == Status::Comped)) {
        return Err(contradiction("comped", result));
    }
    if status.is_some_and(|status| status != result) {
        return Err(contradiction("status", result));
    }
    Ok(())
}

/// Returns the grants of a member that appear in responses: those of existing tiers.
fn shown(catalog: &Catalog, member: &Member) -> Vec<TierGrant> {
    let grants = member.tiers.iter().copied();
    let exists = |grant: &TierGrant| catalog.tiers.get(grant.tier).is_some();
    grants.filter(exists).collect()
}

/// Returns grants of the named tiers, in order and without duplicates or expired grants. A grant
/// without `expires_at` has no end, even if the current one has (Ghost 6.65, recorded).
fn grants(transaction: &Transaction, named: &[TierReference]) -> Result<Vec<TierGrant>> {
    let (catalog, now) = (transaction.catalog(), transaction.now());
    let mut grants: Vec<TierGrant> = Vec::with_capacity(named.len());
    for reference in named {
        let grant = TierGrant {
            tier: tier(catalog, reference)?,
            expires_at: reference.expires_at,
        };
        if grant.lasts(now) && !grants.iter().any(|other| other.tier == grant.tier) {
            grants.push(grant);
        }
    }
    Ok(grants)
}

fn tier(catalog: &Catalog, reference: &TierReference) -> Result<Id> {
    let tier = match (reference.id, reference.slug.as_deref()) {
        (Some(id), _) => catalog.tiers.get(id),
        (None, Some(slug)) => catalog.tiers.with_slug(slug).next(),
        (None, None) => None,
    };
    // The error names no field (Ghost 6.65, observed).
    tier.map(|tier| tier.id).ok_or_else(|| {
        Error::new(
            Kind::Validation,
            "The request names a tier in \"tiers\" that does not exist.",
        )
    })
}

/// Returns a grant of the default paid tier, for a complimentary plan without a named tier.
fn default(catalog: &Catalog) -> Result<TierGrant> {
    let tier = catalog.default_paid_tier().ok_or_else(|| {
        Error::new(Kind::Validation, "The site has no active paid tier.").property("comped")
    })?;
    Ok(TierGrant {
        tier: tier.id,
        expires_at: None,
    })
}

fn contradiction(field: &'static str, result: Status) -> Error {
    let message = format!(
        "\"{field}\" contradicts the access of the member: the status would be \"{}\".",
        result.name()
    );
    Error::new(Kind::Validation, message)
        .property(field)
        .help("Grant and revoke complimentary plans with \"tiers\"; [] revokes all of them.")
}
