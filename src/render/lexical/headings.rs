//! Ids of a document's headings.

use crate::render::heading_id::{self, HeadingIds};

/// Assigns the ids of one document.
#[derive(Default)]
pub(super) struct Ids {
    ids: HeadingIds,
    /// The number of headings with the text "constructor".
    constructors: usize,
}

/// Longest suffix that distinguishes headings with the text "constructor"; further ones get the
/// same id.
const CONSTRUCTOR_SUFFIX_MAX: usize = 100;

impl Ids {
    /// Returns the id of a heading with this text.
    ///
    /// Ghost 6.65 counts headings in a JavaScript object, which has a `constructor` from the start;
    /// the result is recorded, and existing links use it.
    pub(super) fn assign(&mut self, text: &str) -> String {
        let id = heading_id::from_text(text);
        if id != "constructor" {
            return self.ids.number(id);
        }
        let suffix = "1".repeat(self.constructors.min(CONSTRUCTOR_SUFFIX_MAX));
        self.constructors += 1;
        format!("constructor-function Object() {{ [native code] }}{suffix}")
    }
}
