//! The parameters of the API, with their rules as recorded from Ghost 6.65.

use http::Method;
use serde_json::{Map, Value, json};

use crate::{
    api::openapi::records,
    catalog::browse::{PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX},
};

/// The values of `include`, by resource.
const INCLUDES: &[(&str, &[&str])] = &[
    ("posts", &["authors", "tags", "tiers"]),
    ("pages", &["authors", "tags", "tiers"]),
    ("tags", &["count.posts"]),
    ("authors", &["count.posts"]),
    ("tiers", &["benefits", "monthly_price", "yearly_price"]),
];

/// The name of the parameter with a Content API key.
const KEY: &str = "key";

/// Returns a reference to a parameter.
pub fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/parameters/{name}") })
}

/// Returns a reference to the Content API key, for client generators that do not support keys in
/// queries.
pub fn of_content() -> Value {
    reference(KEY)
}

/// Returns references to the parameters of every list.
pub fn of_lists() -> Vec<Value> {
    ["filter", "order", "limit", "page"].map(reference).into()
}

/// Returns the parameters of embeds.
pub fn of_oembed() -> Vec<Value> {
    let mut url = in_query("url", "The URL.", json!({ "type": "string" }));
    url["required"] = json!(true);
    let about =
        "A player (`embed`) or a card. By default a player if there is one, and a card otherwise.";
    let kind = json!({ "enum": ["embed", "bookmark", "mention"] });
    vec![url, in_query("type", about, kind)]
}

/// Returns the parameters of Admin API operations on records, beside those of lists: which parts of
/// the record are served, and for posts and pages the options of a change.
pub fn of_staff(method: &Method, segments: &[&str]) -> Vec<Value> {
    let resource = match segments {
        [resource] | [resource, "{}"] | [resource, "slug" | "email", "{}"] => *resource,
        _ => return Vec::new(),
    };
    let is_post = matches!(resource, "posts" | "pages");
    let mut names = Vec::new();
    match *method {
        Method::GET if parts_are_chosen(resource) => {
            names.extend(["staff-include", "staff-fields"])
        }
        Method::POST | Method::PUT if is_post => names.extend(["staff-include", "source"]),
        _ => {}
    }
    if is_post && *method != Method::DELETE {
        names.push("staff-formats");
    }
    if resource == "posts" && matches!(*method, Method::POST | Method::PUT) {
        names.extend(["newsletter", "email_segment"]);
    }
    if is_post && *method == Method::PUT {
        names.push("save_revision");
    }
    names.into_iter().map(reference).collect()
}

/// Returns whether `include` and `fields` select the parts of a resource's records for staff.
fn parts_are_chosen(resource: &str) -> bool {
    matches!(
        resource,
        "posts"
            | "pages"
            | "tags"
            | "users"
            | "tiers"
            | "newsletters"
            | "members"
            | "labels"
            | "integrations"
    )
}

/// Returns references to the parameters that select the parts of `resource`'s records.
pub fn of_records(resource: &str) -> Vec<Value> {
    let has_include = INCLUDES.iter().any(|(name, _)| *name == resource);
    let mut names = vec![format!("{resource}-fields")];
    if has_include {
        names.push(format!("{resource}-include"));
    }
    if matches!(resource, "posts" | "pages") {
        names.push("formats".to_owned());
    }
    names.iter().map(|name| reference(name)).collect()
}

/// Returns all parameters that operations refer to.
pub fn components() -> Map<String, Value> {
    let includes = INCLUDES.iter().map(|(resource, names)| {
        let about = "Relations to add to each record; spaces and unknown names are ignored.";
        let schema = json!({ "type": "array", "items": { "enum": names } });
        (
            format!("{resource}-include"),
            list("include", about, schema),
        )
    });
    let fields = records::served_names()
        .into_iter()
        .map(|(resource, names)| {
            let about = "The only fields to serve. Unknown names are ignored.";
            let schema = json!({ "type": "array", "items": { "enum": names } });
            (format!("{resource}-fields"), list("fields", about, schema))
        });
    shared().into_iter().chain(includes).chain(fields).collect()
}

fn shared() -> Vec<(String, Value)> {
    let formats = json!({
        "type": "array",
        "items": { "enum": ["html", "plaintext", "mobiledoc", "lexical"] },
        "default": ["html"],
    });
    let words = json!({ "type": "array", "items": { "type": "string" } });
    let staff_formats = json!({
        "type": "array",
        "items": { "enum": ["html", "plaintext", "mobiledoc", "lexical"] },
    });
    let about_limit = format!(
        "Records per page. 0 means {PAGE_RECORDS_DEFAULT}; `all` and numbers above {PAGE_RECORDS_MAX} mean {PAGE_RECORDS_MAX}."
    );
    let limit = json!({
        "anyOf": [{ "type": "integer", "minimum": 0 }, { "const": "all" }],
        "default": PAGE_RECORDS_DEFAULT,
    });
    let about_order = "Fields, each with `asc` or `desc`. Invalid parts are ignored. Nulls are first in ascending and last in descending order.";
    let order = json!({ "type": "string", "pattern": "^[A-Za-z0-9_,. ]+$", "examples": ["published_at desc,title asc"] });
    let about_filter = "An NQL filter: `tag:news+featured:true`. Conditions on fields that are never served are ignored.";
    let filter = json!({ "type": "string", "examples": ["tag:news+published_at:>now-30d"] });
    let about_formats = "The formats of the body. The last two are accepted and ignored.";
    let id = json!({ "type": "string", "pattern": "^([0-9A-Fa-f]{24}|1|me)$" });
    let slug = json!({ "type": "string", "pattern": "^[a-z0-9_-]+$" });
    let page = json!({ "type": "integer", "minimum": 0, "default": 1 });
    let visibility = json!({ "enum": ["public", "internal"] });
    let about_key = "A Content API key, once. The same as `contentKey`, for client generators that do not support security schemes in queries.";
    let key = json!({ "type": "string", "pattern": "^[0-9a-f]{26}$" });
    [
        (KEY, in_query(KEY, about_key, key)),
        ("id", in_path("id", "Identifier of the record.", id)),
        ("slug", in_path("slug", "Slug of the record.", slug)),
        ("filter", in_query("filter", about_filter, filter)),
        ("order", in_query("order", about_order, order)),
        ("limit", in_query("limit", &about_limit, limit)),
        (
            "page",
            in_query("page", "The page, from 1; 0 means 1.", page),
        ),
        (
            "staff-include",
            list(
                "include",
                "Relations to add to each record; unknown names are ignored.",
                words.clone(),
            ),
        ),
        (
            "staff-fields",
            list(
                "fields",
                "The only fields to serve; unknown names are ignored.",
                words,
            ),
        ),
        (
            "staff-formats",
            list("formats", "The formats of the body.", staff_formats),
        ),
        (
            "source",
            in_query(
                "source",
                "`html`: the body is `html`, which is converted.",
                json!({ "type": "string" }),
            ),
        ),
        (
            "newsletter",
            in_query(
                "newsletter",
                "The slug of the newsletter that a post is sent with when it is published.",
                json!({ "type": "string" }),
            ),
        ),
        (
            "email_segment",
            in_query(
                "email_segment",
                "A filter of members: which subscribers get the post.",
                json!({ "type": "string" }),
            ),
        ),
        (
            "save_revision",
            in_query(
                "save_revision",
                "Whether to create a revision in any case.",
                json!({ "type": "boolean" }),
            ),
        ),
        ("formats", list("formats", about_formats, formats)),
        (
            "visibility",
            in_query(
                "visibility",
                "The visibility that the tag must have.",
                visibility,
            ),
        ),
    ]
    .map(|(name, parameter)| (name.to_owned(), parameter))
    .into()
}

pub(super) fn in_query(name: &str, about: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "query", "description": about, "schema": schema })
}

fn in_path(name: &str, about: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "path", "required": true, "description": about, "schema": schema })
}

/// Returns a comma-separated list parameter.
fn list(name: &str, about: &str, schema: Value) -> Value {
    let mut parameter = in_query(name, about, schema);
    parameter["style"] = json!("form");
    parameter["explode"] = json!(false);
    parameter
}
