//! URLs of a body in the form in which they were written.

use std::collections::BTreeMap;

use crate::{
    content_text::url_form::{UrlForm, UrlWriter},
    render::urls::PLACEHOLDER,
};

/// The beginning of the URL of a footnote, before its number.
pub const FOOTNOTE: &str = "#fn";

/// The written forms of the URLs of a body.
#[derive(Clone, Debug, Default)]
pub struct WrittenUrls {
    by_stored: BTreeMap<String, String>,
    /// The names of footnotes, in the order of their numbers.
    footnotes: Vec<String>,
}

impl WrittenUrls {
    /// Adds a URL, unless it is known.
    pub fn add(&mut self, written: &str, stored: &str) {
        let known = self.by_stored.entry(stored.to_owned());
        known.or_insert_with(|| written.to_owned());
    }

    /// Sets the names of the footnotes to which links of the document refer, in the order of their numbers.
    pub fn set_footnotes(&mut self, names: Vec<String>) {
        self.footnotes = names;
    }
}

impl UrlWriter for WrittenUrls {
    fn url<'a>(&'a self, stored: &'a str) -> &'a str {
        match self.by_stored.get(stored) {
            Some(written) => written,
            // The body has no form for it, such as for an upload of this edit.
            None => UrlForm::Path.url(stored),
        }
    }

    fn footnote(&self, stored: &str) -> Option<&str> {
        let number: usize = stored.strip_prefix(FOOTNOTE)?.parse().ok()?;
        let name = self.footnotes.get(number.checked_sub(1)?)?;
        Some(name)
    }

    fn markdown(&self, stored: &str) -> String {
        let mut markdown = stored.to_owned();
        // In reverse order, because a longer URL may begin with a shorter one.
        for (stored, written) in self.by_stored.iter().rev() {
            if stored.starts_with(PLACEHOLDER) && markdown.contains(stored.as_str()) {
                markdown = markdown.replace(stored.as_str(), written);
            }
        }
        markdown
    }
}
