//! Lists the files of a content folder, and reads single ones.
//!
//! The list is in the order of the paths. Symbolic links are followed within the folder. A link that points out of it, is
//! part of a loop or is broken is reported and not followed, so that a link in a repository cannot publish other files of the
//! machine. Hidden files and temporary files of editors are skipped. Nothing is ever written.

use std::{
    fs::Metadata,
    io::{self, ErrorKind::NotFound, Read},
    os::unix::fs::MetadataExt,
    path::Path,
};

use walkdir::{DirEntry, WalkDir};

use crate::{
    confined_folder::ConfinedFolder,
    content_text::{Diagnostic, FILE_BYTES_MAX},
    generators::has_served_folder,
};

/// Maximum depth of folders.
const DEPTH_MAX: usize = 32;
/// Maximum number of files in a content folder.
const FILES_MAX: usize = 200_000;

/// The files of a content folder.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// All files, sorted by path; content files and others.
    pub files: Vec<TreeFile>,
    /// Diagnostics of unreadable entries.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether some entries were not listed, so that a missing file may exist.
    pub is_partial: bool,
    /// Whether some of the files are reached by symbolic links.
    pub has_links: bool,
}

impl Tree {
    /// Returns whether a file has this path.
    pub fn contains(&self, path: &str) -> bool {
        self.files
            .binary_search_by(|file| file.path.as_str().cmp(path))
            .is_ok()
    }
}

/// A file of a content folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Its path relative to the folder, with the separator `/`.
    pub path: String,
    /// Its length in bytes.
    pub size: u64,
    /// Metadata that identifies its version.
    pub identity: Identity,
}

/// Metadata that changes when a file is written or replaced. Equal metadata makes an unchanged file likely, not certain:
/// writes within the time resolution of the file system need a comparison of the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// Time of the last write, in nanoseconds since 1970.
    pub modified_ns: i128,
    /// Time of the last change of content or metadata, in nanoseconds since 1970.
    pub changed_ns: i128,
    /// The inode number.
    pub inode: u64,
}

impl Identity {
    fn of(metadata: &Metadata) -> Identity {
        let nanoseconds =
            |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Identity {
            modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }
}

/// Opens a content folder for reading and writing. Links are followed only to files that [`walk`] lists.
///
/// # Errors
///
/// If it cannot be opened.
pub fn open(root: &Path) -> io::Result<ConfinedFolder> {
    Ok(ConfinedFolder::open(root)?.hiding(is_ignored))
}

/// Lists the files below `root`. For an unreadable folder, returns one diagnostic and no files.
pub fn walk(root: &Path) -> Tree {
    // An unreadable folder must not look like an empty one, which would delete all records.
    let folder = match root.read_dir().and_then(|_| open(root)) {
        Ok(folder) => folder,
        Err(error) => {
            return Tree {
                diagnostics: vec![no_folder(root, &error)],
                is_partial: true,
                ..Tree::default()
            };
        }
    };
    let mut walk = TreeWalker {
        root,
        folder,
        tree: Tree::default(),
    };
    let mut entries = WalkDir::new(root)
        .follow_links(true)
        .min_depth(1)
        .max_depth(DEPTH_MAX)
        .into_iter();
    while let Some(entry) = entries.next() {
        let next = match entry {
            Ok(entry) => walk.entry(&entry),
            Err(error) => walk.failed(&error),
        };
        match next {
            Next::Into => {}
            Next::Past => entries.skip_current_dir(),
            Next::Stop => break,
        }
    }
    // The walk lists folder by folder, which is not the order of the complete paths.
    walk.tree
        .files
        .sort_by(|one, other| one.path.cmp(&other.path));
    walk.tree
        .diagnostics
        .sort_by(|one, other| one.file.cmp(&other.file));
    walk.tree
}

fn no_folder(root: &Path, error: &std::io::Error) -> Diagnostic {
    let message = format!("the content folder cannot be read: {error}");
    Diagnostic::about_file(
        root.to_string_lossy(),
        message,
        "name a folder that exists and can be read",
    )
}

/// Returns the file at `path` below `root`; `None` if it does not exist, or is only reached by symbolic links, which only a
/// full walk can verify.
pub fn file_at(root: &Path, path: &str) -> Option<TreeFile> {
    let mut reached = root.to_owned();
    let mut metadata = None;
    for part in path.split('/') {
        reached.push(part);
        metadata = Some(
            reached
                .symlink_metadata()
                .ok()
                .filter(|metadata| !metadata.is_symlink())?,
        );
    }
    let metadata = metadata.filter(Metadata::is_file)?;
    Some(TreeFile {
        path: path.to_owned(),
        size: metadata.len(),
        identity: Identity::of(&metadata),
    })
}

/// Returns whether walks skip the file or folder at `path`, because of a name in the path. Hidden folders are skipped, except
/// those that a generator serves.
pub fn is_ignored_path(path: &str) -> bool {
    let mut names = path.split('/').peekable();
    while let Some(name) = names.next() {
        let is_served = has_served_folder(name, names.peek().copied());
        if !is_served && is_ignored(name) {
            return true;
        }
    }
    false
}

/// Returns whether a file or folder called `name` is skipped: hidden, or a temporary file of an editor.
pub fn is_ignored(name: &str) -> bool {
    let temporary = [".swp", ".swo", ".swx", ".tmp", ".bak"];
    name.starts_with('.')
        || name.ends_with('~')
        || (name.starts_with('#') && name.ends_with('#'))
        || temporary.iter().any(|extension| name.ends_with(extension))
        // Vim creates `4913` for a moment to test its permissions.
        || matches!(name, "4913" | "node_modules" | "Thumbs.db" | "desktop.ini")
}

/// Reads a file of the folder `root`.
///
/// # Errors
///
/// A diagnostic if it is unreadable, or longer than [`FILE_BYTES_MAX`].
pub fn read(root: &Path, path: &str) -> Result<Vec<u8>, Diagnostic> {
    let mut bytes = Vec::new();
    let file = open(root)
        .and_then(|folder| folder.open_file(path))
        .map_err(|error| unreadable(path, &error.to_string()))?;
    // One byte more shows that the file is too long.
    let limit = FILE_BYTES_MAX as u64 + 1;
    file.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(path, &error.to_string()))?;
    if bytes.len() > FILE_BYTES_MAX {
        Err(Diagnostic::too_large(path))
    } else {
        Ok(bytes)
    }
}

fn unreadable(path: &str, reason: &str) -> Diagnostic {
    let message = format!("the file cannot be read: {reason}");
    Diagnostic::about_file(
        path,
        message,
        "give the user that the server runs as permission to read it",
    )
}

struct TreeWalker<'root> {
    root: &'root Path,
    folder: ConfinedFolder,
    tree: Tree,
}

/// How to continue after an entry.
enum Next {
    /// Continue, and descend if it is a folder.
    Into,
    /// Continue without descending.
    Past,
    Stop,
}

impl TreeWalker<'_> {
    fn entry(&mut self, entry: &DirEntry) -> Next {
        let folder = entry.file_type().is_dir();
        // After a file, `skip_current_dir` would skip the rest of its folder.
        let past = if folder { Next::Past } else { Next::Into };
        let Some(path) = self.relative(entry.path()) else {
            return past;
        };
        if entry.path_is_symlink() && !self.is_followed(&path) {
            let message = "the symbolic link points outside of the content folder or to a hidden file, and is not followed";
            let advice = "put the file into the folder, or serve the folder that contains both";
            self.tree
                .diagnostics
                .push(Diagnostic::about_file(path, message, advice).into_warning());
            return past;
        }
        self.tree.has_links |= entry.path_is_symlink();
        if folder {
            return Next::Into;
        }
        match entry.metadata() {
            Ok(metadata) if metadata.is_file() => self.file(path, &metadata),
            Ok(_) => Next::Into,
            Err(error) => self.failed(&error),
        }
    }

    fn file(&mut self, path: String, metadata: &Metadata) -> Next {
        if self.tree.files.len() == FILES_MAX {
            let message = format!("the content folder contains more than {FILES_MAX} files");
            self.tree.diagnostics.push(Diagnostic::about_file(
                path,
                message,
                "serve a smaller folder",
            ));
            self.tree.is_partial = true;
            return Next::Stop;
        }
        self.tree.files.push(TreeFile {
            path,
            size: metadata.len(),
            identity: Identity::of(metadata),
        });
        Next::Into
    }

    /// Returns the path relative to the root; `None` if it is skipped or is not UTF-8, which is reported.
    fn relative(&mut self, path: &Path) -> Option<String> {
        let below = path.strip_prefix(self.root).unwrap_or(path);
        if is_ignored_path(&below.to_string_lossy()) {
            return None;
        }
        if let Some(path) = below.to_str() {
            return Some(path.to_owned());
        }
        let message = "the name is not UTF-8";
        let shown = below.to_string_lossy().into_owned();
        self.tree
            .diagnostics
            .push(Diagnostic::about_file(shown, message, "rename it"));
        None
    }

    /// Returns whether a link points to an entry that the walk would list: inside the folder, and not skipped.
    fn is_followed(&self, link: &str) -> bool {
        self.folder.real_path(Path::new(link)).is_ok()
    }

    fn failed(&mut self, error: &walkdir::Error) -> Next {
        let path = error.path().unwrap_or(self.root).to_owned();
        let is_gone = error
            .io_error()
            .is_some_and(|error| error.kind() == NotFound);
        if is_gone && !path.is_symlink() {
            // Deleted since its folder was listed.
            return Next::Into;
        }
        if let Some(path) = self.relative(&path) {
            let diagnostic = about_failure(path, error);
            // A broken link hides no file of the folder, an unreadable folder may.
            self.tree.is_partial |= diagnostic.is_error();
            self.tree.diagnostics.push(diagnostic);
        }
        Next::Into
    }
}

fn about_failure(path: String, error: &walkdir::Error) -> Diagnostic {
    if error.loop_ancestor().is_some() {
        let message = "the symbolic link is part of a loop and is not followed";
        return Diagnostic::about_file(path, message, "remove the link").into_warning();
    }
    if error.path().is_some_and(Path::is_symlink) {
        let message = "the target of the symbolic link cannot be read";
        return Diagnostic::about_file(path, message, "remove the link, or create its target")
            .into_warning();
    }
    unreadable(&path, &reason(error))
}

fn reason(error: &walkdir::Error) -> String {
    error
        .io_error()
        .map_or_else(|| error.to_string(), ToString::to_string)
}
