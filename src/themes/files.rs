//! The files of a theme.

use std::{fs::File, path::PathBuf};

use crate::themes::built_in;

/// The name of the package file.
pub(super) const PACKAGE: &str = "package.json";

/// The location of a theme's files.
#[derive(Clone, Debug)]
pub(super) enum ThemeFiles {
    /// In the program.
    BuiltIn(built_in::BuiltInFiles),
    /// In this folder, which is replaced as a whole.
    Folder(PathBuf),
    /// In this folder, in which files are edited.
    Edited(PathBuf),
}

/// The version of a theme's files: it changes when they are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeVersion {
    pub(super) name: String,
    /// The device, inode and time of change of the folder, or of each of its files if they are edited; none for a theme in the
    /// program.
    pub(super) files: Vec<FileVersion>,
}

/// The device, inode and time of change of a file or folder.
pub(super) type FileVersion = (u64, u64, i64, i64);

/// A file of a theme.
#[derive(Debug)]
pub enum ThemeFile {
    /// In the program.
    BuiltIn(&'static str),
    /// On disk, and open.
    Open(File),
}

/// Returns whether a file or folder of this name does not belong to the theme: hidden ones and the
/// author's build tools.
pub(super) fn is_ignored(name: &str) -> bool {
    name.starts_with('.') || name == "node_modules"
}
