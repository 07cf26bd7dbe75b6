//! Counts that hold for all processes that share a store, such as those of attempts to sign in.
//!
//! Counts are no records: changing one is no commit, and no snapshot shows it. The store forgets a
//! count after its lifetime, by a clock that is one for all.

use std::time::Duration;

use super::StoreError;

/// A count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedCount {
    /// What was counted, in an encoding of the caller's.
    pub state: Vec<u8>,
    /// How long the next attempt has to wait from now; zero if it need not.
    pub wait: Duration,
    /// How long from now the count is remembered.
    pub lifetime: Duration,
}

/// What becomes of a count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountChange {
    /// It stays as it is, or absent.
    Keep,
    /// It is replaced.
    Put(SharedCount),
    /// It is forgotten.
    Remove,
}

/// The counts of a shared store. Each has a name, which is that of what is counted, and a key.
pub trait SharedCounts: Send + Sync {
    /// Replaces a count by what `change` makes of its state, which is `None` if there is no count.
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
