//! The fields of offers that lists can be narrowed and ordered by (Ghost 6.65, recorded: status).

use super::{
    Audience, Field,
    FieldType::{Integer, Text, Time},
    Schema, UnknownField,
};
use crate::{catalog::value::Value, domain::offer::Offer};

/// The fields of offers.
pub static OFFERS: Schema<Offer> = Schema {
    name: "offers",
    audience: Audience::Staff,
    fields: &[FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const FIELDS: &[Field<Offer>] = &[
    Field::required("id", Text, |offer| Value::Id(offer.id)),
    Field::required("name", Text, |offer| (&*offer.name).into()),
    Field::required("code", Text, |offer| (&*offer.code).into()),
    Field::required("type", Text, |offer| (&*offer.kind).into()),
    Field::required("cadence", Text, |offer| (&*offer.cadence).into()),
    Field::required("amount", Integer, |offer| {
        Value::Integer(i64::try_from(offer.amount).unwrap_or(i64::MAX))
    }),
    Field::required("status", Text, |offer| offer.status().into()),
    Field::required("redemption_type", Text, |offer| {
        (&*offer.redemption_type).into()
    }),
    Field::required("created_at", Time, |offer| Value::Time(offer.created_at)),
];
