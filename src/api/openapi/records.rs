//! The schemas of responses: records from the tables of fields, settings from theirs, and the
//! envelopes.

use serde_json::{Map, Value, json};

use crate::{
    api::{admin::site::SHARED, content::settings::derived, site_urls::SiteUrls},
    catalog::fields::{
        AUTHORS, Exposure, Field, FieldType, NEWSLETTERS, PAGES, POSTS, RECOMMENDATIONS, Schema,
        Source, TAGS, TIERS, ViewField,
    },
    domain::setting::{SETTINGS, Setting, SettingType, Settings},
};

/// The resources that are served as records: the name on the wire and that of one record's schema.
const RESOURCES: [(&str, &str); 7] = [
    ("posts", "Post"),
    ("pages", "Page"),
    ("authors", "Author"),
    ("tags", "Tag"),
    ("tiers", "Tier"),
    ("newsletters", "Newsletter"),
    ("recommendations", "Recommendation"),
];

/// The name prefix of schemas that `fields` may restrict: the same without required properties.
pub(super) const PARTIAL: &str = "Partial";

/// The schema of a record that a list in a request names.
pub(super) const RECORD_REFERENCE: &str = "RecordReference";

/// Returns the values of `fields`, by resource.
pub fn served_names() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        (POSTS.name, names(&POSTS)),
        (PAGES.name, names(&PAGES)),
        (AUTHORS.name, names(&AUTHORS)),
        (TAGS.name, names(&TAGS)),
        (TIERS.name, names(&TIERS)),
        (NEWSLETTERS.name, names(&NEWSLETTERS)),
        (RECOMMENDATIONS.name, names(&RECOMMENDATIONS)),
    ]
}

fn names<R>(schema: &'static Schema<R>) -> Vec<&'static str> {
    served(schema).map(|field| field.name).collect()
}

/// Returns all schemas that operations refer to.
pub fn components() -> Map<String, Value> {
    let mut schemas: Map<String, Value> = [
        ("Post", with_relations(record(&POSTS))),
        ("Page", with_relations(record(&PAGES))),
        ("Author", with_count(record(&AUTHORS))),
        ("Tag", with_count(record(&TAGS))),
        ("Tier", record(&TIERS)),
        ("TierOfPost", tier_of_post()),
        ("Newsletter", record(&NEWSLETTERS)),
        ("Settings", object(vec![("settings", settings())])),
        ("Site", object(vec![("site", site())])),
        ("Pagination", pagination()),
        (RECORD_REFERENCE, record_reference()),
        ("Errors", errors()),
        ("Recommendation", record(&RECOMMENDATIONS)),
        ("Offer", offer()),
        (
            "SingleOffers",
            object(vec![(
                "offers",
                json!({
                    "type": "array",
                    "items": { "$ref": "#/components/schemas/Offer" },
                    "minItems": 1,
                    "maxItems": 1,
                }),
            )]),
        ),
        (
            "SearchIndexOfPosts",
            index_of(
                &POSTS,
                &[
                    "id",
                    "slug",
                    "title",
                    "excerpt",
                    "url",
                    "updated_at",
                    "visibility",
                ],
            ),
        ),
        (
            "SearchIndexOfTags",
            index_of(&TAGS, &["id", "slug", "name", "url"]),
        ),
        (
            "SearchIndexOfAuthors",
            index_of(&AUTHORS, &["id", "slug", "name", "url", "profile_image"]),
        ),
    ]
    .map(|(name, schema)| (name.to_owned(), schema))
    .into_iter()
    .collect();
    for (resource, record) in RESOURCES {
        let (first, rest) = resource.split_at(1);
        let noun = format!("{}{rest}", first.to_uppercase());
        schemas.insert(format!("{PARTIAL}{record}"), partial(&schemas[record]));
        for prefix in ["", PARTIAL] {
            let items = reference(&format!("{prefix}{record}"));
            let list = json!({ "type": "array", "items": items });
            let page = page_of(resource, list);
            schemas.insert(format!("{prefix}PageOf{noun}"), page);
            if !matches!(resource, "tiers" | "newsletters" | "recommendations") {
                let single =
                    json!({ "type": "array", "items": items, "minItems": 1, "maxItems": 1 });
                let single = object(vec![(resource, single)]);
                schemas.insert(format!("{prefix}Single{noun}"), single);
            }
        }
    }
    schemas
}

/// Returns the schema of a record that `fields` may restrict, with the tags and authors that it
/// includes.
fn partial(record: &Value) -> Value {
    let mut partial = record.clone();
    partial["required"] = json!([]);
    for (name, record) in [
        ("tags", "Tag"),
        ("primary_tag", "Tag"),
        ("authors", "Author"),
        ("primary_author", "Author"),
    ] {
        let items = ["items", "anyOf/0"].map(|place| format!("/properties/{name}/{place}/$ref"));
        for place in items {
            if let Some(included) = partial.pointer_mut(&place) {
                *included = reference(&format!("{PARTIAL}{record}"))["$ref"].take();
            }
        }
    }
    partial
}

/// Returns the schema of a resource's record: its public fields, which are all present unless
/// `fields` restricts them.
fn record<R>(schema: &'static Schema<R>) -> Value {
    let properties: Map<String, Value> = served(schema)
        .map(|field| (field.name.to_owned(), value_of(field)))
        .collect();
    let required: Vec<&str> = served(schema)
        .filter(|field| is_always_present(schema, field))
        .map(|field| field.name)
        .collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

pub(super) fn served<R>(schema: &'static Schema<R>) -> impl Iterator<Item = &'static Field<R>> {
    schema.rows().filter(|field| {
        matches!(
            schema.exposure(field),
            Exposure::Public | Exposure::OnRequest
        )
    })
}

/// Returns whether a record without `fields` always has it, regardless of `include` and `formats`.
/// A free tier has no currency (specification 2.6), and an empty body has no reading time (Ghost
/// 6.65, recorded).
fn is_always_present<R>(schema: &Schema<R>, field: &Field<R>) -> bool {
    schema.exposure(field) == Exposure::Public
        && !matches!(
            field.source,
            Source::View(ViewField::Html | ViewField::ReadingTime)
        )
        && field.name != "currency"
}

pub(super) fn value_of<R>(field: &Field<R>) -> Value {
    if matches!(field.source, Source::View(ViewField::AlwaysNull)) {
        return json!({ "type": "null" });
    }
    let mut schema = match field.kind {
        FieldType::Text => json!({ "type": "string" }),
        FieldType::Address => json!({ "type": "string", "description": "An absolute URL." }),
        FieldType::Markup => {
            json!({ "type": "string", "description": "HTML with absolute URLs." })
        }
        FieldType::Boolean => json!({ "type": "boolean" }),
        FieldType::Integer => json!({ "type": "integer" }),
        FieldType::Time => json!({ "type": "string", "format": "date-time" }),
        FieldType::TextList => json!({ "type": "array", "items": { "type": "string" } }),
    };
    if field.nullable {
        schema = nullable(schema);
    }
    schema
}

fn nullable(mut schema: Value) -> Value {
    schema["type"] = json!([schema["type"], "null"]);
    schema
}

/// Adds the relations of `include` to a post or a page.
fn with_relations(mut record: Value) -> Value {
    let list = |name: &str| json!({ "type": "array", "items": reference(name) });
    let first = |name: &str| json!({ "anyOf": [reference(name), { "type": "null" }] });
    for (name, schema) in [
        ("tags", list("Tag")),
        ("primary_tag", first("Tag")),
        ("authors", list("Author")),
        ("primary_author", first("Author")),
        ("tiers", list("TierOfPost")),
    ] {
        record["properties"][name] = schema;
    }
    record
}

/// Adds the count of `include=count.posts` to a tag or an author.
fn with_count(mut record: Value) -> Value {
    record["properties"]["count"] =
        object(vec![("posts", json!({ "type": "integer", "minimum": 0 }))]);
    record
}

pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Returns a tier in a post with `include=tiers`: its record, and its prices (Ghost 6.65,
/// recorded).
fn tier_of_post() -> Value {
    let held = served(&TIERS).filter(|field| matches!(field.source, Source::Record(_)));
    let mut properties: Vec<(&str, Value)> =
        held.map(|field| (field.name, value_of(field))).collect();
    for name in ["monthly_price", "yearly_price"] {
        properties.push((name, json!({ "type": ["integer", "null"] })));
    }
    for name in ["monthly_price_id", "yearly_price_id"] {
        properties.push((name, json!({ "type": "null" })));
    }
    object(properties)
}

fn index_of<R>(schema: &'static Schema<R>, names: &[&'static str]) -> Value {
    let fields = served(schema).filter(|field| names.contains(&field.name));
    let record = object(fields.map(|field| (field.name, value_of(field))).collect());
    object(vec![(
        schema.name,
        json!({ "type": "array", "items": record }),
    )])
}

/// Returns the schema of the public settings: those of the table, and derived ones.
fn settings() -> Value {
    let mut properties: Vec<(&str, Value)> = SETTINGS
        .iter()
        .filter(|setting| setting.public)
        .map(|setting| (setting.key, value_of_setting(setting)))
        .collect();
    if let Ok(site_urls) = SiteUrls::new("http://localhost") {
        for (key, value) in derived(&Settings::default(), &site_urls) {
            let schema = match value {
                Value::Bool(_) => json!({ "type": "boolean" }),
                _ if key == "lang" => {
                    json!({ "type": ["string", "null"], "description": "The same as `locale`." })
                }
                _ => json!({ "type": "string" }),
            };
            properties.push((key, schema));
        }
    }
    object(properties)
}

fn value_of_setting(setting: &Setting) -> Value {
    let mut schema = match setting.kind {
        SettingType::Text(max) => json!({ "type": ["string", "null"], "maxLength": max }),
        SettingType::Address | SettingType::Markup => json!({ "type": ["string", "null"] }),
        SettingType::Switch => json!({ "type": "boolean" }),
        SettingType::Choice(words) => json!({ "enum": words }),
        SettingType::TimeZone => json!({ "type": "string" }),
        SettingType::Navigation => json!({ "type": "array", "items": navigation_item() }),
        SettingType::Words => json!({ "type": "array", "items": { "type": "string" } }),
        SettingType::Json(_) => json!({ "type": "string" }),
    };
    schema["description"] = json!(setting.about);
    schema
}

fn navigation_item() -> Value {
    object(vec![
        ("label", json!({ "type": "string" })),
        ("url", json!({ "type": "string" })),
    ])
}

fn site() -> Value {
    let shared = SETTINGS
        .iter()
        .filter(|setting| SHARED.contains(&setting.key));
    let mut properties: Vec<(&str, Value)> = shared
        .map(|setting| (setting.key, value_of_setting(setting)))
        .collect();
    properties.push(("url", json!({ "type": "string" })));
    properties.push(("version", json!({ "type": "string" })));
    properties.push(("allow_external_signup", json!({ "type": "boolean" })));
    object(properties)
}

/// Returns the schema of an offer's public fields.
fn offer() -> Value {
    let text = json!({ "type": "string" });
    let optional_text = json!({ "type": ["string", "null"] });
    let tier = object(vec![("id", text.clone()), ("name", optional_text.clone())]);
    object(vec![
        ("id", text.clone()),
        ("name", text.clone()),
        ("display_title", text.clone()),
        ("display_description", text.clone()),
        ("type", json!({ "enum": ["percent", "fixed", "trial"] })),
        ("cadence", json!({ "enum": ["month", "year"] })),
        ("amount", json!({ "type": "integer" })),
        (
            "duration",
            json!({ "enum": ["once", "repeating", "forever", "trial"] }),
        ),
        ("duration_in_months", json!({ "type": ["integer", "null"] })),
        ("currency_restriction", json!({ "type": "boolean" })),
        ("currency", optional_text),
        ("status", json!({ "enum": ["active", "archived"] })),
        (
            "redemption_type",
            json!({ "enum": ["signup", "retention"] }),
        ),
        ("tier", tier),
    ])
}

fn page_of(resource: &str, list: Value) -> Value {
    let meta = object(vec![("pagination", reference("Pagination"))]);
    object(vec![(resource, list), ("meta", meta)])
}

/// Returns the schema of a reference to a record in a request: any of these fields identifies it.
/// Whole records may be sent; their other fields are ignored, unless the operation says otherwise.
fn record_reference() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "description": "One of these fields identifies the record; a tag or a label that does not exist is added by its name.",
        "properties": { "id": text, "slug": text, "name": text, "email": text },
    })
}

/// Returns the schema of `meta.pagination` (specification 2.2).
fn pagination() -> Value {
    let number = |min: u64| json!({ "type": "integer", "minimum": min });
    let neighbour = json!({ "type": ["integer", "null"], "minimum": 1 });
    object(vec![
        ("page", number(1)),
        ("limit", number(1)),
        ("pages", number(1)),
        ("total", number(0)),
        ("next", neighbour.clone()),
        ("prev", neighbour),
    ])
}

fn errors() -> Value {
    let text = json!({ "type": "string" });
    let optional = json!({ "type": ["string", "null"] });
    let error = object(vec![
        ("message", text.clone()),
        ("context", optional.clone()),
        (
            "type",
            json!({ "type": "string", "description": "The kind of error, such as `NotFoundError`." }),
        ),
        (
            "details",
            json!({ "type": ["array", "object", "null"], "items": { "type": "object" }, "description": "Each error by itself; for a theme, the findings." }),
        ),
        ("property", optional.clone()),
        ("help", optional.clone()),
        ("code", optional.clone()),
        (
            "id",
            json!({ "type": "string", "format": "uuid", "description": "Identifies a server error in the log." }),
        ),
        ("ghostErrorCode", json!({ "type": "null" })),
    ]);
    object(vec![(
        "errors",
        json!({ "type": "array", "items": error, "minItems": 1, "maxItems": 1 }),
    )])
}

/// Returns the schema of an object with exactly these properties.
pub(super) fn object(properties: Vec<(&str, Value)>) -> Value {
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> = properties
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}
