//! A change of a source before parsing.

use std::{borrow::Cow, ops::Range};

/// A replacement in the source.
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: Cow<'static, str>,
}

impl Edit {
    /// Inserts a text.
    pub(super) fn insertion(position: usize, text: impl Into<Cow<'static, str>>) -> Self {
        Self {
            range: position..position,
            text: text.into(),
        }
    }
}
