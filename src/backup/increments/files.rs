//! The uploads and themes of a moment. Only new and changed files are read.

use std::{collections::BTreeMap, fs, io, time::Duration};

use jiff::Timestamp;

use super::{
    super::{
        BackupError,
        folder_times::FolderTimes,
        uploads::{FoundUploads, THEMES, Upload},
    },
    chunks::ChunkWriter,
    format::FileRecord,
};
use crate::{
    backup::error::read_error,
    progress::Progress,
    site::SiteSnapshot,
    store::Table,
    uploads::{UPLOAD_FOLDERS, UploadRecord, Uploads, is_damaged},
};

/// Number of attempts if a theme is replaced meanwhile.
const ATTEMPTS_MAX: usize = 5;

/// Maximum number of uploads of a folder that may all have been deleted at once: a folder that lost more is taken for a
/// disk that is not mounted.
const GONE_MAX: usize = 10;

/// Time within which a file may change again with the same modification time.
const TIME_GRANULE: Duration = Duration::from_secs(2);

/// The recorded time of a file that has just changed.
const UNSETTLED: Timestamp = Timestamp::UNIX_EPOCH;

/// Files by path.
pub type Files = BTreeMap<String, FileRecord>;

/// The files of a moment.
#[derive(Default)]
pub struct FoundFiles {
    /// The files, by path.
    pub files: Files,
    /// Files that cannot be included, with the reason.
    pub left_out: Vec<String>,
    /// The folders on disk that were searched.
    pub folders: FolderTimes,
}

/// Which files of a bucket are included.
#[derive(Clone, Copy)]
pub enum BucketFiles<'a> {
    /// All files that the bucket lists.
    Listed,
    /// The files of the previous moment, and these.
    Named(&'a [String]),
}

/// Finds the files of the site at the time `now`, and writes the chunks of those that differ from
/// `previous`.
///
/// Files that a commit refers to existed before it, so the files found now include them.
///
/// # Errors
///
/// If a folder or a file cannot be read, all files of a folder are gone, a chunk cannot be written, or `progress`
/// cancels.
pub fn find(
    (snapshot, uploads, now): (&SiteSnapshot, &Uploads, Timestamp),
    of_bucket: BucketFiles<'_>,
    previous: &Files,
    chunks: &mut ChunkWriter<'_>,
    progress: &dyn Progress,
) -> Result<FoundFiles, BackupError> {
    let mut attempts = 1;
    loop {
        let mut search = Search {
            snapshot,
            uploads,
            now,
            previous,
            chunks: &mut *chunks,
            progress,
            found: FoundFiles::default(),
        };
        match search.run(of_bucket) {
            Ok(()) => return Ok(search.found),
            // Chunks that were written in the failed attempt are known and not written again.
            Err(BackupError::ThemeReplaced) if attempts < ATTEMPTS_MAX => attempts += 1,
            Err(error) => return Err(error),
        }
    }
}

struct Search<'s, 'c> {
    snapshot: &'s SiteSnapshot,
    uploads: &'s Uploads,
    now: Timestamp,
    previous: &'s Files,
    chunks: &'s mut ChunkWriter<'c>,
    progress: &'s dyn Progress,
    found: FoundFiles,
}

impl Search<'_, '_> {
    fn run(&mut self, of_bucket: BucketFiles<'_>) -> Result<(), BackupError> {
        let top = self.uploads.folder();
        let names = match (self.uploads.bucket(), of_bucket) {
            (Some(_), BucketFiles::Named(names)) => Some(names),
            _ => None,
        };
        // A segment does not list the bucket, which can have millions of objects: the changed
        // records name the new ones.
        let found = match names {
            Some(_) => FoundUploads::find_on_disk(self.uploads),
            None => FoundUploads::find(self.uploads),
        };
        let found = found
            .map_err(read_error(top))?
            .map_err(|_| BackupError::TooMany)?;
        self.refuse_gone(&found, names.is_some())?;
        self.found.left_out.extend_from_slice(&found.left_out);
        for upload in &found.files {
            self.add(upload)?;
        }
        // After the last file was read: all files must be from one version of the theme.
        if !found.themes_are_the_same() {
            return Err(BackupError::ThemeReplaced);
        }
        if let Some(names) = names {
            // Before the named files, which replace those of the previous moment.
            self.carry_over();
            for name in names {
                self.add(&Upload {
                    name: name.clone(),
                    path: top.join(name),
                    // Unknown here, and compared only for files on disk.
                    bytes: 0,
                })?;
            }
        }
        self.found.folders = found.folders;
        Ok(())
    }

    /// Returns an error if a disk is not mounted: a moment without its files would count as intact, and the moments with
    /// the files would be deleted when they are old. `are_carried_over` is true if the files of a bucket were not
    /// searched.
    fn refuse_gone(&self, found: &FoundUploads, are_carried_over: bool) -> Result<(), BackupError> {
        for folder in UPLOAD_FOLDERS {
            let is_in = |name: &str| name.split_once('/').is_some_and(|(top, _)| top == folder);
            let files = self.previous.keys().filter(|name| is_in(name)).count();
            let is_of_themes = folder == THEMES;
            let bucket = self.uploads.bucket();
            if files == 0 || bucket.is_some() && (is_of_themes || are_carried_over) {
                continue;
            }
            let path = self.uploads.path(folder);
            let shown = match bucket {
                Some(bucket) => format!("{bucket:?}/{folder}"),
                None => path.display().to_string(),
            };
            if bucket.is_none() && !path.exists() {
                return Err(BackupError::FolderGone {
                    folder: shown,
                    files,
                });
            }
            // The last theme may be deleted, even if it has many files.
            let is_emptied = !found.files.iter().any(|upload| is_in(&upload.name));
            if is_emptied && files > GONE_MAX && !is_of_themes {
                return Err(BackupError::FilesGone {
                    folder: shown,
                    files,
                });
            }
        }
        Ok(())
    }

    /// Adds those files of the previous moment that are in the bucket.
    fn carry_over(&mut self) {
        for (path, file) in self.previous {
            if file.modified.is_none() {
                self.found.files.insert(path.clone(), file.clone());
            }
        }
    }

    fn add(&mut self, upload: &Upload) -> Result<(), BackupError> {
        if self.progress.is_cancelled() {
            return Err(BackupError::Cancelled);
        }
        let on_disk = self.uploads.bucket().is_none() || upload.is_of_theme();
        let modified = if on_disk {
            modified(upload, self.now).map_err(read_error(&upload.path))?
        } else {
            None
        };
        let file = match self.unchanged(upload, modified)? {
            Some(file) => Some(file),
            None => self.read(upload, modified)?,
        };
        if let Some(file) = file {
            self.found.files.insert(upload.name.clone(), file);
        }
        Ok(())
    }

    /// Returns the file of the previous moment, if it is unchanged.
    fn unchanged(
        &self,
        upload: &Upload,
        modified: Option<Timestamp>,
    ) -> Result<Option<FileRecord>, BackupError> {
        let Some(file) = self.previous.get(&upload.name) else {
            return Ok(None);
        };
        let is_same = match modified {
            Some(time) => {
                // The mark of a file that had just changed equals no time, not even another mark.
                time != UNSETTLED
                    && file.modified == modified
                    && file.bytes == upload.bytes
                    && !upload.is_of_theme()
            }
            None => self
                .recorded(&upload.name)?
                .is_some_and(|record| record.sha256 == file.sha256 && record.bytes == file.bytes),
        };
        Ok((is_same && self.chunks.has(&file.chunks)).then(|| file.clone()))
    }

    /// Returns the record that an upload in a bucket is verified with.
    fn recorded(&self, name: &str) -> Result<Option<UploadRecord>, BackupError> {
        Ok(self.snapshot.read(Table::Uploads, name.as_bytes())?)
    }

    fn read(
        &mut self,
        upload: &Upload,
        modified: Option<Timestamp>,
    ) -> Result<Option<FileRecord>, BackupError> {
        let content = match self.uploads.open(&upload.name) {
            Ok(content) => content,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // An upload may be deleted at any time, but a theme without one of its files is not
                // a theme.
                return if upload.is_of_theme() {
                    Err(BackupError::ThemeReplaced)
                } else {
                    Ok(None)
                };
            }
            // One damaged object must not prevent the whole backup.
            Err(error) if is_damaged(&error) => {
                self.found.left_out.push(error.to_string());
                return Ok(None);
            }
            Err(error) => return Err(read_error(&upload.path)(error)),
        };
        let progress = self.progress;
        let cut = self.chunks.put_file(
            content,
            |error| read_error(&upload.path)(error),
            &mut |_| {
                if progress.is_cancelled() {
                    Err(BackupError::Cancelled)
                } else {
                    Ok(())
                }
            },
        )?;
        Ok(Some(FileRecord {
            path: upload.name.clone(),
            bytes: cut.bytes,
            sha256: cut.sha256,
            modified,
            chunks: cut.chunks,
        }))
    }
}

/// Returns the time of the last change of a file on disk. Returns [`UNSETTLED`] if the file has just changed, because it
/// may change again with the same time.
fn modified(upload: &Upload, now: Timestamp) -> io::Result<Option<Timestamp>> {
    let metadata = match fs::metadata(&upload.path) {
        // Reading the file will find that it is gone.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Some(UNSETTLED));
        }
        metadata => metadata?,
    };
    let changed = Timestamp::try_from(metadata.modified()?).unwrap_or(UNSETTLED);
    let is_settled = changed < now - TIME_GRANULE;
    Ok(Some(if is_settled { changed } else { UNSETTLED }))
}
