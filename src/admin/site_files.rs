//! Files of text that say something about the whole site: redirects and routes. What they have in common.

use crate::{
    domain::{
        action::{ActionEvent, Subject},
        actor::Actor,
    },
    error::Result,
    id::Id,
    site::Transaction,
    sources::document::{DOCUMENT_BYTES_MAX, Malformed},
};

/// Largest file that is taken, in bytes.
pub const FILE_BYTES_MAX: usize = DOCUMENT_BYTES_MAX;

/// The text of a file, or why it has none that is taken.
pub(super) fn text_of(content: &[u8]) -> std::result::Result<&str, String> {
    if content.len() > FILE_BYTES_MAX {
        return Err(format!("It has more than {} KiB.", FILE_BYTES_MAX >> 10));
    }
    let text = str::from_utf8(content).map_err(|error| format!("It is not UTF-8: {error}."))?;
    // As programs for spreadsheets and Windows begin texts.
    Ok(text.trim_start_matches('\u{feff}'))
}

/// The line of a place in a text, from 1.
pub(super) fn line_of(text: &str, position: usize) -> usize {
    let before = &text.as_bytes()[..position.min(text.len())];
    1 + memchr::memchr_iter(b'\n', before).count()
}

/// What is wrong with a document, and where.
pub(super) fn told(text: &str, malformed: &Malformed) -> String {
    format!(
        "In line {}, {}. {}.",
        line_of(text, malformed.span.start),
        malformed.message,
        malformed.advice
    )
}

/// Notes that somebody put another file in the place of the one called `name`.
///
/// # Errors
///
/// As [`Transaction::record_action`].
pub(super) fn record_edit(
    transaction: &mut Transaction,
    actor: &Actor,
    name: &'static str,
) -> Result<()> {
    let subject = Subject {
        id: Id::derive("site file", name),
        resource_type: name,
        name: None,
        kind: None,
    };
    transaction.record_action(actor, ActionEvent::Edited, subject)
}
