//! The tiers that a list may name.

use crate::{catalog::Catalog, domain::tier::Tier, id::Id};

/// The paid tiers of a site, by the names that lists use.
pub struct PaidTiers {
    /// The oldest active one comes first.
    tiers: Vec<NamedTier>,
    default: Option<Id>,
}

struct NamedTier {
    id: Id,
    id_text: String,
    slug: Box<str>,
    name: Box<str>,
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
        Self {
            tiers: tiers.into_iter().map(NamedTier::of).collect(),
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
        if let Some(tier) = self.find(cell) {
            return Ok(vec![tier]);
        }
        let words = cell.split(',').map(str::trim);
        words
            .filter(|word| !word.is_empty())
            .map(|word| {
                self.find(word)
                    .ok_or_else(|| format!("there is no paid tier named \"{word}\""))
            })
            .collect()
    }

    fn find(&self, word: &str) -> Option<Id> {
        let by = |matches: &dyn Fn(&NamedTier) -> bool| {
            self.tiers
                .iter()
                .find(|tier| matches(tier))
                .map(|tier| tier.id)
        };
        by(&|tier| *tier.name == *word)
            .or_else(|| by(&|tier| *tier.slug == *word))
            .or_else(|| by(&|tier| tier.id_text == word))
            .or_else(|| by(&|tier| tier.name.to_lowercase() == word.to_lowercase()))
    }
}

impl NamedTier {
    fn of(tier: &Tier) -> Self {
        Self {
            id: tier.id,
            id_text: tier.id.to_string(),
            slug: tier.slug.clone(),
            name: tier.name.clone(),
        }
    }
}
