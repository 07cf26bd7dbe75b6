//! Equivalence of two editor documents that are written differently.

use serde_json::{Map, Value, json};

/// Maximum nesting of nodes that is compared; deeper nodes count as different. Documents are parsed to half this depth.
const DEPTH_MAX: usize = 256;

/// A property with its default.
type Default = (&'static str, fn() -> Value);

/// The defaults of nodes of any type.
const DEFAULTS: &[Default] = &[
    ("version", || json!(1)),
    ("format", || json!(0)),
    ("indent", || json!(0)),
    ("detail", || json!(0)),
    ("mode", || json!("normal")),
    ("textFormat", || json!(0)),
    ("start", || json!(1)),
    ("cardWidth", || json!("regular")),
    ("visibility", || {
        json!({
            "web": {"nonMember": true, "memberSegment": EVERYBODY},
            "email": {"memberSegment": EVERYBODY}
        })
    }),
];

/// The segment of all members, as in cards that everyone sees (Ghost 6.65, recorded).
const EVERYBODY: &str = "status:free,status:-free";

/// Returns whether two documents (JSON texts) are equivalent.
pub fn are_same(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let parse = |text: &str| serde_json::from_str::<Value>(text).ok();
    match (parse(one), parse(other)) {
        (Some(one), Some(other)) => {
            one.get("root").is_some()
                && plain(&one, 0).is_some_and(|one| Some(one) == plain(&other, 0))
        }
        _ => false,
    }
}

/// Returns whether two lists of nodes are equivalent.
pub fn are_same_nodes(one: &[Value], other: &[Value]) -> bool {
    let one = plain_list(one, 0);
    one.is_some() && one == plain_list(other, 0)
}

/// Returns a text that is the same for equivalent nodes, and different for others. A node that is nested too deeply is only
/// equivalent to itself.
pub fn canonical(node: &Value) -> String {
    let mut text = String::new();
    // Sorted, because `serde_json` preserves the order of keys, which has no meaning here.
    push_sorted(&mut text, plain(node, 0).as_ref().unwrap_or(node));
    text
}

/// Appends a value as JSON, with the keys of objects sorted.
fn push_sorted(text: &mut String, value: &Value) {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<(&String, &Value)> = object.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            text.push('{');
            for (key, value) in entries {
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                push_sorted(text, value);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                push_sorted(text, item);
                text.push(',');
            }
            text.push(']');
        }
        other => text.push_str(&other.to_string()),
    }
}

/// Returns a value without defaults; `None` if it is nested too deeply.
fn plain(value: &Value, depth: usize) -> Option<Value> {
    if depth > DEPTH_MAX {
        return None;
    }
    Some(match value {
        Value::Object(object) => Value::Object(plain_object(object, depth)?),
        Value::Array(items) => Value::Array(plain_list(items, depth)?),
        other => other.clone(),
    })
}

fn plain_object(object: &Map<String, Value>, depth: usize) -> Option<Map<String, Value>> {
    let mut plain_object = Map::new();
    for (key, value) in object {
        let value = match (key.as_str(), value.as_str()) {
            // The two names of each type are equivalent (Ghost 6.65, recorded).
            ("type", Some("text")) => json!("extended-text"),
            ("type", Some("heading")) => json!("extended-heading"),
            ("type", Some("quote")) => json!("extended-quote"),
            _ => plain(value, depth + 1)?,
        };
        let is_default = DEFAULTS
            .iter()
            .any(|(name, default)| name == key && default() == value);
        // The editor derives the direction from the text, and the number and depth of an item from
        // its position.
        let is_derived = match key.as_str() {
            "direction" => true,
            "value" | "indent" => object.get("type").is_some_and(|kind| kind == "listitem"),
            _ => false,
        };
        let is_empty = value.is_null() || value == "" || is_default;
        if !is_empty && !is_derived {
            plain_object.insert(key.clone(), value);
        }
    }
    Some(plain_object)
}

/// Returns the items with adjacent texts of the same format merged.
fn plain_list(items: &[Value], depth: usize) -> Option<Vec<Value>> {
    let mut plain_items: Vec<Value> = Vec::with_capacity(items.len());
    for item in items {
        let item = plain(item, depth + 1)?;
        match plain_items.last_mut() {
            Some(last) if are_one_text(last, &item) => {
                let both = format!("{}{}", text_of(last), text_of(&item));
                last["text"] = Value::String(both);
            }
            _ => plain_items.push(item),
        }
    }
    Some(plain_items)
}

fn text_of(node: &Value) -> &str {
    node["text"].as_str().unwrap_or_default()
}

fn are_one_text(one: &Value, other: &Value) -> bool {
    let of_format = |node: &Value| {
        let mut node = node.as_object()?.clone();
        let is_text = node.get("type")? == "extended-text" && node.remove("text")?.is_string();
        is_text.then_some(node)
    };
    of_format(one).is_some_and(|one| Some(one) == of_format(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(children: &str) -> String {
        format!(r#"{{"root":{{"type":"root","children":[{children}]}}}}"#)
    }

    #[test]
    fn default_values_are_equivalent_to_missing_ones() {
        for (one, other) in [
            (
                r#"{"type":"paragraph"}"#,
                r#"{"type":"paragraph","direction":"ltr","format":"","indent":0,"version":1}"#,
            ),
            (
                r#"{"type":"text","text":"a"}"#,
                r#"{"type":"extended-text","text":"a","format":0,"style":""}"#,
            ),
            (
                r#"{"type":"text","text":"a","format":1},{"type":"text","text":"b","format":1}"#,
                r#"{"type":"text","text":"ab","format":1}"#,
            ),
        ] {
            assert!(are_same(&document(one), &document(other)), "{one}");
        }
    }

    #[test]
    fn other_values_are_not_equivalent() {
        for (one, other) in [
            (
                r#"{"type":"paragraph"}"#,
                r#"{"type":"paragraph","format":"center"}"#,
            ),
            (
                r#"{"type":"text","text":"a"}"#,
                r#"{"type":"text","text":"a","format":1}"#,
            ),
            (
                r#"{"type":"image","src":"a"}"#,
                r#"{"type":"image","src":"a","width":1}"#,
            ),
            (r#"{"type":"text","text":"a"}"#, ""),
            (
                r#"{"type":"list","start":1}"#,
                r#"{"type":"list","start":2}"#,
            ),
        ] {
            assert!(!are_same(&document(one), &document(other)), "{one}");
        }
        assert!(!are_same("not a document", "nor this"));
    }
}
