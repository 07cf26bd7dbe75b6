//! The schemas of posts sent by mail, their batches, and failed recipients.

use serde_json::{Value, json};

use super::{
    records::{object, reference},
    staff_records::record,
};
use crate::catalog::fields::EMAILS;

/// Returns the name of each schema, and the schema.
pub fn components() -> [(&'static str, Value); 3] {
    [
        ("Email", email()),
        ("EmailBatch", batch()),
        ("EmailFailure", failure()),
    ]
}

/// Returns the schema of a post's email.
pub fn of_post() -> Value {
    json!({ "anyOf": [reference("Email"), { "type": "null" }] })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn optional_text() -> Value {
    json!({ "type": ["string", "null"] })
}

fn nothing() -> Value {
    json!({ "type": "null" })
}

fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

fn status() -> Value {
    json!({ "enum": ["pending", "submitting", "submitted", "failed"] })
}

fn email() -> Value {
    let mut email = record(&EMAILS);
    email["properties"]["status"] = status();
    email
}

fn batch() -> Value {
    let mut batch = object(vec![
        ("id", text()),
        ("email_id", text()),
        ("provider_id", nothing()),
        ("fallback_sending_domain", json!({ "const": false })),
        ("status", status()),
        ("member_segment", nothing()),
        ("error_status_code", nothing()),
        ("error_message", optional_text()),
        ("error_data", nothing()),
        ("created_at", time()),
        ("updated_at", time()),
    ]);
    batch["properties"]["count"] = json!({
        "type": "object",
        "properties": { "recipients": { "type": "integer" } },
    });
    batch
}

fn failure() -> Value {
    let mut failure = object(vec![
        ("id", text()),
        ("email_id", text()),
        ("member_id", text()),
        ("email_recipient_id", text()),
        ("code", json!({ "type": ["integer", "null"] })),
        ("enhanced_code", nothing()),
        ("message", text()),
        ("severity", json!({ "const": "permanent" })),
        ("failed_at", time()),
        ("event_id", nothing()),
    ]);
    failure["properties"]["member"] = object(vec![
        ("id", text()),
        ("uuid", text()),
        ("name", optional_text()),
        ("email", text()),
        ("avatar_image", optional_text()),
    ]);
    failure["properties"]["email_recipient"] = object(vec![
        ("id", text()),
        ("email_id", text()),
        ("member_id", text()),
        ("batch_id", text()),
        ("processed_at", time()),
        ("delivered_at", nothing()),
        ("opened_at", nothing()),
        ("failed_at", time()),
        ("member_uuid", text()),
        ("member_email", text()),
        ("member_name", optional_text()),
    ]);
    failure
}
