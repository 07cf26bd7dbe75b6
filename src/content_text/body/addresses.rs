//! URLs of a body in the form in which they were written.

use std::collections::BTreeMap;

use crate::{
    content_text::url_form::{AddressForm, UrlForm},
    render::urls::PLACEHOLDER,
};

/// The written forms of the URLs of a body.
#[derive(Clone, Debug, Default)]
pub struct WrittenAddresses {
    by_stored: BTreeMap<String, String>,
}

impl WrittenAddresses {
    /// Adds a URL, unless it is known.
    pub fn add(&mut self, written: &str, stored: &str) {
        let known = self.by_stored.entry(stored.to_owned());
        known.or_insert_with(|| written.to_owned());
    }
}

impl AddressForm for WrittenAddresses {
    fn address<'a>(&'a self, stored: &'a str) -> &'a str {
        match self.by_stored.get(stored) {
            Some(written) => written,
            None => UrlForm::Path.address(stored),
        }
    }

    fn markdown(&self, stored: &str) -> String {
        let mut markdown = stored.to_owned();
        // A longer URL may begin with a shorter one.
        for (stored, written) in self.by_stored.iter().rev() {
            if stored.starts_with(PLACEHOLDER) && markdown.contains(stored.as_str()) {
                markdown = markdown.replace(stored.as_str(), written);
            }
        }
        markdown
    }
}
