//! Checks and renders documents.

use super::{
    document_error::{DOCUMENT_BYTES_MAX, DocumentError},
    json::{self, Value},
    nodes::{self, LexicalKind},
    rendered::Rendering,
    writer::HtmlWriter,
};
use crate::render::{
    cards::{Context, Target},
    limits::Budget,
};

/// Returns a document from a client in the form that is stored: JSON without white space.
///
/// # Errors
///
/// If it is not a document, has no nodes, has a node of an unknown type (Ghost 6.65, recorded), or
/// exceeds the [limits](crate::render::limits).
pub fn accepted(lexical: &str) -> Result<String, DocumentError> {
    accepted_within(lexical, Budget::of_sent(lexical.len())?)
}

/// Like [`accepted`], for a document that was converted from another text, with that text's
/// `budget`.
pub(in crate::render) fn accepted_within(
    lexical: &str,
    budget: Budget,
) -> Result<String, DocumentError> {
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

/// Checks that a document from another system is within the [limits](crate::render::limits). Its
/// nodes may be of any type.
///
/// # Errors
///
/// If it is not JSON, or exceeds the limits.
pub fn check(lexical: &str) -> Result<(), DocumentError> {
    let budget = Budget::of_sent(lexical.len())?;
    counted(lexical, &mut String::new(), budget).map(drop)
}

/// Returns the document if neither its tree nor the HTML in its cards exceeds `budget`.
fn counted<'d>(
    lexical: &'d str,
    repaired: &'d mut String,
    budget: Budget,
) -> Result<Value<'d>, DocumentError> {
    // Before parsing, since the tree is what takes the memory.
    check_size(lexical, budget)?;
    let document = parsed(lexical, repaired)?;
    // The tree of the JSON and the HTML in cards are separate forms, each with the whole budget.
    let mut remaining = budget;
    // `check` permits a document without nodes; `accepted` rejects it afterwards.
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
/// `Excess` if the tree exceeds it.
pub(in crate::render) fn check_size(json: &str, mut budget: Budget) -> Result<(), DocumentError> {
    Ok(budget.take_json(json.as_bytes(), json::COST)?)
}

/// Returns whether two documents are equal except for white space and the order of members.
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
/// If it is not JSON, or exceeds the [limits](crate::render::limits).
pub fn minified(text: &str) -> Result<String, DocumentError> {
    check_size(text, Budget::of_sent(text.len())?)?;
    let mut repaired = String::new();
    json::written(&parsed(text, &mut repaired)?)
}

/// Renders a document (JSON text).
///
/// # Errors
///
/// If it is not a document or has no nodes, which Ghost 6.65 rejects, too (recorded). `Excess` if
/// its cards produce too much HTML.
pub fn to_html(lexical: &str, context: Context<'_>) -> Result<Rendering, DocumentError> {
    rendered(lexical, context, Target::Web)
}

/// Renders a document (JSON text) for mails: with the cards that are only shown in mails, and with
/// comments around content for some members ([`member_form`](crate::render::paywall::member_form)).
/// Otherwise, the HTML is the same as for the web; [`mail`](crate::render::mail) rewrites it.
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

/// A parsed document, for callers that need it more than once.
pub struct ParsedDocument<'d> {
    document: Value<'d>,
    /// The length of its JSON text in bytes.
    bytes: usize,
}

impl<'d> ParsedDocument<'d> {
    /// Parses a document (JSON text). If halves of surrogate pairs have to be replaced, the
    /// repaired text is stored in `repaired`.
    ///
    /// # Errors
    ///
    /// If it is not JSON, or too long.
    pub fn of(lexical: &'d str, repaired: &'d mut String) -> Result<Self, DocumentError> {
        let document = parsed(lexical, repaired)?;
        let bytes = lexical.len();
        Ok(Self { document, bytes })
    }

    /// Renders the document as [`to_html`] does.
    ///
    /// # Errors
    ///
    /// As [`to_html`].
    pub fn to_html(&self, context: Context<'_>) -> Result<Rendering, DocumentError> {
        self.rendered(context, Target::Web)
    }

    fn rendered(&self, context: Context<'_>, target: Target) -> Result<Rendering, DocumentError> {
        let mut writer = HtmlWriter::new(context, target, self.bytes);
        writer.document(nodes_of(&self.document)?);
        writer.finish()
    }

    /// Returns the tree of the document.
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

/// Returns the blocks of a document, of which there is at least one.
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
