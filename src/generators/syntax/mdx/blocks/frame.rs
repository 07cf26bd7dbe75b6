//! An open element or component.

/// The action when a tag is closed.
pub(super) enum ClosingAction {
    /// Write this text.
    Text(String),
    /// Write this HTML, which ends a block.
    Block(String),
    /// Write the element on a separate line, with the output since the opening tag as its content.
    Element { open: String, close: String },
    /// Start a new line, because the tag was dropped with its line.
    Line,
    /// Write nothing.
    Nothing,
}

/// An open element or component.
pub(super) struct Frame {
    /// The index of its closing tag.
    pub(super) closing: usize,
    /// The action when the tag is closed.
    pub(super) action: ClosingAction,
    /// Number of columns by which the content is indented further than the tag; unknown before the first line of the
    /// content.
    pub(super) removed_columns: Option<usize>,
    /// The indentation of the tag.
    pub(super) indent: usize,
    /// Whether the tag is in a list.
    pub(super) was_in_list: bool,
    /// Labels of tabs, by their values.
    pub(super) labels: Vec<(String, String)>,
}
