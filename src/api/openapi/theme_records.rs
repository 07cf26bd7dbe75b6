//! The schemas of themes and of their settings.

use serde_json::{Map, Value, json};

/// Returns all schemas of this file, by name.
pub fn components() -> Map<String, Value> {
    [
        ("Theme", theme()),
        ("ThemeFinding", finding()),
        ("CustomThemeSetting", setting()),
    ]
    .map(|(name, schema)| (name.to_owned(), schema))
    .into_iter()
    .collect()
}

fn theme() -> Value {
    let findings =
        json!({ "type": "array", "items": { "$ref": "#/components/schemas/ThemeFinding" } });
    let template = json!({
        "type": "object",
        "properties": {
            "filename": { "type": "string" },
            "name": { "type": "string" },
            "for": { "type": "array", "items": { "type": "string", "enum": ["page", "post"] } },
            "slug": { "type": ["string", "null"] },
        },
        "required": ["filename", "name", "for", "slug"],
    });
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            // False if there is no readable one.
            "package": { "anyOf": [{ "type": "object" }, { "type": "boolean", "enum": [false] }] },
            "active": { "type": "boolean" },
            "templates": { "type": "array", "items": template },
            "warnings": findings,
            "errors": findings,
        },
        "required": ["name", "package", "active"],
    })
}

fn finding() -> Value {
    let text = json!({ "type": "string" });
    let failure = json!({
        "type": "object",
        "properties": { "ref": text, "message": text, "rule": text },
        "required": ["ref", "rule"],
    });
    json!({
        "type": "object",
        "properties": {
            "fatal": { "type": "boolean" },
            "level": { "type": "string", "enum": ["error", "warning"] },
            "rule": text,
            "details": text,
            "failures": { "type": "array", "items": failure },
            "code": text,
        },
        "required": ["fatal", "level", "rule", "details", "failures", "code"],
    })
}

/// Returns the schema of a theme setting: as its package describes it, with its value.
fn setting() -> Value {
    let kinds = ["select", "boolean", "color", "image", "text"];
    json!({
        "type": "object",
        "properties": {
            "id": { "type": "string" },
            "key": { "type": "string" },
            "type": { "type": "string", "enum": kinds },
            "value": {},
        },
        "required": ["id", "key", "type", "value"],
    })
}
