//! A content folder and a data folder next to it, which are deleted after the test.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

/// The two folders of one site.
pub struct Folder(TempDir);

impl Folder {
    /// Creates an empty content folder.
    pub fn new() -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        fs::create_dir(folder.content()).expect("a content folder");
        folder
    }

    /// Creates a content folder with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    /// Returns the folder that contains both.
    pub fn top(&self) -> &Path {
        self.0.path()
    }

    /// Returns the content folder.
    pub fn content(&self) -> PathBuf {
        self.top().join("content")
    }

    /// Returns the data folder.
    pub fn data(&self) -> PathBuf {
        self.top().join("data")
    }

    /// Returns the path of the content file `path`.
    pub fn at(&self, path: &str) -> PathBuf {
        self.content().join(path)
    }

    /// Writes a content file, creating its parent folders.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("folders");
        fs::write(path, text).expect("the file can be written");
    }

    /// Deletes a content file.
    pub fn remove(&self, path: &str) {
        fs::remove_file(self.at(path)).expect("the file can be removed");
    }

    /// Renames a content file, creating the parent folders of the new path.
    pub fn rename(&self, from: &str, to: &str) {
        let to = self.at(to);
        fs::create_dir_all(to.parent().expect("a file lies in a folder")).expect("folders");
        fs::rename(self.at(from), to).expect("the file can be renamed");
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        self.top()
    }
}

/// Returns a post with this title and text, with a fixed date.
pub fn post(title: &str, text: &str) -> String {
    post_with(title, "", text)
}

/// Returns a post with this title, additional lines of front matter and this text.
pub fn post_with(title: &str, front_matter: &str, text: &str) -> String {
    format!("+++\ntitle = \"{title}\"\ndate = 2025-01-05T10:00:00Z\n{front_matter}\n+++\n{text}\n")
}
