//! What clients may write of a member.

use serde_json::{Map, Value};

use super::super::{
    envelope::{each, malformed},
    input::{Entry, Input, InputField, InputType, parse_time},
};
use crate::{
    admin::members::{
        LabelReference, MemberChange, NewsletterReference, RELATIONS_MAX, TierReference,
    },
    domain::member::{NAME_CHARACTERS_MAX, NOTE_CHARACTERS_MAX},
    error::{Error, Kind, Result},
    id::Id,
};

/// What clients may write of a member. A name and a note may be null, as they are read (Ghost 6.65 refuses that, and so
/// what it has just answered).
pub static FIELDS: &[InputField] = &[
    InputField::set("email", InputType::Text(191)),
    InputField::optional("name", InputType::Text(NAME_CHARACTERS_MAX)),
    InputField::optional("note", InputType::Text(NOTE_CHARACTERS_MAX)),
    InputField::set("subscribed", InputType::Boolean),
    InputField::set("labels", InputType::List(Entry::RecordOrText)),
    InputField::set("newsletters", InputType::List(Entry::Record)),
    InputField::set("tiers", InputType::List(Entry::Record)),
    InputField::set("comped", InputType::Boolean),
];

/// Who somebody is to the payment provider.
const CUSTOMER: &str = "stripe_customer_id";

/// Longest name and slug of what a member is tied to, in characters (Ghost 6.65, recorded).
const RELATED_CHARACTERS_MAX: usize = 191;

/// A new member. Who is to have a tier is given one by `tiers`; without a payment provider the old switch `comped` is not
/// taken (Ghost 6.65, recorded), and neither is who somebody is to that provider. An address that is null is one that is not
/// there (both observed).
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
        _ => change_of(&input),
    }
}

/// What is to be changed of a member.
///
/// # Errors
///
/// `Validation`, naming the field.
pub fn change(record: Map<String, Value>) -> Result<MemberChange> {
    change_of(&Input::change(record, FIELDS)?)
}

fn change_of(input: &Input) -> Result<MemberChange> {
    // An empty address is one, and refused.
    let email = input.value("email").and_then(Value::as_str);
    let text = |name| input.text(name).map(|text| text.map(Into::into));
    let list = |name| input.list(name);
    Ok(MemberChange {
        email: email.map(Into::into),
        name: text("name"),
        note: text("note"),
        subscribed: input.boolean("subscribed"),
        labels: list("labels").map(labels).transpose()?,
        newsletters: list("newsletters").map(newsletters).transpose()?,
        tiers: list("tiers").map(tiers).transpose()?,
        emptied: input.emptied(FIELDS),
    })
}

/// The refusal of what only a payment provider can do. Zapier looks for its first three words.
fn missing_connection(field: &str) -> Error {
    let message = format!("Missing Stripe connection: \"{field}\" cannot be set without one.");
    Error::new(Kind::Validation, message)
        .property(field)
        .help("Give a complimentary plan with \"tiers\": [{\"id\": \"…\"}].")
}

/// Labels: names, or objects that have one.
fn labels(list: &[Value]) -> Result<Vec<LabelReference>> {
    each(
        list,
        "labels",
        RELATIONS_MAX,
        |(place, element)| match element {
            // A bare name is told by its place (Ghost 6.65, observed).
            Value::String(name) => Ok(LabelReference {
                name: Some(limited(&place.to_string(), name)?),
                ..LabelReference::default()
            }),
            Value::Object(label) => Ok(LabelReference {
                id: id(label),
                name: text(label, "name")?,
                slug: text(label, "slug")?,
            }),
            _ => Err(not_one(place, "a label")),
        },
    )
}

/// Newsletters: objects with an identifier, or a name.
fn newsletters(list: &[Value]) -> Result<Vec<NewsletterReference>> {
    each(
        list,
        "newsletters",
        RELATIONS_MAX,
        |(place, element)| match element {
            Value::String(name) => Ok(NewsletterReference::Name(limited("name", name)?)),
            Value::Object(newsletter) => match (id(newsletter), text(newsletter, "name")?) {
                (Some(id), _) => Ok(NewsletterReference::Id(id)),
                (None, Some(name)) => Ok(NewsletterReference::Name(name)),
                (None, None) => Err(not_one(place, "a newsletter with an id or a name")),
            },
            _ => Err(not_one(place, "a newsletter")),
        },
    )
}

/// Tiers: objects with an identifier or a slug, and until when the member has it.
fn tiers(list: &[Value]) -> Result<Vec<TierReference>> {
    each(list, "tiers", RELATIONS_MAX, |(place, element)| {
        let Value::Object(tier) = element else {
            return Err(not_one(place, "a tier"));
        };
        let reference = TierReference {
            id: id(tier),
            slug: text(tier, "slug")?,
            expires_at: tier.get("expiry_at").map(expiry).transpose()?.flatten(),
        };
        match (&reference.id, &reference.slug) {
            (None, None) => Err(not_one(place, "a tier with an id or a slug")),
            _ => Ok(reference),
        }
    })
}

/// Until when: an instant as text, or in milliseconds, as it is read.
fn expiry(value: &Value) -> Result<Option<jiff::Timestamp>> {
    let read = match value {
        Value::Null => return Ok(None),
        Value::String(text) => parse_time(text),
        value => value
            .as_i64()
            .and_then(|milliseconds| jiff::Timestamp::from_second(milliseconds / 1000).ok()),
    };
    read.map(Some).ok_or_else(|| {
        malformed(
            "expiry_at",
            "format",
            "\"expiry_at\" takes a date with a time, such as 2026-02-01T09:30:00.000Z".to_owned(),
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
        Some(_) => Err(malformed(name, "type", format!("\"{name}\" takes text."))),
    }
}

fn limited(name: &str, text: &str) -> Result<Box<str>> {
    match text.chars().count() > RELATED_CHARACTERS_MAX {
        true => Err(malformed(
            name,
            "maxLength",
            format!("\"{name}\" has at most {RELATED_CHARACTERS_MAX} characters."),
        )),
        false => Ok(text.into()),
    }
}

/// What stands at `place` of a list is not what belongs there: told by the place, which is the only name it has.
fn not_one(place: usize, wanted: &str) -> Error {
    let message = format!("What stands at place {place} of the list is not {wanted}.");
    malformed(&place.to_string(), "type", message)
}
