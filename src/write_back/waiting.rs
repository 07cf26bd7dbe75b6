//! Writes pending edits into the folder.

use crate::content_files::edits::{EditConflict, WrittenEdits};

use jiff::Timestamp;

use crate::{
    content_text::{BodyFormat, Conflict, MergedText, merge},
    domain::{file_edit::FileEdit, secret::Digest},
    error::Result,
    site::LeasedSite,
    write_back::FolderWriter,
};

impl FolderWriter {
    /// Writes the pending edits into their files. If a file has changed in the meantime, its edit is merged by keys and
    /// blocks. An edit in `pushed` that was continued since is applied without the pushed part, and so is an edit in
    /// `reviewed` if the file contains the reviewed version.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, or a file cannot be read or written. The next call retries.
    pub fn write_waiting(
        &self,
        site: &LeasedSite,
        pushed: &[FileEdit],
        reviewed: &[FileEdit],
    ) -> Result<WrittenEdits> {
        let snapshot = site.current();
        let mut outcome = WrittenEdits::default();
        let waiting = snapshot.file_edits()?;
        for (index, whole) in waiting.iter().enumerate() {
            // Edits of one file are written in order, so an edit also waits if an earlier one of
            // its files does.
            let problem = self.unreachable(whole)?;
            if problem.is_some() || outcome.blocked.include_file_of(whole) {
                outcome.blocked.add(whole, problem);
                continue;
            }
            // A copy of a repository was just checked out, so it contains no part of an edit.
            let mut edit = if self.is_shared {
                self.rest_of(whole, &waiting[index + 1..])?
            } else {
                whole.clone()
            };
            if let Some(part) = pushed.iter().find(|part| part.is_version_of(&edit)) {
                edit = edit.after_part(part);
            } else {
                for part in reviewed.iter().rev() {
                    if part.is_version_of(&edit) && self.has(part)? {
                        edit = edit.after_part(part);
                        break;
                    }
                }
            }
            // Others have deleted the new file since it was created, so the post is deleted.
            if self.has_placed(&edit)? && self.text_at(&edit.path)?.is_none() {
                outcome.deleted.push(edit.path.clone());
                let ended = FileEdit {
                    after: None,
                    ..edit
                };
                outcome.written.push(ended);
                continue;
            }
            // Another process may have become the leader while earlier edits were written, and the
            // store protects no files.
            site.check_lead()?;
            let (applied, parts) = self.write_edit(site, &edit)?;
            if self.are_committed {
                let commit = if parts.is_empty() {
                    // This includes changes that a killed process had already written.
                    as_committed(whole, &applied)
                } else {
                    applied.clone()
                };
                outcome
                    .to_commit
                    .extend(Some(commit).filter(|commit| !commit.is_empty()));
            }
            if !parts.is_empty() {
                outcome.conflicts.push(EditConflict {
                    edit,
                    parts,
                    other_author: None,
                    branch: None,
                });
            }
            outcome.written.push(applied);
        }
        Ok(outcome)
    }

    /// Returns an edit without the parts that its file already contains, because an earlier version or a later edit was
    /// written before the process ended.
    fn rest_of(&self, edit: &FileEdit, later: &[FileEdit]) -> Result<FileEdit> {
        let text_of = |path: &str| self.text_at(path);
        if text_of(edit.found_at())? == edit.before {
            return Ok(edit.clone());
        }
        // An earlier save was written before the process was killed
        // (`kills_between_quick_saves_cause_no_conflict_with_the_same_editor`). The edit is based
        // on it, so it is no conflict.
        for version in edit.earlier.iter().rev() {
            let text = text_of(&version.path)?;
            if text.as_deref().map(Digest::of) == Some(version.digest) {
                return Ok(FileEdit {
                    moved_from: Some(version.path.clone()).filter(|path| *path != edit.path),
                    before: text,
                    ..edit.clone()
                });
            }
        }
        // A later edit includes this one. Later edits may rename the file, so the path follows
        // them.
        let mut path = &edit.path;
        for later in later {
            if later.found_at() != &**path {
                continue;
            }
            path = &later.path;
            if text_of(path)? == later.after {
                return Ok(edit.after_part(edit));
            }
        }
        Ok(edit.clone())
    }

    /// Writes an edit into its file. Returns the edit as it was applied, and its conflicts.
    fn write_edit(&self, site: &LeasedSite, edit: &FileEdit) -> Result<(FileEdit, Vec<Conflict>)> {
        if edit.is_empty() || self.has_placed(edit)? {
            // The file already contained the edit, and later changes of others are retained.
            let theirs = self.text_at(&edit.path)?;
            let done = FileEdit {
                before: theirs.clone(),
                after: theirs,
                ..edit.clone()
            };
            return Ok((done, Vec::new()));
        }
        let (path, found_at) = (&*edit.path, edit.found_at());
        let mut theirs = self.text_at(found_at)?;
        let mut moved_from = edit.moved_from.clone();
        // A previous run renamed the file and was killed before it recorded that.
        if theirs.is_none() && moved_from.is_some() && self.text_at(path)? == edit.after {
            theirs.clone_from(&edit.after);
            moved_from = None;
        }
        let applied = |after: &Option<String>| FileEdit {
            moved_from: moved_from.clone(),
            before: theirs.clone(),
            after: after.clone(),
            ..edit.clone()
        };
        let is_done = theirs == edit.after && moved_from.is_none();
        if is_done || theirs == edit.before {
            if let Some(continued) = self.write_unchanged(site, edit, is_done)? {
                return self.write_edit(site, &continued);
            }
            // The new path is written before the old one and the images are deleted: a crash in
            // between leaves too many files, and the next run repeats the steps.
            if !is_done && moved_from.is_some() {
                self.put(found_at, None)?;
            }
            for image in &edit.images {
                self.put(image, None)?;
            }
            return Ok((applied(&edit.after), Vec::new()));
        }
        let (Some(base), Some(text), Some(ours)) = (&edit.before, &theirs, &edit.after) else {
            // One side deleted the file that the other changed, or both created it.
            let conflict = Conflict::Block {
                theirs: theirs.clone().unwrap_or_default(),
                ours: edit.after.clone().unwrap_or_default(),
            };
            return Ok((applied(&theirs), vec![conflict]));
        };
        let MergedText {
            text: mut merged,
            conflicts,
        } = self.merged(edit, base, text, ours);
        if !conflicts.is_empty() && self.differs_in_date_alone(edit, text, &merged) {
            // A commit with only the date of a lost edit is useless.
            merged.clone_from(text);
        }
        let text = merged;
        // Uploads come before the text, so that it never refers to a missing file.
        self.put_uploads(edit)?;
        self.put(path, Some(text.as_bytes()))?;
        if moved_from.is_some() {
            self.put(found_at, None)?;
        }
        Ok((applied(&Some(text)), conflicts))
    }

    /// Writes an edit of a file that no one else has changed, with its uploads. The text is not written if it `is_done`. If
    /// the edit was continued while a new file was created, returns the continued edit, which must be written instead.
    fn write_unchanged(
        &self,
        site: &LeasedSite,
        edit: &FileEdit,
        is_done: bool,
    ) -> Result<Option<FileEdit>> {
        // Uploads come before the text, and also after a crash that left them out of a finished
        // text.
        if edit.after.is_some() {
            self.put_uploads(edit)?;
        }
        match &edit.after {
            _ if is_done => {}
            Some(text) if self.is_shared && edit.before.is_none() && edit.is_of_document => {
                return self.put_file(site, edit, text);
            }
            after => self.put(&edit.path, after.as_deref().map(str::as_bytes))?,
        }
        Ok(None)
    }

    /// Returns whether two texts of a document differ only in their modification date.
    fn differs_in_date_alone(&self, edit: &FileEdit, one: &str, other: &str) -> bool {
        let reader = self.reader(&self.view.load(), edit.edited_at, &edit.path);
        match (reader.read(one), reader.read(other)) {
            (Ok(one), Ok(other)) => {
                one.post.equals_without_relations(&other.post)
                    && one.post.has_relations_of(&other.post)
                    && one.body.html == other.body.html
                    && one.body.lexical == other.body.lexical
            }
            _ => false,
        }
    }

    /// Returns whether the folder contains all changes of an edit.
    pub(super) fn has(&self, edit: &FileEdit) -> Result<bool> {
        let theirs = self.text_at(&edit.path)?;
        if theirs == edit.after {
            return Ok(true);
        }
        let (Some(base), Some(theirs), Some(ours)) = (&edit.before, &theirs, &edit.after) else {
            return Ok(false);
        };
        let merged = self.merged(edit, base, theirs, ours);
        Ok(merged.conflicts.is_empty() && merged.text == *theirs)
    }

    /// Merges the text `ours` of an edit with the current text `theirs` of its file. Both are based on `base`.
    pub(super) fn merged(
        &self,
        edit: &FileEdit,
        base: &str,
        theirs: &str,
        ours: &str,
    ) -> MergedText {
        self.merged_at(&edit.path, edit.edited_at, [base, theirs, ours])
    }

    /// Merges texts of the file at `path`: their common base, theirs and ours.
    pub(super) fn merged_at(
        &self,
        path: &str,
        now: Timestamp,
        [base, theirs, ours]: [&str; 3],
    ) -> MergedText {
        let reader = self.reader(&self.view.load(), now, path);
        let format = reader
            .read(theirs)
            .map_or(BodyFormat::Markdown, |read| read.file.body.format);
        reader.with_bodies(format, |shape, bodies| {
            merge(shape, bodies, base, theirs, ours)
        })
    }
}

/// Returns an edit as it is committed. `applied` is the part that its file did not contain yet.
fn as_committed(whole: &FileEdit, applied: &FileEdit) -> FileEdit {
    // The edit may have been continued while its file was created.
    if applied.saves == whole.saves {
        whole.clone()
    } else {
        FileEdit {
            moved_from: whole.moved_from.clone(),
            before: whole.before.clone(),
            ..applied.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use serde_json::json;

    use super::*;
    use crate::{
        clock::SystemClock,
        domain::file_edit::FileVersion,
        site::Site,
        store::{Table, memory::MemoryStore},
        uploads::Uploads,
    };

    fn text(body: &str) -> String {
        format!("---\ntitle: A\n---\n\n{body}\n")
    }

    fn edit(number: u64, before: &str, after: &str, earlier: &[FileVersion]) -> FileEdit {
        let path = "posts/a.md";
        let edit = json!({
            "number": number, "path": path, "before": text(before), "after": text(after),
            "is_of_document": true, "title": "A", "editor": { "name": "Ada" }, "earlier": earlier,
            "begun_at": "2026-01-01T00:00:00Z", "edited_at": "2026-01-01T00:00:00Z", "saves": 2,
        });
        serde_json::from_value(edit).unwrap()
    }

    /// Writes pending edits into a file with this body. Returns the body afterwards and the number of conflicts.
    fn written(body: &str, edits: &[FileEdit]) -> (String, usize) {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock)).unwrap();
        let site = LeasedSite::from(Arc::new(site));
        for edit in edits {
            site.write(|change| change.put(Table::FileEdits, &edit.number.to_be_bytes(), edit))
                .unwrap();
        }
        let file = folder.path().join("posts/a.md");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text(body)).unwrap();
        let root = folder.path().to_owned();
        let writer = FolderWriter::new(root.clone(), Uploads::in_data(&root), Arc::default())
            .with_other_writers();
        let outcome = writer.write_waiting(&site, &[], &[]).unwrap();
        (fs::read_to_string(file).unwrap(), outcome.conflicts.len())
    }

    #[test]
    fn save_after_one_that_was_written_before_a_crash_is_not_a_conflict() {
        let first = edit(1, "One.", "Two.", &[]);
        let edit = edit(1, "One.", "Three.", &first.versions());
        let edits = std::slice::from_ref(&edit);
        assert_eq!(written("Two.", edits), (text("Three."), 0));
        assert_eq!(written("One.", edits), (text("Three."), 0));
        assert_eq!(written("Three.", edits), (text("Three."), 0));
        assert_eq!(written("Other.", edits), (text("Other."), 1));
    }

    #[test]
    fn edits_of_two_editors_that_were_written_before_a_crash_are_not_a_conflict() {
        let edits = [edit(1, "One.", "Two.", &[]), edit(2, "Two.", "Three.", &[])];
        assert_eq!(written("Three.", &edits), (text("Three."), 0));
        assert_eq!(written("One.", &edits), (text("Three."), 0));
        assert_eq!(written("Two.", &edits), (text("Three."), 0));
    }

    #[test]
    fn only_the_last_earlier_versions_are_stored() {
        let mut edit = edit(1, "One.", "Two.", &[]);
        for _ in 0..30 {
            edit.earlier = edit.versions();
        }
        assert_eq!(edit.earlier.len(), 20);
        let next = FileEdit {
            after: None,
            ..edit
        };
        assert_eq!(next.versions().len(), 19);
    }
}
