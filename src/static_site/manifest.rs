//! The manifest of a build. It is stored in the output folder, so that the next build recognises
//! its own files and finds changed ones.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
};

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

/// The name of the file, at the top of the folder.
pub const FILE: &str = ".galley-build.json";

/// Size of the read buffer, in bytes.
const CHUNK_BYTES: usize = 1 << 16;

/// The files in a folder. The manifest is reproducible: it contains no time, no key and no name of
/// a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of Galley that wrote the manifest. Other versions may resize images differently.
    pub galley: String,
    /// Whether the build has not finished, so that files may differ from the manifest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unfinished: bool,
    /// The files, by path.
    pub files: BTreeMap<String, ManifestEntry>,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// The length in bytes.
    pub length: u64,
    /// The XXH3 hash of the content, 128 bits in hexadecimal digits.
    pub hash: String,
    /// The hash of the original image, if the file is a resized image.
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
    /// Creates the entry for a file with this content.
    pub fn of(content: &[u8]) -> Self {
        Self {
            length: content.len() as u64,
            hash: format!("{:032x}", XxHash3_128::oneshot(content)),
            of: None,
        }
    }

    /// Creates the entry for a file, which is read from its current position to the end.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn of_file(file: &mut File) -> io::Result<Self> {
        let mut hasher = XxHash3_128::new();
        // Files may be videos, so they are not read as a whole.
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut length = 0;
        loop {
            let read = file.read(&mut chunk)?;
            if read == 0 {
                break;
            }
            length += read as u64;
            hasher.write(&chunk[..read]);
        }
        Ok(Self {
            length,
            hash: format!("{:032x}", hasher.finish_128()),
            of: None,
        })
    }

    /// Returns whether another entry has the same content.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.length, &self.hash) == (other.length, &other.hash)
    }
}
