//! What the site goes by of its active theme.

use std::sync::Arc;

use super::Transaction;
use crate::{error::Result, store::Table};

/// Where the store remembers in which widths pictures are served.
pub(super) const IMAGE_WIDTHS: &[u8] = b"image_widths";

impl Transaction {
    /// Has pictures served in these widths, in pixels.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn set_image_widths(&mut self, widths: &[u32]) -> Result<()> {
        if *self.catalog().image_widths != *widths {
            self.put(Table::Meta, IMAGE_WIDTHS, &widths)?;
            self.catalog_mut().image_widths = Arc::from(widths);
        }
        Ok(())
    }
}
