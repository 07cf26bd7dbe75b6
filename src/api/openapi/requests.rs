//! The request bodies of the Admin API, generated from the tables of writable fields.

use http::Method;
use serde_json::{Map, Value, json};

use super::records::{RECORD_REFERENCE, reference};
use crate::{
    admin::email_previews::TEST_RECIPIENTS_MAX,
    api::admin::{
        input::{InputField, InputType, ListEntry},
        integrations, invites, labels, members, newsletters, offers,
        posts::input::{PAGE_FIELDS, POST_FIELDS},
        recommendations, set_up, settings, snippets, tags, tiers, users, webhooks,
    },
};

/// The bodies that are records in an envelope: the plural noun, and the table of its fields.
fn tables() -> [(&'static str, &'static [InputField]); 14] {
    [
        ("posts", POST_FIELDS),
        ("pages", PAGE_FIELDS),
        ("tags", tags::FIELDS),
        ("tiers", tiers::FIELDS),
        ("users", users::FIELDS),
        ("invites", invites::FIELDS),
        ("integrations", integrations::FIELDS),
        ("newsletters", newsletters::FIELDS),
        ("offers", offers::FIELDS),
        ("recommendations", recommendations::FIELDS),
        ("webhooks", webhooks::FIELDS),
        ("snippets", snippets::FIELDS),
        ("members", members::input::FIELDS),
        ("labels", labels::FIELDS),
    ]
}

/// Returns the body of an operation; `None` if it has none.
pub fn of(method: &Method, path: &str) -> Option<Value> {
    let segments: Vec<&str> = path.trim_matches('/').split('/').skip(1).collect();
    let text = || json!({ "type": "string" });
    Some(match (method, &segments[..]) {
        (&Method::POST, ["session"]) => {
            json_body(object(&[("username", text()), ("password", text())]))
        }
        (&Method::PUT, ["session", "verify"]) => json_body(object(&[("token", text())])),
        (&Method::PUT, ["settings"]) => json_body(object(&[(
            "settings",
            json!({ "type": "array", "items": object(&[("key", text()), ("value", json!({}))]) }),
        )])),
        (&Method::PUT, ["users", "password"]) => json_body(list_under(
            "password",
            object(&[
                ("user_id", text()),
                ("newPassword", text()),
                ("ne2Password", text()),
            ]),
        )),
        (&Method::POST, ["git", "push"]) => json_body(object(&[("ref", text())])),
        (&Method::PUT, ["users", "owner"]) => {
            json_body(list_under("owner", object(&[("id", text())])))
        }
        (&Method::POST, ["authentication", "password_reset"]) => {
            json_body(list_under("password_reset", object(&[("email", text())])))
        }
        (&Method::PUT, ["authentication", "password_reset"]) => json_body(list_under(
            "password_reset",
            object(&[
                ("token", text()),
                ("newPassword", text()),
                ("ne2Password", text()),
            ]),
        )),
        (&Method::POST, ["authentication", "setup"]) => {
            json_body(list_under("setup", record(set_up::FIELDS, true)))
        }
        (&Method::POST, ["authentication", "invitation"]) => json_body(list_under(
            "invitation",
            object(&[
                ("token", text()),
                ("name", text()),
                ("email", text()),
                ("password", text()),
            ]),
        )),
        (&Method::PUT, ["posts" | "pages" | "members", "bulk"]) => {
            let action = object(&[("action", text())]);
            json_body(object(&[("bulk", action)]))
        }
        (&Method::POST, ["images", "upload"]) => {
            let purposes = json!({ "type": "string", "enum": ["image", "profile_image", "icon"], "default": "image" });
            let also = [("purpose", purposes), ("ref", text())];
            form(object_with(&[("file", file())], &also))
        }
        (&Method::POST, ["media", "upload"]) => {
            let also = [("thumbnail", file()), ("ref", text())];
            form(object_with(&[("file", file())], &also))
        }
        (&Method::PUT, ["media", "thumbnail", "upload"]) => form(object_with(
            &[("file", file()), ("url", text())],
            &[("ref", text())],
        )),
        (&Method::POST, ["files", "upload"]) => {
            form(object_with(&[("file", file())], &[("ref", text())]))
        }
        (&Method::POST, ["settings", "members", "email"]) => {
            json_body(record(settings::MEMBERS_EMAIL_FIELDS, true))
        }
        (&Method::PUT, ["newsletters" | "settings", "verifications"]) => {
            json_body(object(&[("token", text())]))
        }
        (&Method::PUT, ["custom_theme_settings"]) => json_body(object(&[(
            "custom_theme_settings",
            json!({
                "type": "array",
                "minItems": 1,
                "items": object(&[("key", text()), ("value", json!({}))]),
            }),
        )])),
        (&Method::POST, ["recommendations", "check"]) => {
            json_body(list_under("recommendations", object(&[("url", text())])))
        }
        (&Method::POST, ["stats", "posts-member-counts"]) => json_body(list_of_texts("postIds")),
        (&Method::POST, ["stats", "posts-visitor-counts"]) => json_body(list_of_texts("postUuids")),
        (&Method::PUT, ["links", "bulk"]) => {
            json_body(object(&[("bulk", object(&[("action", text())]))]))
        }
        (&Method::POST, ["themes", "upload"]) => file_body("file"),
        (&Method::POST, ["redirects", "upload"]) => file_body("redirects"),
        (&Method::POST, ["settings", "routes", "yaml"]) => file_body("routes"),
        (&Method::POST, ["db"]) => file_body("importfile"),
        (&Method::POST, ["members", "upload"]) => file_body("membersfile"),
        (&Method::POST, ["email_previews", "posts", "{}"]) => {
            let site_urls = json!({ "type": "array", "items": text(), "minItems": 1, "maxItems": TEST_RECIPIENTS_MAX });
            json_body(object(&[("emails", site_urls)]))
        }
        (&Method::POST, ["notifications"]) => {
            json_body(list_under("notifications", object(&[("message", text())])))
        }
        (&Method::POST, [resource]) => {
            json_body(list_under(resource, record(table_of(resource)?, true)))
        }
        (&Method::PUT, [resource, "{}"]) => {
            json_body(list_under(resource, record(table_of(resource)?, false)))
        }
        _ => return None,
    })
}

fn table_of(resource: &str) -> Option<&'static [InputField]> {
    let row = tables().into_iter().find(|(name, _)| *name == resource);
    row.map(|(_, table)| table)
}

fn json_body(schema: Value) -> Value {
    json!({ "required": true, "content": { "application/json": { "schema": schema } } })
}

fn form(schema: Value) -> Value {
    json!({ "required": true, "content": { "multipart/form-data": { "schema": schema } } })
}

fn file() -> Value {
    json!({ "type": "string", "format": "binary" })
}

/// Returns an object that requires the first properties and may have the others.
fn object_with(required: &[(&str, Value)], others: &[(&str, Value)]) -> Value {
    let mut object = object(required);
    for (name, schema) in others {
        object["properties"][*name] = schema.clone();
    }
    object
}

/// Returns a multipart body with one file.
fn file_body(name: &str) -> Value {
    form(object(&[(name, file())]))
}

/// Returns an object that requires all of these.
fn object(properties: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> = properties
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

/// Returns the envelope of one record.
fn list_under(name: &str, record: Value) -> Value {
    object(&[(name, list_of_one(record))])
}

fn list_of_texts(name: &str) -> Value {
    object(&[(
        name,
        json!({ "type": "array", "items": { "type": "string" } }),
    )])
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

fn items(entry: ListEntry) -> Value {
    let text = json!({ "type": "string" });
    match entry {
        ListEntry::Text => text,
        ListEntry::Record => reference(RECORD_REFERENCE),
        ListEntry::RecordOrText => json!({ "anyOf": [reference(RECORD_REFERENCE), text] }),
    }
}

fn value(field: &InputField) -> Value {
    let mut schema = match field.kind {
        // Without a limit of its own, the limit of the body applies.
        InputType::Text(usize::MAX) | InputType::Scalar(usize::MAX) => json!({ "type": "string" }),
        InputType::Text(max) | InputType::Scalar(max) => {
            json!({ "type": "string", "maxLength": max })
        }
        InputType::Address(max) => {
            json!({ "type": "string", "format": "uri-reference", "maxLength": max })
        }
        InputType::Boolean => json!({ "type": "boolean" }),
        InputType::Integer(min, max) => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
        InputType::Time => json!({ "type": "string", "format": "date-time" }),
        InputType::Choice(words) => json!({ "type": "string", "enum": words }),
        InputType::List(entry) => json!({ "type": "array", "items": items(entry) }),
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
