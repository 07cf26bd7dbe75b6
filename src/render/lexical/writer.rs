//! The state of a rendering: the HTML so far, and what was lost.

use super::headings::Ids;
use super::{Context, DocumentError, LOSSES_MAX, Loss, Rendering, nodes};
use crate::render::{
    cards::Target,
    limits::{Budget, Excess},
};

/// The renderer of a document, with the HTML so far.
pub(super) struct Writer<'a> {
    pub(super) html: String,
    pub(super) context: Context<'a>,
    pub(super) target: Target,
    losses: Vec<Loss>,
    pub(super) heading_ids: Ids,
    /// The path of the current node: its index in its parent, preceded by those of its ancestors.
    path: Vec<usize>,
    /// Longest HTML, in bytes; it is copied once. A short card can produce much HTML.
    html_bytes_max: usize,
}

impl<'a> Writer<'a> {
    /// Returns a writer for a document of `document_bytes` bytes.
    pub(super) fn new(context: Context<'a>, target: Target, document_bytes: usize) -> Self {
        Self {
            // JSON has more overhead than HTML.
            html: String::with_capacity(document_bytes / 2),
            context,
            target,
            losses: Vec::new(),
            heading_ids: Ids::default(),
            path: Vec::new(),
            html_bytes_max: Budget::of(document_bytes).bytes() / 2,
        }
    }

    /// Returns the rendering.
    ///
    /// # Errors
    ///
    /// `Excess` if the cards produced too much HTML.
    pub(super) fn finish(self) -> Result<Rendering, DocumentError> {
        if self.is_full() {
            return Err(Excess::Form.into());
        }
        Ok(Rendering {
            html: self.html,
            losses: self.losses,
        })
    }

    /// Returns whether the cards produced too much HTML.
    pub(super) fn is_full(&self) -> bool {
        self.html.len() > self.html_bytes_max
    }

    /// Calls `act` with the child at `index` as the current node.
    pub(super) fn at<T>(&mut self, index: usize, act: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(index);
        let result = act(self);
        self.path.pop();
        result
    }

    /// Records that the current node is not rendered.
    pub(super) fn lose(&mut self, reason: impl Into<String>) {
        let reason = match self.losses.len() {
            LOSSES_MAX.. => return,
            length if length + 1 == LOSSES_MAX => {
                format!(
                    "{}; further nodes that are not rendered are not listed",
                    reason.into()
                )
            }
            _ => reason.into(),
        };
        let place = nodes::place(&self.path);
        self.losses.push(Loss { place, reason });
    }
}
