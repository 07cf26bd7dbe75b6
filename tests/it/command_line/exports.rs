//! Tests of `galley export`, with and without a running server.

use std::fs;

use galley_tests::{
    command_line::run,
    folder::{Folder, post},
    galley_process::GalleyProcess,
    reconciled_site::ReconciledSite,
};
use serde_json::Value;

fn content() -> Folder {
    Folder::with(&[
        ("site.toml", "title = \"Harbour\"\n"),
        (
            "authors/ada.toml",
            "name = \"Ada\"\nemail = \"ada@harbour.example\"\n",
        ),
        ("posts/a.md", &post("A", "![](a.png)")),
        ("posts/a.png", "an image"),
        ("posts/b.md", &post("B", "")),
    ])
}

/// Returns the sorted titles of the posts in an export.
fn titles(folder: &Folder, name: &str) -> Vec<String> {
    let bytes = fs::read(folder.top().join(name)).expect("an export");
    let export: Value = serde_json::from_slice(&bytes).expect("JSON");
    let posts = export["db"][0]["data"]["posts"]
        .as_array()
        .expect("a table")
        .iter();
    let mut titles: Vec<String> = posts
        .map(|post| post["title"].as_str().expect("a title").to_owned())
        .collect();
    titles.sort();
    titles
}

#[test]
fn export_without_a_server_reads_the_content_folder() {
    let folder = content();
    let output = run(&folder, &["export", "site.json"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert!(
        output.out.starts_with("site.json\n        1 author\n"),
        "{}",
        output.out
    );
    assert!(output.out.contains("        2 posts\n"), "{}", output.out);
    assert_eq!(titles(&folder, "site.json"), ["A", "B"]);
    assert!(
        !folder.top().join("galley-data").exists(),
        "a read-only command created a data folder"
    );
    folder.write("posts/c.md", post("C", ""));
    run(&folder, &["export", "site.json", "--force"]);
    assert_eq!(titles(&folder, "site.json"), ["A", "B", "C"]);
}

#[test]
fn running_server_exports_relative_to_the_command() {
    let folder = content();
    let _served = GalleyProcess::serve(&folder, &[]);
    let output = run(&folder, &["export", "./site.json", "--data", "data"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert_eq!(titles(&folder, "site.json"), ["A", "B"]);
    let output = run(
        &folder,
        &[
            "export",
            "everything",
            "--markdown",
            "--data",
            "data",
            "--json",
        ],
    );
    assert_eq!(output.json()["counts"]["posts"], 2);
    assert_eq!(output.json()["counts"]["files"], 1);
    assert!(folder.top().join("everything/posts/a.png").exists());
    let output = run(&folder, &["export", "members.csv", "--data", "data"]);
    assert!(output.out.contains("0 members"), "{}", output.out);
    let members = fs::read_to_string(folder.top().join("members.csv")).expect("a list");
    assert!(members.starts_with("id,email,name"), "{members}");
}

#[test]
fn exported_folder_serves_the_same_responses() {
    let folder = content();
    run(&folder, &["export", "everything", "--markdown"]);
    let first = ReconciledSite::from(&folder).responses();
    fs::rename(folder.content(), folder.top().join("before")).expect("the folder is moved");
    fs::rename(folder.top().join("everything"), folder.content()).expect("the folder is moved");
    fs::remove_dir_all(folder.data()).expect("the folder is removed");
    assert_eq!(ReconciledSite::from(&folder).responses(), first);
}

#[test]
fn existing_target_is_not_replaced_without_force() {
    let folder = content();
    fs::write(folder.top().join("site.json"), "mine").expect("the file is written");
    let output = run(&folder, &["export", "site.json"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("site.json already exists"),
        "{}",
        output.err
    );
    assert!(output.err.contains("--force"), "{}", output.err);
    fs::create_dir(folder.top().join("notes")).expect("a folder");
    fs::write(folder.top().join("notes/a.md"), "mine").expect("the file is written");
    let output = run(&folder, &["export", "notes", "--markdown"]);
    assert!(output.err.contains("notes is not empty"), "{}", output.err);
    let read = fs::read_to_string(folder.top().join("site.json"));
    assert_eq!(read.expect("the file exists"), "mine");
}

#[test]
fn ambiguous_target_is_rejected_with_advice() {
    let folder = content();
    for (arguments, advice) in [
        (&["export", "site"][..], "NAME.json"),
        (&["export", "site.txt"], "--markdown"),
        (&["export", "site.json", "--markdown"], "name a folder"),
        (&["export", "site.CSV", "--markdown"], "name a folder"),
    ] {
        let output = run(&folder, arguments);
        assert_eq!(output.code, Some(1), "{arguments:?}");
        assert!(output.err.contains(advice), "{arguments:?}: {}", output.err);
    }
}

#[test]
fn missing_configuration_file_is_rejected() {
    let folder = content();
    let output = run(&folder, &["export", "x.json", "--config", "none.toml"]);
    assert_ne!(output.code, Some(0));
    assert!(output.err.contains("none.toml"), "{}", output.err);
    assert!(!folder.top().join("x.json").exists());
}

#[test]
fn missing_site_is_rejected() {
    let folder = Folder::new();
    fs::remove_dir(folder.content()).expect("the folder is removed");
    let output = run(&folder, &["export", "site.json"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("there is no data folder"),
        "{}",
        output.err
    );
    assert!(!folder.top().join("site.json").exists());
}
