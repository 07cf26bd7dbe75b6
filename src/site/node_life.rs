//! The life of this process among those that share the store.
//!
//! A process that was stopped for a while, or cut off from the store, lives no longer, and then joins again: a new life. A change
//! that began in an earlier life is not committed in a later one, since its client has given up. Requests that arrived during
//! the stop are read at the begin of the new life, so it accepts no changes for a moment.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{Liveness, Site, commit_queue::CommitFailure};
use crate::error::Result;

/// A life of this process.
#[derive(Debug)]
pub struct NodeLife {
    liveness: Arc<Liveness>,
    accepts_from: Instant,
}

impl NodeLife {
    /// Returns a life that accepts changes after a `pause`.
    pub fn new(liveness: Arc<Liveness>, pause: Duration) -> Self {
        Self {
            liveness,
            accepts_from: Instant::now() + pause,
        }
    }

    fn accepts(&self) -> bool {
        self.liveness.is_alive() && Instant::now() >= self.accepts_from
    }

    /// Refuses what began in this life, if it is over.
    pub(super) fn check(&self) -> Result<(), CommitFailure> {
        if self.liveness.is_alive() {
            Ok(())
        } else {
            Err(CommitFailure::LifeOver)
        }
    }
}

impl Site {
    /// Begins a life of this process, in place of the previous one.
    pub fn begin_life(&self, life: NodeLife) {
        self.life.store(Some(Arc::new(life)));
    }

    /// Notes that this process leaves the others by itself: it may finish its changes.
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
