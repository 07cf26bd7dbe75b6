//! The files of the data folder that belong into a backup, beside the store.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use walkdir::{DirEntry, WalkDir};

use super::{DEPTH_MAX, FILES_MAX};
use crate::{
    archive::{OF_SYSTEMS, check_name},
    data_folder::UPLOADS,
};

/// Where the copies of pictures lie, which are made anew.
pub const COPIES: &str = "images/size";

const THEMES: &str = "themes";

/// A file that belongs into a backup.
#[derive(Debug)]
pub struct Upload {
    /// Where it lies in the data folder, with slashes.
    pub name: String,
    pub path: PathBuf,
    pub bytes: u64,
}

/// The files that belong into a backup.
#[derive(Debug, Default)]
pub struct Uploads {
    /// In the order of their names.
    pub files: Vec<Upload>,
    /// What cannot be taken along, and why.
    pub left_out: Vec<String>,
    /// Which folder each theme is: a theme that is replaced is another one.
    themes: Vec<(PathBuf, u64)>,
}

/// There are more files than a backup takes.
#[derive(Debug)]
pub struct TooMany;

impl Uploads {
    /// Finds the files of the data folder `data`.
    pub fn find(data: &Path) -> io::Result<Result<Self, TooMany>> {
        let mut uploads = Self::default();
        for folder in UPLOADS {
            let folder = data.join(folder);
            if !folder.is_dir() {
                continue;
            }
            let entries = WalkDir::new(&folder)
                .sort_by_file_name()
                .into_iter()
                .filter_entry(|entry| is_wanted(entry, data));
            for entry in entries {
                let entry = match entry {
                    Err(error) if is_gone(&error) => continue,
                    entry => entry?,
                };
                uploads.add(&entry, data)?;
                if uploads.files.len() >= FILES_MAX {
                    return Ok(Err(TooMany));
                }
            }
        }
        Ok(Ok(uploads))
    }

    fn add(&mut self, entry: &DirEntry, data: &Path) -> io::Result<()> {
        let path = entry.path().strip_prefix(data).unwrap_or(entry.path());
        if entry.file_type().is_dir() {
            if entry.depth() == 1 && path.starts_with(THEMES) {
                self.themes
                    .push((entry.path().to_owned(), entry.metadata()?.ino()));
            }
            return Ok(());
        }
        let mut leave_out = |why: &str| {
            self.left_out
                .push(format!("{}: {why}", path.to_string_lossy().escape_debug()));
            Ok(())
        };
        if !entry.file_type().is_file() {
            // The top folders themselves may be links: to another disk, say.
            return match entry.depth() {
                0 => Ok(()),
                _ => leave_out("it is neither a file nor a folder"),
            };
        }
        let Some(name) = path.to_str() else {
            return leave_out("its name is not UTF-8");
        };
        if let Err(error) = check_name(name) {
            return leave_out(&error.to_string());
        }
        if name.split('/').count() > DEPTH_MAX {
            return leave_out(&format!("it lies in more than {} folders", DEPTH_MAX - 1));
        }
        let metadata = match entry.metadata() {
            Err(error) if is_gone(&error) => return Ok(()),
            metadata => metadata?,
        };
        self.files.push(Upload {
            name: name.to_owned(),
            path: entry.path().to_owned(),
            bytes: metadata.len(),
        });
        Ok(())
    }

    /// Whether the themes are still those that were found.
    pub fn themes_are_the_same(&self) -> bool {
        self.themes
            .iter()
            .all(|(path, number)| fs::metadata(path).is_ok_and(|found| found.ino() == *number))
    }
}

impl Upload {
    /// Whether it belongs to a theme, whose files are there together or not at all.
    pub fn is_of_theme(&self) -> bool {
        self.name
            .split_once('/')
            .is_some_and(|(folder, _)| folder == THEMES)
    }
}

/// Whether a file or a folder is neither made anew, nor on its way, nor a system's own.
fn is_wanted(entry: &DirEntry, data: &Path) -> bool {
    let path = entry.path().strip_prefix(data).unwrap_or(entry.path());
    let name = entry.file_name();
    let is_on_its_way =
        path.starts_with(THEMES) && entry.depth() == 1 && name.as_encoded_bytes().starts_with(b".");
    let is_of_system = OF_SYSTEMS.iter().any(|of_system| name == *of_system);
    path != Path::new(COPIES) && !is_on_its_way && !is_of_system
}

fn is_gone(error: &walkdir::Error) -> bool {
    error
        .io_error()
        .is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
}
