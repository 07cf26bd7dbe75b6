//! The fields of tiers and offers (specification 2.6; `trial_days` as recorded from Ghost 6.65).

use super::{
    Audience, Field,
    FieldType::{Boolean, Integer, Text, TextList, Time},
    Schema, StoredText, TextContent, TextRules, UnknownField, ViewField,
    stored::{text_count, texts},
};
use crate::{
    catalog::value::Value,
    domain::{offer::Offer, tier::Tier},
};

/// The fields of tiers, to readers.
pub static TIERS: Schema<Tier> = Schema {
    name: "tiers",
    audience: Audience::Readers,
    fields: &[COMMON, TO_READERS, PAID],
    private: &[],
    unknown: UnknownField::Null,
};

/// The fields of tiers, to staff.
pub static STAFF_TIERS: Schema<Tier> = Schema {
    name: "tiers",
    audience: Audience::Staff,
    fields: &[COMMON, TO_STAFF, PAID],
    private: &[],
    unknown: UnknownField::Null,
};

/// The texts of tiers that clients, content files and imports set.
pub const TIER_TEXTS: &[&StoredText<Tier>] = &texts::<Tier, { text_count(&[COMMON]) }>(&[COMMON]);

const COMMON: &[Field<Tier>] = &[
    Field::required("id", Text, |tier| Value::Id(tier.id)),
    Field::required("name", Text, |tier| (&*tier.name).into()),
    Field::text(StoredText {
        name: "description",
        content: TextContent::Plain(191),
        meaning: "What the tier offers, in a sentence.",
        rules: TextRules::SIDE,
        get: |tier| Value::optional_text(tier.description.as_deref()),
        set: |tier, text| tier.description = text,
    }),
    Field::required("slug", Text, |tier| (&*tier.slug).into()),
    Field::required("active", Boolean, |tier| Value::Boolean(tier.active)),
    Field::required("type", Text, |tier| tier.type_name().into()),
    Field::text(StoredText {
        name: "welcome_page_url",
        content: TextContent::Link,
        meaning: "Where a new member is led.",
        rules: TextRules::SIDE,
        get: |tier| Value::optional_text(tier.welcome_page_url.as_deref()),
        set: |tier, text| tier.welcome_page_url = text,
    }),
    Field::required("created_at", Time, |tier| Value::Time(tier.created_at)),
    Field::optional("updated_at", Time, |tier| {
        Value::optional_time(tier.updated_at)
    }),
    Field::required("visibility", Text, |tier| tier.visibility().into()),
];

const TO_READERS: &[Field<Tier>] = &[
    Field::view("payment_prices", Text, ViewField::AlwaysNull, true),
    Field::view("benefits", TextList, ViewField::Benefits, true),
    Field::view("monthly_price", Integer, ViewField::MonthlyPrice, true).on_request(),
    Field::view("yearly_price", Integer, ViewField::YearlyPrice, true).on_request(),
];

const TO_STAFF: &[Field<Tier>] = &[
    Field::view("benefits", TextList, ViewField::Benefits, false),
    Field::view("monthly_price", Integer, ViewField::MonthlyPrice, true),
    Field::view("yearly_price", Integer, ViewField::YearlyPrice, true),
];

const PAID: &[Field<Tier>] = &[
    Field::side("currency", Text, |tier| {
        Value::optional_text(tier.price.as_ref().map(|price| &*price.currency))
    }),
    Field::required("trial_days", Integer, |tier| {
        Value::Integer(tier.trial_days.into())
    }),
];

/// The field of offers that lists can be filtered by. All other conditions are ignored (Ghost 6.65,
/// observed).
pub static OFFERS: Schema<Offer> = Schema {
    name: "offers",
    audience: Audience::Staff,
    fields: &[OFFER_FIELDS],
    private: &[],
    unknown: UnknownField::Ignore,
};

const OFFER_FIELDS: &[Field<Offer>] = &[Field::required("status", Text, |offer| {
    offer.status().into()
})];
