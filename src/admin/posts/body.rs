//! Bodies as clients write them: documents of the editor, HTML, documents of the editor before.

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

/// A document of the editor. One that is none, has no nodes, or holds a node that nothing is known of is refused when it is
/// to be saved (Ghost 6.65, recorded).
pub fn of_lexical(lexical: &str, site: &Url) -> BodyChange {
    match lexical::accepted(lexical).and_then(|lexical| Document::rendered(lexical, site)) {
        Ok(document) => BodyChange::Document(document),
        // Looking for its addresses would take the memory that it is refused for.
        Err(error @ DocumentError::Excess(_)) => BodyChange::Unusable(lexical.to_owned(), error),
        Err(error) => {
            BodyChange::Unusable(urls::lexical_to_stored(lexical, site).into_owned(), error)
        }
    }
}

/// What HTML says, as far as the editor's documents can say it: scripts and handlers go, what stands between
/// `<!--kg-card-begin: html-->` marks stays as it is (Ghost 6.65, recorded). URLs that run code go too, which the log says:
/// an answer has no place for it. No HTML at all makes the empty document.
///
/// # Errors
///
/// `Validation`, naming the field, when nothing of it makes a node, or when it becomes longer or more deeply nested than
/// documents may be.
pub fn of_html(html: &str, site: &Url) -> Result<Document> {
    if html.is_empty() {
        return Ok(empty());
    }
    let mut removed = Vec::new();
    let document = active_urls::without_active_urls(html, &mut removed)
        .map_err(DocumentError::from)
        .and_then(|html| html_to_lexical::accepted(&html))
        .and_then(|lexical| {
            let lexical = active_urls::lexical_without_active_urls(&lexical, &mut removed);
            Document::rendered(lexical.into_owned(), site)
        });
    report_dropped("html", &removed);
    document.map_err(|error| refused("html", &error))
}

/// What a document of the editor before says. No text at all makes the empty document.
///
/// # Errors
///
/// `Validation`, naming the field, when it is none or has no sections.
pub fn of_mobiledoc(mobiledoc: &str, site: &Url) -> Result<Document> {
    if mobiledoc.is_empty() {
        return Ok(empty());
    }
    mobiledoc::accepted(mobiledoc)
        .and_then(|lexical| Document::rendered(lexical, site))
        .map_err(|error| refused("mobiledoc", &error))
}

/// The document that a post has which was given no body.
pub(super) fn empty() -> Document {
    Document {
        lexical: EMPTY_DOCUMENT.to_owned(),
        html: String::new(),
        losses: Vec::new(),
    }
}

/// The refusal of a document that cannot be taken. One without content is found when it has become the editor's, so that
/// is the property that the error names (Ghost 6.65, recorded).
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
