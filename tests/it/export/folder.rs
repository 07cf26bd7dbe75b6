//! Content folders.

use std::fs;

use super::publication::{Publication, assert_same};

const FILES: &[(&str, &str)] = &[
    (
        "site.toml",
        "title = \"Harbour\"\ntimezone = \"Europe/Amsterdam\"\ncodeinjection_head = \"<link href='/x/'>\"\n[[navigation]]\nlabel = \"Home\"\nurl = \"/\"\n",
    ),
    ("authors/ada.md", "+++\nname = \"Ada\"\n+++\nWrites.\n"),
    ("tags/letters.yaml", "name: Letters\n"),
    (
        "posts/2025-01-05-night-ferry/index.md",
        "+++\ntitle = \"Night ferry\"\nauthors = [\"Ada\"]\ntags = [\"Letters\", \"Sea\"]\n+++\nText\nand *more*, see [tide](../tide.md).\n\n![](deck.png)\n",
    ),
    ("posts/2025-01-05-night-ferry/deck.png", "a picture"),
    (
        "posts/tide.md",
        "---\ntitle: Tide\ndate: 2025-01-06\nvisibility: members\n---\nOpen.\n\n<!--members-only-->\n\nClosed.\n",
    ),
    (
        "pages/about.html",
        "+++\ntitle = \"About\"\n+++\n<p>We</p>\n",
    ),
];

#[test]
fn what_came_from_files_is_copied_as_it_stands() {
    let first = Publication::of_files(FILES);
    let folder = first.to_folder("export");
    for (path, text) in FILES {
        assert_eq!(
            fs::read_to_string(folder.join(path)).unwrap(),
            *text,
            "{path}"
        );
    }
    assert_same(
        &Publication::served_from(&folder).answers(),
        &first.answers(),
    );
}

#[test]
fn what_came_from_files_that_are_gone_is_written_anew() {
    let first = Publication::of_files(FILES);
    for (path, _) in FILES {
        fs::remove_file(first.place("content").join(path)).unwrap();
    }
    let folder = first.to_folder("export");
    println!(
        "{}",
        fs::read_to_string(folder.join("posts/night-ferry.md")).unwrap()
    );
    assert_same(
        &Publication::served_from(&folder).answers(),
        &first.answers(),
    );
}
