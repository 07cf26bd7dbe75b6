//! Tags, authors and tiers as a post names them.
//!
//! A list of objects or texts. What is wrong in an element is refused by the element's place in the list (Ghost 6.65,
//! recorded).

use serde_json::{Map, Value};

use crate::{
    admin::posts::{AuthorReference, TagReference},
    api::admin::{
        envelope::{each, malformed},
        input::{Input, InputField, InputType},
    },
    domain::post::RELATIONS_MAX,
    error::{Error, Result},
    id::Id,
};

/// Longest name and slug, in characters (Ghost 6.65, recorded).
const NAME_CHARACTERS_MAX: usize = 191;

/// Tags: objects with an identifier, a slug or a name, or names.
pub fn tags(list: &[Value]) -> Result<Vec<TagReference>> {
    each(list, "tags", RELATIONS_MAX, |(place, element)| {
        let tag = match element {
            Value::String(name) => TagReference {
                name: Some(limited("name", name)?),
                ..TagReference::default()
            },
            Value::Object(tag) => tag_of(tag)?,
            _ => return Err(not_one(place, "a tag")),
        };
        match (&tag.id, &tag.slug, &tag.name) {
            (None, None, None) => Err(not_one(place, "a tag with an id, a slug or a name")),
            _ => Ok(tag),
        }
    })
}

/// What is looked at of a tag that a post names; anything else is passed over (Ghost 6.65, recorded).
const TAG_FIELDS: &[InputField] = &[
    InputField::set("name", InputType::Text(NAME_CHARACTERS_MAX)),
    InputField::optional("slug", InputType::Text(NAME_CHARACTERS_MAX)),
];

fn tag_of(tag: &Map<String, Value>) -> Result<TagReference> {
    let input = Input::change(tag.clone(), TAG_FIELDS)?;
    let name = input.value("name").and_then(Value::as_str);
    Ok(TagReference {
        id: id(tag),
        slug: input.text("slug").flatten().map(str::to_owned),
        name: name.map(str::to_owned),
    })
}

/// Authors: objects with an identifier, a slug or an e-mail address, or addresses.
pub fn authors(list: &[Value]) -> Result<Vec<AuthorReference>> {
    each(list, "authors", RELATIONS_MAX, |(place, element)| {
        let author = match element {
            Value::String(email) => AuthorReference {
                email: Some(email.clone()),
                ..AuthorReference::default()
            },
            Value::Object(author) => AuthorReference {
                id: id(author),
                slug: text(author, "slug")?,
                email: text(author, "email")?,
            },
            _ => return Err(not_one(place, "an author")),
        };
        match (&author.id, &author.slug, &author.email) {
            (None, None, None) => Err(not_one(place, "an author with an id, a slug or an email")),
            _ => Ok(author),
        }
    })
}

/// Tiers: objects with an identifier. Those without one, and texts, choose nothing (Ghost 6.65, recorded).
pub fn tiers(list: &[Value]) -> Result<Vec<Id>> {
    let tiers = each(
        list,
        "tiers",
        RELATIONS_MAX,
        |(place, element)| match element {
            Value::Object(tier) => Ok(id(tier)),
            Value::String(_) => Ok(None),
            _ => Err(not_one(place, "a tier")),
        },
    )?;
    Ok(tiers.into_iter().flatten().collect())
}

/// An identifier that nobody can have counts as one that nobody has.
fn id(record: &Map<String, Value>) -> Option<Id> {
    let id = record.get("id")?.as_str()?;
    Some(id.parse().unwrap_or_else(|_| Id::derive("unknown", id)))
}

fn text(record: &Map<String, Value>, name: &'static str) -> Result<Option<String>> {
    match record.get(name) {
        Some(Value::String(text)) => limited(name, text).map(Some),
        None | Some(Value::Null) => Ok(None),
        Some(_) => Err(malformed(name, "type", format!("\"{name}\" takes text."))),
    }
}

fn limited(name: &'static str, text: &str) -> Result<String> {
    match text.chars().count() > NAME_CHARACTERS_MAX {
        false => Ok(text.to_owned()),
        true => Err(malformed(
            name,
            "maxLength",
            format!("\"{name}\" has at most {NAME_CHARACTERS_MAX} characters."),
        )),
    }
}

fn not_one(place: usize, what: &str) -> Error {
    malformed(
        &place.to_string(),
        "anyOf",
        format!("Element {place} of the list is not {what}."),
    )
}
