//! What a build wrote, told in the folder itself: so the next one knows what is its own and what has changed.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
};

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

/// The file's name, at the top of the folder.
pub const FILE: &str = ".galley-build.json";

/// Bytes of a file that are in memory at a time.
const PIECE_BYTES: usize = 1 << 16;

/// What lies in a folder. The same files make the same bytes: no time, no key and no machine is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of Galley that wrote it; another one may make other pictures of the same.
    pub galley: String,
    /// Whether a build broke off, so that files may be other than it says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_broken_off: bool,
    /// The files by their paths.
    pub files: BTreeMap<String, Entry>,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its length in bytes.
    pub length: u64,
    /// XXH3 of its content, 128 bits in hexadecimal digits.
    pub hash: String,
    /// The same of the picture that it was made from, where it is one in another size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

impl Manifest {
    /// One that lists nothing yet.
    pub fn of_this_version() -> Self {
        Self {
            galley: env!("CARGO_PKG_VERSION").to_owned(),
            ..Self::default()
        }
    }
}

impl Entry {
    /// The entry of a file with this content.
    pub fn of(content: &[u8]) -> Self {
        Self {
            length: content.len() as u64,
            hash: format!("{:032x}", XxHash3_128::oneshot(content)),
            of: None,
        }
    }

    /// The entry of a file, which is read from where it stands to its end.
    ///
    /// # Errors
    ///
    /// What the system says.
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

    /// Whether another file has the same content.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.length, &self.hash) == (other.length, &other.hash)
    }
}
