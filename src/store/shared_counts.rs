//! Counts that hold for all processes that share a store, such as those of attempts to sign in.
//!
//! Counts are not records: changing one is not a commit, and not in any snapshot. The store forgets a
//! count after its lifetime, by a clock that is one for all.

use std::time::Duration;

use super::StoreError;

/// A count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedCount {
    /// The state, in an encoding of the caller's.
    pub state: Vec<u8>,
    /// Time from now for which the next attempt has to wait; zero if it need not.
    pub wait: Duration,
    /// Time from now for which the count is remembered.
    pub lifetime: Duration,
}

/// The change of a count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountChange {
    /// It stays as it is, or absent.
    Keep,
    /// It is replaced.
    Put(SharedCount),
    /// It is forgotten.
    Remove,
}

/// The counts of a shared store. Each has a name, which is that of the counted action, and a key.
pub trait SharedCounts: Send + Sync {
    /// Replaces a count by the result of `change` for its state, which is `None` if there is no count.
    /// No other change of it comes in between: `change` is called again if another process was
    /// faster.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the store cannot be reached. The change may have been made.
    fn update(
        &self,
        name: &str,
        key: &str,
        change: &mut dyn FnMut(Option<&[u8]>) -> CountChange,
    ) -> Result<(), StoreError>;

    /// Returns key and state of the counts with this name whose next attempt has to wait.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the store cannot be reached.
    fn waiting(&self, name: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError>;
}
