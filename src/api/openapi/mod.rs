//! The OpenAPI 3.1 document of the API, generated from the routes and the tables of fields and
//! settings.
//!
//! `schema/openapi.json` is this document, and a test compares both it and real responses with it.
//! `served` serves it to clients, with the site's URL. Descriptions that the tables do not have are
//! written here: the meaning of parameters, and the envelopes of records.

mod admin;
mod changes;
mod email_records;
mod membership;
mod named_operations;
mod operations;
mod parameters;
mod plain_records;
mod records;
mod requests;
pub mod served;
mod staff_records;
mod theme_records;
mod unsupported_features;

use serde_json::{Map, Value, json};

use super::{
    error,
    headers::API_VERSION_NUMBER,
    router::{Endpoint, Route},
    routes::ROUTES,
};
use crate::error::Kind;

/// Errors with a response component of their own.
const ERRORS: &[(Kind, &str)] = &[
    (
        Kind::BadRequest,
        "The filter does not parse or names an unknown field, the query has a malformed percent sequence, there is more than one key, or the response would have more than 64 MiB of posts.",
    ),
    (Kind::Unauthorized, "The key is invalid."),
    (Kind::NoPermission, "There is no key."),
    (
        Kind::NotFound,
        "There is no such record, or it is not public. Also the response for an unknown endpoint.",
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
        "The body is longer than this server accepts, also after decoding: JSON may take 4 MiB of memory and six bytes for each of its own.",
    ),
    (
        Kind::UnsupportedMediaType,
        "The body, or a file in it, has an unsupported type.",
    ),
    (
        Kind::TooManyRequests,
        "Too many wrong keys, passwords or codes from this IP address. The context says when to retry.",
    ),
    (
        Kind::Maintenance,
        "Too many images are being processed, long bodies use all their memory, or too many clients wait for changes: `Retry-After` says when to retry.",
    ),
];

/// The status and the response component for a query that makes the URL too long.
const URL_TOO_LONG: (&str, &str) = ("414", "AddressTooLong");

const ABOUT: &str = "Reads the published content of a site. Responses follow Ghost's Content API.\n\n\
    Every response has the version of the API in `Content-Version`. A URL without a trailing slash gets a 301 \
    redirect. An unknown endpoint gets 404, or 406 if `Accept-Version` \
    names another major version. A body of more than 1 KiB is compressed if `Accept-Encoding` allows it.";

/// Returns the document, whose server is a template: any site with any prefix.
pub fn document() -> Value {
    document_with(&json!([{
        "url": "{site}/{prefix}/api",
        "variables": {
            "site": { "default": "http://127.0.0.1:2368", "description": "The site's URL." },
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
            { "name": "Content API", "description": "Published content, for clients with a key." },
            { "name": "Site", "description": "The description of the site, without a key." },
        ],
        "paths": paths(),
        "components": {
            "securitySchemes": { "contentKey": {
                "type": "apiKey",
                "in": "query",
                "name": "key",
                "description": "A Content API key: 26 hexadecimal digits. It is not secret. `galley key list` lists the keys.",
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
        Endpoint::Content(_) | Endpoint::ChangeFeed(_) | Endpoint::Open(_) => {
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

/// Returns the response for a query that makes the URL too long.
fn url_too_long() -> Value {
    json!({ "$ref": format!("#/components/responses/{}", URL_TOO_LONG.1) })
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
        "ETag": { "description": "Weak tag of the response, for `If-None-Match`.", "schema": { "type": "string" } },
        "Content-Version": { "description": "Version of the API.", "schema": { "type": "string" } },
        "Location": { "description": "Path and query with a trailing slash.", "schema": { "type": "string" } },
    })
}

fn responses() -> Map<String, Value> {
    let errors = ERRORS.iter().map(|(kind, about)| {
        let response = json!({
            "description": about,
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Errors" } } },
        });
        (error::type_name(*kind).to_owned(), response)
    });
    let others = [
        (
            "NotModified".to_owned(),
            json!({
                "description": "`If-None-Match` matches the tag of the response: the client's copy is current.",
                "headers": { "ETag": { "$ref": "#/components/headers/ETag" } },
            }),
        ),
        (
            URL_TOO_LONG.1.to_owned(),
            json!({
                "description": "The URL, with its query, is longer than this server accepts.",
                "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Errors" } } },
            }),
        ),
        (
            "MovedPermanently".to_owned(),
            json!({
                "description": "The path lacks its trailing slash.",
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
    fn every_array_has_an_items_schema() {
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

    /// Code generators derive class names from both, ignoring case and underscores.
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

    /// Code generators name a schema without a title after its position, and two in one `anyOf`
    /// have the same position.
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
    fn every_reference_resolves() {
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
