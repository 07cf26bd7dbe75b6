//! Integrations and their keys.

use super::Transaction;
use crate::{
    domain::integration::{Integration, NAME_CHARACTERS_MAX},
    error::{Error, Kind, Result},
    store::Table,
};

impl Transaction {
    /// Makes an integration with new keys.
    ///
    /// # Errors
    ///
    /// `Validation` when the name is empty, too long, or another one's.
    pub fn add_integration(&mut self, name: &str) -> Result<Integration> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > NAME_CHARACTERS_MAX {
            return Err(Error::new(
                Kind::Validation,
                format!("The name of an integration has 1 to {NAME_CHARACTERS_MAX} characters."),
            )
            .property("name"));
        }
        if self
            .catalog()
            .integrations()
            .any(|known| &*known.name == name)
        {
            return Err(Error::new(
                Kind::Validation,
                format!("There is an integration called \"{name}\" already."),
            )
            .help("Choose another name, or revoke that one first.")
            .property("name"));
        }
        let integration = Integration::generate(name, self.now()).map_err(Error::internal)?;
        self.put(Table::Integrations, integration.id.as_bytes(), &integration)?;
        self.catalog_mut().put_integration(integration.clone());
        Ok(integration)
    }

    /// Deletes the integration with this name or identifier; its keys open nothing any more.
    ///
    /// # Errors
    ///
    /// `NotFound` when there is none.
    pub fn revoke_integration(&mut self, name_or_id: &str) -> Result<Integration> {
        let found = self
            .catalog()
            .integrations()
            .find(|known| &*known.name == name_or_id || known.id.to_string() == name_or_id)
            .cloned();
        let Some(integration) = found else {
            return Err(Error::new(
                Kind::NotFound,
                format!("There is no integration called \"{name_or_id}\"."),
            )
            .help("`galley key list` shows those there are."));
        };
        self.delete(Table::Integrations, integration.id.as_bytes())?;
        self.catalog_mut().remove_integration(integration.id);
        Ok(Integration::clone(&integration))
    }
}
