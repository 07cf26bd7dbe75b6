//! Merges members with one email address in different case, which stores of earlier versions may have.
//!
//! The member with the better access remains, since payment systems elsewhere know it by its identifier; of those with the same
//! access the oldest. It keeps its identifiers and its address and gets the values of the others: newsletters, labels, tiers, notes,
//! events, the earliest date of sign-up, and values that it lacks. Nothing that ended mail is undone: neither a suppression, nor
//! the end of a newsletter that the events of a member record, nor that a member has no newsletters at all. The others are
//! deleted, with their sessions and tokens; unsubscribe links in their mails apply to the remaining one.

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

/// The members that are merged.
#[derive(Clone, Copy, Debug)]
pub enum MergedMembers<'a> {
    /// All that share their address with another one.
    All,
    /// The members with this address.
    WithAddress(&'a str),
}

/// The merge of the members with one address.
#[derive(Debug)]
pub struct MemberMerge {
    /// The remaining member, after the merge.
    pub target: Arc<Member>,
    /// The deleted members, those with the better access and the older ones first.
    pub deleted: Vec<Arc<Member>>,
    /// The values that the remaining member could not get.
    pub lost: Vec<LostValue>,
}

/// A value of a deleted member that the remaining one could not get.
#[derive(Debug, PartialEq)]
pub enum LostValue {
    /// A text of a deleted member: the name of the field, and the text.
    Text(&'static str, Box<str>),
    /// A newsletter that one member receives and another one had ended.
    Newsletter(Id),
}

/// Merges members with one address. Each merge is in the audit log as the deletions and the edit that it is made of.
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
    for ended in ended_newsletters(transaction, &all, &merged.newsletters)? {
        merged.newsletters.retain(|newsletter| *newsletter != ended);
        lost.push(LostValue::Newsletter(ended));
    }
    merged.updated_at = transaction.now_after(before.updated_at);
    // The newsletters of the remaining member by its events, which may differ from its record.
    let mut recorded = Member::clone(&before);
    for other in &members {
        // Before the deletion, which deletes the events that are left.
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

/// Adds the grants of another member. A tier that both have lasts as long as the longer one.
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

/// Adds the note of another member below the own one, unless that has it.
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

/// Returns those of the newsletters that one of the members had ended.
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

/// Returns whether a member ended a newsletter: by the last event about it, or because the member has no newsletter.
/// `events` are those of the member from newest to oldest.
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
