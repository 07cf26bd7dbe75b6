//! Tests of imports into a site of content files, and of content files on an imported site.

use galley::progress::NoProgress;
use std::{fs, path::Path, sync::Arc};

use galley::content_files::Reconciler;
use serde_json::json;
use tempfile::TempDir;

use super::destination::{Destination, export, export_path, notes_about};

/// Creates a content folder with these files.
fn content(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    folder
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Reconciles the site with the folder and returns its diagnostics.
fn read(site: &Destination, folder: &Path) -> Vec<String> {
    let mut reconciler = Reconciler::new(Arc::clone(&site.site), folder.to_owned()).unwrap();
    let problems = reconciler.run(None, &NoProgress).unwrap();
    problems.iter().map(ToString::to_string).collect()
}

const POST: &str = "+++\ntitle = \"From a file\"\ndate = 2025-01-05\ntags = [\"tides\"]\nauthors = [\"Ada Quay\"]\nvisibility = \"tiers\"\ntiers = [\"gold-tier\"]\n+++\nText.\n";

#[test]
fn content_files_may_refer_to_imported_records() {
    let (site, _) = Destination::with("ghost-4.json");
    let folder = content(&[("posts/from-a-file.md", POST)]);
    assert_eq!(read(&site, folder.path()), Vec::<String>::new());
    let post = site.post("from-a-file");
    assert_eq!(
        post["primary_tag"]["id"],
        site.post("low-water")["primary_tag"]["id"]
    );
    assert_eq!(post["primary_author"]["slug"], "ada");
    assert_eq!(post["tiers"][0]["slug"], "gold-tier");
    let snapshot = site.site.current();
    assert_eq!(
        (
            snapshot.catalog.tags.len(),
            snapshot.catalog.users.len(),
            snapshot.catalog.tiers.len()
        ),
        (2, 2, 2)
    );
}

#[test]
fn running_site_reconciles_with_records_imported_meanwhile() {
    let site = Destination::new();
    let folder = content(&[(
        "posts/one.md",
        "+++\ntitle = \"One\"\ndate = 2025-01-05\ntags = [\"other\"]\n+++\n",
    )]);
    let mut reconciler = Reconciler::new(Arc::clone(&site.site), folder.path().to_owned()).unwrap();
    reconciler.run(None, &NoProgress).unwrap();
    site.import(&export_path("ghost-4.json"));
    write(
        folder.path(),
        "posts/one.md",
        "+++\ntitle = \"One\"\ndate = 2025-01-05\ntags = [\"tides\"]\n+++\n",
    );
    reconciler.run(None, &NoProgress).unwrap();
    let one = site.post("one");
    assert_eq!(
        one["primary_tag"]["id"],
        site.post("low-water")["primary_tag"]["id"]
    );
}

#[test]
fn records_of_content_files_are_not_overwritten() {
    let site = Destination::new();
    let folder = content(&[
        ("site.toml", "title = \"Of files\"\n"),
        (
            "posts/low-water.md",
            "+++\ntitle = \"Low water, in a file\"\ndate = 2025-01-05\n+++\n",
        ),
        (
            "tags/tides.toml",
            "name = \"Tides\"\ndescription = \"Of a file\"\n",
        ),
    ]);
    assert_eq!(read(&site, folder.path()), Vec::<String>::new());

    let report = site.import(&export_path("ghost-4.json"));

    let settings = &site.get("settings/")["settings"];
    assert_eq!(
        (&settings["title"], &settings["timezone"]),
        (&json!("Of files"), &json!("Europe/Lisbon"))
    );
    assert_eq!(
        notes_about(&report, "setting title"),
        ["stays as it is: a content file sets it"]
    );
    assert_eq!(site.post("low-water")["title"], "Low water, in a file");
    let imported = site.post("low-water-2");
    assert_eq!(imported["primary_tag"]["description"], "Of a file");
    assert_eq!(
        notes_about(&report, "tag \"tides\""),
        [
            "the site already has this tag; its identifier is used",
            "stays as it is: a content file describes it"
        ]
    );
    // A site of content files does not tag outbound links.
    assert_eq!(settings["outbound_link_tagging"], false);

    // Values that are removed from the file are cleared, and imported values remain.
    write(
        folder.path(),
        "site.toml",
        "description = \"Of files, too\"\n",
    );
    assert_eq!(read(&site, folder.path()), Vec::<String>::new());
    let settings = &site.get("settings/")["settings"];
    assert_eq!(settings["timezone"], "Europe/Lisbon");
    assert_eq!(
        (&settings["title"], &settings["description"]),
        (&json!("Galley"), &json!("Of files, too"))
    );
}

#[test]
fn implied_tags_and_authors_are_merged_with_the_imported_ones() {
    let site = Destination::new();
    let text =
        "+++\ntitle = \"One\"\ndate = 2025-01-05\ntags = [\"Tides\"]\nauthors = [\"ben\"]\n+++\n";
    let folder = content(&[("posts/one.md", text)]);
    assert_eq!(read(&site, folder.path()), Vec::<String>::new());

    site.import(&export_path("ghost-4.json"));

    assert_eq!(
        site.post("one")["primary_tag"]["description"],
        "When it comes and goes"
    );
    assert_eq!(
        site.post("one")["primary_tag"]["id"],
        site.post("low-water")["primary_tag"]["id"]
    );
    let snapshot = site.site.current();
    assert_eq!(
        snapshot
            .catalog
            .users
            .by_slug("ben")
            .unwrap()
            .email
            .as_deref(),
        Some("ben@harbour.example")
    );

    // The imported tag remains after the file is removed.
    fs::remove_file(folder.path().join("posts/one.md")).unwrap();
    assert_eq!(read(&site, folder.path()), Vec::<String>::new());
    assert_eq!(site.post("low-water")["primary_tag"]["slug"], "tides");
}

#[test]
fn imported_tiers_and_newsletters_replace_the_defaults() {
    let (site, _) = Destination::with("ghost-5.json");
    let folder = content(&[(
        "posts/one.md",
        "+++\ntitle = \"One\"\ndate = 2025-01-05\n+++\n",
    )]);
    assert_eq!(read(&site, folder.path()), Vec::<String>::new());
    let snapshot = site.site.current();
    assert_eq!(
        (
            snapshot.catalog.tiers.len(),
            snapshot.catalog.newsletters.len()
        ),
        (3, 2)
    );
}

#[test]
fn post_of_a_file_with_an_imported_id_is_not_overwritten() {
    let site = Destination::new();
    let text = "+++\ntitle = \"Mine\"\nid = \"61a000000000000000000065\"\ndate = 2020-01-05\n+++\n";
    let folder = content(&[("posts/mine.md", text)]);
    assert_eq!(read(&site, folder.path()), Vec::<String>::new());
    let mut newer = export("ghost-4.json");
    newer["db"][0]["data"]["posts"][0]["updated_at"] = json!("2025-12-01T00:00:00.000Z");

    let report = site.import_json(&newer);

    assert_eq!(site.post("mine")["title"], "Mine");
    assert_eq!(
        notes_about(&report, "low-water"),
        ["stays as it is: a content file describes it"]
    );
}
