//! The schemas that are generated from tables: records from tables of fields, and settings from the
//! table of settings.

use serde_json::{Map, Value, json};

use crate::{
    api::{
        admin::site::SHARED,
        content::settings::derived,
        routes::shape::{Properties, Shape::*, TEXT_OR_NULL, exact, or_null, reference, with},
    },
    catalog::fields::{Exposure, Field, FieldSource, FieldType, Schema, TIERS, ViewField},
    domain::setting::{SETTINGS, Setting, SettingType, Settings, UNSUPPORTED},
    site_urls::SiteUrls,
};

/// The name prefix of the variants of schemas for responses with `fields`: no property is required.
pub const PARTIAL: &str = "Partial";

/// Returns the schema of a record as readers see it, with these relations: its public fields, which
/// are all present unless `fields` restricts them.
pub fn public<R>(table: &'static Schema<R>, relations: &[Properties]) -> Value {
    let required = table
        .served()
        .filter(|field| is_always_present(table, field));
    let required: Vec<&str> = required.map(|field| field.name).collect();
    let mut record = staff(table, &[]);
    record["required"] = json!(required);
    with(exact(record), relations)
}

/// Returns whether a response without `fields` always contains a field, regardless of `include` and
/// `formats`. A free tier has no currency (specification 2.6), and an empty body has no reading time
/// (Ghost 6.65, recorded).
fn is_always_present<R>(table: &Schema<R>, field: &Field<R>) -> bool {
    table.exposure(field) == Exposure::Public
        && !matches!(
            field.source,
            FieldSource::View(ViewField::Html | ViewField::ReadingTime)
        )
        && (table.name, field.name) != ("tiers", "currency")
}

/// Returns the schema of a record as staff see it, with these relations. Which of its fields are
/// present depends on `fields`, `formats` and `include`.
pub fn staff<R>(table: &'static Schema<R>, relations: &[Properties]) -> Value {
    let properties: Map<String, Value> = table
        .served()
        .map(|field| (field.name.to_owned(), value(field)))
        .collect();
    with(
        json!({ "type": "object", "properties": properties }),
        relations,
    )
}

fn value<R>(field: &Field<R>) -> Value {
    if matches!(field.source, FieldSource::View(ViewField::AlwaysNull)) {
        return Null.schema();
    }
    let shape = match field.kind {
        FieldType::Text => Text,
        FieldType::Url => About("An absolute URL.", &Text),
        FieldType::Markup => About("HTML with absolute URLs.", &Text),
        FieldType::Boolean => Boolean,
        FieldType::Integer => Integer,
        FieldType::Time => Time,
        FieldType::TextList => List(&Text),
    };
    if field.nullable {
        or_null(shape.schema())
    } else {
        shape.schema()
    }
}

/// Returns the schema of the search index of `table`. `names` lists the fields of its records,
/// separated by spaces.
pub fn search_index<R>(table: &'static Schema<R>, names: &str) -> Value {
    let is_in_index = |name: &str| names.split(' ').any(|one| one == name);
    let fields = table.served().filter(|field| is_in_index(field.name));
    let record = object_of(fields.map(|field| (field.name, value(field))));
    let list = json!({ "type": "array", "items": record });
    object_of([(table.name, list)])
}

/// Returns the schema of a tier in a post with `include=tiers`: its record and its prices (Ghost 6.65,
/// recorded).
pub fn tier_of_post() -> Value {
    let of_record = TIERS
        .served()
        .filter(|field| matches!(field.source, FieldSource::Record(_)));
    let record = object_of(of_record.map(|field| (field.name, value(field))));
    with(
        record,
        &[
            ("monthly_price yearly_price", OrNull(&Integer)),
            ("monthly_price_id yearly_price_id", Null),
        ],
    )
}

/// Returns the variant of a record's schema for responses with `fields`. It also applies to the tags
/// and authors that the record includes.
pub fn partial(record: &Value) -> Value {
    let mut partial = record.clone();
    partial["required"] = json!([]);
    for (name, record) in [
        ("tags", "Tag"),
        ("primary_tag", "Tag"),
        ("authors", "Author"),
        ("primary_author", "Author"),
    ] {
        // Lists name the schema in `items`, single records that may be null in `anyOf`.
        let items =
            ["items", "anyOf/0"].map(|keyword| format!("/properties/{name}/{keyword}/$ref"));
        for pointer in items {
            if let Some(included) = partial.pointer_mut(&pointer) {
                *included = reference(&format!("{PARTIAL}{record}"))["$ref"].take();
            }
        }
    }
    partial
}

/// Returns the schema of the public settings: the settings of the table, derived settings, and the
/// settings of features that are off.
pub fn settings() -> Value {
    let public = SETTINGS.iter().filter(|setting| setting.public);
    let mut properties: Vec<(&str, Value)> = public
        .map(|setting| (setting.key, value_of_setting(setting)))
        .collect();
    // The URL does not matter, because only the types of the values are used.
    let site_urls = SiteUrls::new("http://localhost").ok();
    let derived = site_urls.map(|site_urls| derived(&Settings::default(), &site_urls));
    let unsupported = UNSUPPORTED.iter().filter(|setting| setting.is_public());
    let unsupported = unsupported.map(|setting| (setting.key, setting.json()));
    for (key, value) in derived.unwrap_or_default().into_iter().chain(unsupported) {
        let shape = match value {
            Value::Bool(_) => Boolean,
            Value::Object(_) => AnyObject,
            Value::Null => TEXT_OR_NULL,
            _ if key == "lang" => About("The same as `locale`.", &TEXT_OR_NULL),
            _ => Text,
        };
        properties.push((key, shape.schema()));
    }
    object_of([("settings", object_of(properties))])
}

/// Returns the schema of the site's description for clients without a key.
pub fn site() -> Value {
    let shared = SETTINGS
        .iter()
        .filter(|setting| SHARED.contains(&setting.key));
    let site = object_of(shared.map(|setting| (setting.key, value_of_setting(setting))));
    let more = [("url version", Text), ("allow_external_signup", Boolean)];
    object_of([("site", with(site, &more))])
}

fn value_of_setting(setting: &Setting) -> Value {
    let mut schema = match setting.kind {
        SettingType::Text(max) => json!({ "type": ["string", "null"], "maxLength": max }),
        SettingType::Choice(words) => json!({ "enum": words }),
        SettingType::Url | SettingType::Markup => TEXT_OR_NULL.schema(),
        SettingType::Switch => Boolean.schema(),
        SettingType::TimeZone | SettingType::Json(_) => Text.schema(),
        SettingType::Navigation => List(&Object(&[("label url icon? visibility?", Text)])).schema(),
        SettingType::Words => List(&Text).schema(),
    };
    schema["description"] = json!(setting.about);
    schema
}

/// Returns the schema of an object with exactly these properties.
pub fn object_of<'a>(properties: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let properties: Map<String, Value> = properties
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect();
    let required: Vec<&String> = properties.keys().collect();
    exact(json!({ "type": "object", "properties": properties, "required": required }))
}
