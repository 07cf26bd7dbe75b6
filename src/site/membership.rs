//! The lives of this process as a node of a shared store, as far as changes of the site depend on them.

use std::{cell::RefCell, sync::Arc};

use super::{NodeLife, Site, commit_queue::CommitFailure};

thread_local! {
    /// The life in which the current request of this thread began.
    static OF_REQUEST: RefCell<RequestLife> = const { RefCell::new(RequestLife(None)) };
}

/// The life of this process in which a request began, if the process shares the store, and whether the life accepted
/// changes then.
#[derive(Clone, Debug, Default)]
pub struct RequestLife(Option<(Arc<NodeLife>, bool)>);

impl RequestLife {
    fn is_over(&self) -> bool {
        let life = self.0.as_ref();
        life.is_some_and(|(life, accepted)| !accepted || life.is_over())
    }
}

/// The request that this thread handles, until this value is dropped.
#[derive(Debug)]
pub struct RequestGuard(());

impl Drop for RequestGuard {
    fn drop(&mut self) {
        OF_REQUEST.set(RequestLife::default());
    }
}

impl Site {
    /// Returns the life for a request whose header section was just read.
    pub fn request_life(&self) -> RequestLife {
        let life = self.life.load_full();
        RequestLife(life.map(|life| {
            // Decided now: a request that arrived while changes were refused stays refused, even if
            // it is handled later.
            let accepts = life.accepts();
            (life, accepts)
        }))
    }

    /// Records that this thread handles a request that began in this life. Changes by the request are not committed
    /// in a later life.
    pub fn begin_request(&self, life: RequestLife) -> RequestGuard {
        OF_REQUEST.set(life);
        RequestGuard(())
    }

    /// Begins a life of this process, in place of the previous one.
    pub fn begin_life(&self, life: NodeLife) {
        self.life.store(Some(Arc::new(life)));
    }

    /// Records that this process leaves the other nodes in an orderly way and may finish its changes.
    pub fn leave_life(&self) {
        self.life.store(None);
    }

    /// Returns whether changes are accepted. They are not shortly after this process was stopped or cut off.
    pub fn accepts_changes(&self) -> bool {
        let life = self.life.load();
        life.as_ref().is_none_or(|life| life.accepts())
    }

    /// Returns the life in which a change begins; `None` if only this process uses the store.
    ///
    /// # Errors
    ///
    /// If this process accepts no changes now.
    pub(super) fn life(&self) -> Result<Option<Arc<NodeLife>>, CommitFailure> {
        let life = self.life.load_full();
        let is_late = OF_REQUEST.with_borrow(RequestLife::is_over);
        if !is_late && life.as_ref().is_none_or(|life| life.accepts()) {
            return Ok(life);
        }
        // An outage is reported by the store. If the outage ends meanwhile, the commit is refused.
        if self.store_lost_since().is_some() {
            return Ok(Some(Arc::new(NodeLife::over())));
        }
        if let (false, Some(life)) = (is_late, life) {
            life.refused();
        }
        Err(CommitFailure::LifeOver)
    }
}
