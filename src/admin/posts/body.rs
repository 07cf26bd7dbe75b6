//! Bodies as clients write them: documents of the editor, HTML, documents of the editor before.

use url::Url;

use super::change::BodyChange;
use crate::{
    domain::document::Document,
    error::{Error, Kind, Result},
    render::{
        html_to_lexical,
        lexical::{self, DocumentError, EMPTY_DOCUMENT},
        mobiledoc, urls,
    },
};

/// A document of the editor. One that is none, has no nodes, or holds a node that nothing is known of is refused when it is
/// to be saved (Ghost 6.65, recorded).
pub fn of_lexical(lexical: &str, site: &Url) -> BodyChange {
    match accepted(lexical, site) {
        Ok(document) => BodyChange::Document(document),
        Err(error) => {
            BodyChange::Unusable(urls::lexical_to_stored(lexical, site).into_owned(), error)
        }
    }
}

/// What HTML says, as far as the editor's documents can say it: scripts and handlers go, what stands between
/// `<!--kg-card-begin: html-->` marks stays as it is (Ghost 6.65, recorded).
///
/// # Errors
///
/// `Validation`, naming the field, when it becomes longer or more deeply nested than documents may be.
pub fn of_html(html: &str, site: &Url) -> Result<Document> {
    or_empty(html_to_lexical::to_lexical(html), site).map_err(|error| refused("html", &error))
}

/// What a document of the editor before says.
///
/// # Errors
///
/// `Validation`, naming the field, when it is none.
pub fn of_mobiledoc(mobiledoc: &str, site: &Url) -> Result<Document> {
    mobiledoc::to_lexical(mobiledoc)
        .and_then(|lexical| or_empty(lexical, site))
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

fn or_empty(lexical: String, site: &Url) -> Result<Document, DocumentError> {
    match accepted(&lexical, site) {
        Err(DocumentError::Empty) => Ok(empty()),
        outcome => outcome,
    }
}

fn accepted(lexical: &str, site: &Url) -> Result<Document, DocumentError> {
    Document::rendered(&lexical::accepted(lexical)?, site)
}

/// The refusal of a document that cannot be taken.
pub(super) fn refused(field: &'static str, error: &DocumentError) -> Error {
    Error::new(
        Kind::Validation,
        format!("The body in \"{field}\" cannot be used."),
    )
    .context(format!("{error}."))
    .property(field)
}
