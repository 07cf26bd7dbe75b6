//! Tests of every writable field of every resource with every JSON type: a successful response contains the value or names the
//! field as ignored, and an error names the field.
//!
//! The fields come from the OpenAPI document, so a new field is tested without a change here.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use galley::api::openapi;
use galley_tests::{TestSite, http_client::HttpResponse};
use serde_json::{Map, Value, json};

/// Resources, each with the fields of a valid new record; `#` is replaced by a number.
const RESOURCES: &[(&str, &str)] = &[
    ("posts", r#"{"title": "Post #"}"#),
    ("pages", r#"{"title": "Page #"}"#),
    ("tags", r#"{"name": "Tag #"}"#),
    ("integrations", r#"{"name": "Integration #"}"#),
    (
        "webhooks",
        r#"{"event": "post.added", "target_url": "https://a.example/#", "integration_id": "INTEGRATION"}"#,
    ),
    ("newsletters", r#"{"name": "Newsletter #"}"#),
    (
        "offers",
        r##"{"name": "Offer #", "code": "offer-#", "display_title": "Offer", "display_description": "", "cadence": "month",
            "amount": 10, "duration": "once", "type": "percent", "tier": {"id": "TIER"}, "currency": null}"##,
    ),
    (
        "recommendations",
        r#"{"title": "Site #", "url": "https://#.example/"}"#,
    ),
    (
        "tiers",
        r#"{"name": "Tier #", "monthly_price": 500, "yearly_price": 5000, "currency": "eur"}"#,
    ),
    ("members", r#"{"email": "member-#@example.com"}"#),
    ("labels", r#"{"name": "Label #"}"#),
    (
        "snippets",
        r#"{"name": "Snippet #", "mobiledoc": "{}", "lexical": "{}"}"#,
    ),
    ("users", "{}"),
];

/// Values of every JSON type.
fn values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(7),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(""),
        json!(" "),
        json!("word"),
        json!("https://a.example/b"),
        json!("2020-02-03T04:05:06.000Z"),
        json!([]),
        json!([null]),
        json!([true]),
        json!([7]),
        json!(["word"]),
        json!([["word"]]),
        json!([{}]),
        json!([{"name": "Word"}]),
        json!([{"id": "6512bd43d9caa6e02c990b0a"}]),
        json!({}),
        json!({"id": "6512bd43d9caa6e02c990b0a"}),
        json!({"word": ["x"]}),
    ]
}

/// Fields that are stored but not served, each with the reason.
const NOT_SERVED: &[(&str, &str, &str)] = &[
    ("users", "password", "changed with its own endpoint"),
    ("members", "comped", "the status follows from the tiers"),
    ("pages", "email_subject", "as in Ghost"),
    ("users", "locale", "a column for filters"),
];

#[test]
fn every_field_is_stored_rejected_or_reported() {
    let site = TestSite::staffed();
    let mut failures = Vec::new();
    for (resource, base) in RESOURCES {
        let mut fields = fields_of(resource);
        fields.extend(["unheard_of", "id", "created_at"].map(str::to_owned));
        for field in fields {
            let known = Sent {
                site: &site,
                resource,
                base,
                field: &field,
                value: &json!(null),
            }
            .known_record();
            for value in values() {
                for is_new in [true, false] {
                    let sent = Sent {
                        site: &site,
                        resource,
                        base,
                        field: &field,
                        value: &value,
                    };
                    if let Some(problem) = sent.problem(is_new, &known) {
                        let act = if is_new { "POST" } else { "PUT" };
                        failures.push(format!("{act} {resource} {field} {value}: {problem}"));
                    }
                }
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} problems:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn every_setting_is_stored_rejected_or_reported() {
    let site = TestSite::staffed();
    let settings = site.read("settings/")["settings"].clone();
    let settings = settings.as_array().unwrap();
    let mut failures = Vec::new();
    for key in settings
        .iter()
        .map(|setting| setting["key"].as_str().unwrap())
    {
        for value in values() {
            let body = json!({"settings": [{"key": key, "value": value}]});
            let response = site.ask("PUT", "settings/", Some(&body));
            let text = response.text();
            let problem = match response.status {
                200 => {
                    let named = response.header("galley-ignored-fields").unwrap_or_default();
                    let listed = response.json()["settings"].clone();
                    let listed = listed.as_array().unwrap();
                    let stored = listed.iter().find(|setting| setting["key"] == key).unwrap();
                    let is_fine = named.split(", ").any(|name| name == key)
                        || is_setting(&stored["value"], &value);
                    (!is_fine).then(|| format!("the stored value is {}", stored["value"]))
                }
                400..500 => {
                    let is_named = text.contains(key);
                    (!is_named).then(|| format!("the error does not name the field: {text}"))
                }
                status => Some(format!("status {status}: {text}")),
            };
            failures
                .extend(problem.map(|problem| format!("PUT settings {key} {value}: {problem}")));
        }
    }
    assert!(
        failures.is_empty(),
        "{} problems:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Returns whether a setting has the value that was sent, either unchanged or as text, or a default if it was empty.
fn is_setting(stored: &Value, sent: &Value) -> bool {
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    // Boolean settings accept the numbers 0 and 1, as in Ghost.
    let is_switch = *stored == json!(*sent == json!(1)) && sent.is_number();
    let (stored, sent) = (text(stored), text(sent));
    sent.trim().is_empty() || is_switch || stored == sent || stored.ends_with(&sent)
}

/// Returns the writable fields of a resource.
fn fields_of(resource: &str) -> Vec<String> {
    let document = openapi::document();
    let paths = document["paths"].as_object().unwrap();
    let mut fields = BTreeMap::new();
    for (path, method) in [
        (format!("/admin/{resource}/"), "post"),
        (format!("/admin/{resource}/{{id}}/"), "put"),
    ] {
        let body = paths.get(&path).map(|path| &path[method]["requestBody"]);
        let properties = body.map(|body| {
            &body["content"]["application/json"]["schema"]["properties"][resource]["items"]
                ["properties"]
        });
        for name in properties
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::keys)
        {
            fields.insert(name.clone(), ());
        }
    }
    assert!(!fields.is_empty(), "{resource} has no fields");
    fields.into_keys().collect()
}

/// A value to send for one field.
struct Sent<'a> {
    site: &'a TestSite,
    resource: &'a str,
    base: &'a str,
    field: &'a str,
    value: &'a Value,
}

impl Sent<'_> {
    /// Sends the value in a new record or a change, and returns what is wrong with the response, if anything.
    fn problem(&self, is_new: bool, known: &Value) -> Option<String> {
        let (method, endpoint, mut record) = if is_new {
            if self.resource == "users" {
                return None;
            }
            ("POST", format!("{}/", self.resource), self.new_record())
        } else {
            let id = known["id"].as_str()?.to_owned();
            let mut record = match self.resource {
                "snippets" => self.new_record(),
                _ => Map::new(),
            };
            if matches!(self.resource, "posts" | "pages") {
                let current = self.site.read(&format!("{}/{id}/", self.resource));
                let updated_at = current[self.resource][0]["updated_at"].clone();
                record.insert("updated_at".to_owned(), updated_at);
            }
            ("PUT", format!("{}/{id}/", self.resource), record)
        };
        record.insert(self.field.to_owned(), self.value.clone());
        let query = match self.resource {
            "posts" | "pages" => "?formats=html,lexical,mobiledoc",
            "integrations" => "?include=webhooks",
            _ => "",
        };
        let body = json!({ self.resource: [record] });
        let response = self
            .site
            .ask(method, &format!("{endpoint}{query}"), Some(&body));
        self.problem_with_response(&response)
    }

    fn new_record(&self) -> Map<String, Value> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed).to_string();
        let tier = || self.site.read("tiers/?filter=type:paid")["tiers"][0]["id"].clone();
        let mut base = self.base.replace('#', &number);
        if base.contains("TIER") {
            base = base.replace("TIER", tier().as_str().unwrap());
        }
        base = base.replace("INTEGRATION", self.site.integration_id());
        serde_json::from_str(&base).unwrap()
    }

    /// Returns a record to change: a new one, or the owner.
    fn known_record(&self) -> Value {
        if self.resource == "users" {
            return self.site.read("users/me/")["users"][0].clone();
        }
        let body = json!({ self.resource: [self.new_record()] });
        let made = self
            .site
            .ask("POST", &format!("{}/", self.resource), Some(&body));
        assert!(matches!(made.status, 200 | 201), "{body}: {}", made.text());
        made.json()[self.resource][0].clone()
    }

    fn problem_with_response(&self, response: &HttpResponse) -> Option<String> {
        match response.status {
            200 | 201 => {
                let named = response.header("galley-ignored-fields").unwrap_or_default();
                let mut named = named.split(", ");
                let is_named = named.any(|name| {
                    name == self.field || name.starts_with(&format!("{}.", self.field))
                });
                let record = &response.json()[self.resource][0];
                let is_stored = is_named || self.is_stored(record);
                (!is_stored).then(|| format!("the stored value is {}", record[self.field]))
            }
            400..500 => {
                let text = response.text();
                let error = &response.json()["errors"][0];
                let property = error["property"].as_str().unwrap_or_default();
                let is_position = property.parse::<usize>().is_ok();
                let text = text.to_lowercase();
                let is_other_name = self.field == "products" && text.contains("tiers");
                let is_named = text.contains(self.field)
                    || is_other_name
                    || is_position && self.value.is_array();
                (!is_named).then(|| format!("the error does not name the field: {text}"))
            }
            status => Some(format!("status {status}: {}", response.text())),
        }
    }

    /// Returns whether a record has the value that was sent, in the form of this field.
    fn is_stored(&self, record: &Value) -> bool {
        let stored = match self.field {
            "products" => &record["tiers"],
            field => &record[field],
        };
        let is_empty = |value: &Value| match value {
            Value::Null => true,
            Value::String(text) => text.trim().is_empty(),
            Value::Array(list) => list.is_empty(),
            _ => false,
        };
        if stored == self.value || is_empty(stored) && is_empty(self.value) {
            return true;
        }
        match (self.value, stored) {
            // An empty value is replaced by the default, such as a slug derived from the title.
            (value, _) if is_empty(value) => true,
            // The update date is always that of the change.
            (Value::String(_), Value::String(_)) if self.field == "updated_at" => true,
            // As in Ghost, where the column contains text.
            (Value::Bool(_), Value::String(text)) if text == "1.0" || text == "0.0" => true,
            (Value::Number(_) | Value::Bool(_), Value::String(text)) => {
                let sent = self.value.to_string();
                *text == sent
            }
            (Value::Array(sent), Value::Array(stored)) => sent.len() == stored.len(),
            (Value::String(sent), Value::String(stored)) => is_alike(sent, stored),
            _ => NOT_SERVED
                .iter()
                .any(|(resource, field, _)| *resource == self.resource && *field == self.field),
        }
    }
}

/// Returns whether `stored` is `sent` in the form of a slug, a URL or a code.
fn is_alike(sent: &str, stored: &str) -> bool {
    let alphanumeric = |text: &str| -> String {
        let alphanumeric = text.chars().filter(|character| character.is_alphanumeric());
        alphanumeric.flat_map(char::to_lowercase).collect()
    };
    alphanumeric(stored).contains(&alphanumeric(sent))
}

#[test]
fn ignored_fields_are_reported_in_the_response_and_the_audit_log() {
    let site = TestSite::staffed();
    let tag = json!({"tags": [{"name": "Sea", "colour": "blue", "accent_color": "#0000ff", "id": null, "größe": {"a": 1}}]});
    let response = site.ask("POST", "tags/", Some(&tag));
    assert_eq!(response.status, 201);
    let expected = "colour, gr%C3%B6%C3%9Fe";
    assert_eq!(response.header("galley-ignored-fields"), Some(expected));
    let shape = site.read("tags/")["tags"][0].clone();
    assert!(shape.get("colour").is_none());
    let context = |site: &TestSite| -> Value {
        let actions = site.read("actions/?limit=1");
        serde_json::from_str(actions["actions"][0]["context"].as_str().unwrap()).unwrap()
    };
    assert_eq!(
        context(&site),
        json!({"primary_name": "Sea", "ignored_fields": ["colour", "größe"]})
    );

    let tag = response.json()["tags"][0].clone();
    let endpoint = format!("tags/{}/", tag["id"].as_str().unwrap());
    let whole = json!({ "tags": [tag] });
    let unchanged = site.ask("PUT", &endpoint, Some(&whole));
    assert_eq!(
        unchanged.header("galley-ignored-fields"),
        None,
        "an unchanged record has ignored fields"
    );
    let change = json!({"tags": [{"description": "Water", "url": "https://other.example/"}]});
    let changed = site.ask("PUT", &endpoint, Some(&change));
    assert_eq!(changed.header("galley-ignored-fields"), Some("url"));
    assert_eq!(context(&site)["ignored_fields"], json!(["url"]));
    let change = json!({"tags": [{"description": "More water"}]});
    let changed = site.ask("PUT", &endpoint, Some(&change));
    assert_eq!(changed.header("galley-ignored-fields"), None);
    assert_eq!(context(&site), json!({"primary_name": "Sea"}));
}

#[test]
fn ignored_fields_of_related_records_are_reported() {
    let site = TestSite::staffed();
    let post =
        json!({"posts": [{"title": "P", "tags": [{"name": "Sea", "colour": "blue"}, "Wind"]}]});
    let response = site.ask("POST", "posts/", Some(&post));
    assert_eq!(response.status, 201, "{}", response.text());
    assert_eq!(
        response.header("galley-ignored-fields"),
        Some("tags.colour")
    );
}

#[test]
fn url_that_runs_code_is_reported() {
    let site = TestSite::staffed();
    let tag = json!({"tags": [{"name": "Sea", "canonical_url": "javascript:alert(1)"}]});
    let response = site.ask("POST", "tags/", Some(&tag));
    assert_eq!(
        response.header("galley-ignored-fields"),
        Some("canonical_url")
    );
}
