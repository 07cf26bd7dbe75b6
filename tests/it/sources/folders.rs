//! Tests of listing real folders.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::Path,
};

use galley::{content_files::folder_files, content_text::FILE_BYTES_MAX};
use tempfile::{TempDir, tempdir};

/// No diagnostics.
const NONE: [(&str, &str); 0] = [];

fn folder_of(files: &[&str]) -> TempDir {
    let folder = tempdir().unwrap();
    for file in files {
        write(folder.path(), file, "x");
    }
    folder
}

fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn paths(tree: &folder_files::Tree) -> Vec<&str> {
    tree.files.iter().map(|file| file.path.as_str()).collect()
}

fn problems(tree: &folder_files::Tree) -> Vec<(&str, &str)> {
    tree.diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.file.as_str(), diagnostic.message.as_str()))
        .collect()
}

#[test]
fn files_are_listed_in_path_order() {
    let folder = folder_of(&[
        "posts/b.md",
        "posts-old.md",
        "posts/a/index.md",
        "posts/a.md",
        "site.toml",
        "B.md",
    ]);
    let tree = folder_files::walk(folder.path());
    assert_eq!(
        paths(&tree),
        [
            "B.md",
            "posts-old.md",
            "posts/a.md",
            "posts/a/index.md",
            "posts/b.md",
            "site.toml"
        ]
    );
    assert!(tree.contains("posts/a/index.md") && !tree.contains("posts/a"));
    assert_eq!(problems(&tree), NONE);
}

#[test]
fn rewritten_or_replaced_file_has_another_identity() {
    let folder = folder_of(&["a.md", "b.md"]);
    let before = folder_files::walk(folder.path());
    assert_eq!(before.files[0].size, 1);
    write(folder.path(), "a.md", "xx");
    write(folder.path(), "b.new", "y");
    fs::rename(folder.path().join("b.new"), folder.path().join("b.md")).unwrap();
    let after = folder_files::walk(folder.path());
    assert_eq!(paths(&after), ["a.md", "b.md"]);
    assert_eq!(after.files[0].size, 2);
    assert_ne!(after.files[1].identity, before.files[1].identity);
    assert_eq!(folder_files::walk(folder.path()).files, after.files);
}

#[test]
fn hidden_and_editor_files_are_ignored() {
    let folder = folder_of(&[
        ".git/config",
        ".hidden.md",
        "posts/a.md",
        "posts/a.md~",
        "posts/.a.md.swp",
        "posts/a.swp",
        "posts/#a.md#",
        "posts/4913",
        "posts/a.md.tmp",
        "node_modules/x/README.md",
    ]);
    symlink("ada@host.123", folder.path().join("posts/.#a.md")).unwrap();
    let tree = folder_files::walk(folder.path());
    assert_eq!(
        (paths(&tree), problems(&tree)),
        (vec!["posts/a.md"], vec![])
    );
}

#[test]
fn links_within_the_folder_are_followed() {
    let folder = folder_of(&["images/a.png", "posts/a.md"]);
    symlink("../images", folder.path().join("posts/pictures")).unwrap();
    symlink("a.md", folder.path().join("posts/b.md")).unwrap();
    let tree = folder_files::walk(folder.path());
    assert_eq!(
        paths(&tree),
        [
            "images/a.png",
            "posts/a.md",
            "posts/b.md",
            "posts/pictures/a.png"
        ]
    );
    assert_eq!(problems(&tree), NONE);
}

#[test]
fn link_cycles_are_reported_and_the_rest_is_listed() {
    let folder = folder_of(&["posts/a.md"]);
    symlink(".", folder.path().join("posts/again")).unwrap();
    symlink("self", folder.path().join("posts/self")).unwrap();
    let tree = folder_files::walk(folder.path());
    assert_eq!(paths(&tree), ["posts/a.md"]);
    assert_eq!(
        problems(&tree),
        [
            (
                "posts/again",
                "the symbolic link is part of a loop and is not followed"
            ),
            (
                "posts/self",
                "the target of the symbolic link cannot be read"
            ),
        ]
    );
}

#[test]
fn links_to_outside_hidden_or_missing_files_are_not_followed() {
    let outside = folder_of(&["secret.md", "deep/secret.md"]);
    let folder = folder_of(&["posts/a.md", ".git/config"]);
    symlink(
        outside.path().join("secret.md"),
        folder.path().join("posts/file.md"),
    )
    .unwrap();
    symlink(
        outside.path().join("deep"),
        folder.path().join("posts/folder"),
    )
    .unwrap();
    symlink("../.git/config", folder.path().join("posts/hidden.md")).unwrap();
    symlink("gone.md", folder.path().join("posts/nowhere.md")).unwrap();
    let tree = folder_files::walk(folder.path());
    let out = "the symbolic link points outside of the content folder or to a hidden file, and is not followed";
    assert_eq!(paths(&tree), ["posts/a.md"]);
    assert_eq!(
        problems(&tree),
        [
            ("posts/file.md", out),
            ("posts/folder", out),
            ("posts/hidden.md", out),
            (
                "posts/nowhere.md",
                "the target of the symbolic link cannot be read"
            ),
        ]
    );
    assert!(
        tree.diagnostics
            .iter()
            .all(|diagnostic| !diagnostic.is_error())
    );
}

#[test]
fn content_folder_may_be_a_symbolic_link() {
    let real = folder_of(&["posts/a.md", "images/a.png"]);
    symlink("../images", real.path().join("posts/pictures")).unwrap();
    let outside = tempdir().unwrap();
    let link = outside.path().join("content");
    symlink(real.path(), &link).unwrap();
    assert_eq!(
        paths(&folder_files::walk(&link)),
        ["images/a.png", "posts/a.md", "posts/pictures/a.png"]
    );
}

#[test]
fn name_that_is_not_utf_8_is_reported_and_the_rest_is_listed() {
    let folder = folder_of(&["posts/a.md"]);
    fs::write(
        folder
            .path()
            .join("posts")
            .join(OsStr::from_bytes(b"caf\xE9.md")),
        "x",
    )
    .unwrap();
    let odd_folder = folder.path().join(OsStr::from_bytes(b"\xFF"));
    fs::create_dir(&odd_folder).unwrap();
    fs::write(odd_folder.join("a.md"), "x").unwrap();
    let tree = folder_files::walk(folder.path());
    assert_eq!(paths(&tree), ["posts/a.md"]);
    assert_eq!(
        problems(&tree),
        [
            ("posts/caf\u{FFFD}.md", "the name is not UTF-8"),
            ("\u{FFFD}", "the name is not UTF-8")
        ]
    );
}

#[test]
fn missing_folder_is_reported() {
    let folder = tempdir().unwrap();
    let tree = folder_files::walk(&folder.path().join("gone"));
    assert_eq!((tree.files.len(), tree.diagnostics.len()), (0, 1));
    assert!(
        tree.diagnostics[0]
            .message
            .starts_with("the content folder cannot be read: ")
    );
    write(folder.path(), "file", "x");
    assert_eq!(
        folder_files::walk(&folder.path().join("file"))
            .diagnostics
            .len(),
        1
    );
}

#[test]
fn file_is_read_up_to_the_limit() {
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("posts")).unwrap();
    let largest = vec![b'x'; FILE_BYTES_MAX];
    fs::write(folder.path().join("posts/a.md"), &largest).unwrap();
    assert_eq!(
        folder_files::read(folder.path(), "posts/a.md")
            .unwrap()
            .len(),
        FILE_BYTES_MAX
    );
    fs::write(
        folder.path().join("posts/a.md"),
        [largest.as_slice(), b"x"].concat(),
    )
    .unwrap();
    assert_eq!(
        folder_files::read(folder.path(), "posts/a.md")
            .unwrap_err()
            .message,
        "the file is larger than 8 MiB"
    );
}

#[test]
fn unreadable_file_is_reported() {
    let folder = folder_of(&["posts/a.md"]);
    for path in ["posts/gone.md", "posts"] {
        let problem = folder_files::read(folder.path(), path).unwrap_err();
        assert!(
            problem.is_error() && problem.message.starts_with("the file cannot be read: "),
            "{path}"
        );
    }
}
