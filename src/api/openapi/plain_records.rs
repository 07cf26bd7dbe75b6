//! The schemas of records without a table of fields: integrations, their keys and webhooks,
//! settings for staff, the configuration, and embeds.

use serde_json::{Value, json};

use super::{
    records::{object, reference},
    unsupported_features,
};
use crate::domain::integration::IntegrationScope;

/// Returns the name of each schema, and the schema.
pub fn components() -> [(&'static str, Value); 15] {
    [
        ("Integration", integration()),
        ("ApiKey", api_key()),
        ("Webhook", webhook()),
        ("WebhookDelivery", webhook_delivery()),
        ("WebhookDeliveries", webhook_deliveries()),
        ("GitSource", git_source()),
        ("RefusedCommit", refused_commit()),
        ("ContentProblem", content_problem()),
        ("StaffSetting", setting()),
        ("Config", config()),
        ("Oembed", oembed()),
        ("OembedPlayer", oembed_player()),
        ("OembedCard", oembed_card()),
        ("PageMetadata", page_metadata()),
        ("TinybirdToken", unsupported_features::tinybird_token()),
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

/// Keys and webhooks are present if `include` names them; the keys also after a change.
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
    schema["properties"]["scope"] = json!({
        "enum": IntegrationScope::NAMES,
        "description": "The access of the Admin API key; absent if the default for all integrations applies.",
    });
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

/// Returns the schema of a webhook (specification 2.8).
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

/// A delivery of a webhook, finished or queued.
fn webhook_delivery() -> Value {
    let number = || json!({ "type": "integer", "minimum": 0 });
    let optional_number = || json!({ "type": ["integer", "null"], "minimum": 0 });
    let optional_time = || json!({ "type": ["string", "null"], "format": "date-time" });
    let headers = || json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let attempt = object(vec![
        ("at", time()),
        ("status", optional_number()),
        ("error", optional_text()),
        ("latency_ms", number()),
    ]);
    let request = object(vec![
        ("url", optional_text()),
        ("headers", headers()),
        ("body", optional_text()),
        ("body_bytes", number()),
    ]);
    let mut response = object(vec![
        ("status", number()),
        ("headers", headers()),
        ("body", text()),
        ("is_cut", json!({ "type": "boolean" })),
    ]);
    response["type"] = json!(["object", "null"]);
    object(vec![
        ("id", text()),
        ("number", number()),
        ("event", text()),
        (
            "state",
            json!({ "enum": ["waiting", "delivered", "given_up"] }),
        ),
        ("queued_at", time()),
        ("finished_at", optional_time()),
        ("due_at", optional_time()),
        ("latency_ms", optional_number()),
        ("attempt_count", number()),
        ("attempts", json!({ "type": "array", "items": attempt })),
        ("request", request),
        ("response", response),
    ])
}

/// The finished deliveries, and a summary of the queue.
fn webhook_deliveries() -> Value {
    let next = json!({ "oneOf": [reference("WebhookDelivery"), { "type": "null" }] });
    let waiting = object(vec![
        ("count", json!({ "type": "integer", "minimum": 0 })),
        ("is_more", json!({ "type": "boolean" })),
        ("next", next),
    ]);
    let meta = object(vec![
        ("pagination", json!({ "type": "object" })),
        ("waiting", waiting),
    ]);
    let deliveries = json!({ "type": "array", "items": reference("WebhookDelivery") });
    object(vec![("deliveries", deliveries), ("meta", meta)])
}

/// The git repository of the site, and the served commit.
fn git_source() -> Value {
    let failure = object(vec![
        ("message", text()),
        ("failed_at", time()),
        ("attempts", json!({ "type": "integer", "minimum": 1 })),
        ("tried_again_at", time()),
    ]);
    let or_null = |schema: Value| json!({ "oneOf": [schema, { "type": "null" }] });
    object(vec![
        ("url", text()),
        ("branch", optional_text()),
        ("path", optional_text()),
        ("commit", optional_text()),
        ("author", optional_text()),
        ("author_email", optional_text()),
        ("authored_at", or_null(time())),
        ("message", optional_text()),
        ("files", json!({ "type": "integer", "minimum": 0 })),
        ("problems", problems()),
        ("refused", or_null(reference("RefusedCommit"))),
        ("looked_at", or_null(time())),
        ("failure", or_null(failure)),
    ])
}

/// A rejected commit, and its problems.
fn refused_commit() -> Value {
    object(vec![
        ("commit", text()),
        ("author", text()),
        ("author_email", text()),
        ("authored_at", time()),
        ("message", text()),
        ("problems", problems()),
    ])
}

fn problems() -> Value {
    json!({ "type": "array", "items": reference("ContentProblem") })
}

/// A problem in a content file. Line and column are present if it refers to a position.
fn content_problem() -> Value {
    let mut schema = object(vec![
        ("severity", json!({ "enum": ["error", "warning"] })),
        ("file", text()),
        ("message", text()),
        ("advice", text()),
    ]);
    for name in ["line", "column", "mark_start", "mark_length"] {
        schema["properties"][name] = json!({ "type": "integer", "minimum": 0 });
    }
    schema["properties"]["line_text"] = text();
    schema
}

/// A setting for staff: lists are JSON text.
fn setting() -> Value {
    let value = json!({ "type": ["string", "boolean", "number", "null"] });
    object(vec![("key", text()), ("value", value)])
}

fn config() -> Value {
    let switch = || json!({ "type": "boolean" });
    let anything = || json!({ "type": "object" });
    let klipy = object(vec![
        ("apiKey", json!({ "type": "null" })),
        ("contentFilter", text()),
    ]);
    let sign_up_form = object(vec![("url", text()), ("version", text())]);
    let config = object(vec![
        ("version", text()),
        ("environment", text()),
        ("database", text()),
        ("mail", json!({ "enum": ["SMTP", ""] })),
        ("useGravatar", switch()),
        ("enableDeveloperExperiments", switch()),
        ("stripeDirect", switch()),
        ("mailgunIsConfigured", switch()),
        ("emailAnalytics", switch()),
        ("labs", anything()),
        ("clientExtensions", anything()),
        ("hostSettings", anything()),
        ("klipy", klipy),
        ("signupForm", sign_up_form),
        (
            "security",
            object(vec![("staffDeviceVerification", switch())]),
        ),
    ]);
    object(vec![("config", config)])
}

/// A player, or a bookmark card.
fn oembed() -> Value {
    json!({ "anyOf": [reference("OembedPlayer"), reference("OembedCard")] })
}

fn oembed_player() -> Value {
    let pixels = || json!({ "type": ["integer", "null"], "minimum": 1 });
    let mut player = object(vec![
        ("version", json!({ "const": "1.0" })),
        ("type", json!({ "enum": ["video", "rich"] })),
        ("url", text()),
        ("provider_name", text()),
        ("provider_url", text()),
        ("html", text()),
        ("width", pixels()),
        ("height", pixels()),
    ]);
    player["properties"]["thumbnail_url"] = text();
    player
}

fn oembed_card() -> Value {
    object(vec![
        ("version", json!({ "const": "1.0" })),
        ("type", json!({ "enum": ["bookmark", "mention"] })),
        ("url", text()),
        ("metadata", reference("PageMetadata")),
    ])
}

fn page_metadata() -> Value {
    object(vec![
        ("url", text()),
        ("title", text()),
        ("description", optional_text()),
        ("author", optional_text()),
        ("publisher", optional_text()),
        ("thumbnail", optional_text()),
        ("icon", optional_text()),
    ])
}
