//! The change feed: its parameters and responses, as JSON and as events.

use serde_json::{Value, json};

use super::{
    parameters::in_query,
    records::{object, reference},
};
use crate::{
    api::content::{
        change_stream::EVENT_STREAM,
        changes::{ENTRIES_DEFAULT, ENTRIES_MAX, WAIT_MAX},
    },
    domain::change::Resource,
};

/// The pattern of a revision, or of a position in a full listing.
const SINCE: &str = r"^[0-9]+(\.[a-z]+\.[0-9A-Fa-f]{24})?$";

/// The description of the events.
const ABOUT_EVENTS: &str = "`event: change` carries a change, `event: reset` starts a full listing, and \
    `event: revision` follows when the client is up to date. Send the last `id` as `Last-Event-ID` to resume.";

/// Returns the parameters of the feed.
pub fn parameters() -> Vec<Value> {
    let about_since = "The revision that the client has: 0 for none, or `next` of the last response or, if that was null, \
        `revision`. An unknown revision counts as 0.";
    let since = json!({ "type": "string", "pattern": SINCE, "default": "0" });
    let about_limit = format!("Most changes in a response; capped at {ENTRIES_MAX}.");
    let limit = json!({
        "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": "all" }],
        "default": ENTRIES_DEFAULT,
    });
    let about_wait = format!(
        "Seconds to wait for a change if there is none, at most {}.",
        WAIT_MAX.as_secs()
    );
    let wait = json!({ "type": "integer", "minimum": 0, "default": 0 });
    let last_event = json!({
        "name": "Last-Event-ID",
        "in": "header",
        "description": "The `id` of the last event received; it takes precedence over `since`. For event streams only.",
        "schema": { "type": "string", "pattern": SINCE },
    });
    vec![
        in_query("since", about_since, since),
        in_query("limit", &about_limit, limit),
        in_query("wait", &about_wait, wait),
        last_event,
    ]
}

/// Adds the event stream to the responses of an operation.
pub fn with_events(mut operation: Value) -> Value {
    operation["responses"]["200"]["content"][EVENT_STREAM] =
        json!({ "schema": { "type": "string", "description": ABOUT_EVENTS } });
    operation
}

/// Returns the schemas of the responses.
pub fn schemas() -> [(&'static str, Value); 2] {
    let text = json!({ "type": "string" });
    let optional = json!({ "type": ["string", "null"] });
    let revision = json!({ "type": "integer", "minimum": 1 });
    let page = json!({
        "type": ["string", "null"],
        "description": "The URL of its page. Null if it has none, or if another record has taken the URL over.",
    });
    let previous = object(vec![("slug", text), ("url", optional.clone())]);
    let change = object(vec![
        ("revision", revision.clone()),
        (
            "resource",
            json!({ "enum": Resource::ALL.map(Resource::name) }),
        ),
        (
            "change",
            json!({ "enum": ["published", "changed", "removed"] }),
        ),
        (
            "id",
            json!({ "type": ["string", "null"], "description": "Null for the settings." }),
        ),
        ("slug", optional),
        ("url", page),
        (
            "previous",
            json!({
                "type": "array",
                "items": previous,
                "description": "Its former slugs that no other record has now.",
            }),
        ),
        (
            "updated_at",
            json!({ "type": ["string", "null"], "format": "date-time" }),
        ),
    ]);
    let meta = object(vec![
        ("revision", revision),
        (
            "reset",
            json!({ "type": "boolean", "description": "Whether this is a page of a full listing: records that it does not contain are removed." }),
        ),
        (
            "next",
            json!({ "type": ["string", "null"], "pattern": SINCE, "description": "The `since` of the next page; null on the last." }),
        ),
    ]);
    let changes = json!({ "type": "array", "items": reference("Change") });
    let page_schema = object(vec![("changes", changes), ("meta", meta)]);
    [("Change", change), ("Changes", page_schema)]
}
