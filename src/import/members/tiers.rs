//! The tiers that a list may name.

use super::names::{NamedRecord, named};
use crate::{catalog::Catalog, domain::tier::Tier, id::Id};

/// The paid tiers of a site, by the names that lists use.
pub struct PaidTiers {
    /// The oldest active tier comes first.
    tiers: Vec<NamedRecord>,
    default: Option<Id>,
}

impl PaidTiers {
    /// Returns the paid tiers of the site, the oldest active one first.
    pub fn of(catalog: &Catalog) -> Self {
        let mut tiers: Vec<&Tier> = catalog
            .tiers
            .iter()
            .map(|tier| &**tier)
            .filter(|tier| tier.price.is_some())
            .collect();
        tiers.sort_by_key(|tier| (!tier.active, tier.creation_order()));
        let tiers = tiers.into_iter();
        Self {
            tiers: tiers
                .map(|tier| NamedRecord::new(tier.id, &tier.slug, &tier.name))
                .collect(),
            default: catalog.default_paid_tier().map(|tier| tier.id),
        }
    }

    /// Returns the tier of a complimentary plan without a name.
    ///
    /// # Errors
    ///
    /// The message, if the site has no active paid tier.
    pub fn default(&self) -> Result<Vec<Id>, String> {
        let default = self.default.map(|tier| vec![tier]);
        default.ok_or_else(|| "the site has no paid tier".to_owned())
    }

    /// Returns the tiers in a cell, by name, slug or identifier: one, or several separated by commas.
    ///
    /// # Errors
    ///
    /// The message, if one of them does not exist.
    pub fn named(&self, cell: &str) -> Result<Vec<Id>, String> {
        match named(&self.tiers, cell) {
            (found, unknown) if unknown.is_empty() => Ok(found),
            (_, unknown) => Err(format!("there is no paid tier named \"{}\"", unknown[0])),
        }
    }
}
