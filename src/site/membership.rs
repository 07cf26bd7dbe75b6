//! The lives of this process among those that share the store, as far as changes of the site depend on them.

use std::sync::Arc;

use super::{NodeLife, Site, commit_queue::CommitFailure};

impl Site {
    /// Begins a life of this process, in place of the previous one.
    pub fn begin_life(&self, life: NodeLife) {
        self.life.store(Some(Arc::new(life)));
    }

    /// Notes that this process leaves the others in order: it may finish its changes.
    pub fn leave_life(&self) {
        self.life.store(None);
    }

    /// Returns whether changes are accepted: this process was not stopped or cut off a moment ago.
    pub fn accepts_changes(&self) -> bool {
        let life = self.life.load();
        life.as_ref().is_none_or(|life| life.accepts())
    }

    /// Returns the life in which a change begins; `None` if the store belongs to this process.
    ///
    /// # Errors
    ///
    /// If this process accepts no changes now.
    pub(super) fn life(&self) -> Result<Option<Arc<NodeLife>>, CommitFailure> {
        let life = self.life.load_full();
        match &life {
            // An outage of the store is reported as such.
            Some(life) if !life.accepts() && self.store_lost_since().is_none() => {
                Err(CommitFailure::LifeOver)
            }
            _ => Ok(life),
        }
    }
}
