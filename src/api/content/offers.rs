//! Offers: one at a time, by identifier (Ghost 6.65, recorded).

use serde_json::{Value, json};

use super::{EndpointBody, Request};
use crate::{
    api::listing::{Lookup, lookup_by_id, not_found},
    catalog::Catalog,
    domain::offer::Offer,
};

/// `GET offers/{id}/`: all public fields; parameters are ignored.
pub fn read(request: &Request) -> EndpointBody {
    let offer = match lookup_by_id(request.variable)? {
        Lookup::Id(Some(id)) => request.catalog.offers.get(id),
        Lookup::Id(None) | Lookup::Slug(_) => None,
    };
    let offer = offer.ok_or_else(|| not_found("offer"))?;
    Ok(json!({ "offers": [view(request.catalog, offer)] })
        .to_string()
        .into_bytes())
}

/// Returns the public fields of an offer. Missing display texts are empty strings (Ghost 6.65,
/// observed).
pub fn view(catalog: &Catalog, offer: &Offer) -> Value {
    let tier = catalog.tiers.get(offer.tier);
    json!({
        "id": offer.id,
        "name": offer.name,
        "display_title": offer.display_title.as_deref().unwrap_or_default(),
        "display_description": offer.display_description.as_deref().unwrap_or_default(),
        "type": offer.kind,
        "cadence": offer.cadence,
        "amount": offer.amount,
        "duration": offer.duration,
        "duration_in_months": offer.duration_in_months,
        "currency_restriction": offer.currency.is_some(),
        "currency": offer.currency,
        "status": offer.status(),
        "redemption_type": offer.redemption_type,
        "tier": {"id": offer.tier, "name": tier.map(|tier| &tier.name)},
    })
}
