//! Tiers: the access levels that readers subscribe to.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{OptionalText, UNDATED, origin::RecordOrigin, permission::permissions, record::record};
use crate::id::Id;

/// Slug of the free tier of every site.
pub const FREE_SLUG: &str = "free";

/// Slug of the paid tier of a new site (Ghost 6.65, recorded).
pub const DEFAULT_PAID_SLUG: &str = "default-product";

/// Maximum number of benefits of a tier.
pub const BENEFITS_MAX: usize = 100;

/// Longest benefit, in characters (Ghost 6.65, recorded).
pub const BENEFIT_CHARACTERS_MAX: usize = 191;

/// A tier (specification 2.6).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tier {
    /// The record's identifier.
    pub id: Id,
    /// The slug, unique among tiers.
    pub slug: Box<str>,
    /// The name that readers see.
    pub name: Box<str>,
    /// Its description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: OptionalText,
    /// True if readers can subscribe to the tier; false for an archived tier.
    pub active: bool,
    /// True if the tier is listed publicly.
    pub public: bool,
    /// Its price; `None` for the free tier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Its benefits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub benefits: Vec<Box<str>>,
    /// Length of the free trial, in days.
    #[serde(default)]
    pub trial_days: u32,
    /// URL of the page that new members see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub welcome_page_url: OptionalText,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change; `None` until the first change (Ghost 6.65, recorded).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// The content file that the tier comes from, if any.
    #[serde(
        rename = "source",
        default,
        skip_serializing_if = "RecordOrigin::is_store"
    )]
    pub origin: RecordOrigin,
}

record!(Tier, "tier", |tier| &tier.name, |tier| &tier.slug);

permissions! {
    TIERS_BROWSE: "tiers", "browse" => Yes, Yes, Yes, Yes, Yes, No, Yes;
    TIERS_READ: "tiers", "read" => Yes, Yes, Yes, Yes, Yes, No, Yes;
    TIERS_ADD: "tiers", "add" => Yes, Yes, No, No, No, No, Yes;
    TIERS_EDIT: "tiers", "edit" => Yes, Yes, No, No, No, No, Yes;
}

/// The price of a paid tier, in the smallest unit of its currency: 500 is 5.00.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// ISO 4217 code in lower case (specification 2.6).
    pub currency: Box<str>,
    /// The monthly price.
    pub monthly: u64,
    /// The yearly price.
    pub yearly: u64,
}

impl Tier {
    /// Returns an active, public and free tier with this slug.
    pub fn new(slug: &str, name: &str) -> Self {
        Self {
            id: Id::derive("tier", slug),
            slug: slug.into(),
            name: name.into(),
            description: None,
            active: true,
            public: true,
            price: None,
            benefits: Vec::new(),
            trial_days: 0,
            welcome_page_url: None,
            created_at: UNDATED,
            updated_at: None,
            origin: RecordOrigin::Store,
        }
    }

    /// Returns the free tier of a new site.
    pub fn free() -> Self {
        Self::new(FREE_SLUG, "Free")
    }

    /// Returns the paid tier of a new site: 5 a month, 50 a year.
    pub fn default_paid(site_title: &str) -> Self {
        Self {
            price: Some(Price {
                currency: "usd".into(),
                monthly: 500,
                yearly: 5000,
            }),
            ..Self::new(DEFAULT_PAID_SLUG, site_title)
        }
    }

    /// Returns the tier as staff see it. `beginning` is the creation date of the site, which is the
    /// date of a default tier without a recorded date.
    pub fn dated(&self, beginning: Timestamp) -> Cow<'_, Self> {
        if self.came_with_site() && self.origin.is_store() && self.created_at == UNDATED {
            Cow::Owned(Self {
                created_at: beginning,
                updated_at: self.updated_at.or(Some(beginning)),
                ..self.clone()
            })
        } else {
            Cow::Borrowed(self)
        }
    }

    /// Returns whether this is an unchanged tier of a new site, which content files and imports may
    /// replace.
    pub fn is_untouched_default(&self) -> bool {
        // The set-up of a site sets both dates to the same time, which is not a change.
        let is_unchanged = self.updated_at.is_none_or(|time| time == self.created_at);
        self.came_with_site() && self.origin.is_store() && is_unchanged
    }

    /// Returns whether the tier was created with the site.
    pub fn came_with_site(&self) -> bool {
        self.id == Id::derive("tier", FREE_SLUG) || self.id == Id::derive("tier", DEFAULT_PAID_SLUG)
    }

    /// Returns the sort key of lists of all tiers: the date of creation (Ghost 6.65, recorded). The
    /// tiers of a new site come before other tiers of the same second; tiers from content files
    /// without a date are sorted by price.
    pub fn creation_order(&self) -> impl Ord + use<> {
        let price = self.price.as_ref().map(|price| price.monthly);
        let price_in_file = price.filter(|_| self.origin.is_file());
        (
            self.created_at,
            price.is_some(),
            !self.came_with_site(),
            price_in_file,
            self.id,
        )
    }

    /// Returns the name of its type (specification 3.1).
    pub fn type_name(&self) -> &'static str {
        if self.price.is_some() { "paid" } else { "free" }
    }

    /// Returns the name of its visibility (specification 3.1; `none` as recorded from Ghost 6.65).
    pub fn visibility(&self) -> &'static str {
        if self.public { "public" } else { "none" }
    }
}
