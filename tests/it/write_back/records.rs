//! Tests that edits of tags, authors, settings, tiers and newsletters of content files are written to their files.

use std::fs;

use galley_tests::{
    command_line::{galley, run},
    content_responses::without_dates,
    folder::Folder,
    galley_process::GalleyProcess,
    wait_for, wait_until,
};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    repository::origin::{Origin, site_of},
    write_back::editing::{Editor, create_owner},
};

const SEA: &str = "# The sea
title = 'Sea'   # as readers see it
description = \"Water\"
feature_image = \"../images/sea.png\"
";

const ADA: &str = "---
name: Ada
slug: ada
---
She writes.
";

const SITE: &str = "# Settings
title = \"Ferries\"
menu = [
    { label = \"Home\", url = \"/\" },
]
";

fn post(tags: &str) -> String {
    format!("---\ntitle: Ferry\ndate: 2025-01-05\nauthor: ada\ntags: {tags} # here\n---\nText\n")
}

/// Serves a folder with records of each kind, and writes edits into its files.
fn folder_with_records() -> (Folder, GalleyProcess) {
    let folder = Folder::new();
    folder.write("../galley.toml", "url = \"https://site.example\"\n");
    folder.write("tags/sea.toml", SEA);
    folder.write("images/sea.png", b"\x89PNG\r\n\x1a\n");
    folder.write("authors/ada.md", ADA);
    folder.write("site.toml", SITE);
    folder.write("posts/ferry.md", post("[Sea, Other]"));
    folder.write("posts/quay.md", post("sea").replace("Ferry", "Quay"));
    folder.write(
        "tiers/gold.toml",
        "name = \"Gold\"\nmonthly_price = 500\nyearly_price = 5000\ncurrency = \"eur\"\n",
    );
    folder.write("newsletters/weekly.toml", "name = \"Weekly\"\n");
    let served = GalleyProcess::serve(&folder, &["--content", "content", "--write-back", "folder"]);
    (folder, served)
}

/// Returns the id of the record with this slug.
fn id_of(editor: &Editor, kind: &str, slug: &str) -> String {
    let (status, found) = editor.send("GET", &format!("{kind}/?limit=all"), &Value::Null);
    assert_eq!(status, 200, "{found}");
    let records = found[kind].as_array().expect("records");
    let record = records.iter().find(|record| record["slug"] == slug);
    let id = record.unwrap_or_else(|| panic!("no {slug}: {found}"))["id"].as_str();
    id.expect("an identifier").to_owned()
}

fn put(editor: &Editor, kind: &str, slug: &str, fields: Value) -> Value {
    let id = id_of(editor, kind, slug);
    let (status, saved) = editor.send("PUT", &format!("{kind}/{id}/"), &json!({ kind: [fields] }));
    assert_eq!(status, 200, "{saved}");
    saved
}

fn wait_for_text(folder: &Folder, path: &str, is_so: impl Fn(&str) -> bool) {
    let read = || fs::read_to_string(folder.at(path)).unwrap_or_default();
    wait_for(path, read, |text| is_so(text));
}

/// Waits until no edit is pending, and asserts that a new site of the folder has the same responses.
fn assert_same_responses_of_new_site(folder: &Folder, served: GalleyProcess) {
    wait_until("all edits are written", || {
        run(folder, &["status", "--data", "data", "--json"]).json()["counts"]
            ["edits of files waiting"]
            .is_null()
    });
    let responses = served.responses();
    served.stop(Signal::TERM);
    let arguments = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data",
        "elsewhere",
        "--content",
        "content",
    ];
    let again = GalleyProcess::from_command(&mut galley(folder, &arguments));
    assert_eq!(without_dates(&again.responses()), without_dates(&responses));
}

#[test]
fn tag_edit_changes_its_file_and_its_name_in_posts() {
    let (folder, served) = folder_with_records();
    let editor = Editor::of(&folder, &served);
    put(
        &editor,
        "tags",
        "sea",
        json!({ "name": "Ocean", "slug": "ocean", "description": null, "accent_color": "#123456" }),
    );
    wait_for_text(&folder, "tags/sea.toml", |text| {
        text.starts_with("# The sea\ntitle = 'Ocean'   # as readers see it\nfeature_image = \"../images/sea.png\"\n")
            && text.contains("slug = \"ocean\"")
            && text.contains("accent_color = \"#123456\"")
            && !text.contains("description")
    });
    wait_for_text(&folder, "posts/ferry.md", |text| {
        text == post("[Ocean, Other]")
    });
    wait_for_text(&folder, "posts/quay.md", |text| text.contains("Ocean"));
    assert_same_responses_of_new_site(&folder, served);
}

#[test]
fn deleting_a_tag_removes_its_file_and_its_name_from_posts() {
    let (folder, served) = folder_with_records();
    let editor = Editor::of(&folder, &served);
    for slug in ["sea", "other"] {
        let id = id_of(&editor, "tags", slug);
        let (status, refusal) = editor.send("DELETE", &format!("tags/{id}/"), &Value::Null);
        assert_eq!(status, 204, "{refusal}");
    }
    wait_until("the file is removed", || {
        !folder.at("tags/sea.toml").exists()
    });
    for path in ["posts/ferry.md", "posts/quay.md"] {
        wait_for_text(&folder, path, |text| !text.contains("tags"));
    }
    assert_same_responses_of_new_site(&folder, served);
}

#[test]
fn tags_without_a_file_get_one_when_added_or_edited() {
    let (folder, served) = folder_with_records();
    let editor = Editor::of(&folder, &served);
    let added = json!({ "tags": [{ "name": "Quays", "description": "Land" }] });
    let (status, added) = editor.send("POST", "tags/", &added);
    assert_eq!(status, 201, "{added}");
    put(&editor, "tags", "other", json!({ "meta_title": "Others" }));
    wait_for_text(&folder, "tags/quays.toml", |text| {
        text.contains("name = \"Quays\"") && text.contains("description = \"Land\"")
    });
    wait_for_text(&folder, "tags/other.toml", |text| {
        text.contains("meta_title = \"Others\"")
    });
    let ferry = editor.read("ferry");
    editor.edit(&ferry, json!({ "tags": ["Quays", "Other"] }));
    wait_for_text(&folder, "posts/ferry.md", |text| {
        text.contains("tags: [Quays, Other]")
    });
    assert_same_responses_of_new_site(&folder, served);
}

#[test]
fn tier_and_newsletter_edits_change_their_files() {
    let (folder, served) = folder_with_records();
    let editor = Editor::of(&folder, &served);
    put(&editor, "tiers", "gold", json!({ "monthly_price": 700 }));
    put(
        &editor,
        "newsletters",
        "weekly",
        json!({ "sender_name": "Ada" }),
    );
    wait_for_text(&folder, "tiers/gold.toml", |text| {
        text.starts_with("name = \"Gold\"\nmonthly_price = 700\n")
    });
    wait_for_text(&folder, "newsletters/weekly.toml", |text| {
        text.contains("sender_name = \"Ada\"")
    });
    assert_same_responses_of_new_site(&folder, served);
}

#[test]
fn setting_and_author_edits_change_files_and_account_fields_do_not() {
    let (folder, served) = folder_with_records();
    let account = create_owner(&folder);
    let password = account["password"].as_str().expect("a password");
    let editor = Editor::signed_in(&served, "o@example.com", password);
    put(
        &editor,
        "users",
        "ada",
        json!({ "bio": "She wrote.", "location": "Dover", "comment_notifications": false }),
    );
    wait_for_text(&folder, "authors/ada.md", |text| {
        text.starts_with("---\nname: Ada\nslug: ada\nlocation: Dover\n")
            && text.ends_with("---\nShe wrote.\n")
            && !text.contains("notifications")
    });
    let menu = json!([
        { "label": "Start", "url": "/", "children": [{ "label": "Inner", "url": "/inner/", "order": 2 }] },
        { "url": "/search/", "icon": "/content/images/search.svg", "new_window": true },
    ]);
    let settings = json!({ "settings": [
        { "key": "title", "value": "Boats" },
        { "key": "description", "value": "All of them" },
        { "key": "navigation", "value": menu.to_string() },
        { "key": "secondary_navigation", "value": json!([{ "label": "X", "url": "/x/", "order": 1.5, "note": null }]).to_string() },
        { "key": "announcement_content", "value": "<p>Now</p>" },
    ] });
    let (status, saved) = editor.send("PUT", "settings/", &settings);
    assert_eq!(status, 200, "{saved}");
    wait_for_text(&folder, "site.toml", |text| {
        text.starts_with("# Settings\ntitle = \"Boats\"\n")
            && text.contains("\"Start\"")
            && text.contains("description = \"All of them\"")
            && !text.contains("announcement")
    });
    let shown = served.get("settings/")["settings"].clone();
    assert_eq!(shown["title"], "Boats");
    assert_eq!(shown["navigation"], menu);
    assert_eq!(shown["secondary_navigation"][0]["order"], 1.5);
    let emptied = json!({ "settings": [{ "key": "description", "value": "" }, { "key": "announcement_content", "value": "" }] });
    let (status, saved) = editor.send("PUT", "settings/", &emptied);
    assert_eq!(status, 200, "{saved}");
    wait_for_text(&folder, "site.toml", |text| !text.contains("All of them"));
    assert_same_responses_of_new_site(&folder, served);
}

#[test]
fn tag_edit_is_committed_and_merged_with_a_change_of_its_file() {
    let origin = Origin::with(&[("tags/sea.toml", SEA), ("posts/ferry.md", &post("Sea"))]);
    let settings = "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 1\n";
    let folder = site_of(&origin.url(), 1, settings);
    let served = GalleyProcess::serve(&folder, &[]);
    let editor = Editor::of(&folder, &served);
    put(&editor, "tags", "sea", json!({ "name": "Ocean" }));
    origin.push(
        &[("tags/sea.toml", &SEA.replace("Water", "Salt"))],
        "In git",
    );
    wait_until("both changes are in the branch", || {
        origin.git(&["fetch", "-q", "origin"]);
        let text = origin.git(&["show", "origin/main:tags/sea.toml"]);
        text.contains("'Ocean'") && text.contains("Salt")
    });
    let subjects = origin.git(&["log", "--format=%an|%cn|%s", "origin/main"]);
    assert!(
        subjects.contains("Default|Galley|Edit \"Ocean\""),
        "{subjects}"
    );
}
