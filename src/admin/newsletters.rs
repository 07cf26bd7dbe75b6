//! Newsletters (rules as recorded from Ghost 6.65).

use std::{collections::BTreeMap, sync::Arc};

use jiff::SignedDuration;
use serde_json::Value;
use url::Url;
use uuid::Uuid;

use super::{
    collection::{self, Collection, free_slug, invalid},
    content_files,
    texts::{self, TextChanges},
};
use crate::{
    catalog::Catalog,
    domain::{
        OptionalText, action::ActionEvent, actor::Actor, email, member::Member,
        member_event::EventSource, newsletter::Newsletter, newsletter_design::DESIGN,
    },
    error::{Error, Kind, Result},
    id::Id,
    render::slug,
    site::{Site, Transaction},
};

/// Longest name, in characters (Ghost 6.65, recorded).
const NAME_CHARACTERS_MAX: usize = 191;

/// Minimum offset of the `updated_at` of an edited default newsletter from its creation, because
/// equal dates mark an unchanged default.
const FIRST_SECOND: SignedDuration = SignedDuration::from_secs(1);

/// New values for a newsletter; `None` leaves a value unchanged.
#[derive(Clone, Debug, Default)]
pub struct NewsletterChanges {
    /// The name.
    pub name: Option<Box<str>>,
    /// The text that the slug is derived from, instead of the name.
    pub slug: Option<Box<str>>,
    /// Texts.
    pub texts: TextChanges<Newsletter>,
    /// The sender's email address.
    pub sender_email: Option<OptionalText>,
    /// `active` or `archived`.
    pub status: Option<Box<str>>,
    /// The audience that may subscribe.
    pub visibility: Option<Box<str>>,
    /// True if new members are subscribed by default.
    pub subscribe_on_signup: Option<bool>,
    /// Its position in the order; a new one is last.
    pub sort_order: Option<u32>,
    /// The design of its mails; null resets a value.
    pub design: BTreeMap<String, Value>,
}

/// The numbers of members and posts of a newsletter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Members who receive it.
    pub members: usize,
    /// Posts that were sent as this newsletter.
    pub posts: usize,
}

/// Adds a newsletter to the site at `site_url`. With `opt_in_existing`, all members with a
/// newsletter are subscribed to it as well. Returns the newsletter and the number of these members.
///
/// # Errors
///
/// `BadRequest` without a name, `Validation` for one that is empty, too long or in use, and for
/// other invalid values.
pub fn add(
    site: &Site,
    actor: &Actor,
    changes: NewsletterChanges,
    opt_in_existing: bool,
    site_url: &Url,
) -> Result<(Arc<Newsletter>, usize)> {
    let Some(name) = changes.name.clone() else {
        return Err(Error::new(
            Kind::BadRequest,
            "A newsletter needs a name, and the request has none.",
        ));
    };
    content_files::edit(site, actor, |transaction| {
        let now = transaction.now();
        let requested = changes.slug.as_deref().unwrap_or(&name);
        let slug = free_slug::<Newsletter>(transaction, slug::Kind::Newsletter, requested, None);
        let newsletters = transaction.catalog().newsletters.iter();
        // Archived newsletters keep their position, so they count as well.
        let last = newsletters.map(|existing| existing.sort_order).max();
        let new = Newsletter {
            id: Id::generate(now).map_err(Error::internal)?,
            uuid: Uuid::new_v4(),
            created_at: now,
            updated_at: now,
            ..Newsletter::new(&slug, "")
        };
        let changes = NewsletterChanges {
            slug: None,
            sort_order: Some(last.map_or(0, |last| last.saturating_add(1))),
            ..changes.clone()
        };
        let new = changed(transaction, new, changes, site_url)?;
        let saved = collection::save(transaction, actor, ActionEvent::Added, new)?;
        let opted_in = if opt_in_existing {
            opt_in(transaction, actor, saved.id)?
        } else {
            0
        };
        Ok((saved, opted_in))
    })
}

/// Updates a newsletter of the site at `site_url`.
///
/// # Errors
///
/// `NotFound` if it does not exist, `Validation` for an invalid value and for a newsletter of a content
/// file.
pub fn edit(
    site: &Site,
    actor: &Actor,
    id: Option<Id>,
    changes: NewsletterChanges,
    site_url: &Url,
) -> Result<Arc<Newsletter>> {
    content_files::edit(site, actor, |transaction| {
        let existing: Arc<Newsletter> = collection::found(transaction, actor, id)?;
        let mut new = changed(
            transaction,
            Newsletter::clone(&existing),
            changes.clone(),
            site_url,
        )?;
        if new == *existing {
            return Ok(existing);
        }
        new.updated_at = transaction.now_after(if existing.is_untouched_default() {
            existing.updated_at + FIRST_SECOND
        } else {
            existing.updated_at
        });
        collection::save(transaction, actor, ActionEvent::Edited, new)
    })
}

impl Collection for Newsletter {}

/// Counts the members and posts of a newsletter. Reads all posts.
pub fn counts(catalog: &Catalog, newsletter: Id) -> Counts {
    let posts = catalog.posts.iter();
    Counts {
        members: catalog.members.uses_of_newsletter(newsletter),
        posts: posts
            .filter(|post| post.newsletter == Some(newsletter))
            .count(),
    }
}

/// Subscribes all members with a newsletter to another one, and returns their number. Members who
/// unsubscribed from all newsletters are left out.
fn opt_in(transaction: &mut Transaction, actor: &Actor, newsletter: Id) -> Result<usize> {
    // A copy, because the loop changes the members. The index is persistent, so cloning is cheap.
    let members = transaction.catalog().members.clone();
    let mut count = 0;
    for before in members.iter().filter(|member| member.is_subscribed()) {
        let mut member = Member::clone(before);
        member.newsletters.push(newsletter);
        transaction.record_member_change(Some(before), &member, EventSource::from(actor))?;
        transaction.save_member(member)?;
        count += 1;
    }
    Ok(count)
}

fn changed(
    transaction: &Transaction,
    mut new: Newsletter,
    changes: NewsletterChanges,
    site_url: &Url,
) -> Result<Newsletter> {
    if let Some(name) = changes.name {
        // Trimmed before the check, so that names that differ only in surrounding blanks collide.
        new.name = name.trim().into();
    }
    check_name(transaction, &new)?;
    if let Some(slug) = changes.slug {
        let kind = slug::Kind::Newsletter;
        new.slug = free_slug::<Newsletter>(transaction, kind, &slug, Some(new.id));
    }
    for (field, text) in &changes.texts {
        texts::check_length(field, text.as_deref().unwrap_or_default(), "newsletter")?;
    }
    texts::apply(&mut new, &changes.texts, site_url);
    if let Some(sender) = changes.sender_email {
        if sender
            .as_deref()
            .is_some_and(|sender| !email::is_address(sender))
        {
            return Err(invalid("\"sender_email\" is not a valid e-mail address."));
        }
        new.sender_email = sender;
    }
    new.active = match changes.status.as_deref() {
        None => new.active,
        Some("active") => true,
        Some("archived") => false,
        Some(_) => {
            return Err(invalid(
                "The \"status\" of a newsletter must be active or archived.",
            ));
        }
    };
    new.visibility = changes.visibility.unwrap_or(new.visibility);
    new.subscribe_on_signup = changes
        .subscribe_on_signup
        .unwrap_or(new.subscribe_on_signup);
    new.sort_order = changes.sort_order.unwrap_or(new.sort_order);
    for choice in DESIGN {
        match changes.design.get(choice.name) {
            None => {}
            Some(value) if !choice.takes(value) => {
                return Err(invalid(format!("\"{}\" cannot be {value}.", choice.name)));
            }
            Some(value) => new.choose(choice, value.clone()),
        }
    }
    Ok(new)
}

fn check_name(transaction: &Transaction, new: &Newsletter) -> Result<()> {
    let characters = new.name.chars().count();
    if new.name.is_empty() || characters > NAME_CHARACTERS_MAX {
        return Err(invalid(format!(
            "The name of a newsletter must have 1 to {NAME_CHARACTERS_MAX} characters."
        )));
    }
    if transaction.catalog().newsletters.is_name_taken(new) {
        Err(Error::already_exists(format!("A newsletter named \"{}\"", new.name)).property("name"))
    } else {
        Ok(())
    }
}
