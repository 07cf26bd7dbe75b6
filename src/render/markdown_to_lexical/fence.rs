//! Fenced blocks of Markdown that contain nodes of a document as JSON.

use serde_json::Value;

/// The language of fenced blocks that contain nodes.
pub const FENCE: &str = "lexical";

/// The content of a fenced block.
#[derive(Clone, Debug, PartialEq)]
pub enum FenceContent {
    /// A node, or a list of nodes.
    Nodes(Vec<Value>),
    /// A whole document.
    Document(Value),
}

/// The reason why a fenced block is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenceError {
    /// The problem.
    pub message: String,
    /// The invalid line of the block, counted from 1; 0 is the line of the fence.
    pub line: usize,
}

impl FenceContent {
    /// Parses the content of a fenced block.
    ///
    /// # Errors
    ///
    /// If it is not JSON, or contains a value that is not a node.
    pub fn parse(content: &str) -> Result<Self, FenceError> {
        let value: Value = serde_json::from_str(content).map_err(|error| FenceError {
            message: format!("the content is not JSON: {error}"),
            line: error.line(),
        })?;
        let no_node = |what: &str| FenceError {
            message: format!("{what} is not a node: it has no `type`"),
            line: 0,
        };
        match value {
            Value::Array(nodes) if nodes.iter().all(is_node) => Ok(Self::Nodes(nodes)),
            Value::Array(_) => Err(no_node("an element of the list")),
            node if is_node(&node) => Ok(Self::Nodes(vec![node])),
            document if document["root"]["children"].is_array() => Ok(Self::Document(document)),
            _ => Err(no_node("the content")),
        }
    }

    /// Returns the top-level nodes.
    pub fn into_nodes(self) -> Vec<Value> {
        match self {
            Self::Nodes(nodes) => nodes,
            Self::Document(mut document) => take_nodes(&mut document),
        }
    }
}

fn is_node(value: &Value) -> bool {
    value["type"].is_string()
}

/// Removes the top-level nodes from a document and returns them.
pub fn take_nodes(document: &mut Value) -> Vec<Value> {
    let nodes = document
        .get_mut("root")
        .and_then(|root| root.get_mut("children"));
    match nodes.map(Value::take) {
        Some(Value::Array(nodes)) => nodes,
        _ => Vec::new(),
    }
}
