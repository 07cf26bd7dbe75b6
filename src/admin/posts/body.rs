//! Post bodies as clients send them: documents of the editor (Lexical), HTML, and documents of
//! Ghost's earlier editor (Mobiledoc).

use url::Url;

use super::change::BodyChange;
use crate::{
    admin::active_urls::report_dropped,
    domain::document::Document,
    error::{Error, Kind, Result},
    render::{
        active_urls, html_to_lexical,
        lexical::{self, DocumentError, EMPTY_DOCUMENT},
        mobiledoc, urls,
    },
};

/// Converts a document of the editor. A document that is invalid, has no nodes or has an unknown
/// node is rejected when it is saved (Ghost 6.65, recorded).
pub fn of_lexical(lexical: &str, site: &Url) -> BodyChange {
    match lexical::accepted(lexical).and_then(|lexical| Document::rendered(lexical, site)) {
        Ok(document) => BodyChange::Document(document.into()),
        // The URLs are not converted: that would need the memory that the limit is meant to save.
        Err(error @ DocumentError::Excess(_)) => BodyChange::Unusable(lexical.to_owned(), error),
        Err(error) => {
            BodyChange::Unusable(urls::lexical_to_stored(lexical, site).into_owned(), error)
        }
    }
}

/// Converts HTML into a document as Ghost does (6.65, recorded): scripts and handlers are removed,
/// HTML between `<!--kg-card-begin: html-->` marks stays unchanged. A block that Ghost's conversion
/// cannot represent becomes an HTML card. URLs that run code are removed and reported. Empty HTML
/// is converted to the empty document.
///
/// # Errors
///
/// `Validation`, naming the field, if the result has no nodes, or is longer or more deeply nested
/// than documents may be.
pub fn of_html(html: &str, site: &Url) -> Result<Document> {
    // Only missing HTML means an empty post. HTML that becomes no node, such as blanks, is refused
    // below, as in Ghost: it would replace a body unnoticed.
    if html.is_empty() {
        return Ok(empty());
    }
    let mut removed = Vec::new();
    let document = active_urls::without_active_urls(html, &mut removed)
        .map_err(DocumentError::from)
        .and_then(|html| html_to_lexical::accepted_without_loss(&html, site))
        .and_then(|lexical| {
            let lexical = active_urls::lexical_without_active_urls(&lexical, &mut removed);
            Document::rendered(lexical.into_owned(), site)
        });
    report_dropped("html", &removed);
    document.map_err(|error| refused("html", &error))
}

/// Converts a document of Ghost's earlier editor. Empty text is converted to the empty document.
///
/// # Errors
///
/// `Validation`, naming the field, if it is invalid or has no sections.
pub fn of_mobiledoc(mobiledoc: &str, site: &Url) -> Result<Document> {
    if mobiledoc.is_empty() {
        return Ok(empty());
    }
    mobiledoc::accepted(mobiledoc)
        .and_then(|lexical| Document::rendered(lexical, site))
        .map_err(|error| refused("mobiledoc", &error))
}

/// Returns the document of a post without a body.
pub(super) fn empty() -> Document {
    Document {
        lexical: EMPTY_DOCUMENT.to_owned(),
        html: String::new(),
        losses: Vec::new(),
    }
}

/// Returns the error for an invalid document. A document without content is detected after its
/// conversion, so the error names the property of the editor's document (Ghost 6.65, recorded).
pub(super) fn refused(field: &'static str, error: &DocumentError) -> Error {
    let property = match error {
        DocumentError::Empty => "lexical",
        _ => field,
    };
    Error::new(
        Kind::Validation,
        format!("The body in \"{field}\" cannot be used."),
    )
    .context(format!("{error}."))
    .property(property)
}
