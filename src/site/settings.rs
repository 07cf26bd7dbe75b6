//! The settings of the site.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use super::Transaction;
use crate::{domain::setting::Settings, error::Result, store::Table};

impl Transaction {
    /// Makes `values` the only ones that are set; for the rest the defaults hold. Nothing is written for what is the same.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn replace_settings(&mut self, values: BTreeMap<String, Value>) -> Result<()> {
        let old = Arc::clone(&self.catalog().settings);
        if *old.set_values() == values {
            return Ok(());
        }
        for key in old
            .set_values()
            .keys()
            .filter(|key| !values.contains_key(*key))
        {
            self.delete(Table::Settings, key.as_bytes())?;
        }
        for (key, value) in values
            .iter()
            .filter(|(key, value)| old.set_values().get(*key) != Some(*value))
        {
            self.put(Table::Settings, key.as_bytes(), value)?;
        }
        self.catalog_mut().settings = Arc::new(Settings::new(values));
        Ok(())
    }
}
