//! Tests that a running server follows a content folder and serves saved files shortly afterwards.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    os::unix::fs::symlink,
    thread,
    time::{Duration, Instant},
};

use galley_tests::{
    command_line::run,
    folder::{Folder, post, post_with},
    galley_process::GalleyProcess,
};
use rustix::process::Signal;

/// Serves a folder with the post "First", rescanning it without a notification only once an hour.
fn served(folder: &Folder) -> GalleyProcess {
    folder.write("posts/first.md", post("First", ""));
    folder.write("../galley.toml", "[content_files]\nrescan_s = 3600\n");
    GalleyProcess::serve(folder, &["--content", "content"])
}

fn revision(folder: &Folder) -> u64 {
    let status = run(folder, &["status", "--data", "data", "--json"]);
    status.json()["revision"].as_u64().expect("a number")
}

#[test]
fn written_appended_and_deleted_files_are_followed() {
    let folder = Folder::new();
    let served = served(&folder);
    folder.write("posts/first.md", post("Second", ""));
    served.wait_for_titles(|titles| titles == ["Second"]);
    let file = OpenOptions::new()
        .append(true)
        .open(folder.at("posts/first.md"));
    file.expect("the file opens")
        .write_all(b"more\n")
        .expect("the text is appended");
    let end = Instant::now() + Duration::from_secs(60);
    while !served.get_text("posts/?formats=plaintext").contains("more") {
        assert!(Instant::now() < end, "the appended text is not served");
    }
    folder.write("posts/new/index.md", post("Third", ""));
    served.wait_for_titles(|titles| titles.contains(&"Third".to_owned()));
    folder.remove("posts/first.md");
    served.wait_for_titles(|titles| titles == ["Third"]);
}

#[test]
fn write_and_rename_of_editors_is_followed() {
    let folder = Folder::new();
    let served = served(&folder);
    for title in ["Second", "Third"] {
        folder.write("posts/.first.md.tmp", post(title, ""));
        folder.rename("posts/.first.md.tmp", "posts/first.md");
        served.wait_for_titles(|titles| titles == [title]);
    }
    // Vim with `backup` moves the old file away and writes a new one at its path.
    folder.rename("posts/first.md", "posts/first.md~");
    folder.write("posts/first.md", post("Fourth", ""));
    folder.remove("posts/first.md~");
    served.wait_for_titles(|titles| titles == ["Fourth"]);
}

#[test]
fn burst_of_saves_causes_one_commit() {
    let folder = Folder::new();
    folder.write(
        "../galley.toml",
        "[content_files]\nrescan_s = 3600\nsettle_ms = 1500\n",
    );
    folder.write("posts/first.md", post("First", ""));
    let served = GalleyProcess::serve(&folder, &["--content", "content"]);
    let before = revision(&folder);
    for number in 0..20 {
        folder.write("posts/first.md", post(&format!("Save {number}"), ""));
        folder.write(&format!("posts/other-{number}.md"), post("Other", ""));
        thread::sleep(Duration::from_millis(5));
    }
    served.wait_for_titles(|titles| titles.len() == 21 && titles.contains(&"Save 19".to_owned()));
    assert_eq!(revision(&folder), before + 1);
}

#[test]
fn constantly_changing_file_is_served_eventually() {
    let folder = Folder::new();
    let served = served(&folder);
    let end = Instant::now() + Duration::from_secs(60);
    let mut number = 0;
    while served.titles() == ["First"] {
        assert!(Instant::now() < end, "no save is served");
        number += 1;
        folder.write("posts/first.md", post(&format!("Save {number}"), ""));
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn folders_that_are_moved_in_renamed_and_removed_are_followed() {
    let folder = Folder::new();
    let served = served(&folder);
    folder.write("../elsewhere/a.md", post("A", ""));
    folder.write("../elsewhere/b/index.md", post("B", ""));
    folder.rename("../elsewhere", "posts/trip");
    served.wait_for_titles(|titles| titles.len() == 3);
    folder.rename("posts/trip", "pages/trip");
    served.wait_for_titles(|titles| titles == ["First"]);
    assert_eq!(
        served.get("pages/")["pages"].as_array().map(Vec::len),
        Some(2)
    );
    folder.rename("pages/trip", "posts/trip");
    served.wait_for_titles(|titles| titles.len() == 3);
    // Changes in a folder that was moved in are also followed.
    folder.write("posts/trip/a.md", post("A 2", ""));
    served.wait_for_titles(|titles| titles.contains(&"A 2".to_owned()));
    fs::remove_dir_all(folder.at("posts/trip")).expect("the folder is removed");
    served.wait_for_titles(|titles| titles == ["First"]);
}

#[test]
fn replaced_content_folder_is_followed() {
    let folder = Folder::new();
    folder.write("../galley.toml", "[content_files]\nrescan_s = 1\n");
    for (release, title) in [("one", "One"), ("two", "Two")] {
        folder.write(&format!("../{release}/posts/a.md"), post(title, ""));
    }
    let link = folder.top().join("current");
    symlink(folder.top().join("one"), &link).expect("a link");
    let served = GalleyProcess::serve(&folder, &["--content", "current"]);
    assert_eq!(served.titles(), ["One"]);
    symlink(folder.top().join("two"), folder.top().join("next")).expect("a link");
    fs::rename(folder.top().join("next"), &link).expect("the link is replaced");
    served.wait_for_titles(|titles| titles == ["Two"]);
    folder.write("../two/posts/a.md", post("Three", ""));
    served.wait_for_titles(|titles| titles == ["Three"]);
}

#[test]
fn diagnostics_are_in_log_and_status_until_fixed() {
    let folder = Folder::new();
    let served = served(&folder);
    folder.write("posts/bad.md", "+++\ntitle = \n+++\n");
    folder.write("posts/good.md", post_with("Good", "", ""));
    served.wait_for_titles(|titles| titles.len() == 2);
    let status = run(&folder, &["status", "--data", "data"]);
    assert!(status.out.contains("problems: 1."), "{}", status.out);
    assert!(status.out.contains("posts/bad.md:2:9"), "{}", status.out);
    folder.write("posts/bad.md", post("Mended", ""));
    served.wait_for_titles(|titles| titles.contains(&"Mended".to_owned()));
    let status = run(&folder, &["status", "--data", "data"]);
    assert!(status.out.contains("problems: 0."), "{}", status.out);
    let output = served.stop(Signal::TERM);
    assert!(output.err.contains("posts/bad.md:2:9"), "{}", output.err);
}

#[test]
fn scheduled_post_appears_without_any_request() {
    let folder = Folder::new();
    let served = served(&folder);
    let due = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(2);
    folder.write(
        "posts/later.md",
        format!("+++\ntitle = \"Later\"\ndate = {due:.0}\n+++\n"),
    );
    served.wait_for_titles(|titles| titles == ["Later", "First"]);
    assert!(jiff::Timestamp::now() >= due - jiff::SignedDuration::from_secs(1));
}
