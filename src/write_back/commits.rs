//! What commits of edits have of files in which others may have changes of their own, which are not committed.

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
            // Somebody has committed the file as it is, or has undone the edit in it.
            _ if committed == lies => lies,
            Some(before) if before == committed => after.clone(),
            None => committed.to_owned(),
            // What the editor changed may be based on changes that are not committed.
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
