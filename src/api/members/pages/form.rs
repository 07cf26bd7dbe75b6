//! The fields of a form that a browser sends without JavaScript.

use serde_json::{Map, Value, json};
use url::form_urlencoded;

use super::super::call::{Call, text_of};

/// The field with a selected newsletter, which a form may contain several times.
pub const NEWSLETTER_FIELD: &str = "newsletter";

/// The fields by name, in the form in which scripts send them as JSON.
pub struct Form(pub Map<String, Value>);

impl Form {
    /// Returns the fields of a body.
    pub fn of(call: &Call) -> Self {
        let mut fields = Map::new();
        let mut newsletters = Vec::new();
        for (name, value) in form_urlencoded::parse(&call.request.body) {
            if name == NEWSLETTER_FIELD {
                newsletters.push(json!({ "id": value }));
            } else {
                fields.insert(name.into_owned(), Value::from(value.into_owned()));
            }
        }
        // Browsers send nothing for a box that is not checked, so a missing field means no
        // newsletters.
        fields.insert("newsletters".to_owned(), newsletters.into());
        Self(fields)
    }

    /// Returns a field; empty if it is missing or too long.
    pub fn text(&self, name: &str) -> &str {
        text_of(&self.0, name).unwrap_or_default()
    }
}
