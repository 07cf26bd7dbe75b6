//! Changes of tags, authors, tiers, newsletters and settings that may come from content files.
//!
//! As with posts, the record is the one that results from reading the edited file, and both are committed together.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use super::{CollectionRecord, FileRecord, Transaction, file_edits::NewFileEdit};
use crate::{
    domain::theme::{ChosenValues, FILE_SETTINGS},
    error::Result,
    id::Id,
};

impl Transaction {
    /// Saves a record that staff changed. If the record is from a content file, the file changes as well, if this site writes
    /// files. A record without a file may get one: a tag always, others if the folder has files of their kind.
    ///
    /// # Errors
    ///
    /// The errors of [`save`](Self::save); `Validation`, naming the file, if this site does not write files or the file
    /// cannot store a value, and `UpdateCollision` if the file has changed.
    pub fn save_edited<R: CollectionRecord>(&mut self, record: R) -> Result<()> {
        let for_file = record.for_file();
        if let Some(edited) = &for_file
            && edited.origin().is_file()
            && let Some(known) = R::of(self.catalog()).get(record.id())
            && known
                .for_file()
                .is_some_and(|known| known.differs_in_file(edited))
        {
            let noun = format!("{} \"{}\"", R::KIND, known.slug());
            self.check_origin(&noun, edited.origin())?;
        }
        let of_file = match for_file.filter(|record| self.has_file(record)) {
            Some(record) => self.record_through_file(record)?,
            None => None,
        };
        self.save(match of_file {
            Some(of_file) => record.of_file(of_file),
            None => record,
        })
    }

    /// Deletes a record, and its content file if it has one.
    ///
    /// # Errors
    ///
    /// `Validation`, naming the file, if this site does not write files; `UpdateCollision` if the file has changed.
    pub fn remove_edited<R: CollectionRecord>(&mut self, id: Id) -> Result<()> {
        let known = R::of(self.catalog()).get(id).cloned();
        if let Some(known) = known
            && let Some(record) = known.for_file()
            && let Some(path) = record.origin().path()
        {
            let noun = format!("{} \"{}\"", R::KIND, known.slug());
            self.delete_file(&noun, path, record.title().into(), false)?;
        }
        self.remove::<R>(id)
    }

    /// Returns whether the record has a content file after it is saved.
    fn has_file(&self, record: &FileRecord) -> bool {
        if !self.writes_files() {
            return false;
        }
        let catalog = self.catalog();
        record.origin().is_file()
            || match record {
                FileRecord::Settings(_) | FileRecord::Tag(_) => true,
                FileRecord::User(user) => {
                    let known = catalog.users.get(user.id);
                    known.is_some_and(|known| {
                        // Changes that readers do not see, such as those of the account, create no
                        // file.
                        known.differs_for_readers(user)
                            && (known.implied || self.is_author_among_files(user.id))
                    })
                }
                FileRecord::Tier(_) => catalog.tiers.iter().any(|tier| tier.origin.is_file()),
                FileRecord::Newsletter(_) => {
                    let mut newsletters = catalog.newsletters.iter();
                    newsletters.any(|newsletter| newsletter.origin.is_file())
                }
            }
    }

    /// Returns whether the folder has files of authors and a file of a post by this user.
    fn is_author_among_files(&self, user: Id) -> bool {
        let catalog = self.catalog();
        let mut posts = catalog.posts.iter();
        catalog.users.iter().any(|user| user.origin.is_file())
            && posts.any(|post| post.origin.is_file() && post.authors.contains(&user))
    }

    /// Queues the edit of the record's content file and returns the record that the edited file describes; `None` if the
    /// folder has no path for such files.
    fn record_through_file(&mut self, record: FileRecord) -> Result<Option<FileRecord>> {
        let Some(writer) = self.file_writer() else {
            return Ok(None);
        };
        let title = Box::from(record.title());
        let Some(edited) = writer.edited_record(&self.view(), record)? else {
            return Ok(None);
        };
        self.queue_file_edit(NewFileEdit {
            path: edited.path,
            title,
            before: edited.before,
            after: Some(edited.after),
            uploads: edited.uploads,
            ..NewFileEdit::default()
        })?;
        Ok(Some(edited.record))
    }

    /// Writes these values of a theme's settings into the site's content file, if this site writes files. Returns whether
    /// they were written; if not, nothing is changed.
    ///
    /// # Errors
    ///
    /// If the store cannot be read; `Validation` if the file cannot store a value, and `UpdateCollision` if the file has
    /// changed.
    pub fn edit_theme_settings(
        &mut self,
        theme: &str,
        values: &BTreeMap<String, Value>,
    ) -> Result<bool> {
        let old = Arc::clone(&self.catalog().settings);
        let mut themes = match old.get(FILE_SETTINGS).into_owned() {
            Value::Object(themes) => themes,
            _ => serde_json::Map::new(),
        };
        let mut of_theme = ChosenValues::of_file(&old, theme).values;
        // TOML has no null: an empty string has the same meaning.
        let written = |value: &Value| match value {
            Value::Null => Value::String(String::new()),
            value => value.clone(),
        };
        let values = values.iter();
        of_theme.extend(values.map(|(key, value)| (key.clone(), written(value))));
        themes.insert(theme.to_owned(), of_theme.into_iter().collect());
        // The text of the file must not depend on the order in which themes were edited.
        themes.sort_keys();
        let changed = [(FILE_SETTINGS.to_owned(), Value::Object(themes))];
        Ok(self.settings_through_file(changed.into())?.is_empty())
    }

    /// Writes those of `values` that a content file can store to the file, if this site writes files. Returns the other
    /// settings.
    pub(super) fn settings_through_file(
        &mut self,
        mut values: BTreeMap<String, Value>,
    ) -> Result<BTreeMap<String, Value>> {
        let old = Arc::clone(&self.catalog().settings);
        let changed = values.iter();
        let changed = changed.filter(|(key, value)| *old.get(key) != **value);
        let changed: BTreeMap<_, _> = changed
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if changed.is_empty() || !self.writes_files() {
            return Ok(values);
        }
        let of_file = self.record_through_file(FileRecord::Settings(changed))?;
        if let Some(FileRecord::Settings(of_file)) = of_file {
            // The file now sets these settings. Those that it cannot store remain for the store.
            values.retain(|key, _| !of_file.contains_key(key));
            self.replace_file_settings(of_file)?;
        }
        Ok(values)
    }
}
