//! Texts of records as clients send them.

use url::Url;

use super::active_urls::passive;
use crate::{
    catalog::fields::{StoredText, TextContent},
    render::{active_urls::Usage, urls},
};

/// New texts of a record; `None` removes one.
pub type TextChanges<R> = Vec<(&'static StoredText<R>, Option<String>)>;

/// Applies `changes` to `record`: texts in stored form, for a site at this URL, and null for a URL
/// that runs code.
pub fn apply<R>(record: &mut R, changes: &TextChanges<R>, site: &Url) {
    for (field, text) in changes {
        let text = text.as_deref().and_then(|text| match field.content {
            TextContent::Plain(_) => Some(text.into()),
            TextContent::Markup(_) => Some(urls::html_to_stored(text, site)),
            TextContent::Image => passive(field.name, text, Usage::Image)
                .map(|text| urls::address_to_stored(text, site)),
            TextContent::Page => passive(field.name, text, Usage::Link)
                .map(|text| urls::canonical_url_to_stored(text, site)),
        });
        (field.set)(record, text.map(|text| text.as_ref().into()));
    }
}
