//! The editor's documents (Lexical) to HTML.
//!
//! A document is a tree of nodes: blocks of text, lists, and cards, which are rendered from their
//! properties alone. What comes out is what Ghost 6.65 makes of the same document, byte for byte
//! (recorded), but for one thing: there, a node that cannot be rendered takes others with it,
//! everything behind it or the whole document. Here it goes alone, the text that it holds stays,
//! and a [`Loss`] says where it stood.
//!
//! The HTML is written into one string from beginning to end. Recursion follows the nesting of the
//! document, which the JSON parser holds to [`NESTING_MAX`].

mod blocks;
mod cards;
mod formats;
mod headings;
mod inline;
mod json;
mod lists;
mod nodes;
mod properties;
mod responsive;

use self::json::Value;
use thiserror::Error;
use url::Url;

use self::{blocks::Writer, cards::Target, nodes::Kind};

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

/// Deepest nesting of JSON values in a document. Each level of a nested list takes four.
pub const NESTING_MAX: usize = 127;

/// The document of a body that nothing was written into: what the editor begins with (Ghost 6.65, recorded).
pub const EMPTY_DOCUMENT: &str = concat!(
    r#"{"root":{"children":[{"children":[],"direction":null,"format":"","indent":0,"type":"paragraph","version":1}],"#,
    r#""direction":null,"format":"","indent":0,"type":"root","version":1}}"#
);

/// Most losses that are listed; a document that has more says so in the last one.
const LOSSES_MAX: usize = 1000;

/// The document in this JSON text as it is kept when a client writes it: without blanks between its parts.
///
/// # Errors
///
/// When it is no document, has no nodes, or holds a node of a type that nothing is known of (Ghost 6.65, recorded).
pub fn accepted(lexical: &str) -> Result<String, DocumentError> {
    let mut repaired = String::new();
    let document = parsed(lexical, &mut repaired)?;
    let mut open: Vec<(String, &Value<'_>)> = nodes_of(&document)?
        .iter()
        .enumerate()
        .map(|(index, node)| (format!("root.children[{index}]"), node))
        .collect();
    while let Some((place, node)) = open.pop() {
        if let Kind::Unknown = Kind::of(node) {
            return Err(DocumentError::Malformed {
                problem: format!("cannot be taken: {}", nodes::unknown_reason(node)),
                place,
            });
        }
        let children = nodes::children(node).iter().enumerate();
        open.extend(children.map(|(index, child)| (format!("{place}.children[{index}]"), child)));
    }
    json::without_blanks(lexical)
}

/// A text of JSON as it is kept when a client writes a piece of a document: without blanks between its parts.
///
/// # Errors
///
/// When it is not JSON.
pub fn without_blanks(text: &str) -> Result<String, DocumentError> {
    json::without_blanks(text)
}

/// Renders the document in this JSON text.
///
/// # Errors
///
/// When it is no document, or one without nodes, which Ghost 6.65 refuses too (recorded).
pub fn to_html(lexical: &str, context: Context<'_>) -> Result<Rendering, DocumentError> {
    rendered(lexical, context, Target::Web)
}

/// Renders the document in this JSON text for mails: with what shows in those alone, and around what some members do not
/// get, comments that name them ([`member_form`](super::paywall::member_form)). It is HTML as for the web otherwise, which
/// [`mail`](super::mail) rewrites.
///
/// # Errors
///
/// As [`to_html`].
pub fn to_mail_html(lexical: &str, context: Context<'_>) -> Result<Rendering, DocumentError> {
    rendered(lexical, context, Target::Mail)
}

fn rendered(
    lexical: &str,
    context: Context<'_>,
    target: Target,
) -> Result<Rendering, DocumentError> {
    let mut repaired = String::new();
    let document = parsed(lexical, &mut repaired)?;
    let mut writer = Writer::new(context, target, lexical.len());
    writer.document(nodes_of(&document)?);
    Ok(writer.finish())
}

fn parsed<'d>(lexical: &'d str, repaired: &'d mut String) -> Result<Value<'d>, DocumentError> {
    match lexical.len() {
        ..=DOCUMENT_BYTES_MAX => json::parse(lexical, repaired),
        bytes => Err(DocumentError::TooLong { bytes }),
    }
}

/// The blocks of a document, of which there is at least one.
fn nodes_of<'a>(document: &'a Value<'a>) -> Result<&'a [Value<'a>], DocumentError> {
    document
        .get("root")
        .and_then(|root| root.get("children"))
        .and_then(|children| children.as_array())
        .filter(|nodes| {
            nodes
                .first()
                .is_some_and(|first| !nodes::ends_document(first))
        })
        .ok_or(DocumentError::Empty)
}
