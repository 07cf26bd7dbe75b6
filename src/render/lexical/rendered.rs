//! A rendered document, and its losses.

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

/// The most losses that are listed; if there are more, the last one says so.
pub(super) const LOSSES_MAX: usize = 1000;
