//! Tests that a commit is accepted as a whole, or rejected as a whole and reported.

use super::origin::{Origin, site_of};
use galley_tests::{
    command_line::run,
    folder::{Folder, post},
    galley_process::GalleyProcess,
    wait_for,
};

const BAD: &str = "+++\ntitle = \n+++\nText.\n";

fn status(folder: &Folder) -> serde_json::Value {
    run(folder, &["status", "--data", "data", "--json"]).json()
}

/// Waits until the status of the repository fulfils a condition, and returns the status.
fn wait_for_status(
    folder: &Folder,
    is_so: impl Fn(&serde_json::Value) -> bool,
) -> serde_json::Value {
    wait_for(
        "the status",
        || status(folder),
        |status| is_so(&status["git"]),
    )
}

#[test]
fn invalid_commit_is_rejected_as_a_whole_and_its_fix_goes_live() {
    let origin = Origin::with(&[
        ("posts/first.md", &post("First", "")),
        ("images/a.png", "old"),
    ]);
    let good = origin.head();
    let folder = site_of(&origin.url(), 1, "");
    let served = GalleyProcess::serve(&folder, &[]);
    let bad = origin.push(
        &[
            ("posts/bad.md", BAD),
            ("posts/first.md", &post("Changed", "")),
            ("images/a.png", "new"),
        ],
        "Half of it",
    );
    let status_report = wait_for_status(&folder, |git| !git["refused"].is_null());
    assert_eq!(status_report["git"]["served"]["commit"], good);
    let refused = &status_report["git"]["refused"];
    assert_eq!(refused["commit"], bad);
    assert_eq!(refused["author"], "Ada Lovelace");
    assert_eq!(refused["problems"][0]["file"], "posts/bad.md");
    assert_eq!(refused["problems"][0]["line"], 2);
    assert_eq!(served.titles(), ["First"]);
    let image = folder.data().join("git/tree/images/a.png");
    assert_eq!(std::fs::read(image).expect("the image is there"), b"old");
    let text = run(&folder, &["status", "--data", "data"]).out;
    assert!(
        text.contains(&format!("Refused commit {} of ", &bad[..10])),
        "{text}"
    );
    assert!(text.contains("--> posts/bad.md:2:"), "{text}");

    origin.push(&[("posts/bad.md", &post("Mended", ""))], "The other half");
    served.wait_for_titles(|titles| titles.len() == 2 && titles.contains(&"Mended".to_owned()));
    assert!(served.titles().contains(&"Changed".to_owned()));
    wait_for_status(&folder, |git| git["refused"].is_null());
}

#[test]
fn valid_files_of_the_first_commit_are_served() {
    let origin = Origin::with(&[
        ("posts/first.md", &post("First", "")),
        ("posts/bad.md", BAD),
    ]);
    let folder = site_of(&origin.url(), 3600, "");
    let served = GalleyProcess::serve(&folder, &[]);
    assert_eq!(served.titles(), ["First"]);
    let status_report = status(&folder);
    assert_eq!(status_report["problems"][0]["file"], "posts/bad.md");
    assert_eq!(status_report["git"]["served"]["commit"], origin.head());
}

#[test]
fn submodule_is_ignored_with_a_warning() {
    let origin = Origin::with(&[("posts/first.md", &post("First", ""))]);
    let other = Origin::with(&[("posts/second.md", &post("Second", ""))]);
    origin.git(&["submodule", "--quiet", "add", &other.url(), "posts/other"]);
    origin.push(&[], "Another repository");
    let folder = site_of(&origin.url(), 3600, "");
    let served = GalleyProcess::serve(&folder, &[]);
    assert_eq!(served.titles(), ["First"]);
    let problems = &status(&folder)["problems"];
    assert_eq!(problems[0]["severity"], "warning");
    assert_eq!(problems[0]["file"], "posts/other");
    assert!(
        problems[0]["message"]
            .as_str()
            .expect("a text")
            .contains("is a submodule")
    );
}

#[test]
fn git_lfs_pointers_are_reported() {
    const POINTER: &str = "version https://git-lfs.github.com/spec/v1\n\
        oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
    let origin = Origin::with(&[
        ("posts/first.md", &post("First", "")),
        ("images/large.png", POINTER),
    ]);
    let folder = site_of(&origin.url(), 1, "");
    let served = GalleyProcess::serve(&folder, &[]);
    let problems = &status(&folder)["problems"];
    assert_eq!(problems[0]["severity"], "warning");
    assert_eq!(problems[0]["file"], "images/large.png");
    assert!(
        problems[0]["message"]
            .as_str()
            .expect("a text")
            .contains("a pointer of Git LFS")
    );
    origin.push(&[("posts/second.md", POINTER)], "A post in LFS");
    let status_report = wait_for_status(&folder, |git| !git["refused"].is_null());
    let problem = &status_report["git"]["refused"]["problems"][0];
    assert_eq!(problem["file"], "posts/second.md");
    assert!(
        problem["advice"]
            .as_str()
            .expect("a text")
            .contains("git lfs")
    );
    assert_eq!(served.titles(), ["First"]);
}
