//! What the site takes from its active theme.

use std::sync::Arc;

use super::Transaction;
use crate::{error::Result, store::Table};

/// Key of the widths in which images are served.
pub(super) const IMAGE_WIDTHS: &[u8] = b"image_widths";

impl Transaction {
    /// Sets the widths in which images are served, in pixels.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn set_image_widths(&mut self, widths: &[u32]) -> Result<()> {
        if *self.catalog().image_widths != *widths {
            self.put(Table::Meta, IMAGE_WIDTHS, &widths)?;
            self.catalog_mut().image_widths = Arc::from(widths);
        }
        Ok(())
    }
}
