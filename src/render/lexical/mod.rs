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
pub(in crate::render) mod json;
mod lists;
mod nodes;
mod properties;
mod responsive;

use self::json::Value;
use thiserror::Error;
use url::Url;

use super::limits::{Budget, Excess};

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
    /// It is more than a client may send, or becomes more than a document may.
    #[error("the document is too large: {0}")]
    Excess(#[from] Excess),
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
/// When it is no document, has no nodes, holds a node of a type that nothing is known of (Ghost 6.65, recorded), or is
/// beyond the [limits](super::limits).
pub fn accepted(lexical: &str) -> Result<String, DocumentError> {
    accepted_within(lexical, Budget::of_sent(lexical.len())?)
}

/// The same of a document that was made of another text, to which `budget` belongs.
pub(super) fn accepted_within(lexical: &str, budget: Budget) -> Result<String, DocumentError> {
    let mut repaired = String::new();
    let document = counted(lexical, &mut repaired, budget)?;
    nodes::each(
        nodes_of(&document)?,
        &mut Vec::new(),
        &mut |path, node| match Kind::of(node) {
            Kind::Unknown => Err(DocumentError::Malformed {
                place: nodes::place(path),
                problem: format!("cannot be taken: {}", nodes::unknown_reason(node)),
            }),
            _ => Ok(()),
        },
    )?;
    json::written(&document)
}

/// Holds a document that comes from elsewhere to the [limits](super::limits), whatever its nodes are.
///
/// # Errors
///
/// When it is not JSON, or beyond the limits.
pub fn check(lexical: &str) -> Result<(), DocumentError> {
    let budget = Budget::of_sent(lexical.len())?;
    counted(lexical, &mut String::new(), budget).map(drop)
}

/// The document, if its tree and its cards take no more than `budget` each.
fn counted<'d>(
    lexical: &'d str,
    repaired: &'d mut String,
    budget: Budget,
) -> Result<Value<'d>, DocumentError> {
    check_size(lexical, budget)?;
    let document = parsed(lexical, repaired)?;
    let mut left = budget;
    let blocks = nodes_of(&document).unwrap_or_default();
    nodes::each(
        blocks,
        &mut Vec::new(),
        &mut |_, node| match Kind::of(node) {
            Kind::Card(_) => cards::take(node, &mut left),
            _ => Ok(()),
        },
    )?;
    Ok(document)
}

/// Holds a text of JSON to what its tree may take of `budget`.
///
/// # Errors
///
/// `Excess` when that is too much.
pub(super) fn check_size(json: &str, mut budget: Budget) -> Result<(), DocumentError> {
    Ok(budget.take_json(json.as_bytes(), json::COST)?)
}

/// Whether two documents say the same, however they are written. Those that are beyond the limits do if their texts are the
/// same.
pub fn say_the_same(one: &str, other: &str) -> bool {
    let is_small = |text: &str| check_size(text, Budget::of(text.len())).is_ok();
    let read = |text| serde_json::from_str::<Value<'_>>(text).ok();
    one == other
        || is_small(one) && is_small(other) && {
            let one = read(one);
            one.is_some() && one == read(other)
        }
}

/// A text of JSON as it is kept when a client writes a piece of a document: without blanks between its parts.
///
/// # Errors
///
/// When it is not JSON, or beyond the [limits](super::limits).
pub fn without_blanks(text: &str) -> Result<String, DocumentError> {
    check_size(text, Budget::of_sent(text.len())?)?;
    let mut repaired = String::new();
    json::written(&parsed(text, &mut repaired)?)
}

/// Renders the document in this JSON text.
///
/// # Errors
///
/// When it is no document, or one without nodes, which Ghost 6.65 refuses too (recorded). `Excess` when its cards make too
/// much HTML.
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
    Parsed::of(lexical, &mut repaired)?.rendered(context, target)
}

/// A document that was read, for those who do several things with it.
pub struct Parsed<'d> {
    document: Value<'d>,
    /// How long its text is.
    bytes: usize,
}

impl<'d> Parsed<'d> {
    /// Reads the document in this JSON text. `repaired` becomes its text where halves of surrogate pairs have to be replaced.
    ///
    /// # Errors
    ///
    /// When it is not JSON, or too long.
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
