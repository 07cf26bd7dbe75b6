//! The OpenAPI objects of parameters.

use serde_json::{Map, Value, json};

use crate::api::routes::parameters::{Parameter, ParameterLocation};

/// Returns the parameter as listed in an operation: a reference if it is shared.
pub fn parameter(parameter: &Parameter) -> Value {
    match parameter.key {
        Some(key) => json!({ "$ref": format!("#/components/parameters/{key}") }),
        None => described(parameter),
    }
}

/// Returns the shared parameters of `table`.
pub fn shared(table: &[Parameter]) -> Map<String, Value> {
    let keyed = |parameter: &Parameter| Some((parameter.key?.to_owned(), described(parameter)));
    table.iter().filter_map(keyed).collect()
}

fn described(parameter: &Parameter) -> Value {
    let location = match parameter.location {
        ParameterLocation::Query | ParameterLocation::QueryList => "query",
        ParameterLocation::Path => "path",
        ParameterLocation::Header => "header",
    };
    let mut object = json!({ "name": parameter.name, "in": location });
    if parameter.required {
        object["required"] = json!(true);
    }
    let mut about = parameter.about.to_owned();
    for number in parameter.numbers {
        about = about.replacen("{}", &number.to_string(), 1);
    }
    object["description"] = json!(about);
    object["schema"] = parameter.shape.schema();
    if parameter.location == ParameterLocation::QueryList {
        object["style"] = json!("form");
        object["explode"] = json!(false);
    }
    object
}
