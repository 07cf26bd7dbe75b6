//! The state of a rendering: the HTML so far, and the losses.

use super::{
    document_error::DocumentError,
    nodes,
    rendered::{LOSSES_MAX, Loss, Rendering},
};
use crate::render::{
    cards::{Context, Target},
    heading_id::{self, HeadingIds},
    limits::{Budget, Excess},
};

/// The renderer of a document, with the HTML so far.
pub(super) struct HtmlWriter<'a> {
    pub(super) html: String,
    pub(super) context: Context<'a>,
    pub(super) target: Target,
    losses: Vec<Loss>,
    pub(super) heading_ids: Ids,
    /// The path of the current node: the indices of its ancestors and of itself, each in its
    /// parent.
    path: Vec<usize>,
    /// Longest HTML, in bytes. A short card can produce much HTML, and the HTML is copied once.
    html_bytes_max: usize,
}

impl<'a> HtmlWriter<'a> {
    /// Returns a writer for a document of `document_bytes` bytes.
    pub(super) fn new(context: Context<'a>, target: Target, document_bytes: usize) -> Self {
        Self {
            // HTML takes less space than JSON. While a text grows, it is in memory twice.
            html: String::with_capacity(document_bytes),
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
    pub(super) fn finish(mut self) -> Result<Rendering, DocumentError> {
        if self.is_full() {
            return Err(Excess::Form.into());
        }
        self.html.shrink_to_fit();
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
        let position = nodes::position(&self.path);
        self.losses.push(Loss { position, reason });
    }
}

/// Assigns the ids of the headings of a document.
#[derive(Default)]
pub(super) struct Ids {
    ids: HeadingIds,
    /// The number of headings with the text "constructor".
    constructors: usize,
}

/// Length of the longest suffix that distinguishes headings with the text "constructor". Further
/// ones get the same id.
const CONSTRUCTOR_SUFFIX_MAX: usize = 100;

impl Ids {
    /// Returns the id of a heading with this text.
    ///
    /// Ghost 6.65 counts headings in a JavaScript object, which has a `constructor` from the start.
    /// The ids it generates are recorded, and existing links use them.
    pub(super) fn assign(&mut self, text: &str) -> String {
        let id = heading_id::from_text(text);
        if id != "constructor" {
            return self.ids.number(id);
        }
        // JavaScript appends the 1 of each increment to the text of the function.
        let suffix = "1".repeat(self.constructors.min(CONSTRUCTOR_SUFFIX_MAX));
        self.constructors += 1;
        format!("constructor-function Object() {{ [native code] }}{suffix}")
    }
}
