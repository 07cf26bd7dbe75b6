//! The manifest of a build, stored in the folder itself, so that the next build knows its own files
//! and the changed ones.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
};

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

/// The file's name, at the top of the folder.
pub const FILE: &str = ".galley-build.json";

/// Size of a read of a file, in bytes.
const PIECE_BYTES: usize = 1 << 16;

/// The content of a folder. The same files make the same bytes: it contains no time, no key and no
/// machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of Galley that wrote it; another one may resize images differently.
    pub galley: String,
    /// True if a build was interrupted, so that files may differ from the manifest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_broken_off: bool,
    /// The files by their paths.
    pub files: BTreeMap<String, ManifestEntry>,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// Its length in bytes.
    pub length: u64,
    /// XXH3 of its content, 128 bits in hexadecimal digits.
    pub hash: String,
    /// The same hash of the original image, if it is a resized one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

impl Manifest {
    /// Creates an empty manifest.
    pub fn of_this_version() -> Self {
        Self {
            galley: env!("CARGO_PKG_VERSION").to_owned(),
            ..Self::default()
        }
    }
}

impl ManifestEntry {
    /// Creates the entry of a file with this content.
    pub fn of(content: &[u8]) -> Self {
        Self {
            length: content.len() as u64,
            hash: format!("{:032x}", XxHash3_128::oneshot(content)),
            of: None,
        }
    }

    /// Creates the entry of a file, which is read from its current position to the end.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn of_file(file: &mut File) -> io::Result<Self> {
        let mut hasher = XxHash3_128::new();
        let mut piece = vec![0; PIECE_BYTES];
        let mut length = 0;
        loop {
            let read = file.read(&mut piece)?;
            if read == 0 {
                break;
            }
            length += read as u64;
            hasher.write(&piece[..read]);
        }
        Ok(Self {
            length,
            hash: format!("{:032x}", hasher.finish_128()),
            of: None,
        })
    }

    /// Returns whether another file has the same content.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.length, &self.hash) == (other.length, &other.hash)
    }
}
