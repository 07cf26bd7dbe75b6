//! Archives in inputs. An input that begins with `=== ` is a listing: lines with this prefix contain the names of
//! files, and the lines below each name contain the file's content. Any other input is the archive itself.

use std::{
    collections::BTreeMap,
    fs,
    io::{Cursor, Write},
    path::Path,
};

use tar::{EntryType, Header};
use walkdir::WalkDir;
use zip::{ZipWriter, write::SimpleFileOptions};

/// The start of each line that names a file.
const FILE_MARK: &str = "=== ";

/// The separator between the name of a link and its target.
const LINK_MARK: &str = " -> ";

/// A file of a listing.
pub struct ListedFile<'i> {
    /// The path of the file.
    pub name: &'i str,
    /// The content of the file, including the line break before the next name.
    pub content: &'i str,
}

/// Returns the files of a listing; `None` if the input is not a listing.
pub fn listing(input: &[u8]) -> Option<Vec<ListedFile<'_>>> {
    let text = str::from_utf8(input).ok()?;
    let mut rest = text.strip_prefix(FILE_MARK)?;
    let mut files = Vec::new();
    loop {
        let (name, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let next = if after.starts_with(FILE_MARK) {
            Some(0)
        } else {
            after.find("\n=== ").map(|offset| offset + 1)
        };
        let (content, after) = after.split_at(next.unwrap_or(after.len()));
        files.push(ListedFile { name, content });
        match after.strip_prefix(FILE_MARK) {
            Some(after) => rest = after,
            None => return Some(files),
        }
    }
}

/// Returns the zip archive of an input; `None` if its listing cannot be represented as one.
pub fn zip(input: &[u8]) -> Option<Vec<u8>> {
    let Some(files) = listing(input) else {
        return Some(input.to_vec());
    };
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for ListedFile { name, content } in files {
        let options = SimpleFileOptions::default();
        match name.split_once(LINK_MARK) {
            Some((name, target)) => archive.add_symlink(name, target, options).ok()?,
            None => {
                archive.start_file(name, options).ok()?;
                archive.write_all(content.as_bytes()).ok()?;
            }
        }
    }
    Some(archive.finish().ok()?.into_inner())
}

/// Returns the tar archive of an input; `None` if its listing cannot be represented as one.
pub fn tar(input: &[u8]) -> Option<Vec<u8>> {
    let Some(files) = listing(input) else {
        return Some(input.to_vec());
    };
    let mut archive = tar::Builder::new(Vec::new());
    for ListedFile { name, content } in files {
        let (name, target) = match name.split_once(LINK_MARK) {
            Some((name, target)) => (name, Some(target)),
            None => (name, None),
        };
        let mut header = Header::new_gnu();
        // The name is set directly, since the library's method rejects names outside the folder.
        let field = &mut header.as_old_mut().name;
        field
            .get_mut(..name.len())?
            .copy_from_slice(name.as_bytes());
        header.set_mode(0o644);
        match target {
            Some(target) => {
                header.set_entry_type(EntryType::Symlink);
                header.set_link_name_literal(target).ok()?;
                header.set_size(0);
            }
            None => header.set_size(content.len() as u64),
        }
        header.set_cksum();
        let content = if target.is_some() { "" } else { content };
        archive.append(&header, content.as_bytes()).ok()?;
    }
    archive.into_inner().ok()
}

/// Returns the files below a folder by path. Panics if one is a symbolic link.
pub fn files_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in WalkDir::new(folder) {
        let entry = entry.unwrap();
        assert!(!entry.path_is_symlink(), "{}", entry.path().display());
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(folder).unwrap();
            let content = fs::read(entry.path()).unwrap();
            files.insert(path.to_str().unwrap().to_owned(), content);
        }
    }
    files
}
