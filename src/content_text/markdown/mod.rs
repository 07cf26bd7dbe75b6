//! Nodes of the editor's documents as Markdown.

mod blocks;
mod inline;

use serde_json::Value;

pub use self::blocks::of_node;
use crate::render::markdown_to_lexical::FENCE;

/// Returns a node or a document as a fenced block.
pub fn fenced(value: &Value) -> String {
    // In JSON a string contains no line break, so no line of it can end the block.
    let json = serde_json::to_string_pretty(value).unwrap_or_default();
    format!("```{FENCE}\n{json}\n```")
}
