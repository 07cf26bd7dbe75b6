//! Tiers: what readers may subscribe to (rules as recorded from Ghost 6.65).

use std::sync::Arc;

use jiff::SignedDuration;

use super::{active_urls::passive, content_files};
use crate::{
    domain::{
        OptionalText,
        action::{ActionEvent, Subject},
        actor::Actor,
        tier::{Price, Tier},
    },
    error::{Error, Kind, Result},
    id::Id,
    render::{active_urls::Usage, slug},
    site::{Site, Transaction},
};

/// What a month costs when nothing is said of it, in the smallest unit of the currency.
const MONTHLY_PRICE_DEFAULT: u64 = 500;

/// What a year costs when nothing is said of it, in the smallest unit of the currency.
const YEARLY_PRICE_DEFAULT: u64 = 5000;

/// How much later than the site at least something of its beginning changes, since its dates say whether it did.
const FIRST_SECOND: SignedDuration = SignedDuration::from_secs(1);

/// What is to be of a tier; `None` leaves it as it is.
#[derive(Debug, Default)]
pub struct Changes {
    /// What readers see.
    pub name: Option<Box<str>>,
    /// What the slug of a new one is made from, when not from its name.
    pub slug: Option<Box<str>>,
    /// A few words about it.
    pub description: Option<OptionalText>,
    /// Whether it can be subscribed to; a new one always can (Ghost 6.65, observed).
    pub active: Option<bool>,
    /// Whether it is offered to everybody.
    pub public: Option<bool>,
    /// Whether a new one is to be free.
    pub free: Option<bool>,
    /// What a month costs, in the smallest unit of the currency.
    pub monthly_price: Option<u64>,
    /// What a year costs, in the smallest unit of the currency.
    pub yearly_price: Option<u64>,
    /// ISO 4217 code.
    pub currency: Option<Box<str>>,
    /// What its members get.
    pub benefits: Option<Vec<Box<str>>>,
    /// Days that may be tried for free.
    pub trial_days: Option<u32>,
    /// Where new members are sent.
    pub welcome_page_url: Option<OptionalText>,
}

/// Makes a paid tier. Names may repeat, slugs do not. A price that is missing is the usual one.
///
/// # Errors
///
/// `Validation` without a name or a currency, for a currency that is none, and for a second free tier.
pub fn add(site: &Site, actor: &Actor, changes: Changes) -> Result<Arc<Tier>> {
    let name = changes.name.clone().unwrap_or_default();
    if name.trim().is_empty() {
        return Err(invalid("A tier needs a name."));
    }
    if changes.free == Some(true) {
        return Err(invalid(
            "A site has one free tier, and it is there already.",
        ));
    }
    let currency = changes
        .currency
        .as_deref()
        .ok_or_else(|| invalid("A price needs a currency."))?;
    let price = Price {
        currency: checked_currency(currency)?,
        monthly: MONTHLY_PRICE_DEFAULT,
        yearly: YEARLY_PRICE_DEFAULT,
    };
    site.write(|transaction| {
        let tiers = &transaction.catalog().tiers;
        let wanted = changes.slug.as_deref().unwrap_or(&name);
        let slug = slug::candidates(slug::from_text(slug::Kind::Tier, wanted, ""))
            .find(|slug| tiers.by_slug(slug).is_none())
            .expect("invariant: candidates have no end");
        let mut tier = Tier {
            id: Id::generate(transaction.now()).map_err(Error::internal)?,
            price: Some(price),
            created_at: transaction.now(),
            ..Tier::new(&slug, &name)
        };
        // A price of nothing counts as none that is given (Ghost 6.65, recorded).
        let given = |price: Option<u64>| price.filter(|price| *price > 0);
        let changes = Changes {
            active: None,
            monthly_price: given(changes.monthly_price),
            yearly_price: given(changes.yearly_price),
            ..changes
        };
        apply(&mut tier, changes)?;
        save(transaction, actor, ActionEvent::Added, tier)
    })
}

/// Changes a tier. A tier that was made here never has a date of its last change.
///
/// # Errors
///
/// `NotFound` when there is none, `Validation` for a value that it cannot have, for a price, a currency or days to try of the
/// free tier, and for a tier that a content file describes.
pub fn edit(site: &Site, actor: &Actor, id: Option<Id>, changes: Changes) -> Result<Arc<Tier>> {
    site.write(|transaction| {
        let known = id.and_then(|id| transaction.catalog().tiers.get(id));
        let known = known.cloned().ok_or_else(|| Error::not_found("tier"))?;
        content_files::refuse(&format!("tier \"{}\"", known.slug), &known.source)?;
        let mut tier = Tier::clone(&known);
        apply(&mut tier, changes)?;
        if tier == *known {
            return Ok(known);
        }
        if tier.came_with_site() || tier.updated_at.is_some() {
            let before = if known.is_untouched_default() {
                tier.created_at + FIRST_SECOND
            } else {
                tier.updated_at.unwrap_or(tier.created_at)
            };
            tier.updated_at = Some(transaction.now_after(before));
        }
        save(transaction, actor, ActionEvent::Edited, tier)
    })
}

fn apply(tier: &mut Tier, changes: Changes) -> Result<()> {
    let asks_to_pay = changes.monthly_price.is_some()
        || changes.yearly_price.is_some()
        || changes.currency.is_some()
        || changes.trial_days.is_some_and(|days| days > 0);
    match &mut tier.price {
        Some(price) => {
            price.monthly = changes.monthly_price.unwrap_or(price.monthly);
            price.yearly = changes.yearly_price.unwrap_or(price.yearly);
            if let Some(currency) = &changes.currency {
                price.currency = checked_currency(currency)?;
            }
        }
        None if asks_to_pay => {
            return Err(invalid(
                "The free tier costs nothing, and there is nothing to try.",
            ));
        }
        None => {}
    }
    if let Some(name) = changes.name {
        if name.trim().is_empty() {
            return Err(invalid("A tier needs a name."));
        }
        tier.name = name;
    }
    if let Some(description) = changes.description {
        tier.description = description;
    }
    if let Some(benefits) = changes.benefits {
        tier.benefits = benefits;
    }
    if let Some(welcome_page_url) = changes.welcome_page_url {
        tier.welcome_page_url = welcome_page_url
            .as_deref()
            .and_then(|url| passive("welcome_page_url", url, Usage::Link))
            .map(Into::into);
    }
    tier.active = changes.active.unwrap_or(tier.active);
    tier.public = changes.public.unwrap_or(tier.public);
    tier.trial_days = changes.trial_days.unwrap_or(tier.trial_days);
    Ok(())
}

fn checked_currency(currency: &str) -> Result<Box<str>> {
    // What the letters are is not looked at (Ghost 6.65, observed).
    if currency.chars().count() == 3 {
        Ok(currency.to_ascii_lowercase().into())
    } else {
        Err(invalid(&format!(
            "A currency is a code of three characters, such as eur; \"{currency}\" is none."
        )))
    }
}

fn save(
    transaction: &mut Transaction,
    actor: &Actor,
    event: ActionEvent,
    tier: Tier,
) -> Result<Arc<Tier>> {
    let (id, name) = (tier.id, tier.name.clone());
    transaction.save(tier)?;
    let subject = Subject {
        id,
        resource_type: "tier",
        name: Some(&name),
        kind: None,
    };
    transaction.record_action(actor, event, subject)?;
    let saved = transaction.catalog().tiers.get(id);
    Ok(Arc::clone(saved.expect("invariant: it was saved above")))
}

fn invalid(message: &str) -> Error {
    Error::new(Kind::Validation, message)
}
