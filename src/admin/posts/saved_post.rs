//! A post before and after a change.

use std::sync::Arc;

use crate::domain::post::Post;

/// A post before and after a change.
#[derive(Clone, Debug)]
pub struct SavedPost {
    /// The post before the change; `None` if it is new.
    pub before: Option<Arc<Post>>,
    /// The post after the change.
    pub after: Arc<Post>,
}

impl SavedPost {
    /// Returns whether the post changed.
    pub fn is_changed(&self) -> bool {
        self.before
            .as_ref()
            .is_none_or(|before| !Arc::ptr_eq(before, &self.after))
    }
}
