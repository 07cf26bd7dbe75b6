//! Copies uploads from one storage to another, file by file. An interrupted copy continues with the
//! missing files.
//!
//! Each file is read back from the destination and compared. An existing file is not replaced: it
//! counts as copied if it is identical, and is reported otherwise. Resized images are not copied;
//! they are created again.

use crate::progress::Progress;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    env,
    fs::{self, File},
    io::{self, Read, Seek, Write},
    mem,
    path::Path,
};

use sha2::{Digest, Sha256};

use super::{
    FILES_MAX,
    restore::archived,
    uploads::{FoundUploads, THEMES, Upload},
};
use crate::uploads::{BucketUploads, Uploads};

/// Size of the copy buffer, in bytes.
const CHUNK_BYTES: usize = 128 * 1024;

/// Maximum number of names in a message.
const NAMES_MAX: usize = 10;

/// The result of a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CopiedUploads {
    /// The number of written files.
    pub copied: u64,
    /// The total length of the written files, in bytes.
    pub bytes: u64,
    /// The number of identical files that existed.
    pub found: u64,
    /// Files that cannot be copied, with the reason.
    pub left_out: Vec<String>,
}

/// The reason why uploads could not be copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyUploadsError {
    /// Other files exist under the same names.
    #[error(
        "{location} already has different files with the names of uploads, which were not replaced: {}. Move these files away, or choose another destination, and run the same command again",
        listed(.names)
    )]
    Taken {
        /// The storage.
        location: Box<str>,
        /// The names.
        names: Vec<String>,
    },
    /// An upload cannot be read or written.
    #[error("cannot copy {name}: {source}. Run the same command again to continue")]
    Failed {
        /// The name of the upload or the storage.
        name: Box<str>,
        /// The error.
        source: io::Error,
    },
    /// A file that was read back differs from the one written.
    #[error(
        "{location} returned a different content for {name} than was written, so the copy was deleted"
    )]
    Differs {
        /// The storage.
        location: Box<str>,
        /// The name of the upload.
        name: Box<str>,
    },
    /// There are too many uploads.
    #[error("there are more than {FILES_MAX} uploads to copy")]
    TooMany,
}

fn listed(names: &[String]) -> String {
    let shown = names.iter().take(NAMES_MAX).map(String::as_str);
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if names.len() > NAMES_MAX {
        text.push_str(&format!(" and {} more", names.len() - NAMES_MAX));
    }
    text
}

/// Copies all uploads and themes, except resized images. If `from` is a bucket, its themes must have
/// been unpacked. `progress` receives the number of bytes done and the total.
///
/// # Errors
///
/// `Taken` if other files exist under the names of some uploads, after all others were copied;
/// `Failed` or `Differs` for the first file that cannot be copied.
pub fn copy_uploads(
    from: &Uploads,
    to: &Uploads,
    progress: &dyn Progress,
) -> Result<CopiedUploads, CopyUploadsError> {
    let location = location_of(from);
    let found = FoundUploads::find(from).map_err(failed(&location))?;
    let mut found = found.map_err(|_| CopyUploadsError::TooMany)?;
    let mut copying = Copying {
        to,
        location: location_of(to).into(),
        objects: match to.bucket() {
            Some(bucket) => lengths(bucket)?,
            None => HashMap::new(),
        },
        done: CopiedUploads {
            left_out: mem::take(&mut found.left_out),
            ..CopiedUploads::default()
        },
        taken: Vec::new(),
    };
    let mut themes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let total = found.bytes();
    let mut bytes: u64 = 0;
    for file in &found.files {
        match theme_of(file) {
            Some((theme, path)) if to.bucket().is_some() => {
                themes.entry(theme).or_default().push(path);
                continue;
            }
            _ => copying.add(&file.name, file.bytes, &Content::of(file, from))?,
        }
        bytes = file.bytes.saturating_add(bytes);
        progress.advance(bytes, total);
    }
    for (theme, paths) in &themes {
        let name = Uploads::theme_object(theme);
        let top = from.folder().join(THEMES).join(theme);
        let archive = archived(&env::temp_dir(), &top, paths).map_err(failed(&name))?;
        let length = archive.metadata().map_err(failed(&name))?.len();
        copying.add(&name, length, &Content::Open(&archive))?;
    }
    if let Some(bucket) = from.bucket() {
        let have: HashSet<&str> = found
            .files
            .iter()
            .filter_map(|file| Some(theme_of(file)?.0))
            .collect();
        // Themes are copied last, so that an unreadable theme does not prevent copying the other
        // files.
        copying.check_themes(bucket, &have)?;
    }
    if copying.taken.is_empty() {
        Ok(copying.done)
    } else {
        Err(CopyUploadsError::Taken {
            location: copying.location,
            names: copying.taken,
        })
    }
}

fn failed(name: &str) -> impl Fn(io::Error) -> CopyUploadsError {
    move |source| CopyUploadsError::Failed {
        name: name.into(),
        source,
    }
}

fn location_of(uploads: &Uploads) -> String {
    match uploads.bucket() {
        Some(bucket) => format!("{bucket:?}"),
        None => uploads.folder().display().to_string(),
    }
}

fn lengths(bucket: &BucketUploads) -> Result<HashMap<String, u64>, CopyUploadsError> {
    let listed = bucket.list("").map_err(failed(&format!("{bucket:?}")))?;
    let lengths = listed.into_iter().map(|object| (object.name, object.bytes));
    Ok(lengths.collect())
}

/// Returns the name of the theme that a file belongs to, and the file's path within the theme.
fn theme_of(file: &Upload) -> Option<(&str, &str)> {
    let (folder, path) = file.name.split_once('/')?;
    path.split_once('/').filter(|_| folder == THEMES)
}

/// The source of the content of an upload.
enum Content<'c> {
    File(&'c Path),
    Open(&'c File),
    Object(&'c BucketUploads, &'c str),
}

impl<'c> Content<'c> {
    fn of(file: &'c Upload, uploads: &'c Uploads) -> Self {
        match uploads.bucket().filter(|_| !file.is_of_theme()) {
            Some(bucket) => Self::Object(bucket, &file.name),
            None => Self::File(&file.path),
        }
    }

    fn reader(&self) -> io::Result<Box<dyn Read + 'c>> {
        match *self {
            Self::File(path) => Ok(Box::new(File::open(path)?)),
            Self::Open(mut file) => {
                file.rewind()?;
                Ok(Box::new(file))
            }
            Self::Object(bucket, name) => {
                let file = bucket.get_file(&env::temp_dir(), name)?;
                Ok(Box::new(file.ok_or(io::ErrorKind::NotFound)?))
            }
        }
    }

    /// Puts the content into a bucket, and returns the hash of the bytes read.
    fn put(&self, bucket: &BucketUploads, name: &str) -> io::Result<Hash> {
        match *self {
            Self::File(path) => drop(bucket.put_file(&File::open(path)?, name)?),
            Self::Open(file) => drop(bucket.put_file(file, name)?),
            Self::Object(from, of) => {
                let file = from.get_file(&env::temp_dir(), of)?;
                let mut file = file.ok_or(io::ErrorKind::NotFound)?;
                bucket.put_file(&file, name)?;
                file.rewind()?;
                return hash(file, &mut io::sink());
            }
        }
        hash(self.reader()?, &mut io::sink())
    }
}

type Hash = [u8; 32];

/// Copies `content` to `out`, and returns its hash.
fn hash(mut content: impl Read, out: &mut dyn Write) -> io::Result<Hash> {
    let mut digest = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let count = match content.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            count => count?,
        };
        if count == 0 {
            return Ok(digest.finalize().into());
        }
        digest.update(&chunk[..count]);
        out.write_all(&chunk[..count])?;
    }
}

struct Copying<'c> {
    to: &'c Uploads,
    location: Box<str>,
    /// The lengths of the objects in the bucket.
    objects: HashMap<String, u64>,
    done: CopiedUploads,
    /// Names that other files already have.
    taken: Vec<String>,
}

impl Copying<'_> {
    fn add(
        &mut self,
        name: &str,
        bytes: u64,
        content: &Content<'_>,
    ) -> Result<(), CopyUploadsError> {
        let failed = failed(name);
        match self.length_of(name).map_err(&failed)? {
            Some(there) => {
                let is_same =
                    there == bytes && self.has_same(name, bytes, content).map_err(failed)?;
                if is_same {
                    self.done.found += 1
                } else {
                    self.taken.push(name.to_owned())
                }
            }
            None => {
                let Some(written) = self.write(name, content).map_err(&failed)? else {
                    // Another process has created it meanwhile.
                    self.taken.push(name.to_owned());
                    return Ok(());
                };
                if self.hash_of(name, bytes).map_err(&failed)? != written {
                    // Removed, so that the next attempt does not find it and report other content
                    // under this name.
                    self.remove(name).map_err(failed)?;
                    return Err(CopyUploadsError::Differs {
                        location: self.location.clone(),
                        name: name.into(),
                    });
                }
                self.done.copied += 1;
                self.done.bytes += bytes;
            }
        }
        Ok(())
    }

    fn length_of(&self, name: &str) -> io::Result<Option<u64>> {
        if self.to.bucket().is_some() {
            return Ok(self.objects.get(name).copied());
        }
        // Without following links: a dangling link also occupies the name.
        match fs::symlink_metadata(self.to.path(name)) {
            Ok(found) => Ok(Some(found.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn has_same(&self, name: &str, bytes: u64, content: &Content<'_>) -> io::Result<bool> {
        if self.to.bucket().is_none() && !self.to.path(name).is_file() {
            return Ok(false);
        }
        Ok(self.hash_of(name, bytes)? == hash(content.reader()?, &mut io::sink())?)
    }

    /// Writes a new file, and returns the hash of its content; `None` if it exists.
    fn write(&self, name: &str, content: &Content<'_>) -> io::Result<Option<Hash>> {
        if let Some(bucket) = self.to.bucket() {
            return content.put(bucket, name).map(Some);
        }
        let mut file = self.to.incoming()?;
        let written = hash(content.reader()?, &mut file)?;
        Ok(self.to.put_new(&file, name)?.then_some(written))
    }

    /// Returns the hash of an upload, which is expected to have `bytes` bytes.
    fn hash_of(&self, name: &str, bytes: u64) -> io::Result<Hash> {
        let content: Box<dyn Read> = match self.to.bucket() {
            // One more byte than expected, so that a longer object has a different hash.
            Some(bucket) => Box::new(bucket.content_of(name, bytes.saturating_add(1))?),
            None => Box::new(File::open(self.to.path(name))?),
        };
        hash(content, &mut io::sink())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        match self.to.bucket() {
            Some(bucket) => bucket.delete(name),
            None => self.to.remove(name),
        }
    }

    /// Checks that the archives of the themes in a bucket have been unpacked.
    fn check_themes(
        &mut self,
        bucket: &BucketUploads,
        have: &HashSet<&str>,
    ) -> Result<(), CopyUploadsError> {
        let objects = bucket.list("themes/").map_err(failed(THEMES))?;
        for object in objects {
            let name = object.name.strip_prefix("themes/").unwrap_or_default();
            match name.strip_suffix(".zip") {
                Some(theme) if have.contains(theme) => {}
                Some(_) => {
                    let source = io::Error::other("it cannot be unpacked as a theme");
                    return Err(failed(&object.name)(source));
                }
                None => {
                    let left_out = format!("{}: it is not a theme", object.name.escape_debug());
                    self.done.left_out.push(left_out);
                }
            }
        }
        Ok(())
    }
}
