//! Editor documents in stored form, with their rendered HTML.

use std::borrow::Cow;

use url::Url;

use crate::render::{
    lexical::{Context, DocumentError, Loss, ParsedDocument},
    urls,
};

/// A document and its HTML, both with URLs in stored form.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The Lexical document as JSON text.
    pub lexical: String,
    /// The rendered HTML; empty if nothing is visible.
    pub html: String,
    /// The parts of the document that were not rendered.
    pub losses: Vec<Loss>,
}

impl Document {
    /// Renders a document for the site at `site`. The URLs of the document may be in stored or
    /// served form.
    ///
    /// # Errors
    ///
    /// If `lexical` is not a document, or has no nodes. `Excess` if its cards produce too much
    /// HTML.
    pub fn rendered(lexical: String, site: &Url) -> Result<Self, DocumentError> {
        // Images of the site are recognised by their served URL.
        let served = urls::lexical_to_served(&lexical, site);
        let mut repaired = String::new();
        let document = ParsedDocument::of(&served, &mut repaired)?;
        let rendering = document.to_html(Context { site })?;
        // Without URLs of the site, `served` is `lexical` itself, and its parsed document is
        // reused. Otherwise the URLs are converted in the original text.
        let stored = match &served {
            Cow::Borrowed(_) => urls::parsed_to_stored(document, site),
            Cow::Owned(_) => {
                // Released before the next copy of the text is made, because a body may take much
                // memory.
                drop(document);
                owned(urls::lexical_to_stored(&lexical, site))
            }
        };
        drop(served);
        let html = owned(urls::html_to_stored(&rendering.html, site));
        Ok(Self {
            lexical: stored.unwrap_or(lexical),
            html: html.unwrap_or(rendering.html),
            losses: rendering.losses,
        })
    }
}

/// Returns the text if it was changed; an unchanged text need not be copied.
fn owned(text: Cow<'_, str>) -> Option<String> {
    match text {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    }
}
