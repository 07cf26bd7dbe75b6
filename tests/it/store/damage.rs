//! Tests that a truncated or modified file is opened with the correct contents or rejected.
//!
//! Every modified copy must either open with exactly the stored records, or be rejected and stay unchanged. A panic, different
//! records or a changed file fails the test.

use std::fs;
use std::ops::ControlFlow::Continue;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use galley::store::redb::{DEFAULT_CACHE_BYTES, RedbStore};
use galley::store::{Batch, Keys, Store, StoreError, Table};
use tempfile::TempDir;

use super::Contents;

const PAGE_BYTES: usize = 4096;
const HEADER_BYTES: usize = 320;

struct Sample {
    folder: TempDir,
    bytes: Vec<u8>,
    contents: Contents,
}

/// Returns a store of several commits and tables, either closed or in the state after a crash.
fn sample(closed: bool) -> Sample {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("original.redb");
    let store = super::open(&path);
    for commit in 0..4u32 {
        let mut batch = Batch::new();
        for number in 0..20u32 {
            let key = format!("{:024x}", number * 4 + commit);
            batch.put(Table::Posts, key.clone(), vec![commit as u8; 300]);
            batch.put(Table::Bodies, key, vec![number as u8; 900]);
        }
        batch.delete(Table::Posts, format!("{:024x}", commit / 2));
        store.commit(&batch).unwrap();
    }
    let contents = super::contents_of(&store);
    if closed {
        drop(store);
    }
    let bytes = fs::read(&path).unwrap();
    Sample {
        folder,
        bytes,
        contents,
    }
}

impl Sample {
    fn copy(&self) -> PathBuf {
        self.folder.path().join("copy.redb")
    }

    /// Opens a copy with these bytes. Returns whether it was accepted; a wrong result panics.
    fn opens_correctly_or_is_rejected(&self, bytes: &[u8], what: &str) -> bool {
        let path = self.copy();
        fs::write(&path, bytes).unwrap();
        match RedbStore::open(&path, DEFAULT_CACHE_BYTES) {
            Ok(store) => {
                assert!(
                    super::contents_of(&store) == self.contents,
                    "{what}: different contents"
                );
                true
            }
            Err(error) => {
                assert!(is_about_the_file(&error), "{what}: {error}");
                assert!(unchanged(&path, bytes), "{what}: the file was changed");
                false
            }
        }
    }

    /// Returns the pages that contain keys of records, some of them no longer in use.
    fn pages_of_records(&self) -> impl Iterator<Item = usize> {
        let pages = self.bytes.chunks(PAGE_BYTES).enumerate();
        pages
            .filter(|(_, page)| page.windows(20).any(|bytes| bytes == [b'0'; 20]))
            .map(|(number, _)| number)
    }

    /// Returns a few offsets in every page with content, different in each page.
    fn offsets(&self) -> Vec<usize> {
        let pages = self.bytes.chunks(PAGE_BYTES).enumerate().skip(1);
        pages
            .filter(|(_, page)| page.iter().any(|byte| *byte != 0))
            .flat_map(|(number, page)| {
                let head = [0, 2, 4 + number % 24, 8 + number % 200];
                let body = [number * 613, number * 1_877 + 2_048];
                head.into_iter()
                    .chain(body)
                    .map(move |offset| number * PAGE_BYTES + offset % page.len())
            })
            .collect()
    }
}

fn is_about_the_file(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Damaged { .. } | StoreError::NotAStore { .. } | StoreError::Newer { .. }
    )
}

fn unchanged(path: &Path, bytes: &[u8]) -> bool {
    fs::read(path).unwrap() == bytes
}

fn cut_anywhere(sample: &Sample) {
    let length = sample.bytes.len();
    let in_header = (0..400).step_by(7);
    let at_pages = (1..length / PAGE_BYTES)
        .step_by(5)
        .map(|page| page * PAGE_BYTES);
    let within_pages = (1..length / PAGE_BYTES)
        .step_by(37)
        .map(|page| page * PAGE_BYTES + page);
    let mut refused = 0;
    for cut in in_header.chain(at_pages).chain(within_pages) {
        let what = format!("cut off at {cut} of {length}");
        if !sample.opens_correctly_or_is_rejected(&sample.bytes[..cut], &what) {
            refused += 1;
        }
    }
    assert!(refused > 100);
}

fn alter_anywhere(sample: &Sample) {
    let header = (0..HEADER_BYTES).map(|position| (position, 1u8 << (position % 8)));
    // Byte 9 selects the valid half of the header. The other half is one commit older, so selecting it in a file that was not
    // closed is equivalent to a crash before that commit.
    let state = (1..8).map(|bit| (9, 1u8 << bit));
    let pages = sample.offsets().into_iter();
    let pages = pages.map(|position| (position, 1u8 << (position % 8)));
    let mut refused = 0;
    for (position, bit) in header
        .filter(|(position, _)| *position != 9)
        .chain(state)
        .chain(pages)
    {
        let mut bytes = sample.bytes.clone();
        bytes[position] ^= bit;
        let what = format!("bit {bit:#x} at {position} flipped");
        if !sample.opens_correctly_or_is_rejected(&bytes, &what) {
            refused += 1;
        }
    }
    assert!(refused > 100);
}

#[test]
fn truncated_closed_store_is_never_misread() {
    cut_anywhere(&sample(true));
}

#[test]
fn truncated_crashed_store_is_never_misread() {
    cut_anywhere(&sample(false));
}

#[test]
fn modified_closed_store_is_never_misread() {
    let sample = sample(true);
    alter_anywhere(&sample);
    let mut bytes = sample.bytes.clone();
    bytes[9] ^= 1;
    sample.opens_correctly_or_is_rejected(&bytes, "the valid half of the header turned over");
}

#[test]
fn modified_crashed_store_is_never_misread() {
    alter_anywhere(&sample(false));
}

#[test]
fn zeroed_pages_are_detected() {
    let sample = sample(true);
    let mut refused = 0;
    for page in 1..sample.bytes.len() / PAGE_BYTES {
        let mut bytes = sample.bytes.clone();
        bytes[page * PAGE_BYTES..][..PAGE_BYTES].fill(0);
        if bytes != sample.bytes
            && !sample.opens_correctly_or_is_rejected(&bytes, &format!("page {page} blanked"))
        {
            refused += 1;
        }
    }
    assert!(refused > 20);
}

#[test]
fn store_with_a_modified_header_is_rejected() {
    let sample = sample(true);
    let page = sample.pages_of_records().next().unwrap();
    let path = sample.copy();
    fs::write(&path, &sample.bytes).unwrap();
    drop(super::open(&path));
    drop(super::open(&path));

    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&[0xFF; 16], (page * PAGE_BYTES + 64) as u64)
        .unwrap();

    let refused = RedbStore::open(&path, DEFAULT_CACHE_BYTES);
    assert!(matches!(refused, Err(StoreError::Damaged { .. })));
}

#[test]
fn trailing_bytes_are_harmless() {
    for closed in [true, false] {
        let sample = sample(closed);
        for extra in [1, 100, PAGE_BYTES, 10 * PAGE_BYTES] {
            let mut bytes = sample.bytes.clone();
            bytes.resize(bytes.len() + extra, 0xEE);
            sample.opens_correctly_or_is_rejected(&bytes, &format!("{extra} bytes appended"));
        }
    }
}

#[test]
fn page_modified_while_open_fails_only_its_reads() {
    let sample = sample(true);
    let path = sample.copy();
    let mut failed = 0;
    for (page, offset) in sample
        .pages_of_records()
        .flat_map(|page| [(page, 0), (page, 4)])
    {
        fs::write(&path, &sample.bytes).unwrap();
        // Without a cache, every read is from the file.
        let store = RedbStore::open(&path, 0).unwrap();
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all_at(&[0xFF; 16], (page * PAGE_BYTES + offset) as u64)
            .unwrap();

        let snapshot = store.snapshot().unwrap();
        for (table, key) in sample.contents.keys() {
            match snapshot.get(*table, key) {
                Ok(_) => {}
                Err(StoreError::Damaged { .. }) => failed += 1,
                Err(error) => panic!("{error}"),
            }
        }
        for table in [Table::Posts, Table::Bodies] {
            let scanned = snapshot.scan(table, &Keys::all(), &mut |_, _, _| Continue(()));
            assert!(matches!(scanned, Ok(()) | Err(StoreError::Damaged { .. })));
        }
    }
    assert!(failed > 0);
}
