//! Offers (Ghost 6.65, recorded). Lists contain all offers on one page, in order of creation.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType, with_texts, writable},
    records::{self, ListExtent, Resource},
    view::View,
};
use crate::{
    admin::offers::{self, NewOffer, OfferChanges},
    api::{content, json::Object, params::Rows, routes::shape::Properties},
    catalog::fields::{OFFER_TEXTS, STAFF_OFFERS, Schema},
    domain::offer::Offer,
    error::{Error, Kind, Result},
    id::Id,
};

/// The writable fields of an offer. Texts that are too long, and other values instead of a text, are
/// rejected here; the operation checks everything else.
pub static FIELDS: &[InputField] =
    &with_texts::<Offer, { OWN.len() + writable(OFFER_TEXTS) }>(OWN, OFFER_TEXTS);

const OWN: &[InputField] = &[
    InputField::set("name", InputType::Text(40)),
    InputField::set("code", InputType::Text(191)),
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

impl Resource for Offer {
    const RECORD: &'static str = "StaffOffer";
    const SCHEMA: &'static Schema<Self> = &STAFF_OFFERS;
    const RELATIONS: &'static [Properties] = content::offers::RELATIONS;
    const LISTS: ListExtent = ListExtent::AllWithoutMeta;

    fn own_order(&self, other: &Self) -> Ordering {
        (self.created_at, self.id).cmp(&(other.created_at, other.id))
    }

    /// Writes all fields, regardless of `fields`.
    fn write(&self, view: &View, object: &mut Object, _: &Rows<Self>) {
        view.fields(object, self, &STAFF_OFFERS.rows().collect(), |_, _, _| {});
        content::offers::write_tier(object, view.catalog(), self);
    }
}

/// `POST admin/offers/`: 200, not 201.
pub fn add(request: &Request) -> Result<Reply> {
    let input = input(request)?;
    let text = |name: &str| input.value(name).and_then(Value::as_str);
    let tier = input.value("tier").and_then(|tier| tier.get("id"));
    // A value of another type counts as missing, which the operation rejects.
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
    let offer = offers::add(
        request.site(),
        request.actor()?,
        new,
        request.site_urls.url(),
    )?;
    let body = records::changed(request, &request.site().current(), offer.as_ref());
    let location = request.location(offer.id);
    Ok(Reply::json(body)
        .with_text(http::header::LOCATION, &location)
        .invalidating("/*"))
}

/// `PUT admin/offers/{id}/`
pub fn edit(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let input = input(request)?;
    let offer = offers::edit(
        request.site(),
        request.actor()?,
        id,
        changes(&input),
        request.site_urls.url(),
    )?;
    let body = records::changed(request, &request.site().current(), offer.as_ref());
    Ok(Reply::json(body).invalidating("/*"))
}

/// Returns the record of a request. A value that is not an object counts as a record without a name,
/// which is rejected (Ghost 6.65, observed).
fn input(request: &Request) -> Result<Input> {
    let record = match envelope::only_value(request, STAFF_OFFERS.name)? {
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
    OfferChanges {
        name: text("name"),
        code: text("code"),
        texts: input.texts(OFFER_TEXTS),
        status: text("status"),
    }
}
