//! The OpenAPI 3.1 document of the API, made from the routes and the tables of fields and settings.
//!
//! `schema/openapi.json` is this document, and a test holds both it and real answers to it. `served` hands it to clients, with
//! the address of the site. What the tables cannot tell stands here in words: what parameters mean, and how records are put
//! into answers.

mod absent_features;
mod admin;
mod changes;
mod email_records;
mod membership;
mod operations;
mod parameters;
mod plain_records;
mod records;
mod requests;
pub mod served;
mod special;
mod staff_records;
mod theme_records;

use serde_json::{Map, Value, json};

use super::{
    error,
    headers::API_VERSION_NUMBER,
    router::{Endpoint, Route},
    routes::ROUTES,
};
use crate::error::Kind;

/// Errors with an answer of their own in the document.
const ERRORS: &[(Kind, &str)] = &[
    (
        Kind::BadRequest,
        "The filter does not parse or names an unknown field, the query holds a broken percent sequence, there is more than one key, or the response would have more than 64 MiB of posts.",
    ),
    (Kind::Unauthorized, "The key opens nothing here."),
    (Kind::NoPermission, "There is no key."),
    (
        Kind::NotFound,
        "There is no such record, or nobody but its author may see it. So is answered, too, where there is no endpoint.",
    ),
    (
        Kind::NotAcceptable,
        "There is no such endpoint, and `Accept-Version` names another major version, which may have it.",
    ),
    (
        Kind::Validation,
        "`limit`, `page`, `order`, `formats`, an identifier or a slug is malformed.",
    ),
    (
        Kind::UpdateCollision,
        "The record was changed in the meantime: read it again.",
    ),
    (
        Kind::RequestEntityTooLarge,
        "The body is longer than this server takes, or becomes more than that: JSON may take 4 MiB of memory and six bytes for each of its own.",
    ),
    (
        Kind::UnsupportedMediaType,
        "The body, or a file in it, is of a kind that is not taken.",
    ),
    (
        Kind::TooManyRequests,
        "Too many wrong keys, passwords or codes came from this address. The context says when to try again.",
    ),
    (
        Kind::Maintenance,
        "Too many pictures are being worked on, long bodies take all the memory that there is for them, or too many clients wait for changes: `Retry-After` says when to come again.",
    ),
];

/// The status of an answer to a query that makes the address too long, and what the answer is called.
const ADDRESS_TOO_LONG: (&str, &str) = ("414", "AddressTooLong");

const ABOUT: &str = "Reads what a site has published. Answers follow Ghost's Content API.\n\n\
    Every answer names the level of the API in `Content-Version`. An address without its last slash is answered with 301 \
    and the address with it. An address that names no endpoint is answered with 404, or with 406 when `Accept-Version` \
    names another major version. A body of more than 1 KiB is packed when `Accept-Encoding` allows it.";

/// Returns the document, whose server is a template: any site with any prefix.
pub fn document() -> Value {
    document_with(&json!([{
        "url": "{site}/{prefix}/api",
        "variables": {
            "site": { "default": "http://127.0.0.1:2368", "description": "The site's address." },
            "prefix": { "default": "ghost", "description": "The option `path_prefix`." },
        },
    }]))
}

fn document_with(servers: &Value) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Galley",
            "version": API_VERSION_NUMBER,
            "description": ABOUT,
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": servers,
        "security": [{ "contentKey": [] }],
        "tags": [
            { "name": "Content API", "description": "What everybody may read who has a key." },
            { "name": "Site", "description": "What a client learns before it has one." },
        ],
        "paths": paths(),
        "components": {
            "securitySchemes": { "contentKey": {
                "type": "apiKey",
                "in": "query",
                "name": "key",
                "description": "A Content API key: 26 hexadecimal digits. It is no secret. `galley key list` shows those there are.",
            }, "token": {
                "type": "apiKey",
                "in": "header",
                "name": "Authorization",
                "description": "`Ghost ` and a JSON Web Token made from an Admin API key, an integration's or a user's: HS256, `kid` the key's identifier, `aud` `/admin/`, `iat` at most five minutes ago.",
            }, "session": {
                "type": "apiKey",
                "in": "cookie",
                "name": "ghost-admin-api-session",
                "description": "The cookie of a session, for a user who signed in.",
            }},
            "parameters": parameters::components(),
            "headers": headers(),
            "responses": responses(),
            "schemas": schemas(),
        },
    })
}

fn paths() -> Map<String, Value> {
    let mut paths = Map::new();
    for route in ROUTES {
        if let Some((path, method, operation)) = described(route) {
            paths.entry(path).or_insert_with(|| json!({}))[method] = operation;
        }
    }
    paths
}

fn described(route: &Route) -> Option<(String, String, Value)> {
    match route.endpoint {
        Endpoint::Content(_) | Endpoint::Feed(_) | Endpoint::Open(_) => {
            let (path, mut operation) = operations::of(route.path)?;
            if matches!(route.endpoint, Endpoint::Open(_)) {
                operation["security"] = json!([]);
            }
            Some((path, "get".to_owned(), operation))
        }
        Endpoint::Admin(..) | Endpoint::Entrance(_) => Some(admin::of(route)),
        // This document.
        Endpoint::Document => None,
    }
}

/// The answer where a query makes the address too long.
fn address_too_long() -> Value {
    json!({ "$ref": format!("#/components/responses/{}", ADDRESS_TOO_LONG.1) })
}

fn schemas() -> Map<String, Value> {
    let mut schemas = records::components();
    schemas.extend(staff_records::components());
    let plain = plain_records::components();
    let plain = plain.into_iter().chain(changes::schemas());
    schemas.extend(plain.map(|(name, schema)| (name.to_owned(), schema)));
    for (name, schema) in &mut schemas {
        schema["title"] = json!(name);
    }
    schemas
}

fn headers() -> Value {
    json!({
        "ETag": { "description": "Weak tag of the answer, for `If-None-Match`.", "schema": { "type": "string" } },
        "Content-Version": { "description": "Level of the API that answered.", "schema": { "type": "string" } },
        "Location": { "description": "Path and query with the slash.", "schema": { "type": "string" } },
    })
}

fn responses() -> Map<String, Value> {
    let errors = ERRORS.iter().map(|(kind, about)| {
        let answer = json!({
            "description": about,
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Errors" } } },
        });
        (error::type_name(*kind).to_owned(), answer)
    });
    let others = [
        (
            "NotModified".to_owned(),
            json!({
                "description": "`If-None-Match` names the tag of the answer: it is what the client has.",
                "headers": { "ETag": { "$ref": "#/components/headers/ETag" } },
            }),
        ),
        (
            ADDRESS_TOO_LONG.1.to_owned(),
            json!({
                "description": "The address, with its query, is longer than this server takes.",
                "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Errors" } } },
            }),
        ),
        (
            "MovedPermanently".to_owned(),
            json!({
                "description": "The path lacks its last slash.",
                "headers": { "Location": { "$ref": "#/components/headers/Location" } },
            }),
        ),
    ];
    errors.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_route_is_described() {
        let described = paths()
            .values()
            .map(|path| path.as_object().map_or(0, Map::len))
            .sum::<usize>();
        let is_api = |route: &&Route| !matches!(route.endpoint, Endpoint::Document);
        assert_eq!(described, ROUTES.iter().filter(is_api).count());
    }

    /// Calls `check` with each object of the document.
    fn each_object(part: &Value, check: &mut impl FnMut(&Map<String, Value>)) {
        match part {
            Value::Object(fields) => {
                check(fields);
                fields.values().for_each(|value| each_object(value, check));
            }
            Value::Array(items) => items.iter().for_each(|item| each_object(item, check)),
            _ => {}
        }
    }

    #[test]
    fn every_array_says_what_its_items_are() {
        let mut arrays = 0;
        each_object(&document(), &mut |schema| {
            let is_array = match schema.get("type") {
                Some(Value::Array(types)) => types.contains(&json!("array")),
                Some(kind) => kind == "array",
                None => false,
            };
            if is_array {
                assert!(schema.contains_key("items"), "{schema:?}");
                arrays += 1;
            }
        });
        assert!(arrays > 100, "{arrays}");
    }

    /// Generators make names of classes of both, in which neither case nor underscores tell them apart.
    #[test]
    fn titles_of_schemas_and_names_of_operations_are_unique() {
        let mut names = BTreeSet::new();
        each_object(&document(), &mut |part| {
            for name in ["title", "operationId"] {
                if let Some(Value::String(name)) = part.get(name) {
                    let plain = name.to_lowercase().replace('_', "");
                    assert!(names.insert(plain), "{name} is there twice");
                }
            }
        });
        assert!(names.len() > 200, "{}", names.len());
    }

    /// Generators name a schema without a title after the place where it stands, and two in one `anyOf` have one place.
    #[test]
    fn objects_in_alternatives_are_schemas_with_names() {
        each_object(&document(), &mut |schema| {
            for alternatives in ["anyOf", "oneOf"] {
                let alternatives = schema.get(alternatives).and_then(Value::as_array);
                let inline = alternatives.into_iter().flatten();
                let inline = inline.filter(|one| one.get("properties").is_some());
                assert!(inline.count() <= 1, "{schema:?}");
            }
        });
    }

    #[test]
    fn every_reference_leads_somewhere() {
        fn check(document: &Value, part: &Value) {
            match part {
                Value::Object(fields) => {
                    if let Some(Value::String(reference)) = fields.get("$ref") {
                        let pointer = reference.trim_start_matches('#');
                        assert!(document.pointer(pointer).is_some(), "{reference}");
                    }
                    fields.values().for_each(|value| check(document, value));
                }
                Value::Array(items) => items.iter().for_each(|item| check(document, item)),
                _ => {}
            }
        }
        let document = document();
        check(&document, &document);
    }
}
