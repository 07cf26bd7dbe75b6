//! The files of a theme.

use std::{fs::File, path::PathBuf};

use crate::themes::built_in;

/// The name of the package file.
pub(super) const PACKAGE: &str = "package.json";

/// The location of a theme's files.
#[derive(Clone, Debug)]
pub(super) enum ThemeFiles {
    /// Compiled into the program.
    BuiltIn(built_in::BuiltInFiles),
    /// In this folder, which is only replaced as a whole.
    Folder(PathBuf),
    /// In this folder, whose files may be edited.
    Edited(PathBuf),
}

/// The version of a theme's files, which changes when files are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeVersion {
    pub(super) name: String,
    /// The device, inode and time of change of the folder or, if the files may be edited, of each file; empty for a built-in
    /// theme.
    pub(super) files: Vec<FileVersion>,
}

/// The device, inode and time of change of a file or folder.
pub(super) type FileVersion = (u64, u64, i64, i64);

/// A file of a theme.
#[derive(Debug)]
pub enum ThemeFile {
    /// Compiled into the program.
    BuiltIn(&'static str),
    /// An open file on disk.
    Open(File),
}

/// Returns whether a file or folder with this name is not part of a theme: hidden files and the author's build tools.
pub(super) fn is_ignored(name: &str) -> bool {
    name.starts_with('.') || name == "node_modules"
}
