//! Texts of records as clients send them.

use std::borrow::Cow;

use url::Url;

use super::active_urls::passive;
use crate::{
    catalog::fields::{StoredText, TextContent},
    domain::OptionalText,
    error::{Error, Kind, Result},
    render::{active_urls::Usage, urls},
};

/// New texts of a record; `None` removes one.
pub type TextChanges<R> = Vec<(&'static StoredText<R>, Option<String>)>;

/// Applies `changes` to `record`. `site` is the URL of the site.
pub fn apply<R>(record: &mut R, changes: &TextChanges<R>, site: &Url) {
    for (field, text) in changes {
        let text = text.as_deref().and_then(|text| stored(field, text, site));
        (field.set)(record, text);
    }
}

/// Rejects a text of a record called `noun` that is too long. The error names no field (Ghost 6.65,
/// recorded).
pub fn check_length<R>(field: &StoredText<R>, text: &str, noun: &str) -> Result<()> {
    let max = field.content.characters_max();
    if text.chars().count() <= max {
        return Ok(());
    }
    let message = format!(
        "\"{}\" of a {noun} has at most {max} characters.",
        field.name
    );
    Err(Error::new(Kind::Validation, message))
}

/// Returns a text in stored form; `None` for a URL that runs code. `site` is the URL of the site.
pub fn stored<R>(field: &StoredText<R>, text: &str, site: &Url) -> OptionalText {
    let text = match field.content {
        TextContent::Plain(_) | TextContent::Scalar(_) => text.into(),
        TextContent::Markup(_) => urls::html_to_stored(text, site),
        TextContent::Image => urls::url_to_stored(passive(field.name, text, Usage::Image)?, site),
        TextContent::Page => {
            urls::canonical_url_to_stored(passive(field.name, text, Usage::Link)?, site)
        }
        TextContent::Website => with_scheme(passive(field.name, text, Usage::Link)?),
        TextContent::Link | TextContent::Account(_) => {
            passive(field.name, text, Usage::Link)?.into()
        }
    };
    Some(text.as_ref().into())
}

/// Returns the URL of a website, with `http://` added if the scheme is missing (Ghost 6.65,
/// observed).
fn with_scheme(text: &str) -> Cow<'_, str> {
    if has_scheme(text) {
        text.into()
    } else {
        format!("http://{text}").into()
    }
}

/// Returns whether a text begins with `http://` or `https://`.
pub fn has_scheme(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}
