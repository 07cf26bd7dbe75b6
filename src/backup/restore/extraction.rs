//! Extracts the files of a backup and puts them into the data folder, a shared folder or a bucket. Also
//! removes the remains of a killed restore.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read, Write},
    ops::ControlFlow,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Arc,
};

use data_encoding::HEXLOWER;
use rustix::fs::syncfs;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::super::{Backup, BackupError, STORE, manifest::FileEntry};
use crate::{
    archive::ArchiveWriter,
    atomic_file,
    backup::error::{read_error, write_error},
    clock::SystemClock,
    progress::Progress,
    site::Site,
    store::{
        Table,
        redb::{COPY_CACHE_BYTES, RedbStore},
    },
    uploads::{BucketUploads, UPLOAD_FOLDERS, UploadRecord, Uploads, unique_name},
};

/// The folder within the data folder for extracted files that are not at their final paths yet.
const RESTORING: &str = "restoring";

/// The prefix of the name of such a folder within a shared folder of uploads.
const RESTORING_UPLOADS: &str = "restoring-";

/// The file in [`RESTORING`] that describes the folder within the shared folder, if there is one.
const ELSEWHERE: &str = "uploads.json";

/// The file in [`RESTORING`] that lists the objects to store in a bucket.
const OBJECTS: &str = "objects.json";

const FOLDER_MODE: u32 = 0o755;
const PRIVATE_FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o644;
const STORE_MODE: u32 = 0o600;

const CHUNK_BYTES: usize = 128 * 1024;

/// The temporary folder within a shared folder of uploads, before the uploads are moved to their paths.
#[derive(Serialize, Deserialize)]
struct Staging {
    /// The folder that the uploads are extracted into.
    from: PathBuf,
    /// The folder that the uploads are moved to.
    to: PathBuf,
    /// Those of [`UPLOAD_FOLDERS`] that are in the backup. Each is in `from` until it is moved to its path,
    /// so that a folder of another process there is not mistaken for it.
    folders: Vec<String>,
}

impl Staging {
    /// Creates the folder, and records it in the data folder.
    fn begin(data: &Path, uploads: &Uploads, files: &[FileEntry]) -> Result<Self, BackupError> {
        let absolute = |path: &Path| std::path::absolute(path).map_err(write_error(path));
        let has = |name: &&str| {
            let is_in = |file: &FileEntry| Path::new(&file.path).starts_with(name);
            files.iter().any(is_in)
        };
        let folders = UPLOAD_FOLDERS.into_iter().filter(has);
        let staging = Self {
            // Within the shared folder, because a rename works only within one file system.
            from: absolute(&uploads.path(&unique_name(RESTORING_UPLOADS)))?,
            to: absolute(uploads.folder())?,
            folders: folders.map(str::to_owned).collect(),
        };
        create_folder(&staging.from, PRIVATE_FOLDER_MODE)?;
        for name in &staging.folders {
            create_folder(&staging.from.join(name), FOLDER_MODE)?;
        }
        let named = data.join(RESTORING).join(ELSEWHERE);
        let text = serde_json::to_vec(&staging).map_err(io::Error::from);
        let written = text.and_then(|text| atomic_file::replace_content(&named, &text));
        written.map_err(write_error(&named))?;
        Ok(staging)
    }

    /// Returns the staging folder that an unfinished restore left, as recorded in the data folder.
    fn left_in(data: &Path) -> io::Result<Option<Self>> {
        match fs::read(data.join(RESTORING).join(ELSEWHERE)) {
            Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Removes the folder, and the folders that were moved out of it.
    fn undo(&self) -> io::Result<()> {
        for name in &self.folders {
            // A folder that is no longer in `from` was moved to its path by this restore.
            if !self.from.join(name).try_exists()? && self.from.try_exists()? {
                remove_folder(&self.to.join(name))?;
            }
        }
        remove_folder(&self.from)
    }
}

fn create_folder(folder: &Path, mode: u32) -> Result<(), BackupError> {
    let created = DirBuilder::new().mode(mode).create(folder);
    created.map_err(write_error(folder))
}

/// Extracts all files, and moves them to their paths.
pub(super) fn put_back(
    backup: &mut Backup,
    data: &Path,
    uploads: &Uploads,
    progress: &dyn Progress,
) -> Result<(), BackupError> {
    let restoring = data.join(RESTORING);
    create_folder(&restoring, PRIVATE_FOLDER_MODE)?;
    let files = backup.manifest().files.clone();
    let staging = if uploads.are_shared() {
        Some(Staging::begin(data, uploads, &files)?)
    } else {
        None
    };
    let (from, to) = match &staging {
        Some(staging) => (&*staging.from, &*staging.to),
        None => (&*restoring, data),
    };
    let total = files.iter().map(|file| file.bytes).sum();
    let mut done = 0;
    let mut advance = |count: u64| {
        done += count;
        progress.step(done.min(total), total)
    };
    for file in &files {
        let top = if file.path == STORE { &restoring } else { from };
        extract_file(backup, file, &top.join(&file.path), &mut advance)?;
    }
    // Before anything is moved, so that a crash leaves no file with a name but without content.
    for folder in [data, to] {
        // A single call for the whole file system: flushing many files one by one takes much longer.
        let flushed = File::open(folder).and_then(|folder| Ok(syncfs(folder)?));
        flushed.map_err(write_error(folder))?;
    }
    let stored = match uploads.bucket() {
        Some(bucket) => {
            // Recorded before the first object is stored, so that a killed restore leaves no unrecorded
            // object.
            name_objects(&restoring, &files)?;
            let stored = StoredObjects::store(bucket, &restoring, &files)?;
            stored.record(&restoring.join(STORE))?;
            stored
        }
        None => {
            move_uploads(from, to)?;
            StoredObjects::default()
        }
    };
    // Moved last: the store turns the folder into a site.
    let moved = fs::rename(restoring.join(STORE), data.join(STORE));
    moved.map_err(write_error(data))?;
    // Only now, because the objects belong to no site until the store is at its path.
    stored.keep();
    sync(data).map_err(write_error(data))
}

/// Durably records the names of the objects that are about to be stored.
fn name_objects(restoring: &Path, files: &[FileEntry]) -> Result<(), BackupError> {
    let uploads = files.iter().filter(|file| file.path != STORE);
    let objects: BTreeSet<String> = uploads
        .map(|file| match theme_of(&file.path) {
            Some((theme, _)) => Uploads::theme_object(theme),
            None => file.path.clone(),
        })
        .collect();
    let named = restoring.join(OBJECTS);
    let text = serde_json::to_vec(&objects).map_err(io::Error::from);
    let written = text.and_then(|text| atomic_file::replace_content(&named, &text));
    written.map_err(write_error(&named))
}

/// Returns the theme that a file belongs to, and the file's path within the theme.
fn theme_of(path: &str) -> Option<(&str, &str)> {
    path.strip_prefix("themes/")?.split_once('/')
}

fn extract_file(
    backup: &mut Backup,
    file: &FileEntry,
    path: &Path,
    advance: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<(), BackupError> {
    if let Some(folder) = path.parent() {
        let mut builder = DirBuilder::new();
        let builder = builder.mode(FOLDER_MODE).recursive(true);
        builder.create(folder).map_err(write_error(folder))?;
    }
    let mode = if file.path == STORE {
        STORE_MODE
    } else {
        FILE_MODE
    };
    let mut out = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
        .map_err(write_error(path))?;
    let mut content = backup.content(&file.path)?;
    let mut digest = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    let changed = |what: String| BackupError::Unreadable(format!("{}: {what}", file.path));
    loop {
        let count = content
            .read(&mut chunk)
            .map_err(|error| changed(error.to_string()))?;
        if count == 0 {
            break;
        }
        digest.update(&chunk[..count]);
        out.write_all(&chunk[..count]).map_err(write_error(path))?;
        if advance(count as u64).is_break() {
            return Err(BackupError::Cancelled);
        }
    }
    // Verified again: the backup may be on a disk that other processes write to.
    if HEXLOWER.encode(&digest.finalize()) == file.sha256 {
        Ok(())
    } else {
        Err(changed("it changed during the restore".to_owned()))
    }
}

/// The objects that a restore has stored in a bucket. They are deleted on drop unless the restore completes.
#[derive(Default)]
struct StoredObjects<'b>(Vec<(&'b BucketUploads, String, UploadRecord)>);

impl<'b> StoredObjects<'b> {
    /// Stores the uploads that were extracted into `folder`: themes as archives, other files unchanged.
    fn store(
        bucket: &'b BucketUploads,
        folder: &Path,
        files: &[FileEntry],
    ) -> Result<Self, BackupError> {
        let mut stored = Self::default();
        let mut themes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for file in files.iter().filter(|file| file.path != STORE) {
            // A theme is one object, so that all its files change together.
            if let Some((theme, path)) = theme_of(&file.path) {
                themes.entry(theme).or_default().push(path);
                continue;
            }
            let extracted = folder.join(&file.path);
            let content = File::open(&extracted).map_err(read_error(&extracted))?;
            stored.put(bucket, &content, file.path.clone(), &extracted)?;
        }
        for (theme, paths) in themes {
            let top = folder.join("themes").join(theme);
            let archived = archived(folder, &top, &paths).map_err(read_error(&top))?;
            stored.put(bucket, &archived, Uploads::theme_object(theme), &top)?;
        }
        Ok(stored)
    }

    fn put(
        &mut self,
        bucket: &'b BucketUploads,
        content: &File,
        name: String,
        path: &Path,
    ) -> Result<(), BackupError> {
        let put = bucket.put_file(content, &name);
        let record = put.map_err(write_error(path))?;
        self.0.push((bucket, name, record));
        Ok(())
    }

    /// Records the objects in the store at `path`, for later verification. The archives of themes are new,
    /// so records in the backup do not match them.
    fn record(&self, path: &Path) -> Result<(), BackupError> {
        let store = RedbStore::open(path, COPY_CACHE_BYTES)?;
        let site = Site::open(Box::new(store), Arc::new(SystemClock))?;
        site.write(|transaction| {
            let mut objects = self.0.iter();
            objects.try_for_each(|(_, name, record)| {
                transaction.put(Table::Uploads, name.as_bytes(), record)
            })
        })?;
        Ok(())
    }

    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for StoredObjects<'_> {
    fn drop(&mut self) {
        for (bucket, name, _) in &self.0 {
            // If this fails, the next restore finds the object in the list and deletes it.
            let _ = bucket.delete(name);
        }
    }
}

/// Returns an archive of a theme, in an unnamed file in `folder`.
pub(in super::super) fn archived(folder: &Path, theme: &Path, paths: &[&str]) -> io::Result<File> {
    let file = atomic_file::unnamed(folder)?;
    let mut archive = ArchiveWriter::new(&file);
    for path in paths {
        archive.add(path, File::open(theme.join(path))?)?;
    }
    archive.finish()?;
    Ok(file)
}

/// Moves the uploads from one folder to their paths in another.
fn move_uploads(from: &Path, to: &Path) -> Result<(), BackupError> {
    let move_upload = |name: &str| match fs::rename(from.join(name), to.join(name)) {
        // The backup has no such files.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        moved => moved,
    };
    let moved = UPLOAD_FOLDERS.into_iter().try_for_each(move_upload);
    moved.and_then(|()| sync(to)).map_err(write_error(to))
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Returns whether a restore has begun to extract files and has not moved the store to its path.
pub(super) fn has_begun(data: &Path) -> io::Result<bool> {
    Ok(data.join(RESTORING).try_exists()? && !data.join(STORE).try_exists()?)
}

/// Removes the remains of a restore, whether its process was killed or not. No other process may be
/// using the data folder.
///
/// # Errors
///
/// If a folder cannot be read or written.
pub fn clear_abandoned(data: &Path) -> io::Result<()> {
    let restoring = data.join(RESTORING);
    if !restoring.try_exists()? {
        return Ok(());
    }
    // The store is moved last, so with it all uploads are at their paths.
    let is_finished = data.join(STORE).try_exists()?;
    match Staging::left_in(data)? {
        Some(staging) if is_finished => remove_folder(&staging.from)?,
        Some(staging) => staging.undo()?,
        None if is_finished => {}
        None => {
            // The folder was empty when the restore began, so these files are from the backup.
            for folder in UPLOAD_FOLDERS {
                remove_folder(&data.join(folder))?;
            }
        }
    }
    fs::remove_dir_all(restoring)
}

/// Removes a folder, if it exists.
fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the objects that a killed restore may have stored in a bucket.
pub(super) fn objects_left_in(data: &Path) -> Result<BTreeSet<String>, BackupError> {
    let named = data.join(RESTORING).join(OBJECTS);
    match fs::read(&named) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        text => text
            .and_then(|text| Ok(serde_json::from_slice(&text)?))
            .map_err(read_error(&named)),
    }
}
