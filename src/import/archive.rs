//! Reads zip archives that users of Ghost make: an export, images and other files, lists of members.
//!
//! An archive may be malicious: path traversal, symbolic links, zip bombs. The central directory is checked before anything is
//! decompressed, and everything has a bound.

use std::io::{self, Read};

use super::{Report, ghost::DocumentSource, import_file::ImportFile};
pub use crate::archive::ArchiveEntry;
use crate::{
    archive::{self, Bounds, Zip},
    content_files::public_files::{FOLDERS, is_plain},
    error::{Error, Kind, Result},
    render::urls::original_of_variant,
    routing::RedirectFormat,
};

/// Limits of an archive: enough for a site with 300,000 files.
const BOUNDS: Bounds = Bounds {
    directory_bytes_max: 32 << 20,
    entries_max: 300_000,
    unpacked_bytes_max: 64 << 30,
    depth_max: 512,
};

/// Maximum depth of an export in an archive, in folders.
const EXPORT_DEPTH_MAX: usize = 2;

/// Maximum depth of a file about the whole site, in folders. Ghost stores them in `content/data/` and
/// `content/settings/`.
const SITE_FILE_DEPTH_MAX: usize = 3;

/// Number of bytes at the start of a JSON file that are read to detect an export.
const HEAD_BYTES: u64 = 64 << 10;

/// Maximum number of names in one message.
const LISTED_MAX: usize = 5;

/// The reason why an archive is rejected.
#[derive(Debug, thiserror::Error)]
enum ArchiveError {
    #[error(transparent)]
    Archive(#[from] archive::ArchiveError),
    #[error("it has several exports: {0}. Import them one at a time")]
    SeveralExports(String),
    #[error("it contains neither a Ghost export nor a list of members, and no file below content/")]
    Nothing,
}

impl From<ArchiveError> for Error {
    fn from(error: ArchiveError) -> Self {
        Self::new(Kind::BadRequest, "The archive cannot be imported:").context(format!("{error}."))
    }
}

/// An archive whose central directory was read and checked.
pub struct Archive {
    zip: Zip<ImportFile>,
    /// The export, if there is one.
    pub export: Option<ArchiveEntry>,
    /// Lists of members.
    pub members: Vec<ArchiveEntry>,
    /// Images and other files for the data folder.
    pub uploads: Vec<Upload>,
    /// Files about the whole site.
    pub site_files: Vec<(SiteFile, ArchiveEntry)>,
    /// Folders from which nothing is imported.
    pub left_out: Vec<String>,
}

/// A file about the whole site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteFile {
    /// Redirects, in the format of the file.
    Redirects(RedirectFormat),
    /// Routes.
    Routes,
}

impl SiteFile {
    /// Returns the kind of the file called `name`, without its folder; `None` for any other name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "redirects.yaml" => Some(Self::Redirects(RedirectFormat::Yaml)),
            "redirects.json" => Some(Self::Redirects(RedirectFormat::Json)),
            "routes.yaml" => Some(Self::Routes),
            _ => None,
        }
    }

    /// Returns the plural noun for its entries.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Redirects(_) => "redirects",
            Self::Routes => "routes",
        }
    }
}

/// A file for the data folder.
#[derive(Clone, Debug)]
pub struct Upload {
    /// The file.
    pub entry: ArchiveEntry,
    /// Its path in the data folder: `images/2024/01/ferry.jpg`.
    pub path: String,
}

impl Archive {
    /// Reads the central directory of the archive in `file`.
    ///
    /// # Errors
    ///
    /// `BadRequest` if it is damaged or malicious, or contains nothing to import.
    pub fn open(file: &ImportFile) -> Result<Self> {
        Ok(Self::read(file)?)
    }

    fn read(file: &ImportFile) -> Result<Self, ArchiveError> {
        let (zip, entries) = Zip::open(file.clone(), &BOUNDS)?;
        let mut archive = Self {
            zip,
            export: None,
            members: Vec::new(),
            uploads: Vec::new(),
            site_files: Vec::new(),
            left_out: Vec::new(),
        };
        archive.classify(entries)?;
        Ok(archive)
    }

    /// Classifies the files by their names, and JSON files also by their content.
    fn classify(&mut self, entries: Vec<ArchiveEntry>) -> Result<(), ArchiveError> {
        let mut exports = Vec::new();
        for entry in entries {
            let name = entry.name.to_lowercase();
            let file = name.rsplit('/').next().unwrap_or_default();
            let depth = name.split('/').count() - 1;
            // First, because an upload may have any name, even that of an export or of a list of
            // members.
            if let Some(path) = upload_path(&entry.name) {
                let path = path.to_owned();
                self.uploads.push(Upload { entry, path });
            } else if depth <= SITE_FILE_DEPTH_MAX
                && let Some(kind) = SiteFile::named(file)
            {
                self.site_files.push((kind, entry));
            // Other JSON files, such as the `package.json` of a theme, may be in the archive.
            } else if file.ends_with(".json")
                && depth <= EXPORT_DEPTH_MAX
                && self.is_export(&entry)?
            {
                exports.push(entry);
            // Ghost names its lists of members like this.
            } else if file.starts_with("members") && file.ends_with(".csv") {
                self.members.push(entry);
            } else {
                self.leave_out(&entry.name);
            }
        }
        if exports.len() > 1 {
            let names: Vec<&str> = exports.iter().map(|export| export.name.as_str()).collect();
            let names = names[..names.len().min(LISTED_MAX)].join(", ");
            return Err(ArchiveError::SeveralExports(names));
        }
        self.export = exports.pop();
        let has_content = self.export.is_some()
            || !self.members.is_empty()
            || !self.uploads.is_empty()
            || !self.site_files.is_empty();
        if has_content {
            Ok(())
        } else {
            Err(ArchiveError::Nothing)
        }
    }

    /// Records the folder, with its parent folder, of a file that is not imported.
    fn leave_out(&mut self, name: &str) {
        let mut parts = name.split('/');
        let folder = match (parts.next(), parts.next(), parts.next()) {
            (Some(top), Some(inner), Some(_)) => format!("{top}/{inner}"),
            (Some(top), Some(_), None) => top.to_owned(),
            _ => name.to_owned(),
        };
        // Entries are sorted by name, so this skips most repetitions; `report_left_out` removes the
        // rest.
        if self.left_out.last() != Some(&folder) {
            self.left_out.push(folder);
        }
    }

    /// Returns whether a JSON file looks like an export, judged by its first [`HEAD_BYTES`].
    fn is_export(&self, entry: &ArchiveEntry) -> Result<bool, ArchiveError> {
        let mut zip = self.zip.clone();
        let mut head = Vec::new();
        let file = zip.content(entry)?;
        let read = file.take(HEAD_BYTES).read_to_end(&mut head);
        read.map_err(|error| archive::ArchiveError::Damaged(error.to_string()))?;
        let contains = |word: &[u8]| memchr::memmem::find(&head, word).is_some();
        Ok(contains(b"\"db\"") || contains(b"\"data\""))
    }

    /// Reports the folders from which nothing was imported.
    pub fn report_left_out(&self, report: &mut Report) {
        let mut folders = self.left_out.clone();
        folders.sort();
        folders.dedup();
        let more = folders.len().saturating_sub(LISTED_MAX);
        folders.truncate(LISTED_MAX);
        let and_more = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        if !folders.is_empty() {
            report.leave_out(
                "other files of the archive",
                format!("nothing is imported from {}{and_more}", folders.join(", ")),
            );
        }
    }

    /// Passes the content of `entry` to `read`.
    ///
    /// # Errors
    ///
    /// If it cannot be decompressed; the errors of `read`.
    pub fn unpack(
        &self,
        entry: &ArchiveEntry,
        read: &mut dyn FnMut(&mut dyn Read) -> Result<()>,
    ) -> Result<()> {
        let mut zip = self.zip.clone();
        let mut content = zip.content(entry).map_err(ArchiveError::from)?;
        read(&mut content)
    }

    /// Returns the decompressed size of all lists of members, in bytes.
    pub fn member_bytes(&self) -> u64 {
        self.members.iter().map(|list| list.bytes).sum()
    }

    /// Returns the decompressed size of all files for the data folder, in bytes.
    pub fn upload_bytes(&self) -> u64 {
        self.uploads.iter().map(|upload| upload.entry.bytes).sum()
    }

    /// Returns the export, which can be read repeatedly.
    pub fn export_source(&self) -> Option<EntrySource<'_>> {
        let entry = self.export.as_ref()?;
        Some(EntrySource {
            archive: self,
            entry,
        })
    }
}

/// Returns the error for an entry whose content cannot be read.
pub fn unpack_error(entry: &ArchiveEntry, reason: &io::Error) -> Error {
    let name = entry.name.clone();
    let reason = reason.to_string();
    ArchiveError::from(archive::ArchiveError::Unpackable { name, reason }).into()
}

/// An entry of an archive, which can be read repeatedly.
pub struct EntrySource<'a> {
    archive: &'a Archive,
    entry: &'a ArchiveEntry,
}

impl DocumentSource for EntrySource<'_> {
    fn bytes(&self) -> u64 {
        self.entry.bytes
    }

    fn with_content(&self, read: &mut dyn FnMut(&mut dyn Read) -> Result<()>) -> Result<()> {
        self.archive.unpack(self.entry, read)
    }
}

/// Returns the path in the data folder of an entry below `images/`, `content/images/` or another folder of uploads, at
/// the top of the archive or within one top-level folder. `None` for hidden files and resized copies of images.
fn upload_path(name: &str) -> Option<&str> {
    let without_folder = name.split_once('/').map(|(_, rest)| rest);
    let path = [Some(name), without_folder]
        .into_iter()
        .flatten()
        .map(|path| path.strip_prefix("content/").unwrap_or(path))
        .find(|path| {
            let kind = path.split_once('/').map(|(kind, _)| kind);
            kind.is_some_and(|kind| FOLDERS.contains(&kind))
        })?;
    (is_plain(path) && original_of_variant(path).is_none()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploads_are_found_at_the_top_and_below_one_top_level_folder() {
        for (name, path) in [
            ("content/images/2024/a.jpg", Some("images/2024/a.jpg")),
            ("my-site/content/media/a.mp4", Some("media/a.mp4")),
            ("images/a.jpg", Some("images/a.jpg")),
            ("my-site/files/a.pdf", Some("files/a.pdf")),
            ("a/b/content/images/a.jpg", None),
            ("content/themes/casper/images/a.jpg", None),
            ("content/images/.DS_Store", None),
            ("content/images/size/w600/2024/a.jpg", None),
            ("images", None),
        ] {
            assert_eq!(upload_path(name), path, "{name}");
        }
    }
}
