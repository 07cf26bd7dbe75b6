//! The operations of the Admin API: parameters, request bodies and responses of each route.
//!
//! Most follow from method and path: the plural noun is the tag and the envelope, and the verbs are
//! browse, read, add, edit, delete. The others are listed in [`NAMED_OPERATIONS`].

use http::Method;
use serde_json::{Map, Value, json};

use super::{
    URL_TOO_LONG,
    membership::{self, MEMBERSHIP},
    named_operations::{NAMED_OPERATIONS, NamedOperation, ResponseContent},
    parameters, records, requests, staff_records,
    unsupported_features::{self, UNSUPPORTED},
    url_too_long,
};
use crate::{
    api::{
        error,
        router::{Endpoint, Route},
    },
    error::Kind,
};

/// The errors of every endpoint of the Admin API.
const ERRORS: &[Kind] = &[
    Kind::BadRequest,
    Kind::Unauthorized,
    Kind::NoPermission,
    Kind::NotFound,
    Kind::Validation,
];

/// Further errors of changes.
const ERRORS_OF_CHANGES: &[Kind] = &[
    Kind::UpdateCollision,
    Kind::RequestEntityTooLarge,
    Kind::UnsupportedMediaType,
];

/// Operations that respond with 200 if there was nothing to do, and otherwise with their own
/// status.
const WITH_STATUS_200: &[(&str, &str)] = &[
    ("POST", "admin/notifications/"),
    ("POST", "admin/git/push/"),
];

/// The authenticated operation that also limits guesses.
const LIMITED_PATH: &str = "admin/users/password/";

/// The operation whose rejection is a line of text, as its success is (Ghost 6.65, recorded).
const REJECTED_IN_TEXT: &str = "admin/session/verify/";

/// Returns the OpenAPI path of a route, its method in lower case, and its operation.
pub fn of(route: &Route) -> (String, String, Value) {
    let (path, variables) = path_of(route.path);
    let segments: Vec<&str> = route.path.trim_matches('/').split('/').skip(1).collect();
    let resource = segments.first().copied().unwrap_or_default();
    let operation = NAMED_OPERATIONS
        .iter()
        .chain(MEMBERSHIP)
        .chain(UNSUPPORTED)
        .find(|operation| operation.method == route.method && operation.path == route.path);
    let verb = Verb::of(&route.method, &segments);
    let mut parameters: Vec<Value> = variables
        .iter()
        .map(|name| parameter_in_path(name))
        .collect();
    if route.path == "admin/oembed/" {
        parameters.extend(parameters::of_oembed());
    } else if verb == Verb::Browse && route.path != "admin/incoming_recommendations/" {
        parameters.extend(parameters::of_lists());
    }
    parameters.extend(parameters::of_staff(&route.method, &segments));
    parameters.extend(membership::parameters(&route.method, route.path));
    parameters.extend(unsupported_features::parameters(route.path));
    let mut operation = json!({
        "operationId": operation.map_or_else(|| verb.name(&segments), |operation| operation.name.to_owned()),
        "summary": operation.map_or_else(|| verb.summary(&segments), |operation| operation.summary.to_owned()),
        "tags": [capitalised(resource)],
        "parameters": parameters,
        "responses": responses(route, operation, verb, resource),
    });
    if let Some(body) = requests::of(&route.method, route.path) {
        operation["requestBody"] = body;
    }
    operation["security"] = match route.endpoint {
        Endpoint::Admin(..) => json!([{ "token": [] }, { "session": [] }]),
        Endpoint::Entrance(_)
        | Endpoint::Open(_)
        | Endpoint::Content(_)
        | Endpoint::ChangeFeed(_)
        | Endpoint::Document => {
            json!([])
        }
    };
    (path, route.method.as_str().to_lowercase(), operation)
}

/// The action on a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Browse,
    Read,
    Add,
    Edit,
    Delete,
}

impl Verb {
    fn of(method: &Method, segments: &[&str]) -> Self {
        let is_of_one = segments.last() == Some(&"{}") || segments.len() > 1;
        match *method {
            Method::GET if is_of_one => Self::Read,
            Method::GET => Self::Browse,
            Method::POST => Self::Add,
            Method::PUT => Self::Edit,
            _ => Self::Delete,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Browse => "browse",
            Self::Read => "read",
            Self::Add => "add",
            Self::Edit => "edit",
            Self::Delete => "delete",
        }
    }

    /// Returns names such as `adminBrowsePosts`, `adminReadPostsBySlug`.
    fn name(self, segments: &[&str]) -> String {
        let words: String = segments
            .iter()
            .filter(|segment| **segment != "{}")
            .flat_map(|segment| segment.split(['-', '_']))
            .map(capitalised)
            .collect();
        let which = match segments {
            [.., "{}"] if segments.len() == 2 => "ById",
            _ => "",
        };
        format!("admin{}{words}{which}", capitalised(self.word()))
    }

    fn summary(self, segments: &[&str]) -> String {
        let noun = segments
            .first()
            .copied()
            .unwrap_or_default()
            .replace('_', " ");
        match self {
            Self::Browse => format!("Browse {noun}"),
            Self::Read => format!("Read one of the {noun}"),
            Self::Add => format!("Add to the {noun}"),
            Self::Edit => format!("Edit one of the {noun}"),
            Self::Delete => format!("Delete from the {noun}"),
        }
    }
}

/// Returns the path with named variables, and their names.
fn path_of(route: &str) -> (String, Vec<&'static str>) {
    let mut path = String::new();
    let mut names = Vec::new();
    let mut before = "";
    for segment in route.trim_end_matches('/').split('/') {
        path.push('/');
        match segment {
            "{}" => {
                let name = match before {
                    "slug" => "slug",
                    "email" => "email",
                    "slugs" => "resource",
                    "api_key" => "key_id",
                    "themes" => "name",
                    "deliveries" => "number",
                    "metafields" => "namespace",
                    "subscriptions" => "subscription_id",
                    _ if names.contains(&"namespace") => "key",
                    _ if names.contains(&"resource") && names.len() == 1 => "name",
                    _ => "id",
                };
                names.push(name);
                path.push_str(&format!("{{{name}}}"));
            }
            literal => path.push_str(literal),
        }
        before = segment;
    }
    path.push('/');
    (path, names)
}

fn parameter_in_path(name: &str) -> Value {
    json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })
}

fn responses(
    route: &Route,
    operation: Option<&NamedOperation>,
    verb: Verb,
    resource: &str,
) -> Value {
    let (status, body) = match operation {
        Some(operation) => (operation.status, content(operation.content, Verb::Read)),
        None => match verb {
            Verb::Browse | Verb::Read | Verb::Edit => (200, envelope(resource, verb)),
            Verb::Add => (201, envelope(resource, verb)),
            Verb::Delete => (204, Value::Null),
        },
    };
    let mut success = json!({ "description": "Success." });
    if !body.is_null() {
        success["content"] = body;
    }
    let mut responses: Map<String, Value> = Map::new();
    if WITH_STATUS_200.contains(&(route.method.as_str(), route.path)) {
        responses.insert("200".to_owned(), success.clone());
    }
    responses.insert(status.to_string(), success);
    let of_changes = match route.method {
        Method::GET => &[],
        _ => ERRORS_OF_CHANGES,
    };
    let mut insert = |kind: Kind| {
        let reference = format!("#/components/responses/{}", error::type_name(kind));
        responses.insert(
            error::status(kind).as_str().to_owned(),
            json!({ "$ref": reference }),
        );
    };
    ERRORS
        .iter()
        .chain(of_changes)
        .copied()
        .for_each(&mut insert);
    let takes_memory = ["images", "media", "posts", "pages", "snippets", "db"];
    if takes_memory.contains(&resource) || route.path == "admin/git/sync/" {
        insert(Kind::Maintenance);
    }
    if matches!(route.endpoint, Endpoint::Entrance(_)) || route.path == LIMITED_PATH {
        insert(Kind::TooManyRequests);
    }
    if route.path == REJECTED_IN_TEXT {
        let mut content = of_json(json!({ "$ref": "#/components/schemas/Errors" }));
        content["text/plain"] = json!({ "schema": { "type": "string" } });
        responses.insert(
            error::status(Kind::Unauthorized).as_str().to_owned(),
            json!({ "description": "The code is incorrect.", "content": content }),
        );
    }
    if route.method == Method::GET {
        responses.insert(
            "301".to_owned(),
            json!({ "$ref": "#/components/responses/MovedPermanently" }),
        );
        responses.insert(URL_TOO_LONG.0.to_owned(), url_too_long());
    }
    Value::Object(responses)
}

/// Returns the content of a response; null if it is empty.
fn content(content: ResponseContent, verb: Verb) -> Value {
    match content {
        ResponseContent::Envelope(name) => envelope(name, verb),
        ResponseContent::Object(name) => {
            let properties: Map<String, Value> = [(name.to_owned(), json!({ "type": "object" }))]
                .into_iter()
                .collect();
            of_json(json!({ "type": "object", "properties": properties, "required": [name] }))
        }
        ResponseContent::Record(name) => of_json(records::reference(name)),
        ResponseContent::Other(kind) => {
            // YAML may contain anything.
            let schema = if kind.ends_with("yaml") {
                json!({})
            } else {
                json!({ "type": "string" })
            };
            let bodies: Map<String, Value> = [(kind.to_owned(), json!({ "schema": schema }))]
                .into_iter()
                .collect();
            Value::Object(bodies)
        }
        ResponseContent::Acknowledged => of_json(json!({ "type": "object", "maxProperties": 0 })),
        ResponseContent::Nothing => Value::Null,
    }
}

/// Returns the schema of a list of records under their plural noun.
fn envelope(resource: &str, verb: Verb) -> Value {
    let record = staff_records::schema_name(resource).map_or_else(
        || json!({ "type": "object" }),
        |name| json!({ "$ref": format!("#/components/schemas/{name}") }),
    );
    let mut properties = Map::new();
    properties.insert(
        resource.to_owned(),
        json!({ "type": "array", "items": record }),
    );
    if verb == Verb::Browse {
        properties.insert("meta".to_owned(), json!({ "type": "object" }));
    }
    of_json(json!({ "type": "object", "properties": properties, "required": [resource] }))
}

fn of_json(schema: Value) -> Value {
    json!({ "application/json": { "schema": schema } })
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    format!("{}{rest}", first.to_uppercase())
}
