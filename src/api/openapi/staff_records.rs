//! The schemas of records as staff and integrations see them, from the same tables of fields.

use serde_json::{Map, Value, json};

use super::records::{reference, served, value_of};
use crate::catalog::fields::{
    ACTIONS, INVITES, SNIPPETS, STAFF_NEWSLETTERS, STAFF_PAGES, STAFF_POSTS, STAFF_TAGS,
    STAFF_TIERS, Schema, USERS,
};

/// The name of the schema of one record of `resource`; `None` for a resource without a table of fields.
pub fn schema_name(resource: &str) -> Option<&'static str> {
    Some(match resource {
        "posts" => "StaffPost",
        "pages" => "StaffPage",
        "tags" => "StaffTag",
        "tiers" => "StaffTier",
        "newsletters" => "StaffNewsletter",
        "users" => "User",
        "actions" => "Action",
        "invites" => "Invite",
        "images" | "files" => "Upload",
        "media" => "MediaUpload",
        "snippets" => "Snippet",
        _ => return None,
    })
}

/// Every schema that [`schema_name`] names.
pub fn components() -> Map<String, Value> {
    let posts = |record| with_relations(record);
    [
        ("StaffPost", posts(record(&STAFF_POSTS))),
        ("StaffPage", posts(record(&STAFF_PAGES))),
        ("StaffTag", record(&STAFF_TAGS)),
        ("StaffTier", record(&STAFF_TIERS)),
        ("StaffNewsletter", record(&STAFF_NEWSLETTERS)),
        ("User", record(&USERS)),
        ("Action", record(&ACTIONS)),
        ("Invite", record(&INVITES)),
        ("Upload", upload(&[])),
        ("MediaUpload", upload(&["thumbnail_url"])),
        ("Snippet", record(&SNIPPETS)),
    ]
    .map(|(name, schema)| (name.to_owned(), schema))
    .into_iter()
    .collect()
}

/// A record: its fields, and whatever `include` adds. Which of them are there follows from `fields`, `formats` and
/// `include`.
fn record<R>(schema: &'static Schema<R>) -> Value {
    let properties: Map<String, Value> = served(schema)
        .map(|field| (field.name.to_owned(), value_of(field)))
        .collect();
    json!({ "type": "object", "properties": properties })
}

/// What is told of a file that was uploaded: its address, what the client calls it, and further addresses.
fn upload(addresses: &[&str]) -> Value {
    let text_or_null = json!({ "type": ["string", "null"] });
    let mut properties = json!({ "url": { "type": "string" }, "ref": text_or_null });
    for name in addresses {
        properties[*name] = text_or_null.clone();
    }
    json!({ "type": "object", "properties": properties, "required": ["url", "ref"] })
}

fn with_relations(mut record: Value) -> Value {
    let list = |name: &str| json!({ "type": "array", "items": reference(name) });
    let first = |name: &str| json!({ "anyOf": [reference(name), { "type": "null" }] });
    // What readers see has been published; a draft need not have been.
    record["properties"]["published_at"]["type"] = json!(["string", "null"]);
    for (name, schema) in [
        ("tags", list("StaffTag")),
        ("primary_tag", first("StaffTag")),
        ("authors", list("User")),
        ("primary_author", first("User")),
    ] {
        record["properties"][name] = schema;
    }
    record
}
