//! The writable fields of a member.

use serde_json::{Map, Value};

use super::super::{
    envelope::{each, malformed},
    input::{Input, InputField, InputType, ListEntry, parse_time},
};
use crate::{
    admin::{
        ignored_fields,
        members::{
            LabelReference, MemberChange, NewsletterReference, RELATIONS_MAX, TierReference,
        },
    },
    domain::member::{NAME_CHARACTERS_MAX, NOTE_CHARACTERS_MAX, Status},
    error::{Error, Kind, Result},
    id::Id,
};

/// The writable fields of a member. Name and note may be null, so that clients can send responses
/// back. (Ghost 6.65 rejects null, although its own responses contain it.)
pub static FIELDS: &[InputField] = &[
    InputField::set("email", InputType::Text(191)),
    InputField::optional("name", InputType::Text(NAME_CHARACTERS_MAX)),
    InputField::optional("note", InputType::Text(NOTE_CHARACTERS_MAX)),
    InputField::set("subscribed", InputType::Boolean),
    InputField::set("labels", InputType::List(ListEntry::RecordOrText)),
    InputField::set("newsletters", InputType::List(ListEntry::Record)),
    InputField::set("tiers", InputType::List(ListEntry::Record)),
    // The older name of "tiers", read if "tiers" is absent (Ghost 6.65, observed).
    InputField::set("products", InputType::List(ListEntry::Record)),
    InputField::set("comped", InputType::Boolean),
    InputField::set("status", InputType::Choice(STATUSES)),
];

/// The statuses of members ([`Status`]).
const STATUSES: &[&str] = &["free", "paid", "comped"];

/// The member's id at the payment provider.
const CUSTOMER: &str = "stripe_customer_id";

/// Longest name and slug of a related record, in characters (Ghost 6.65, recorded).
const RELATED_CHARACTERS_MAX: usize = 191;

/// Reads a new member. `tiers` grants complimentary tiers. Because there is no payment provider, the
/// old switch `comped` is rejected and a status is ignored (both Ghost 6.65, recorded). A customer id
/// is also rejected, and a null address counts as absent (both observed).
///
/// # Errors
///
/// `Validation`, naming the field.
pub fn new_member(mut record: Map<String, Value>) -> Result<MemberChange> {
    if record.get("email").is_some_and(Value::is_null) {
        record.remove("email");
    }
    let input = Input::change(record, FIELDS)?;
    if input.text(CUSTOMER).flatten().is_some() {
        return Err(missing_connection(CUSTOMER));
    }
    match input.boolean("comped") {
        Some(true) => Err(missing_connection("comped")),
        _ => Ok(MemberChange {
            status: None,
            ..change_of(&input)?
        }),
    }
}

/// Reads the changes to a member.
///
/// # Errors
///
/// `Validation`, naming the field.
pub fn change(record: Map<String, Value>) -> Result<MemberChange> {
    change_of(&Input::change(record, FIELDS)?)
}

fn change_of(input: &Input) -> Result<MemberChange> {
    // Unlike `Input::text`, this keeps an empty address, which the operation rejects.
    let email = input.value("email").and_then(Value::as_str);
    let text = |name| input.text(name).map(|text| text.map(Into::into));
    let list = |name| input.list(name);
    let status = input.value("status").and_then(Value::as_str);
    Ok(MemberChange {
        email: email.map(Into::into),
        name: text("name"),
        note: text("note"),
        subscribed: input.boolean("subscribed"),
        labels: list("labels").map(labels).transpose()?,
        newsletters: list("newsletters").map(newsletters).transpose()?,
        tiers: tiers_of(input)?,
        comped: input.boolean("comped"),
        status: status.and_then(Status::from_name),
        emptied: input.emptied(FIELDS),
    })
}

/// Reads the tiers, by either name.
fn tiers_of(input: &Input) -> Result<Option<Vec<TierReference>>> {
    let is_other = |products| input.has("tiers") && input.value("tiers") != Some(products);
    if input.value("products").is_some_and(is_other) {
        ignored_fields::report("products");
    }
    let sent = input.list("tiers").or_else(|| input.list("products"));
    sent.map(tiers).transpose()
}

/// Returns the error for a field that requires a payment provider. Zapier matches the first three
/// words of the message.
fn missing_connection(field: &str) -> Error {
    let message = format!("Missing Stripe connection: \"{field}\" cannot be set without one.");
    Error::new(Kind::Validation, message)
        .property(field)
        .help("Give a complimentary plan with \"tiers\": [{\"id\": \"…\"}].")
}

/// Reads labels: names, or objects with a name.
fn labels(list: &[Value]) -> Result<Vec<LabelReference>> {
    each(
        list,
        "labels",
        RELATIONS_MAX,
        |(index, element)| match element {
            // Errors on a bare name refer to its position (Ghost 6.65, observed).
            Value::String(name) => Ok(LabelReference {
                name: Some(limited(&index.to_string(), name)?),
                ..LabelReference::default()
            }),
            Value::Object(label) => Ok(LabelReference {
                id: id(label),
                name: text(label, "name")?,
                slug: text(label, "slug")?,
            }),
            _ => Err(invalid_element(index, "a label")),
        },
    )
}

/// Reads newsletters: objects with an identifier, or a name.
fn newsletters(list: &[Value]) -> Result<Vec<NewsletterReference>> {
    each(
        list,
        "newsletters",
        RELATIONS_MAX,
        |(index, element)| match element {
            Value::String(name) => Ok(NewsletterReference::Name(limited("name", name)?)),
            Value::Object(newsletter) => match (id(newsletter), text(newsletter, "name")?) {
                (Some(id), _) => Ok(NewsletterReference::Id(id)),
                (None, Some(name)) => Ok(NewsletterReference::Name(name)),
                (None, None) => Err(invalid_element(index, "a newsletter with an id or a name")),
            },
            _ => Err(invalid_element(index, "a newsletter")),
        },
    )
}

/// Reads tiers: objects with an identifier or a slug, and an optional expiry.
fn tiers(list: &[Value]) -> Result<Vec<TierReference>> {
    each(list, "tiers", RELATIONS_MAX, |(index, element)| {
        let Value::Object(tier) = element else {
            return Err(invalid_element(index, "a tier"));
        };
        let reference = TierReference {
            id: id(tier),
            slug: text(tier, "slug")?,
            expires_at: tier.get("expiry_at").map(expiry).transpose()?.flatten(),
        };
        match (&reference.id, &reference.slug) {
            (None, None) => Err(invalid_element(index, "a tier with an id or a slug")),
            _ => Ok(reference),
        }
    })
}

/// Reads an expiry: an instant as text, or in milliseconds.
fn expiry(value: &Value) -> Result<Option<jiff::Timestamp>> {
    let read = match value {
        Value::Null => return Ok(None),
        Value::String(text) => parse_time(text),
        value => value
            .as_i64()
            .and_then(|milliseconds| jiff::Timestamp::from_millisecond(milliseconds).ok()),
    };
    read.map(Some).ok_or_else(|| {
        malformed(
            "expiry_at",
            "format",
            "\"expiry_at\" must be a date with a time, such as 2026-02-01T09:30:00.000Z".to_owned(),
        )
    })
}

fn id(object: &Map<String, Value>) -> Option<Id> {
    object.get("id")?.as_str()?.parse().ok()
}

fn text(object: &Map<String, Value>, name: &'static str) -> Result<Option<Box<str>>> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => limited(name, text).map(Some),
        Some(_) => Err(malformed(name, "type", format!("\"{name}\" must be text."))),
    }
}

fn limited(name: &str, text: &str) -> Result<Box<str>> {
    if text.chars().count() > RELATED_CHARACTERS_MAX {
        Err(malformed(
            name,
            "maxLength",
            format!("\"{name}\" has at most {RELATED_CHARACTERS_MAX} characters."),
        ))
    } else {
        Ok(text.into())
    }
}

/// Returns the error for an invalid element of a list, which refers to its position.
fn invalid_element(index: usize, expected: &str) -> Error {
    let message = format!("Element {index} of the list is not {expected}.");
    malformed(&index.to_string(), "type", message)
}
