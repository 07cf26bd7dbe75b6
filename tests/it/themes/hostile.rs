//! Tests that malicious and invalid theme archives are rejected and leave no files.

use std::io::{Cursor, Write};

use zip::{ZipWriter, write::SimpleFileOptions};

use super::{archive_of, names, site, theme_with, upload};

#[test]
fn path_traversal_in_themes_is_rejected() {
    let site = site();
    for path in [
        "../escaped.hbs",
        "a/../../b.hbs",
        "/etc/cron.d/a",
        "a\\..\\b",
        "C:/a",
        "a//b.hbs",
    ] {
        let response = upload(&site, "evil.zip", &theme_with(&[(path, "out")]));
        assert_eq!(response.status, 422, "{path}: {}", response.text());
    }
    assert_eq!(names(&site), ["casper", "source"]);
}

#[test]
fn symbolic_link_in_a_theme_is_rejected() {
    let site = site();
    let mut archive = ZipWriter::new_append(Cursor::new(theme_with(&[]))).unwrap();
    archive
        .add_symlink(
            "assets/passwd.txt",
            "/etc/passwd",
            SimpleFileOptions::default(),
        )
        .unwrap();
    let archive = archive.finish().unwrap().into_inner();
    let response = upload(&site, "link.zip", &archive);
    assert_eq!(response.status, 415, "{}", response.text());
    assert_eq!(response.json()["errors"][0]["code"], "SYMLINK_NOT_ALLOWED");
}

#[test]
fn theme_zip_bomb_is_rejected() {
    let site = site();
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive
        .start_file("assets/bomb.css", SimpleFileOptions::default())
        .unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..64 {
        archive.write_all(&zeros).unwrap();
    }
    let archive = archive.finish().unwrap().into_inner();
    let response = upload(&site, "bomb.zip", &archive);
    assert_eq!(response.status, 422);
    assert!(
        response.text().contains("200 times its size"),
        "{}",
        response.text()
    );
}

#[test]
fn too_many_files_and_folders_are_rejected() {
    let site = site();
    let many: Vec<String> = (0..10_001)
        .map(|number| format!("assets/{number}.css"))
        .collect();
    let many: Vec<(&str, &str)> = many.iter().map(|path| (path.as_str(), "")).collect();
    let response = upload(&site, "many.zip", &archive_of(&many));
    assert_eq!(response.status, 422);
    assert!(
        response.text().contains("more than 10000 entries"),
        "{}",
        response.text()
    );
    let deep = format!("{}a.css", "a/".repeat(21));
    let response = upload(&site, "deep.zip", &theme_with(&[(&deep, "")]));
    assert_eq!(response.status, 422);
    assert!(
        response.text().contains("in more than 20 nested folders"),
        "{}",
        response.text()
    );
}

#[test]
fn duplicate_paths_are_rejected_ignoring_case() {
    let site = site();
    for files in [
        [("assets/a.css", "1"), ("assets/A.css", "2")],
        [("assets/a.css", "1"), ("assets/a.css/b.css", "2")],
    ] {
        let response = upload(&site, "twice.zip", &theme_with(&files));
        assert_eq!(response.status, 422, "{files:?}");
        assert!(response.text().contains("twice"), "{}", response.text());
    }
}

#[test]
fn hidden_and_system_files_are_left_out() {
    let site = site();
    let archive = archive_of(&[
        ("tide/index.hbs", "a"),
        ("tide/post.hbs", "b"),
        ("tide/assets/a.css", "c"),
        ("tide/.env", "SECRET"),
        ("tide/.git/config", "SECRET"),
        ("tide/node_modules/x/index.hbs", "{{broken"),
        ("__MACOSX/tide/._index.hbs", "x"),
    ]);
    assert_eq!(upload(&site, "tide.zip", &archive).status, 200);
    super::activate(&site, "tide");
    assert_eq!(super::get(&site, "/assets/a.css").text(), "c");
    let archive = super::download(&site, "tide");
    let mut opened = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
    let paths: Vec<String> = (0..opened.len())
        .map(|number| {
            opened
                .by_index(number)
                .unwrap()
                .name()
                .unwrap()
                .into_owned()
        })
        .collect();
    assert_eq!(paths, ["assets/a.css", "index.hbs", "post.hbs"]);
}

#[test]
fn theme_errors_have_file_and_line() {
    /// A partial that is used outside the block that defines it.
    const OUT_OF_SCOPE: &str =
        "{{#if a}}{{#*inline \"x\"}}{{/inline}}{{/if}}{{#if b}}{{> x}}{{/if}}";
    let site = site();
    for (files, code, file) in [
        (&[("post.hbs", "a")][..], "GS020-INDEX-REQ", "index.hbs"),
        (&[("index.hbs", "a")], "GS020-POST-REQ", "post.hbs"),
        (
            &[("index.hbs", "a\n{{#if a}}"), ("post.hbs", "")],
            "GS005-TPL-ERR",
            "index.hbs",
        ),
        (
            &[("index.hbs", "{{> \"nope\"}}"), ("post.hbs", "")],
            "GS005-TPL-ERR",
            "index.hbs",
        ),
        (
            // The content of a block does not replace a missing partial.
            &[("index.hbs", "{{#> nope}}a{{/nope}}"), ("post.hbs", "")],
            "GS005-TPL-ERR",
            "index.hbs",
        ),
        (
            &[("index.hbs", OUT_OF_SCOPE), ("post.hbs", "")],
            "GS005-TPL-ERR",
            "index.hbs",
        ),
        (
            &[("index.hbs", "{{> (lookup . \"a\")}}"), ("post.hbs", "")],
            "GS005-NO-INLINE-DYNAMIC-PARTIAL",
            "index.hbs",
        ),
        (
            &[("index.hbs", "{{#if a b}}{{/if}}"), ("post.hbs", "")],
            "GS090-NO-INVALID-CONDITIONAL-ARGUMENTS",
            "index.hbs",
        ),
    ] {
        let response = upload(&site, "broken.zip", &archive_of(files));
        assert_eq!(response.status, 422);
        let error = &response.json()["errors"][0];
        assert_eq!(error["type"], "ThemeValidationError");
        let found = &error["details"]["errors"][0];
        assert_eq!(found["code"], code);
        assert_eq!(found["fatal"], true);
        assert_eq!(found["failures"][0]["ref"], file);
    }
    assert_eq!(names(&site), ["casper", "source"]);
}

#[test]
fn inline_partials_are_visible_only_in_their_scope() {
    let site = site();
    for files in [
        &[(
            "post.hbs",
            "{{#*inline \"x\"}}y{{/inline}}{{#if a}}{{> x}}{{/if}}",
        )][..],
        &[
            ("post.hbs", "{{#> a}}{{#*inline \"x\"}}y{{/inline}}{{/a}}"),
            ("partials/a.hbs", "{{> b}}"),
            ("partials/b.hbs", "{{> x}}"),
        ],
        &[
            ("post.hbs", "{{#> a}}z{{/a}}"),
            ("partials/a.hbs", "{{> @partial-block}}"),
        ],
        // A call of the context itself does not refer to a missing helper.
        &[("post.hbs", "{{this 1}}{{#each tags}}{{.. 1}}{{/each}}")],
    ] {
        let response = upload(&site, "good.zip", &theme_with(files));
        assert_eq!(response.status, 200, "{files:?}: {}", response.text());
    }
    for files in [
        &[
            ("post.hbs", "{{#*inline \"x\"}}y{{/inline}}{{> a}}"),
            ("partials/a.hbs", "{{> x}}"),
        ][..],
        &[
            ("post.hbs", "{{> a}}{{> x}}"),
            ("partials/a.hbs", "{{#*inline \"x\"}}y{{/inline}}"),
        ],
        &[
            (
                "post.hbs",
                "{{#> a}}{{#*inline \"x\"}}y{{/inline}}{{/a}}{{> x}}",
            ),
            ("partials/a.hbs", ""),
        ],
    ] {
        let response = upload(&site, "bad.zip", &theme_with(files));
        assert_eq!(response.status, 422, "{files:?}");
    }
}
