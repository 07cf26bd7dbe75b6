//! Merges members whose email addresses differ only in case, which stores of earlier versions may
//! contain.
//!
//! The member with the best access remains, since external payment systems know it by its
//! identifier; of several with the same access, the oldest one remains. It keeps its identifiers
//! and its address, and gets the newsletters, labels, tiers, notes and events of the others, the
//! earliest date of sign-up, and any value that it lacks. The merge never resumes mail that was
//! stopped: suppressions, recorded unsubscriptions and having no newsletters at all take
//! precedence. The other members are deleted with their sessions and tokens; unsubscribe links in
//! their mails apply to the remaining member.

use std::{cmp::Reverse, sync::Arc};

use crate::{
    admin::collection,
    domain::{
        OptionalText,
        action::ActionEvent,
        actor::Actor,
        member::{Member, NOTE_CHARACTERS_MAX, Status, SuppressionReason, TierGrant},
        member_event::{EventSource, MemberEvent, MemberEventKind},
    },
    error::{Error, Kind, Result},
    id::Id,
    site::Transaction,
};

/// The members to merge.
#[derive(Clone, Copy, Debug)]
pub enum MergedMembers<'a> {
    /// All members that share an address with another member.
    All,
    /// The members with this address.
    WithAddress(&'a str),
}

/// The result of merging the members with one address.
#[derive(Debug)]
pub struct MemberMerge {
    /// The remaining member, after the merge.
    pub target: Arc<Member>,
    /// The deleted members, sorted by access from best to least, then by age from oldest.
    pub deleted: Vec<Arc<Member>>,
    /// The values that could not be transferred to the remaining member.
    pub lost: Vec<LostValue>,
}

/// A value of a deleted member that could not be transferred to the remaining one.
#[derive(Debug, PartialEq)]
pub enum LostValue {
    /// A text of a deleted member: the name of the field, and the text.
    Text(&'static str, Box<str>),
    /// A newsletter that one of the members received and another had unsubscribed from.
    Newsletter(Id),
}

/// Merges members with the same address. The audit log records a merge as the deletions and the
/// edit that it consists of.
///
/// # Errors
///
/// `Validation` if no two members have the named address.
pub fn merge(
    transaction: &mut Transaction,
    actor: &Actor,
    members: MergedMembers,
) -> Result<Vec<MemberMerge>> {
    let catalog = &transaction.catalog().members;
    let groups: Vec<Vec<Arc<Member>>> = match members {
        MergedMembers::All => {
            let groups = catalog.duplicates().into_iter();
            groups
                .map(|group| group.into_iter().cloned().collect())
                .collect()
        }
        MergedMembers::WithAddress(address) => {
            let group: Vec<_> = catalog.matching(address).cloned().collect();
            if group.len() < 2 {
                return Err(Error::new(
                    Kind::Validation,
                    format!("No two members have the address {address}."),
                ));
            }
            vec![group]
        }
    };
    let groups = groups.into_iter();
    groups
        .map(|group| merge_group(transaction, actor, group))
        .collect()
}

/// Merges members into the first of them, in order of precedence.
fn merge_group(
    transaction: &mut Transaction,
    actor: &Actor,
    mut members: Vec<Arc<Member>>,
) -> Result<MemberMerge> {
    let now = transaction.now();
    let access = |member: &Member| match member.at(now).status() {
        Status::Paid => 2,
        Status::Comped => 1,
        Status::Free => 0,
    };
    members.sort_by_key(|member| (Reverse(access(member)), member.created_at, member.id));
    let before = members.remove(0);
    let mut merged = before.at(now).into_owned();
    let mut lost = Vec::new();
    for other in &members {
        join(&mut merged, &other.at(now), &mut lost);
    }
    let all = [&[Arc::clone(&before)][..], &members].concat();
    // Before the events are moved below, because they are read for each member separately.
    for ended in ended_newsletters(transaction, &all, &merged.newsletters)? {
        merged.newsletters.retain(|newsletter| *newsletter != ended);
        lost.push(LostValue::Newsletter(ended));
    }
    merged.updated_at = transaction.now_after(before.updated_at);
    // The newsletters of the remaining member according to its events, which may differ from its
    // record.
    let mut recorded = Member::clone(&before);
    for other in &members {
        // Moved before the deletion, which also deletes the remaining events.
        for newsletter in transaction.move_member_events(other.id, before.id)? {
            recorded.newsletters.retain(|known| *known != newsletter);
            if other.newsletters.contains(&newsletter) {
                recorded.newsletters.push(newsletter);
            }
        }
        super::delete(transaction, actor, Some(other.id))?;
    }
    transaction.record_member_change(Some(&recorded), &merged, EventSource::from(actor))?;
    transaction.save_member(merged)?;
    let target = super::found(transaction.catalog(), Some(before.id))?;
    collection::record_action(transaction, actor, ActionEvent::Edited, &*target)?;
    Ok(MemberMerge {
        target,
        deleted: members,
        lost,
    })
}

/// Adds the values of `other` to the remaining member; texts that do not fit are added to `lost`.
fn join(target: &mut Member, other: &Member, lost: &mut Vec<LostValue>) {
    add_missing(&mut target.labels, &other.labels);
    add_missing(&mut target.newsletters, &other.newsletters);
    join_grants(&mut target.tiers, &other.tiers);
    join_grants(&mut target.tiers_deleted, &other.tiers_deleted);
    target.pays |= other.pays;
    for (field, own, others) in [
        ("name", &mut target.name, &other.name),
        (
            "Stripe customer",
            &mut target.stripe_customer_id,
            &other.stripe_customer_id,
        ),
        ("geolocation", &mut target.geolocation, &other.geolocation),
    ] {
        match (own.as_deref(), others) {
            (Some(own), Some(others)) if own != &**others => {
                lost.push(LostValue::Text(field, others.clone()));
            }
            (None, Some(_)) => own.clone_from(others),
            _ => {}
        }
    }
    join_note(&mut target.note, &other.note, lost);
    // A spam report takes precedence over a bounce, and the earlier of two equal reasons.
    let suppressions = [target.email_suppression, other.email_suppression];
    let graver = |reason| reason == SuppressionReason::Spam;
    target.email_suppression = suppressions
        .into_iter()
        .flatten()
        .min_by_key(|suppression| (!graver(suppression.reason), suppression.at));
    target.origin = target.origin.take().or_else(|| other.origin.clone());
    target.last_seen_at = target.last_seen_at.max(other.last_seen_at);
    target.email_count = target.email_count.saturating_add(other.email_count);
    target.created_at = target.created_at.min(other.created_at);
    let uuids = target.former_uuids.iter().copied().chain(other.uuids());
    target.former_uuids = uuids.collect();
}

fn add_missing(ids: &mut Vec<Id>, others: &[Id]) {
    for id in others {
        if !ids.contains(id) {
            ids.push(*id);
        }
    }
}

/// Adds the grants of another member. If both have a tier, the later expiry applies.
fn join_grants(grants: &mut Vec<TierGrant>, others: &[TierGrant]) {
    for other in others {
        match grants.iter_mut().find(|grant| grant.tier == other.tier) {
            Some(grant) => {
                let ends = grant.expires_at.zip(other.expires_at);
                grant.expires_at = ends.map(|(own, other)| own.max(other));
            }
            None => grants.push(*other),
        }
    }
}

/// Appends the note of another member, unless the note already contains it.
fn join_note(note: &mut OptionalText, other: &OptionalText, lost: &mut Vec<LostValue>) {
    let Some(other) = other else { return };
    let joined = match note.as_deref() {
        Some(own) if own.contains(&**other) => return,
        Some(own) => format!("{own}\n\n{other}"),
        None => other.to_string(),
    };
    if joined.chars().count() > NOTE_CHARACTERS_MAX {
        lost.push(LostValue::Text("note", other.clone()));
    } else {
        *note = Some(joined.into());
    }
}

/// Returns the newsletters that at least one of the members had unsubscribed from.
fn ended_newsletters(
    transaction: &Transaction,
    members: &[Arc<Member>],
    newsletters: &[Id],
) -> Result<Vec<Id>> {
    let mut ended = Vec::new();
    for member in members {
        let events = transaction.events_of_member(member.id)?;
        let is_ended = |newsletter: &&Id| has_ended(member, &events, **newsletter);
        let of_member: Vec<Id> = newsletters.iter().filter(is_ended).copied().collect();
        add_missing(&mut ended, &of_member);
    }
    Ok(ended)
}

/// Returns whether a member unsubscribed from a newsletter: according to the last event about it,
/// or because the member has no newsletters. `events` are the events of the member, newest first.
fn has_ended(member: &Member, events: &[MemberEvent], newsletter: Id) -> bool {
    if member.newsletters.contains(&newsletter) {
        return false;
    }
    let is_about_it = |event: &&MemberEvent| event.happening.newsletter() == Some(newsletter);
    let last = events.iter().find(is_about_it);
    let is_end = |event: &MemberEvent| {
        let MemberEventKind::Newsletter { subscribed, .. } = event.happening else {
            return false;
        };
        !subscribed
    };
    !member.is_subscribed() || last.is_some_and(is_end)
}
