//! The schemas of what other programs are known by: integrations, their keys and their webhooks.

use serde_json::{Value, json};

use super::records::{object, reference};

/// The name of each schema, and the schema.
pub fn components() -> [(&'static str, Value); 3] {
    [
        ("Integration", integration()),
        ("ApiKey", api_key()),
        ("Webhook", webhook()),
    ]
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn optional_text() -> Value {
    json!({ "type": ["string", "null"] })
}

fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

/// Its keys and webhooks are there when `include` asks for them; the keys also after a change.
fn integration() -> Value {
    let mut schema = object(vec![
        ("id", text()),
        ("type", json!({ "const": "custom" })),
        ("name", text()),
        ("slug", text()),
        ("icon_image", optional_text()),
        ("description", optional_text()),
        ("created_at", time()),
        ("updated_at", time()),
    ]);
    for (name, item) in [("api_keys", "ApiKey"), ("webhooks", "Webhook")] {
        schema["properties"][name] = json!({ "type": "array", "items": reference(item) });
    }
    schema
}

fn api_key() -> Value {
    object(vec![
        ("id", text()),
        ("type", json!({ "enum": ["content", "admin"] })),
        ("secret", text()),
        ("role_id", optional_text()),
        ("integration_id", text()),
        ("user_id", json!({ "type": "null" })),
        ("last_seen_at", json!({ "type": "null" })),
        ("last_seen_version", json!({ "type": "null" })),
        ("created_at", time()),
        ("updated_at", time()),
    ])
}

/// Specification 2.8.
fn webhook() -> Value {
    object(vec![
        ("id", text()),
        ("event", text()),
        ("target_url", text()),
        ("name", optional_text()),
        ("secret", optional_text()),
        ("api_version", text()),
        ("integration_id", text()),
        ("status", json!({ "const": "available" })),
        (
            "last_triggered_at",
            json!({ "type": ["string", "null"], "format": "date-time" }),
        ),
        ("last_triggered_status", optional_text()),
        ("last_triggered_error", optional_text()),
        ("created_at", time()),
        ("updated_at", time()),
    ])
}
