//! Tests of invalid files: their diagnostics, and the content that is served until they are fixed.

use galley_tests::{
    folder::{Folder, post, post_with},
    reconciled_site::ReconciledSite,
};

/// Asserts that the only diagnostic of `text` at `path` is exactly `expected`, and that another file is served.
fn assert_reported(path: &str, text: impl AsRef<[u8]>, expected: &str) {
    let folder = Folder::with(&[("posts/fine.md", &post("Fine", ""))]);
    folder.write(path, text);
    let mut site = ReconciledSite::open(&folder);
    assert_eq!(site.run(), [expected]);
    assert_eq!(site.list("posts", "slug"), ["fine"]);
}

#[test]
fn malformed_front_matter_is_reported() {
    assert_reported(
        "posts/a.md",
        "+++\ntitle = \"A\ndate = 2025-01-05\n+++\n",
        r#"error: invalid TOML: invalid basic string, expected `"`
 --> posts/a.md:2:11
  |
2 | title = "A
  |           ^
  = help: fix the TOML: put text in quotes, and each `key = value` on a separate line"#,
    );
    assert_reported(
        "posts/a.md",
        "---\ntitle: [A\ndate: 2025-01-05\n---\n",
        r#"error: invalid YAML: illegal placement of ':' indicator
 --> posts/a.md:3:5
  |
3 | date: 2025-01-05
  |     ^
  = help: fix the YAML: put quotes around text with `: `, `#` or brackets, and indent with spaces"#,
    );
}

#[test]
fn unclosed_front_matter_is_reported() {
    assert_reported(
        "posts/a.md",
        "+++\ntitle = \"A\"\n",
        r#"error: the front matter is not closed
 --> posts/a.md:1:1
  |
1 | +++
  | ^^^
  = help: put a line `+++` after the last key"#,
    );
}

#[test]
fn invalid_date_is_reported() {
    assert_reported(
        "posts/a.md",
        "+++\ntitle = \"A\"\ndate = \"yesterday\"\n+++\n",
        r#"error: `date` is not a valid date
 --> posts/a.md:3:8
  |
3 | date = "yesterday"
  |        ^^^^^^^^^^^
  = help: write it as 2025-01-05, 2025-01-05 10:00 or 2025-01-05T10:00:00+01:00"#,
    );
}

#[test]
fn missing_title_is_reported() {
    assert_reported(
        "posts/a.md",
        "+++\ndate = 2025-01-05\n+++\nText\n",
        r#"error: `title` is missing
 --> posts/a.md:1:1
  |
1 | +++
  | ^^^
  = help: write `title = "…"`"#,
    );
}

#[test]
fn wrong_type_is_reported() {
    assert_reported(
        "posts/a.md",
        post_with("A", "featured = \"perhaps\"", ""),
        r#"error: `featured` must be true or false, not text
 --> posts/a.md:4:12
  |
4 | featured = "perhaps"
  |            ^^^^^^^^^
  = help: write, for example, `featured = true`"#,
    );
}

#[test]
fn unknown_author_is_reported() {
    assert_reported(
        "posts/a.md",
        post_with("A", "authors = [\"ada@example.com\"]", ""),
        r#"error: there is no author "ada@example.com"
 --> posts/a.md:4:12
  |
4 | authors = ["ada@example.com"]
  |            ^^^^^^^^^^^^^^^^^
  = help: describe the author in a file in authors/, or write the author's name"#,
    );
}

#[test]
fn unknown_tier_is_reported() {
    assert_reported(
        "posts/a.md",
        post_with("A", "tiers = [\"gold\"]", ""),
        r#"error: there is no tier "gold"
 --> posts/a.md:4:10
  |
4 | tiers = ["gold"]
  |          ^^^^^^
  = help: describe the tier in a file in tiers/, or correct the name"#,
    );
}

#[test]
fn text_that_is_not_utf_8_is_reported() {
    assert_reported(
        "posts/a.md",
        b"+++\ntitle = \"Caf\xe9\"\n+++\n",
        r#"error: the file is not UTF-8: byte 0xE9 is invalid
 --> posts/a.md:2:13
  |
2 | title = "Caf�"
  |             ^
  = help: save the file in the encoding UTF-8"#,
    );
}

#[test]
fn too_large_file_is_rejected() {
    assert_reported(
        "posts/a.md",
        vec![b'x'; 9 << 20],
        r#"error: the file is larger than 8 MiB
--> posts/a.md
 = help: split the document, or move other data to a separate file"#,
    );
}

#[test]
fn unknown_key_is_a_warning_and_the_file_is_used() {
    let folder = Folder::with(&[("posts/a.md", &post_with("A", "titel = \"B\"", ""))]);
    let mut site = ReconciledSite::open(&folder);
    assert_eq!(
        site.run(),
        [r#"warning: the key `titel` is unknown
 --> posts/a.md:4:1
  |
4 | titel = "B"
  | ^^^^^
  = help: did you mean `title`?"#]
    );
    assert_eq!(site.list("posts", "slug"), ["a"]);
}

#[test]
fn all_diagnostics_of_a_file_are_reported_together() {
    let text = "+++\ndate = \"yesterday\"\nfeatured = \"perhaps\"\n+++\n";
    let folder = Folder::with(&[("posts/a.md", text)]);
    assert_eq!(ReconciledSite::open(&folder).run().len(), 3);
}

#[test]
fn last_valid_version_is_served_until_the_file_is_fixed() {
    let folder = Folder::with(&[
        ("posts/a.md", &post_with("A", "tags = [\"Sea\"]", "")),
        ("posts/b.md", &post("B", "[a](a.md)")),
    ]);
    let mut site = ReconciledSite::from(&folder);
    folder.write("posts/a.md", "+++\ntitle = \n+++\n");
    folder.write("posts/b.md", post("B 2", "[a](a.md)"));
    let problems = site.run_hinted(&["posts/a.md", "posts/b.md"]);
    assert_eq!(problems.len(), 1, "{problems:?}");
    let title = |site: &ReconciledSite, slug: &str| site.post(slug)["title"].clone();
    assert_eq!(
        (title(&site, "a"), title(&site, "b")),
        ("A".into(), "B 2".into())
    );
    assert!(
        site.run().is_empty(),
        "an unchanged problem is reported again"
    );
    assert_eq!(site.problems(), problems);

    drop(site);
    let mut site = ReconciledSite::open(&folder);
    assert_eq!(title(&site, "a"), "A");
    assert_eq!(
        site.run(),
        problems,
        "problems are reported again after a restart"
    );
    assert_eq!(title(&site, "a"), "A");
    assert_eq!(site.list("tags", "name"), ["Sea"]);

    folder.write("posts/a.md", post("A 2", ""));
    assert!(site.run_hinted(&["posts/a.md"]).is_empty());
    assert!(site.problems().is_empty());
    assert_eq!(title(&site, "a"), "A 2");
}

#[test]
fn missing_reference_is_resolved_by_a_change_of_another_file() {
    let folder = Folder::with(&[
        ("authors/ada.toml", "name = \"Ada\"\n"),
        (
            "posts/a.md",
            &post_with("A", "authors = [\"ada@example.com\"]", ""),
        ),
    ]);
    let mut site = ReconciledSite::open(&folder);
    assert_eq!(site.run().len(), 1);
    folder.write(
        "authors/ada.toml",
        "name = \"Ada\"\nemail = \"ada@example.com\"\n",
    );
    assert!(site.run_hinted(&["authors/ada.toml"]).is_empty());
    assert_eq!(site.post("a")["primary_author"]["name"], "Ada");
    assert!(site.problems().is_empty());
}

#[test]
fn post_of_a_removed_author_is_served_and_its_file_reported() {
    let folder = Folder::with(&[
        (
            "authors/ada.toml",
            "name = \"Ada\"\nemail = \"ada@example.com\"\n",
        ),
        (
            "posts/a.md",
            &post_with("A", "authors = [\"ada@example.com\"]", ""),
        ),
    ]);
    let mut site = ReconciledSite::from(&folder);
    folder.remove("authors/ada.toml");
    assert_eq!(site.run().len(), 1);
    assert_eq!(site.post("a")["title"], "A");
    site.responses();
}

#[test]
fn warning_does_not_cause_repeated_reads() {
    let folder = Folder::with(&[("posts/a.md", &post_with("A", "titel = \"B\"", ""))]);
    let mut site = ReconciledSite::open(&folder);
    assert_eq!(site.run().len(), 1);
    let revision = site.revision();
    assert!(site.run().is_empty());
    assert_eq!(site.revision(), revision);
    assert_eq!(site.problems().len(), 1);
}
