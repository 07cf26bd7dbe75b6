//! Reads a backup: lists its content, and verifies it.

use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::{BufReader, Read},
    ops::{ControlFlow, Range},
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    BackupError, Damage, FILES_MAX, STORE,
    manifest::{self, FileEntry, Manifest},
    seal,
    uploads::COPIES,
};
use crate::{
    archive::{ArchiveEntry, Bounds, Zip},
    backup::{error::read_error, limits::DEPTH_MAX},
    clock::SystemClock,
    error::Error,
    progress::Progress,
    site::Site,
    store::{
        Store, StoreError,
        redb::{COPY_CACHE_BYTES, RedbStore},
    },
    uploads::UPLOAD_FOLDERS,
};

/// Limits for an archive. Its content is not longer than the file, because nothing is compressed.
const BOUNDS: Bounds = Bounds {
    directory_bytes_max: 512 << 20,
    entries_max: FILES_MAX + 1,
    unpacked_bytes_max: u64::MAX,
    depth_max: DEPTH_MAX,
};

/// Maximum number of damages that are reported.
const DAMAGES_MAX: usize = 1000;

/// The name of the damaged part if every file is intact but the seal does not match.
const ARCHIVE: &str = "the archive itself";

/// A backup whose manifest has been read.
pub struct Backup {
    path: PathBuf,
    zip: Zip<BufReader<File>>,
    entries: HashMap<String, ArchiveEntry>,
    manifest: Manifest,
}

/// The result of verifying a backup.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// The version of Galley that wrote the backup.
    pub galley: String,
    /// The revision of the commit in its store.
    pub revision: u64,
    /// Time of writing.
    pub created_at: Timestamp,
    /// Number of files, without the manifest.
    pub files: usize,
    /// Length of these files, in bytes.
    pub bytes: u64,
    /// The content of the site, if the store in the backup can be opened.
    pub site: Option<Contents>,
    /// The damages; empty if it can be restored.
    pub damages: Vec<Damage>,
}

/// The content of the site in a backup.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contents {
    /// The site's title.
    pub title: String,
    /// Number of records of each kind.
    pub counts: BTreeMap<String, usize>,
}

impl Backup {
    /// Opens the backup at `path` and reads its manifest.
    ///
    /// # Errors
    ///
    /// `Read` if there is no such file, `NotABackup` if the file is not a backup, `Newer` if a newer
    /// Galley wrote it, and `Unreadable` if it is truncated or damaged in a part that reading
    /// depends on.
    pub fn open(path: &Path) -> Result<Self, BackupError> {
        let not_a_backup = |why: &str| BackupError::NotABackup {
            path: path.to_owned(),
            why: why.to_owned(),
        };
        let file = File::open(path).map_err(read_error(path))?;
        let metadata = file.metadata().map_err(read_error(path))?;
        if !metadata.is_file() {
            return Err(not_a_backup("it is not a file"));
        }
        let mut head = Vec::new();
        (&file)
            .take(4)
            .read_to_end(&mut head)
            .map_err(read_error(path))?;
        // Checked first: a truncated backup has no directory either, but is reported as damaged
        // instead.
        if !head.starts_with(b"PK") {
            return Err(not_a_backup("it is not a zip archive"));
        }
        let (mut zip, entries) = Zip::open(BufReader::new(file), &BOUNDS)?;
        let list = entries.iter().find(|entry| entry.name == manifest::NAME);
        let list = list.ok_or_else(|| not_a_backup(&format!("it has no {}", manifest::NAME)))?;
        if list.bytes > manifest::BYTES_MAX {
            return Err(BackupError::Unreadable(format!(
                "{} is too long",
                manifest::NAME
            )));
        }
        let mut text = Vec::new();
        let read = zip.content(list)?.read_to_end(&mut text);
        read.map_err(|error| BackupError::Unreadable(format!("{}: {error}", manifest::NAME)))?;
        Ok(Self {
            path: path.to_owned(),
            manifest: Manifest::read(&text)?,
            entries: entries
                .into_iter()
                .map(|entry| (entry.name.clone(), entry))
                .collect(),
            zip,
        })
    }

    /// Returns the time of writing.
    pub fn created_at(&self) -> Timestamp {
        self.manifest.created_at
    }

    /// Verifies all content against the manifest and opens the store inside the archive. Writes
    /// nothing.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or `progress` cancels. Damage is not an error.
    pub fn verify(&mut self, progress: &dyn Progress) -> Result<Verdict, BackupError> {
        let file = File::open(&self.path).map_err(read_error(&self.path))?;
        let length = file.metadata().map_err(read_error(&self.path))?.len();
        let mut done = 0;
        let mut advance = |count: u64| {
            done += count;
            // Each byte is read twice: for its file, and for the seal.
            progress.step(done.min(2 * length), 2 * length)
        };
        // Taken out, because verifying a file borrows all of `self`.
        let files = std::mem::take(&mut self.manifest.files);
        let verified = self.verify_content(&files, &file, &mut advance);
        self.manifest.files = files;
        let (site, damages) = verified?;
        let files = &self.manifest.files;
        Ok(Verdict {
            galley: self.manifest.galley.clone(),
            revision: self.manifest.revision,
            created_at: self.manifest.created_at,
            files: files.len(),
            bytes: files.iter().map(|file| file.bytes).sum(),
            site,
            damages: damages.0,
        })
    }

    /// Verifies the listed `files`, the store and the seal of the archive. Returns the content of the
    /// site, if its store can be opened, and the damages.
    fn verify_content(
        &mut self,
        files: &[FileEntry],
        archive: &File,
        advance: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(Option<Contents>, Damages), BackupError> {
        let mut damages = Damages::default();
        for file in files {
            let digest = match self.open_listed(file) {
                Ok(content) => seal::digest_of(content, advance),
                Err(what) => {
                    damages.add(&file.path, what);
                    continue;
                }
            };
            match digest {
                Ok(ControlFlow::Break(())) => return Err(BackupError::Cancelled),
                Ok(ControlFlow::Continue(digest)) if digest == file.sha256 => {}
                _ => damages.add(&file.path, "its content has changed".to_owned()),
            }
        }
        self.verify_list(files, &mut damages);
        // The damage of the store has been reported already.
        let site = if damages.has(STORE) {
            None
        } else {
            self.verify_store(&mut damages)
        };
        let is_intact = seal::is_intact(archive, advance).map_err(read_error(&self.path))?;
        let is_intact = is_intact.continue_value().ok_or(BackupError::Cancelled)?;
        // Damage of a file breaks the seal as well and is reported more precisely.
        if !is_intact && damages.0.is_empty() {
            let what = "every file in it is intact, but not the bytes between them";
            damages.add(ARCHIVE, what.to_owned());
        }
        Ok((site, damages))
    }

    /// Opens a listed file, or returns a description of its damage as the error.
    fn open_listed(&mut self, file: &FileEntry) -> Result<impl Read, String> {
        if !belongs_here(&file.path) {
            return Err("it does not belong in a backup".to_owned());
        }
        let entry = self.entries.get(&file.path).ok_or("it is missing")?;
        if entry.bytes != file.bytes {
            return Err(format!(
                "it has {} bytes instead of {}",
                entry.bytes, file.bytes
            ));
        }
        let range = self
            .zip
            .stored_range(entry)
            .map_err(|error| error.to_string())?;
        // The store is opened within the archive, and no file can expand to more than the length of
        // the archive.
        if range.is_none() {
            return Err(
                "it is compressed, but Galley does not compress files in backups".to_owned(),
            );
        }
        self.zip.content(entry).map_err(|error| error.to_string())
    }

    /// Reports files that are listed twice, or exist without being listed.
    fn verify_list(&self, files: &[FileEntry], damages: &mut Damages) {
        let mut unlisted: HashMap<&str, &ArchiveEntry> = self
            .entries
            .iter()
            .map(|(name, entry)| (name.as_str(), entry))
            .collect();
        unlisted.remove(manifest::NAME);
        for file in files {
            if unlisted.remove(file.path.as_str()).is_none() && !damages.has(&file.path) {
                damages.add(&file.path, "it is listed twice".to_owned());
            }
        }
        let mut unlisted: Vec<&str> = unlisted.into_keys().collect();
        unlisted.sort_unstable();
        for name in unlisted {
            damages.add(name, "it is not listed".to_owned());
        }
        if !files.iter().any(|file| file.path == STORE) {
            damages.add(STORE, "it is missing".to_owned());
        }
    }

    /// Opens the store in the archive and the site in it.
    fn verify_store(&mut self, damages: &mut Damages) -> Option<Contents> {
        let opened = self.open_store();
        opened.map_err(|what| damages.add(STORE, what)).ok()
    }

    fn open_store(&mut self) -> Result<Contents, String> {
        let range = self.store_range().ok_or("it is missing")?;
        let store = RedbStore::open_within(&self.path, range, COPY_CACHE_BYTES)
            .map_err(store_error_text)?;
        let revision = store.snapshot().map_err(store_error_text)?.revision();
        // Each file matches its hash here, but a manifest can be combined with the store of another
        // backup.
        if revision != self.manifest.revision {
            return Err(format!(
                "it has revision {revision}, but the backup has revision {}",
                self.manifest.revision
            ));
        }
        let site = Site::open(Box::new(store), Arc::new(SystemClock)).map_err(full_error_text)?;
        let snapshot = site.current();
        let catalog = &snapshot.catalog;
        Ok(Contents {
            title: catalog.settings.text("title").unwrap_or_default(),
            counts: catalog.counts(),
        })
    }

    fn store_range(&mut self) -> Option<Range<u64>> {
        let entry = self.entries.get(STORE)?;
        self.zip.stored_range(entry).ok()?
    }

    /// Returns the manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the content of a listed file.
    pub(super) fn content(&mut self, path: &str) -> Result<impl Read, BackupError> {
        let missing = || BackupError::Unreadable(format!("{} is missing", path.escape_debug()));
        let entry = self.entries.get(path).ok_or_else(missing)?;
        Ok(self.zip.content(entry)?)
    }
}

/// Returns whether a file with this path may be restored: the store or an upload.
fn belongs_here(path: &str) -> bool {
    let is_upload = path
        .split_once('/')
        .is_some_and(|(folder, _)| UPLOAD_FOLDERS.contains(&folder));
    path == STORE || (is_upload && !Path::new(path).starts_with(COPIES))
}

/// Returns the message of a store's error, worded for a store in a backup.
fn store_error_text(error: StoreError) -> String {
    match error {
        StoreError::Damaged { detail, .. } => detail,
        StoreError::NotAStore { .. } => "it is not a Galley store".to_owned(),
        other => other.to_string(),
    }
}

fn full_error_text(error: Error) -> String {
    match std::error::Error::source(&error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

#[derive(Default)]
struct Damages(Vec<Damage>);

impl Damages {
    fn add(&mut self, location: &str, what: String) {
        if self.0.len() < DAMAGES_MAX {
            let location = location.to_owned();
            self.0.push(Damage { location, what });
        }
    }

    fn has(&self, location: &str) -> bool {
        self.0.iter().any(|damage| damage.location == location)
    }
}
