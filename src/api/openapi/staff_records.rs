//! The schemas of records as staff and integrations see them, from the same tables of fields.

use serde_json::{Map, Value, json};

use super::{
    email_records,
    records::{reference, served, value_of},
    theme_records,
};
use crate::catalog::fields::{
    ACTIONS, INVITES, LABELS, MEMBERS, SNIPPETS, STAFF_NEWSLETTERS, STAFF_PAGES, STAFF_POSTS,
    STAFF_TAGS, STAFF_TIERS, Schema, USERS,
};

/// Returns the name of the schema of one record of `resource`; `None` for a resource without a
/// schema.
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
        "integrations" => "Integration",
        "webhooks" => "Webhook",
        "deliveries" => "WebhookDelivery",
        "git" => "GitSource",
        "settings" => "StaffSetting",
        "snippets" => "Snippet",
        "themes" => "Theme",
        "custom_theme_settings" => "CustomThemeSetting",
        "members" => "Member",
        "labels" => "Label",
        "emails" => "Email",
        "batches" => "EmailBatch",
        "failures" => "EmailFailure",
        _ => return None,
    })
}

/// Returns the schemas of [`schema_name`] that are generated from tables of fields.
pub fn components() -> Map<String, Value> {
    let posts = |record| with_relations(record);
    [
        ("StaffPost", with_email(posts(record(&STAFF_POSTS)))),
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
        ("Member", member()),
        ("Label", label()),
        ("NewsletterOfMember", newsletter_of_member()),
        ("TierOfMember", tier_of_member()),
    ]
    .map(|(name, schema)| (name.to_owned(), schema))
    .into_iter()
    .chain(theme_records::components())
    .chain(email_records::components().map(|(name, schema)| (name.to_owned(), schema)))
    .collect()
}

/// Returns the schema of a record: its fields, and the relations of `include`. Which of them are
/// present depends on `fields`, `formats` and `include`.
pub(super) fn record<R>(schema: &'static Schema<R>) -> Value {
    let properties: Map<String, Value> = served(schema)
        .map(|field| (field.name.to_owned(), value_of(field)))
        .collect();
    json!({ "type": "object", "properties": properties })
}

/// Returns the schema of an upload: its URL, the client's reference, and further URLs.
fn upload(url_names: &[&str]) -> Value {
    let text_or_null = json!({ "type": ["string", "null"] });
    let mut properties = json!({ "url": { "type": "string" }, "ref": text_or_null });
    for name in url_names {
        properties[*name] = text_or_null.clone();
    }
    json!({ "type": "object", "properties": properties, "required": ["url", "ref"] })
}

fn label() -> Value {
    let mut label = record(&LABELS);
    label["properties"]["count"] = json!({
        "type": "object",
        "properties": { "members": { "type": "integer" } },
        "required": ["members"],
    });
    label
}

/// Returns the schema of a member: its columns, and further fields, some of which are always
/// present.
fn member() -> Value {
    let text = || json!({ "type": "string" });
    let text_or_null = || json!({ "type": ["string", "null"] });
    let list = |name: &str| json!({ "type": "array", "items": reference(name) });
    let objects = || json!({ "type": "array", "items": { "type": "object" } });
    let object = |properties: Value| json!({ "type": "object", "properties": properties });
    let mut member = record(&MEMBERS);
    let properties = &mut member["properties"];
    for (name, schema) in [
        ("subscribed", json!({ "type": "boolean" })),
        ("comped", json!({ "type": "boolean" })),
        ("subscriptions", objects()),
        ("current_subscription", json!({ "type": "null" })),
        ("avatar_image", text_or_null()),
        ("unsubscribe_url", text()),
        (
            "email_suppression",
            object(json!({
                "suppressed": { "type": "boolean" },
                "info": { "type": ["object", "null"] },
            })),
        ),
        (
            "enable_updates_and_announcements",
            json!({ "type": "null" }),
        ),
        ("can_comment", json!({ "type": "boolean" })),
        ("commenting", json!({ "type": "object" })),
        ("labels", list("Label")),
        ("newsletters", list("NewsletterOfMember")),
        ("tiers", list("TierOfMember")),
        (
            "attribution",
            object(json!({
                "id": { "type": "null" },
                "type": { "type": "null" },
                "url": { "type": "null" },
                "title": { "type": "null" },
                "referrer_source": text_or_null(),
                "referrer_medium": text_or_null(),
                "referrer_url": { "type": "null" },
            })),
        ),
        ("email_recipients", objects()),
    ] {
        properties[name] = schema;
    }
    member["required"] = json!([
        "subscribed",
        "comped",
        "subscriptions",
        "current_subscription",
        "avatar_image",
        "unsubscribe_url",
        "email_suppression",
    ]);
    member
}

/// Returns the schema of a newsletter in a member.
fn newsletter_of_member() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": { "type": "string" },
            "name": { "type": "string" },
            "description": { "type": ["string", "null"] },
            "status": { "enum": ["active", "archived"] },
        },
        "required": ["id", "name", "description", "status"],
    })
}

/// Returns the schema of a tier in a member, with its expiry in milliseconds.
fn tier_of_member() -> Value {
    let mut tier = record(&STAFF_TIERS);
    let properties = &mut tier["properties"];
    for name in ["monthly_price", "yearly_price", "expiry_at"] {
        properties[name] = json!({ "type": ["integer", "null"] });
    }
    for name in ["monthly_price_id", "yearly_price_id"] {
        properties[name] = json!({ "type": "null" });
    }
    tier
}

fn with_email(mut post: Value) -> Value {
    post["properties"]["email"] = email_records::of_post();
    post
}

fn with_relations(mut record: Value) -> Value {
    let list = |name: &str| json!({ "type": "array", "items": reference(name) });
    let first = |name: &str| json!({ "anyOf": [reference(name), { "type": "null" }] });
    // Unlike public posts, a draft need not have been published.
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
