//! The field of offers that lists can be filtered by. All other conditions are ignored (Ghost 6.65,
//! observed).

use super::{Audience, Field, FieldType::Text, Schema, UnknownField};
use crate::domain::offer::Offer;

/// The fields of offers.
pub static OFFERS: Schema<Offer> = Schema {
    name: "offers",
    audience: Audience::Staff,
    fields: &[FIELDS],
    private: &[],
    unknown: UnknownField::Ignore,
};

const FIELDS: &[Field<Offer>] = &[Field::required("status", Text, |offer| {
    offer.status().into()
})];
