//! Computes the texts of files in commits of edits, without uncommitted changes of others.

use crate::{domain::file_edit::FileEdit, error::Result, write_back::FolderWriter};

impl FolderWriter {
    /// Returns the text of an edited file for the commit of the edit: the text `committed` in the repository with the change
    /// of the edit, without other changes to the file in the folder. `None` if the file no longer exists.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn text_to_commit(
        &self,
        edit: &FileEdit,
        committed: Option<&str>,
    ) -> Result<Option<String>> {
        let current = self.text_at(&edit.path)?;
        let (Some(after), Some(current)) = (&edit.after, current) else {
            return Ok(None);
        };
        let Some(committed) = committed else {
            return Ok(Some(after.clone()));
        };
        let text = match &edit.before {
            // The file was already committed unchanged, or the edit in it was undone.
            _ if committed == current => current,
            // No other commit has changed the file since the edit was begun.
            Some(before) if before == committed => after.clone(),
            // Another commit has created the file of a new post meanwhile, and takes precedence.
            None => committed.to_owned(),
            // The edit may be based on uncommitted changes.
            Some(before) if self.has(edit)? => self.merged(edit, before, after, committed).text,
            // In both merges, the second text wins where the texts overlap: the edit if the folder
            // contains it, else the committed text.
            Some(before) => self.merged(edit, before, committed, after).text,
        };
        Ok(Some(text))
    }

    /// Returns the text of a staged file, merged with the change of a commit from `before` to `after`.
    pub fn text_to_stage(&self, path: &str, before: &str, staged: &str, after: &str) -> String {
        let now = self.view.load().conditions.now;
        self.merged_at(path, now, [before, staged, after]).text
    }
}
