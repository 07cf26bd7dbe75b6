//! Comparison of an exported record with the record that is read back from its file.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;

use super::record::ExportedRecord;
use crate::{
    content_files::{ConvertedRecord, setting_keys::shown},
    content_text::node_equivalence,
    domain::{post::PostKind, setting, setting::Settings, theme::FILE_SETTINGS},
    render::urls,
};

/// Fields that content files cannot contain: the origin of a record, a user's rights, the sending
/// of posts by mail, and values derived from the body.
const NOT_IN_FILES: &[&str] = &[
    // Names as stored, which can differ from those of the fields: `source`, `stands_in`.
    "public_excerpt",
    "reading_time",
    "source",
    "files",
    "implied",
    "stands_in",
    "role",
    "status",
    "locale",
    "last_seen",
    "newsletter",
    "email_segment",
];

/// The body of a post as stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredBody {
    /// Its HTML.
    pub html: Option<String>,
    /// The editor document that the HTML was rendered from.
    pub lexical: Option<String>,
}

/// Returns the fields of `original` that differ in `record`. URLs are compared as served on `site`.
pub fn differences(
    original: &ExportedRecord,
    body: Option<&StoredBody>,
    record: &ConvertedRecord,
    site: &Url,
) -> Vec<String> {
    match (original, record) {
        (ExportedRecord::Site(settings), ConvertedRecord::Settings(values)) => {
            differing_settings(settings, &Settings::new(values.clone()), site)
        }
        (ExportedRecord::Post(post), ConvertedRecord::Post(read, read_body)) => {
            let mut differences = differing_fields(&**post, &**read, site);
            // Pages are not mailed, and posts always show their title.
            let of_other_kind = match post.kind {
                PostKind::Post => "show_title_and_feature_image",
                PostKind::Page => "meta.email_subject",
            };
            differences.retain(|field| field != of_other_kind);
            if post.status != read.status {
                differences.push("status".to_owned());
            }
            let read = StoredBody {
                html: read_body.html.clone(),
                lexical: read_body.lexical.clone(),
            };
            if let Some(body) = body {
                differences.extend(differing_bodies(body, &read, site));
            }
            differences
        }
        (ExportedRecord::Tag(tag), ConvertedRecord::Tag(read)) => {
            differing_fields(&**tag, &**read, site)
        }
        (ExportedRecord::Author(user), ConvertedRecord::User(read)) => {
            differing_fields(&**user, &**read, site)
        }
        (ExportedRecord::Tier(tier), ConvertedRecord::Tier(read)) => {
            differing_fields(&**tier, &**read, site)
        }
        (ExportedRecord::Newsletter(newsletter), ConvertedRecord::Newsletter(read)) => {
            differing_fields(&**newsletter, &**read, site)
        }
        _ => vec!["kind".to_owned()],
    }
}

fn differing_settings(settings: &Settings, read: &Settings, site: &Url) -> Vec<String> {
    let differs = |key: &str| {
        let (one, other) = (settings.get(key), read.get(key));
        served(shown(&one), site) != served(shown(&other), site)
    };
    let keys = setting::of_site().map(|setting| setting.key);
    keys.chain([FILE_SETTINGS])
        .filter(|key| differs(key))
        .map(str::to_owned)
        .collect()
}

fn differing_bodies(body: &StoredBody, read: &StoredBody, site: &Url) -> Vec<String> {
    let served = |html: &Option<String>| {
        html.as_deref()
            .map(|html| urls::to_served(html, site).into_owned())
    };
    let is_same_document = match (&body.lexical, &read.lexical) {
        (None, None) => true,
        (Some(one), Some(other)) => node_equivalence::are_same(one, other),
        _ => false,
    };
    let mut differences = Vec::new();
    if served(&body.html) != served(&read.html) {
        differences.push("html".to_owned());
    }
    if !is_same_document {
        differences.push("lexical".to_owned());
    }
    differences
}

/// Returns the names of fields with different values; an empty text equals null.
fn differing_fields(one: &impl Serialize, other: &impl Serialize, site: &Url) -> Vec<String> {
    let (one, other) = (fields_of(one, site), fields_of(other, site));
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    names
        .into_iter()
        .filter(|name| !NOT_IN_FILES.contains(&name.as_str()) && one.get(*name) != other.get(*name))
        .cloned()
        .collect()
}

/// Returns the fields of a record, with those of a nested record as `meta.title`.
fn fields_of(record: &impl Serialize, site: &Url) -> Map<String, Value> {
    let mut fields = Map::new();
    let Ok(Value::Object(record)) = serde_json::to_value(record) else {
        return fields;
    };
    for (name, value) in record {
        match value {
            Value::Object(inner) => {
                let inner = inner
                    .into_iter()
                    .map(|(key, value)| (format!("{name}.{key}"), value));
                fields.extend(inner);
                // The mere presence of a nested record can be significant.
                fields.insert(name, Value::Null);
            }
            value => {
                fields.insert(name, value);
            }
        }
    }
    fields.retain(|_, value| !value.as_str().is_some_and(|text| text.trim().is_empty()));
    for value in fields.values_mut() {
        *value = served(value, site);
    }
    fields
}

fn served(value: &Value, site: &Url) -> Value {
    match value {
        Value::String(text) => Value::String(urls::to_served(text, site).into_owned()),
        // Values of theme settings.
        Value::Object(entries) => {
            let entries = entries.iter();
            entries
                .map(|(key, value)| (key.clone(), served(value, site)))
                .collect()
        }
        other => other.clone(),
    }
}
