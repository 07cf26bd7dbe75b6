//! The envelope of requests: `{"posts": [{…}]}`, one record under the plural name of its resource
//! (specification 4.3).

use serde_json::{Map, Value, json};

use super::Request;
use crate::{
    error::{Error, Kind, Result},
    id::Id,
};

/// Returns the only record in the envelope `resource`, for posts, pages and tags.
///
/// # Errors
///
/// `Validation` naming the envelope if it is missing or does not hold exactly one record, and
/// naming `0` if the record is not an object (Ghost 6.65, recorded). `UnreadableBody` and
/// `UnsupportedMediaType` as [`Request::json`].
pub fn record(request: &Request, resource: &'static str) -> Result<Map<String, Value>> {
    record_of(request.json()?, resource)
}

/// Returns the same as [`record`], for pages: an empty envelope is rejected as a whole (Ghost 6.65,
/// recorded).
///
/// # Errors
///
/// `BadRequest` if it is empty; otherwise as [`record`].
pub fn record_of_page(request: &Request, resource: &'static str) -> Result<Map<String, Value>> {
    let body = request.json()?;
    // A string instead of the list counts as one value here, too; `record_of` then rejects it.
    let first = match body.as_ref().and_then(|envelope| envelope.get(resource)) {
        Some(Value::Array(values)) => values.first(),
        Some(text @ Value::String(_)) => Some(text),
        _ => None,
    };
    if !first.is_some_and(is_non_empty) {
        return Err(missing(resource));
    }
    record_of(body, resource)
}

fn record_of(body: Option<Value>, resource: &'static str) -> Result<Map<String, Value>> {
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
        Ok([_]) => Err(malformed("0", "type", not_an_object(resource))),
        Err(_) => Err(too_many(resource, found)),
    }
}

/// Returns the bulk change of many records: the object `bulk`.
///
/// # Errors
///
/// `Validation` if it is missing. `UnreadableBody` and `UnsupportedMediaType` as [`Request::json`].
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

/// Reads each element of the list `name` with `read`, which also receives the index of the element.
///
/// # Errors
///
/// `Validation` naming the list if it has more than `elements_max` elements, and the errors of `read`.
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

/// Returns the first record in the envelope `resource`, for a resource whose envelope is not
/// validated further (Ghost 6.65, recorded: integrations).
///
/// # Errors
///
/// `BadRequest` if there is no record or an empty one, `Validation` if it is not an object; further
/// records are ignored. `UnreadableBody` and `UnsupportedMediaType` as [`Request::json`].
pub fn first_record(request: &Request, resource: &'static str) -> Result<Map<String, Value>> {
    let (first, _) = first_of(request.json()?, resource)?;
    object(first, resource)
}

/// Returns the only record in the envelope `resource`, for resources where an empty request is
/// rejected as a whole: all but posts, pages and tags (Ghost 6.65, recorded and observed).
///
/// # Errors
///
/// `BadRequest` if there is no record or an empty one, `Validation` if it is not an object, and
/// naming the envelope if there are several. `UnreadableBody` and `UnsupportedMediaType` as
/// [`Request::json`].
pub fn only_record(request: &Request, resource: &'static str) -> Result<Map<String, Value>> {
    object(only_value(request, resource)?, resource)
}

/// Returns the same as [`only_record`], but with errors that name the position: `0` for a record that
/// is not an object, and the envelope's name for a string instead of the list (Ghost 6.65, observed:
/// labels, snippets, changes of members and tiers).
///
/// # Errors
///
/// As [`only_record`].
pub fn only_record_by_position(
    request: &Request,
    resource: &'static str,
) -> Result<Map<String, Value>> {
    let body = request.json()?;
    let list = body.as_ref().and_then(|envelope| envelope.get(resource));
    if list.is_some_and(|list| list.is_string() && is_non_empty(list)) {
        return Err(malformed(
            resource,
            "type",
            format!("\"{resource}\" is a string and not a list of records."),
        ));
    }
    match only_value_of(body, resource)? {
        Value::Object(record) => Ok(record),
        _ => Err(malformed("0", "type", not_an_object(resource))),
    }
}

/// Returns the only value in the envelope `resource`, which need not be a record.
///
/// # Errors
///
/// As [`only_record`], except for values that are not objects.
pub fn only_value(request: &Request, resource: &'static str) -> Result<Value> {
    only_value_of(request.json()?, resource)
}

fn only_value_of(body: Option<Value>, resource: &'static str) -> Result<Value> {
    match first_of(body, resource)? {
        (value, 1) => Ok(value),
        (_, found) => Err(too_many(resource, found)),
    }
}

/// Returns whether a value is non-empty; numbers count as empty (Ghost 6.65, observed).
pub fn is_non_empty(value: &Value) -> bool {
    match value {
        Value::Object(record) => !record.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::String(text) => !text.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns the first value in the envelope, and the number of values. A string instead of the list
/// counts as one value (Ghost 6.65, observed).
fn first_of(body: Option<Value>, resource: &'static str) -> Result<(Value, usize)> {
    let values = match body {
        Some(Value::Object(mut envelope)) => envelope.remove(resource),
        _ => None,
    };
    let values = match values {
        Some(Value::Array(values)) => values,
        Some(text @ Value::String(_)) => vec![text],
        _ => return Err(missing(resource)),
    };
    let found = values.len();
    match values.into_iter().next().filter(is_non_empty) {
        Some(first) => Ok((first, found)),
        None => Err(missing(resource)),
    }
}

fn object(value: Value, resource: &str) -> Result<Map<String, Value>> {
    match value {
        Value::Object(record) => Ok(record),
        _ => Err(Error::new(Kind::Validation, not_an_object(resource))),
    }
}

fn not_an_object(resource: &str) -> String {
    format!("The record in the list \"{resource}\" is not an object.")
}

fn missing(resource: &str) -> Error {
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
        format!("The list \"{resource}\" has {found} records; send one at a time."),
    )
}

/// Rejects a record whose `id` differs from the path (Ghost 6.65, recorded; the `id` of posts and
/// tags is ignored).
///
/// # Errors
///
/// `BadRequest` if it has an `id` that is neither the path's nor null.
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

/// Returns the error for an invalid value at `property`. `keyword` names the violated rule in a form
/// for programs.
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
