//! Pictures and other files of an archive or a folder, on their way into the data folder.
//!
//! They are put beside their places first. Only when everything else of the import is ready to be committed they are
//! moved there, and taken away again if the commit fails. A file that is there already, byte for byte, is not touched; one
//! whose name is taken by another gets a number, and what refers to it is reported.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, BufReader, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{
    Options, Outcome, Progress, Report,
    archive::{Archive, Upload, cannot_unpack},
    files::{Files, numbered},
};
use crate::error::{Error, Result};

/// The beginning of the names of folders in which files wait. What lies in one when the data folder is opened was left
/// behind by a process that was killed.
const WAITING_FOLDER: &str = "importing-";

const FOLDER_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o644;

/// Bytes that are copied or compared at once.
const COPIED_BYTES: usize = 64 << 10;

/// Tells the folders of one process apart.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Files that wait to be moved to their places, and are taken away again unless [`keep`](Self::keep) is called.
pub struct Uploads {
    /// What is known of them, for those who refer to them.
    pub files: Files,
    data: PathBuf,
    folder: Option<PathBuf>,
    waiting: Vec<PendingUpload>,
    /// What was made in the data folder, in that order.
    made: Vec<PathBuf>,
}

struct PendingUpload {
    /// Where it is.
    from: PathBuf,
    /// Where it belongs, below the data folder.
    path: String,
}

/// What is in a place where a file belongs.
enum Place {
    Free,
    SameFile,
    OtherFile,
}

impl Uploads {
    /// No files yet, for this data folder.
    pub fn of(data: &Path) -> Self {
        Self {
            files: Files::of(data),
            data: data.to_owned(),
            folder: None,
            waiting: Vec::new(),
            made: Vec::new(),
        }
    }

    /// Unpacks the files of `archive` beside their places in the data folder; a dry run only looks what would become of
    /// them.
    ///
    /// # Errors
    ///
    /// When the archive or the data folder cannot be used.
    pub fn unpack(
        archive: &Archive,
        options: &Options,
        report: &mut Report,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let mut uploads = Self::of(&options.data);
        uploads.files = Files::complete(&options.data);
        let mut taken = HashSet::new();
        let total = archive.upload_bytes();
        let mut done = 0;
        for upload in &archive.uploads {
            let (path, outcome) = uploads.place(archive, upload, &mut taken)?;
            if outcome == Outcome::Added && !options.dry_run {
                uploads.wait(archive, upload, path.clone())?;
            }
            if path != upload.path {
                report.change(
                    format!("file {}", upload.path),
                    format!("there is another file of this name; here it is {path}"),
                );
            }
            uploads.files.add(&upload.path, &path);
            taken.insert(path);
            report.count("files", outcome);
            done += upload.entry.bytes;
            progress.advance(done, total);
        }
        Ok(uploads)
    }

    /// Adds files whose places are found already, by path below the data folder: copies of the files at these paths. A dry
    /// run only counts them.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or the data folder cannot be used.
    pub fn add_all(
        &mut self,
        files: BTreeMap<String, PathBuf>,
        options: &Options,
        report: &mut Report,
    ) -> Result<()> {
        for (path, source) in files {
            let is_there = self.data.join(&path).exists();
            report.count(
                "files",
                match is_there {
                    true => Outcome::Unchanged,
                    false => Outcome::Added,
                },
            );
            if !is_there && !options.dry_run {
                self.add(&source, path)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, source: &Path, path: String) -> Result<()> {
        let from = self.next_waiting()?;
        let mut content = File::open(source).map_err(at(source))?;
        let mut file = new_file(&from).map_err(at(&from))?;
        copy(&mut content, &mut file).map_err(|error| match error {
            CopyError::Source(error) => at(source)(error),
            CopyError::DataFolder(error) => at(&from)(error),
        })?;
        self.waiting.push(PendingUpload { from, path });
        Ok(())
    }

    /// Finds the place of a file, and whether it is there already.
    fn place(
        &self,
        archive: &Archive,
        upload: &Upload,
        taken: &mut HashSet<String>,
    ) -> Result<(String, Outcome)> {
        let mut path = upload.path.clone();
        for number in 2.. {
            let place = match taken.contains(&path) {
                true => Place::OtherFile,
                false => self.look(archive, upload, &path)?,
            };
            match place {
                Place::Free => break,
                Place::SameFile => return Ok((path, Outcome::Unchanged)),
                Place::OtherFile => path = numbered(&upload.path, number),
            }
        }
        Ok((path, Outcome::Added))
    }

    fn look(&self, archive: &Archive, upload: &Upload, path: &str) -> Result<Place> {
        let there = self.data.join(path);
        let metadata = match fs::metadata(&there) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Place::Free),
            metadata => metadata.map_err(at(&there))?,
        };
        if !metadata.is_file() || metadata.len() != upload.entry.bytes {
            return Ok(Place::OtherFile);
        }
        let mut is_same = false;
        archive.unpack(&upload.entry, &mut |content| {
            let file = File::open(&there).map_err(at(&there))?;
            is_same = are_same(content, file).map_err(|error| match error {
                CopyError::Source(error) => cannot_unpack(&upload.entry, &error),
                CopyError::DataFolder(error) => at(&there)(error),
            })?;
            Ok(())
        })?;
        Ok(match is_same {
            true => Place::SameFile,
            false => Place::OtherFile,
        })
    }

    fn wait(&mut self, archive: &Archive, upload: &Upload, path: String) -> Result<()> {
        let from = self.next_waiting()?;
        archive.unpack(&upload.entry, &mut |content| {
            let mut file = new_file(&from).map_err(at(&from))?;
            copy(content, &mut file).map_err(|error| match error {
                CopyError::Source(error) => cannot_unpack(&upload.entry, &error),
                CopyError::DataFolder(error) => at(&from)(error),
            })
        })?;
        self.waiting.push(PendingUpload { from, path });
        Ok(())
    }

    /// Where the next file waits.
    fn next_waiting(&mut self) -> Result<PathBuf> {
        let folder = match self.folder.clone() {
            Some(folder) => folder,
            None => self.make_waiting_folder()?,
        };
        Ok(folder.join(self.waiting.len().to_string()))
    }

    fn make_waiting_folder(&mut self) -> Result<PathBuf> {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{WAITING_FOLDER}{}-{number}", std::process::id());
        let folder = self.data.join(name);
        let made = DirBuilder::new().mode(FOLDER_MODE).create(&folder);
        made.map_err(at(&folder))?;
        self.folder = Some(folder.clone());
        Ok(folder)
    }

    /// Moves the files to their places, durably.
    ///
    /// # Errors
    ///
    /// When the data folder cannot be written. What was moved is taken away again when this is dropped.
    pub fn move_to_places(&mut self) -> Result<()> {
        let flush = |waiting: &PendingUpload| File::open(&waiting.from)?.sync_all();
        let flushed: io::Result<()> = self.waiting.par_iter().map(flush).collect();
        flushed.map_err(at(&self.data))?;
        for PendingUpload { from, path } in std::mem::take(&mut self.waiting) {
            let place = self.data.join(path);
            if let Some(folder) = place.parent() {
                self.make_folders(folder).map_err(at(folder))?;
            }
            // A link is refused where something has come in the meantime; a move would replace it.
            fs::hard_link(&from, &place)
                .or_else(|_| copy_new(&from, &place))
                .map_err(at(&place))?;
            self.made.push(place);
        }
        let folders: BTreeSet<&Path> = self
            .made
            .iter()
            .filter_map(|place| place.parent())
            .collect();
        for folder in folders {
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
            self.made.push(folder.to_owned());
        }
        Ok(())
    }

    /// Lets the files stay for good.
    pub fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for Uploads {
    /// Takes away what was not kept. What cannot be taken away stays, and does no harm.
    fn drop(&mut self) {
        for made in self.made.iter().rev() {
            let _ = match made.is_dir() {
                true => fs::remove_dir(made),
                false => fs::remove_file(made),
            };
        }
        if let Some(folder) = &self.folder {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// Takes away what a process left in the data folder that was killed while it imported. Nobody else may be importing.
///
/// # Errors
///
/// When the folder cannot be read or written.
pub fn clear_abandoned(data: &Path) -> io::Result<()> {
    for entry in fs::read_dir(data)? {
        let entry = entry?;
        let is_waiting = entry
            .file_name()
            .to_string_lossy()
            .starts_with(WAITING_FOLDER);
        if is_waiting && entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Which of two sides failed: where the file comes from or the data folder.
enum CopyError {
    Source(io::Error),
    DataFolder(io::Error),
}

fn copy(from: &mut dyn Read, to: &mut File) -> Result<(), CopyError> {
    let mut bytes = vec![0; COPIED_BYTES];
    loop {
        let count = read(from, &mut bytes).map_err(CopyError::Source)?;
        if count == 0 {
            return Ok(());
        }
        to.write_all(&bytes[..count])
            .map_err(CopyError::DataFolder)?;
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

/// For file systems without links.
fn copy_new(from: &Path, to: &Path) -> io::Result<()> {
    let mut file = new_file(to)?;
    io::copy(&mut File::open(from)?, &mut file)?;
    file.sync_all()
}

/// Whether two files hold the same bytes.
///
/// # Errors
///
/// When one of them cannot be read.
pub fn are_same_files(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, other) = (File::open(one)?, File::open(other)?);
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    are_same(&mut one, other).map_err(|error| match error {
        CopyError::Source(error) | CopyError::DataFolder(error) => error,
    })
}

fn are_same(content: &mut dyn Read, file: File) -> Result<bool, CopyError> {
    let mut file = BufReader::with_capacity(COPIED_BYTES, file);
    let mut bytes = vec![0; COPIED_BYTES];
    let mut other = vec![0; COPIED_BYTES];
    loop {
        let count = read(content, &mut bytes).map_err(CopyError::Source)?;
        if count == 0 {
            let rest = file.read(&mut other).map_err(CopyError::DataFolder)?;
            return Ok(rest == 0);
        }
        match file.read_exact(&mut other[..count]) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            read => read.map_err(CopyError::DataFolder)?,
        }
        if bytes[..count] != other[..count] {
            return Ok(false);
        }
    }
}

/// A file or folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use {}: {source}", path.display())]
struct UnusableFile {
    path: PathBuf,
    source: io::Error,
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
