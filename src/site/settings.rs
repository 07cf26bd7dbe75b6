//! The settings of the site, and those of its active theme.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::Value;

use super::Transaction;
use crate::{domain::setting::Settings, error::Result, store::Table};

/// Key of the names of the settings that a content file sets.
pub(super) const KEYS_OF_FILE: &[u8] = b"settings_of_file";

impl Transaction {
    /// Replaces the settings of the content file. Settings that the file no longer sets are unset; other settings are
    /// retained. Writes nothing for unchanged values.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn replace_file_settings(&mut self, values: BTreeMap<String, Value>) -> Result<()> {
        let old = Arc::clone(&self.catalog().settings);
        let keys: BTreeSet<String> = values.keys().cloned().collect();
        let mut all = old.set_values().clone();
        // Before the new values: a setting that was removed from the file must not remain from its
        // last reading.
        all.retain(|key, _| !old.keys_of_file().contains(key));
        all.extend(values);
        self.write_settings(all, keys)
    }

    /// Sets `values`, and unsets those that are null; other settings are retained. If this site writes files, settings that
    /// the site file can store are changed in the file. Otherwise settings of a content file are not changed: callers
    /// check [`Settings::keys_of_file`] first and report them.
    ///
    /// # Errors
    ///
    /// If the store cannot be read; `Validation` if the file cannot store a value, and `UpdateCollision` if the file has
    /// changed.
    pub fn edit_settings(&mut self, values: BTreeMap<String, Value>) -> Result<()> {
        let values = self.settings_through_file(values)?;
        let old = Arc::clone(&self.catalog().settings);
        let keys = old.keys_of_file().clone();
        let mut all = old.set_values().clone();
        // The next reading of the content file would overwrite changes of its settings.
        for (key, value) in values.into_iter().filter(|(key, _)| !keys.contains(key)) {
            match value {
                Value::Null => all.remove(&key),
                value => all.insert(key, value),
            };
        }
        self.write_settings(all, keys)
    }

    fn write_settings(
        &mut self,
        values: BTreeMap<String, Value>,
        of_file: BTreeSet<String>,
    ) -> Result<()> {
        let new = Settings::with_file(values, of_file);
        let old = Arc::clone(&self.catalog().settings);
        if *old == new {
            return Ok(());
        }
        let is_unset = |key: &&String| !new.set_values().contains_key(*key);
        for key in old.set_values().keys().filter(is_unset) {
            self.delete(Table::Settings, key.as_bytes());
        }
        for (key, value) in new.set_values() {
            if old.set_values().get(key) != Some(value) {
                self.put(Table::Settings, key.as_bytes(), value)?;
            }
        }
        self.put(Table::Meta, KEYS_OF_FILE, new.keys_of_file())?;
        self.catalog_mut().settings = Arc::new(new);
        Ok(())
    }
}

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
