//! Tests of truncated, invalid or malicious files: they are rejected with a reason, or their valid records are imported. An
//! import is never partial.

use std::{
    fs,
    io::Cursor,
    sync::atomic::{AtomicU64, Ordering},
};

use galley::{
    error::{Error, Kind},
    import::Report,
    progress::Progress,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{
    archives::archive,
    destination::{Destination, EXPORTS, export, export_path, notes_about},
};

/// Asserts that an import of `content` changes nothing and fails with an error that contains `words`.
fn assert_refused(content: impl AsRef<[u8]>, words: &str) {
    let site = Destination::new();
    let before = site.everything();
    let error = site.try_import_text(content).unwrap_err();
    assert_eq!(error.kind(), Kind::BadRequest, "{error}");
    assert!(error.to_string().contains(words), "{error}");
    assert_eq!(site.everything(), before);
}

#[test]
fn truncated_file_changes_nothing() {
    let site = Destination::new();
    let before = site.everything();
    for name in EXPORTS {
        let whole = fs::read(export_path(name)).unwrap();
        let whole = whole.trim_ascii_end();
        for end in (1..whole.len()).step_by(97) {
            let error = site.try_import_text(&whole[..end]).unwrap_err();
            assert!(
                error.to_string().contains("truncated"),
                "{name} up to {end}: {error}"
            );
        }
        assert!(site.try_import_text(&whole[..whole.len() - 1]).is_err());
    }
    assert_eq!(site.everything(), before);
}

#[test]
fn malformed_file_is_reported_with_table_row_and_byte() {
    let mut broken = fs::read_to_string(export_path("ghost-6.json")).unwrap();
    broken = broken.replace("\"title\": \"Contact\"", "\"title\": Contact");
    assert_refused(
        broken,
        "in row 2 of the table posts, it is not JSON: expected value",
    );
    let export = r#"{"db": [{"data": {"tags": [{"id": 1} {"id": 2}]}}]}"#;
    assert_refused(
        export,
        "in row 2 of the table tags, it is not JSON: a comma is missing before \"{\\\"id\\\": 2}]}}]}\" (at byte 37)",
    );
}

#[test]
fn file_of_another_type_is_rejected() {
    assert_refused("", "is empty");
    assert_refused(
        "Dear reader,\nthis is not an export.\n",
        "cannot be imported",
    );
    assert_refused([0_u8; 1000], "cannot be imported");
    assert_refused("[1, 2]", "not a Ghost export");
    assert_refused("{\"posts\": []}", "it has no \"data\"");
    assert_refused("{} {}", "the end is missing");
    assert_refused("{\"data\": {\"posts\": []}}{", "the end is missing");
    let site = Destination::new();
    let missing = site
        .try_import(&site.data().join("nowhere.json"))
        .unwrap_err();
    assert_eq!(missing.kind(), Kind::NotFound);
}

#[test]
fn too_long_or_too_deep_values_are_rejected() {
    let deep = format!("{{\"data\": {{\"tags\": [{}", "[".repeat(100_000));
    assert_refused(deep, "nested more than 128 deep");
    let long = format!(
        "{{\"data\": {{\"posts\": [{{\"title\": \"{}\"}}]}}}}",
        "x".repeat(33 << 20)
    );
    assert_refused(long, "one value has more than 33554432 bytes");
    let key = format!("{{\"data\": {{\"{}\": []}}}}", "x".repeat(2000));
    assert_refused(key, "one value has more than 1024 bytes");
}

#[test]
fn path_traversal_in_archives_is_rejected() {
    for name in [
        "../images/a.png",
        "/images/a.png",
        "images/../../a.png",
        "images\\..\\a.png",
        "C:/images/a.png",
        "images//a.png",
    ] {
        let zip = renamed(
            &archive(&[("images/0123456789.png", b"a")]),
            "images/0123456789.png",
            name,
        );
        assert_refused(zip, "is not a safe path");
    }
}

/// Returns the archive with an entry renamed from `old` to `new`, which may be a name that no archiver writes. A shorter name is
/// padded with underscores.
fn renamed(archive: &[u8], old: &str, new: &str) -> Vec<u8> {
    let new = format!("{new:_<width$}", width = old.len());
    assert_eq!(new.len(), old.len());
    let mut archive = archive.to_vec();
    for offset in 0..archive.len() - old.len() {
        if archive[offset..].starts_with(old.as_bytes()) {
            archive[offset..offset + old.len()].copy_from_slice(new.as_bytes());
        }
    }
    archive
}

#[test]
fn symbolic_links_in_archives_are_rejected() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_symlink("images/a.png", "/etc/passwd", SimpleFileOptions::default())
        .unwrap();
    let zip = zip.finish().unwrap().into_inner();
    assert_refused(zip, "\"images/a.png\" is a link");
}

#[test]
fn duplicate_archive_entries_are_rejected() {
    let zip = archive(&[("images/a.png", b"a"), ("images/b.png", b"b")]);
    assert_refused(
        renamed(&zip, "images/b.png", "images/a.png"),
        "two entries of it have the same name",
    );
}

#[test]
fn paths_that_are_both_file_and_folder_are_rejected() {
    for (file, below) in [
        ("images/a.png", "images/a.png/b.png"),
        ("old/images/a.png", "new/images/a.png/b.png"),
        ("new/images/a.png", "old/images/a.png/b.png"),
    ] {
        let zip = archive(&[(file, b"a"), (below, b"b")]);
        assert_refused(
            zip,
            "cannot be stored: one path is both a file and a folder",
        );
    }
}

#[test]
fn files_below_a_file_of_the_site_are_rejected() {
    let site = Destination::new();
    let existing = site.data().join("images/2025");
    fs::create_dir_all(existing.parent().unwrap()).unwrap();
    fs::write(&existing, "a file").unwrap();
    let before = site.everything();
    let zip = archive(&[("images/2025/a.png", b"a")]);

    let error = site.try_import_text(zip).unwrap_err();

    assert_eq!(error.kind(), Kind::BadRequest, "{error}");
    assert!(error.to_string().contains("images/2025/a.png"), "{error}");
    assert_eq!(site.everything(), before);
    assert_eq!(fs::read(&existing).unwrap(), b"a file");
}

#[test]
fn zip_bombs_are_rejected() {
    let nothing = vec![0; 64 << 20];
    let zip = archive(&[("images/a.png", &nothing)]);
    assert!(zip.len() < 1 << 20);
    assert_refused(
        zip,
        "\"images/a.png\" expands to more than 200 times its size",
    );
}

#[test]
fn archive_entries_with_wrong_sizes_are_rejected() {
    let content = vec![7; 100_000];
    for other in [50_000_u32, 150_000] {
        let mut zip = archive(&[("images/a.png", &content)]);
        // The size is in the entry's header and in the central directory, which takes precedence.
        let size = 100_000_u32.to_le_bytes();
        for offset in 0..zip.len() - 4 {
            if zip[offset..offset + 4] == size {
                zip[offset..offset + 4].copy_from_slice(&other.to_le_bytes());
            }
        }
        assert_refused(zip, "\"images/a.png\" cannot be extracted");
    }
}

#[test]
fn damaged_archives_are_rejected() {
    let mut state = 1_u32;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        // Pseudorandom bytes, which do not compress.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    })
    .take(40_000)
    .collect();
    let zip = archive(&[("images/a.png", &noise)]);
    assert_refused(
        &zip[..zip.len() - 10],
        "not a zip archive, or a damaged one",
    );
    assert_refused(
        b"PK\x03\x04 and nothing more",
        "not a zip archive, or a damaged one",
    );
    let mut scratched = zip.clone();
    scratched[20_000] ^= 0xFF;
    assert_refused(scratched, "\"images/a.png\" cannot be extracted");
    assert_refused(archive(&[]), "it contains neither a Ghost export");
    assert_refused(
        archive(&[("notes/a.txt", b"x")]),
        "it contains neither a Ghost export",
    );
}

#[test]
fn encrypted_archives_are_rejected() {
    let mut zip = archive(&[("images/a.png", b"a")]);
    // The first bit of the flags marks an encrypted file, both in the entry's header and in the central directory.
    for (mark, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        let offset = zip.windows(4).position(|window| window == mark).unwrap();
        zip[offset + flags] |= 1;
    }
    assert_refused(zip, "\"images/a.png\" is encrypted");
}

#[test]
fn archive_with_too_many_files_is_rejected_before_memory_is_allocated() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let folder = "images/".to_owned() + &"x".repeat(150);
    for number in 0..200_000 {
        zip.start_file(format!("{folder}/{number}"), options)
            .unwrap();
    }
    let zip = zip.finish().unwrap().into_inner();
    assert_refused(zip, "its directory is longer than 32 MB");
}

/// A progress that cancels the import after a number of steps.
struct CancelAfter(AtomicU64);

impl Progress for CancelAfter {
    fn advance(&self, _done: u64, _total: u64) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

#[test]
fn cancelled_import_changes_nothing_at_any_step() {
    let site = Destination::new();
    let before = site.everything();
    let mut steps = 1;
    loop {
        let cancel_after = CancelAfter(AtomicU64::new(steps));
        match site.import_with(&export_path("ghost-5.json"), false, &cancel_after) {
            Err(error) => assert!(
                error
                    .to_string()
                    .contains("it was cancelled; nothing has changed"),
                "{error}"
            ),
            Ok(_) => break,
        }
        assert_eq!(site.everything(), before);
        steps += 1;
    }
    assert!(steps > 10);
}

/// Generates values that replace those of an export.
fn arbitrary_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,30}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[{"a": []}], "b"])),
        Just(json!({"root": {"children": [{"type": 7}]}})),
        Just(json!("x".repeat(5000))),
        Just(json!("__GHOST_URL__/content/images/../../a")),
        Just(json!("2024-13-45T99:00:00Z")),
    ]
}

/// Appends the JSON pointers of all values in a document to `all`.
fn pointers(value: &Value, pointer: String, all: &mut Vec<String>) {
    all.push(pointer.clone());
    match value {
        Value::Array(list) => {
            for (number, value) in list.iter().enumerate() {
                pointers(value, format!("{pointer}/{number}"), all);
            }
        }
        Value::Object(object) => {
            for (key, value) in object {
                pointers(value, format!("{pointer}/{key}"), all);
            }
        }
        _ => {}
    }
}

fn is_valid(outcome: &Result<Report, Error>) -> bool {
    match outcome {
        Ok(_) => true,
        Err(error) => error.kind() == Kind::BadRequest,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn values_of_any_type_are_imported_or_rejected(
        name in prop::sample::select(&EXPORTS[..]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), arbitrary_value()), 1..8),
    ) {
        let mut document = export(name);
        for (index, value) in changes {
            let mut all = Vec::new();
            pointers(&document, String::new(), &mut all);
            let pointer = index.get(&all);
            *document.pointer_mut(pointer).unwrap() = value;
        }
        let site = Destination::new();
        let before = site.everything();

        let first = site.try_import_text(document.to_string());

        prop_assert!(is_valid(&first), "{first:?}");
        let after = site.everything();
        match first {
            Err(_) => prop_assert_eq!(after, before),
            Ok(_) => {
                site.content_responses();
                site.try_import_text(document.to_string()).unwrap();
                prop_assert_eq!(site.everything(), after);
            }
        }
    }

    #[test]
    fn arbitrary_bytes_are_imported_or_rejected(
        name in prop::sample::select(&EXPORTS[..]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = fs::read(export_path(name)).unwrap();
        for (index, byte) in changes {
            let offset = index.index(bytes.len());
            bytes[offset] = byte;
        }
        let site = Destination::new();
        let before = site.everything();
        let outcome = site.try_import_text(bytes);
        prop_assert!(is_valid(&outcome), "{outcome:?}");
        if outcome.is_err() {
            prop_assert_eq!(site.everything(), before);
        }
    }
}

#[test]
fn urls_that_run_code_are_removed_and_reported_per_post() {
    let link = |url: &str| json!({"type": "link", "url": url, "children": [{"type": "text", "version": 1, "text": "words", "format": 0}]});
    let lexical = json!({"root": {"type": "root", "version": 1, "children": [
        {"type": "paragraph", "version": 1, "children": [link("javascript:harm()"), link("/fine/")]},
        {"type": "button", "version": 1, "buttonText": "press", "buttonUrl": " java\nscript:harm()"},
        {"type": "image", "version": 1, "src": "data:image/png;base64,AA==", "href": "data:text/html,harm()", "caption": "<a href=\"vbscript:harm()\">caption</a>"},
        {"type": "html", "version": 1, "html": "<a href=\"javascript:own()\">own</a>"},
    ]}});
    let mobiledoc = json!({"version": "0.3.1", "atoms": [], "cards": [], "markups": [["a", ["href", "JavaScript:harm()"]]],
        "sections": [[1, "p", [[0, [0], 1, "words"]]]]});
    let post = |id: &str, body: (&str, Value)| json!({"id": id, "title": id, "slug": id, "status": "published", "published_at": "2024-01-01T00:00:00Z", body.0: body.1});
    let export = json!({"db": [{"data": {
        "posts": [
            post("lexical", ("lexical", json!(lexical.to_string()))),
            post("mobiledoc", ("mobiledoc", json!(mobiledoc.to_string()))),
            post("html", ("html", json!("<dl><dt><a href=\"javascript&colon;harm()\">words</a></dt></dl>"))),
        ],
        "tags": [{"id": "t", "name": "T", "slug": "t", "canonical_url": "javascript:harm()"}],
        "settings": [{"key": "navigation", "value": "[{\"label\":\"a\",\"url\":\"javascript:harm()\"},{\"label\":\"b\",\"url\":\"/b/\"}]"}],
    }}]});
    let site = Destination::new();

    let report = site.import_json(&export);

    assert!(
        !site.content_responses().contains("harm"),
        "{}",
        site.content_responses()
    );
    for slug in ["lexical", "mobiledoc", "html"] {
        let html = site.post(slug)["html"].as_str().unwrap().to_owned();
        assert!(html.contains("words"), "{html}");
        let notes = notes_about(&report, &format!("\"{slug}\""));
        assert!(
            notes
                .iter()
                .any(|note| note.starts_with("a URL that runs code was removed: ")),
            "{slug}: {notes:?}"
        );
    }
    let html = site.post("lexical")["html"].as_str().unwrap().to_owned();
    for unchanged in [
        "/fine/",
        "data:image/png;base64,AA==",
        "caption",
        "javascript:own()",
    ] {
        assert!(html.contains(unchanged), "{unchanged}: {html}");
    }
    let notes = notes_about(&report, "\"lexical\"");
    let removals = notes.iter().filter(|note| note.contains("was removed"));
    assert_eq!(removals.count(), 4, "{notes:?}");
    assert_eq!(
        notes_about(&report, "\"t\""),
        ["its \"canonical_url\" cannot be read"]
    );
    assert_eq!(notes_about(&report, "navigation").len(), 1);
    let again = site.import_json(&export);
    assert_eq!(again.changed.notes.len(), 0, "{:?}", again.changed.notes);
}
