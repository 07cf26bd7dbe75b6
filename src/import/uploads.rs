//! Copies images and other files of an archive or a folder into the uploads.
//!
//! Files are first written to a staging folder. Once the rest of the import is ready to be committed, they are moved to
//! their final paths, and removed again if the commit fails. An existing file with the same bytes is not touched. If
//! the path is in use by another file, the new file gets a number, which is reported.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, BufReader, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{
    Options, Outcome, Report,
    archive::{Archive, Upload, unpack_error},
    files::{FileIndex, numbered},
    upload_check::refusal,
};
use crate::{
    atomic_file,
    error::{Error, Kind, Result},
    progress::Progress,
    uploads::{Uploads, is_damaged, unique_name},
};

/// Prefix of the names of staging folders, which are next to the uploads.
const STAGING_FOLDER: &str = "importing-";

const FOLDER_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o644;

/// Buffer size for copying and comparing, in bytes.
const COPIED_BYTES: usize = 64 << 10;

/// Staged files. Files that were moved to their final paths are removed again unless [`keep`](Self::keep) is called.
pub struct StagedUploads {
    /// The index that resolves references to the files.
    pub files: FileIndex,
    uploads: Uploads,
    folder: Option<PathBuf>,
    staged: Vec<StagedUpload>,
    /// Files and folders that were created, in order of creation.
    created: Vec<PathBuf>,
    /// The files that were stored in a bucket.
    stored: Vec<String>,
}

struct StagedUpload {
    /// Its path in the staging folder.
    from: PathBuf,
    /// Its final path among the uploads.
    path: String,
}

/// The state of the path of an upload.
enum TargetState {
    Free,
    SameFile,
    OtherFile,
}

impl StagedUploads {
    /// Returns an empty set of files, to be added to `uploads`.
    pub fn of(uploads: &Uploads) -> Self {
        Self {
            files: FileIndex::of(uploads),
            uploads: uploads.clone(),
            folder: None,
            staged: Vec::new(),
            created: Vec::new(),
            stored: Vec::new(),
        }
    }

    /// Decompresses the files of `archive` into a staging folder. A dry run only chooses their paths.
    ///
    /// # Errors
    ///
    /// If the archive or the folder of uploads cannot be used.
    pub fn unpack(
        archive: &Archive,
        options: &Options,
        report: &mut Report,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let mut uploads = Self::of(&options.uploads);
        uploads.files = FileIndex::complete(&options.uploads);
        let (mut taken, mut folders) = (HashSet::new(), HashSet::new());
        let total = archive.upload_bytes();
        let mut done = 0;
        for upload in &archive.uploads {
            let (path, outcome) = uploads.choose_path(archive, upload, &mut taken)?;
            let folders_of_path = || path.match_indices('/').map(|(end, _)| &path[..end]);
            if folders.contains(&path) || folders_of_path().any(|folder| taken.contains(folder)) {
                return Err(file_and_folder(&path));
            }
            folders.extend(folders_of_path().map(str::to_owned));
            if outcome == Outcome::Added && !options.dry_run {
                uploads.stage(archive, upload, path.clone())?;
            }
            if path != upload.path {
                report.change(
                    format!("file {}", upload.path),
                    format!("there is another file of this name; here it is {path}"),
                );
            }
            check(archive, upload, report)?;
            uploads.files.add(&upload.path, &path);
            taken.insert(path);
            report.count("files", outcome);
            done += upload.entry.bytes;
            progress.advance(done, total);
        }
        Ok(uploads)
    }

    /// Stages copies of files, by their final path among the uploads. A dry run only counts them.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or the folder of uploads cannot be used.
    pub fn add_all(
        &mut self,
        files: BTreeMap<String, PathBuf>,
        options: &Options,
        report: &mut Report,
    ) -> Result<()> {
        for (path, source) in files {
            let exists = self.uploads.has(&path).map_err(Error::internal)?;
            report.count(
                "files",
                if exists {
                    Outcome::Unchanged
                } else {
                    Outcome::Added
                },
            );
            let mut content = File::open(&source).map_err(at(&source))?;
            let bytes = content.metadata().map_err(at(&source))?.len();
            report_refusal(
                &path,
                refusal(&path, bytes, &mut content).map_err(at(&source))?,
                report,
            );
            if !exists && !options.dry_run {
                self.add(&source, path)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, source: &Path, path: String) -> Result<()> {
        let from = self.next_staged()?;
        let mut content = File::open(source).map_err(at(source))?;
        let mut file = new_file(&from).map_err(at(&from))?;
        copy(&mut content, &mut file).map_err(|error| match error {
            CopyError::Source(error) => at(source)(error),
            CopyError::Uploads(error) => at(&from)(error),
        })?;
        self.staged.push(StagedUpload { from, path });
        Ok(())
    }

    /// Chooses the path of a file. The outcome is `Unchanged` if the same file already exists there.
    fn choose_path(
        &self,
        archive: &Archive,
        upload: &Upload,
        taken: &mut HashSet<String>,
    ) -> Result<(String, Outcome)> {
        let mut path = upload.path.clone();
        for number in 2.. {
            let state = if taken.contains(&path) {
                TargetState::OtherFile
            } else {
                self.target_state(archive, upload, &path)?
            };
            match state {
                TargetState::Free => break,
                TargetState::SameFile => return Ok((path, Outcome::Unchanged)),
                TargetState::OtherFile => path = numbered(&upload.path, number),
            }
        }
        Ok((path, Outcome::Added))
    }

    fn target_state(&self, archive: &Archive, upload: &Upload, path: &str) -> Result<TargetState> {
        let target = self.uploads.path(path);
        // Not the file at `target`: an upload in a bucket need not have a local copy.
        let file = match self.uploads.open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(TargetState::Free),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(file_and_folder(path));
            }
            // The file in the bucket is not the one that was stored there.
            Err(error) if is_damaged(&error) => return Ok(TargetState::OtherFile),
            file => file.map_err(at(&target))?,
        };
        let metadata = file.metadata().map_err(at(&target))?;
        // Something else than an upload may have the path, such as a folder.
        if !metadata.is_file() || metadata.len() != upload.entry.bytes {
            return Ok(TargetState::OtherFile);
        }
        let mut is_same = false;
        archive.unpack(&upload.entry, &mut |content| {
            is_same = are_same(content, &file).map_err(|error| match error {
                CopyError::Source(error) => unpack_error(&upload.entry, &error),
                CopyError::Uploads(error) => at(&target)(error),
            })?;
            Ok(())
        })?;
        Ok(if is_same {
            TargetState::SameFile
        } else {
            TargetState::OtherFile
        })
    }

    fn stage(&mut self, archive: &Archive, upload: &Upload, path: String) -> Result<()> {
        let from = self.next_staged()?;
        archive.unpack(&upload.entry, &mut |content| {
            let mut file = new_file(&from).map_err(at(&from))?;
            copy(content, &mut file).map_err(|error| match error {
                CopyError::Source(error) => unpack_error(&upload.entry, &error),
                CopyError::Uploads(error) => at(&from)(error),
            })
        })?;
        self.staged.push(StagedUpload { from, path });
        Ok(())
    }

    /// Returns the staging path of the next file.
    fn next_staged(&mut self) -> Result<PathBuf> {
        let folder = match self.folder.clone() {
            Some(folder) => folder,
            None => self.create_staging_folder()?,
        };
        Ok(folder.join(self.staged.len().to_string()))
    }

    fn create_staging_folder(&mut self) -> Result<PathBuf> {
        // Next to the final paths, because a hard link cannot cross file systems.
        let folder = self.uploads.path(&unique_name(STAGING_FOLDER));
        let result = DirBuilder::new().mode(FOLDER_MODE).create(&folder);
        result.map_err(at(&folder))?;
        self.folder = Some(folder.clone());
        Ok(folder)
    }

    /// Moves the files to their final paths, durably.
    ///
    /// # Errors
    ///
    /// If the folder of uploads cannot be written. Files that were moved are removed again on drop.
    pub fn publish(&mut self) -> Result<()> {
        // The files are synced before they are moved, so that after a power failure no path has an incomplete file.
        let flush = |upload: &StagedUpload| File::open(&upload.from)?.sync_all();
        let result: io::Result<()> = self.staged.par_iter().map(flush).collect();
        result.map_err(at(self.uploads.folder()))?;
        for StagedUpload { from, path } in std::mem::take(&mut self.staged) {
            let target = self.uploads.path(&path);
            if let Some(bucket) = self.uploads.bucket() {
                let is_new = bucket.put_new(self.uploads.folder(), &from, &path);
                // A file was stored there in the meantime, which is not replaced.
                if !is_new.map_err(Error::internal)? {
                    return Err(at(&target)(io::ErrorKind::AlreadyExists.into()));
                }
                self.stored.push(path);
                continue;
            }
            if let Some(folder) = target.parent() {
                self.make_folders(folder).map_err(at(folder))?;
            }
            // A hard link fails if a file was created there in the meantime; a rename would replace it.
            fs::hard_link(&from, &target)
                .or_else(|error| match error.kind() {
                    io::ErrorKind::AlreadyExists => Err(error),
                    _ => atomic_file::copy_new(&from, &target),
                })
                .map_err(at(&target))?;
            self.created.push(target);
        }
        // `created` also has the new folders, so their parents are synced, too.
        let folders: BTreeSet<&Path> = self
            .created
            .iter()
            .filter_map(|target| target.parent())
            .collect();
        for folder in folders {
            // Sync the folders too, since they contain the names of the files.
            File::open(folder)
                .and_then(|folder| folder.sync_all())
                .map_err(at(folder))?;
        }
        Ok(())
    }

    fn make_folders(&mut self, folder: &Path) -> io::Result<()> {
        let missing: Vec<&Path> = folder
            .ancestors()
            .take_while(|folder| !folder.is_dir())
            .collect();
        for folder in missing.into_iter().rev() {
            DirBuilder::new().mode(FOLDER_MODE).create(folder)?;
            self.created.push(folder.to_owned());
        }
        Ok(())
    }

    /// Completes the import: the files are permanent.
    pub fn keep(mut self) {
        self.stored.clear();
        self.created.clear();
    }
}

impl Drop for StagedUploads {
    /// Removes the files of an incomplete import. A file that cannot be removed does no harm, since nothing refers to
    /// it.
    fn drop(&mut self) {
        for name in &self.stored {
            let _ = self.uploads.remove(name);
        }
        for path in self.created.iter().rev() {
            // In the reverse order of their creation, so that a folder is empty when it is removed.
            let _ = if path.is_dir() {
                fs::remove_dir(path)
            } else {
                fs::remove_file(path)
            };
        }
        if let Some(folder) = &self.folder {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// Reports a file of an archive that would be refused as an upload.
fn check(archive: &Archive, upload: &Upload, report: &mut Report) -> Result<()> {
    archive.unpack(&upload.entry, &mut |content| {
        let why = refusal(&upload.path, upload.entry.bytes, content)
            .map_err(|error| unpack_error(&upload.entry, &error))?;
        report_refusal(&upload.path, why, report);
        Ok(())
    })
}

fn report_refusal(path: &str, why: Option<String>, report: &mut Report) {
    if let Some(why) = why {
        report.change(format!("file {path}"), format!("it is imported, but {why}"));
    }
}

/// Removes staging folders that a killed process left behind.
///
/// # Errors
///
/// If the folder cannot be read or written.
pub fn clear_abandoned(uploads: &Uploads) -> io::Result<()> {
    for entry in fs::read_dir(uploads.folder())? {
        let entry = entry?;
        let is_staging = entry
            .file_name()
            .to_string_lossy()
            .starts_with(STAGING_FOLDER);
        if !is_staging || !entry.file_type()?.is_dir() {
            continue;
        }
        match entry.metadata() {
            Ok(metadata) if uploads.is_abandoned(&metadata) => fs::remove_dir_all(entry.path())?,
            // Another process may have just removed it.
            _ => {}
        }
    }
    Ok(())
}

/// An error while copying, by the side that failed: the source or the uploads.
enum CopyError {
    Source(io::Error),
    Uploads(io::Error),
}

fn copy(from: &mut dyn Read, to: &mut File) -> Result<(), CopyError> {
    let mut bytes = vec![0; COPIED_BYTES];
    loop {
        let count = read(from, &mut bytes).map_err(CopyError::Source)?;
        if count == 0 {
            return Ok(());
        }
        to.write_all(&bytes[..count]).map_err(CopyError::Uploads)?;
    }
}

fn read(from: &mut dyn Read, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        match from.read(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            count => return count,
        }
    }
}

fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create_new(true).mode(FILE_MODE);
    options.open(path)
}

/// Returns whether two files have the same content.
///
/// # Errors
///
/// If one of the files cannot be read.
pub fn are_same_files(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, other) = (File::open(one)?, File::open(other)?);
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    are_same(&mut one, &other).map_err(|error| match error {
        CopyError::Source(error) | CopyError::Uploads(error) => error,
    })
}

fn are_same(content: &mut dyn Read, file: &File) -> Result<bool, CopyError> {
    let mut file = BufReader::with_capacity(COPIED_BYTES, file);
    let mut bytes = vec![0; COPIED_BYTES];
    let mut other = vec![0; COPIED_BYTES];
    loop {
        let count = read(content, &mut bytes).map_err(CopyError::Source)?;
        if count == 0 {
            let rest = file.read(&mut other).map_err(CopyError::Uploads)?;
            return Ok(rest == 0);
        }
        match file.read_exact(&mut other[..count]) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            read => read.map_err(CopyError::Uploads)?,
        }
        if bytes[..count] != other[..count] {
            return Ok(false);
        }
    }
}

/// A file or folder that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use {}: {source}", path.display())]
struct UnusableFile {
    path: PathBuf,
    source: io::Error,
}

/// Returns the error for a path at which one upload is a file and another one needs a folder.
fn file_and_folder(path: &str) -> Error {
    Error::new(
        Kind::BadRequest,
        format!("The file {path} cannot be stored: one path is both a file and a folder."),
    )
}

fn at(path: &Path) -> impl Fn(io::Error) -> Error {
    let path = path.to_owned();
    move |source| {
        Error::internal(UnusableFile {
            path: path.clone(),
            source: io::Error::new(source.kind(), source.to_string()),
        })
    }
}
