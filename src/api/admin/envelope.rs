//! The envelope of requests: `{"posts": [{…}]}`, one record under the plural name of its resource (specification 4.3).

use serde_json::{Map, Value, json};

use super::Request;
use crate::{
    error::{Error, Kind, Result},
    id::Id,
};

/// The one record in the envelope `resource`, of posts, pages and tags.
///
/// # Errors
///
/// `Validation` naming the envelope when there is none or it does not hold exactly one record, and naming the place `0`
/// when that is no object or an empty one (Ghost 6.65, recorded). `UnreadableBody` and `UnsupportedMediaType` as
/// [`Request::json`].
pub fn record(request: &Request, resource: &'static str) -> Result<Map<String, Value>> {
    let body = request.json()?;
    let records = match body {
        Some(Value::Object(mut envelope)) => envelope.remove(resource),
        _ => None,
    };
    let Some(Value::Array(records)) = records else {
        return Err(malformed(
            resource,
            "required",
            format!("The body has no list \"{resource}\" of one record."),
        ));
    };
    let found = records.len();
    match <[Value; 1]>::try_from(records) {
        Ok([Value::Object(record)]) => Ok(record),
        Ok([_]) => Err(malformed("0", "type", no_object(resource))),
        Err(_) => Err(too_many(resource, found)),
    }
}

/// What is to be done to many records: the object `bulk`.
///
/// # Errors
///
/// `Validation` when there is none. `UnreadableBody` and `UnsupportedMediaType` as [`Request::json`].
pub fn bulk(request: &Request) -> Result<Map<String, Value>> {
    let bulk = match request.json()? {
        Some(Value::Object(mut envelope)) => envelope.remove("bulk"),
        _ => None,
    };
    match bulk {
        Some(Value::Object(bulk)) => Ok(bulk),
        _ => Err(malformed(
            "bulk",
            "required",
            "The body has no object \"bulk\" with an action.".to_owned(),
        )),
    }
}

/// What `read` makes of each element of the list `name`, which has at most `elements_max`; it is given their places too.
///
/// # Errors
///
/// `Validation` naming the list when it is longer, and what `read` returns.
pub fn each<T>(
    list: &[Value],
    name: &'static str,
    elements_max: usize,
    read: impl FnMut((usize, &Value)) -> Result<T>,
) -> Result<Vec<T>> {
    if list.len() > elements_max {
        return Err(malformed(
            name,
            "maxItems",
            format!("\"{name}\" has at most {elements_max} elements."),
        ));
    }
    list.iter().enumerate().map(read).collect()
}

/// The first record in the envelope `resource`, of a resource whose envelope is not looked at any closer (Ghost 6.65,
/// recorded: integrations).
///
/// # Errors
///
/// `BadRequest` when there is no record or an empty one, `Validation` when it is no object; further ones are passed over.
/// `UnreadableBody` and `UnsupportedMediaType` as [`Request::json`].
pub fn first_record(request: &Request, resource: &'static str) -> Result<Map<String, Value>> {
    let (first, _) = first_of(request.json()?, resource)?;
    object(first, resource)
}

/// The one record in the envelope `resource`, of a resource to which a request that says nothing is wrong as a whole: all
/// but posts, pages and tags (Ghost 6.65, recorded and observed).
///
/// # Errors
///
/// `BadRequest` when there is no record or an empty one, `Validation` when it is no object, and naming the envelope when
/// there are several. `UnreadableBody` and `UnsupportedMediaType` as [`Request::json`].
pub fn only_record(request: &Request, resource: &'static str) -> Result<Map<String, Value>> {
    object(only_value(request, resource)?, resource)
}

/// The same where records have a place in the names of what is wrong: `0` is the one that is no object, and the envelope's
/// name is that of a text in place of the list (Ghost 6.65, observed: labels, snippets, changes of members and tiers).
///
/// # Errors
///
/// As [`only_record`].
pub fn only_placed_record(request: &Request, resource: &'static str) -> Result<Map<String, Value>> {
    let body = request.json()?;
    let list = body.as_ref().and_then(|envelope| envelope.get(resource));
    if list.is_some_and(|list| list.is_string() && says_something(list)) {
        return Err(malformed(
            resource,
            "type",
            format!("\"{resource}\" is a text and not a list of records."),
        ));
    }
    match only_value_of(body, resource)? {
        Value::Object(record) => Ok(record),
        _ => Err(malformed("0", "type", no_object(resource))),
    }
}

/// What stands in the envelope `resource` alone, which need not be a record.
///
/// # Errors
///
/// As [`only_record`], but for what is no object.
pub fn only_value(request: &Request, resource: &'static str) -> Result<Value> {
    only_value_of(request.json()?, resource)
}

fn only_value_of(body: Option<Value>, resource: &'static str) -> Result<Value> {
    match first_of(body, resource)? {
        (value, 1) => Ok(value),
        (_, found) => Err(too_many(resource, found)),
    }
}

/// Holds an envelope to having something in it, whatever that is.
///
/// # Errors
///
/// `BadRequest` when it has nothing. `UnreadableBody` and `UnsupportedMediaType` as [`Request::json`].
pub fn check_something(request: &Request, resource: &'static str) -> Result<()> {
    first_of(request.json()?, resource).map(drop)
}

/// Whether a value has anything in it, which numbers have not (Ghost 6.65, observed).
pub fn says_something(value: &Value) -> bool {
    match value {
        Value::Object(record) => !record.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::String(text) => !text.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// What stands first in the envelope, and how much there is. A text in place of the list is one that is no record
/// (Ghost 6.65, observed).
fn first_of(body: Option<Value>, resource: &'static str) -> Result<(Value, usize)> {
    let values = match body {
        Some(Value::Object(mut envelope)) => envelope.remove(resource),
        _ => None,
    };
    let values = match values {
        Some(Value::Array(values)) => values,
        Some(text @ Value::String(_)) => vec![text],
        _ => return Err(none(resource)),
    };
    let found = values.len();
    match values.into_iter().next().filter(says_something) {
        Some(first) => Ok((first, found)),
        None => Err(none(resource)),
    }
}

fn object(value: Value, resource: &str) -> Result<Map<String, Value>> {
    match value {
        Value::Object(record) => Ok(record),
        _ => Err(Error::new(Kind::Validation, no_object(resource))),
    }
}

fn no_object(resource: &str) -> String {
    format!("What stands in the list \"{resource}\" is not an object.")
}

fn none(resource: &str) -> Error {
    Error::new(
        Kind::BadRequest,
        format!("The body has no list \"{resource}\" with a record in it."),
    )
}

fn too_many(resource: &str, found: usize) -> Error {
    let keyword = match found {
        0 => "minItems",
        _ => "maxItems",
    };
    malformed(
        resource,
        keyword,
        format!("The list \"{resource}\" holds {found} records; one is taken at a time."),
    )
}

/// Refuses a record that says it is another one than the path (Ghost 6.65, recorded; the `id` of posts and tags is
/// passed over).
///
/// # Errors
///
/// `BadRequest` when it has an `id` that is not the path's, and not null.
pub fn check_id(record: &Map<String, Value>, id: Option<Id>) -> Result<()> {
    let is_same = |sent: &Value| id.is_some_and(|id| sent.as_str() == Some(&id.to_string()));
    match record.get("id") {
        Some(sent) if !sent.is_null() && !is_same(sent) => Err(Error::new(
            Kind::BadRequest,
            "The \"id\" of the record is not that of the path.",
        )),
        _ => Ok(()),
    }
}

/// The error for a body that is not what is expected at `property`; `keyword` says in which way, for programs.
pub fn malformed(property: &str, keyword: &'static str, message: String) -> Error {
    let details = json!([{
        "instancePath": format!("/{property}"),
        "keyword": keyword,
        "message": message,
    }]);
    Error::new(Kind::Validation, "The request is invalid.")
        .context(message)
        .property(property)
        .details(details)
}
