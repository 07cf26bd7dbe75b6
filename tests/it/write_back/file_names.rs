//! Tests of edits of files whose names are special to git or to the renaming of files.

use std::{fs, os::unix::fs::PermissionsExt};

use galley_tests::{
    folder::{Folder, post, post_with},
    galley_process::GalleyProcess,
    wait_until,
};
use serde_json::json;

use crate::{
    repository::origin::{Origin, site_of},
    write_back::editing::Editor,
};

#[test]
fn renamed_file_keeps_its_extension_if_that_contains_the_slug() {
    let folder = Folder::new();
    folder.write("posts/md.md", post("Markdown", ""));
    folder.write("../galley.toml", "url = \"https://site.example\"\n");
    let served = GalleyProcess::serve(&folder, &["--content", "content", "--write-back", "folder"]);
    let editor = Editor::of(&folder, &served);

    editor.edit(&editor.read("md"), json!({ "slug": "markup" }));

    wait_until("the file is renamed", || {
        folder.at("posts/markup.md").exists() && !folder.at("posts/md.md").exists()
    });
}

/// As a pattern of git, the name of each edited file also matches the name of another file, which sorts before it and has
/// another mode.
#[test]
fn names_with_characters_of_patterns_are_literal() {
    let names = [
        ("posts/[12]-ferry.md", "posts/1-ferry.md"),
        ("posts/note*.md", "posts/note (1).md"),
    ];
    let origin = Origin::new();
    for (number, (edited, other)) in names.into_iter().enumerate() {
        let slug = format!("slug = \"edited-{number}\"");
        origin.write(edited, post_with("Edited", &slug, "Text."));
        origin.write(other, post("Other", "Text."));
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(origin.at(other), executable).expect("the mode is set");
    }
    origin.push(&[], "Files");
    let settings = "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 0\n";
    let folder = site_of(&origin.url(), 1, settings);
    let served = GalleyProcess::serve(&folder, &[]);
    let editor = Editor::of(&folder, &served);

    for number in 0..names.len() {
        let read = editor.read(&format!("edited-{number}"));
        editor.edit(&read, json!({ "title": "By an editor" }));
    }

    for (edited, other) in names {
        wait_until("the edit is in the repository", || {
            origin.git(&["fetch", "-q", "origin"]);
            let text = origin.git(&["show", &format!("origin/main:{edited}")]);
            text.contains("By an editor")
        });
        let mode_of = |path: &str| {
            let listed = origin.git(&["ls-tree", "origin/main", "--", path]);
            listed.split(' ').next().expect("a mode").to_owned()
        };
        assert_eq!(mode_of(edited), "100644", "{edited}");
        assert_eq!(mode_of(other), "100755", "{other}");
        let text = origin.git(&["show", &format!("origin/main:{other}")]);
        assert_eq!(text, post("Other", "Text."));
    }
}
