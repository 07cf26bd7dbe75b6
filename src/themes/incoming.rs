//! A theme that is being added from an archive or a folder: extracted next to its final path and validated there.

use std::{
    collections::{BTreeSet, HashSet},
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use walkdir::WalkDir;

use super::{
    ReplacedTheme, Theme, Themes,
    name::{from_text as name_from_text, name_of_file},
    replacement::FOLDER_MODE,
};
use crate::{
    archive::{ArchiveError, Bounds, Zip},
    error::{Error, Kind, Result},
    store::is_out_of_space,
    themes::{
        files::{PACKAGE, ThemeFiles, is_ignored},
        limits::{BYTES_MAX, DEPTH_MAX, FILES_MAX},
    },
};

/// The limits of an archive.
const BOUNDS: Bounds = Bounds {
    directory_bytes_max: 4 << 20,
    entries_max: FILES_MAX,
    unpacked_bytes_max: BYTES_MAX,
    depth_max: DEPTH_MAX,
};

const FILE_MODE: u32 = 0o644;

/// The start of a refusal.
const REFUSAL: &str = "This cannot be used as a theme:";

/// A theme that is being added and is not at its final path yet. It is removed on drop unless it is installed.
pub struct IncomingTheme {
    themes: Themes,
    folder: PathBuf,
}

/// A file of a theme that is being added.
struct IncomingFile<'f, S> {
    source: &'f S,
    /// The path in the theme.
    path: String,
}

impl IncomingTheme {
    /// Extracts the archive or copies the folder at `path`. Returns the theme and its name, which is derived from the name of the
    /// file or folder.
    ///
    /// # Errors
    ///
    /// `BadRequest` if the file cannot be opened; the errors of [`from_archive`](Self::from_archive),
    /// [`from_folder`](Self::from_folder) and an invalid name.
    pub fn at(themes: &Themes, path: &Path) -> Result<(Self, String)> {
        // The name of `.` and of a link is that of the folder that they resolve to.
        let real_path = path.canonicalize();
        let named = real_path.as_deref().unwrap_or(path);
        let file_name = named.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            let name = name_from_text(&file_name)?;
            return Ok((Self::from_folder(themes, path)?, name));
        }
        let name = name_of_file(&file_name)?;
        let archive = File::open(path).map_err(|error| {
            let message = format!("{} cannot be read: {error}.", path.display());
            Error::new(Kind::BadRequest, message)
        })?;
        Ok((Self::from_archive(themes, archive)?, name))
    }

    /// Extracts a zip archive. The theme may be in a folder of the archive; hidden files and `node_modules` are skipped.
    ///
    /// # Errors
    ///
    /// `Validation` if the file is not an archive, or is damaged, malicious or empty; `UnsupportedMediaType` if it contains
    /// links.
    pub fn from_archive(themes: &Themes, archive: File) -> Result<Self> {
        // The entries are checked before any folder is created.
        let (mut zip, entries) = Zip::open(archive, &BOUNDS).map_err(refuse_archive)?;
        let incoming = Self::new(themes)?;
        let files = theme_of(&entries, |entry| &entry.name)?;
        for file in &files {
            let mut content = zip.content(file.source).map_err(refuse_archive)?;
            incoming.write(&file.path, &mut content)?;
        }
        incoming.flush(&files)?;
        Ok(incoming)
    }

    /// Copies a folder, by the rules of [`from_archive`](Self::from_archive).
    ///
    /// # Errors
    ///
    /// `Validation` if the folder cannot be read, is too large, or contains links.
    pub fn from_folder(themes: &Themes, folder: &Path) -> Result<Self> {
        let paths = paths_in(folder)?;
        let incoming = Self::new(themes)?;
        let files = theme_of(&paths, |path| path)?;
        for file in &files {
            let source = folder.join(file.source);
            let mut content = File::open(&source).map_err(|error| unreadable(&source, &error))?;
            incoming.write(&file.path, &mut content)?;
        }
        incoming.flush(&files)?;
        Ok(incoming)
    }

    /// Returns the theme with this name, from its temporary folder.
    pub fn theme(&self, name: &str) -> Theme {
        Theme {
            name: name.to_owned(),
            files: ThemeFiles::Folder(self.folder.clone()),
        }
    }

    /// Moves the theme to the path of the theme `name`, durably.
    ///
    /// # Errors
    ///
    /// If the folder of themes cannot be written. The previous theme then remains.
    pub fn install(&self, name: &str) -> Result<ReplacedTheme> {
        // The bucket is changed first: if the local change then fails, the change in the bucket is
        // undone on drop.
        let install = || self.themes.put(&self.folder, name);
        match self.themes.uploads.bucket() {
            Some(bucket) => self
                .themes
                .put_in_bucket(bucket, &self.theme(name), install),
            None => install(),
        }
    }

    /// Returns the temporary folder that contains the theme.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn new(themes: &Themes) -> Result<Self> {
        Ok(Self {
            folder: themes.create_incoming_folder()?,
            themes: themes.clone(),
        })
    }

    fn write(&self, path: &str, content: &mut impl Read) -> Result<()> {
        let target = self.folder.join(path);
        if let Some(folder) = target.parent() {
            let mut builder = DirBuilder::new();
            let created = builder.recursive(true).mode(FOLDER_MODE).create(folder);
            created.map_err(Error::internal)?;
        }
        let mut options = OpenOptions::new();
        // Paths are distinct and the folder is new, so the file does not exist yet; `create_new`
        // also follows no link.
        let options = options.write(true).create_new(true).mode(FILE_MODE);
        let mut file = options.open(&target).map_err(Error::internal)?;
        // The sizes in an archive may be false, so the content is bounded, too.
        let copied = io::copy(&mut content.take(BYTES_MAX + 1), &mut file);
        copied.map_err(|error| match error.kind() {
            // A full disk is not the fault of the archive.
            kind if is_out_of_space(kind) => Error::internal(error),
            _ => refuse_archive(ArchiveError::Unpackable {
                name: path.to_owned(),
                reason: error.to_string(),
            }),
        })?;
        Ok(())
    }

    /// Flushes all files and folders to disk.
    fn flush<S: Sync>(&self, files: &[IncomingFile<S>]) -> Result<()> {
        let mut folders_to_flush: BTreeSet<PathBuf> = BTreeSet::new();
        for file in files {
            let target = self.folder.join(&file.path);
            // A file in a new folder is durable only if the folder is flushed, too. All of this is
            // before the rename of `install`: after a power failure, a theme at its path must be
            // complete.
            let folders = target
                .ancestors()
                .take_while(|folder| folder.starts_with(&self.folder));
            folders_to_flush.extend(folders.map(Path::to_owned));
        }
        let folders_to_flush: Vec<PathBuf> = folders_to_flush.into_iter().collect();
        let flush = |flushed_path: &PathBuf| File::open(flushed_path)?.sync_all();
        // In parallel, because a theme may have thousands of small files, and each flush waits for
        // the disk.
        let flushed: io::Result<()> = folders_to_flush.par_iter().map(flush).collect();
        flushed.map_err(Error::internal)
    }
}

impl Drop for IncomingTheme {
    /// Removes the temporary folder. If that fails, it is removed at the next start.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns the files of the theme: those in the topmost folder with `index.hbs` or, without one, with a package.
fn theme_of<S>(sources: &[S], name: impl Fn(&S) -> &str) -> Result<Vec<IncomingFile<'_, S>>> {
    let is_of_theme = |path: &str| !path.split('/').any(is_ignored);
    let considered: Vec<&S> = sources
        .iter()
        .filter(|source| is_of_theme(name(source)))
        .collect();
    if considered.is_empty() {
        return Err(refuse("It contains no files."));
    }
    let root_by = |file: &str| {
        let roots = considered.iter().filter_map(|source| {
            let root = name(source).strip_suffix(file)?;
            (root.is_empty() || root.ends_with('/')).then_some(root)
        });
        // The topmost one; of several at the same depth, the first by name, so that the choice does
        // not depend on the order in the archive.
        roots.min_by_key(|root| (root.matches('/').count(), *root))
    };
    let root = root_by("index.hbs")
        .or_else(|| root_by(PACKAGE))
        .unwrap_or_default();
    let mut incoming_files = Vec::new();
    for source in &considered {
        if let Some(path) = name(source).strip_prefix(root) {
            let path = path.to_owned();
            incoming_files.push(IncomingFile {
                source: *source,
                path,
            });
        }
    }
    refuse_same_paths(&incoming_files)?;
    Ok(incoming_files)
}

/// Refuses files whose paths are the same, ignoring case, and files whose path is a folder of other files.
fn refuse_same_paths<S>(files: &[IncomingFile<S>]) -> Result<()> {
    let mut paths = HashSet::new();
    let twice = |path: &str| refuse(&format!("\"{path}\" occurs twice, ignoring case."));
    for file in files {
        // Ignoring case, so that the theme can be extracted on file systems that ignore it.
        if !paths.insert(file.path.to_lowercase()) {
            return Err(twice(&file.path));
        }
    }
    for file in files {
        let lower = file.path.to_lowercase();
        // A file cannot have the name of a folder. The second loop needs all paths.
        let mut folders = lower.match_indices('/').map(|(end, _)| &lower[..end]);
        if let Some(folder) = folders.find(|folder| paths.contains(*folder)) {
            return Err(twice(folder));
        }
    }
    Ok(())
}

/// Returns the paths of all files of a folder, sorted.
fn paths_in(folder: &Path) -> Result<Vec<String>> {
    let is_considered = |entry: &walkdir::DirEntry| {
        entry.depth() == 0 || !is_ignored(&entry.file_name().to_string_lossy())
    };
    let mut paths = Vec::new();
    let mut bytes: u64 = 0;
    for entry in WalkDir::new(folder).into_iter().filter_entry(is_considered) {
        let entry = entry.map_err(|error| refuse(&format!("{error}.")))?;
        let kind = entry.file_type();
        let path = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        if kind.is_dir() && entry.depth() <= DEPTH_MAX {
            continue;
        }
        // A backslash is a separator in archives that Windows programs write.
        let plain_path = path.to_str().filter(|path| !path.contains('\\'));
        let (true, Some(path)) = (kind.is_file() && entry.depth() <= DEPTH_MAX + 1, plain_path)
        else {
            return Err(refuse(&format!(
                "\"{}\" is a link or another special file, too deeply nested, or has an unusable name.",
                path.display()
            )));
        };
        let metadata = entry
            .metadata()
            .map_err(|error| refuse(&format!("{error}.")))?;
        bytes = bytes.saturating_add(metadata.len());
        paths.push(path.to_owned());
        if paths.len() > FILES_MAX || bytes > BYTES_MAX {
            return Err(refuse(&format!(
                "It has more than {FILES_MAX} files, or more than {} MB.",
                BYTES_MAX >> 20
            )));
        }
    }
    // The order of a folder depends on the file system.
    paths.sort_unstable();
    Ok(paths)
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    refuse(&format!("{} cannot be read: {error}.", path.display()))
}

fn refuse(context: &str) -> Error {
    Error::new(Kind::Validation, REFUSAL).context(context)
}

fn refuse_archive(error: ArchiveError) -> Error {
    let refusal = match error {
        ArchiveError::Link { .. } => {
            Error::new(Kind::UnsupportedMediaType, REFUSAL).code("SYMLINK_NOT_ALLOWED")
        }
        _ => Error::new(Kind::Validation, REFUSAL),
    };
    refusal.context(format!("{error}."))
}
