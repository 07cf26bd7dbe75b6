//! An open element or component.

/// The action when a tag is closed.
pub(super) enum Close {
    Words(String),
    Block(String),
    /// The output since the opening tag is the content of the element, on a separate line.
    Element {
        open: String,
        close: String,
    },
    /// A tag alone on its line that is dropped.
    Line,
    Nothing,
}

/// An open element or component.
pub(super) struct Frame {
    /// The index of its closing tag.
    pub(super) closing: usize,
    pub(super) close: Close,
    /// Number of columns by which the content is indented further than the tag; unknown before the first line of the
    /// content.
    pub(super) strip: Option<usize>,
    /// The indentation of the tag.
    pub(super) indent: usize,
    /// Whether the tag is in a list.
    pub(super) was_in_list: bool,
    /// Labels of tabs, by their values.
    pub(super) labels: Vec<(String, String)>,
}
