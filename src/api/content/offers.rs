//! Reads of single offers by identifier; they cannot be listed (Ghost 6.65, recorded).

use super::{EndpointBody, Request};
use crate::{
    api::{
        json,
        listing::{LookupKey, lookup_by_id},
        routes::shape::{Properties, Shape::*, TEXT_OR_NULL},
        values,
    },
    catalog::{Catalog, fields::OFFERS},
    domain::offer::Offer,
    error::Error,
};

/// The values of an offer that are not in the table of fields.
pub const RELATIONS: &[Properties] = &[
    ("type", OneOf("percent fixed trial")),
    ("cadence", OneOf("month year")),
    ("duration", OneOf("once repeating forever trial")),
    ("status", OneOf("active archived")),
    ("redemption_type", OneOf("signup retention")),
    ("tier", Object(&[("id", Text), ("name", TEXT_OR_NULL)])),
];

/// `GET offers/{id}/`: all public fields; parameters are ignored.
pub fn read(request: &Request) -> EndpointBody {
    let offer = match lookup_by_id(request.variable)? {
        LookupKey::Id(Some(id)) => request.catalog.offers.get(id),
        LookupKey::Id(None) | LookupKey::Slug(_) => None,
    };
    let offer = offer.ok_or_else(|| Error::not_found("offer"))?;
    let mut bytes = Vec::new();
    let mut envelope = json::Object::begin(&mut bytes);
    let records = std::iter::once(offer);
    json::list(envelope.name(OFFERS.name), records, |bytes, offer| {
        let mut object = json::Object::begin(bytes);
        for field in OFFERS.rows() {
            let (bytes, value) = (object.name(field.name), field.value(offer));
            values::write(bytes, field.kind, value, request.site_urls, None);
        }
        write_tier(&mut object, request.catalog, offer);
        object.end();
    });
    envelope.end();
    Ok(bytes)
}

/// Writes the tier to which an offer applies.
pub fn write_tier(object: &mut json::Object, catalog: &Catalog, offer: &Offer) {
    let tier = catalog.tiers.get(offer.tier);
    let tier = serde_json::json!({ "id": offer.tier, "name": tier.map(|tier| &tier.name) });
    object.field("tier", tier);
}
