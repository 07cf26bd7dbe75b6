//! Installs the app: unpacks the package next to its final folder and moves it there in one step.

use std::{
    collections::BTreeSet,
    fs::{self, File, TryLockError},
    io::{self, Read, Write},
    path::{Component, Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{
    AdminApp, COMPRESSED_FORMS, INDEX, MANIFEST, Manifest,
    companions::{COMPANIONS, Companion},
    error::{InstallError, Step},
    package::{PackageSource, PinnedPackage},
    remove_folder, rewriting,
};
use crate::atomic_file::replace_folder;

/// The folder of the app in the package.
const APP_FOLDER: &str = "package/core/built/admin";

/// The licence of the app in the package.
const LICENCE: &str = "package/LICENSE";

/// Most files that are unpacked.
const FILES_MAX: usize = 20_000;

/// Most bytes that are unpacked.
const BYTES_MAX: u64 = 512 << 20;

/// Texts shorter than this are not compressed, in bytes.
const UNCOMPRESSED_BYTES_MAX: usize = 1024;

/// Files with these extensions are texts.
const TEXTS: [&str; 7] = ["css", "html", "js", "json", "svg", "txt", "xml"];

/// Levels of compression: it is done once, and the app is long.
const BROTLI_QUALITY: i32 = 9;
const BROTLI_WINDOW_BITS: i32 = 22;
const BROTLI_BUFFER_BYTES: usize = 64 << 10;

/// An installation of the app.
pub struct Installation<'a> {
    /// The folder of the app.
    pub app: &'a AdminApp,
    /// The installed version.
    pub package: &'a PinnedPackage,
    /// The source of the package.
    pub source: &'a PackageSource,
    /// The first segment of the API's paths.
    pub path_prefix: &'a str,
    /// Gets the step, and the progress and the total of it in bytes.
    pub progress: &'a (dyn Fn(Step, u64, u64) + Sync),
}

impl Installation<'_> {
    /// Installs the app in place of the one that is there. A download that was interrupted is
    /// continued. At any crash, the old app or the new one is there, whole, if the file system can
    /// exchange folders.
    ///
    /// # Errors
    ///
    /// If the package cannot be obtained, has another hash than expected, or cannot be unpacked.
    pub fn run(&self) -> Result<Manifest, InstallError> {
        let downloads = self.app.beside("download");
        fs::create_dir_all(&downloads)?;
        let lock = File::open(&downloads)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(InstallError::Busy(self.app.folder.clone()));
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let archive = self
            .source
            .obtain(self.package, &downloads, self.progress)?;
        let ready = self.app.beside("new");
        remove_folder(&ready)?;
        fs::create_dir_all(&ready)?;
        let manifest = self.unpack(archive, &ready, &downloads).inspect_err(|_| {
            // What remains is removed by the next installation.
            let _ = remove_folder(&ready);
        })?;
        replace_folder(&ready, &self.app.folder, &self.app.beside("old"))?;
        remove_folder(&ready)?;
        remove_folder(&self.app.beside("old"))?;
        remove_folder(&downloads)?;
        Ok(manifest)
    }

    fn unpack(
        &self,
        archive: File,
        folder: &Path,
        downloads: &Path,
    ) -> Result<Manifest, InstallError> {
        let mut names = extract(archive, folder, name_in_app)?;
        if !names.contains(Path::new(INDEX)) {
            return Err(InstallError::NoApp(APP_FOLDER));
        }
        let missing = self.add_companions(folder, &mut names, downloads)?;
        let news = folder.join("assets").join(rewriting::NEWS.0);
        fs::write(news, rewriting::NEWS.1)?;
        let length = |name: &PathBuf| Ok(fs::metadata(folder.join(name))?.len());
        let total: u64 = names.iter().map(length).sum::<io::Result<u64>>()?;
        let done = AtomicU64::new(0);
        let files: Vec<&PathBuf> = names.iter().collect();
        let bytes = files
            .par_iter()
            .map(|name| {
                let path = folder.join(name);
                let before = fs::metadata(&path)?.len();
                let bytes = self.prepare(&path)?;
                let done = done.fetch_add(before, Ordering::Relaxed) + before;
                (self.progress)(Step::Unpack, done, total);
                Ok(bytes)
            })
            .sum::<io::Result<u64>>()?;
        let manifest = Manifest {
            version: self.package.version.clone(),
            integrity: self.package.integrity.clone(),
            path_prefix: self.path_prefix.to_owned(),
            missing,
            files: names.len(),
            bytes,
        };
        let text = serde_json::to_vec_pretty(&manifest).map_err(io::Error::from)?;
        write(&folder.join(MANIFEST), &text)?;
        Ok(manifest)
    }

    /// Adds the files that scripts of the app load from other hosts. Returns the missing files, if npm
    /// cannot get a package.
    fn add_companions(
        &self,
        folder: &Path,
        names: &mut BTreeSet<PathBuf>,
        downloads: &Path,
    ) -> Result<Vec<String>, InstallError> {
        let is_script = |name: &&PathBuf| name.extension().is_some_and(|ending| ending == "js");
        let scripts: Vec<PathBuf> = names.iter().filter(is_script).cloned().collect();
        let loads = |companion: &Companion| {
            let mut scripts = scripts.iter();
            scripts.any(|name| {
                let script = fs::read_to_string(folder.join(name));
                script.is_ok_and(|script| companion.is_loaded_by(&script))
            })
        };
        let mut missing = Vec::new();
        for companion in COMPANIONS.iter().filter(|companion| loads(companion)) {
            let package = companion.package();
            let source = self.source.of_companion(&package);
            match source.obtain(&package, downloads, self.progress) {
                Ok(archive) => {
                    let files = companion.files;
                    names.append(&mut extract(archive, folder, |path| name_of(files, path))?);
                }
                Err(error @ (InstallError::NoNpm | InstallError::Npm(_))) => missing.push(format!(
                    "{}, since there is no {}: {error}",
                    companion.purpose,
                    package.file_name()
                )),
                Err(error) => return Err(error),
            }
        }
        Ok(missing)
    }

    /// Rewrites a file and writes its compressed forms. Returns their length in bytes.
    fn prepare(&self, path: &Path) -> io::Result<u64> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let extension = extension.unwrap_or_default();
        if !TEXTS.contains(&extension) {
            let file = File::open(path)?;
            file.sync_all()?;
            return Ok(file.metadata()?.len());
        }
        let bytes = fs::read(path)?;
        let rewritten = match (extension, str::from_utf8(&bytes)) {
            ("css", Ok(text)) => rewriting::style_sheet(text).into_owned().into_bytes(),
            ("js", Ok(text)) => rewriting::script(text, self.path_prefix)
                .into_owned()
                .into_bytes(),
            _ => bytes,
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

/// Returns the path of a file of the package in the folder of the app; `None` for one that is not
/// part of it.
fn name_in_app(path: &Path) -> Option<PathBuf> {
    match path.strip_prefix(APP_FOLDER) {
        Ok(name) => Some(name.to_owned()),
        Err(_) => (path == Path::new(LICENCE)).then(|| PathBuf::from("LICENSE")),
    }
}

/// Returns the second path of the pair whose first one is `path`.
fn name_of(files: &[(&str, &str)], path: &Path) -> Option<PathBuf> {
    let file = files
        .iter()
        .find(|(in_package, _)| path == Path::new(in_package));
    file.map(|(_, name)| PathBuf::from(name))
}

/// Extracts the files of a package that `name_of` names into a folder, and returns their names.
fn extract(
    archive: File,
    folder: &Path,
    name_of: impl Fn(&Path) -> Option<PathBuf>,
) -> Result<BTreeSet<PathBuf>, InstallError> {
    let damaged = |error: io::Error| InstallError::Damaged(error.to_string());
    let mut archive = tar::Archive::new(GzDecoder::new(archive).take(BYTES_MAX));
    let mut names = BTreeSet::new();
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let path = entry.path().map_err(damaged)?.into_owned();
        let Some(name) = name_of(&path) else {
            continue;
        };
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

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
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
    drop(encoder);
    Ok(compressed)
}
