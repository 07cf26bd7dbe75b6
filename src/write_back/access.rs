//! Reads and writes files of the content folder. The same links are followed as when the folder is read.

use std::{fs, io};

use crate::{
    confined_folder::ConfinedFolder,
    content_files::folder_files,
    content_text::Diagnostic,
    domain::file_edit::FileEdit,
    error::{Error, Kind, Result},
    write_back::{FolderWriter, files::failed},
};

impl FolderWriter {
    /// Opens the folder; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub(super) fn existing_folder(&self) -> Result<Option<ConfinedFolder>> {
        match folder_files::open(&self.root) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(&self.root, error)),
        }
    }

    /// Opens the folder, creating it if it does not exist.
    ///
    /// # Errors
    ///
    /// If it cannot be created or opened.
    pub(super) fn folder(&self) -> Result<ConfinedFolder> {
        let folder = fs::create_dir_all(&self.root).and_then(|()| folder_files::open(&self.root));
        folder.map_err(|error| failed(&self.root, error))
    }

    /// Returns the content of a file; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is below a link that is not followed.
    pub(super) fn bytes_at(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let Some(folder) = self.existing_folder()? else {
            return Ok(None);
        };
        let read = folder.read(path);
        read.map_err(|error| failed(&self.root.join(path), error))
    }

    /// Returns the text of a file; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is below a link that is not followed.
    pub(super) fn text_at(&self, path: &str) -> Result<Option<String>> {
        let text = self.bytes_at(path)?.map(String::from_utf8).transpose();
        text.map_err(|error| {
            let error = io::Error::new(io::ErrorKind::InvalidData, error);
            failed(&self.root.join(path), error)
        })
    }

    /// Writes a file atomically, or deletes it and its folder if that becomes empty. On return, the change is on disk.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or is below a link that is not followed.
    pub(super) fn put(&self, path: &str, content: Option<&[u8]>) -> Result<()> {
        let written = match content {
            Some(content) => self.folder()?.replace(path, content),
            None => match self.existing_folder()? {
                Some(folder) => folder.remove(path),
                None => Ok(()),
            },
        };
        written.map_err(|error| failed(&self.root.join(path), error))
    }

    /// Checks, when an editor changes files, that no link prevents writing them.
    ///
    /// # Errors
    ///
    /// `Validation` if one of the files is below a link that is not followed.
    pub(super) fn check_reach<'p>(&self, paths: impl IntoIterator<Item = &'p str>) -> Result<()> {
        // A missing folder has no links. The first write creates it.
        let Some(folder) = self.existing_folder()? else {
            return Ok(());
        };
        // The check is repeated before each write, because a folder may become a link at any time
        // after it.
        for path in paths {
            if let Err(error) = folder.check(path) {
                let message =
                    format!("The file {path} cannot be written: {error}. Nothing was changed.");
                let error = Error::new(Kind::Validation, message);
                return Err(error.help("Replace the link with a folder or a file, and save again."));
            }
        }
        Ok(())
    }

    /// Returns the reason why an edit cannot be written, if one of its files is below a link that is not followed.
    pub(super) fn unreachable(&self, edit: &FileEdit) -> Result<Option<Diagnostic>> {
        let Some(folder) = self.existing_folder()? else {
            return Ok(None);
        };
        let refused = edit.paths().find_map(|path| {
            let error = folder.check(path).err()?;
            Some((path, error))
        });
        Ok(refused.map(|(path, error)| {
            let message = format!(
                "the edit of \"{}\" by {} is pending and cannot be written: {error}",
                edit.title, edit.editor.name
            );
            let advice = "replace the link with a folder or a file; the edit is then written";
            Diagnostic::about_file(path, message, advice)
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink, path::Path, sync::Arc};

    use serde_json::{Value, json};

    use super::*;
    use crate::{
        clock::SystemClock,
        content_files::edits::WrittenEdits,
        site::{LeasedSite, Site},
        store::{Table, memory::MemoryStore},
        uploads::Uploads,
    };

    const BEFORE: &str = "---\ntitle: A\n---\n\nBefore.\n";
    const AFTER: &str = "---\ntitle: A\n---\n\nAfter.\n";

    /// A site with a pending edit, and the writer of its content folder.
    struct Scene {
        top: tempfile::TempDir,
        site: LeasedSite,
        writer: FolderWriter,
    }

    impl Scene {
        /// Creates the scene with an edit of `posts/a.md` that has these other fields.
        fn with(fields: Value) -> Self {
            let top = tempfile::tempdir().unwrap();
            for folder in [
                "content/posts",
                "content/drafts",
                "content/images",
                "outside",
            ] {
                fs::create_dir_all(top.path().join(folder)).unwrap();
                fs::write(top.path().join(folder).join("a.md"), BEFORE).unwrap();
            }
            fs::write(top.path().join("content/images/a.png"), "picture").unwrap();
            fs::write(top.path().join("outside/a.png"), "picture").unwrap();
            fs::create_dir_all(top.path().join("data/images")).unwrap();
            fs::write(top.path().join("data/images/new.png"), "upload").unwrap();
            let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock)).unwrap();
            let site = LeasedSite::from(Arc::new(site));
            let mut edit = json!({
                "number": 1, "path": "posts/a.md", "before": BEFORE, "after": AFTER,
                "is_of_document": true, "title": "A", "editor": { "name": "Ada" }, "earlier": [],
                "begun_at": "2026-01-01T00:00:00Z", "edited_at": "2026-01-01T00:00:00Z", "saves": 1,
            });
            for (name, value) in fields.as_object().unwrap() {
                edit[name] = value.clone();
            }
            let edit: FileEdit = serde_json::from_value(edit).unwrap();
            site.write(|change| change.put(Table::FileEdits, &1_u64.to_be_bytes(), &edit))
                .unwrap();
            let uploads = Uploads::in_data(&top.path().join("data"));
            let content = top.path().join("content");
            let writer = FolderWriter::new(content, uploads, Arc::default()).with_other_writers();
            Self { top, site, writer }
        }

        fn at(&self, path: &str) -> std::path::PathBuf {
            self.top.path().join(path)
        }

        fn write(&self) -> WrittenEdits {
            self.writer.write_waiting(&self.site, &[], &[]).unwrap()
        }

        fn outside(&self) -> Vec<(std::ffi::OsString, String)> {
            let entries = fs::read_dir(self.at("outside")).unwrap();
            let mut files: Vec<_> = entries
                .map(|entry| {
                    let entry = entry.unwrap();
                    (entry.file_name(), fs::read_to_string(entry.path()).unwrap())
                })
                .collect();
            files.sort();
            files
        }
    }

    fn replace_by_link(path: &Path, target: &Path) {
        fs::rename(path, path.with_extension("aside")).unwrap();
        symlink(target, path).unwrap();
    }

    fn put_back(path: &Path) {
        fs::remove_file(path).unwrap();
        fs::rename(path.with_extension("aside"), path).unwrap();
    }

    #[test]
    fn edit_waits_while_a_link_points_outside_and_is_written_when_the_link_is_gone() {
        let edits = [
            ("an edit", json!({}), "posts"),
            (
                "a new file",
                json!({ "path": "posts/b.md", "before": null }),
                "posts",
            ),
            ("a deletion", json!({ "after": null }), "posts"),
            (
                "a new path",
                json!({ "path": "posts/b.md", "moved_from": "drafts/a.md" }),
                "posts",
            ),
            (
                "an old path",
                json!({ "path": "drafts/b.md", "moved_from": "posts/a.md" }),
                "posts",
            ),
            (
                "an upload",
                json!({ "uploads": ["images/new.png"] }),
                "images",
            ),
            (
                "an image",
                json!({ "after": null, "pictures": ["images/a.png"] }),
                "images",
            ),
        ];
        for (what, fields, link) in edits {
            let scene = Scene::with(fields);
            let before = scene.outside();
            let path = scene.at("content").join(link);
            replace_by_link(&path, &scene.at("outside"));
            let outcome = scene.write();
            assert!(
                outcome.written.is_empty() && outcome.conflicts.is_empty(),
                "{what}"
            );
            let [problem] = &outcome.blocked.problems[..] else {
                panic!("{what}: {:?}", outcome.blocked);
            };
            let problem = problem.to_string();
            assert!(
                problem.contains(&format!("the symbolic link {link} points outside")),
                "{problem}"
            );
            assert!(problem.contains("by Ada"), "{problem}");
            assert_eq!(scene.outside(), before, "{what}");
            put_back(&path);
            let outcome = scene.write();
            assert!(outcome.blocked.problems.is_empty(), "{what}");
            assert!(
                outcome.conflicts.is_empty(),
                "{what}: {:?}",
                outcome.conflicts
            );
            assert_eq!(outcome.written.len(), 1, "{what}");
            assert_eq!(scene.outside(), before, "{what}");
        }
    }

    #[test]
    fn later_edit_of_the_same_file_waits_with_the_first() {
        let scene = Scene::with(json!({ "uploads": ["images/new.png"] }));
        let mut later = scene.site.current().file_edits().unwrap().remove(0);
        later.number = 2;
        later.uploads = Box::default();
        later.before = Some(AFTER.to_owned());
        later.after = Some(AFTER.replace("After", "Later"));
        scene
            .site
            .write(|change| change.put(Table::FileEdits, &2_u64.to_be_bytes(), &later))
            .unwrap();
        let images = scene.at("content/images");
        replace_by_link(&images, &scene.at("outside"));
        assert!(scene.write().written.is_empty());
        let text = || fs::read_to_string(scene.at("content/posts/a.md")).unwrap();
        assert_eq!(text(), BEFORE);
        put_back(&images);
        assert_eq!(scene.write().written.len(), 2);
        assert_eq!(text(), AFTER.replace("After", "Later"));
    }
}
