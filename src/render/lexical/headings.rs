//! The ids of a document's headings.

use crate::render::heading_id::{self, HeadingIds};

/// Hands out the ids of one document.
#[derive(Default)]
pub(super) struct Ids {
    ids: HeadingIds,
    /// How many headings read "constructor".
    constructors: usize,
}

/// Most marks that tell headings that read "constructor" apart; those behind get the same id.
const CONSTRUCTOR_MARKS_MAX: usize = 100;

impl Ids {
    /// Returns the id of a heading that reads `text`.
    ///
    /// Ghost 6.65 counts headings in an object of JavaScript, which has a `constructor` from the
    /// start; what that gives is recorded, and links to it exist.
    pub(super) fn assign(&mut self, text: &str) -> String {
        let id = heading_id::from_text(text);
        if id != "constructor" {
            return self.ids.number(id);
        }
        let marks = "1".repeat(self.constructors.min(CONSTRUCTOR_MARKS_MAX));
        self.constructors += 1;
        format!("constructor-function Object() {{ [native code] }}{marks}")
    }
}
