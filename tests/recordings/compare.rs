//! Compares a response with the recorded one.
//!
//! Both are documents of `status`, `headers`, `json` or `text`, and `contains`. The response may have more keys than the
//! recording, but not fewer. Lists must have equal length and order, and everything else must be equal. Paths are dotted, such
//! as `json.posts.0.title`. In the paths of a recording, `*` matches every item.

use std::{collections::BTreeSet, fmt};

use serde_json::{Map, Value};

use crate::{
    scenario::Rules,
    shape::{self, Variables},
};

/// The longest value that a difference shows, in characters.
const SHOWN_MAX: usize = 300;

/// The number of characters that are shown of the common prefix of two texts.
const SHOWN_BEFORE: usize = 40;

/// Placeholder in an expectation for a list of keys and values in any order, which may have additional entries.
const BY_KEY: &str = "{{by_key}}";

/// One difference from the recording.
#[derive(Debug)]
pub struct Difference {
    /// The path in the response: `json.posts.0.title`.
    pub path: String,
    /// The description of the difference.
    pub text: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.path, self.text)
    }
}

/// Returns all differences of `response` from `rules`.
pub fn differences(rules: &Rules, mut response: Value, variables: &Variables) -> Vec<Difference> {
    let mut expected = rules.expect.clone();
    for path in &rules.unordered {
        sort_list_at(&mut expected, path);
        sort_list_at(&mut response, path);
    }
    let mut comparison = Comparison {
        variables,
        found: Vec::new(),
    };
    comparison.compare(&expected, &response, "");
    for path in &rules.exact {
        comparison.forbid_more_keys(&expected, &response, path);
    }
    for path in &rules.without {
        for (found_path, value) in at(&response, path) {
            comparison.report(
                &found_path,
                format!("must not be there, is {}", short(value)),
            );
        }
    }
    comparison.found
}

struct Comparison<'a> {
    variables: &'a Variables,
    found: Vec<Difference>,
}

impl Comparison<'_> {
    fn report(&mut self, path: &str, text: String) {
        let path = path.to_owned();
        self.found.push(Difference { path, text });
    }

    fn compare(&mut self, wanted: &Value, got: &Value, path: &str) {
        match (wanted, got) {
            (Value::String(wanted), _) if wanted == "{{any}}" => {}
            (Value::String(wanted), _) if wanted == "{{number}}" => {
                if !got.is_number() {
                    self.report(path, format!("wanted a number, got {}", short(got)));
                }
            }
            (Value::Object(wanted), Value::Array(got)) if wanted.contains_key(BY_KEY) => {
                self.compare(&wanted[BY_KEY], &by_key(got), path);
            }
            (Value::Object(wanted), Value::Object(got)) => {
                for (key, wanted) in wanted {
                    let path = below(path, key);
                    match got.get(key) {
                        Some(got) => self.compare(wanted, got, &path),
                        None => self.report(&path, format!("missing, wanted {}", short(wanted))),
                    }
                }
            }
            (Value::Array(wanted), Value::Array(got)) => self.compare_lists(wanted, got, path),
            (Value::String(wanted), Value::String(got)) if self.texts_agree(wanted, got, path) => {}
            (Value::Number(wanted), Value::Number(got)) if wanted.as_f64() == got.as_f64() => {}
            _ if wanted == got => {}
            _ => {
                let wanted = shape::filled(&wanted.to_string(), self.variables);
                let (wanted, got) = from_difference(&wanted, &got.to_string());
                self.report(path, format!("wanted {wanted}, got {got}"));
            }
        }
    }

    fn compare_lists(&mut self, wanted: &[Value], got: &[Value], path: &str) {
        if wanted.len() != got.len() {
            let (wanted, got) = (names(wanted), names(got));
            self.report(path, format!("wanted {wanted}, got {got}"));
            return;
        }
        for (number, (wanted, got)) in wanted.iter().zip(got).enumerate() {
            self.compare(wanted, got, &below(path, &number.to_string()));
        }
    }

    fn texts_agree(&self, wanted: &str, got: &str, path: &str) -> bool {
        match path {
            "headers.vary" => {
                // Compression may differ: whether a response is compressed is up to the server.
                let mut wanted = members(wanted);
                wanted.remove("accept-encoding");
                wanted.is_subset(&members(got))
            }
            // For the version of the recorded server, only the form is compared.
            _ if is_version(wanted) => {
                is_version(got) && got.starts_with('v') == wanted.starts_with('v')
            }
            _ => shape::fits(wanted, got, self.variables),
        }
    }

    fn forbid_more_keys(&mut self, expected: &Value, response: &Value, path: &str) {
        for ((_, wanted), (got_path, got)) in at(expected, path).into_iter().zip(at(response, path))
        {
            let (Some(wanted), Some(got)) = (wanted.as_object(), got.as_object()) else {
                continue;
            };
            let more: Vec<_> = got
                .keys()
                .filter(|key| !wanted.contains_key(*key))
                .collect();
            if !more.is_empty() {
                self.report(&got_path, format!("has unexpected keys {more:?}"));
            }
        }
    }
}

/// Returns the values of a list of keys and values, such as settings, by their keys.
fn by_key(items: &[Value]) -> Value {
    let pair = |item: &Value| Some((item["key"].as_str()?.to_owned(), item["value"].clone()));
    let pairs: Option<Map<_, _>> = items.iter().map(pair).collect();
    pairs.map_or(Value::Null, Value::Object)
}

/// Returns whether a text is a version of Ghost 6, such as `v6.65` or `6.65`.
fn is_version(text: &str) -> bool {
    let text = text.strip_prefix('v').unwrap_or(text);
    text.strip_prefix("6.")
        .is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the members of a list in a header field.
fn members(text: &str) -> BTreeSet<String> {
    text.split(',')
        .map(|member| member.trim().to_ascii_lowercase())
        .collect()
}

fn below(path: &str, key: &str) -> String {
    match path {
        "" => key.to_owned(),
        path => format!("{path}.{key}"),
    }
}

/// Returns the values at a path, with their complete paths.
fn at<'a>(document: &'a Value, path: &str) -> Vec<(String, &'a Value)> {
    let mut found = vec![(String::new(), document)];
    for part in path.split('.') {
        let mut next = Vec::new();
        for (parent_path, value) in found {
            for (key, child) in children(value) {
                if part == "*" || part == key {
                    next.push((below(&parent_path, &key), child));
                }
            }
        }
        found = next;
    }
    found
}

fn children(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, child)| (key.clone(), child))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(number, child)| (number.to_string(), child))
            .collect(),
        _ => Vec::new(),
    }
}

/// Sorts a list by slug; the paths of these lists have no `*`.
fn sort_list_at(document: &mut Value, path: &str) {
    let pointer = format!("/{}", path.replace('.', "/"));
    if let Some(Value::Array(items)) = document.pointer_mut(&pointer) {
        items.sort_by_key(|item| item["slug"].as_str().map(str::to_owned));
    }
}

/// Returns the number of items, and their slugs if they have them.
fn names(items: &[Value]) -> String {
    let slugs: Vec<&str> = items
        .iter()
        .filter_map(|item| item["slug"].as_str())
        .collect();
    match slugs.as_slice() {
        [] => format!("{} items", items.len()),
        slugs => format!("{} items ({})", items.len(), slugs.join(" ")),
    }
}

fn short(value: &Value) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns two texts without most of a long common prefix.
fn from_difference(one: &str, other: &str) -> (String, String) {
    let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    let passed = common.count().saturating_sub(SHOWN_BEFORE);
    let from_there = |text: &str| match passed {
        0 => cut(text),
        passed => format!("…{}", cut(&text.chars().skip(passed).collect::<String>())),
    };
    (from_there(one), from_there(other))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the paths of the differences between `response` and a step with `expect` and these rules.
    fn paths(rules: Value, expect: Value, response: Value) -> Vec<String> {
        let mut step = json!({"expect": expect});
        for (key, value) in rules.as_object().unwrap() {
            step[key] = value.clone();
        }
        let rules: Rules = serde_json::from_value(step).unwrap();
        let found = differences(&rules, response, &Variables::new());
        found.into_iter().map(|one| one.path).collect()
    }

    #[test]
    fn response_may_have_additional_fields_but_not_fewer() {
        let expect = json!({"json": {"a": 1, "b": [{"c": null}]}});

        let more = json!({"status": 200, "json": {"a": 1.0, "b": [{"c": null, "d": 2}], "e": 3}});
        assert!(paths(json!({}), expect.clone(), more).is_empty());

        let less = json!({"json": {"b": [{}]}});
        assert_eq!(
            paths(json!({}), expect.clone(), less),
            ["json.a", "json.b.0.c"]
        );

        let other = json!({"json": {"a": true, "b": []}});
        assert_eq!(paths(json!({}), expect, other), ["json.a", "json.b"]);
    }

    #[test]
    fn exact_objects_and_forbidden_fields_are_enforced() {
        let rules = json!({"exact": ["json.a.*"], "without": ["json.a.*.y"]});
        let expect = json!({"json": {"a": [{"x": 1}]}});

        let good = json!({"json": {"a": [{"x": 1}], "b": 2}});
        assert!(paths(rules.clone(), expect.clone(), good).is_empty());

        let bad = json!({"json": {"a": [{"x": 1, "y": 2}]}});
        assert_eq!(paths(rules, expect, bad), ["json.a.0", "json.a.0.y"]);
    }

    #[test]
    fn lists_are_ordered_unless_marked_unordered() {
        let expect = json!({"json": {"a": [{"slug": "x"}, {"slug": "y"}]}});
        let response = json!({"json": {"a": [{"slug": "y"}, {"slug": "x"}]}});

        let ordered = paths(json!({}), expect.clone(), response.clone());
        assert_eq!(ordered, ["json.a.0.slug", "json.a.1.slug"]);
        assert!(paths(json!({"unordered": ["json.a"]}), expect, response).is_empty());
    }

    #[test]
    fn settings_are_compared_by_key() {
        let expect = json!({"json": {"settings": {"{{by_key}}": {"a": 1, "b": 2}}}});
        let response = json!({"json": {"settings": [
            {"key": "b", "value": 3}, {"key": "c", "value": 4}, {"key": "a", "value": 1},
        ]}});

        assert_eq!(paths(json!({}), expect, response), ["json.settings.b"]);
    }

    #[test]
    fn long_texts_are_shown_from_the_first_difference() {
        let common = "x".repeat(100);
        let parted = from_difference(&format!("{common}ab"), &format!("{common}c"));

        let shown = "x".repeat(SHOWN_BEFORE);
        assert_eq!(parted, (format!("…{shown}ab"), format!("…{shown}c")));
        assert_eq!(
            from_difference("xa", "xb"),
            ("xa".to_owned(), "xb".to_owned())
        );
    }

    #[test]
    fn versions_are_compared_by_form_and_vary_by_members() {
        let headers =
            |version, vary| json!({"headers": {"content-version": version, "vary": vary}});
        let expect = headers("v6.65", "Accept-Version, Accept-Encoding");
        let paths = |response| paths(json!({}), expect.clone(), response);

        assert!(paths(headers("v6.7", "accept-version")).is_empty());
        assert_eq!(
            paths(headers("6.65", "x")),
            ["headers.content-version", "headers.vary"]
        );
        assert_eq!(
            paths(headers("v5.1", "Accept-Version")),
            ["headers.content-version"]
        );
    }
}
