//! Finds the uploads that belong in a backup next to the store.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use walkdir::{DirEntry, WalkDir};

use super::{FILES_MAX, folder_times::FolderTimes};
use crate::{
    archive::{SYSTEM_FILES, check_name},
    backup::limits::DEPTH_MAX,
    bucket::StoredObject,
    uploads::{BucketUploads, UPLOAD_FOLDERS, Uploads},
};

/// The folder of resized images, which can be created again.
pub const COPIES: &str = "images/size";

/// The folder of themes.
pub const THEMES: &str = "themes";

/// A file that belongs in a backup.
#[derive(Debug)]
pub struct Upload {
    /// The path relative to the folder of uploads, with slashes.
    pub name: String,
    pub path: PathBuf,
    pub bytes: u64,
}

/// The files that belong in a backup.
#[derive(Debug, Default)]
pub struct FoundUploads {
    /// Sorted by name.
    pub files: Vec<Upload>,
    /// Files that cannot be included, with the reason.
    pub left_out: Vec<String>,
    /// The folders on disk that were searched, with their times.
    pub folders: FolderTimes,
    /// The inode number of each theme's folder, which changes when the theme is replaced.
    themes: Vec<(PathBuf, u64)>,
}

/// There are more files than a backup can contain.
#[derive(Debug)]
pub struct TooMany;

impl FoundUploads {
    /// Finds the files of `uploads`. If the uploads are in a bucket, all except the themes are its objects.
    pub fn find(uploads: &Uploads) -> io::Result<Result<Self, TooMany>> {
        Self::find_in(uploads, uploads.bucket())
    }

    /// Finds the files of `uploads` that are on disk.
    pub fn find_on_disk(uploads: &Uploads) -> io::Result<Result<Self, TooMany>> {
        Self::find_in(uploads, None)
    }

    fn find_in(
        uploads: &Uploads,
        bucket: Option<&BucketUploads>,
    ) -> io::Result<Result<Self, TooMany>> {
        let top = uploads.folder();
        if uploads.bucket().is_none() {
            // A missing folder is an error instead of a site without uploads: its disk may not be
            // mounted.
            fs::metadata(top)?;
        }
        let mut found = Self::default();
        for folder in UPLOAD_FOLDERS {
            // Of the uploads in a bucket, the folders on disk contain only local copies. Themes are always on disk.
            let is_on_disk = uploads.bucket().is_none() || folder == THEMES;
            match bucket {
                _ if is_on_disk => found.add_folder(top.join(folder), top)?,
                Some(bucket) => found.add_objects(bucket, folder, top)?,
                None => {}
            }
            if found.is_full() {
                return Ok(Err(TooMany));
            }
        }
        Ok(Ok(found))
    }

    /// Returns whether there are as many files as a backup can contain.
    fn is_full(&self) -> bool {
        self.files.len() >= FILES_MAX
    }

    /// Adds the files in a folder on disk until there are too many.
    fn add_folder(&mut self, folder: PathBuf, top: &Path) -> io::Result<()> {
        if !is_folder(&folder)? {
            self.folders.add(folder, None);
            return Ok(());
        }
        let entries = WalkDir::new(&folder)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(|entry| is_wanted(entry, top));
        for entry in entries {
            let entry = match entry {
                // A theme may be replaced, or an upload deleted, while the site is served.
                Err(error) if is_gone(&error) => continue,
                entry => entry?,
            };
            self.add(&entry, top)?;
            if self.is_full() {
                break;
            }
        }
        Ok(())
    }

    /// Adds the objects of an upload folder in a bucket until there are too many.
    fn add_objects(&mut self, bucket: &BucketUploads, folder: &str, top: &Path) -> io::Result<()> {
        for object in bucket.list(&format!("{folder}/"))? {
            self.add_object(object, top);
            if self.is_full() {
                break;
            }
        }
        Ok(())
    }

    /// Adds a file, or records a folder that was searched.
    fn add(&mut self, entry: &DirEntry, top: &Path) -> io::Result<()> {
        let path = entry.path().strip_prefix(top).unwrap_or(entry.path());
        // The top folders may be links, for example to another disk.
        let is_top = entry.depth() == 0;
        if is_top || entry.file_type().is_dir() {
            match fs::metadata(entry.path()).and_then(|metadata| metadata.modified()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                modified => self.folders.add(entry.path().to_owned(), Some(modified?)),
            }
            // The number is that of the folder: a theme is replaced by exchanging folders, which
            // leaves the path the same.
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
            return leave_out("it is neither a file nor a folder");
        }
        let Some(name) = path.to_str() else {
            return leave_out("its name is not UTF-8");
        };
        if let Err(error) = check_name(name) {
            return leave_out(&error.to_string());
        }
        if name.split('/').count() > DEPTH_MAX {
            return leave_out(&format!(
                "it is in more than {} nested folders",
                DEPTH_MAX - 1
            ));
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

    /// Adds an upload in a bucket.
    fn add_object(&mut self, object: StoredObject, top: &Path) {
        let name = object.name;
        let depth = name.split('/').count();
        match check_name(&name) {
            Err(error) => self
                .left_out
                .push(format!("{}: {error}", name.escape_debug())),
            Ok(()) if depth > DEPTH_MAX => self.left_out.push(format!(
                "{}: it is in more than {} nested folders",
                name.escape_debug(),
                DEPTH_MAX - 1
            )),
            Ok(()) => self.files.push(Upload {
                path: top.join(&name),
                name,
                bytes: object.bytes,
            }),
        }
    }

    /// Returns the total length of the files, as far as it is known before they are read.
    pub fn bytes(&self) -> u64 {
        let bytes = self.files.iter().map(|upload| upload.bytes);
        bytes.fold(0, u64::saturating_add)
    }

    /// Returns whether no theme has been replaced since.
    pub fn themes_are_the_same(&self) -> bool {
        self.themes.iter().all(|(path, number)| {
            fs::metadata(path).is_ok_and(|metadata| metadata.ino() == *number)
        })
    }
}

impl Upload {
    /// Returns whether the file belongs to a theme, whose files are included together or not at all.
    pub fn is_of_theme(&self) -> bool {
        self.name
            .split_once('/')
            .is_some_and(|(folder, _)| folder == THEMES)
    }
}

/// Returns whether a file or a folder is not a resized image, not temporary, and not a system file.
fn is_wanted(entry: &DirEntry, top: &Path) -> bool {
    let path = entry.path().strip_prefix(top).unwrap_or(entry.path());
    let name = entry.file_name();
    let is_temporary =
        path.starts_with(THEMES) && entry.depth() == 1 && name.as_encoded_bytes().starts_with(b".");
    let is_of_system = SYSTEM_FILES.iter().any(|of_system| name == *of_system);
    path != Path::new(COPIES) && !is_temporary && !is_of_system
}

/// Returns whether a folder exists. An unreadable disk, or a file of another kind at this path, is an error that names the
/// path.
fn is_folder(path: &Path) -> io::Result<bool> {
    let failed =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed(error)),
        Ok(metadata) if metadata.is_dir() => Ok(true),
        Ok(_) => Err(failed(io::ErrorKind::NotADirectory.into())),
    }
}

fn is_gone(error: &walkdir::Error) -> bool {
    error
        .io_error()
        .is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
}
