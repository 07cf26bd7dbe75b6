//! Offers: tiers for less, for a time. Nothing can be paid for here, so they are kept and told, and not redeemed.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::OptionalText;
use crate::id::Id;

/// An offer (Ghost 6.65, recorded).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// The record's identifier.
    pub id: Id,
    /// What the staff calls it; unique.
    pub name: Box<str>,
    /// The last part of its address; unique.
    pub code: Box<str>,
    /// What readers see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_title: OptionalText,
    /// A few words about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_description: OptionalText,
    /// What is taken off: `percent`, `fixed`, or days to try: `trial`.
    pub kind: Box<str>,
    /// What it is for: a `month` or a `year`.
    pub cadence: Box<str>,
    /// How much: percent, the smallest unit of the currency, or days.
    pub amount: u64,
    /// For how long: `once`, `repeating`, `forever`; `trial` for days to try.
    pub duration: Box<str>,
    /// For how many months, when it repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_in_months: Option<u32>,
    /// The currency of a fixed amount, as it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: OptionalText,
    /// Whether it can still be had.
    pub active: bool,
    /// Who it is for: `signup` or `retention`.
    pub redemption_type: Box<str>,
    /// The tier that it is about.
    pub tier: Id,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Offer {
    /// The word for whether it can still be had.
    pub fn status(&self) -> &'static str {
        if self.active { "active" } else { "archived" }
    }
}
