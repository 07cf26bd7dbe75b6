//! The fields of tiers and offers (specification 2.6; `trial_days` as recorded from Ghost 6.65).

use super::{
    ApiKind, Field,
    FieldType::{Boolean, Integer, Text, TextList, Time},
    Schema, StoredText, TextContent, TextRules, UnknownField, ViewField,
};
use crate::{
    catalog::{
        fields::text_fields::{text_count, texts},
        value::Value,
    },
    domain::{offer::Offer, tier::Tier},
};

/// The fields of tiers in the Content API.
pub static TIERS: Schema<Tier> = Schema {
    name: "tiers",
    api: ApiKind::Content,
    fields: &[COMMON, TO_READERS, PAID],
    private: &[],
    unknown: UnknownField::Null,
};

/// The fields of tiers in the Admin API.
pub static STAFF_TIERS: Schema<Tier> = Schema {
    name: "tiers",
    api: ApiKind::Admin,
    fields: &[COMMON, TO_STAFF, PAID],
    private: &[],
    unknown: UnknownField::Null,
};

/// The texts of tiers that clients, content files and imports can set.
pub const TIER_TEXTS: &[&StoredText<Tier>] = &texts::<Tier, { text_count(&[COMMON]) }>(&[COMMON]);

const COMMON: &[Field<Tier>] = &[
    Field::required("id", Text, |tier| Value::Id(tier.id)),
    Field::required("name", Text, |tier| (&*tier.name).into()),
    Field::text(StoredText {
        name: "description",
        content: TextContent::Plain(191),
        meaning: "Description of the tier, in a sentence.",
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
        meaning: "URL that a new member is redirected to.",
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

/// The fields of offers in the Content API.
pub static OFFERS: Schema<Offer> = Schema {
    name: "offers",
    api: ApiKind::Content,
    fields: &[OFFER_FIELDS],
    private: &[],
    unknown: UnknownField::Ignore,
};

/// The fields of offers in the Admin API. Conditions on fields other than the status are ignored
/// (Ghost 6.65, observed).
pub static STAFF_OFFERS: Schema<Offer> = Schema {
    name: "offers",
    api: ApiKind::Admin,
    fields: &[OFFER_FIELDS, OFFER_FIELDS_OF_STAFF],
    private: &[],
    unknown: UnknownField::Ignore,
};

/// The texts of offers that clients and imports can set.
pub const OFFER_TEXTS: &[&StoredText<Offer>] =
    &texts::<Offer, { text_count(&[OFFER_FIELDS]) }>(&[OFFER_FIELDS]);

/// The fields of offers in both APIs. Missing display texts are empty strings (Ghost 6.65,
/// observed).
const OFFER_FIELDS: &[Field<Offer>] = &[
    Field::required("id", Text, |offer: &Offer| Value::Id(offer.id)).unqueried(),
    Field::required("name", Text, |offer: &Offer| (&*offer.name).into()).unqueried(),
    Field::text(StoredText {
        name: "display_title",
        content: TextContent::Plain(191),
        meaning: "The title for readers.",
        rules: TextRules {
            former_columns: &["portal_title"],
            ..TextRules::USUAL
        },
        get: |offer: &Offer| Value::optional_text(offer.display_title.as_deref()),
        set: |offer: &mut Offer, text| offer.display_title = text,
    })
    .with_default(|offer| offer.display_title.as_deref().unwrap_or_default().into())
    .unqueried(),
    Field::text(StoredText {
        name: "display_description",
        content: TextContent::Plain(191),
        meaning: "The description for readers.",
        rules: TextRules {
            former_columns: &["portal_description"],
            ..TextRules::USUAL
        },
        get: |offer: &Offer| Value::optional_text(offer.display_description.as_deref()),
        set: |offer: &mut Offer, text| offer.display_description = text,
    })
    .with_default(|offer| {
        let description = offer.display_description.as_deref();
        description.unwrap_or_default().into()
    })
    .unqueried(),
    Field::required("type", Text, |offer: &Offer| (&*offer.kind).into()).unqueried(),
    Field::required("cadence", Text, |offer: &Offer| (&*offer.cadence).into()).unqueried(),
    Field::required("amount", Integer, |offer: &Offer| {
        Value::Integer(offer.amount.try_into().unwrap_or(i64::MAX))
    })
    .unqueried(),
    Field::required("duration", Text, |offer: &Offer| (&*offer.duration).into()).unqueried(),
    Field::optional("duration_in_months", Integer, |offer: &Offer| {
        let months = offer.duration_in_months.map(i64::from);
        months.map_or(Value::Null, Value::Integer)
    })
    .unqueried(),
    Field::required("currency_restriction", Boolean, |offer: &Offer| {
        Value::Boolean(offer.currency.is_some())
    })
    .unqueried(),
    Field::optional("currency", Text, |offer: &Offer| {
        Value::optional_text(offer.currency.as_deref())
    })
    .unqueried(),
    Field::required("status", Text, |offer: &Offer| offer.status().into()),
    Field::required("redemption_type", Text, |offer: &Offer| {
        (&*offer.redemption_type).into()
    })
    .unqueried(),
];

/// Offers cannot be redeemed.
const OFFER_FIELDS_OF_STAFF: &[Field<Offer>] = &[
    Field::required("code", Text, |offer: &Offer| (&*offer.code).into()).unqueried(),
    Field::required("redemption_count", Integer, |_| Value::Integer(0)).unqueried(),
    Field::required("created_at", Time, |offer: &Offer| {
        Value::Time(offer.created_at)
    })
    .unqueried(),
    Field::optional("last_redeemed", Time, |_| Value::Null).unqueried(),
];
