//! Documents of the editor as they are kept: with what they render to, all addresses in stored form.

use url::Url;

use crate::render::{
    lexical::{self, Context, DocumentError, Loss},
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
    /// When it is no document, or one without nodes.
    pub fn rendered(lexical: &str, site: &Url) -> Result<Self, DocumentError> {
        // Pictures of the site are recognised by their address.
        let served = urls::lexical_to_served(lexical, site);
        let rendering = lexical::to_html(&served, Context { site })?;
        Ok(Self {
            lexical: urls::lexical_to_stored(lexical, site).into_owned(),
            html: urls::html_to_stored(&rendering.html, site).into_owned(),
            losses: rendering.losses,
        })
    }
}
