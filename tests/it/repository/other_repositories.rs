//! Tests of existing repositories: the files of a content folder cannot make Galley use another repository of the machine, and
//! every layout of git is supported.

use std::{
    fs,
    os::unix::fs::{chown, symlink},
    path::Path,
    process::Command,
};

use galley_tests::{
    command_line::{CommandOutput, galley},
    folder::Folder,
    galley_process::GalleyProcess,
    wait_until,
};
use serde_json::json;

use super::{named_programs::with_git, origin::git};
use crate::write_back::editing::{Editor, FERRY};

/// The id of another user of the machine.
const OTHER_USER: u32 = 65_533;

const UNDATED: &str = "---\ntitle: Undated\n---\nText.\n";

/// Creates a repository with one commit in the content folder, with these arguments of `git init`.
fn repository(arguments: &[&str]) -> Folder {
    let folder = Folder::new();
    folder.write("posts/2025-01-05-night-ferry.md", FERRY);
    folder.write("posts/undated.md", UNDATED);
    let init = [&["init", "-q", "-b", "main"], arguments].concat();
    git(&folder.content(), &init);
    commit(&folder.content());
    folder
}

fn commit(folder: &Path) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "-q", "-m", "All"]);
}

fn import(folder: &Folder, path: &str) -> CommandOutput {
    let arguments = ["import", path, "--history", "--json", "--data", "imported"];
    let mut command = with_git(galley(folder, &arguments));
    CommandOutput::from(command.output().expect("the program runs"))
}

fn serve(folder: &Folder, content: &str) -> CommandOutput {
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
    let mut command = with_git(galley(folder, &arguments));
    command.args(["--content", content, "--write-back", "commit"]);
    let output = command.output().expect("the program runs");
    CommandOutput::from(output)
}

/// Edits a post of the site in `content`, and waits until its repository has the commit.
fn edit_in(folder: &Folder, content: &str) {
    let top = folder.top().join(content);
    let before = git(&top, &["rev-parse", "HEAD"]);
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
    let mut command = with_git(galley(folder, &arguments));
    command.args(["--content", content, "--write-back", "commit"]);
    command.env("GALLEY_SOURCE_WRITE_BACK_SETTLE_S", "0");
    let served = GalleyProcess::from_command(&mut command);
    let editor = Editor::of(folder, &served);
    let ferry = editor.read("night-ferry");
    editor.edit(&ferry, json!({ "title": "The day ferry" }));
    wait_until("the edit is committed", || {
        git(&top, &["rev-parse", "HEAD"]) != before
    });
    wait_until("the index has the commit", || {
        git(&top, &["status", "--porcelain"]).is_empty()
    });
    assert!(git(&top, &["reflog", "-1"]).contains("galley: commit edits"));
    git(&top, &["fsck", "--strict"]);
}

#[test]
fn folder_that_refers_to_another_repository_is_refused_by_imports_and_commits() {
    type Change = fn(&Folder, &Path);
    let cases: [(&str, Change); 8] = [
        ("content/.git points to", |folder, other| {
            fs::remove_dir_all(folder.at(".git")).expect("it is removed");
            let text = format!("gitdir: {}\n", other.join(".git").display());
            folder.write(".git", text);
        }),
        ("content/.git points to", |folder, other| {
            fs::remove_dir_all(folder.at(".git")).expect("it is removed");
            symlink(other.join(".git"), folder.at(".git")).expect("a link");
        }),
        ("commondir points to", |folder, other| {
            let text = format!("{}\n", other.join(".git").display());
            folder.write(".git/commondir", text);
        }),
        ("config points to", |folder, other| {
            let tree = other.to_str().expect("UTF-8");
            git(&folder.content(), &["config", "core.worktree", tree]);
        }),
        ("objects/pack points to", |folder, other| {
            fs::remove_dir_all(folder.at(".git/objects/pack")).expect("it is removed");
            let target = other.join(".git/objects/pack");
            symlink(target, folder.at(".git/objects/pack")).expect("a link");
        }),
        ("packed-refs points to", |folder, other| {
            symlink(other.join("gone"), folder.at(".git/packed-refs")).expect("a link");
        }),
        ("HEAD points to", |folder, other| {
            fs::remove_file(folder.at(".git/HEAD")).expect("it is removed");
            symlink(other.join(".git/HEAD"), folder.at(".git/HEAD")).expect("a link");
        }),
        ("alternates borrows objects of", |folder, other| {
            let text = format!("{}\n", other.join(".git/objects").display());
            folder.write(".git/objects/info/alternates", text);
        }),
    ];
    for (output, change) in cases {
        let other = repository(&[]);
        let folder = repository(&[]);
        change(&folder, &other.content());
        for outcome in [import(&folder, "content"), serve(&folder, "content")] {
            assert_eq!(outcome.code, Some(1), "{output}: {}", outcome.err);
            assert!(outcome.err.contains(output), "{output}: {}", outcome.err);
        }
    }
}

#[test]
fn branch_and_log_files_are_not_written_through_links() {
    for name in ["refs/heads/site", "logs/refs/heads/site", "logs/HEAD"] {
        let folder = repository(&[]);
        git(&folder.content(), &["switch", "-q", "-c", "site/main"]);
        let outside = folder.top().join("outside");
        let path = folder.at(".git").join(name);
        fs::rename(&path, &outside).expect("it is moved");
        symlink(&outside, &path).expect("a link");
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
        let mut command = with_git(galley(&folder, &arguments));
        command.args(["--content", "content", "--write-back", "commit"]);
        command.env("GALLEY_SOURCE_WRITE_BACK_SETTLE_S", "0");
        if name == "logs/HEAD" {
            let output = CommandOutput::from(command.output().expect("the program runs"));
            assert!(output.err.contains("logs/HEAD points to"), "{}", output.err);
            continue;
        }
        let served = GalleyProcess::from_command(&mut command);
        let editor = Editor::of(&folder, &served);
        let ferry = editor.read("night-ferry");
        editor.edit(&ferry, json!({ "title": "The day ferry" }));
        wait_until("the reason is shown", || {
            let report = editor.send("GET", "git/", &serde_json::Value::Null).1;
            let message = report["git"][0]["failure"]["message"].clone();
            message
                .as_str()
                .is_some_and(|text| text.contains(&format!("{name} points to")))
        });
    }
}

#[test]
fn linked_work_trees_submodules_and_all_formats_support_history_and_commits() {
    let linked = repository(&[]);
    git(
        &linked.content(),
        &["worktree", "add", "-q", "-b", "other", "../linked"],
    );
    let outer = repository(&[]);
    let source = repository(&[]);
    let url = source.content();
    let url = url.to_str().expect("UTF-8");
    git(
        &outer.content(),
        &["submodule", "--quiet", "add", url, "sub"],
    );
    git(&outer.at("sub"), &["switch", "-q", "main"]);
    let split = repository(&[]);
    git(&split.content(), &["update-index", "--split-index"]);
    let mut layouts = vec![
        (repository(&[]), "content"),
        (repository(&["--object-format=sha256"]), "content"),
        (linked, "linked"),
        (outer, "content/sub"),
        (split, "content"),
    ];
    let known = Command::new("git").args(["help", "--config"]).output();
    let known = String::from_utf8(known.expect("git runs").stdout).expect("UTF-8");
    if known.contains("extensions.refStorage") {
        layouts.push((repository(&["--ref-format=reftable"]), "content"));
    }
    for (folder, content) in &layouts {
        let output = import(folder, content);
        assert_eq!(output.code, Some(0), "{content}: {}", output.err);
        assert_eq!(
            output.json()["counts"]["posts"]["added"],
            2,
            "{}",
            output.out
        );
        edit_in(folder, content);
    }
}

#[test]
fn repository_of_another_user_is_used_only_if_it_is_trusted() {
    let folder = repository(&[]);
    if chown(folder.at(".git"), Some(OTHER_USER), Some(OTHER_USER)).is_err() {
        assert!(!rustix::process::geteuid().is_root());
        return;
    }
    let output = import(&folder, "content");
    assert_eq!(output.code, Some(0), "{}", output.err);
    let output = serve(&folder, "content");
    assert_eq!(output.code, Some(1), "{}", output.err);
    assert!(
        output.err.contains("belongs to the user with the ID 65533"),
        "{}",
        output.err
    );
    let home = folder.top().join("home");
    fs::create_dir(&home).expect("a folder");
    let top = folder.content().canonicalize().expect("a path");
    let config = format!("[safe]\ndirectory = {}\n", top.display());
    fs::write(home.join(".gitconfig"), config).expect("it is written");
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
    let mut command = with_git(galley(&folder, &arguments));
    command.args(["--content", "content", "--write-back", "commit"]);
    command.env("HOME", &home);
    drop(GalleyProcess::from_command(&mut command));
}

#[test]
fn conversion_and_ignored_files_follow_the_settings_of_the_repository() {
    let folder = repository(&[]);
    let content = folder.content();
    for (key, value) in [("core.autocrlf", "input"), ("core.excludesFile", "ignored")] {
        git(&content, &["config", key, value]);
    }
    folder.write("ignored", "ignored\nposts/undated.md\n");
    let ferry = FERRY.replace('\n', "\r\n");
    folder.write("posts/2025-01-05-night-ferry.md", ferry);
    edit_in(&folder, "content");
    let file = "HEAD:posts/2025-01-05-night-ferry.md";
    let committed = git(&content, &["show", file]);
    assert!(
        committed.contains("The day ferry") && !committed.contains('\r'),
        "{committed:?}"
    );
}
