//! Tiers that readers can subscribe to (rules as recorded from Ghost 6.65).

use std::sync::Arc;

use jiff::SignedDuration;
use url::Url;

use super::{
    collection::{self, Collection, free_slug, invalid},
    content_files,
    texts::{self, TextChanges},
};
use crate::{
    domain::{
        action::ActionEvent,
        actor::Actor,
        tier::{Price, Tier},
    },
    error::{Error, Result},
    id::Id,
    render::slug,
    site::Site,
};

/// Default monthly price, in the smallest unit of the currency.
const MONTHLY_PRICE_DEFAULT: u64 = 500;

/// Default yearly price, in the smallest unit of the currency.
const YEARLY_PRICE_DEFAULT: u64 = 5000;

/// Minimum offset of the `updated_at` of an edited default tier from its creation, because equal
/// dates mark an unchanged default.
const FIRST_SECOND: SignedDuration = SignedDuration::from_secs(1);

/// New values for a tier; `None` leaves a value unchanged.
#[derive(Clone, Debug, Default)]
pub struct TierChanges {
    /// The name.
    pub name: Option<Box<str>>,
    /// The text that the slug of a new tier is derived from, instead of the name.
    pub slug: Option<Box<str>>,
    /// True if readers can subscribe to the tier; a new tier is always active (Ghost 6.65,
    /// observed).
    pub active: Option<bool>,
    /// True if the tier is public.
    pub public: Option<bool>,
    /// True if a new tier is free.
    pub free: Option<bool>,
    /// The monthly price, in the smallest unit of the currency.
    pub monthly_price: Option<u64>,
    /// The yearly price, in the smallest unit of the currency.
    pub yearly_price: Option<u64>,
    /// ISO 4217 code.
    pub currency: Option<Box<str>>,
    /// The benefits.
    pub benefits: Option<Vec<Box<str>>>,
    /// Free trial days.
    pub trial_days: Option<u32>,
    /// Texts.
    pub texts: TextChanges<Tier>,
}

/// Adds a paid tier to the site at `site_url`. Slugs are unique, names need not be. A missing price
/// gets the default.
///
/// # Errors
///
/// `Validation` without a name or a currency, for an invalid currency, and for a second free tier.
pub fn add(site: &Site, actor: &Actor, changes: TierChanges, site_url: &Url) -> Result<Arc<Tier>> {
    let name = changes.name.clone().unwrap_or_default();
    if name.trim().is_empty() {
        return Err(invalid("A tier needs a name."));
    }
    if changes.free == Some(true) {
        return Err(invalid("A site can only have one free tier."));
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
    content_files::edit(site, actor, |transaction| {
        let requested = changes.slug.as_deref().unwrap_or(&name);
        let slug = free_slug::<Tier>(transaction, slug::Kind::Tier, requested, None);
        let mut tier = Tier {
            id: Id::generate(transaction.now()).map_err(Error::internal)?,
            price: Some(price.clone()),
            created_at: transaction.now(),
            ..Tier::new(&slug, &name)
        };
        // A price of 0 counts as missing (Ghost 6.65, recorded).
        let given = |price: Option<u64>| price.filter(|price| *price > 0);
        let changes = TierChanges {
            active: None,
            monthly_price: given(changes.monthly_price),
            yearly_price: given(changes.yearly_price),
            ..changes.clone()
        };
        apply(&mut tier, changes, site_url)?;
        collection::save(transaction, actor, ActionEvent::Added, tier)
    })
}

/// Updates a tier of the site at `site_url`. A tier that was added with [`add`] never gets an
/// `updated_at`.
///
/// # Errors
///
/// `NotFound` if it does not exist, `Validation` for an invalid value, for a price, a currency or
/// trial days of the free tier, and for a tier from a content file.
pub fn edit(
    site: &Site,
    actor: &Actor,
    id: Option<Id>,
    changes: TierChanges,
    site_url: &Url,
) -> Result<Arc<Tier>> {
    content_files::edit(site, actor, |transaction| {
        let existing: Arc<Tier> = collection::found(transaction, actor, id)?;
        let mut tier = Tier::clone(&existing);
        apply(&mut tier, changes.clone(), site_url)?;
        if tier == *existing {
            return Ok(existing);
        }
        if tier.came_with_site() || tier.updated_at.is_some() {
            let before = if existing.is_untouched_default() {
                tier.created_at + FIRST_SECOND
            } else {
                tier.updated_at.unwrap_or(tier.created_at)
            };
            tier.updated_at = Some(transaction.now_after(before));
        }
        collection::save(transaction, actor, ActionEvent::Edited, tier)
    })
}

impl Collection for Tier {}

fn apply(tier: &mut Tier, changes: TierChanges, site_url: &Url) -> Result<()> {
    let sets_price = changes.monthly_price.is_some()
        || changes.yearly_price.is_some()
        || changes.currency.is_some()
        // Clients send back the 0 trial days of the free tier, which set nothing.
        || changes.trial_days.is_some_and(|days| days > 0);
    match &mut tier.price {
        Some(price) => {
            price.monthly = changes.monthly_price.unwrap_or(price.monthly);
            price.yearly = changes.yearly_price.unwrap_or(price.yearly);
            if let Some(currency) = &changes.currency {
                price.currency = checked_currency(currency)?;
            }
        }
        None if sets_price => {
            return Err(invalid("The free tier has no price and no trial."));
        }
        None => {}
    }
    if let Some(name) = changes.name {
        if name.trim().is_empty() {
            return Err(invalid("A tier needs a name."));
        }
        tier.name = name;
    }
    if let Some(benefits) = changes.benefits {
        tier.benefits = benefits;
    }
    texts::apply(tier, &changes.texts, site_url);
    tier.active = changes.active.unwrap_or(tier.active);
    tier.public = changes.public.unwrap_or(tier.public);
    tier.trial_days = changes.trial_days.unwrap_or(tier.trial_days);
    Ok(())
}

fn checked_currency(currency: &str) -> Result<Box<str>> {
    // The characters are not checked (Ghost 6.65, observed).
    if currency.chars().count() == 3 {
        Ok(currency.to_ascii_lowercase().into())
    } else {
        Err(invalid(format!(
            "A currency must be a code of three characters, such as eur; \"{currency}\" is not one."
        )))
    }
}
