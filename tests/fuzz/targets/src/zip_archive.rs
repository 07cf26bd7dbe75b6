//! Properties of zip archives: for any bytes, the files that are read have safe and distinct names, and together no
//! more bytes than the limits permit; an import writes only into the folders of uploads, or nothing.

use std::{
    collections::BTreeSet,
    io::{Cursor, Read},
};

use galley::{
    archive::{ArchiveWriter, Bounds, SYSTEM_FILES, Zip, check_name},
    error::Kind,
};

use super::{archives, small_site::SmallSite};

const BOUNDS: Bounds = Bounds {
    directory_bytes_max: 1 << 20,
    entries_max: 64,
    unpacked_bytes_max: 1 << 20,
    depth_max: 6,
};

/// Panics unless these properties hold for an archive, which may be a [listing](archives).
pub fn check(input: &[u8]) {
    let Some(archive) = archives::zip(input) else {
        return;
    };
    match Zip::open(Cursor::new(&archive), &BOUNDS) {
        Ok((zip, entries)) => {
            let names: BTreeSet<&str> = entries.iter().map(|entry| &*entry.name).collect();
            assert_eq!(names.len(), entries.len());
            let bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
            assert!(bytes <= BOUNDS.unpacked_bytes_max && entries.len() <= BOUNDS.entries_max);
            let mut files = Vec::new();
            for entry in &entries {
                check_accepted_name(&entry.name);
                if let Some(content) = content_of(zip.clone(), entry, &archive) {
                    files.push((entry.name.clone(), content));
                }
            }
            check_round_trip(&files);
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.chars().any(char::is_control), "{message:?}");
        }
    }
    if archive.starts_with(b"PK") {
        check_import(&archive);
    }
}

fn check_accepted_name(name: &str) {
    assert!(check_name(name).is_ok(), "{name:?}");
    let parts: Vec<&str> = name.split('/').collect();
    assert!(parts.len() <= BOUNDS.depth_max + 1);
    assert!(!parts.iter().any(|part| SYSTEM_FILES.contains(part)));
}

type OpenZip<'a> = Zip<Cursor<&'a Vec<u8>>>;

/// Returns the content of a file; `None` if it cannot be read.
fn content_of(
    mut zip: OpenZip<'_>,
    entry: &galley::archive::ArchiveEntry,
    archive: &[u8],
) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let outcome = match zip.content(entry) {
        Ok(reader) => reader.take(entry.bytes + 1).read_to_end(&mut content),
        Err(_) => return None,
    };
    assert!(content.len() as u64 <= entry.bytes, "{}", entry.name);
    outcome.ok()?;
    assert_eq!(content.len() as u64, entry.bytes);
    if let Ok(Some(range)) = zip.stored_range(entry) {
        let range = usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
        assert_eq!(archive.get(range), Some(&*content));
    }
    Some(content)
}

/// Checks that an archive written from these files contains them.
fn check_round_trip(files: &[(String, Vec<u8>)]) {
    let file = tempfile::tempfile().unwrap();
    let mut writer = ArchiveWriter::new(&file);
    for (name, content) in files {
        writer.add(name, &**content).unwrap();
    }
    writer.finish().unwrap();
    let (mut zip, entries) = Zip::open(&file, &BOUNDS).unwrap();
    assert_eq!(entries.len(), files.len());
    for (entry, (name, content)) in entries.iter().zip(files) {
        assert_eq!(&entry.name, name);
        let mut read = Vec::new();
        zip.content(entry).unwrap().read_to_end(&mut read).unwrap();
        assert_eq!(&read, content);
    }
}

fn check_import(archive: &[u8]) {
    let data = tempfile::tempdir().unwrap();
    let site = SmallSite::new(data.path());
    let before = site.everything();
    match site.import(archive) {
        Ok(_) => {
            for path in archives::files_in(data.path()).keys() {
                let folder = path.split('/').next().unwrap_or_default();
                assert!(["images", "media", "files"].contains(&folder), "{path}");
                assert!(!path.split('/').any(|part| part.starts_with('.')), "{path}");
            }
        }
        Err(error) => {
            let kinds = [Kind::BadRequest, Kind::Validation];
            assert!(kinds.contains(&error.kind()), "{error}");
            site.everything().assert_same_as(&before);
        }
    }
}
