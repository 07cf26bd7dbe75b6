//! Tests of edits below symbolic links in the content folder: links that are not followed to read are not followed to write.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use galley_tests::{
    command_line::{galley, run},
    folder::{Folder, post},
    galley_process::GalleyProcess,
    wait_until,
};
use rustix::{
    fs::{CWD, RenameFlags, renameat_with},
    process::Signal,
};
use serde_json::{Value, json};

use crate::{
    repository::origin::{Origin, git, site_of},
    write_back::{
        editing::{Editor, FERRY, with_last_block},
        images::with_image,
    },
};

const FERRY_FILE: &str = "posts/2025-01-05-night-ferry.md";

/// Settings that delay the reading of changes, so that the server reads none before the test's edits.
const UNSETTLED: &str =
    "url = \"https://site.example\"\n[content_files]\nsettle_ms = 5000\nrescan_s = 3600\n";

/// Returns a content folder with posts, a tag and an image, next to folders that must not be accessed.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write(FERRY_FILE, FERRY);
    folder.write("posts/2025/other.md", post("Other", "Their text."));
    folder.write("tags/sea.toml", "name = \"Sea\"\n");
    folder.write("images/known.svg", "<svg/>");
    for name in ["outside", "content-beside"] {
        folder.write(&format!("../{name}/known.md"), post("Known", name));
        fs::create_dir(folder.top().join(name).join("2025")).expect("a folder");
    }
    fs::write(folder.top().join("galley.toml"), UNSETTLED).expect("the file is written");
    folder
}

/// Returns all paths below a folder, each with the content of its file.
fn files_below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = walkdir::WalkDir::new(folder).into_iter();
    let entries = entries.map(|entry| entry.expect("an entry"));
    entries
        .map(|entry| {
            let content = fs::read(entry.path()).unwrap_or_default();
            (entry.into_path(), content)
        })
        .collect()
}

/// Returns the files outside the content folder, which must not change.
fn others(folder: &Folder) -> BTreeMap<PathBuf, Vec<u8>> {
    let names = ["outside", "content-beside", "missing", "content/.git/hooks"];
    let folders = names.map(|name| folder.top().join(name));
    let folders = folders.iter().filter(|folder| folder.exists());
    folders.flat_map(|folder| files_below(folder)).collect()
}

/// Returns link targets that are outside the content folder, hidden, missing or circular.
fn targets(folder: &Folder, link: &str) -> Vec<String> {
    let top = folder.top().canonicalize().expect("a path");
    let top = top.display();
    let link_outside = folder.at("way-out");
    if !link_outside.is_symlink() {
        symlink("../outside", link_outside).expect("a link");
    }
    vec![
        "../outside".to_owned(),
        format!("{top}/outside"),
        "../content-beside".to_owned(),
        "pages/../../outside".to_owned(),
        "way-out".to_owned(),
        ".git/hooks".to_owned(),
        "../missing".to_owned(),
        "nowhere".to_owned(),
        link.to_owned(),
        format!("/proc/self/root{top}/outside"),
    ]
}

fn serve(folder: &Folder, write_back: &str) -> GalleyProcess {
    let mut command = galley(
        folder,
        &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
    );
    command.args(["--content", "content", "--write-back", write_back]);
    command.env("GALLEY_SOURCE_WRITE_BACK_SETTLE_S", "0");
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    GalleyProcess::from_command(&mut command)
}

/// Replaces `path` with a symbolic link while `work` runs.
fn with_link<T>(content: &Path, path: &str, target: &str, work: impl FnOnce() -> T) -> T {
    let (original, aside) = (content.join(path), content.join("aside.tmp"));
    fs::rename(&original, &aside).expect("the path is moved");
    symlink(target, &original).expect("a link");
    let done = work();
    assert!(
        original.is_symlink(),
        "{path} is no longer the link to {target}"
    );
    fs::remove_file(&original).expect("the link is removed");
    fs::rename(&aside, &original).expect("the path is moved back");
    done
}

/// Asserts that a request was rejected because of the symbolic link `link`.
fn assert_refused((status, response): (u16, Value), link: &str, what: &str) {
    assert_eq!(status, 422, "{what}: {response}");
    let message = response["errors"][0].to_string();
    let named = format!("the symbolic link {link} ");
    assert!(message.contains(&named), "{what}: {message}");
}

fn new_post(title: &str) -> Value {
    let text = json!({ "type": "extended-text", "version": 1, "text": title });
    let paragraph = json!({ "type": "paragraph", "version": 1, "children": [text] });
    let root = json!({ "type": "root", "version": 1, "children": [paragraph] });
    let lexical = json!({ "root": root }).to_string();
    json!({ "posts": [{ "title": title, "lexical": lexical, "status": "published" }] })
}

/// Asserts that every kind of edit below a link that is not followed is rejected.
fn assert_all_edits_refused(editor: &Editor, folder: &Folder, content: &Path) {
    let ferry = editor.read("night-ferry");
    let id = ferry["id"].as_str().expect("an identifier").to_owned();
    let (_, tag) = editor.send("GET", "tags/slug/sea/", &Value::Null);
    let tag = tag["tags"][0].clone();
    let tag_path = format!("tags/{}/", tag["id"].as_str().expect("an identifier"));
    let image = editor.upload("new.svg");
    for link in ["posts", FERRY_FILE] {
        for target in targets(folder, link.rsplit('/').next().unwrap_or(link)) {
            let what = format!("{link} is a link to {target}");
            with_link(content, link, &target, || {
                let text = with_last_block(&ferry, "Another end.");
                let edit = editor.try_edit(&ferry, json!({ "lexical": text }));
                assert_refused(edit, link, &what);
                let renamed = editor.try_edit(&ferry, json!({ "slug": "day-ferry" }));
                assert_refused(renamed, link, &what);
                let deleted = editor.send("DELETE", &format!("posts/{id}/"), &Value::Null);
                assert_refused(deleted, link, &what);
                if link == "posts" {
                    let new = editor.send("POST", "posts/", &new_post("New"));
                    assert_refused(new, link, &what);
                }
            });
        }
    }
    for target in targets(folder, "images") {
        let what = format!("images is a link to {target}");
        with_link(content, "images", &target, || {
            let shown = json!({ "lexical": with_image(&ferry, &image) });
            assert_refused(editor.try_edit(&ferry, shown), "images", &what);
        });
    }
    for target in targets(folder, "tags") {
        let what = format!("tags is a link to {target}");
        with_link(content, "tags", &target, || {
            let changed = json!({ "tags": [{ "name": "Ocean", "updated_at": tag["updated_at"] }] });
            assert_refused(editor.send("PUT", &tag_path, &changed), "tags", &what);
            assert_refused(
                editor.send("DELETE", &tag_path, &Value::Null),
                "tags",
                &what,
            );
        });
    }
    let (_, nested) = editor.send("GET", "posts/slug/other/?formats=lexical", &Value::Null);
    with_link(content, "posts/2025", "../../outside/2025", || {
        let edit = editor.try_edit(&nested["posts"][0], json!({ "title": "Another" }));
        assert_refused(edit, "posts/2025", "a link below");
    });
    // No rejected edit is stored, and the site still accepts others.
    let known = editor.read("night-ferry");
    assert_eq!(known["lexical"], ferry["lexical"]);
    let saved = editor.edit(&known, json!({ "title": "The day ferry" }));
    assert_eq!(saved["title"], "The day ferry");
}

#[test]
fn edits_below_unfollowed_links_are_rejected_in_a_folder() {
    let folder = folder();
    folder.write(".git/hooks/known", "");
    let before = others(&folder);
    let served = serve(&folder, "folder");
    assert_all_edits_refused(&Editor::of(&folder, &served), &folder, &folder.content());
    wait_until("the last edit is in its file", || {
        fs::read_to_string(folder.at(FERRY_FILE)).is_ok_and(|text| text.contains("The day ferry"))
    });
    assert_eq!(others(&folder), before);
    assert!(!folder.at("nowhere").exists());
}

#[test]
fn edits_below_unfollowed_links_are_rejected_in_a_work_tree() {
    let folder = folder();
    for arguments in [
        &["init", "-q", "-b", "main"][..],
        &["add", "--all"],
        &["commit", "-q", "-m", "First"],
    ] {
        git(&folder.content(), arguments);
    }
    let before = others(&folder);
    let served = serve(&folder, "commit");
    assert_all_edits_refused(&Editor::of(&folder, &served), &folder, &folder.content());
    let log = || git(&folder.content(), &["log", "--format=%s"]);
    wait_until("the last edit is committed", || log().lines().count() == 2);
    assert_eq!(others(&folder), before);
    let changed = git(&folder.content(), &["show", "--format=", "--name-only"]);
    assert_eq!(changed.trim(), FERRY_FILE);
}

#[test]
fn edits_below_unfollowed_links_are_rejected_in_a_repository_copy() {
    let origin = Origin::with(&[
        (FERRY_FILE, FERRY),
        ("posts/2025/other.md", &post("Other", "Their text.")),
        ("tags/sea.toml", "name = \"Sea\"\n"),
        ("images/known.svg", "<svg/>"),
    ]);
    let folder = site_of(
        &origin.url(),
        3600,
        "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 0\n",
    );
    let config = folder.top().join("galley.toml");
    let options = fs::read_to_string(&config).expect("a text");
    fs::write(
        &config,
        format!("url = \"https://site.example\"\n{options}"),
    )
    .expect("written");
    fs::create_dir_all(folder.top().join("outside/2025")).expect("a folder");
    fs::create_dir_all(folder.top().join("content-beside")).expect("a folder");
    fs::create_dir(folder.content()).expect("a folder");
    let before = others(&folder);
    let served = GalleyProcess::serve(&folder, &[]);
    let tree = folder.data().join("git/tree");
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    for target in ["../../../outside", "../repository"] {
        with_link(&tree, "posts", target, || {
            let edit = editor.try_edit(&ferry, json!({ "title": "Another" }));
            assert_refused(edit, "posts", target);
            let new = editor.send("POST", "posts/", &new_post("New"));
            assert_refused(new, "posts", target);
        });
    }
    assert_eq!(others(&folder), before);
    // A symbolic link that is in the repository itself.
    fs::remove_dir_all(origin.at("images")).expect("the folder is removed");
    symlink("../../../../outside", origin.at("images")).expect("a link");
    origin.push(&[], "Link");
    run(&folder, &["sync", "--data", "data"]);
    let image = editor.upload("new.svg");
    let shown = json!({ "lexical": with_image(&ferry, &image) });
    assert_refused(
        editor.try_edit(&ferry, shown),
        "images",
        "a link in the repository",
    );
    assert_eq!(others(&folder), before);
}

#[test]
fn upload_replaced_by_a_link_before_its_commit_adds_no_other_file() {
    let folder = folder();
    for arguments in [
        &["init", "-q", "-b", "main"][..],
        &["add", "--all"],
        &["commit", "-q", "-m", "First"],
    ] {
        git(&folder.content(), arguments);
    }
    let mut command = galley(
        &folder,
        &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
    );
    command.args(["--content", "content", "--write-back", "commit"]);
    command.env("GALLEY_SOURCE_WRITE_BACK_SETTLE_S", "2");
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    let served = GalleyProcess::from_command(&mut command);
    let editor = Editor::of(&folder, &served);
    let image = editor.upload("new.svg");
    let ferry = editor.read("night-ferry");
    editor.edit(&ferry, json!({ "lexical": with_image(&ferry, &image) }));
    wait_until("the image is in the folder", || folder.at(&image).exists());
    fs::remove_file(folder.at(&image)).expect("the file is removed");
    symlink(folder.top().join("outside/known.md"), folder.at(&image)).expect("a link");
    let log = || git(&folder.content(), &["log", "--format=%s"]);
    wait_until("the edit is committed", || log().lines().count() == 2);
    let changes = git(&folder.content(), &["log", "--all", "-p"]);
    assert!(!changes.contains("title = \"Known\""), "{changes}");
    served.stop(Signal::TERM);
}

#[test]
fn edits_while_a_folder_alternates_with_a_link_stay_inside_and_are_not_lost() {
    const EDITS_MAX: usize = 2000;
    const ACCEPTED: usize = 20;
    const SWAPS_MAX: usize = 100_000;
    let folder = folder();
    fs::write(
        folder.top().join("galley.toml"),
        "url = \"https://site.example\"\n",
    )
    .expect("the file is written");
    let before = others(&folder);
    let served = serve(&folder, "folder");
    let editor = Editor::of(&folder, &served);
    let is_done = AtomicBool::new(false);
    let mut accepted: Vec<String> = Vec::new();
    let mut failed: Vec<Value> = Vec::new();
    thread::scope(|scope| {
        let (posts, link) = (folder.at("posts"), folder.at("posts.tmp"));
        symlink("../outside", &link).expect("a link");
        let is_done = &is_done;
        scope.spawn(move || {
            let swap = || {
                renameat_with(CWD, &posts, CWD, &link, RenameFlags::EXCHANGE).expect("swapped");
            };
            for _ in 0..SWAPS_MAX {
                if is_done.load(Ordering::Relaxed) {
                    break;
                }
                swap();
                thread::yield_now();
                swap();
                // Most edits meet the folder; some meet the link shortly after the check.
                thread::sleep(Duration::from_micros(300));
            }
        });
        for number in 0..EDITS_MAX {
            if accepted.len() == ACCEPTED {
                break;
            }
            let title = format!("Words {number}");
            let (status, response) = editor.send("POST", "posts/", &new_post(&title));
            match status {
                201 => accepted.push(title),
                409 | 422 => {}
                _ => failed.push(response),
            }
        }
        is_done.store(true, Ordering::Relaxed);
    });
    assert!(!folder.at("posts").is_symlink());
    assert!(failed.is_empty(), "{failed:?}");
    assert_eq!(accepted.len(), ACCEPTED);
    let has_all = || {
        let texts = files_below(&folder.content());
        let texts: Vec<String> = texts
            .into_values()
            .map(|text| String::from_utf8_lossy(&text).into_owned())
            .collect();
        let is_in = |title: &String| texts.iter().any(|text| text.contains(title.as_str()));
        accepted.iter().all(is_in)
    };
    wait_until("all accepted posts are in the folder", has_all);
    assert_eq!(others(&folder), before);
}
