//! Objects of JSON-LD, and their serialisation for a script element of a page.

use serde::{Serialize, Serializer};
use serde_json::ser::PrettyFormatter;

/// An object with ordered properties.
pub(super) struct Object(Vec<(&'static str, Node)>);

/// The value of a property.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Node {
    /// No value, written as null.
    Null,
    /// A string.
    Text(String),
    /// A number.
    Number(u32),
    /// A list.
    List(Vec<Node>),
    /// An object.
    Object(Object),
}

impl Object {
    /// Returns an object of a type from schema.org.
    pub fn new(kind: &str) -> Self {
        Self(vec![("@type", kind.into())])
    }

    /// Returns a root object of a type from schema.org, with the `@context` that defines its types.
    pub fn document(kind: &str) -> Self {
        let context = ("@context", "https://schema.org".into());
        Self(vec![context, ("@type", kind.into())])
    }

    /// Adds a property, unless the value is missing.
    #[must_use]
    pub fn with(self, name: &'static str, value: impl Into<Node>) -> Self {
        match value.into() {
            Node::Null => self,
            value => self.with_nullable(name, value),
        }
    }

    /// Adds a property, which may be null.
    #[must_use]
    pub fn with_nullable(mut self, name: &'static str, value: impl Into<Node>) -> Self {
        self.0.push((name, value.into()));
        self
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u32> for Node {
    fn from(number: u32) -> Self {
        Self::Number(number)
    }
}

impl From<Object> for Node {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl<T: Into<Node>> From<Vec<T>> for Node {
    fn from(items: Vec<T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Node>> From<Option<T>> for Node {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Serialises the object as indented JSON, escaping the characters that could end the script
/// element.
pub(super) fn pretty(object: &Object) -> Option<String> {
    let mut bytes = Vec::with_capacity(2048);
    let formatter = PrettyFormatter::with_indent(b"    ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    object.serialize(&mut serializer).ok()?;
    let json = String::from_utf8(bytes).ok()?;
    // The line separators U+2028 and U+2029 begin with byte 0xE2.
    if memchr::memchr3(b'<', b'>', 0xe2, json.as_bytes()).is_none() {
        return Some(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            c => escaped.push(c),
        }
    }
    Some(escaped)
}
