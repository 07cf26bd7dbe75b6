//! A rendered document, and its losses.

/// A rendered document.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendering {
    /// The HTML; empty if the document has no visible content.
    pub html: String,
    /// The nodes that could not be rendered, in document order. All other nodes were rendered.
    pub losses: Vec<Loss>,
}

/// A node that could not be rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The position of the node, such as `root.children[3].children[0]`.
    pub position: String,
    /// The reason, for the operator, such as `unknown node type "mention"`.
    pub reason: String,
}

/// Maximum number of losses that are listed. If there are more, the reason of the last one says so.
pub(super) const LOSSES_MAX: usize = 1000;
