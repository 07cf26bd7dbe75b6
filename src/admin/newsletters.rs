//! Newsletters (rules as recorded from Ghost 6.65).

use std::{collections::BTreeMap, sync::Arc};

use jiff::SignedDuration;
use serde_json::Value;
use uuid::Uuid;

use super::content_files;
use crate::{
    catalog::Catalog,
    domain::{
        OptionalText,
        action::{ActionEvent, Subject},
        actor::Actor,
        email,
        member::Member,
        member_event::EventSource,
        newsletter::Newsletter,
        newsletter_design::DESIGN,
    },
    error::{Error, Kind, Result},
    id::Id,
    render::slug,
    site::{Site, Transaction},
};

/// Longest name, in characters (Ghost 6.65, recorded).
const NAME_CHARACTERS_MAX: usize = 191;

/// Longest description, in characters (Ghost 6.65, observed).
const DESCRIPTION_CHARACTERS_MAX: usize = 2000;

/// How much later than the site at least something of its beginning changes, since its dates say whether it did.
const FIRST_SECOND: SignedDuration = SignedDuration::from_secs(1);

/// What is to be of a newsletter; `None` leaves it as it is.
#[derive(Debug, Default)]
pub struct Changes {
    /// What readers see.
    pub name: Option<Box<str>>,
    /// What its slug is made from, when not from its name.
    pub slug: Option<Box<str>>,
    /// A few words about it.
    pub description: Option<OptionalText>,
    /// The address that it comes from.
    pub sender_email: Option<OptionalText>,
    /// `active` or `archived`.
    pub status: Option<Box<str>>,
    /// Who may subscribe.
    pub visibility: Option<Box<str>>,
    /// Whether new members get it unasked.
    pub subscribe_on_signup: Option<bool>,
    /// Its place among the others; a new one comes last.
    pub sort_order: Option<u32>,
    /// What its mails look like; null unsets.
    pub design: BTreeMap<String, Value>,
}

/// How many members a newsletter has, and how many posts went out with it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Members who get it.
    pub members: usize,
    /// Posts that were sent with it.
    pub posts: usize,
}

/// Makes a newsletter; with `opt_in_existing` all who get a newsletter already get this one too. Returns it, and how many
/// those are.
///
/// # Errors
///
/// `BadRequest` without a name, `Validation` for one that is empty, too long or another one's, and for other values that
/// it cannot have.
pub fn add(
    site: &Site,
    actor: &Actor,
    changes: Changes,
    opt_in_existing: bool,
) -> Result<(Arc<Newsletter>, usize)> {
    let Some(name) = changes.name.clone() else {
        return Err(Error::new(
            Kind::BadRequest,
            "A newsletter needs a name, and the request has none.",
        ));
    };
    site.write(|transaction| {
        let now = transaction.now();
        let slug = free_slug(transaction, changes.slug.as_deref().unwrap_or(&name), None);
        let places = transaction.catalog().newsletters.iter();
        let last = places.map(|known| known.sort_order).max();
        let new = Newsletter {
            id: Id::generate(now).map_err(Error::internal)?,
            uuid: Uuid::new_v4(),
            created_at: now,
            updated_at: now,
            ..Newsletter::new(&slug, "")
        };
        let changes = Changes {
            slug: None,
            sort_order: Some(last.map_or(0, |last| last.saturating_add(1))),
            ..changes
        };
        let new = changed(transaction, new, changes)?;
        let saved = save(transaction, actor, ActionEvent::Added, new)?;
        let opted_in = if opt_in_existing {
            opt_in(transaction, actor, saved.id)?
        } else {
            0
        };
        Ok((saved, opted_in))
    })
}

/// Changes a newsletter.
///
/// # Errors
///
/// `NotFound` when there is none, `Validation` for a value that it cannot have and for a newsletter that a content file
/// describes.
pub fn edit(
    site: &Site,
    actor: &Actor,
    id: Option<Id>,
    changes: Changes,
) -> Result<Arc<Newsletter>> {
    site.write(|transaction| {
        let known = id.and_then(|id| transaction.catalog().newsletters.get(id));
        let known = known
            .cloned()
            .ok_or_else(|| Error::not_found("newsletter"))?;
        content_files::refuse(&format!("newsletter \"{}\"", known.slug), &known.source)?;
        let mut new = changed(transaction, Newsletter::clone(&known), changes)?;
        if new == *known {
            return Ok(known);
        }
        new.updated_at = transaction.now_after(if known.is_untouched_default() {
            known.updated_at + FIRST_SECOND
        } else {
            known.updated_at
        });
        save(transaction, actor, ActionEvent::Edited, new)
    })
}

/// Counts what is tied to a newsletter. All posts are looked at.
pub fn counts(catalog: &Catalog, newsletter: Id) -> Counts {
    let posts = catalog.posts.iter();
    Counts {
        members: catalog.members.uses_of_newsletter(newsletter),
        posts: posts
            .filter(|post| post.newsletter == Some(newsletter))
            .count(),
    }
}

/// Subscribes all who get a newsletter to another one; who unsubscribed from everything wants none. Tells how many.
fn opt_in(transaction: &mut Transaction, actor: &Actor, newsletter: Id) -> Result<usize> {
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

fn free_slug(transaction: &Transaction, text: &str, own: Option<Id>) -> String {
    let newsletters = &transaction.catalog().newsletters;
    slug::candidates(slug::from_text(slug::Kind::Newsletter, text, ""))
        .find(|slug| {
            newsletters
                .by_slug(slug)
                .is_none_or(|known| Some(known.id) == own)
        })
        .expect("invariant: candidates have no end")
}

fn changed(transaction: &Transaction, mut new: Newsletter, changes: Changes) -> Result<Newsletter> {
    if let Some(name) = changes.name {
        new.name = name.trim().into();
    }
    check_name(transaction, &new)?;
    if let Some(slug) = changes.slug {
        new.slug = free_slug(transaction, &slug, Some(new.id)).into();
    }
    new.description = changes.description.unwrap_or(new.description);
    let description = new.description.as_deref().unwrap_or_default();
    if description.chars().count() > DESCRIPTION_CHARACTERS_MAX {
        return Err(invalid(&format!(
            "The description of a newsletter has at most {DESCRIPTION_CHARACTERS_MAX} characters."
        )));
    }
    if let Some(sender) = changes.sender_email {
        if sender
            .as_deref()
            .is_some_and(|sender| !email::is_address(sender))
        {
            return Err(invalid("The address of the sender is no e-mail address."));
        }
        new.sender_email = sender;
    }
    new.active = match changes.status.as_deref() {
        None => new.active,
        Some("active") => true,
        Some("archived") => false,
        Some(_) => return Err(invalid("A newsletter is active or archived.")),
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
                return Err(invalid(&format!("\"{}\" cannot be {value}.", choice.name)));
            }
            Some(value) => new.choose(choice, value.clone()),
        }
    }
    Ok(new)
}

fn check_name(transaction: &Transaction, new: &Newsletter) -> Result<()> {
    let characters = new.name.chars().count();
    if new.name.is_empty() || characters > NAME_CHARACTERS_MAX {
        return Err(invalid(&format!(
            "The name of a newsletter has 1 to {NAME_CHARACTERS_MAX} characters."
        )));
    }
    let newsletters = &transaction.catalog().newsletters;
    if newsletters
        .iter()
        .any(|other| other.id != new.id && other.name == new.name)
    {
        Err(Error::already_exists(format!("A newsletter named \"{}\"", new.name)).property("name"))
    } else {
        Ok(())
    }
}

fn save(
    transaction: &mut Transaction,
    actor: &Actor,
    event: ActionEvent,
    new: Newsletter,
) -> Result<Arc<Newsletter>> {
    let saved = Arc::new(new);
    transaction.save(Newsletter::clone(&saved))?;
    let subject = Subject {
        id: saved.id,
        resource_type: "newsletter",
        name: Some(&saved.name),
        kind: None,
    };
    transaction.record_action(actor, event, subject)?;
    Ok(saved)
}

fn invalid(message: &str) -> Error {
    Error::new(Kind::Validation, message)
}
