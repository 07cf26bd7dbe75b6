//! Creates new files in a folder that others also write to, so that a crash does not restore a file that they have since
//! deleted.
//!
//! The text is written to a hidden temporary file next to the path, the store records this, and the temporary file is
//! renamed. If the record exists after a crash and the temporary file does not, the file was renamed.

use std::{
    ffi::OsString,
    io::{self, Write},
};

use crate::{
    catalog::posts::PostIndex,
    confined_folder::{FILE_MODE, OpenFolder, UNFINISHED},
    content_files::edits::WrittenEdits,
    domain::file_edit::FileEdit,
    error::Result,
    site::{LeasedSite, Transaction},
    write_back::{FolderWriter, files::failed},
};

impl FolderWriter {
    /// Returns whether the new file of an edit was already created. Others may have changed or deleted it since.
    ///
    /// # Errors
    ///
    /// If the folder cannot be opened.
    pub(super) fn has_placed(&self, edit: &FileEdit) -> Result<bool> {
        if !edit.is_in_progress {
            return Ok(false);
        }
        let temporary = match edit.path.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{}", temporary_name(edit)),
            None => temporary_name(edit),
        };
        let has_temporary = match self.existing_folder()? {
            Some(folder) => folder.has(&temporary),
            None => Ok(false),
        };
        let has_temporary =
            has_temporary.map_err(|error| failed(&self.root.join(temporary), error))?;
        Ok(!has_temporary)
    }

    /// Creates the new file of an edit with this text. On return, the file is on disk. If the edit was continued in the
    /// meantime, nothing is created, and the continued edit is returned.
    pub(super) fn put_file(
        &self,
        site: &LeasedSite,
        edit: &FileEdit,
        text: &str,
    ) -> Result<Option<FileEdit>> {
        let at = |error| failed(&self.root.join(&*edit.path), error);
        // The open folder is used throughout, so changes of its path in the meantime do not matter.
        let root = self.folder()?;
        let (folder, name) = root.open_parent(&edit.path).map_err(at)?;
        let temporary = OsString::from(temporary_name(edit));
        // The temporary file is durable before the record, else a power cut would leave the record
        // alone, which means that the file was renamed.
        write_temporary(&folder, &temporary, text).map_err(at)?;
        // The editor has saved again since the edit was read, so the temporary file has an old
        // text.
        if let Some(continued) = site.write(|change| change.record_temporary_file(edit))? {
            folder.remove(&temporary).map_err(at)?;
            if let Some((folder, _)) = edit.path.rsplit_once('/') {
                root.remove_empty_folder(folder).map_err(at)?;
            }
            return Ok(Some(continued));
        }
        // The new name is durable before the caller removes the edit from the store.
        let placed = folder.rename(&temporary, name).and_then(|()| folder.sync());
        placed.map_err(at)?;
        Ok(None)
    }
}

/// Writes the temporary file durably, replacing one that a killed process left behind.
fn write_temporary(folder: &OpenFolder, name: &OsString, text: &str) -> io::Result<()> {
    folder.remove(name)?;
    let mut file = folder.begin_file(UNFINISHED, FILE_MODE)?;
    file.content().write_all(text.as_bytes())?;
    file.content().sync_all()?;
    file.finish(folder, name)?;
    folder.sync()
}

impl WrittenEdits {
    /// Deletes the posts whose new files others have deleted.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn delete_posts(&self, transaction: &mut Transaction) -> Result<()> {
        for path in &self.deleted {
            let of_file = |posts: &PostIndex| {
                let mut posts = posts.iter();
                let post = posts.find(|post| post.origin.path() == Some(path));
                post.map(|post| post.id)
            };
            if let Some(id) = of_file(&transaction.catalog().posts) {
                transaction.delete_post_of_file(id)?;
            }
        }
        Ok(())
    }
}

/// Returns the name of the temporary file of a new file.
fn temporary_name(edit: &FileEdit) -> String {
    // The number alone is ambiguous: in earlier versions, numbers started over when no edit was
    // pending. The leading dot hides the file from the scan.
    let begun_at = edit.begun_at.as_millisecond();
    format!(".galley-{begun_at}-{}.new", edit.number)
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use jiff::Timestamp;

    use super::*;
    use crate::{
        clock::SystemClock,
        domain::file_edit::Editor,
        site::Site,
        store::{Table, memory::MemoryStore},
        uploads::Uploads,
    };

    const TEXT: &str = "---\ntitle: New\n---\n";
    const OTHER: &str = "---\ntitle: Other\n---\n";

    fn new_file(number: u64) -> FileEdit {
        FileEdit {
            number,
            path: format!("posts/new-{number}.md").into(),
            moved_from: None,
            before: None,
            after: Some(TEXT.to_owned()),
            is_of_document: true,
            is_in_progress: false,
            is_written: false,
            uploads: Box::default(),
            images: Box::default(),
            title: "New".into(),
            editor: Editor {
                name: "Ada".into(),
                email: None,
            },
            begun_at: Timestamp::UNIX_EPOCH,
            edited_at: Timestamp::UNIX_EPOCH,
            saves: 1,
            earlier: Box::default(),
        }
    }

    #[test]
    fn file_that_others_delete_after_a_crash_stays_deleted_and_one_that_was_not_placed_is_placed() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock)).unwrap();
        let site = LeasedSite::from(Arc::new(site));
        let root = folder.path().join("content");
        let writer = FolderWriter::new(
            root.clone(),
            Uploads::in_data(folder.path()),
            Arc::default(),
        );
        let writer = writer.with_other_writers();
        let store = |edit: &FileEdit| {
            site.write(|change| change.put(Table::FileEdits, &edit.number.to_be_bytes(), edit))
                .unwrap();
        };
        store(&new_file(1));
        writer.write_waiting(&site, &[], &[]).unwrap();
        let file = root.join("posts/new-1.md");
        assert_eq!(fs::read_to_string(&file).unwrap(), TEXT);
        // The process ends before it removes the edit, and another person deletes the file.
        fs::remove_file(&file).unwrap();
        // Another edit was interrupted before its file was created.
        let cut_off = FileEdit {
            is_in_progress: true,
            ..new_file(2)
        };
        store(&cut_off);
        let path = root.join(&*cut_off.path);
        fs::create_dir_all(root.join("posts")).unwrap();
        fs::write(path.with_file_name(temporary_name(&cut_off)), TEXT).unwrap();
        // The file of a third edit was created, and another person changes it.
        let changed = FileEdit {
            is_in_progress: true,
            ..new_file(3)
        };
        store(&changed);
        let third = root.join(&*changed.path);
        fs::write(&third, OTHER).unwrap();
        let outcome = writer.write_waiting(&site, &[], &[]).unwrap();
        assert!(!file.exists());
        assert_eq!(outcome.deleted, [Box::from("posts/new-1.md")]);
        assert!(outcome.written[0].is_empty() && outcome.conflicts.is_empty());
        assert_eq!(fs::read_to_string(&path).unwrap(), TEXT);
        assert!(!path.with_file_name(temporary_name(&cut_off)).exists());
        assert_eq!(fs::read_to_string(&third).unwrap(), OTHER);
    }

    #[test]
    fn new_file_that_is_saved_again_meanwhile_is_placed_with_the_later_text() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock)).unwrap();
        let site = LeasedSite::from(Arc::new(site));
        let root = folder.path().join("content");
        let writer = FolderWriter::new(
            root.clone(),
            Uploads::in_data(folder.path()),
            Arc::default(),
        );
        let first = new_file(1);
        let later = FileEdit {
            saves: 2,
            after: Some(OTHER.to_owned()),
            ..first.clone()
        };
        site.write(|change| change.put(Table::FileEdits, &1_u64.to_be_bytes(), &later))
            .unwrap();
        let continued = writer.put_file(&site, &first, TEXT).unwrap();
        assert_eq!(continued.as_ref(), Some(&later));
        assert!(!root.join("posts").exists());
        assert_eq!(writer.put_file(&site, &later, OTHER).unwrap(), None);
        let file = root.join(&*later.path);
        assert_eq!(fs::read_to_string(file).unwrap(), OTHER);
    }
}
