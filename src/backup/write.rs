//! Writes a backup.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    ops::ControlFlow,
    path::Path,
    sync::Arc,
};

use data_encoding::HEXLOWER;
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use zip::{
    CompressionMethod, DateTime, ZipWriter,
    result::ZipError,
    write::{SimpleFileOptions, StreamWriter},
};

use super::{
    BackupError, BackupOptions, BackupReport, BackupTarget, STORE,
    manifest::{self, FileEntry, Manifest},
    seal::{self, SealingWriter},
    uploads::FoundUploads,
};
use crate::{
    atomic_file::{self, OutputFile},
    backup::error::{read_error, write_error},
    data_folder::DataFolder,
    progress::Progress,
    site::Site,
    store::FORMAT_VERSION as STORE_FORMAT,
    uploads::{Uploads, is_damaged},
};

/// Number of attempts if a theme is replaced meanwhile.
const ATTEMPTS_MAX: usize = 5;

/// Size of the read buffer, in bytes.
const CHUNK_BYTES: usize = 128 * 1024;

/// Minimum length of files that have 64-bit fields in the archive, in bytes.
const LARGE_BYTES: u64 = u32::MAX as u64;

/// Permissions of files that are extracted from the archive manually.
const FILE_MODE: u32 = 0o600;

/// Writes a backup of a site, whose data folder is `data`, with its uploads.
///
/// # Errors
///
/// If the target exists and may not be replaced, or cannot be written; if the site or a file of it
/// cannot be read; or if `progress` cancels. No file is left behind then.
pub fn write(
    site: &Site,
    data: &Path,
    uploads: &Uploads,
    order: &BackupOptions,
    progress: &dyn Progress,
) -> Result<BackupReport, BackupError> {
    if let BackupTarget::Collected(path) = &order.target
        && let Some(folder) = path.parent()
    {
        fs::create_dir_all(folder).map_err(write_error(folder))?;
    }
    let mut attempts = 1;
    loop {
        match attempt(site, data, uploads, order, progress) {
            Err(BackupError::ThemeReplaced) if attempts < ATTEMPTS_MAX => attempts += 1,
            result => return result,
        }
    }
}

fn attempt(
    site: &Site,
    data: &Path,
    uploads: &Uploads,
    order: &BackupOptions,
    progress: &dyn Progress,
) -> Result<BackupReport, BackupError> {
    let target = order.target.path(data);
    let mut file = OutputFile::create(&target, order.overwrites)?;
    let created_at = site.now();
    let snapshot = Arc::clone(&site.current());
    let revision = snapshot.catalog.revision;
    // Files that the commit refers to existed before it, so the files found now include them.
    let mut found = FoundUploads::find(uploads)
        .map_err(read_error(uploads.folder()))?
        .map_err(|_| BackupError::TooMany)?;
    let store_bytes = site.store_bytes()?;
    let upload_bytes = found.bytes();
    // The store is copied into a temporary file first.
    let total = (2 * store_bytes).saturating_add(upload_bytes);
    let mut work = BackupProgress::new(total, progress);
    let is_read_only = DataFolder::is_on_read_only_disk(data);
    let has_room = DataFolder::free_bytes(data).is_ok_and(|free| free >= store_bytes);
    let beside = match target.parent() {
        Some(folder) if is_read_only || !has_room => folder,
        _ => data,
    };
    let mut copy = atomic_file::unnamed(beside).map_err(write_error(beside))?;
    let copied = snapshot.copy_store(&copy, &mut |bytes| work.reach(bytes.min(store_bytes)))?;
    // The snapshot is dropped, so that the store can reuse the pages that are overwritten from now
    // on.
    drop(snapshot);
    if copied.is_break() {
        return Err(BackupError::Cancelled);
    }
    work.done = store_bytes;
    copy.seek(SeekFrom::Start(0)).map_err(read_error(data))?;
    let mut archive = Archive::of_work(&mut file, &target, work);
    archive.add_file((STORE, &data.join(STORE)), &mut copy)?;
    // Frees the disk space of the temporary file while the uploads are added.
    drop(copy);
    let mut damaged = Vec::new();
    for upload in &found.files {
        match uploads.open(&upload.name) {
            Ok(mut content) => archive.add_file((&upload.name, &upload.path), &mut content)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if upload.is_of_theme() {
                    return Err(BackupError::ThemeReplaced);
                }
            }
            // One damaged object must not prevent the whole backup.
            Err(error) if is_damaged(&error) => damaged.push(error.to_string()),
            Err(error) => return Err(read_error(&upload.path)(error)),
        }
    }
    // After the last file was read: all files of a theme must be from one version.
    if !found.themes_are_the_same() {
        return Err(BackupError::ThemeReplaced);
    }
    found.left_out.append(&mut damaged);
    let files = archive.finish(revision, created_at)?;
    Ok(BackupReport {
        revision,
        created_at,
        files,
        bytes: file.finish()?,
        left_out: found.left_out,
        is_rescue: is_read_only,
    })
}

/// The progress of a backup.
struct BackupProgress<'a> {
    done: u64,
    total: u64,
    progress: &'a dyn Progress,
}

impl<'a> BackupProgress<'a> {
    fn new(total: u64, progress: &'a dyn Progress) -> Self {
        Self {
            done: 0,
            total,
            progress,
        }
    }

    fn reach(&mut self, done: u64) -> ControlFlow<()> {
        self.done = done;
        self.progress.step(done.min(self.total), self.total)
    }
}

/// The archive being written.
pub struct Archive<'a, W: Write> {
    zip: ZipWriter<StreamWriter<SealingWriter<&'a mut W>>>,
    target: &'a Path,
    files: Vec<FileEntry>,
    work: BackupProgress<'a>,
}

impl<'a, W: Write> Archive<'a, W> {
    /// Returns an empty archive in `file`, whose path is `target`, for files with `total` bytes.
    pub fn new(
        file: &'a mut W,
        target: &'a Path,
        (total, progress): (u64, &'a dyn Progress),
    ) -> Self {
        Self::of_work(file, target, BackupProgress::new(total, progress))
    }

    fn of_work(file: &'a mut W, target: &'a Path, work: BackupProgress<'a>) -> Self {
        Self {
            zip: ZipWriter::new_stream(SealingWriter::new(file)),
            target,
            files: Vec::new(),
            work,
        }
    }

    /// Adds the file at `path` under the name `name`.
    fn add_file(
        &mut self,
        (name, path): (&str, &Path),
        content: &mut File,
    ) -> Result<(), BackupError> {
        let metadata = content.metadata().map_err(read_error(path))?;
        self.add((name, path), metadata.len(), content)?;
        Ok(())
    }

    /// Adds `content`, which has about `expected_bytes` bytes and is read from `path`, under the name
    /// `name`. Returns its SHA-256, in hexadecimal digits.
    ///
    /// # Errors
    ///
    /// If the content cannot be read, the archive cannot be written, or the progress cancels.
    pub fn add(
        &mut self,
        (name, path): (&str, &Path),
        expected_bytes: u64,
        content: &mut impl Read,
    ) -> Result<String, BackupError> {
        self.start(name, expected_bytes)?;
        let mut digest = Sha256::new();
        let mut bytes: u64 = 0;
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            let count = match content.read(&mut chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map_err(read_error(path))?,
            };
            if count == 0 {
                break;
            }
            let piece = &chunk[..count];
            digest.update(piece);
            bytes += count as u64;
            self.zip
                .write_all(piece)
                .map_err(write_error(self.target))?;
            let done = self.work.done + count as u64;
            if self.work.reach(done).is_break() {
                return Err(BackupError::Cancelled);
            }
        }
        let sha256 = HEXLOWER.encode(&digest.finalize());
        self.files.push(FileEntry {
            path: name.to_owned(),
            bytes,
            sha256: sha256.clone(),
        });
        Ok(sha256)
    }

    /// Writes the manifest and the end of the archive. Returns the number of files.
    ///
    /// # Errors
    ///
    /// If the archive cannot be written.
    pub fn finish(mut self, revision: u64, created_at: Timestamp) -> Result<usize, BackupError> {
        let files = self.files.len();
        let manifest = Manifest {
            format: manifest::FORMAT,
            galley: env!("CARGO_PKG_VERSION").to_owned(),
            store_format: STORE_FORMAT,
            revision,
            created_at,
            files: std::mem::take(&mut self.files),
        };
        // Last, because the lengths and hashes of the files are known only now.
        self.start(manifest::NAME, 0)?;
        let target = self.target;
        let end = || -> io::Result<()> {
            serde_json::to_writer_pretty(&mut self.zip, &manifest)?;
            self.zip.set_comment(seal::placeholder()).map_err(in_zip)?;
            self.zip
                .finish()
                .map_err(in_zip)?
                .into_inner()
                .finish()?
                .flush()
        };
        end().map_err(write_error(target))?;
        Ok(files)
    }

    fn start(&mut self, name: &str, bytes: u64) -> Result<(), BackupError> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(DateTime::default())
            .unix_permissions(FILE_MODE)
            // Decided before the length is known for certain. If a file grows past the limit
            // meanwhile, the writer fails.
            .large_file(bytes >= LARGE_BYTES);
        let started = self.zip.start_file(name, options).map_err(in_zip);
        started.map_err(write_error(self.target))
    }
}

fn in_zip(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => io::Error::other(other),
    }
}
