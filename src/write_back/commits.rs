//! The texts of files in commits of edits, without uncommitted changes of others.

use crate::{domain::file_edit::FileEdit, error::Result, write_back::FolderWriter};

impl FolderWriter {
    /// Returns the text that the commit of an edit gives its file, of which the repository has the text `committed`: that
    /// with the change of the edit, and without other changes that the file in the folder has. `None` if the file is gone.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn text_to_commit(
        &self,
        edit: &FileEdit,
        committed: Option<&str>,
    ) -> Result<Option<String>> {
        let lies = self.text_at(&edit.path)?;
        let (Some(after), Some(lies)) = (&edit.after, lies) else {
            return Ok(None);
        };
        let Some(committed) = committed else {
            return Ok(Some(after.clone()));
        };
        let text = match &edit.before {
            // The file was committed as it is, or the edit in it was undone.
            _ if committed == lies => lies,
            Some(before) if before == committed => after.clone(),
            None => committed.to_owned(),
            // The editor's changes may be based on changes that are not committed.
            Some(before) if self.has(edit)? => self.merged(edit, before, after, committed).text,
            Some(before) => self.merged(edit, before, committed, after).text,
        };
        Ok(Some(text))
    }

    /// Returns the text of a staged file with the change of a commit from `before` to `after`.
    pub fn text_to_stage(&self, path: &str, before: &str, staged: &str, after: &str) -> String {
        let now = self.view.load().conditions.now;
        self.merged_at(path, now, [before, staged, after]).text
    }
}
