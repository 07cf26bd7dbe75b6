//! Files about the whole site that staff send: redirects and routes.

use std::sync::Arc;

use super::{Edition, Transaction};
use crate::{
    domain::redirect::{Redirects, RedirectsFile},
    error::{Error, Result},
    store::Table,
};

/// Where the redirects are.
pub(super) const REDIRECTS: &[u8] = b"redirects";

/// Where the routes are.
const ROUTES: &[u8] = b"routes";

impl Edition {
    /// The redirects as they were sent; `None` when none were.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn redirects_file(&self) -> Result<Option<RedirectsFile>> {
        self.read(Table::SiteFiles, REDIRECTS)
    }

    /// The routes as they were sent; `None` when none were.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn routes_file(&self) -> Result<Option<String>> {
        self.read(Table::SiteFiles, ROUTES)
    }
}

impl Transaction {
    /// Puts redirects in the place of those that there are.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn save_redirects(&mut self, file: &RedirectsFile) -> Result<()> {
        let compiled = Redirects::compile(&file.redirects).map_err(Error::internal)?;
        self.put(Table::SiteFiles, REDIRECTS, file)?;
        self.catalog_mut().redirects = Arc::new(compiled);
        Ok(())
    }

    /// Puts routes in the place of those that there are.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn save_routes(&mut self, text: &str) -> Result<()> {
        self.put(Table::SiteFiles, ROUTES, &text)
    }
}
