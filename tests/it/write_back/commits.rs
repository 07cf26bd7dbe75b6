//! Tests that edits of a content folder become commits in its work tree, and that the changed, staged and committed files of its
//! user stay unchanged.

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

/// A content folder that is a work tree with a commit of the ferry and another post.
pub fn work_tree() -> Folder {
    let folder = Folder::new();
    folder.write(FILE, FERRY);
    folder.write(OTHER, post("Other", "Their text."));
    fs::write(
        folder.top().join("galley.toml"),
        "url = \"https://site.example\"\n",
    )
    .expect("it is written");
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

fn said(folder: &Folder, arguments: &[&str]) -> String {
    git(&folder.content(), arguments)
}

/// Returns authors, committers and subjects of all commits but the first, newest first.
fn log(folder: &Folder) -> Vec<String> {
    let log = said(folder, &["log", "--format=%an <%ae>|%cn|%s"]);
    let mut lines: Vec<String> = log.lines().map(str::to_owned).collect();
    lines.pop();
    lines
}

fn committed(folder: &Folder, path: &str) -> String {
    said(folder, &["show", &format!("HEAD:{path}")])
}

fn wait_for_commits(folder: &Folder, count: usize) {
    wait_until("the edits are committed", || log(folder).len() == count);
    let waiting = || {
        let status = run(folder, &["status", "--data", "data", "--json"]).json();
        status["counts"]["edits of files waiting"].clone()
    };
    wait_until("no edit waits", || waiting().is_null());
}

fn state(editor: &Editor) -> Value {
    let (status, found) = editor.send("GET", "git/", &Value::Null);
    assert_eq!(status, 200, "{found}");
    found["git"][0].clone()
}

#[test]
fn edit_is_in_its_file_at_once_and_a_commit_of_its_editor_once_it_has_settled() {
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
    wait_until("one edit waits", || state(&owner)["waiting_edits"] == 1);
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
    assert_eq!(said(&folder, &["status", "--porcelain"]), "");
    assert_eq!(said(&folder, &["diff-files"]), "");
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
fn sync_says_that_the_folder_is_watched_and_nothing_is_fetched() {
    let folder = work_tree();
    let sync = || {
        let said = run(&folder, &["sync", "--data", "data"]);
        assert_eq!(said.code, Some(1), "{}", said.err);
        for part in [
            "the folder is watched, edits become commits there, and nothing is fetched",
            "pull them into the work tree",
        ] {
            assert!(said.err.contains(part), "{}", said.err);
        }
        assert!(!said.err.contains("not made from"), "{}", said.err);
    };
    let served = serve(&folder);
    sync();
    drop(served);
    let config = "url = \"https://site.example\"\ncontent = \"content\"\n[source]\nwrite_back = \"commit\"\n";
    fs::write(folder.top().join("galley.toml"), config).expect("it is written");
    sync();
}

#[test]
fn what_a_person_has_changed_and_staged_is_neither_committed_nor_unstaged() {
    let folder = work_tree();
    let changed = FERRY.replace("A *first*", "A *changed*");
    folder.write(FILE, &changed);
    folder.write(OTHER, post("Other", "Staged."));
    said(&folder, &["add", OTHER]);
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
    let status = said(&folder, &["status", "--porcelain"]);
    assert_eq!(status, format!("MM {OTHER}\n M {FILE}\n?? notes.txt\n"));
    let mine = said(&folder, &["diff", "--", FILE]);
    assert!(
        mine.contains("+A *changed*") && !mine.contains("By the editor."),
        "{mine}"
    );
    assert!(said(&folder, &["diff", "--cached"]).contains("+Staged.\n"));

    // The same file is staged, and gets another edit in another block.
    said(&folder, &["add", FILE]);
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
    let staged = said(&folder, &["show", &format!(":{FILE}")]);
    assert!(
        staged.contains("A *changed*") && staged.contains("Again."),
        "{staged}"
    );
    assert!(said(&folder, &["diff", "--", FILE]).is_empty());
}

#[test]
fn edits_wait_while_a_person_merges_has_no_branch_or_locks_the_index() {
    let folder = work_tree();
    // Of a site without a URL, visitors on the machine see the details on the page.
    fs::write(folder.top().join("galley.toml"), "front_end = \"none\"\n").expect("it is written");
    let served = serve(&folder);
    let editor = Editor::of(&folder, &served);
    let page = fetch(served.address(), "/");
    assert!(
        page.contains("written into the files and committed"),
        "{page}"
    );
    let head = said(&folder, &["rev-parse", "HEAD"]);
    let git_folder = folder.at(".git");
    let lock = git_folder.join("index.lock");
    let merging = git_folder.join("MERGE_HEAD");
    let reasons = [
        "a merge is in progress",
        "no branch is checked out",
        "another git process is running",
    ];
    let begin = |number: usize| match number {
        0 => fs::write(&merging, &head).expect("it is written"),
        1 => drop(said(&folder, &["checkout", "-q", "--detach"])),
        _ => fs::write(&lock, "").expect("it is written"),
    };
    let end = |number: usize| match number {
        0 => fs::remove_file(&merging).expect("it is removed"),
        1 => drop(said(&folder, &["checkout", "-q", "main"])),
        _ => fs::remove_file(&lock).expect("it is removed"),
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
        wait_until("the page shows it, too", || {
            let page = fetch(served.address(), "/");
            page.contains(reason) && page.contains("1 edit not in the repository yet")
        });
        assert_eq!(log(&folder).len(), number);
        end(number);
        wait_for_commits(&folder, number + 1);
        assert!(committed(&folder, FILE).contains(&title));
        assert_eq!(said(&folder, &["status", "--porcelain"]), "");
        wait_until("there is no failure", || {
            state(&editor)["failure"].is_null()
        });
    }
}

#[test]
fn new_renamed_and_deleted_files_and_images_are_committed_and_ignored_ones_named() {
    let folder = work_tree();
    folder.write(".gitignore", "*-secret.md\n");
    said(&folder, &["add", ".gitignore"]);
    said(&folder, &["commit", "-q", "-m", "Ignore"]);
    let served = serve(&folder);
    let editor = Editor::of(&folder, &served);
    let image = editor.upload("shown.svg");
    let ferry = editor.read("night-ferry");
    let ferry = editor.edit(&ferry, json!({ "lexical": with_image(&ferry, &image) }));
    wait_for_commits(&folder, 2);
    let changes = || said(&folder, &["show", "--format=", "--name-status", "-M20%"]);
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
    assert_eq!(said(&folder, &["status", "--porcelain"]), "");
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
    fs::remove_dir_all(folder.at(".git")).expect("it is removed");
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
        let said = start(arguments);
        assert_eq!(said.code, Some(1), "{}", said.err);
        assert!(
            said.err.contains("write") && said.err.contains(part),
            "{part}: {}",
            said.err
        );
    }
}

#[test]
fn person_who_commits_meanwhile_loses_nothing_and_no_edit_is_committed_twice() {
    let folder = work_tree();
    let served = serve_settled(&folder, 2);
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    editor.edit(&ferry, json!({ "title": "The day ferry" }));
    wait_until("the edit is in the file", || {
        fs::read_to_string(folder.at(FILE)).is_ok_and(|text| text.contains("The day ferry"))
    });
    said(&folder, &["commit", "-q", "-a", "-m", "By hand"]);
    wait_for_commits(&folder, 1);
    let ferry = editor.read("night-ferry");
    editor.edit(&ferry, json!({ "title": "Undone" }));
    wait_until("the edit is in the file", || {
        fs::read_to_string(folder.at(FILE)).is_ok_and(|text| text.contains("Undone"))
    });
    said(&folder, &["checkout", "-q", "--", FILE]);
    wait_for_commits(&folder, 1);
    wait_until("the site has what the file has", || {
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
        said(&folder, &["add", OTHER]);
        said(&folder, &["commit", "-q", "-m", &format!("Text {number}")]);
        wait_for_commits(&folder, 3 + 2 * number);
    }
    let log = log(&folder);
    for number in 0..8 {
        let by_hand = format!("Ada Lovelace <ada@example.com>|Ada Lovelace|Text {number}");
        assert_eq!(log.iter().filter(|line| **line == by_hand).count(), 1);
    }
    assert_eq!(said(&folder, &["status", "--porcelain"]), "");
    assert!(committed(&folder, FILE).contains("End 7."));
    assert!(committed(&folder, OTHER).contains("Text 7."));
}

/// Makes git kill the server before or after it moves a branch, until the folder `spared` exists.
fn deadly_git(folder: &Folder, is_before: bool) -> String {
    let real = env::split_paths(&env::var_os("PATH").expect("a path"))
        .map(|path| path.join("git"))
        .find(|path| path.exists())
        .expect("git");
    let deadly = folder.top().join("bin");
    let (first, last) = if is_before {
        ("kill -9 $PPID; exit 1", "")
    } else {
        ("", "kill -9 $PPID")
    };
    let real = real.display();
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in\n*' update-ref '*) {first}\n{real} \"$@\"\n{last};;\n*) exec {real} \"$@\";;\nesac\n"
    );
    write_script(&deadly.join("git"), &script);
    let path = env::var("PATH").expect("a path");
    format!("{}:{path}", deadly.display())
}

#[test]
fn kill_before_and_after_the_branch_moves_makes_one_commit() {
    for is_before in [true, false] {
        let folder = work_tree();
        folder.write(OTHER, post("Other", "Staged."));
        said(&folder, &["add", OTHER]);
        let mut command = galley(
            &folder,
            &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
        );
        command.args(["--content", "content", "--write-back", "commit"]);
        command.env("GALLEY_SOURCE_WRITE_BACK_SETTLE_S", "0");
        command.env("PATH", deadly_git(&folder, is_before));
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
            said(&folder, &["status", "--porcelain"]),
            format!("M  {OTHER}\n")
        );
        assert!(!folder.at(".git/index.lock").exists());
    }
}

#[test]
fn kills_at_any_time_lose_no_edit_and_commit_none_twice() {
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
    wait_until("all is committed", || {
        said(&folder, &["status", "--porcelain"]).is_empty()
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
