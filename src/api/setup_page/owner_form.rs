//! The fields of the form that sets up a site.

use url::form_urlencoded;

/// The fields of the form.
pub(super) struct OwnerForm(pub Vec<(String, String)>);

impl OwnerForm {
    pub fn parse(body: &[u8]) -> Self {
        Self(form_urlencoded::parse(body).into_owned().collect())
    }

    /// Returns the value of a field; empty if it is missing.
    pub fn value(&self, name: &str) -> &str {
        let field = self.0.iter().find(|(field, _)| field == name);
        field.map_or("", |(_, value)| value)
    }
}
