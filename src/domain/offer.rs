//! Offers: temporary discounts on tiers. Offers are stored and served, but cannot be redeemed,
//! because payments are not supported.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{OptionalText, permission::permissions, record::record};
use crate::id::Id;

/// An offer (Ghost 6.65, recorded).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// The record's identifier.
    pub id: Id,
    /// The name that staff see; unique.
    pub name: Box<str>,
    /// The last segment of its URL; unique.
    pub code: Box<str>,
    /// The title that readers see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_title: OptionalText,
    /// The description that readers see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_description: OptionalText,
    /// The type of discount: `percent`, `fixed`, or `trial`.
    pub kind: Box<str>,
    /// The billing period: `month` or `year`.
    pub cadence: Box<str>,
    /// The amount: percent, the smallest unit of the currency, or days.
    pub amount: u64,
    /// The duration: `once`, `repeating`, `forever`; `trial` for trial days.
    pub duration: Box<str>,
    /// The number of months, if the discount repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_in_months: Option<u32>,
    /// The currency of a fixed amount, as entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: OptionalText,
    /// True if the offer can be redeemed.
    pub active: bool,
    /// The members who can redeem it: `signup` or `retention`.
    pub redemption_type: Box<str>,
    /// The discounted tier.
    pub tier: Id,
    /// Time of creation.
    pub created_at: Timestamp,
}

// An offer has a code instead of a slug.
record!(Offer, "offer", |offer| &offer.name, |offer| &offer.code);

permissions! {
    OFFERS_BROWSE: "offers", "browse" => Yes, Yes, Yes, No, No, No, Yes;
    OFFERS_READ: "offers", "read" => Yes, Yes, Yes, No, No, No, Yes;
    OFFERS_ADD: "offers", "add" => Yes, Yes, No, No, No, No, Yes;
    OFFERS_EDIT: "offers", "edit" => Yes, Yes, No, No, No, No, Yes;
}

impl Offer {
    /// Returns the name of its status.
    pub fn status(&self) -> &'static str {
        if self.active { "active" } else { "archived" }
    }
}
