//! Rendering of the editor's documents (Lexical) as HTML.
//!
//! A document is a tree of nodes: blocks of text, lists, and cards, which are rendered from their
//! properties alone. The HTML equals that of Ghost 6.65 for the same document, byte for byte
//! (recorded), with one exception: there, a node that cannot be rendered takes others with it,
//! everything after it or the whole document. Here only that node is lost, its text remains, and a
//! [`Loss`] reports its position.
//!
//! The HTML is written into one string from beginning to end. Recursion follows the nesting of the
//! document, which the JSON parser limits to 127 levels of values; each level of a nested
//! list takes four.

mod blocks;
mod formats;
mod inline;
pub(in crate::render) mod json;
mod lists;
mod nodes;
pub(in crate::render) mod properties;
mod writer;

use self::json::Value;
use thiserror::Error;

pub use super::cards::Context;

use super::{
    cards::Target,
    limits::{Budget, Excess},
};

use self::{nodes::LexicalKind, writer::Writer};

/// A rendered document.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendering {
    /// The HTML; empty if nothing in the document is visible.
    pub html: String,
    /// The nodes that could not be rendered, in document order. Everything else was.
    pub losses: Vec<Loss>,
}

/// A node that could not be rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Its position, such as `root.children[3].children[0]`.
    pub position: String,
    /// The reason, for the operator: `unknown node type "mention"`.
    pub reason: String,
}

/// Why a document is rejected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DocumentError {
    /// It is not JSON, or JSON that is nested too deeply.
    #[error("the document is not JSON: {0}")]
    NotJson(String),
    /// It is JSON, but with an invalid structure.
    #[error("{position} {problem}")]
    Malformed {
        /// The position, such as `sections[2][1]`.
        position: String,
        /// The problem at this position: `is not a list`.
        problem: String,
    },
    /// It has no nodes.
    #[error("the document has no content")]
    Empty,
    /// It, or its rendering, exceeds a limit.
    #[error("the document is too large: {0}")]
    Excess(#[from] Excess),
    /// It is longer than documents may be.
    #[error("the document has {bytes} bytes; the limit is {DOCUMENT_BYTES_MAX}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
}

/// Longest document, in bytes of JSON.
pub const DOCUMENT_BYTES_MAX: usize = 50 << 20;

/// The document of an empty body: the editor's initial one (Ghost 6.65, recorded).
pub const EMPTY_DOCUMENT: &str = concat!(
    r#"{"root":{"children":[{"children":[],"direction":null,"format":"","indent":0,"type":"paragraph","version":1}],"#,
    r#""direction":null,"format":"","indent":0,"type":"root","version":1}}"#
);

/// The most losses that are listed; if there are more, the last one says so.
const LOSSES_MAX: usize = 1000;

/// Returns a document from a client in the form that is stored: JSON without white space.
///
/// # Errors
///
/// If it is not a document, has no nodes or a node of an unknown type (Ghost 6.65, recorded), or
/// exceeds the [limits](super::limits).
pub fn accepted(lexical: &str) -> Result<String, DocumentError> {
    accepted_within(lexical, Budget::of_sent(lexical.len())?)
}

/// Does the same for a document that was converted from another text, with that text's `budget`.
pub(super) fn accepted_within(lexical: &str, budget: Budget) -> Result<String, DocumentError> {
    let mut repaired = String::new();
    let document = counted(lexical, &mut repaired, budget)?;
    nodes::each(
        nodes_of(&document)?,
        &mut Vec::new(),
        &mut |path, node| match LexicalKind::of(node) {
            LexicalKind::Unknown => Err(DocumentError::Malformed {
                position: nodes::position(path),
                problem: format!("is not accepted: {}", nodes::unknown_reason(node)),
            }),
            _ => Ok(()),
        },
    )?;
    json::written(&document)
}

/// Checks that a document from elsewhere is within the [limits](super::limits), whatever its nodes.
///
/// # Errors
///
/// If it is not JSON, or exceeds the limits.
pub fn check(lexical: &str) -> Result<(), DocumentError> {
    let budget = Budget::of_sent(lexical.len())?;
    counted(lexical, &mut String::new(), budget).map(drop)
}

/// Returns the document if neither its tree nor its cards exceed `budget`.
fn counted<'d>(
    lexical: &'d str,
    repaired: &'d mut String,
    budget: Budget,
) -> Result<Value<'d>, DocumentError> {
    check_size(lexical, budget)?;
    let document = parsed(lexical, repaired)?;
    let mut remaining = budget;
    let blocks = nodes_of(&document).unwrap_or_default();
    nodes::each(
        blocks,
        &mut Vec::new(),
        &mut |_, node| match LexicalKind::of(node) {
            LexicalKind::Card(card) => (card.cost)(node, &mut remaining),
            _ => Ok(()),
        },
    )?;
    Ok(document)
}

/// Checks that the tree of a JSON text does not exceed `budget`.
///
/// # Errors
///
/// `Excess` if it does.
pub(super) fn check_size(json: &str, mut budget: Budget) -> Result<(), DocumentError> {
    Ok(budget.take_json(json.as_bytes(), json::COST)?)
}

/// Returns whether two documents are equivalent, apart from white space and order of members.
/// Documents beyond the limits are equivalent only if their texts are equal.
pub fn are_equivalent(one: &str, other: &str) -> bool {
    let is_small = |text: &str| check_size(text, Budget::of(text.len())).is_ok();
    let read = |text| serde_json::from_str::<Value<'_>>(text).ok();
    one == other
        || is_small(one) && is_small(other) && {
            let one = read(one);
            one.is_some() && one == read(other)
        }
}

/// Returns a JSON text from a client, such as a part of a document, in the form that is stored:
/// without white space.
///
/// # Errors
///
/// If it is not JSON, or exceeds the [limits](super::limits).
pub fn minified(text: &str) -> Result<String, DocumentError> {
    check_size(text, Budget::of_sent(text.len())?)?;
    let mut repaired = String::new();
    json::written(&parsed(text, &mut repaired)?)
}

/// Renders a document (JSON text).
///
/// # Errors
///
/// If it is not a document, or has no nodes, which Ghost 6.65 rejects, too (recorded). `Excess` if
/// its cards produce too much HTML.
pub fn to_html(lexical: &str, context: Context<'_>) -> Result<Rendering, DocumentError> {
    rendered(lexical, context, Target::Web)
}

/// Renders a document (JSON text) for mails: with the cards that are only shown there, and with
/// comments around content for some members ([`member_form`](super::paywall::member_form)).
/// Otherwise the HTML is the same as for the web; [`mail`](super::mail) rewrites it.
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
    ParsedDocument::of(lexical, &mut repaired)?.rendered(context, target)
}

/// A document that was read, for those who do several things with it.
pub struct ParsedDocument<'d> {
    document: Value<'d>,
    /// The length of its text.
    bytes: usize,
}

impl<'d> ParsedDocument<'d> {
    /// Reads the document in this JSON text. `repaired` becomes its text where halves of surrogate pairs have to be replaced.
    ///
    /// # Errors
    ///
    /// If it is not JSON, or too long.
    pub fn of(lexical: &'d str, repaired: &'d mut String) -> Result<Self, DocumentError> {
        let document = parsed(lexical, repaired)?;
        let bytes = lexical.len();
        Ok(Self { document, bytes })
    }

    /// Renders it as [`to_html`] does.
    ///
    /// # Errors
    ///
    /// As [`to_html`].
    pub fn to_html(&self, context: Context<'_>) -> Result<Rendering, DocumentError> {
        self.rendered(context, Target::Web)
    }

    fn rendered(&self, context: Context<'_>, target: Target) -> Result<Rendering, DocumentError> {
        let mut writer = Writer::new(context, target, self.bytes);
        writer.document(nodes_of(&self.document)?);
        writer.finish()
    }

    /// Its tree.
    pub(in crate::render) fn into_value(self) -> Value<'d> {
        self.document
    }
}

fn parsed<'d>(lexical: &'d str, repaired: &'d mut String) -> Result<Value<'d>, DocumentError> {
    match lexical.len() {
        ..=DOCUMENT_BYTES_MAX => json::parse(lexical, repaired),
        bytes => Err(DocumentError::TooLong { bytes }),
    }
}

/// Returns the blocks of a document, at least one.
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
