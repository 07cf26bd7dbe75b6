//! Obtains npm packages from a registry, a URL or a file, and verifies their hashes.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use data_encoding::BASE64;
use sha2::{Digest, Sha512};

use super::error::{InstallError, Step};
use crate::outbound;

/// The package manager's program.
const NPM: &str = "npm";

/// Prefix of the accepted integrity hashes of npm.
const SHA512: &str = "sha512-";

/// Longest package, in bytes.
const PACKAGE_BYTES_MAX: u64 = 256 << 20;

/// Size of a read, in bytes.
const CHUNK_BYTES: usize = 1 << 16;

/// A version of a package, with its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedPackage {
    /// The name.
    pub name: &'static str,
    /// The version.
    pub version: String,
    /// The hash of the archive in the format of npm: `sha512-` and Base64.
    pub integrity: String,
}

impl PinnedPackage {
    /// Returns a version of a package, with a hash given by a user.
    ///
    /// # Errors
    ///
    /// `InvalidVersion` or `InvalidIntegrity` if the version or the hash does not have the format of
    /// npm.
    pub fn new(name: &'static str, version: &str, integrity: &str) -> Result<Self, InstallError> {
        let package = Self {
            name,
            version: version.to_owned(),
            integrity: integrity.to_owned(),
        };
        check_version(version)?;
        let digest = integrity.strip_prefix(SHA512);
        let digest = digest.and_then(|digest| BASE64.decode(digest.as_bytes()).ok());
        if digest.is_none_or(|digest| digest.len() != Sha512::output_size()) {
            return Err(InstallError::InvalidIntegrity(package.integrity));
        }
        Ok(package)
    }

    /// Returns the file name of the archive, as npm names it.
    pub fn file_name(&self) -> String {
        let name = self.name.trim_start_matches('@').replace('/', "-");
        format!("{name}-{}.tgz", self.version)
    }

    /// Verifies the hash of an archive.
    ///
    /// # Errors
    ///
    /// `Altered` if the hash differs; the error of the file if it cannot be read.
    pub fn verify(&self, archive: &mut File) -> Result<(), InstallError> {
        let mut hash = Sha512::new();
        let mut chunk = vec![0; CHUNK_BYTES];
        archive.seek(SeekFrom::Start(0))?;
        loop {
            match archive.read(&mut chunk)? {
                0 => break,
                length => hash.update(&chunk[..length]),
            }
        }
        archive.seek(SeekFrom::Start(0))?;
        let found = format!("{SHA512}{}", BASE64.encode(&hash.finalize()));
        if found == self.integrity {
            Ok(())
        } else {
            Err(InstallError::Altered {
                package: format!("{}@{}", self.name, self.version),
                expected: self.integrity.clone(),
                found,
            })
        }
    }
}

/// Checks that a text has the form of a version.
///
/// # Errors
///
/// `InvalidVersion` if it does not.
pub fn check_version(version: &str) -> Result<(), InstallError> {
    // A version becomes a part of file names and of an argument of npm, so it has no slash and does
    // not begin with a dash.
    let is_version = version.starts_with(|first: char| first.is_ascii_digit())
        && version
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+'));
    if is_version {
        Ok(())
    } else {
        Err(InstallError::InvalidVersion(version.to_owned()))
    }
}

/// The source of packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackageSource {
    /// The registry that npm is configured to use on this machine.
    Npm,
    /// A URL of a package, or of a folder of packages.
    Url(String),
    /// A package file, or a folder of packages.
    File(PathBuf),
}

impl PackageSource {
    /// Parses the source that a user gives: a URL or a path.
    pub fn named(name: &str) -> Self {
        if name.starts_with("https://") || name.starts_with("http://") {
            Self::Url(name.to_owned())
        } else {
            Self::File(PathBuf::from(name))
        }
    }

    /// Returns the source of a package that accompanies one from this source: next to its file, or npm.
    pub fn of_companion(&self, package: &PinnedPackage) -> Self {
        let Self::File(path) = self else {
            return Self::Npm;
        };
        let beside = path.with_file_name(package.file_name());
        if beside.is_file() {
            Self::File(beside)
        } else {
            Self::Npm
        }
    }

    /// Returns the source of one of several packages: in the folder or URL of this source, or npm.
    pub fn of_one(&self, package: &PinnedPackage) -> Self {
        match self {
            Self::Npm => Self::Npm,
            Self::Url(url) => Self::Url(format!(
                "{}/{}",
                url.trim_end_matches('/'),
                package.file_name()
            )),
            Self::File(folder) => Self::File(folder.join(package.file_name())),
        }
    }

    /// Returns the verified archive of the package. A complete or partial download in the folder
    /// `downloads` is used.
    ///
    /// # Errors
    ///
    /// If the archive cannot be obtained, or its hash differs.
    pub fn obtain(
        &self,
        package: &PinnedPackage,
        downloads: &Path,
        progress: &dyn Fn(Step, u64, u64),
    ) -> Result<File, InstallError> {
        if let Self::File(path) = self {
            let mut archive = File::open(path).map_err(|error| InstallError::Unreadable {
                path: path.clone(),
                error,
            })?;
            package.verify(&mut archive)?;
            return Ok(archive);
        }
        let path = downloads.join(package.file_name());
        // A file with another hash is not an error here: it is replaced below.
        if let Ok(mut archive) = File::open(&path)
            && package.verify(&mut archive).is_ok()
        {
            return Ok(archive);
        }
        match self {
            Self::Npm => pack(package, downloads)?,
            Self::Url(url) => download(url, &path, progress)?,
            Self::File(_) => {}
        }
        let mut archive = File::open(&path)?;
        if let Err(error) = package.verify(&mut archive) {
            // Otherwise the next attempt would use an altered file.
            fs::remove_file(&path)?;
            return Err(error);
        }
        Ok(archive)
    }
}

/// Downloads the archive into a folder with npm, so that the user's settings for registries, proxies and
/// credentials apply. Settings of a project in the current folder do not apply, since it may be another
/// person's project.
///
/// The version and the hash are pinned, so an archive in npm's cache can be used without a network.
fn pack(package: &PinnedPackage, folder: &Path) -> Result<(), InstallError> {
    let output = Command::new(NPM)
        .args(["pack", "--loglevel=error", "--prefer-offline"])
        .args(["--ignore-scripts", "--pack-destination"])
        .arg(folder)
        .arg("--prefix")
        .arg(folder)
        .arg(format!("{}@{}", package.name, package.version))
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(InstallError::Npm(reason_of(&output.stderr, &output.stdout))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(InstallError::NoNpm),
        Err(error) => Err(error.into()),
    }
}

/// Returns the first line of npm's output that describes the error.
///
/// npm 11 first writes lines such as `npm error code ECONNREFUSED` and `npm error syscall connect`.
fn reason_of(standard_error: &[u8], standard_output: &[u8]) -> String {
    const CODES: [&str; 3] = ["code ", "syscall ", "errno "];
    let text = [standard_error, standard_output].concat();
    let text = String::from_utf8_lossy(&text);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut errors = lines().filter_map(|line| Some(line.strip_prefix("npm error")?.trim_start()));
    errors
        .find(|line| !line.is_empty() && !CODES.iter().any(|code| line.starts_with(code)))
        .or(lines().next())
        .unwrap_or("it gives no reason")
        .to_owned()
}

/// Downloads a file, resuming an earlier attempt.
fn download(url: &str, path: &Path, progress: &dyn Fn(Step, u64, u64)) -> Result<(), InstallError> {
    let partial = path.with_extension("part");
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&partial)?;
    let mut done = file.metadata()?.len();
    let failed = |why: String| InstallError::Download {
        url: url.to_owned(),
        why,
    };
    let mut rest = outbound::download(url, done).map_err(|error| failed(error.to_string()))?;
    if rest.start < done {
        // The server ignored the requested range and sends the whole file again.
        file.set_len(0)?;
        done = 0;
    }
    let total = rest.total.unwrap_or(0);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match rest.body.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => {
                file.write_all(&chunk[..length])?;
                done += length as u64;
                progress(Step::Download, done, total.max(done));
                if done > PACKAGE_BYTES_MAX {
                    return Err(failed(format!(
                        "it has more than {} MB",
                        PACKAGE_BYTES_MAX >> 20
                    )));
                }
            }
            Err(error) => {
                return Err(failed(format!(
                    "{error}. Run the command again to continue"
                )));
            }
        }
    }
    // Before it gets its final name, which only a complete download may have.
    file.sync_all()?;
    Ok(fs::rename(&partial, path)?)
}
