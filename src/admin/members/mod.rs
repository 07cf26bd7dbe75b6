//! Adding, editing and deleting members, individually or in bulk (Ghost 6.65, recorded).
//!
//! A change is a [`MemberChange`]. Every operation runs in its caller's transaction, so imports of
//! member lists share the code. Member events are recorded only where a member is saved.

mod access;
mod apply;
mod bulk;
mod change;
mod deletion;
mod merge;
pub mod own;
mod saving;

pub use self::deletion::delete;
pub use self::saving::found;

use std::sync::Arc;

use self::saving::save;
pub use self::{
    apply::newsletters_of_new_members,
    bulk::{BulkChange, BulkOutcome, bulk_delete, bulk_edit},
    change::{LabelReference, MemberChange, NewsletterReference, TierReference},
    merge::{LostValue, MemberMerge, MergedMembers, merge},
};
use super::auth_mails::MailSite;
use crate::{
    catalog::{Catalog, fields::MEMBERS},
    domain::{
        actor::Actor,
        member::{Member, MemberOrigin},
        member_link::{LinkPurpose, MemberLinks},
    },
    error::{Error, Kind, Result},
    id::Id,
    site::Transaction,
    store::Table,
};

/// Maximum number of labels, newsletters or tiers of a member.
pub const RELATIONS_MAX: usize = 1000;

/// The welcome mail to a new member, with a sign-in link.
#[derive(Debug)]
pub struct Welcome<'a> {
    /// The purpose of the link.
    pub purpose: LinkPurpose,
    /// The URLs of the site.
    pub mail_site: &'a MailSite,
}

/// Adds a member. Only an email address is required; by default a member gets the newsletters for
/// new members. A tier grants a complimentary plan (Ghost 6.65, recorded).
///
/// # Errors
///
/// `BadRequest` for more than one tier, and for an archived one. `Validation`, naming the field, if
/// the email address is missing, invalid or used by another member, ignoring case; if a text is too
/// long; or if a reference has no target.
pub fn add(
    transaction: &mut Transaction,
    actor: &Actor,
    change: &MemberChange,
    welcome: Option<&Welcome>,
) -> Result<Arc<Member>> {
    let now = transaction.now();
    let Some(email) = &change.email else {
        return Err(Error::new(
            Kind::Validation,
            "A member needs an e-mail address in \"email\".",
        ));
    };
    let id = Id::generate(now).map_err(Error::internal)?;
    let mut member = Member::new(id, email, now);
    member.origin = Some(origin(transaction.catalog(), actor));
    if change.newsletters.is_none() && change.subscribed.is_none() {
        member.newsletters = apply::newsletters_of_new_members(transaction.catalog());
    }
    if change.tiers.as_ref().is_some_and(|tiers| tiers.len() > 1) {
        let message = "A new member can have one tier.";
        return Err(Error::new(Kind::BadRequest, message));
    }
    apply::apply(transaction, actor, &mut member, change)?;
    for grant in &member.tiers {
        let tier = transaction.catalog().tiers.get(grant.tier);
        if tier.is_some_and(|tier| !tier.active) {
            let message = "An archived tier cannot be given to a new member.";
            return Err(Error::new(Kind::BadRequest, message));
        }
    }
    let written = save(transaction, actor, None, member)?;
    if let Some(welcome) = welcome {
        let link = links(transaction, welcome.mail_site)?.sign_in(&written, welcome.purpose, now);
        let mail = welcome
            .mail_site
            .member_link(&written.email, welcome.purpose, &link);
        transaction.send_mail(mail)?;
    }
    Ok(written)
}

/// Changes a member; fields that are not named remain unchanged. Writes nothing if nothing changes.
/// A change to no tiers revokes paid access (in Ghost 6.65, only if a payment provider is
/// connected).
///
/// # Errors
///
/// `NotFound` if it does not exist; otherwise as [`add`].
pub fn edit(
    transaction: &mut Transaction,
    actor: &Actor,
    id: Option<Id>,
    change: &MemberChange,
) -> Result<Arc<Member>> {
    let before = found(transaction.catalog(), id)?;
    // Without expired tiers, which would otherwise count for the status and be written back.
    let mut member = before.at(transaction.now()).into_owned();
    apply::apply(transaction, actor, &mut member, change)?;
    let emptied = MEMBERS.without_value(&before, &change.emptied);
    if !emptied.is_empty() {
        member.updated_at = transaction.now_after(member.updated_at);
        transaction.announce_emptied(Table::Members, before.id, emptied);
    }
    save(transaction, actor, Some(before), member)
}

/// Allows mail to a suppressed member again. Writes nothing if the member is not suppressed.
///
/// # Errors
///
/// `NotFound` if it does not exist.
pub fn lift_suppression(
    transaction: &mut Transaction,
    actor: &Actor,
    id: Option<Id>,
) -> Result<Arc<Member>> {
    let before = found(transaction.catalog(), id)?;
    let mut member = Member::clone(&before);
    member.email_suppression = None;
    save(transaction, actor, Some(before), member)
}

fn origin(catalog: &Catalog, actor: &Actor) -> MemberOrigin {
    match actor {
        Actor::User { .. } | Actor::Operator => MemberOrigin::Staff,
        Actor::Integration { id, .. } => {
            // By name, because the integration may be deleted later.
            let known = catalog.integrations().find(|known| known.id == *id);
            let name = known.map(|known| known.name.clone());
            MemberOrigin::Integration(name.unwrap_or_default())
        }
    }
}

fn links<'a>(transaction: &'a Transaction, mail_site: &'a MailSite) -> Result<MemberLinks<'a>> {
    let secret = transaction.catalog().member_secret.as_ref();
    Ok(MemberLinks {
        base: mail_site.url.trim_end_matches('/'),
        secret: secret.ok_or_else(|| {
            Error::new(Kind::Internal, "The site has no secret to sign links with.")
        })?,
    })
}
