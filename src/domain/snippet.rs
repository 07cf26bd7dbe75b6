//! Snippets: parts of a document that writers save for reuse in other documents.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{OptionalText, permission::permissions, record::record};
use crate::id::Id;

/// Longest name, in characters (Ghost 6.65, recorded).
pub const NAME_CHARACTERS_MAX: usize = 191;

/// Longest document in either format, in bytes of JSON. A typical snippet has only a few cards.
pub const DOCUMENT_BYTES_MAX: usize = 1 << 20;

/// Maximum number of snippets of a site. It is limited because editors load all of them.
pub const SNIPPETS_MAX: usize = 1000;

/// A snippet (Ghost 6.65, recorded).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snippet {
    /// The record's identifier.
    pub id: Id,
    /// The name that writers see, unique among snippets, ignoring case.
    pub name: Box<str>,
    /// The document in the format of Ghost's former editor: JSON.
    pub mobiledoc: Box<str>,
    /// The document in the editor's format: JSON, its URLs in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lexical: OptionalText,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

record!(Snippet, "snippet", |snippet| &snippet.name);

permissions! {
    SNIPPETS_BROWSE: "snippets", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    SNIPPETS_ADD: "snippets", "add" => Yes, Yes, Yes, Yes, No, No, No;
    SNIPPETS_EDIT: "snippets", "edit" => Yes, Yes, Yes, Yes, No, No, No;
    SNIPPETS_DELETE: "snippets", "delete" => Yes, Yes, Yes, Yes, No, No, No;
}
