//! Offers (Ghost 6.65, recorded): always all of them on one page, in order of creation.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType},
};
use crate::{
    admin::offers::{self, NewOffer, OfferChanges},
    api::{
        content,
        listing::{self, FilterRules, not_found, written_time},
        params::Paging,
    },
    catalog::{Catalog, fields::OFFERS},
    domain::offer::Offer,
    error::{Error, Kind, Result},
    id::Id,
};

/// The name of the envelope.
const RESOURCE: &str = "offers";

/// The writable fields of an offer. Values that are not text where text is expected, or too long,
/// are rejected here; the operation rejects the rest.
pub static FIELDS: &[InputField] = &[
    InputField::set("name", InputType::Text(40)),
    InputField::set("code", InputType::Text(191)),
    InputField::optional("display_title", InputType::Text(191)),
    InputField::optional("display_description", InputType::Text(191)),
    InputField::set("status", InputType::Text(50)),
    InputField::set("type", InputType::Text(50)),
    InputField::set("cadence", InputType::Text(50)),
    InputField::set("amount", InputType::Any),
    InputField::set("duration", InputType::Text(50)),
    InputField::optional("duration_in_months", InputType::Any),
    InputField::optional("currency", InputType::Text(50)),
    InputField::optional("redemption_type", InputType::Text(50)),
    InputField::optional("tier", InputType::Object),
];

/// `GET admin/offers/`
pub fn browse(request: &Request) -> Result<Reply> {
    let catalog = &request.snapshot.catalog;
    let paging = Paging::parse(request.parameters)?;
    let rules = FilterRules::of_fields(&OFFERS);
    let query = listing::query(catalog, request.now, &paging, &rules)?;
    let is_found = |offer: &Offer| {
        query
            .filter
            .as_ref()
            .is_none_or(|filter| filter.holds(offer))
    };
    let mut found: Vec<&Arc<Offer>> = catalog
        .offers
        .iter()
        .filter(|offer| is_found(offer))
        .collect();
    found.sort_by(|a, b| match &query.order {
        Some(order) => order.compare(a, b, |_| 0),
        None => (a.created_at, a.id).cmp(&(b.created_at, b.id)),
    });
    let records: Vec<Value> = found.iter().map(|offer| view(catalog, offer)).collect();
    Ok(Reply::value(&json!({ RESOURCE: records })))
}

/// `GET admin/offers/{id}/`
pub fn read(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let offer = id.and_then(|id| request.snapshot.catalog.offers.get(id));
    let offer = offer.ok_or_else(|| not_found("offer"))?;
    Ok(Reply::value(&envelope_of(&request.snapshot.catalog, offer)))
}

/// `POST admin/offers/`: 200, not 201.
pub fn add(request: &Request) -> Result<Reply> {
    let input = input(request)?;
    let text = |name: &str| input.value(name).and_then(Value::as_str);
    let tier = input.value("tier").and_then(|tier| tier.get("id"));
    let months = input.value("duration_in_months").and_then(Value::as_u64);
    let new = NewOffer {
        changes: changes(&input),
        kind: text("type").unwrap_or_default().into(),
        cadence: text("cadence").unwrap_or_default().into(),
        amount: input.value("amount").and_then(Value::as_u64),
        duration: text("duration").unwrap_or_default().into(),
        duration_in_months: months.and_then(|months| u32::try_from(months).ok()),
        currency: text("currency").map(Into::into),
        redemption_type: text("redemption_type").map(Into::into),
        tier: tier
            .and_then(Value::as_str)
            .and_then(|id| id.parse::<Id>().ok()),
    };
    let offer = offers::add(request.site(), request.actor()?, new)?;
    let body = envelope_of(&request.site().current().catalog, &offer);
    let location = request.location(offer.id);
    Ok(Reply::value(&body)
        .with_text(http::header::LOCATION, &location)
        .invalidating("/*"))
}

/// `PUT admin/offers/{id}/`
pub fn edit(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let input = input(request)?;
    let offer = offers::edit(request.site(), request.actor()?, id, changes(&input))?;
    let body = envelope_of(&request.site().current().catalog, &offer);
    Ok(Reply::value(&body).invalidating("/*"))
}

/// Returns the record of a request. A value that is not an object has no name, and is rejected for
/// that (Ghost 6.65, observed).
fn input(request: &Request) -> Result<Input> {
    let record = match envelope::only_value(request, RESOURCE)? {
        Value::Object(record) => record,
        _ => Map::from_iter([("name".to_owned(), Value::Null)]),
    };
    Input::change(record, FIELDS).map_err(|error| {
        let name = error.property_name().and_then(offers::error_name);
        match name {
            Some(name) => {
                let message = error.context_text().unwrap_or(error.message());
                Error::new(Kind::BadRequest, message).named(name)
            }
            None => error,
        }
    })
}

fn changes(input: &Input) -> OfferChanges {
    let text = |name: &str| input.value(name).and_then(Value::as_str).map(Into::into);
    let optional = |name: &str| {
        let value = input.value(name)?;
        Some(value.as_str().map(Into::into))
    };
    OfferChanges {
        name: text("name"),
        code: text("code"),
        display_title: optional("display_title"),
        display_description: optional("display_description"),
        status: text("status"),
    }
}

fn envelope_of(catalog: &Catalog, offer: &Offer) -> Value {
    json!({ RESOURCE: [view(catalog, offer)] })
}

/// Returns an offer: its public fields and those for staff only.
fn view(catalog: &Catalog, offer: &Offer) -> Value {
    let mut view = content::offers::view(catalog, offer);
    view["code"] = json!(offer.code);
    view["redemption_count"] = json!(0);
    view["created_at"] = json!(written_time(offer.created_at));
    view["last_redeemed"] = Value::Null;
    view
}
