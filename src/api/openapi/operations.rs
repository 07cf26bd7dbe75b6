//! The operations of the Content API: parameters and responses of each route.

use serde_json::{Value, json};

use super::{ERRORS, URL_TOO_LONG, changes, parameters, records, url_too_long};
use crate::{api::error, error::Kind};

/// Returns the OpenAPI path of a route and its operation; `None` for a route that is not described
/// here.
pub fn of(route: &str) -> Option<(String, Value)> {
    let segments: Vec<&str> = route.trim_end_matches('/').split('/').collect();
    let (variable, mut operation) = match segments[..] {
        ["content", "settings"] => (
            "",
            operation("Settings", "Read the site's settings", vec![]),
        ),
        ["content", "search-index", resource] => {
            let summary = format!("Read the search index of {resource}");
            let schema_name = format!("SearchIndexOf{}", capitalised(resource));
            ("", operation(&schema_name, &summary, vec![]))
        }
        ["content", "offers", "{}"] => ("id", offer()),
        ["content", "changes"] => {
            let summary = "Read what was published, changed or removed";
            let operation = operation("Changes", summary, changes::parameters());
            ("", changes::with_events(operation))
        }
        ["content", resource] => ("", browse(resource)),
        ["content", resource, "{}"] => ("id", read(resource, "id")),
        ["content", resource, "slug", "{}"] => ("slug", read(resource, "slug")),
        ["admin", "site"] => (
            "",
            operation("Site", "Read the public description of the site", vec![]),
        ),
        _ => return None,
    };
    if segments[0] == "content"
        && let Some(parameters) = operation["parameters"].as_array_mut()
    {
        parameters.push(parameters::of_content());
    }
    operation["operationId"] = json!(name(&segments, variable));
    operation["tags"] = json!([if segments[0] == "admin" {
        "Site"
    } else {
        "Content API"
    }]);
    if segments[0] == "admin" {
        operation["responses"] = without_key(&operation["responses"]);
    }
    Some((
        format!("/{}", route.replace("{}", &format!("{{{variable}}}"))),
        operation,
    ))
}

/// Returns names such as `browsePosts`, `readPostsBySlug`, `readSearchIndexTags`.
fn name(segments: &[&str], variable: &str) -> String {
    let is_single =
        matches!(segments[1], "settings" | "search-index" | "site") || !variable.is_empty();
    let verb = if is_single { "read" } else { "browse" };
    let words = segments[1..]
        .iter()
        .filter(|word| !matches!(**word, "{}" | "slug"));
    let noun: String = words
        .flat_map(|word| word.split('-'))
        .map(capitalised)
        .collect();
    match variable {
        "" => format!("{verb}{noun}"),
        variable => format!("{verb}{noun}By{}", capitalised(variable)),
    }
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    format!("{}{rest}", first.to_uppercase())
}

fn browse(resource: &str) -> Value {
    let mut parameters = parameters::of_lists();
    parameters.extend(parameters::of_records(resource));
    let schema_name = format!("PageOf{}", capitalised(resource));
    of_records(&schema_name, &format!("Browse {resource}"), parameters)
}

fn read(resource: &str, variable: &str) -> Value {
    let mut parameters = vec![parameters::reference(variable)];
    parameters.extend(parameters::of_records(resource));
    if resource == "tags" {
        parameters.push(parameters::reference("visibility"));
    }
    let summary = format!("Read one of the {resource} by its {variable}");
    let schema_name = format!("Single{}", capitalised(resource));
    of_records(&schema_name, &summary, parameters)
}

/// Returns an operation whose response `fields` may restrict: without `fields` the first schema
/// holds.
fn of_records(schema_name: &str, summary: &str, parameters: Vec<Value>) -> Value {
    let mut operation = operation(schema_name, summary, parameters);
    let partial = format!("{}{schema_name}", records::PARTIAL);
    let schema = &mut operation["responses"]["200"]["content"]["application/json"]["schema"];
    *schema = json!({
        "description": "Without `fields` the first of these, with it the second.",
        "anyOf": [records::reference(schema_name), records::reference(&partial)],
    });
    operation
}

fn offer() -> Value {
    operation(
        "SingleOffers",
        "Read an offer",
        vec![parameters::reference("id")],
    )
}

fn operation(schema_name: &str, summary: &str, parameters: Vec<Value>) -> Value {
    let mut responses = json!({
        "200": {
            "description": "Success.",
            "headers": {
                "ETag": { "$ref": "#/components/headers/ETag" },
                "Content-Version": { "$ref": "#/components/headers/Content-Version" },
            },
            "content": { "application/json": {
                "schema": { "$ref": format!("#/components/schemas/{schema_name}") },
            }},
        },
        "301": { "$ref": "#/components/responses/MovedPermanently" },
        "304": { "$ref": "#/components/responses/NotModified" },
    });
    // An existing endpoint responds whatever version is requested.
    let is_possible = |kind: Kind| {
        !matches!(
            kind,
            Kind::NotAcceptable
                | Kind::UpdateCollision
                | Kind::RequestEntityTooLarge
                | Kind::UnsupportedMediaType
        )
    };
    for (kind, _) in ERRORS.iter().filter(|(kind, _)| is_possible(*kind)) {
        let reference = format!("#/components/responses/{}", error::type_name(*kind));
        responses[error::status(*kind).as_str()] = json!({ "$ref": reference });
    }
    responses[URL_TOO_LONG.0] = url_too_long();
    json!({ "summary": summary, "parameters": parameters, "responses": responses })
}

/// Returns the responses of an endpoint that needs no key and cannot fail.
fn without_key(responses: &Value) -> Value {
    let statuses = ["200", "301", "304", "400"];
    let responses = statuses.map(|status| (status.to_owned(), responses[status].clone()));
    Value::Object(responses.into_iter().collect())
}
