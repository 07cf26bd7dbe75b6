//! Counts that all processes sharing a store have in common, such as those of sign-in attempts.
//!
//! Counts are not records: changing one is not a commit and does not appear in any snapshot. The store
//! deletes a count after its lifetime, by a clock that all processes share.

use std::time::Duration;

use super::StoreError;

/// A count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedCount {
    /// The state, in an encoding chosen by the caller.
    pub state: Vec<u8>,
    /// Time from now until the next attempt is allowed; zero if it is allowed immediately.
    pub wait: Duration,
    /// Time from now after which the count is deleted.
    pub lifetime: Duration,
}

/// The change of a count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountChange {
    /// Leaves the count unchanged, or absent.
    Keep,
    /// Replaces the count.
    Put(SharedCount),
    /// Deletes the count.
    Remove,
}

/// The counts of a shared store. Each is identified by a name, that of the counted action, and a key.
pub trait SharedCounts: Send + Sync {
    /// Replaces a count by the result of `change` for its state, which is `None` if there is no count.
    /// The update is atomic: `change` is called again if another process has changed the count
    /// meanwhile.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the store cannot be reached. The count may have been changed nevertheless.
    fn update(
        &self,
        name: &str,
        key: &str,
        change: &mut dyn FnMut(Option<&[u8]>) -> CountChange,
    ) -> Result<(), StoreError>;

    /// Returns the keys and states of the counts with this name whose next attempt is not allowed yet.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the store cannot be reached.
    fn waiting(&self, name: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError>;
}
