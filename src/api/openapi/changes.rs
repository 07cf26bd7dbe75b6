//! The change feed: what it takes and answers, as JSON and as events.

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

/// How a revision, or a place in a listing of everything, is written.
const SINCE: &str = r"^[0-9]+(\.[a-z]+\.[0-9A-Fa-f]{24})?$";

/// What events there are, and what they carry.
const ABOUT_EVENTS: &str = "`event: change` carries a change, `event: reset` says that everything is told anew, and \
    `event: revision` that there is nothing more for now. Each `id` is what goes on from there.";

/// What the feed takes.
pub fn parameters() -> Vec<Value> {
    let about_since = "What the client knows: 0 for nothing, or what an answer said under `next` or, when that was null, \
        under `revision`. A revision that the site does not know means 0.";
    let since = json!({ "type": "string", "pattern": SINCE, "default": "0" });
    let about_limit = format!("Changes in an answer; more than {ENTRIES_MAX} mean {ENTRIES_MAX}.");
    let limit = json!({
        "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": "all" }],
        "default": ENTRIES_DEFAULT,
    });
    let about_wait = format!(
        "Seconds to wait for a change when there is none, at most {}.",
        WAIT_MAX.as_secs()
    );
    let wait = json!({ "type": "integer", "minimum": 0, "default": 0 });
    let heard = json!({
        "name": "Last-Event-ID",
        "in": "header",
        "description": "The `id` of the last event that was heard; it comes before `since`. For events alone.",
        "schema": { "type": "string", "pattern": SINCE },
    });
    vec![
        in_query("since", about_since, since),
        in_query("limit", &about_limit, limit),
        in_query("wait", &about_wait, wait),
        heard,
    ]
}

/// Adds to an operation that it answers with events as well.
pub fn with_events(mut operation: Value) -> Value {
    operation["responses"]["200"]["content"][EVENT_STREAM] =
        json!({ "schema": { "type": "string", "description": ABOUT_EVENTS } });
    operation
}

/// The schemas of what it answers.
pub fn schemas() -> [(&'static str, Value); 2] {
    let text = json!({ "type": "string" });
    let optional = json!({ "type": ["string", "null"] });
    let revision = json!({ "type": "integer", "minimum": 1 });
    let page = json!({
        "type": ["string", "null"],
        "description": "The page of its own that it has, or had. Null, too, when that is another record's by now.",
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
                "description": "Where it was before, as far as nothing else is there now.",
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
            json!({ "type": "boolean", "description": "Whether this is a part of everything that there is: what is not in it is no more." }),
        ),
        (
            "next",
            json!({ "type": ["string", "null"], "pattern": SINCE, "description": "What to hand in as `since` at once, for the rest." }),
        ),
    ]);
    let changes = json!({ "type": "array", "items": reference("Change") });
    let answer = object(vec![("changes", changes), ("meta", meta)]);
    [("Change", change), ("Changes", answer)]
}
