//! What each route takes and answers.

use serde_json::{Value, json};

use super::{ADDRESS_TOO_LONG, ERRORS, address_too_long, changes, parameters, records};
use crate::{api::error, error::Kind};

/// The path of a route as OpenAPI writes it, and what it does; `None` for a route that is not described here.
pub fn of(route: &str) -> Option<(String, Value)> {
    let segments: Vec<&str> = route.trim_end_matches('/').split('/').collect();
    let (variable, mut operation) = match segments[..] {
        ["content", "settings"] => (
            "",
            operation("Settings", "Read the site's settings", vec![]),
        ),
        ["content", "search-index", resource] => {
            let summary = format!("Read what can be searched of {resource}");
            let answer = format!("SearchIndexOf{}", capitalised(resource));
            ("", operation(&answer, &summary, vec![]))
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
            operation("Site", "Read what the site tells everybody", vec![]),
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

/// `browsePosts`, `readPostsBySlug`, `readSearchIndexTags`.
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
    let answer = format!("PageOf{}", capitalised(resource));
    of_records(&answer, &format!("Browse {resource}"), parameters)
}

fn read(resource: &str, variable: &str) -> Value {
    let mut parameters = vec![parameters::reference(variable)];
    parameters.extend(parameters::of_records(resource));
    if resource == "tags" {
        parameters.push(parameters::reference("visibility"));
    }
    let summary = format!("Read one of the {resource} by its {variable}");
    let answer = format!("Single{}", capitalised(resource));
    of_records(&answer, &summary, parameters)
}

/// An operation of which `fields` may leave any part: the first schema holds where it is not given.
fn of_records(answer: &str, summary: &str, parameters: Vec<Value>) -> Value {
    let mut operation = operation(answer, summary, parameters);
    let partial = format!("{}{answer}", records::PARTIAL);
    let schema = &mut operation["responses"]["200"]["content"]["application/json"]["schema"];
    *schema = json!({
        "description": "Without `fields` the first of these, with it the second.",
        "anyOf": [records::reference(answer), records::reference(&partial)],
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

fn operation(answer: &str, summary: &str, parameters: Vec<Value>) -> Value {
    let mut responses = json!({
        "200": {
            "description": "What was asked for.",
            "headers": {
                "ETag": { "$ref": "#/components/headers/ETag" },
                "Content-Version": { "$ref": "#/components/headers/Content-Version" },
            },
            "content": { "application/json": {
                "schema": { "$ref": format!("#/components/schemas/{answer}") },
            }},
        },
        "301": { "$ref": "#/components/responses/MovedPermanently" },
        "304": { "$ref": "#/components/responses/NotModified" },
    });
    // An endpoint that exists answers whatever version is asked for.
    let is_answered = |kind: Kind| {
        !matches!(
            kind,
            Kind::NotAcceptable
                | Kind::UpdateCollision
                | Kind::RequestEntityTooLarge
                | Kind::UnsupportedMediaType
        )
    };
    for (kind, _) in ERRORS.iter().filter(|(kind, _)| is_answered(*kind)) {
        let reference = format!("#/components/responses/{}", error::type_name(*kind));
        responses[error::status(*kind).as_str()] = json!({ "$ref": reference });
    }
    responses[ADDRESS_TOO_LONG.0] = address_too_long();
    json!({ "summary": summary, "parameters": parameters, "responses": responses })
}

/// What is answered where no key is asked for and nothing can be wrong.
fn without_key(responses: &Value) -> Value {
    let kept = ["200", "301", "304", "400"];
    let kept = kept.map(|status| (status.to_owned(), responses[status].clone()));
    Value::Object(kept.into_iter().collect())
}
