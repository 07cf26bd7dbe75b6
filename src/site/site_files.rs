//! Files about the whole site that staff upload: redirects and routes.

use std::sync::Arc;

use super::{SiteSnapshot, Transaction};
use crate::{
    domain::{
        redirect::{Redirects, RedirectsFile},
        routes::Routes,
    },
    error::{Error, Result},
    store::Table,
};

/// Key of the redirects.
pub(super) const REDIRECTS: &[u8] = b"redirects";

/// Key of the routes.
pub(super) const ROUTES: &[u8] = b"routes";

impl SiteSnapshot {
    /// Returns the redirects as they were uploaded; `None` before an upload.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn redirects_file(&self) -> Result<Option<RedirectsFile>> {
        self.read(Table::SiteFiles, REDIRECTS)
    }

    /// Returns the routes as they were uploaded; `None` before an upload.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn routes_file(&self) -> Result<Option<String>> {
        self.read(Table::SiteFiles, ROUTES)
    }
}

impl Transaction {
    /// Returns the redirects as they were uploaded; `None` before an upload.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn redirects_file(&self) -> Result<Option<RedirectsFile>> {
        self.read(Table::SiteFiles, REDIRECTS)
    }

    /// Returns the routes as they were uploaded; `None` before an upload.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn routes_file(&self) -> Result<Option<String>> {
        self.read(Table::SiteFiles, ROUTES)
    }

    /// Replaces the redirects.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn save_redirects(&mut self, file: &RedirectsFile) -> Result<()> {
        // Before anything is written: redirects that do not compile must not be stored, because
        // they are compiled at each start.
        let compiled = Redirects::compile(&file.redirects).map_err(Error::internal)?;
        self.put(Table::SiteFiles, REDIRECTS, file)?;
        self.catalog_mut().redirects = Arc::new(compiled);
        Ok(())
    }

    /// Replaces the routes: the text of their file and its parsed form.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn save_routes(&mut self, text: &str, routes: &Arc<Routes>) -> Result<()> {
        self.put(Table::SiteFiles, ROUTES, &text)?;
        self.catalog_mut().routes = Arc::clone(routes);
        Ok(())
    }
}
