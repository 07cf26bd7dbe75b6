//! The JSON Schema (draft 2020-12) of `galley.toml`, generated from the table of options.

use serde_json::{Value, json};

use super::{
    option::{ConfigOption, OptionType},
    options::OPTIONS,
};

/// Returns the schema of the configuration file.
pub fn document() -> Value {
    let mut schema = table();
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("Configuration of Galley");
    for option in OPTIONS {
        let mut node = &mut schema;
        let mut names = option.key.split('.').peekable();
        while let Some(name) = names.next() {
            node = &mut node["properties"][name];
            if names.peek().is_some() && node.is_null() {
                *node = table();
            }
        }
        *node = value(option);
    }
    schema
}

fn table() -> Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}

fn value(option: &ConfigOption) -> Value {
    let mut schema = match option.kind {
        OptionType::Path | OptionType::Text | OptionType::Form(_) | OptionType::Secret => {
            json!({ "type": "string" })
        }
        OptionType::List => json!({ "type": "array", "items": { "type": "string" } }),
        OptionType::Choice(words) => json!({ "enum": words }),
        OptionType::Switch => json!({ "type": "boolean" }),
        OptionType::Number(min, max) => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
    };
    schema["description"] = json!(format!(
        "{} Default: {}. Variable: {}.",
        option.about,
        option.default,
        option.variable()
    ));
    schema
}
