//! Tests that backups, exports and builds are not written into or around a served folder.

use galley_tests::{
    command_line::{galley, run},
    folder::{Folder, post},
    galley_process::GalleyProcess,
};

use std::{
    fs,
    io::{Read, Write},
    os::unix::{fs::symlink, net::UnixStream},
    path::Path,
};

const URL: &str = "https://harbour.example";

/// Commands that write a file or folder, each with its target and further arguments.
const WRITERS: [(&str, &str, &[&str]); 5] = [
    ("backup", "x.zip", &["--force"]),
    ("export", "x.json", &["--force"]),
    ("export", "x.csv", &["--force"]),
    ("export", "x", &["--markdown", "--force"]),
    ("build", "x", &["--url", URL, "--force"]),
];

/// Folders that must reject writes, including linked and missing ones.
const REFUSED: [&str; 12] = [
    "content",
    "content/images",
    "content/new",
    "content/new/deeper",
    "data",
    "data/files",
    "data/restored",
    "pictures",
    "pictures/../posts",
    "new/../content",
    "content/../content/images",
    "elsewhere/pictures",
];

fn site() -> Folder {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "![](/images/a.png)")),
        ("images/a.png", "a"),
    ]);
    let made = run(
        &folder,
        &["key", "create", "--name", "CI", "--data", "data"],
    );
    assert_eq!(made.code, Some(0), "{}", made.err);
    let top = folder.top();
    symlink("content/images", top.join("pictures")).expect("a link");
    fs::create_dir_all(top.join("elsewhere/pictures")).expect("folders");
    fs::create_dir_all(top.join("data/images")).expect("folders");
    let linked = top.join("elsewhere/pictures");
    symlink(linked, top.join("data/images/linked")).expect("a link");
    folder
}

/// Returns all files and folders except those of the store.
fn entries(folder: &Folder) -> Vec<String> {
    let entries = walkdir::WalkDir::new(folder.top()).sort_by_file_name();
    let paths = entries.into_iter().map(|entry| entry.expect("an entry"));
    let paths = paths.map(|entry| entry.path().display().to_string());
    paths
        .filter(|path| !path.contains("data/galley."))
        .collect()
}

fn assert_refused(folder: &Folder) {
    let before = entries(folder);
    for refused in REFUSED {
        for (command, name, options) in WRITERS {
            let target = format!("{refused}/{name}");
            let arguments = [&[command, &target, "--data", "data", "-q"], options].concat();
            let output = run(folder, &arguments);
            assert_eq!(output.code, Some(1), "{arguments:?}: {}", output.err);
            let absolute = folder.top().join(&target).display().to_string();
            for part in [
                absolute.as_str(),
                "from which the site is served",
                "Choose a path",
            ] {
                assert!(output.err.contains(part), "{arguments:?}: {}", output.err);
            }
            assert_eq!(entries(folder), before, "{arguments:?}");
        }
    }
    for (command, options) in [
        ("export", &["--markdown", "--force"][..]),
        ("build", &["--url", URL, "--force"]),
    ] {
        let output = run(
            folder,
            &[&[command, ".", "--data", "data"], options].concat(),
        );
        assert_eq!(output.code, Some(1), "{command}");
        assert!(
            output.err.contains("Choose a folder next to it"),
            "{}",
            output.err
        );
        assert_eq!(entries(folder), before, "{command}");
    }
}

#[test]
fn target_inside_a_served_folder_is_rejected() {
    let folder = site();
    let _served = GalleyProcess::serve(&folder, &[]);
    assert_refused(&folder);
}

#[test]
fn process_relative_paths_are_resolved_by_the_client() {
    let folder = site();
    let client_folder = folder.top().join("own");
    fs::create_dir(&client_folder).expect("a folder");
    let _served = GalleyProcess::serve(&folder, &[]);
    for (command, name, options) in WRITERS {
        let target = format!("/proc/self/cwd/{name}");
        let data = folder.data().display().to_string();
        let arguments = [&[command, &target, "--data", &data], options].concat();
        let output = galley(&folder, &arguments)
            .current_dir(&client_folder)
            .output();
        let output = output.expect("the program runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {err}");
        assert!(client_folder.join(name).exists(), "{arguments:?}");
        assert!(!folder.top().join(name).exists(), "{arguments:?}");
    }
    for target in ["/proc/self/x.zip", "/proc/self/fd/4000"] {
        let output = run(&folder, &["backup", target, "--data", "data"]);
        assert_eq!(output.code, Some(1), "{target}");
        let reason = "refers to a different file in each process";
        assert!(output.err.contains(reason), "{}", output.err);
    }
    let images = folder.content().join("images");
    let data = folder.data().display().to_string();
    let arguments = ["backup", "/proc/self/cwd/x.zip", "--data", &data];
    let output = galley(&folder, &arguments).current_dir(&images).output();
    let output = output.expect("the program runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("from which the site is served"), "{err}");
}

#[test]
fn special_files_are_not_replaced() {
    let folder = site();
    let pipe = folder.top().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).expect("a pipe");
    let output = run(&folder, &["backup", "pipe", "--data", "data", "--force"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("is neither a file nor a folder"),
        "{}",
        output.err
    );
    assert!(!fs::metadata(&pipe).expect("the pipe exists").is_file());
}

#[test]
fn paths_of_the_server_process_are_rejected() {
    let folder = site();
    let _served = GalleyProcess::serve(&folder, &[]);
    for target in [
        "/proc/self/cwd/x.zip",
        "/proc/thread-self/cwd/x.zip",
        "/dev/fd/0",
    ] {
        let mut socket = UnixStream::connect(folder.data().join("galley.sock")).expect("a server");
        let command = format!(
            "{{\"backup\":{{\"target\":{{\"file\":\"{target}\"}},\"overwrites\":true}}}}\n"
        );
        socket.write_all(command.as_bytes()).expect("sent");
        let mut output = String::new();
        socket.read_to_string(&mut output).expect("a response");
        assert!(
            output.contains("refers to a different file in each process"),
            "{output}"
        );
    }
    assert!(!folder.top().join("x.zip").exists());
}

#[test]
fn target_inside_an_unserved_sites_folder_is_rejected() {
    assert_refused(&site());
}

#[test]
fn targets_outside_the_served_folders_are_accepted() {
    let folder = site();
    fs::create_dir(folder.top().join("out")).expect("a folder");
    // A symbolic link at the target's path is replaced, not followed.
    symlink("../content/images/x.zip", folder.top().join("out/x.zip")).expect("a link");
    for (command, name, options) in WRITERS {
        let target = format!("out/{command}-{name}");
        let output = run(
            &folder,
            &[&[command, &target, "--data", "data"], options].concat(),
        );
        assert_eq!(output.code, Some(0), "{target}: {}", output.err);
        assert!(folder.top().join(&target).exists(), "{target}");
    }
    assert!(!folder.at("images/x.zip").exists());
}

#[test]
fn last_served_folder_is_remembered() {
    let folder = Folder::with(&[("images/a.png", "a")]);
    fs::rename(folder.content(), folder.top().join("site")).expect("renamed");
    let served = GalleyProcess::serve(&folder, &["--content", "site"]);
    served.stop(rustix::process::Signal::TERM);
    let images = folder.top().join("site/images");
    for (command, name, options) in WRITERS {
        let data = folder.data().display().to_string();
        let arguments = [&[command, name, "--data", &data], options].concat();
        let output = galley(&folder, &arguments).current_dir(&images).output();
        let output = output.expect("the program runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {err}");
        assert!(err.contains("from which the site is served"), "{err}");
        assert!(!Path::new(&images).join(name).exists());
    }
}

#[test]
fn target_inside_a_checkout_is_rejected() {
    let folder = Folder::new();
    let checkout = folder.data().join("git");
    fs::create_dir_all(&checkout).expect("folders");
    let made = run(
        &folder,
        &["key", "create", "--name", "CI", "--data", "data"],
    );
    assert_eq!(made.code, Some(0), "{}", made.err);
    let output = run(&folder, &["backup", "data/git/x.zip", "--data", "data"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("from which the site is served"),
        "{}",
        output.err
    );
}
