//! Extracts files of packages, and writes compressed forms of text files.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Component, Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{
    error::{InstallError, Step},
    folder::{COMPRESSED_FORMS, write},
};

/// Maximum number of files that are unpacked.
const FILES_MAX: usize = 20_000;

/// Maximum number of bytes that are unpacked.
const BYTES_MAX: u64 = 512 << 20;

/// Length up to which text files are not compressed, in bytes.
const UNCOMPRESSED_BYTES_MAX: usize = 1024;

/// The extensions of text files.
const TEXTS: [&str; 7] = ["css", "html", "js", "json", "svg", "txt", "xml"];

/// Compression settings. Files are compressed only once, so the level is high.
const BROTLI_QUALITY: i32 = 9;
const BROTLI_WINDOW_BITS: i32 = 22;
const BROTLI_BUFFER_BYTES: usize = 64 << 10;

/// Extracts the files of a package for which `name_of` returns a name into a folder, and returns these names.
///
/// # Errors
///
/// `Damaged` if the archive cannot be read, is too large, or names a file outside the folder.
pub fn extract(
    archive: File,
    folder: &Path,
    name_of: impl Fn(&Path) -> Option<PathBuf>,
) -> Result<BTreeSet<PathBuf>, InstallError> {
    let damaged = |error: io::Error| InstallError::Damaged(error.to_string());
    // Limits the decompressed bytes, whatever the archive says about them.
    let mut archive = tar::Archive::new(GzDecoder::new(archive).take(BYTES_MAX));
    let mut names = BTreeSet::new();
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let path = entry.path().map_err(damaged)?.into_owned();
        let Some(name) = name_of(&path) else {
            continue;
        };
        // Without links, no later entry can be written through one.
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let is_safe = name
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if !is_safe || names.len() == FILES_MAX {
            return Err(InstallError::Damaged(format!(
                "{} is not accepted",
                path.display()
            )));
        }
        let target = folder.join(&name);
        fs::create_dir_all(target.parent().unwrap_or(folder))?;
        let mut file = File::create_new(&target)?;
        io::copy(&mut entry, &mut file).map_err(damaged)?;
        names.insert(name);
    }
    Ok(names)
}

/// Rewrites extracted files and compresses them.
pub struct PackageRewrites<'a> {
    /// The folder of the files.
    pub folder: &'a Path,
    /// Rewrites the text of a file with this extension.
    pub rewrite: &'a (dyn for<'text> Fn(&str, &'text str) -> Cow<'text, str> + Sync),
    /// Receives the step, and its progress and total in bytes.
    pub progress: &'a (dyn Fn(Step, u64, u64) + Sync),
}

impl PackageRewrites<'_> {
    /// Rewrites the files with these names and writes their compressed forms. Returns the total length in bytes.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written.
    pub fn run(&self, names: &BTreeSet<PathBuf>) -> io::Result<u64> {
        let length = |name: &PathBuf| Ok(fs::metadata(self.folder.join(name))?.len());
        let total: u64 = names.iter().map(length).sum::<io::Result<u64>>()?;
        let done = AtomicU64::new(0);
        let files: Vec<&PathBuf> = names.iter().collect();
        files
            .par_iter()
            .map(|name| {
                let path = self.folder.join(name);
                let before = fs::metadata(&path)?.len();
                let bytes = self.prepare(&path)?;
                // Relaxed ordering is enough, because the number is only shown.
                let done = done.fetch_add(before, Ordering::Relaxed) + before;
                (self.progress)(Step::Unpack, done, total);
                Ok(bytes)
            })
            .sum()
    }

    /// Rewrites a file and writes its compressed forms. Returns their total length in bytes.
    fn prepare(&self, path: &Path) -> io::Result<u64> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let extension = extension.unwrap_or_default();
        if !TEXTS.contains(&extension) {
            let file = File::open(path)?;
            // All files are on disk before the folder gets its final name.
            file.sync_all()?;
            return Ok(file.metadata()?.len());
        }
        let bytes = fs::read(path)?;
        let rewritten = match str::from_utf8(&bytes) {
            Ok(text) => (self.rewrite)(extension, text).into_owned().into_bytes(),
            Err(_) => bytes,
        };
        write(path, &rewritten)?;
        let mut total = rewritten.len() as u64;
        if rewritten.len() > UNCOMPRESSED_BYTES_MAX {
            for (encoding, ending) in COMPRESSED_FORMS {
                let compressed = match encoding {
                    "br" => brotli(&rewritten)?,
                    _ => gzip(&rewritten)?,
                };
                total += compressed.len() as u64;
                let mut name = path.as_os_str().to_owned();
                name.push(ending);
                write(Path::new(&name), &compressed)?;
            }
        }
        Ok(total)
    }
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn brotli(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressed = Vec::new();
    let mut encoder = brotli::CompressorWriter::new(
        &mut compressed,
        BROTLI_BUFFER_BYTES,
        BROTLI_QUALITY as u32,
        BROTLI_WINDOW_BITS as u32,
    );
    encoder.write_all(bytes)?;
    // Dropping the encoder writes the end of the stream.
    drop(encoder);
    Ok(compressed)
}
