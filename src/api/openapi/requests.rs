//! The bodies that operations of the Admin API take, made from the tables of what clients may write.

use http::Method;
use serde_json::{Map, Value, json};

use crate::api::admin::{
    self,
    input::{InputField, InputType},
};

/// The bodies that are records in an envelope: the plural noun, and the table of its fields.
fn tables() -> Vec<(&'static str, &'static [InputField])> {
    vec![
        ("invites", admin::invites::FIELDS),
        ("pages", admin::posts::input::PAGE_FIELDS),
        ("posts", admin::posts::input::POST_FIELDS),
        ("tags", admin::tags::FIELDS),
        ("users", admin::users::FIELDS),
    ]
}

/// The body of an operation; `None` when it takes none.
pub fn of(method: &Method, path: &str) -> Option<Value> {
    let segments: Vec<&str> = path.trim_matches('/').split('/').skip(1).collect();
    let (resource, is_new) = match (method, &segments[..]) {
        (&Method::POST, [resource]) => (*resource, true),
        (&Method::PUT, [resource, "{}"]) => (*resource, false),
        _ => return None,
    };
    let (_, table) = tables().into_iter().find(|(name, _)| *name == resource)?;
    let mut properties = Map::new();
    properties.insert(resource.to_owned(), list_of_one(record(table, is_new)));
    Some(json!({
        "required": true,
        "content": { "application/json": { "schema": {
            "type": "object",
            "properties": properties,
            "required": [resource],
        }}},
    }))
}

fn list_of_one(record: Value) -> Value {
    json!({ "type": "array", "items": record, "minItems": 1, "maxItems": 1 })
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
        // The operation knows the greatest length.
        InputType::Text(usize::MAX) => json!({ "type": "string" }),
        InputType::Text(max) | InputType::Address(max) => {
            json!({ "type": "string", "maxLength": max })
        }
        InputType::Boolean => json!({ "type": "boolean" }),
        InputType::Integer(min, max) => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
        InputType::Time => json!({ "type": "string", "format": "date-time" }),
        InputType::Choice(words) => json!({ "type": "string", "enum": words }),
        InputType::List => json!({ "type": "array" }),
        InputType::Object => json!({ "type": "object" }),
        InputType::Any => return json!({}),
    };
    if field.nullable {
        schema["type"] = json!([schema["type"], "null"]);
        if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
            words.push(Value::Null);
        }
    }
    schema
}
