//! The values in templates: JSON values, `undefined`, instants, and text that is already HTML.

use std::{borrow::Cow, fmt, rc::Rc, sync::Arc};

use jiff::Timestamp;

/// The format of a JavaScript `Date` in the time zone UTC.
const DATE_FORMAT: &str = "%a %b %d %Y %H:%M:%S GMT+0000 (Coordinated Universal Time)";

/// A value. Cloning is cheap: lists, objects and strings are shared.
#[derive(Clone, Default)]
pub enum Value {
    /// No value, such as a property that does not exist.
    #[default]
    Undefined,
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number, formatted as in JavaScript.
    Number(f64),
    /// A string, which is escaped when it is written.
    Text(Arc<str>),
    /// HTML, which is written unchanged. As in Handlebars, it is an object: truthy even if it is empty.
    Html(Arc<str>),
    /// An instant, formatted as a JavaScript `Date`. It is an object without properties.
    Time(Timestamp),
    /// A list.
    List(Rc<[Value]>),
    /// An object, whose properties may be computed when they are read.
    Object(Rc<dyn Object>),
}

/// An object of the data model. Properties may be computed on access, so a template only pays for those that it reads.
pub trait Object {
    /// Returns a property; `None` if it does not exist.
    fn get(&self, name: &str) -> Option<Value>;

    /// Returns the names of the properties, in order, for helpers that iterate over an object.
    fn names(&self) -> Vec<Arc<str>>;

    /// Returns whether the object has a property, without computing it.
    fn has(&self, name: &str) -> bool;
}

/// An object whose properties are stored.
#[derive(Clone, Debug, Default)]
pub struct PlainObject(Vec<(Arc<str>, Value)>);

impl PlainObject {
    /// Returns an empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a property, replacing an existing one with the same name.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        let value = value.into();
        match self.0.iter_mut().find(|(own, _)| &**own == name) {
            Some((_, own)) => *own = value,
            None => self.0.push((name.into(), value)),
        }
    }

    /// Adds a property.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.set(name, value);
        self
    }
}

impl Object for PlainObject {
    fn get(&self, name: &str) -> Option<Value> {
        let property = self.0.iter().find(|(own, _)| &**own == name)?;
        Some(property.1.clone())
    }

    fn names(&self) -> Vec<Arc<str>> {
        self.0.iter().map(|(name, _)| Arc::clone(name)).collect()
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| &**own == name)
    }
}

impl Value {
    /// Returns a string value.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// Returns an HTML value, which is not escaped when it is written.
    pub fn html(text: impl Into<Arc<str>>) -> Self {
        Self::Html(text.into())
    }

    /// Returns an object value.
    pub fn object(object: impl Object + 'static) -> Self {
        Self::Object(Rc::new(object))
    }

    /// Returns a property of an object, an item of a list or a character of a string by its index, or the `length` of a list or
    /// string; `Undefined` if it does not exist.
    pub fn get(&self, name: &str) -> Self {
        match self {
            Self::Object(object) => object.get(name).unwrap_or_default(),
            Self::List(items) if name == "length" => Self::Number(items.len() as f64),
            Self::List(items) => index(name)
                .and_then(|index| items.get(index))
                .cloned()
                .unwrap_or_default(),
            Self::Text(text) if name == "length" => {
                Self::Number(text.encode_utf16().count() as f64)
            }
            Self::Text(text) => {
                match index(name).and_then(|index| text.encode_utf16().nth(index)) {
                    // Half of a surrogate pair becomes U+FFFD, as when Node writes such a string as
                    // UTF-8.
                    Some(unit) => Self::text(String::from_utf16_lossy(&[unit])),
                    None => Self::Undefined,
                }
            }
            _ => Self::Undefined,
        }
    }

    /// Returns whether the value is neither null nor undefined.
    pub fn is_some(&self) -> bool {
        !matches!(self, Self::Undefined | Self::Null)
    }

    /// Returns whether the value is truthy in JavaScript. Unlike in `{{#if}}`, an empty list is truthy.
    pub fn is_true(&self) -> bool {
        match self {
            Self::Undefined | Self::Null => false,
            Self::Bool(is_true) => *is_true,
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Text(text) => !text.is_empty(),
            Self::Html(_) | Self::Time(_) | Self::List(_) | Self::Object(_) => true,
        }
    }

    /// Returns whether the value is false in `{{#if}}`: falsy values of JavaScript, and empty lists. Zero counts as empty unless
    /// the caller decides otherwise.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::List(items) => items.is_empty(),
            other => !other.is_true(),
        }
    }

    /// Returns the text of a string or HTML.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Html(text) => Some(text),
            _ => None,
        }
    }
}

/// Parses a property name that is an array index in JavaScript: no sign, no leading zeros.
fn index(name: &str) -> Option<usize> {
    let is_plain = name == "0" || name.starts_with(|c: char| matches!(c, '1'..='9'));
    is_plain.then(|| name.parse().ok())?
}

/// Formats the value as JavaScript converts it to a string; undefined and null are empty, as in templates.
impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Undefined | Self::Null => Ok(()),
            Self::Bool(value) => write!(formatter, "{value}"),
            Self::Number(number) => write_number(formatter, *number),
            Self::Text(text) | Self::Html(text) => formatter.write_str(text),
            Self::Time(time) => write!(formatter, "{}", time.strftime(DATE_FORMAT)),
            Self::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        formatter.write_str(",")?;
                    }
                    write!(formatter, "{item}")?;
                }
                Ok(())
            }
            Self::Object(_) => formatter.write_str("[object Object]"),
        }
    }
}

fn write_number(formatter: &mut fmt::Formatter, number: f64) -> fmt::Result {
    if number.is_nan() {
        formatter.write_str("NaN")
    } else if number.is_infinite() {
        formatter.write_str(if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        })
    } else if number != 0.0 && !(1e-6..1e21).contains(&number.abs()) {
        // JavaScript switches to an exponent at these limits.
        let text = format!("{number:e}");
        // JavaScript writes the sign of a positive exponent.
        let text = if text.contains("e-") {
            text
        } else {
            text.replace('e', "e+")
        };
        formatter.write_str(&text)
    } else {
        // Negative zero is written as 0.
        write!(formatter, "{}", number + 0.0)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Undefined => formatter.write_str("undefined"),
            Self::Null => formatter.write_str("null"),
            Self::Text(text) => write!(formatter, "{text:?}"),
            Self::Html(text) => write!(formatter, "Html({text:?})"),
            Self::List(items) => formatter.debug_list().entries(items.iter()).finish(),
            other => write!(formatter, "{other}"),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Number(value as f64)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Number(f64::from(value))
    }
}

impl From<Timestamp> for Value {
    fn from(time: Timestamp) -> Self {
        Self::Time(time)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<Cow<'_, str>> for Value {
    fn from(text: Cow<'_, str>) -> Self {
        Self::text(text)
    }
}

impl From<Arc<str>> for Value {
    fn from(text: Arc<str>) -> Self {
        Self::Text(text)
    }
}

impl From<PlainObject> for Value {
    fn from(record: PlainObject) -> Self {
        Self::object(record)
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Self::List(items.into())
    }
}

/// A missing value is null.
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Converts JSON to a value.
impl From<&serde_json::Value> for Value {
    fn from(value: &serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(*value),
            serde_json::Value::Number(number) => Self::Number(number.as_f64().unwrap_or(f64::NAN)),
            serde_json::Value::String(text) => Self::text(text.as_str()),
            serde_json::Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            serde_json::Value::Object(properties) => {
                let mut record = PlainObject::new();
                for (name, value) in properties {
                    record.set(name, Self::from(value));
                }
                record.into()
            }
        }
    }
}
