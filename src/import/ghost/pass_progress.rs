//! The progress of one pass over an export.

use crate::{error::Result, import::ghost::export_reader::ExportError, progress::Progress};

/// The progress of a pass over the document.
pub(super) struct PassProgress<'p> {
    progress: &'p dyn Progress,
    before: u64,
    total: u64,
}

impl<'p> PassProgress<'p> {
    pub(super) fn new(progress: &'p dyn Progress, before: u64, total: u64) -> Self {
        Self {
            progress,
            before,
            total,
        }
    }

    /// Checks that `bytes` may be held in memory.
    pub(super) fn reserve(&self, bytes: usize) -> Result<(), ExportError> {
        if self.progress.may_hold(bytes) {
            Ok(())
        } else {
            Err(ExportError::Busy)
        }
    }

    /// Reports that the document was read up to this byte.
    pub(super) fn passed(&self, offset: u64) -> Result<(), ExportError> {
        self.progress.advance(self.before + offset, self.total);
        if self.progress.is_cancelled() {
            Err(ExportError::Cancelled)
        } else {
            Ok(())
        }
    }
}
