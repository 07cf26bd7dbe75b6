//! The operation of each route.

use serde_json::{Map, Value, json};

use super::{
    bodies::{self, content},
    parameters::parameter,
};
use crate::{
    api::{
        error,
        routes::{
            parameters::{ID, KEY, SLUG},
            route::{Endpoint, Input, Output, Route},
            shape::reference,
        },
    },
    error::Kind,
};

/// The status and the response component for a query that makes the URL too long.
pub(super) const URL_TOO_LONG: (&str, &str) = ("414", "AddressTooLong");

/// The errors of every endpoint that requires a key or a session.
const ERRORS: &[Kind] = &[
    Kind::BadRequest,
    Kind::Unauthorized,
    Kind::NoPermission,
    Kind::NotFound,
    Kind::Validation,
];

/// Further errors of the Content API. `NotAcceptable` is not among them, because the Content API accepts
/// every requested version.
const ERRORS_OF_CONTENT: &[Kind] = &[Kind::TooManyRequests, Kind::Maintenance];

/// Further errors of changes.
const ERRORS_OF_CHANGES: &[Kind] = &[
    Kind::UpdateCollision,
    Kind::RequestEntityTooLarge,
    Kind::UnsupportedMediaType,
];

/// Returns the operation of a route; `None` for the document itself.
pub fn operation(route: &Route) -> Option<Value> {
    let security = match route.endpoint {
        Endpoint::Content(_) | Endpoint::ChangeFeed(_) => None,
        Endpoint::Admin(..) => Some(json!([{ "token": [] }, { "session": [] }])),
        Endpoint::Unauthenticated(_) | Endpoint::Open(_) => Some(json!([])),
        Endpoint::Document => return None,
    };
    let mut operation = json!({
        "operationId": route.operation_id,
        "summary": route.summary,
        "tags": [tag(route)],
        "parameters": parameters(route),
        "responses": responses(route),
    });
    if let Some(body) = bodies::request(route) {
        operation["requestBody"] = body;
    }
    if let Some(security) = security {
        operation["security"] = security;
    }
    Some(operation)
}

/// Returns the group in which tools list an operation: the Content API, or the resource of the Admin
/// API.
fn tag(route: &Route) -> String {
    if is_of_content(route) {
        return "Content API".to_owned();
    }
    let resource = route.path.split('/').nth(1).unwrap_or_default();
    let (first, rest) = resource.split_at(resource.len().min(1));
    format!("{}{rest}", first.to_uppercase())
}

fn is_of_content(route: &Route) -> bool {
    matches!(
        route.endpoint,
        Endpoint::Content(_) | Endpoint::ChangeFeed(_)
    )
}

fn parameters(route: &Route) -> Vec<Value> {
    let is_of_content = is_of_content(route);
    let variables = route.path.split('/').filter_map(|segment| {
        let name = segment.strip_prefix('{')?.strip_suffix('}')?;
        Some(match name {
            "id" if is_of_content => parameter(&ID),
            "slug" if is_of_content => parameter(&SLUG),
            _ => json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }),
        })
    });
    let rest = route.parameters.iter().copied().flatten().map(parameter);
    let key = is_of_content.then(|| parameter(&KEY));
    variables.chain(rest).chain(key).collect()
}

fn responses(route: &Route) -> Value {
    let (shared, of_content, has_tag) = match route.endpoint {
        // These endpoints require no key, and can fail only because of a malformed request.
        Endpoint::Open(_) => (&[Kind::BadRequest][..], &[][..], true),
        Endpoint::Content(_) | Endpoint::ChangeFeed(_) => (ERRORS, ERRORS_OF_CONTENT, true),
        _ => (ERRORS, &[][..], false),
    };
    let is_read = route.method == http::Method::GET;
    let of_changes = if is_read { &[] } else { ERRORS_OF_CHANGES };
    let of_guesses = match route.endpoint {
        Endpoint::Unauthenticated(_) => &[Kind::TooManyRequests][..],
        _ => &[],
    };
    let mut responses = Map::new();
    for status in route.statuses {
        responses.insert(status.to_string(), success(route, has_tag));
    }
    let all = [shared, of_content, of_changes, route.errors, of_guesses];
    // If several kinds have the same status, the last one describes it.
    for kind in all.into_iter().flatten() {
        let response = of_components(error::type_name(*kind));
        responses.insert(error::status(*kind).as_str().to_owned(), response);
    }
    if let Output::Line = route.output {
        let status = error::status(Kind::Unauthorized).as_str().to_owned();
        responses.insert(status, rejection_in_text());
    }
    let may_be_too_long = is_read && !matches!(route.endpoint, Endpoint::Open(_));
    for (is_possible, status, name) in [
        (is_read, "301", "MovedPermanently"),
        (has_tag, "304", "NotModified"),
        (may_be_too_long, URL_TOO_LONG.0, URL_TOO_LONG.1),
    ] {
        if is_possible {
            responses.insert(status.to_owned(), of_components(name));
        }
    }
    Value::Object(responses)
}

fn success(route: &Route, has_tag: bool) -> Value {
    let mut success = json!({ "description": "Success." });
    if has_tag {
        success["headers"] = json!({
            "ETag": { "$ref": "#/components/headers/ETag" },
            "Content-Version": { "$ref": "#/components/headers/Content-Version" },
        });
    }
    if !matches!(route.input, Input::NoBody) {
        success["headers"]["Galley-Ignored-Fields"] =
            json!({ "$ref": "#/components/headers/Galley-Ignored-Fields" });
    }
    if let Some(content) = bodies::response(route) {
        success["content"] = content;
    }
    success
}

fn rejection_in_text() -> Value {
    let mut content = content("application/json", reference("Errors"));
    content["text/plain"] = json!({ "schema": { "type": "string" } });
    json!({ "description": "The code is incorrect.", "content": content })
}

fn of_components(name: &str) -> Value {
    json!({ "$ref": format!("#/components/responses/{name}") })
}
