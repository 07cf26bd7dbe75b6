//! Documents of the editor as they are kept: with what they render to, all addresses in stored form.

use std::borrow::Cow;

use url::Url;

use crate::render::{
    lexical::{Context, DocumentError, Loss, Parsed},
    urls,
};

/// A document and its HTML, both with addresses in stored form.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The document as JSON text.
    pub lexical: String,
    /// What it renders to; empty when nothing of it shows.
    pub html: String,
    /// What of it is not rendered.
    pub losses: Vec<Loss>,
}

impl Document {
    /// Renders a document, whose addresses are in either form, for the site at `site`.
    ///
    /// # Errors
    ///
    /// When it is no document, or one without nodes. `Excess` when its cards make too much HTML.
    pub fn rendered(lexical: String, site: &Url) -> Result<Self, DocumentError> {
        // Pictures of the site are recognised by their address.
        let served = urls::lexical_to_served(&lexical, site);
        let mut repaired = String::new();
        let document = Parsed::of(&served, &mut repaired)?;
        let rendering = document.to_html(Context { site })?;
        let stored = match &served {
            Cow::Borrowed(_) => urls::parsed_to_stored(document, site),
            Cow::Owned(_) => {
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

/// The text, if it is another than the one that it was made of, which then need not be copied.
fn owned(text: Cow<'_, str>) -> Option<String> {
    match text {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    }
}
