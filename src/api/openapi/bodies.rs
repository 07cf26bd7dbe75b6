//! The bodies of requests and of successful responses.

use serde_json::{Map, Value, json};

use super::records::PARTIAL;
use crate::api::{
    admin::input::{InputField, InputType, ListEntry},
    content::change_stream::EVENT_STREAM,
    routes::{
        route::{Endpoint, Input, Output, Route},
        shape::{
            Shape::{AnyObject, List, Ref},
            open, or_null, reference, sized_list,
        },
    },
};

/// The name of the schema for a reference to a record in a request.
pub const RECORD_REFERENCE: &str = "RecordReference";

/// The description of the events of the change feed.
const ABOUT_EVENTS: &str = "`event: change` carries a change, `event: reset` starts a full listing, and \
    `event: revision` follows when the client is up to date. Send the last `id` as `Last-Event-ID` to resume.";

/// Returns the body of an operation's requests; `None` if they have no body.
pub fn request(route: &Route) -> Option<Value> {
    let is_new = route.method == http::Method::POST;
    let (kind, schema) = match route.input {
        Input::Undeclared | Input::NoBody => return None,
        Input::Record(name, table) => (JSON, single(name, record(table, is_new))),
        Input::Single(name, properties) => (JSON, single(name, open(properties))),
        Input::Fields(table) => (JSON, record(table, is_new)),
        Input::Json(properties) => (JSON, open(properties)),
        Input::Form(parts) => ("multipart/form-data", open(parts)),
    };
    Some(json!({ "required": true, "content": content(kind, schema) }))
}

const JSON: &str = "application/json";

/// Returns the content of an operation's successful response; `None` if it is empty.
pub fn response(route: &Route) -> Option<Value> {
    let (kind, schema) = match route.output {
        Output::Nothing => return None,
        Output::Records(name, item) => (JSON, envelope(name, item.schema(), false)),
        Output::Page(name, item) => (JSON, envelope(name, item.schema(), true)),
        Output::Object(name) => (JSON, object(name, AnyObject.schema())),
        Output::Schema(name) => (JSON, reference(name)),
        Output::Selectable(name) => {
            let alternatives = [name, &format!("{PARTIAL}{name}")].map(reference);
            let about = "Without `fields` the first of these, with it the second.";
            (JSON, json!({ "description": about, "anyOf": alternatives }))
        }
        // YAML may contain anything.
        Output::Media(kind) if kind.ends_with("yaml") => (kind, json!({})),
        Output::Media(kind) => (kind, json!({ "type": "string" })),
        Output::Line => ("text/plain", json!({ "type": "string" })),
        Output::EmptyObject => (JSON, json!({ "type": "object", "maxProperties": 0 })),
    };
    let mut content = content(kind, schema);
    if let Endpoint::ChangeFeed(_) = route.endpoint {
        content[EVENT_STREAM] =
            json!({ "schema": { "type": "string", "description": ABOUT_EVENTS } });
    }
    Some(content)
}

/// Returns the content of a response in one media type.
pub fn content(kind: &str, schema: Value) -> Value {
    let media = (kind.to_owned(), json!({ "schema": schema }));
    Value::Object(Map::from_iter([media]))
}

fn object(name: &str, schema: Value) -> Value {
    let properties = Map::from_iter([(name.to_owned(), schema)]);
    json!({ "type": "object", "properties": properties, "required": [name] })
}

/// Returns a list of records under their plural noun.
fn envelope(name: &str, item: Value, has_meta: bool) -> Value {
    let mut envelope = object(name, json!({ "type": "array", "items": item }));
    if has_meta {
        envelope["properties"]["meta"] = AnyObject.schema();
    }
    envelope
}

/// Returns the envelope of one record.
fn single(name: &str, record: Value) -> Value {
    object(name, sized_list(1, 1, record))
}

fn record(table: &[InputField], is_new: bool) -> Value {
    let properties: Map<String, Value> = table
        .iter()
        .map(|field| (field.name.to_owned(), value(field)))
        .collect();
    let required: Vec<&str> = table
        .iter()
        .filter(|field| field.required && is_new)
        .map(|field| field.name)
        .collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

fn value(field: &InputField) -> Value {
    let mut schema = match field.kind {
        // Texts without a limit are limited by the length of the body.
        InputType::Text(usize::MAX) | InputType::Scalar(usize::MAX) => json!({ "type": "string" }),
        InputType::Text(max) | InputType::Scalar(max) => {
            json!({ "type": "string", "maxLength": max })
        }
        InputType::Url(max) => {
            json!({ "type": "string", "format": "uri-reference", "maxLength": max })
        }
        InputType::Boolean => json!({ "type": "boolean" }),
        InputType::Integer(min, max) => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
        InputType::Time => json!({ "type": "string", "format": "date-time" }),
        InputType::Choice(words) => json!({ "type": "string", "enum": words }),
        InputType::List(ListEntry::Text) => {
            json!({ "type": "array", "items": { "type": "string" } })
        }
        InputType::List(ListEntry::Record) => List(&Ref(RECORD_REFERENCE)).schema(),
        InputType::List(ListEntry::RecordOrText) => {
            let items = json!({ "anyOf": [reference(RECORD_REFERENCE), { "type": "string" }] });
            json!({ "type": "array", "items": items })
        }
        InputType::Object => json!({ "type": "object" }),
        InputType::Any => return json!({}),
    };
    // JSON Schema checks `type` and `enum` separately, so both must allow null.
    if field.nullable {
        schema = or_null(schema);
        if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
            words.push(Value::Null);
        }
    }
    schema
}
