//! Tests that edits of posts become commits in the content folder's work tree, and that changed, staged and committed files
//! of the folder's user are preserved.

use std::{env, fs, thread, time::Duration};

use galley_tests::{
    command_line::{fetch, galley, run},
    folder::{Folder, post},
    galley_process::GalleyProcess,
    scripts::write_script,
    wait_until,
};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    repository::origin::git,
    write_back::{
        editing::{Editor, FERRY, create_owner, with_last_block},
        images::with_image,
    },
};

const FILE: &str = "posts/2025-01-05-night-ferry.md";
const OTHER: &str = "posts/2025-01-04-other.md";

/// Creates a content folder that is a work tree, with a commit of the ferry and another post.
pub fn work_tree() -> Folder {
    let folder = Folder::new();
    folder.write(FILE, FERRY);
    folder.write(OTHER, post("Other", "Their text."));
    fs::write(
        folder.top().join("galley.toml"),
        "url = \"https://site.example\"\n",
    )
    .expect("the file is written");
    git(&folder.content(), &["init", "-q", "-b", "main"]);
    git(&folder.content(), &["add", "--all"]);
    git(&folder.content(), &["commit", "-q", "-m", "First"]);
    folder
}

fn serve_settled(folder: &Folder, settle: u32) -> GalleyProcess {
    let mut command = galley(
        folder,
        &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
    );
    command.args(["--content", "content", "--write-back", "commit"]);
    command.env("GALLEY_SOURCE_WRITE_BACK_SETTLE_S", settle.to_string());
    command.env("PATH", env::var_os("PATH").expect("a path"));
    GalleyProcess::from_command(&mut command)
}

pub fn serve(folder: &Folder) -> GalleyProcess {
    serve_settled(folder, 0)
}

fn run_git(folder: &Folder, arguments: &[&str]) -> String {
    git(&folder.content(), arguments)
}

/// Returns the author, committer and subject of all commits except the first, newest first.
fn log(folder: &Folder) -> Vec<String> {
    let log = run_git(folder, &["log", "--format=%an <%ae>|%cn|%s"]);
    let mut lines: Vec<String> = log.lines().map(str::to_owned).collect();
    lines.pop();
    lines
}

fn committed(folder: &Folder, path: &str) -> String {
    run_git(folder, &["show", &format!("HEAD:{path}")])
}

fn wait_for_commits(folder: &Folder, count: usize) {
    wait_until("the edits are committed", || log(folder).len() == count);
    let waiting = || {
        let status = run(folder, &["status", "--data", "data", "--json"]).json();
        status["counts"]["edits of files waiting"].clone()
    };
    wait_until("no edit is pending", || waiting().is_null());
}

fn state(editor: &Editor) -> Value {
    let (status, found) = editor.send("GET", "git/", &Value::Null);
    assert_eq!(status, 200, "{found}");
    found["git"][0].clone()
}

#[test]
fn edit_is_written_immediately_and_committed_after_it_settles() {
    let folder = work_tree();
    let made = create_owner(&folder);
    let served = serve_settled(&folder, 2);
    let password = made["password"].as_str().expect("a password");
    let owner = Editor::signed_in(&served, "o@example.com", password);
    let mut ferry = owner.read("night-ferry");
    for title in ["The day ferry", "The last ferry"] {
        ferry = owner.edit(&ferry, json!({ "title": title }));
        wait_until("the edit is in the file", || {
            fs::read_to_string(folder.at(FILE)).is_ok_and(|text| text.contains(title))
        });
    }
    assert_eq!(log(&folder), [""; 0]);
    wait_until("one edit is pending", || {
        state(&owner)["waiting_edits"] == 1
    });
    let found = state(&owner);
    assert_eq!(found["write_back"], "commit", "{found}");
    assert_eq!(found["branch"], "main", "{found}");
    wait_for_commits(&folder, 1);
    assert_eq!(
        log(&folder),
        ["Owner <o@example.com>|Galley|Edit \"The last ferry\""]
    );
    assert_eq!(
        committed(&folder, FILE),
        fs::read_to_string(folder.at(FILE)).expect("a text")
    );
    assert_eq!(run_git(&folder, &["status", "--porcelain"]), "");
    assert_eq!(run_git(&folder, &["diff-files"]), "");
    let found = state(&owner);
    assert_eq!(found["message"], "Edit \"The last ferry\"", "{found}");
    let status = run(&folder, &["status", "--data", "data"]).out;
    for part in [
        "Edits are written into the files and committed.",
        ", branch main.",
        "by Owner: Edit \"The last ferry\"",
    ] {
        assert!(status.contains(part), "{part}: {status}");
    }
}

#[test]
fn sync_reports_that_a_watched_folder_is_not_fetched() {
    let folder = work_tree();
    let sync = || {
        let output = run(&folder, &["sync", "--data", "data"]);
        assert_eq!(output.code, Some(1), "{}", output.err);
        for part in [
            "the folder is watched, edits become commits there, and nothing is fetched",
            "pull them into the work tree",
        ] {
            assert!(output.err.contains(part), "{}", output.err);
        }
        assert!(!output.err.contains("not made from"), "{}", output.err);
    };
    let served = serve(&folder);
    sync();
    drop(served);
    let config = "url = \"https://site.example\"\ncontent = \"content\"\n[source]\nwrite_back = \"commit\"\n";
    fs::write(folder.top().join("galley.toml"), config).expect("the file is written");
    sync();
}

#[test]
fn local_changes_are_neither_committed_nor_unstaged() {
    let folder = work_tree();
    let changed = FERRY.replace("A *first*", "A *changed*");
    folder.write(FILE, &changed);
    folder.write(OTHER, post("Other", "Staged."));
    run_git(&folder, &["add", OTHER]);
    folder.write(OTHER, post("Other", "Staged, and changed since."));
    folder.write("notes.txt", "Not for git.");
    let served = serve(&folder);
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    editor.edit(
        &ferry,
        json!({ "lexical": with_last_block(&ferry, "By the editor.") }),
    );
    wait_for_commits(&folder, 1);
    let text = committed(&folder, FILE);
    assert!(
        text.contains("A *first*") && text.contains("By the editor."),
        "{text}"
    );
    let status = run_git(&folder, &["status", "--porcelain"]);
    assert_eq!(status, format!("MM {OTHER}\n M {FILE}\n?? notes.txt\n"));
    let unstaged = run_git(&folder, &["diff", "--", FILE]);
    assert!(
        unstaged.contains("+A *changed*") && !unstaged.contains("By the editor."),
        "{unstaged}"
    );
    assert!(run_git(&folder, &["diff", "--cached"]).contains("+Staged.\n"));

    // The file is staged, and another block of it is edited.
    run_git(&folder, &["add", FILE]);
    let ferry = editor.read("night-ferry");
    editor.edit(
        &ferry,
        json!({ "lexical": with_last_block(&ferry, "Again.") }),
    );
    wait_for_commits(&folder, 2);
    let text = committed(&folder, FILE);
    assert!(
        text.contains("A *first*") && text.contains("Again."),
        "{text}"
    );
    let staged = run_git(&folder, &["show", &format!(":{FILE}")]);
    assert!(
        staged.contains("A *changed*") && staged.contains("Again."),
        "{staged}"
    );
    assert!(run_git(&folder, &["diff", "--", FILE]).is_empty());
}

#[test]
fn edits_wait_during_a_merge_a_detached_head_or_an_index_lock() {
    let folder = work_tree();
    // On a site without a URL, the front page shows details to local visitors.
    fs::write(folder.top().join("galley.toml"), "front_end = \"none\"\n")
        .expect("the file is written");
    let served = serve(&folder);
    let editor = Editor::of(&folder, &served);
    let page = fetch(served.address(), "/");
    assert!(
        page.contains("written into the files and committed"),
        "{page}"
    );
    let head = run_git(&folder, &["rev-parse", "HEAD"]);
    let git_folder = folder.at(".git");
    let lock = git_folder.join("index.lock");
    let merging = git_folder.join("MERGE_HEAD");
    let reasons = [
        "a merge is in progress",
        "no branch is checked out",
        "another git process is running",
    ];
    let begin = |number: usize| match number {
        0 => fs::write(&merging, &head).expect("the file is written"),
        1 => drop(run_git(&folder, &["checkout", "-q", "--detach"])),
        _ => fs::write(&lock, "").expect("the file is written"),
    };
    let end = |number: usize| match number {
        0 => fs::remove_file(&merging).expect("the file is removed"),
        1 => drop(run_git(&folder, &["checkout", "-q", "main"])),
        _ => fs::remove_file(&lock).expect("the file is removed"),
    };
    for (number, reason) in reasons.into_iter().enumerate() {
        begin(number);
        let ferry = editor.read("night-ferry");
        let title = format!("The ferry {number}");
        editor.edit(&ferry, json!({ "title": title }));
        wait_until("the reason is shown", || {
            state(&editor)["failure"]["message"]
                .as_str()
                .is_some_and(|message| message.contains(reason))
        });
        let status = run(&folder, &["status", "--data", "data"]).out;
        assert!(
            status.contains("Edits have been waiting to be committed") && status.contains(reason),
            "{status}"
        );
        wait_until("the page shows the reason", || {
            let page = fetch(served.address(), "/");
            page.contains(reason) && page.contains("1 edit not in the repository yet")
        });
        assert_eq!(log(&folder).len(), number);
        end(number);
        wait_for_commits(&folder, number + 1);
        assert!(committed(&folder, FILE).contains(&title));
        assert_eq!(run_git(&folder, &["status", "--porcelain"]), "");
        wait_until("the failure is cleared", || {
            state(&editor)["failure"].is_null()
        });
    }
}

#[test]
fn new_renamed_and_deleted_files_are_committed_and_ignored_ones_reported() {
    let folder = work_tree();
    folder.write(".gitignore", "*-secret.md\n");
    run_git(&folder, &["add", ".gitignore"]);
    run_git(&folder, &["commit", "-q", "-m", "Ignore"]);
    let served = serve(&folder);
    let editor = Editor::of(&folder, &served);
    let image = editor.upload("shown.svg");
    let ferry = editor.read("night-ferry");
    let ferry = editor.edit(&ferry, json!({ "lexical": with_image(&ferry, &image) }));
    wait_for_commits(&folder, 2);
    let changes = || run_git(&folder, &["show", "--format=", "--name-status", "-M20%"]);
    assert_eq!(changes(), format!("A\t{image}\nM\t{FILE}\n"));
    let ferry = editor.edit(&ferry, json!({ "slug": "day-ferry" }));
    wait_for_commits(&folder, 3);
    let renamed = "posts/2025-01-05-day-ferry.md";
    assert!(changes().ends_with(&format!("\t{FILE}\t{renamed}\n")));
    let id = ferry["id"].as_str().expect("an identifier");
    let (status, _) = editor.send("DELETE", &format!("posts/{id}/"), &Value::Null);
    assert_eq!(status, 204);
    wait_for_commits(&folder, 4);
    assert_eq!(changes(), format!("D\t{image}\nD\t{renamed}\n"));
    assert_eq!(
        log(&folder)[0],
        "Default <galley@localhost>|Galley|Delete \"The night ferry\""
    );
    for (title, count) in [("A secret", 4), ("New", 5)] {
        let (status, added) = editor.send(
            "POST",
            "posts/",
            &json!({ "posts": [{ "title": title, "status": "published" }] }),
        );
        assert_eq!(status, 201, "{added}");
        wait_for_commits(&folder, count);
    }
    assert!(changes().ends_with("-new.md\n"), "{}", changes());
    assert_eq!(run_git(&folder, &["status", "--porcelain"]), "");
    let ignored = state(&editor)["ignored"].to_string();
    assert!(ignored.contains("-a-secret.md"), "{ignored}");
    drop(served);
    let served = serve(&folder);
    let status = run(&folder, &["status", "--data", "data"]).out;
    assert!(
        status.contains("Git ignores posts/") && status.contains("-a-secret.md: its edits"),
        "{status}"
    );
    drop(served);
}

#[test]
fn first_commit_of_a_repository_may_be_an_edit_and_no_hook_runs() {
    let folder = work_tree();
    fs::remove_dir_all(folder.at(".git")).expect("the folder is removed");
    git(folder.top(), &["init", "-q", "-b", "trunk"]);
    for name in [
        "pre-commit",
        "commit-msg",
        "post-commit",
        "reference-transaction",
    ] {
        let hook = folder.top().join(".git/hooks").join(name);
        write_script(&hook, "#!/bin/sh\nexit 1\n");
    }
    let served = serve(&folder);
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    editor.edit(&ferry, json!({ "title": "The day ferry" }));
    wait_until("there is a commit", || state(&editor)["commit"].is_string());
    let files = git(folder.top(), &["ls-tree", "-r", "--name-only", "trunk"]);
    assert_eq!(files, format!("content/{FILE}\n"));
    let status = git(folder.top(), &["status", "--porcelain", "content"]);
    assert_eq!(status, format!("?? content/{OTHER}\n"));
    assert_eq!(state(&editor)["path"], "content");
}

#[test]
fn commit_needs_a_content_folder_in_a_work_tree() {
    let folder = Folder::with(&[(FILE, FERRY)]);
    let start = |arguments: &[&str]| {
        let fixed = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
        run(
            &folder,
            &[&fixed[..], &["--write-back", "commit"], arguments].concat(),
        )
    };
    for (arguments, part) in [
        (&["--content", "content"][..], "/content is not in one"),
        (&["--no-content"], "possible without a content folder"),
        (
            &["--git", "https://example.com/site.git"],
            "\"push\" pushes its commits",
        ),
    ] {
        let output = start(arguments);
        assert_eq!(output.code, Some(1), "{}", output.err);
        assert!(
            output.err.contains("write") && output.err.contains(part),
            "{part}: {}",
            output.err
        );
    }
}

#[test]
fn concurrent_commits_lose_nothing_and_no_edit_is_committed_twice() {
    let folder = work_tree();
    let served = serve_settled(&folder, 2);
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    editor.edit(&ferry, json!({ "title": "The day ferry" }));
    wait_until("the edit is in the file", || {
        fs::read_to_string(folder.at(FILE)).is_ok_and(|text| text.contains("The day ferry"))
    });
    run_git(&folder, &["commit", "-q", "-a", "-m", "By hand"]);
    wait_for_commits(&folder, 1);
    let ferry = editor.read("night-ferry");
    editor.edit(&ferry, json!({ "title": "Undone" }));
    wait_until("the edit is in the file", || {
        fs::read_to_string(folder.at(FILE)).is_ok_and(|text| text.contains("Undone"))
    });
    run_git(&folder, &["checkout", "-q", "--", FILE]);
    wait_for_commits(&folder, 1);
    wait_until("the site serves the restored file", || {
        editor.read("night-ferry")["title"] == "The day ferry"
    });
    assert_eq!(log(&folder).len(), 1);
    drop(served);

    let served = serve(&folder);
    let editor = Editor::of(&folder, &served);
    for number in 0..8 {
        let ferry = editor.read("night-ferry");
        let document = with_last_block(&ferry, &format!("End {number}."));
        editor.edit(&ferry, json!({ "lexical": document }));
        folder.write(OTHER, post("Other", &format!("Text {number}.")));
        run_git(&folder, &["add", OTHER]);
        run_git(&folder, &["commit", "-q", "-m", &format!("Text {number}")]);
        wait_for_commits(&folder, 3 + 2 * number);
    }
    let log = log(&folder);
    for number in 0..8 {
        let by_hand = format!("Ada Lovelace <ada@example.com>|Ada Lovelace|Text {number}");
        assert_eq!(log.iter().filter(|line| **line == by_hand).count(), 1);
    }
    assert_eq!(run_git(&folder, &["status", "--porcelain"]), "");
    assert!(committed(&folder, FILE).contains("End 7."));
    assert!(committed(&folder, OTHER).contains("Text 7."));
}

/// Returns a `PATH` with a git that kills the server, its parent process, before or after it updates a branch.
fn path_with_killing_git(folder: &Folder, is_before: bool) -> String {
    let real = env::split_paths(&env::var_os("PATH").expect("a path"))
        .map(|path| path.join("git"))
        .find(|path| path.exists())
        .expect("git");
    let wrapper_folder = folder.top().join("bin");
    let (first, last) = if is_before {
        ("kill -9 $PPID; exit 1", "")
    } else {
        ("", "kill -9 $PPID")
    };
    let real = real.display();
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in\n*' update-ref '*) {first}\n{real} \"$@\"\n{last};;\n*) exec {real} \"$@\";;\nesac\n"
    );
    write_script(&wrapper_folder.join("git"), &script);
    let path = env::var("PATH").expect("a path");
    format!("{}:{path}", wrapper_folder.display())
}

#[test]
fn kill_before_or_after_the_branch_update_leaves_one_commit() {
    for is_before in [true, false] {
        let folder = work_tree();
        folder.write(OTHER, post("Other", "Staged."));
        run_git(&folder, &["add", OTHER]);
        let mut command = galley(
            &folder,
            &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
        );
        command.args(["--content", "content", "--write-back", "commit"]);
        command.env("GALLEY_SOURCE_WRITE_BACK_SETTLE_S", "0");
        command.env("PATH", path_with_killing_git(&folder, is_before));
        let served = GalleyProcess::from_command(&mut command);
        let editor = Editor::of(&folder, &served);
        let ferry = editor.read("night-ferry");
        editor.edit(&ferry, json!({ "title": "The day ferry" }));
        assert_eq!(served.wait().code, None);
        assert_eq!(log(&folder).len(), usize::from(!is_before));
        assert!(folder.at(".git/index.lock").exists());

        let _served = serve(&folder);
        wait_for_commits(&folder, 1);
        assert!(committed(&folder, FILE).contains("The day ferry"));
        assert_eq!(
            run_git(&folder, &["status", "--porcelain"]),
            format!("M  {OTHER}\n")
        );
        assert!(!folder.at(".git/index.lock").exists());
    }
}

#[test]
fn kills_at_any_time_neither_lose_nor_repeat_commits() {
    let folder = work_tree();
    let rounds = 6;
    for round in 0..rounds {
        let served = serve(&folder);
        let editor = Editor::of(&folder, &served);
        let ferry = editor.read("night-ferry");
        let other = editor.read("other");
        editor.edit(&ferry, json!({ "title": format!("Ferry {round}") }));
        editor.edit(&other, json!({ "title": format!("Other {round}") }));
        thread::sleep(Duration::from_millis(15 * round));
        served.stop(Signal::KILL);
    }
    let _served = serve(&folder);
    wait_until("all edits are committed", || {
        run_git(&folder, &["status", "--porcelain"]).is_empty()
            && run(&folder, &["status", "--data", "data", "--json"]).json()["counts"]["edits of files waiting"].is_null()
    });
    let log = log(&folder);
    for round in 0..rounds {
        for name in ["Ferry", "Other"] {
            let subject = format!("|Edit \"{name} {round}\"");
            let count = log.iter().filter(|line| line.ends_with(&subject)).count();
            assert!(count <= 1, "{subject}: {log:?}");
        }
    }
    assert!(committed(&folder, FILE).contains("Ferry 5"));
    assert!(committed(&folder, OTHER).contains("Other 5"));
}
