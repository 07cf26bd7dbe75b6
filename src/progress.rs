//! The progress of long work, which can be cancelled.

use std::ops::ControlFlow;

/// Receives the progress of long work, such as an import, a backup or a build.
pub trait Progress: Sync {
    /// Reports that `done` of `total` bytes, files or records have been processed. `total` is constant during the work.
    fn advance(&self, done: u64, total: u64);

    /// Reports that the work has ended, with any result.
    fn finish(&self) {}

    /// Returns whether the work was cancelled. Cancelled work ends as if it had failed.
    fn is_cancelled(&self) -> bool {
        false
    }

    /// Returns whether the work may hold `bytes` in memory in total. If not, the work is rejected.
    fn may_hold(&self, _bytes: usize) -> bool {
        true
    }

    /// Returns how much memory the records of a document of `document_bytes` may use, in bytes; `None` for no limit.
    fn memory_max(&self, _document_bytes: u64) -> Option<usize> {
        None
    }
}

impl dyn Progress + '_ {
    /// Reports progress, and returns `Break` if the work was cancelled.
    pub fn step(&self, done: u64, total: u64) -> ControlFlow<()> {
        self.advance(done, total);
        if self.is_cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Ignores progress.
pub struct NoProgress;

impl Progress for NoProgress {
    fn advance(&self, _done: u64, _total: u64) {}
}
