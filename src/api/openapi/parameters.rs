//! The parameters of the API, with the rules that were recorded from Ghost 6.65.

use http::Method;
use serde_json::{Map, Value, json};

use crate::{
    api::openapi::records,
    catalog::browse::{PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX},
};

/// What `include` may name, by resource.
const INCLUDES: &[(&str, &[&str])] = &[
    ("posts", &["authors", "tags", "tiers"]),
    ("pages", &["authors", "tags", "tiers"]),
    ("tags", &["count.posts"]),
    ("authors", &["count.posts"]),
    ("tiers", &["benefits", "monthly_price", "yearly_price"]),
];

/// The name of the parameter with a Content API key.
const KEY: &str = "key";

/// A reference to a parameter.
pub fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/parameters/{name}") })
}

/// A reference to the key of the Content API, for clients that do not know of keys in queries.
pub fn of_content() -> Value {
    reference(KEY)
}

/// References to what every list takes.
pub fn of_lists() -> Vec<Value> {
    ["filter", "order", "limit", "page"].map(reference).into()
}

/// What says for which address something is to stand, and what.
pub fn of_oembed() -> Vec<Value> {
    let mut url = in_query("url", "The address.", json!({ "type": "string" }));
    url["required"] = json!(true);
    let about = "A player, or a card. Without it: a player if there is one, and a card otherwise.";
    let kind = json!({ "enum": ["embed", "bookmark", "mention"] });
    vec![url, in_query("type", about, kind)]
}

/// What the operations of the Admin API on records take beside what lists take: which parts of the record are served, and for
/// posts and pages what becomes of the change.
pub fn of_staff(method: &Method, segments: &[&str]) -> Vec<Value> {
    let of_record = match segments {
        [resource] | [resource, "{}"] | [resource, "slug" | "email", "{}"] => *resource,
        _ => return Vec::new(),
    };
    let is_post = matches!(of_record, "posts" | "pages");
    let mut names = Vec::new();
    match *method {
        Method::GET if parts_are_chosen(of_record) => {
            names.extend(["staff-include", "staff-fields"])
        }
        Method::POST | Method::PUT if is_post => names.extend(["staff-include", "source"]),
        _ => {}
    }
    if is_post && *method != Method::DELETE {
        names.push("staff-formats");
    }
    if of_record == "posts" && matches!(*method, Method::POST | Method::PUT) {
        names.extend(["newsletter", "email_segment"]);
    }
    if is_post && *method == Method::PUT {
        names.push("save_revision");
    }
    names.into_iter().map(reference).collect()
}

/// Whether `include` and `fields` choose among the parts of a resource's records for staff.
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

/// References to what says which parts of `resource`'s records are served.
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

/// Every parameter that operations refer to.
pub fn components() -> Map<String, Value> {
    let includes = INCLUDES.iter().map(|(resource, names)| {
        let about = "What to add to each record; blanks and unknown names are passed over.";
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
        "Records on a page. 0 means {PAGE_RECORDS_DEFAULT}; `all` and numbers above {PAGE_RECORDS_MAX} mean {PAGE_RECORDS_MAX}."
    );
    let limit = json!({
        "anyOf": [{ "type": "integer", "minimum": 0 }, { "const": "all" }],
        "default": PAGE_RECORDS_DEFAULT,
    });
    let about_order = "Fields, each with `asc` or `desc`. A part that cannot be used is passed over. Nulls come first going up, last going down.";
    let order = json!({ "type": "string", "pattern": "^[A-Za-z0-9_,. ]+$", "examples": ["published_at desc,title asc"] });
    let about_filter = "Which records, in NQL: `tag:letters+featured:true`. Fields that are never served are passed over.";
    let filter = json!({ "type": "string", "examples": ["tag:letters+published_at:>now-30d"] });
    let about_formats =
        "The forms of the body to serve. The last two are accepted and give nothing.";
    let id = json!({ "type": "string", "pattern": "^([0-9A-Fa-f]{24}|1|me)$" });
    let slug = json!({ "type": "string", "pattern": "^[a-z0-9_-]+$" });
    let page = json!({ "type": "integer", "minimum": 0, "default": 1 });
    let visibility = json!({ "enum": ["public", "internal"] });
    let about_key = "A Content API key, once. It is the one of `contentKey`, for clients that take no security scheme in a query.";
    let key = json!({ "type": "string", "pattern": "^[0-9a-f]{26}$" });
    [
        (KEY, in_query(KEY, about_key, key)),
        ("id", in_path("id", "Identifier of the record.", id)),
        ("slug", in_path("slug", "Slug of the record.", slug)),
        ("filter", in_query("filter", about_filter, filter)),
        ("order", in_query("order", about_order, order)),
        ("limit", in_query("limit", &about_limit, limit)),
        ("page", in_query("page", "Which page; 0 means 1.", page)),
        (
            "staff-include",
            list(
                "include",
                "What to add to each record; unknown names are ignored.",
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
            list("formats", "The forms of the body to serve.", staff_formats),
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
                "Which of its subscribers get the post, as a filter of members.",
                json!({ "type": "string" }),
            ),
        ),
        (
            "save_revision",
            in_query(
                "save_revision",
                "Whether the save makes a revision in any case.",
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

/// A list in one parameter, with commas.
fn list(name: &str, about: &str, schema: Value) -> Value {
    let mut parameter = in_query(name, about, schema);
    parameter["style"] = json!("form");
    parameter["explode"] = json!(false);
    parameter
}
