//! References to tags, authors and tiers in a post.
//!
//! References are sent as lists of objects or texts. Errors in an element name its index in the list
//! (Ghost 6.65, recorded).

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

/// Reads tags: objects with an identifier, a slug or a name, or names.
pub fn tags(list: &[Value]) -> Result<Vec<TagReference>> {
    each(list, "tags", RELATIONS_MAX, |(index, element)| {
        let tag = match element {
            Value::String(name) => TagReference {
                name: Some(limited("name", name)?),
                ..TagReference::default()
            },
            Value::Object(tag) => tag_of(tag)?,
            _ => return Err(invalid_element(index, "a tag")),
        };
        match (&tag.id, &tag.slug, &tag.name) {
            (None, None, None) => Err(invalid_element(index, "a tag with an id, a slug or a name")),
            _ => Ok(tag),
        }
    })
}

/// The fields of a tag reference that are checked; others are ignored (Ghost 6.65, recorded).
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

/// Reads authors: objects with an identifier, a slug or an e-mail address, or addresses.
pub fn authors(list: &[Value]) -> Result<Vec<AuthorReference>> {
    each(list, "authors", RELATIONS_MAX, |(index, element)| {
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
            _ => return Err(invalid_element(index, "an author")),
        };
        match (&author.id, &author.slug, &author.email) {
            (None, None, None) => Err(invalid_element(
                index,
                "an author with an id, a slug or an email",
            )),
            _ => Ok(author),
        }
    })
}

/// Reads tiers: objects with an identifier. Objects without one, and texts, are ignored (Ghost
/// 6.65, recorded).
pub fn tiers(list: &[Value]) -> Result<Vec<Id>> {
    let tiers = each(
        list,
        "tiers",
        RELATIONS_MAX,
        |(index, element)| match element {
            Value::Object(tier) => Ok(id(tier)),
            Value::String(_) => Ok(None),
            _ => Err(invalid_element(index, "a tier")),
        },
    )?;
    Ok(tiers.into_iter().flatten().collect())
}

/// Reads an identifier. A malformed identifier becomes one that no record has.
fn id(record: &Map<String, Value>) -> Option<Id> {
    let id = record.get("id")?.as_str()?;
    Some(id.parse().unwrap_or_else(|_| Id::derive("unknown", id)))
}

fn text(record: &Map<String, Value>, name: &'static str) -> Result<Option<String>> {
    match record.get(name) {
        Some(Value::String(text)) => limited(name, text).map(Some),
        None | Some(Value::Null) => Ok(None),
        Some(_) => Err(malformed(name, "type", format!("\"{name}\" must be text."))),
    }
}

fn limited(name: &'static str, text: &str) -> Result<String> {
    if text.chars().count() > NAME_CHARACTERS_MAX {
        Err(malformed(
            name,
            "maxLength",
            format!("\"{name}\" has at most {NAME_CHARACTERS_MAX} characters."),
        ))
    } else {
        Ok(text.to_owned())
    }
}

fn invalid_element(index: usize, what: &str) -> Error {
    malformed(
        &index.to_string(),
        "anyOf",
        format!("Element {index} of the list is not {what}."),
    )
}
