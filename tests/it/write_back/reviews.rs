//! Tests that edits rejected by a protected branch are pushed to a separate branch for review.

use std::{thread, time::Duration};

use galley_tests::{
    command_line::run,
    folder::{Folder, post},
    galley_process::GalleyProcess,
    wait_until,
};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    repository::origin::{Origin, site_of},
    write_back::editing::{Editor, FERRY, with_site_url},
};

const SETTINGS: &str = "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 0\npush_branch = \"galley/{path}\"\npush_branch_after_s = 1\n";

/// The branch for edits of the ferry.
const BRANCH: &str = "galley/posts/night-ferry.md";

/// Serves a site from a repository that rejects pushes to its main branch.
fn protected() -> (Origin, Folder, GalleyProcess) {
    protected_with(SETTINGS)
}

fn protected_with(settings: &str) -> (Origin, Folder, GalleyProcess) {
    let origin = Origin::with(&[
        ("posts/night-ferry.md", FERRY),
        ("posts/other.md", &post("Other", "")),
    ]);
    origin.protect("main");
    let folder = site_of(&origin.url(), 1, settings);
    with_site_url(&folder);
    let served = GalleyProcess::serve(&folder, &[]);
    (origin, folder, served)
}

/// Returns the state of the repository from `galley status`.
fn git(folder: &Folder) -> Value {
    run(folder, &["status", "--data", "data", "--json"]).json()["git"].clone()
}

/// Returns the ferry's file in a branch, or an empty string if the branch does not exist.
fn ferry_in(origin: &Origin, branch: &str) -> String {
    origin.git(&["fetch", "-q", "--prune", "origin"]);
    let name = format!("origin/{branch}");
    if origin.git(&["branch", "-r", "--list", &name]).is_empty() {
        String::new()
    } else {
        origin.git(&["show", &format!("{name}:posts/night-ferry.md")])
    }
}

fn conflicts(origin: &Origin) -> String {
    origin.git(&["fetch", "-q", "--prune", "origin"]);
    origin.git(&["branch", "-r", "--list", "origin/galley/conflict/*"])
}

/// Squashes a branch into one commit on the main branch, as hosts do.
fn squash(origin: &Origin, branch: &str) {
    origin.git(&["fetch", "-q", "origin"]);
    origin.git(&["reset", "-q", "--hard", "origin/main"]);
    origin.git(&["merge", "-q", "--squash", &format!("origin/{branch}")]);
    origin.push(&[], "Merged");
}

#[test]
fn rejected_edits_are_pushed_for_review_until_merged() {
    let (origin, folder, served) = protected();
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    let ferry = editor.edit(&ferry, json!({ "title": "The day ferry" }));
    wait_until("the edit is in a branch for review", || {
        ferry_in(&origin, BRANCH).contains("title: 'The day ferry'   # in quotes")
    });
    served.wait_for_titles(|titles| titles.contains(&"The day ferry".to_owned()));
    wait_until("the status reports the review", || {
        let review = &git(&folder)["reviews"][0];
        review["branch"] == BRANCH
            && review["edits"] == 1
            && review["reason"].to_string().contains("main is protected")
    });
    assert!(git(&folder)["failure"].is_null(), "{}", git(&folder));
    let (status, found) = editor.send("GET", "git/", &Value::Null);
    assert_eq!(status, 200, "{found}");
    assert_eq!(found["git"][0]["reviews"][0]["branch"], BRANCH);
    let output = run(&folder, &["status", "--data", "data"]).out;
    assert!(
        output.contains(&format!("In branch {BRANCH} for review: 1 edit.")),
        "{output}"
    );
    // After a crash, the next edit is committed on top of the branch.
    let first = origin.git(&["rev-parse", &format!("origin/{BRANCH}")]);
    served.stop(Signal::KILL);
    let served = GalleyProcess::serve(&folder, &[]);
    let editor = Editor::of(&folder, &served);
    let ferry = editor.edit(&ferry, json!({ "custom_excerpt": "Short" }));
    wait_until("the branch contains the next edit", || {
        ferry_in(&origin, BRANCH).contains("Short")
    });
    let parent = origin.git(&["rev-parse", &format!("origin/{BRANCH}^")]);
    assert_eq!(parent, first);
    // The branch is merged while another edit is made.
    squash(&origin, BRANCH);
    editor.edit(&ferry, json!({ "title": "The last ferry" }));
    wait_until("the branch contains the merged and the new edit", || {
        let text = ferry_in(&origin, BRANCH);
        text.contains("Short") && text.contains("The last ferry")
    });
    squash(&origin, BRANCH);
    wait_until("no edit is pending", || {
        let git = git(&folder);
        git["waiting_edits"] == 0 && git["reviews"] == json!([])
    });
    assert_eq!(conflicts(&origin), "");
    served.wait_for_titles(|titles| titles.contains(&"The last ferry".to_owned()));
}

#[test]
fn commits_of_reviewers_are_never_replaced() {
    let (origin, folder, served) = protected();
    let taken = format!("HEAD:refs/heads/{BRANCH}");
    origin.git(&["push", "-q", "origin", &taken]);
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    let ferry = editor.edit(&ferry, json!({ "title": "The day ferry" }));
    let second = format!("{BRANCH}-2");
    wait_until("the edit is in a second branch", || {
        ferry_in(&origin, &second).contains("The day ferry")
    });
    assert_eq!(ferry_in(&origin, BRANCH), FERRY);
    origin.git(&["reset", "-q", "--hard", &format!("origin/{second}")]);
    origin.write("posts/reviewed.md", "reviewed");
    let reviewed = origin.commit("Review");
    origin.git(&["push", "-q", "origin", &format!("HEAD:{second}")]);
    editor.edit(&ferry, json!({ "title": "The last ferry" }));
    wait_until("the edit is in a third branch", || {
        ferry_in(&origin, &format!("{BRANCH}-3")).contains("The last ferry")
    });
    let tip = origin.git(&["rev-parse", &format!("origin/{second}")]);
    assert_eq!(tip.trim(), reviewed);
}

#[test]
fn edits_under_review_are_pushed_once_the_branch_accepts_them() {
    let (origin, folder, served) = protected();
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    editor.edit(&ferry, json!({ "title": "The day ferry" }));
    wait_until("the edit is in a branch for review", || {
        !ferry_in(&origin, BRANCH).is_empty()
    });
    origin.push(&[("posts/third.md", &post("Third", ""))], "Third");
    let other = editor.read("other");
    editor.edit(&other, json!({ "custom_excerpt": "Short" }));
    wait_until(
        "the other post has a branch based on the new commit",
        || ferry_in(&origin, "galley/posts/other.md") == FERRY,
    );
    origin.refuse_pushes(false);
    wait_until("the main branch has both edits", || {
        ferry_in(&origin, "main").contains("The day ferry")
            && origin
                .git(&["show", "origin/main:posts/other.md"])
                .contains("Short")
            && git(&folder)["reviews"] == json!([])
    });
    assert_eq!(conflicts(&origin), "");
}

/// The branch for review is merged with a commit of the followed branch while one of its two edits is continued.
#[test]
fn continued_edit_stays_in_the_branch_for_review_until_it_is_replaced() {
    let branch = "galley/edits";
    let settings = format!(
        "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 2\npush_branch = \"{branch}\"\npush_branch_after_s = 1\n"
    );
    let (origin, folder, served) = protected_with(&settings);
    let other_in = |commit: &str| origin.git(&["show", &format!("{commit}:posts/other.md")]);
    let editor = Editor::of(&folder, &served);
    editor.edit(&editor.read("night-ferry"), json!({ "title": "By day" }));
    editor.edit(&editor.read("other"), json!({ "title": "Changed" }));
    wait_until("both edits are in the branch", || {
        ferry_in(&origin, branch).contains("By day")
            && other_in(&format!("origin/{branch}")).contains("Changed")
    });
    origin.push(&[("posts/third.md", &post("Third", ""))], "Third");
    served.wait_for_titles(|titles| titles.contains(&"Third".to_owned()));
    let (ferry, other) = (editor.read("night-ferry"), editor.read("other"));
    editor.edit(&ferry, json!({ "custom_excerpt": "Short" }));
    // The first edit settles at least a second before the other one.
    thread::sleep(Duration::from_millis(1100));
    editor.edit(&other, json!({ "custom_excerpt": "Long" }));

    wait_until("both edits are replaced", || {
        ferry_in(&origin, branch).contains("Short")
            && other_in(&format!("origin/{branch}")).contains("Long")
    });

    let commits = origin.git(&[
        "rev-list",
        "--first-parent",
        "--reverse",
        &format!("origin/{branch}"),
    ]);
    let mut texts = commits.lines().map(other_in);
    assert!(texts.any(|text| text.contains("Changed")));
    for text in texts {
        assert!(text.contains("Changed"), "the edit left the branch: {text}");
    }
    assert_eq!(conflicts(&origin), "");
}

/// The process is killed after the repository has the commit but before the site records the push. Meanwhile, the new post is
/// deleted in git, and the edited post is reset.
#[test]
fn pushes_interrupted_by_a_crash_are_not_repeated() {
    let origin = Origin::with(&[
        ("posts/night-ferry.md", FERRY),
        ("posts/other.md", &post("Other", "")),
    ]);
    let settings = "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 1\n";
    // Without periodic pulls, one push contains both edits.
    let folder = site_of(&origin.url(), 3600, settings);
    with_site_url(&folder);
    let served = GalleyProcess::serve(&folder, &[]);
    let kill = format!("#!/bin/sh\nkill -9 {}\n", served.pid().as_raw_nonzero());
    origin.hook("post-receive", &kill);
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    editor.edit(&ferry, json!({ "title": "The day ferry" }));
    let new = json!({ "posts": [{ "title": "New", "status": "published", "html": "x" }] });
    let (status, added) = editor.send("POST", "posts/", &new);
    assert_eq!(status, 201, "{added}");
    served.wait();
    std::fs::remove_file(origin.bare().join("hooks/post-receive")).expect("the hook is removed");
    origin.git(&["pull", "-q", "origin", "main"]);
    let [path] = origin
        .git(&["ls-files", "posts/*new.md"])
        .lines()
        .map(str::to_owned)
        .collect::<Vec<String>>()
        .try_into()
        .expect("the file of the new post");
    std::fs::remove_file(origin.at(&path)).expect("the file is removed");
    let undone = origin.push(&[("posts/night-ferry.md", FERRY)], "Undone");
    let served = GalleyProcess::serve(&folder, &[]);
    wait_until("the newest commit is served", || {
        let git = git(&folder);
        git["served"]["commit"] == *undone && git["waiting_edits"] == 0
    });
    served.wait_for_titles(|titles| titles == ["Other", "The night ferry"]);
    assert_eq!(conflicts(&origin), "");
    origin.git(&["fetch", "-q", "origin"]);
    assert_eq!(origin.git(&["rev-parse", "origin/main"]).trim(), undone);
}
