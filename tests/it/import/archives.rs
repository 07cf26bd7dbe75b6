//! Tests of imports of archives with an export, images and files.

use std::{
    fs,
    io::{Cursor, Write},
    path::{Path, PathBuf},
};

use galley::{
    import::{Count, Note, Report, clear_abandoned},
    progress::NoProgress,
    uploads::Uploads,
};
use galley_tests::bucket_server::BucketServer;
use tempfile::TempDir;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::destination::{Destination, export_path, notes_about, uploads_in};

/// Returns a zip archive with these files.
pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in files {
        zip.start_file(*name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Writes the archive to a file in a temporary folder, and returns the folder and the file's path.
pub fn file_of(archive: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.zip");
    fs::write(&path, archive).unwrap();
    (folder, path)
}

fn ghost_6() -> Vec<u8> {
    fs::read(export_path("ghost-6.json")).unwrap()
}

fn import(site: &Destination, files: &[(&str, &[u8])]) -> Report {
    let (_folder, path) = file_of(&archive(files));
    site.import(&path)
}

const PIER: &str = "content/images/2025/09/pier.jpg";

#[test]
fn images_and_files_are_served_at_their_urls_in_posts() {
    let site = Destination::new();
    let report = import(
        &site,
        &[
            ("harbour.ghost.2025-10-01.json", &ghost_6()),
            (PIER, b"a pier"),
            ("content/images/2025/09/cover.jpg", b"a cover"),
            ("content/images/2025/09/icon.png", b"an icon"),
            ("content/files/2025/09/night ferry.pdf", b"a timetable"),
            ("content/media/2025/09/waves.mp3", b"an audio file"),
            ("content/images/size/w600/2025/09/pier.jpg", b"a small pier"),
            ("content/themes/source/package.json", b"{}"),
            ("__MACOSX/content/images/._pier.jpg", b"x"),
        ],
    );
    assert_eq!(site.served("/content/images/2025/09/pier.jpg"), b"a pier");
    assert_eq!(
        site.served("/content/files/2025/09/night%20ferry.pdf"),
        b"a timetable"
    );
    assert_eq!(
        site.served("/content/media/2025/09/waves.mp3"),
        b"an audio file"
    );
    assert_eq!(
        report.counts["files"],
        Count {
            added: 5,
            ..Count::default()
        }
    );
    assert_eq!(report.counts["posts"].added, 1);
    assert_eq!(notes_about(&report, "refers"), Vec::<String>::new());
    assert!(notes_about(&report, "other files of the archive")[0].contains("content/themes"));
    // The sample files contain text, which an upload would refuse.
    let is_imported_note = |note: &Note| note.text.starts_with("it is imported, but");
    assert!(
        report.changed.notes.iter().all(is_imported_note),
        "{:?}",
        report.changed
    );
    assert_eq!(entry_names(&site.data()), ["files", "images", "media"]);
}

/// Returns the sorted names of a folder's entries.
fn entry_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn archive_may_have_one_top_level_folder() {
    let site = Destination::new();
    import(
        &site,
        &[
            ("my site/data/export.json", &ghost_6()),
            ("my site/content/images/2025/09/pier.jpg", b"a pier"),
        ],
    );
    assert_eq!(site.post("the-pier")["title"], "The pier");
    assert_eq!(site.served("/content/images/2025/09/pier.jpg"), b"a pier");
}

#[test]
fn missing_images_are_reported_with_their_posts() {
    let site = Destination::new();
    let report = import(&site, &[("export.json", &ghost_6()), (PIER, b"a pier")]);
    assert_eq!(
        notes_about(&report, "post \"the-pier\""),
        ["refers to the file images/2025/09/cover.jpg, which does not exist"]
    );
    assert_eq!(
        notes_about(&report, "setting icon"),
        ["refers to the file images/2025/09/icon.png, which does not exist"]
    );
}

#[test]
fn repeated_import_changes_nothing() {
    let site = Destination::new();
    let files: &[(&str, &[u8])] = &[("export.json", &ghost_6()), (PIER, b"a pier")];
    import(&site, files);
    let before = site.everything();
    let report = import(&site, files);
    assert_eq!(site.everything(), before);
    assert_eq!(
        report.counts["files"],
        Count {
            unchanged: 1,
            ..Count::default()
        }
    );
}

/// Imports an archive with one file into a site with uploads in a bucket. Each time, the process is another one, which has no local
/// copies yet.
fn import_into(bucket: &BucketServer, site: &Destination, path: &str, content: &[u8]) -> Count {
    let _ = fs::remove_dir_all(site.data().join("uploads"));
    let uploads = uploads_in(bucket, &site.data());
    let (_folder, archive) = file_of(&archive(&[("export.json", &ghost_6()), (path, content)]));
    let report = site.import_to(uploads, &archive, false, &NoProgress);
    report.unwrap().counts["files"]
}

fn count(added: usize, unchanged: usize) -> Count {
    Count {
        added,
        unchanged,
        ..Count::default()
    }
}

#[test]
fn repeated_import_recognises_uploads_in_a_bucket_without_local_copies() {
    let (bucket, site) = (BucketServer::start(), Destination::new());
    let import = |text: &[u8]| import_into(&bucket, &site, "content/files/2025/tides.txt", text);
    let stored = "site/files/2025/tides.txt";

    assert_eq!(import(b"ebb"), count(1, 0));
    assert_eq!(import(b"ebb"), count(0, 1));
    assert_eq!(bucket.keys(), [stored]);
    // Of the same length, so that only the content differs.
    assert_eq!(import(b"web"), count(1, 0));
    assert_eq!(bucket.keys(), ["site/files/2025/tides-2.txt", stored]);
}

#[test]
fn damaged_file_in_a_bucket_is_another_file() {
    let (bucket, site) = (BucketServer::start(), Destination::new());
    let stored = "site/images/2025/09/pier.jpg";
    bucket.put(stored, b"<!DOCTYPE html><title>Sign in</title>");

    assert_eq!(import_into(&bucket, &site, PIER, b"a pier"), count(1, 0));
    assert_eq!(bucket.keys(), ["site/images/2025/09/pier-2.jpg", stored]);
}

#[test]
fn dry_run_extracts_nothing() {
    let site = Destination::new();
    let before = site.everything();
    let (_folder, path) = file_of(&archive(&[("export.json", &ghost_6()), (PIER, b"a pier")]));
    let report = site.dry_run(&path);
    assert_eq!(report.counts["files"].added, 1);
    assert_eq!(site.everything(), before);
}

#[test]
fn conflicting_file_is_preserved_and_references_are_rewritten() {
    let site = Destination::new();
    let existing = site.data().join("images/2025/09/pier.jpg");
    fs::create_dir_all(existing.parent().unwrap()).unwrap();
    fs::write(&existing, "another pier").unwrap();
    let files: &[(&str, &[u8])] = &[("export.json", &ghost_6()), (PIER, b"a pier")];

    let report = import(&site, files);

    assert_eq!(
        notes_about(&report, "file images/2025/09/pier.jpg"),
        [
            "there is another file of this name; here it is images/2025/09/pier-2.jpg",
            "it is imported, but the image cannot be read: its format is unknown",
        ]
    );
    assert_eq!(fs::read(&existing).unwrap(), b"another pier");
    let post = site.post("the-pier");
    let html = post["html"].as_str().unwrap();
    assert!(
        html.contains("src=\"https://harbour.example/content/images/2025/09/pier-2.jpg\""),
        "{html}"
    );
    assert!(
        html.contains("/content/images/size/w600/2025/09/pier-2.jpg 600w"),
        "{html}"
    );
    assert_eq!(site.served("/content/images/2025/09/pier-2.jpg"), b"a pier");

    let before = site.everything();
    import(&site, files);
    assert_eq!(site.everything(), before);
}

#[test]
fn archive_may_hold_only_images() {
    let site = Destination::new();
    let report = import(&site, &[("images/a.png", b"a"), ("images/b.png", b"b")]);
    assert_eq!(report.counts.len(), 1);
    assert_eq!(site.served("/content/images/b.png"), b"b");
}

#[test]
fn archive_may_hold_a_list_of_members() {
    let site = Destination::new();
    let report = import(
        &site,
        &[
            ("export.json", &ghost_6()),
            (
                "members.2025-10-01.csv",
                b"email,name\neve@example.com,Eve\n",
            ),
        ],
    );
    assert_eq!(report.counts["members"].added, 1);
    assert!(
        site.site
            .current()
            .catalog
            .members
            .by_email("eve@example.com")
            .is_some()
    );
}

#[test]
fn failed_import_leaves_no_images() {
    let site = Destination::new();
    let before = site.everything();
    let mut broken = ghost_6();
    broken.truncate(broken.len() - 20);
    let members = b"name\nnobody has an address\n";
    for files in [
        vec![("export.json", broken.as_slice()), (PIER, b"a pier")],
        vec![
            ("export.json", &ghost_6()),
            (PIER, b"a pier"),
            ("members.csv", members),
        ],
    ] {
        let (_folder, path) = file_of(&archive(&files));
        assert!(site.try_import(&path).is_err());
        assert_eq!(site.everything(), before);
    }
}

#[test]
fn staging_folder_of_a_killed_process_is_removed() {
    let site = Destination::new();
    let staging = site.data().join("importing-1-0");
    fs::create_dir(&staging).unwrap();
    fs::write(staging.join("0"), "half a picture").unwrap();
    fs::create_dir(site.data().join("images")).unwrap();
    clear_abandoned(&Uploads::in_data(&site.data())).unwrap();
    assert_eq!(entry_names(&site.data()), ["images"]);
}

#[test]
fn archive_with_several_exports_is_rejected() {
    let site = Destination::new();
    let (_folder, path) = file_of(&archive(&[("a.json", &ghost_6()), ("b.json", &ghost_6())]));
    let error = site.try_import(&path).unwrap_err().to_string();
    assert!(error.contains("several exports: a.json, b.json"), "{error}");
}

/// The beginning of an HEIC image.
const HEIC: &[u8] = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic";

#[test]
fn files_that_an_upload_would_refuse_are_imported_and_reported() {
    let png = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/editor.png")).unwrap();
    let site = Destination::new();
    let report = import(
        &site,
        &[
            ("content/images/ferry.heic", HEIC),
            ("content/images/hidden.jpg", HEIC),
            ("content/images/scan.tiff", b"II*\0"),
            ("content/images/words.png", b"only words"),
            ("content/images/cut.png", &png[..png.len() / 2]),
            ("content/images/fit.png", &png),
            (
                "content/images/fit.svg",
                b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
            ),
            ("content/media/video.avi", b"RIFF\0\0\0\0AVI "),
            ("content/media/words.mp4", b"only words"),
            ("content/media/fit_thumb.png", &png),
            ("content/files/words.pdf", b"only words"),
            ("content/files/fit.pdf", b"%PDF-1.4"),
        ],
    );
    assert_eq!(report.counts["files"].added, 12);
    let named: Vec<&str> = report
        .changed
        .notes
        .iter()
        .map(|note| &*note.subject)
        .collect();
    let mut expected = vec![
        "file images/ferry.heic",
        "file images/hidden.jpg",
        "file images/scan.tiff",
        "file images/words.png",
        "file images/cut.png",
        "file media/video.avi",
        "file media/words.mp4",
        "file files/words.pdf",
    ];
    let mut named = named;
    named.sort_unstable();
    expected.sort_unstable();
    assert_eq!(named, expected);
    for subject in ["images/ferry.heic", "images/hidden.jpg", "images/scan.tiff"] {
        let notes = notes_about(&report, subject);
        assert!(notes[0].contains("browsers cannot show it"), "{notes:?}");
    }
}

#[test]
fn routes_and_redirects_of_an_archive_are_imported_once() {
    let site = Destination::new();
    let routes = b"collections:\n  /blog/:\n    permalink: /blog/{slug}/\n";
    let redirects = br#"[{"from": "/old/", "to": "/new/", "permanent": true}]"#;
    let files: [(&str, &[u8]); 3] = [
        ("harbour.ghost.2025-10-01.json", &ghost_6()),
        ("content/settings/routes.yaml", routes),
        ("content/data/redirects.json", redirects),
    ];

    let report = import(&site, &files);

    assert_eq!(report.counts["routes"].added, 1);
    assert_eq!(report.counts["redirects"].added, 1);
    let catalog = &site.site.current().catalog;
    assert_eq!(catalog.routes.collections[0].permalink, "/blog/{slug}/");
    assert!(catalog.redirects.find("/old/", None).is_some());
    let again = import(&site, &files);
    assert_eq!(again.counts["routes"].unchanged, 1);
    assert_eq!(again.counts["redirects"].unchanged, 1);
}

#[test]
fn invalid_redirects_are_skipped_and_reported_and_the_others_imported() {
    let posts = ghost_6();
    let json = br#"[{"from": "/old/", "to": "/new/", "permanent": true}, {"from": "^/((?!tag).*)-gone/$", "to": "/$1/"},
        {"from": "/a/"}, {"from": "/late/", "to": "/new/"}]"#;
    let yaml = b"# ours\n301:\n  /old/: /new/\n  ^/((?!tag).*)-gone/$: /$1/\n  /number/: 5\n302:\n  /late/: /new/\n";
    for (name, redirects, beginnings) in [
        (
            "content/data/redirects.json",
            &json[..],
            [
                "Entry 2: \"^/((?!tag).*)-gone/$\" is not a valid regular expression: look-around",
                "Entry 3 has no string \"to\"",
            ],
        ),
        (
            "content/data/redirects.yaml",
            yaml,
            [
                "Line 4: \"^/((?!tag).*)-gone/$\" is not a valid regular expression: look-around",
                "Line 5: the target of \"/number/\" is a whole number, not a string",
            ],
        ),
    ] {
        let site = Destination::new();
        let files: [(&str, &[u8]); 2] =
            [("harbour.ghost.2025-10-01.json", &posts), (name, redirects)];
        let report = import(&site, &files);
        assert_eq!(report.counts["redirects"].added, 1, "{name}");
        let notes = notes_about(&report, name.rsplit('/').next().unwrap());
        assert_eq!(notes.len(), 2, "{notes:?}");
        for (note, beginning) in notes.iter().zip(beginnings) {
            assert!(note.starts_with(beginning), "{beginning}: {note}");
        }
        let current = site.site.current();
        for path in ["/old/", "/late/"] {
            assert!(
                current.catalog.redirects.find(path, None).is_some(),
                "{path}"
            );
        }
        // The downloaded file can be uploaded again.
        let file = current.redirects_file().unwrap().unwrap();
        let again = galley::routing::read_redirects(
            galley::routing::RedirectFormat::Yaml,
            file.text.as_bytes(),
        );
        assert_eq!(again.unwrap().redirects, file.redirects, "{}", file.text);
        let again = import(&site, &files);
        assert_eq!(again.counts["redirects"].unchanged, 1, "{name}");
    }
}

#[test]
fn invalid_routes_of_an_archive_are_skipped() {
    let site = Destination::new();
    let broken = b"collections:\n  /:\n    permalink: x\n";
    let report = import(
        &site,
        &[("export.json", &ghost_6()), ("routes.yaml", broken)],
    );

    let notes = notes_about(&report, "file routes.yaml");
    assert_eq!(notes.len(), 1, "{:?}", report.left_out);
    assert!(site.site.current().routes_file().unwrap().is_none());
}
