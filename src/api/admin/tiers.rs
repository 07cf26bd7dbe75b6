//! Tiers (Ghost 6.65, recorded). Lists contain all tiers on one page, with all fields.

use std::cmp::Ordering;

use serde_json::Value;

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType, ListEntry, with_texts, writable},
    records::{self, ListExtent, Resource},
    view::View,
};
use crate::{
    admin::tiers::{self, TierChanges},
    api::{json::Object, params::Rows},
    catalog::fields::{STAFF_TIERS, Schema, TIER_TEXTS, ViewField},
    domain::tier::{BENEFIT_CHARACTERS_MAX, BENEFITS_MAX, Tier},
    error::{Error, Kind, Result},
};

/// Highest price, in the smallest unit of the currency (Ghost 6.65, observed).
const PRICE_MAX: u64 = 9_999_999_999;

/// The writable fields of a tier. The slug is writable only on creation, `active` only afterwards
/// (Ghost 6.65, observed). Prices and days are checked separately, because the errors for numbers out
/// of range name no field (Ghost 6.65, recorded).
pub static FIELDS: &[InputField] =
    &with_texts::<Tier, { OWN.len() + writable(TIER_TEXTS) }>(OWN, TIER_TEXTS);

const OWN: &[InputField] = &[
    InputField::set("name", InputType::Text(191)),
    InputField::optional("slug", InputType::Text(191)),
    InputField::set("active", InputType::Boolean),
    InputField::set("visibility", InputType::Choice(&["public", "none"])),
    InputField::optional("type", InputType::Choice(&["free", "paid"])),
    InputField::optional("monthly_price", InputType::Any),
    InputField::optional("yearly_price", InputType::Any),
    InputField::optional("currency", InputType::Text(50)),
    InputField::optional("benefits", InputType::List(ListEntry::Text)),
    InputField::optional("trial_days", InputType::Any),
];

impl Resource for Tier {
    const RECORD: &'static str = "StaffTier";
    const SCHEMA: &'static Schema<Self> = &STAFF_TIERS;
    const LISTS: ListExtent = ListExtent::All;

    fn own_order(&self, other: &Self) -> Ordering {
        self.creation_order().cmp(&other.creation_order())
    }

    /// Writes all fields, regardless of `fields`. Only paid tiers have prices and a currency.
    fn write(&self, view: &View, object: &mut Object, _: &Rows<Self>) {
        let tier = &*self.dated(view.catalog().beginning());
        let is_free = tier.price.is_none();
        let rows = STAFF_TIERS
            .rows()
            .filter(|field| !(is_free && field.name == "currency"))
            .collect();
        view.fields(object, tier, &rows, |object, name, field| {
            match (field, &tier.price) {
                (ViewField::Benefits, _) => object.field(name, &tier.benefits),
                (ViewField::MonthlyPrice, Some(price)) => object.field(name, price.monthly),
                (ViewField::YearlyPrice, Some(price)) => object.field(name, price.yearly),
                _ => {}
            }
        });
    }
}

/// `POST admin/tiers/`
pub fn add(request: &Request) -> Result<Reply> {
    let input = Input::change(envelope::only_record(request, STAFF_TIERS.name)?, FIELDS)?;
    let tier = tiers::add(
        request.site(),
        request.actor()?,
        changes(&input)?,
        request.site_urls.url(),
    )?;
    let location = request.location(tier.id);
    let body = records::changed(request, &request.site().current(), tier.as_ref());
    Ok(Reply::created(body, &location).invalidating("/*"))
}

/// `PUT admin/tiers/{id}/`
pub fn edit(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let record = envelope::only_record_by_position(request, STAFF_TIERS.name)?;
    let catalog = &request.snapshot.catalog;
    let known = id.and_then(|id| catalog.tiers.get(id));
    envelope::check_id(&record, id)?;
    // An unknown tier is reported by the operation.
    if let (Some(known), Some(sent)) = (known, record.get("type"))
        && sent.as_str() != Some(known.type_name())
    {
        return Err(Error::new(
            Kind::BadRequest,
            "The \"type\" of a tier cannot be changed.",
        ));
    }
    let input = Input::change(record, FIELDS)?;
    let tier = tiers::edit(
        request.site(),
        request.actor()?,
        id,
        changes(&input)?,
        request.site_urls.url(),
    )?;
    let body = records::changed(request, &request.site().current(), tier.as_ref());
    Ok(Reply::json(body).invalidating("/*"))
}

fn changes(input: &Input) -> Result<TierChanges> {
    let text = |name: &str| input.value(name).and_then(Value::as_str);
    Ok(TierChanges {
        name: text("name").map(Into::into),
        slug: input.text("slug").flatten().map(Into::into),
        active: input.boolean("active"),
        public: text("visibility").map(|visibility| visibility == "public"),
        free: text("type").map(|kind| kind == "free"),
        // Null leaves a price unchanged, but sets the days of the trial to zero.
        monthly_price: whole(input, "monthly_price", PRICE_MAX)?.flatten(),
        yearly_price: whole(input, "yearly_price", PRICE_MAX)?.flatten(),
        currency: text("currency").map(Into::into),
        benefits: benefits(input)?,
        trial_days: whole(input, "trial_days", u32::MAX.into())?
            .map(|days| days.map_or(0, |days| u32::try_from(days).unwrap_or(u32::MAX))),
        texts: input.texts(TIER_TEXTS),
    })
}

/// Returns a whole number from 0 to `max`: `None` if it was not sent, `Some(None)` if it is null. The
/// error for a value that is not a number names the field (Ghost 6.65, observed).
fn whole(input: &Input, name: &str, max: u64) -> Result<Option<Option<u64>>> {
    let value = match input.value(name) {
        None => return Ok(None),
        Some(Value::Null) => return Ok(Some(None)),
        Some(value) => value,
    };
    let message = || format!("\"{name}\" must be a whole number from 0 to {max}, not {value}.");
    match value.as_u64().filter(|number| *number <= max) {
        Some(number) => Ok(Some(Some(number))),
        None if value.is_number() => Err(Error::new(Kind::Validation, message())),
        None => Err(envelope::malformed(name, "type", message())),
    }
}

fn benefits(input: &Input) -> Result<Option<Vec<Box<str>>>> {
    let Some(sent) = input.list("benefits") else {
        return Ok(None);
    };
    if sent.len() > BENEFITS_MAX {
        let message = format!("A tier has at most {BENEFITS_MAX} benefits.");
        return Err(envelope::malformed("benefits", "maxItems", message));
    }
    let benefit = |(index, benefit): (usize, &Value)| match benefit {
        Value::String(text) if text.trim().is_empty() => Err(Error::new(
            Kind::Validation,
            format!("Benefit {} must not be blank.", index + 1),
        )
        .property("benefits")),
        Value::String(text) if text.chars().count() <= BENEFIT_CHARACTERS_MAX => {
            Ok(text.as_str().into())
        }
        _ => Err(envelope::malformed(
            &index.to_string(),
            "type",
            format!("A benefit must be a text of at most {BENEFIT_CHARACTERS_MAX} characters."),
        )),
    };
    sent.iter()
        .enumerate()
        .map(benefit)
        .collect::<Result<_>>()
        .map(Some)
}
