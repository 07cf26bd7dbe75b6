//! The document as a whole, and the errors that operations share.

use serde_json::{Map, Value, json};

use super::{
    bodies,
    operations::{self, URL_TOO_LONG},
    parameters, schemas,
};
use crate::{
    api::{
        error,
        headers::API_VERSION_NUMBER,
        routes::{self, parameters::SHARED, shape::reference},
    },
    error::Kind,
};

/// Errors with a separate response component.
#[rustfmt::skip]
const ERRORS: &[(Kind, &str)] = &[
    (Kind::BadRequest, "The filter does not parse or names an unknown field, the query has a malformed percent sequence, there is more than one key, or the response would have more than 64 MiB of posts."),
    (Kind::Unauthorized, "The key is invalid."),
    (Kind::NoPermission, "There is no key."),
    (Kind::NotFound, "There is no such record, or it is not public. Also the response for an unknown endpoint."),
    (Kind::NotAcceptable, "There is no such endpoint, and `Accept-Version` names another major version, which may have it."),
    (Kind::Validation, "`limit`, `page`, `order`, `formats`, an identifier or a slug is malformed, or the filter compares a time with a value that is not a date."),
    (Kind::UpdateCollision, "The record was changed in the meantime: read it again."),
    (Kind::RequestEntityTooLarge, "The body is longer than this server accepts, also after decoding: JSON may take 4 MiB of memory plus six bytes for each byte of it."),
    (Kind::UnsupportedMediaType, "The body, or a file in it, has an unsupported type."),
    (Kind::TooManyRequests, "Too many wrong keys, passwords or codes from this IP address. The context says when to retry."),
    (Kind::Maintenance, "Too many images are being processed, long bodies use all their memory, or too many clients wait for changes: `Retry-After` says when to retry."),
];

const ABOUT: &str = "Reads the published content of a site. Responses follow Ghost's Content API.\n\n\
    Every response has the version of the API in `Content-Version`. A URL without a trailing slash gets a 301 \
    redirect. An unknown endpoint gets 404, or 406 if `Accept-Version` \
    names another major version. A body of more than 1 KiB is compressed if `Accept-Encoding` allows it.";

/// Returns the document with a template as its server, which matches any site with any prefix.
pub fn document() -> Value {
    document_with(&json!([{
        "url": "{site}/{prefix}/api",
        "variables": {
            "site": { "default": "http://127.0.0.1:2368", "description": "The site's URL." },
            "prefix": { "default": "ghost", "description": "The option `path_prefix`." },
        },
    }]))
}

pub(super) fn document_with(servers: &Value) -> Value {
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
            "parameters": parameters::shared(SHARED),
            "headers": headers(),
            "responses": responses(),
            "schemas": schemas::components(),
        },
    })
}

fn paths() -> Map<String, Value> {
    let mut paths = Map::new();
    for route in routes::all() {
        if let Some(operation) = operations::operation(route) {
            let path = paths.entry(format!("/{}", route.path));
            let method = route.method.as_str().to_lowercase();
            path.or_insert_with(|| json!({}))[method] = operation;
        }
    }
    paths
}

fn headers() -> Value {
    json!({
        "ETag": { "description": "Weak tag of the response, for `If-None-Match`.", "schema": { "type": "string" } },
        "Content-Version": { "description": "Version of the API.", "schema": { "type": "string" } },
        "Galley-Ignored-Fields": { "description": "Fields of the request that were ignored, separated by commas; absent if everything was stored.", "schema": { "type": "string" } },
        "Location": { "description": "Path and query with a trailing slash.", "schema": { "type": "string" } },
    })
}

fn responses() -> Map<String, Value> {
    let failed = |about: &str| {
        let content = bodies::content("application/json", reference("Errors"));
        json!({ "description": about, "content": content })
    };
    let with_header = |about: &str, name: &str| {
        let header = json!({ "$ref": format!("#/components/headers/{name}") });
        json!({ "description": about, "headers": { name: header } })
    };
    let not_modified =
        "`If-None-Match` matches the tag of the response: the client's copy is current.";
    let too_long = "The URL, with its query, is longer than this server accepts.";
    let moved = "The path lacks its trailing slash.";
    let errors = ERRORS
        .iter()
        .map(|(kind, about)| (error::type_name(*kind), failed(about)));
    errors
        .chain([
            ("NotModified", with_header(not_modified, "ETag")),
            (URL_TOO_LONG.1, failed(too_long)),
            ("MovedPermanently", with_header(moved, "Location")),
        ])
        .map(|(name, response)| (name.to_owned(), response))
        .collect()
}
