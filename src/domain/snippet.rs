//! Snippets: pieces of a document that writers keep to put into others.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::OptionalText;
use crate::id::Id;

/// Longest name, in characters (Ghost 6.65, recorded).
pub const NAME_CHARACTERS_MAX: usize = 191;

/// Longest document in either form, in bytes of JSON. A snippet is a few cards.
pub const DOCUMENT_BYTES_MAX: usize = 1 << 20;

/// Most snippets of a site. An editor loads all of them.
pub const SNIPPETS_MAX: usize = 1000;

/// A snippet (Ghost 6.65, recorded).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snippet {
    /// The record's identifier.
    pub id: Id,
    /// What writers see, unique among snippets to the letter.
    pub name: Box<str>,
    /// The piece as a document of the editor before: JSON.
    pub mobiledoc: Box<str>,
    /// The piece as a document of the editor: JSON, its addresses in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lexical: OptionalText,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
