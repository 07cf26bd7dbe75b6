//! A compact notation for the JSON of requests and responses, and its conversion to JSON Schema.

use serde_json::{Value, json};

/// The shape of a JSON value.
#[derive(Clone, Copy)]
pub enum Shape {
    /// Text.
    Text,
    /// An instant: ISO 8601 with a time.
    Time,
    /// A day: ISO 8601 without a time.
    Date,
    /// A boolean.
    Boolean,
    /// A whole number.
    Integer,
    /// A whole number of at least this value.
    AtLeast(i64),
    /// Null.
    Null,
    /// Any value.
    Any,
    /// Any object.
    AnyObject,
    /// Exactly this text.
    Only(&'static str),
    /// One of these words, separated by spaces.
    OneOf(&'static str),
    /// A file in a form.
    File,
    /// A list.
    List(&'static Shape),
    /// A list with a minimum and a maximum number of values; a maximum of `usize::MAX` means no limit.
    SizedList(usize, usize, &'static Shape),
    /// The schema with this name.
    Ref(&'static str),
    /// A named schema, which rows of the table of endpoints add to the document.
    Named(&'static str, fn() -> Value),
    /// This shape or null.
    OrNull(&'static Shape),
    /// An object with exactly these properties.
    Object(&'static [Properties]),
    /// An object with these properties, and possibly others.
    Open(&'static [Properties]),
    /// This shape with a description.
    About(&'static str, &'static Shape),
    /// A schema from a table, or one that the other variants cannot express.
    Raw(fn() -> Value),
}

/// The names of some properties, separated by spaces, and the shape of each. A name with a question
/// mark may be absent: `("line? column?", Integer)`.
pub type Properties = (&'static str, Shape);

/// Text, or null.
pub const TEXT_OR_NULL: Shape = Shape::OrNull(&Shape::Text);

/// An instant, or null.
pub const TIME_OR_NULL: Shape = Shape::OrNull(&Shape::Time);

impl Shape {
    /// Returns its JSON Schema.
    pub fn schema(&self) -> Value {
        match *self {
            Self::Text => json!({ "type": "string" }),
            Self::Time => json!({ "type": "string", "format": "date-time" }),
            Self::Date => json!({ "type": "string", "format": "date" }),
            Self::Boolean => json!({ "type": "boolean" }),
            Self::Integer => json!({ "type": "integer" }),
            Self::AtLeast(min) => json!({ "type": "integer", "minimum": min }),
            Self::Null => json!({ "type": "null" }),
            Self::Any => json!({}),
            Self::AnyObject => json!({ "type": "object" }),
            Self::Only(text) => json!({ "const": text }),
            Self::OneOf(words) => json!({ "enum": words.split(' ').collect::<Vec<_>>() }),
            Self::File => json!({ "type": "string", "format": "binary" }),
            Self::List(item) => json!({ "type": "array", "items": item.schema() }),
            Self::SizedList(min, max, item) => sized_list(min, max, item.schema()),
            Self::Ref(name) | Self::Named(name, _) => reference(name),
            Self::OrNull(shape) => or_null(shape.schema()),
            Self::Object(properties) => exact(open(properties)),
            Self::Open(properties) => open(properties),
            Self::About(about, shape) => {
                let mut schema = shape.schema();
                schema["description"] = json!(about);
                schema
            }
            Self::Raw(schema) => schema(),
        }
    }
}

/// Returns the schema of a list of `min` to `max` values; a `max` of `usize::MAX` means no limit.
pub fn sized_list(min: usize, max: usize, item: Value) -> Value {
    let mut list = json!({ "type": "array", "items": item, "minItems": min });
    if max != usize::MAX {
        list["maxItems"] = json!(max);
    }
    list
}

/// Returns a reference to the schema with this name.
pub fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Returns the schema that allows null as well.
pub fn or_null(mut schema: Value) -> Value {
    match schema.get("type") {
        Some(kind) => {
            schema["type"] = json!([kind, "null"]);
            schema
        }
        None => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}

/// Returns the schema of an object with these properties, and possibly others.
pub fn open(properties: &[Properties]) -> Value {
    with(json!({ "type": "object", "properties": {} }), properties)
}

/// Returns the schema of an object, without other properties.
pub fn exact(mut object: Value) -> Value {
    object["additionalProperties"] = json!(false);
    object
}

/// Adds these properties to the schema of an object. They replace properties of the same names.
pub fn with(mut object: Value, properties: &[Properties]) -> Value {
    let mut required = Vec::new();
    for (names, shape) in properties {
        for name in names.split(' ') {
            let optional = name.strip_suffix('?');
            object["properties"][optional.unwrap_or(name)] = shape.schema();
            if optional.is_none() {
                required.push(json!(name));
            }
        }
    }
    if !required.is_empty() {
        match object["required"].as_array_mut() {
            Some(names) => {
                required.retain(|name| !names.contains(name));
                names.extend(required);
            }
            None => object["required"] = json!(required),
        }
    }
    object
}
