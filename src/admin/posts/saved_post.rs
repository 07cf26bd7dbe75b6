//! A post before and after a change.

use std::sync::Arc;

use crate::domain::post::Post;

/// A post before and after a change.
#[derive(Clone, Debug)]
pub struct SavedPost {
    /// The post before; `None` when it is new.
    pub before: Option<Arc<Post>>,
    /// The post now.
    pub after: Arc<Post>,
}

impl SavedPost {
    /// Returns whether anything changed.
    pub fn is_changed(&self) -> bool {
        self.before
            .as_ref()
            .is_none_or(|before| !Arc::ptr_eq(before, &self.after))
    }
}
